package booking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"golang.org/x/sync/errgroup"

	"holdfast/internal/store"
	"holdfast/internal/timezone"
)

const (
	sweepEvery  = 2 * time.Second // the mean time between two sweeps
	sweepBatch  = 500             // lapsed holds that are read at a time
	sweepAtOnce = 4               // transactions of a sweep: one locked date must not delay the others
)

// HoldSweep marks lapsed holds as expired. Without it, a hold whose time nobody books would never be refunded. Every instance
// may run one. It is safe for concurrent use.
type HoldSweep struct {
	store   *store.Store
	log     *slog.Logger
	expired prometheus.Counter
	failed  prometheus.Counter
}

// NewHoldSweep returns a sweep of the holds in s. metrics receives its metrics; nil registers none. log may be nil.
func NewHoldSweep(s *store.Store, metrics prometheus.Registerer, log *slog.Logger) *HoldSweep {
	return &HoldSweep{
		store: s, log: cmp.Or(log, slog.New(slog.DiscardHandler)),
		expired: promauto.With(metrics).NewCounter(prometheus.CounterOpts{
			Name: "holdfast_holds_expired_total",
			Help: "Holds that the sweep marked as expired. Bookings that take a lapsed hold's time mark it themselves.",
		}),
		failed: promauto.With(metrics).NewCounter(prometheus.CounterOpts{
			Name: "holdfast_hold_sweeps_failed_total",
			Help: "Sweeps that could not mark all lapsed holds that they found.",
		}),
	}
}

// Run sweeps until ctx ends. Errors are logged; the next sweep tries again.
func (s *HoldSweep) Run(ctx context.Context) {
	for ctx.Err() == nil {
		expired, err := s.Once(ctx)
		if err != nil && ctx.Err() == nil {
			s.failed.Inc()
			s.log.Warn("mark lapsed holds as expired", "error", err)
		}
		if expired > 0 {
			continue // there may be more
		}
		// Instances that were started together don't stay together.
		select {
		case <-time.After(sweepEvery/2 + rand.N(sweepEvery)): //nolint:gosec // G404: the jitter of a timer is no secret
		case <-ctx.Done():
		}
	}
}

// Once marks lapsed holds as expired, at most 500, and returns how many. Each transaction locks one set of dates of one tenant,
// so a locked date delays only its own holds.
//
// Errors: problem.DatabaseUnavailable; problem.LockTimeout and problem.OutcomeUnknown for some dates, when the holds of the
// other dates were marked.
func (s *HoldSweep) Once(ctx context.Context) (expired int, err error) {
	holds, err := s.store.LapsedHolds(ctx, sweepBatch)
	if err != nil {
		return 0, fmt.Errorf("look for lapsed holds: %w", err)
	}
	groups, err := groupHolds(holds)
	if err != nil {
		return 0, err
	}
	counts, failed := make([]int, len(groups)), make([]error, len(groups))
	var running errgroup.Group
	running.SetLimit(sweepAtOnce)
	for i, group := range groups {
		running.Go(func() error {
			counts[i], failed[i] = s.expire(ctx, group)
			return nil
		})
	}
	_ = running.Wait() // the errors are in failed
	for _, n := range counts {
		expired += n
	}
	s.expired.Add(float64(expired))
	return expired, errors.Join(failed...)
}

// holdGroup is lapsed holds of one tenant that occupy the same dates.
type holdGroup struct {
	tenant uuid.UUID
	dates  []civil.Date
	holds  []store.LapsedHold
}

// groupHolds groups holds by tenant and dates, in a random order: several instances then seldom work on the same group.
func groupHolds(holds []store.LapsedHold) ([]holdGroup, error) {
	var groups []holdGroup
	for _, h := range holds {
		loc, err := timezone.Stored(h.TimeZone)
		if err != nil {
			return nil, fmt.Errorf("load the time zone of a hold: %w", err)
		}
		dates := datesOf(h.BusyFrom, h.BusyUntil, loc)
		i := slices.IndexFunc(groups, func(g holdGroup) bool { return g.tenant == h.TenantID && slices.Equal(g.dates, dates) })
		if i < 0 {
			i = len(groups)
			groups = append(groups, holdGroup{tenant: h.TenantID, dates: dates})
		}
		groups[i].holds = append(groups[i].holds, h)
	}
	rand.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] }) //nolint:gosec // G404: the order of work is no secret
	return groups, nil
}

// expire marks those of a group's holds that are still there, and still lapsed by the database's clock, once their dates are
// locked.
func (s *HoldSweep) expire(ctx context.Context, group holdGroup) (expired int, err error) {
	keys, err := calendarKeys(group.tenant, group.dates)
	if err != nil {
		return 0, err
	}
	var read store.CalendarRead
	for _, h := range group.holds {
		read.Holds = append(read.Holds, h.BookingID)
	}
	err = s.store.Calendar(ctx, keys, read, func(tx *store.CalendarTx, st store.CalendarState) error {
		var lapsed []uuid.UUID
		for _, h := range st.Holds {
			if stillLapsed(group.holds, h, st.Now) {
				lapsed = append(lapsed, h.BookingID)
			}
		}
		if expired = len(lapsed); expired > 0 {
			tx.ExpireHolds(lapsed)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("expire holds of tenant %s: %w", group.tenant, err)
	}
	return expired, nil
}

// stillLapsed reports whether a hold occupies the dates that were locked for it and is past its expiry at now.
func stillLapsed(seen []store.LapsedHold, h store.Hold, now time.Time) bool {
	return State{Status: Held, HoldExpiresAt: h.HoldExpiresAt}.Lapsed(now) &&
		slices.ContainsFunc(seen, func(l store.LapsedHold) bool {
			return l.BookingID == h.BookingID && l.BusyFrom.Equal(h.BusyFrom) && l.BusyUntil.Equal(h.BusyUntil)
		})
}
