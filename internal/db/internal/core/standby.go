package core

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/problem"
)

// standbyPoll is how often the primary and the standby are asked for their positions.
const standbyPoll = 500 * time.Millisecond

// poll measures the lag until ctx ends, and logs when the standby can no longer be used, and when it can be again.
func (s *standby) poll(ctx context.Context) {
	ticker := time.NewTicker(standbyPoll)
	defer ticker.Stop()
	var before error
	for {
		err := s.measure(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && before == nil:
			s.log.Warn("the standby can't be used: the primary serves all reads", "error", err)
		case err == nil && before != nil:
			s.log.Info("the standby can be used again")
		}
		before = err
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// measure asks the primary and the standby once for their positions. It returns why the standby can't be used.
func (s *standby) measure(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	asked := s.lag.now()
	if end, err := s.primary.Queries().StandbyPrimary(limited); err == nil {
		s.lag.note(asked, end)
	} // without it the samples grow old
	limited, cancel = context.WithTimeout(ctx, s.timeout)
	defer cancel()
	at, err := s.db.Queries().StandbyPosition(limited)
	if err != nil {
		s.lag.forget()
		return err
	}
	return s.lag.observe(at)
}

// read reads as a tenant what is at most within old. Each read shows by itself that the standby is recent enough, on
// its own connection: an address may lead to several standbys, and a standby may have been promoted since the last
// poll. The position is read before the snapshot is taken, and so in a round trip of its own. One snapshot for all
// statements keeps the fence of a tenant that moves: without it the standby could replay, between two statements, that
// the tenant left and that its rows were deleted.
func (s *standby) read(ctx context.Context, within time.Duration, tenant uuid.UUID, queue func(t *Tx)) (err error) {
	if err := s.lag.expect(within); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	defer func() {
		if isAway(err) {
			s.lag.forget() // the next reads don't wait for it too
		}
	}()
	t, err := s.db.Connect(ctx, tenant)
	if err != nil {
		return err
	}
	t.readOnly = true
	defer t.End()
	at, err := dbsqlc.New(t.conn).StandbyPosition(ctx)
	if err != nil {
		return err
	}
	if err := s.lag.require(at, within); err != nil {
		return err
	}
	t.AtOneMoment()
	t.AllowTime(0) // the statements have the timeout of the standby, by its lock timeout, and so has the batch
	Query(t, "look for the tenant", new(uuid.UUID),
		func(q *dbsqlc.Queries) (uuid.UUID, error) { return q.StandbyTenant(t.Ctx, tenant) })
	queue(t)
	return t.ReadOnce()
}

// isAway reports whether an error says that the standby can't be reached or doesn't answer in time.
func isAway(err error) bool {
	var lost *lostError
	return errors.As(err, &lost) || errors.Is(err, context.DeadlineExceeded) ||
		problem.Is(err, problem.DatabaseUnavailable) ||
		StateOf(err) == queryCanceled
}

// registerStaleness registers how stale a standby is, in seconds; without one it is no number.
func registerStaleness(reg prometheus.Registerer, s *standby) {
	promauto.With(reg).NewGaugeFunc(prometheus.GaugeOpts{
		Name: "holdfast_standby_staleness_seconds",
		Help: "How stale the standby is at most; +Inf if it can't be used, NaN without one.",
	}, func() float64 {
		if s == nil {
			return math.NaN()
		}
		return s.lag.seconds()
	})
}
