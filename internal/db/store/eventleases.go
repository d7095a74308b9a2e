package store

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// HeldEvent is an event that a worker holds, with the fencing token and the version of its claim.
type HeldEvent struct {
	TenantID, EventID, Lease uuid.UUID
	Version                  int64
	// Until is when the lease ends at the latest, however often it is renewed, by the database's clock.
	Until time.Time
}

// RenewEvents prolongs the leases of events that the caller holds, for leaseTime from now on, and returns the ids of
// those whose lease ends later now. Also a lease that has ended is renewed, if nobody has taken the event back. Left
// out are events that the caller has lost, and those whose row another transaction has locked: it waits for nobody. It
// takes one round trip, and one statement, however many events there are. Errors: problem.DatabaseUnavailable;
// problem.OutcomeUnknown, after which they are renewed or not.
func (s *Store) RenewEvents(ctx context.Context, leaseTime time.Duration, held []HeldEvent) (renewed []uuid.UUID, err error) {
	p := dbsqlc.EventRenewParams{LeaseTime: interval(leaseTime)}
	for _, h := range held {
		p.TenantIds = append(p.TenantIds, h.TenantID)
		p.EventIds = append(p.EventIds, h.EventID)
		p.Leases = append(p.Leases, h.Lease)
		p.Versions = append(p.Versions, h.Version)
		p.Untils = append(p.Untils, h.Until)
	}
	err = s.db.AsWorker(ctx, "renew leases", func(t *core.Tx) {
		core.Query(t, "renew leases", &renewed, func(q *dbsqlc.Queries) ([]uuid.UUID, error) { return q.EventRenew(t.Ctx, p) })
	})
	return renewed, err
}

// pauseAfterRescue is how long after it was claimed an event is tried again that was taken back, times two for each
// attempt before the last one: at once after the first attempt, because a lease is as long.
const pauseAfterRescue = 3 * time.Second

// RescueRule says what becomes of the events of a kind that are taken back.
type RescueRule struct {
	// MaxAttempts is after how many attempts an event is dead, 0 for never.
	MaxAttempts int
	// LongestPause bounds the time from a claim to the next attempt of an event that was taken back several times.
	LongestPause time.Duration
}

// RescuedEvent is an event that was taken back from a worker whose lease had ended. Its status is "failed", or "dead"
// after the last attempt.
type RescuedEvent = dbsqlc.EventRescueRow

// RescueEvents takes back up to limit events whose lease has ended, of every tenant, writes the attempts to their
// history, and wakes the workers. An event is due again at once after its first attempt. After later ones it is due the
// later the more there were, so that an event that kills each server which handles it doesn't do so every few seconds.
// Leases that ended longer ago than within are left out, unless within is 0. kinds are the names of the kinds; events
// of other kinds stay as they are. Errors: problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (s *Store) RescueEvents(
	ctx context.Context, within time.Duration, limit int, kinds map[string]RescueRule,
) (rescued []RescuedEvent, err error) {
	attempts := dbsqlc.EventRescueAttemptsParams{
		EndedWithin: interval(cmp.Or(within, math.MaxInt64)), RowLimit: int32(min(limit, 10_000)), AttemptID: uuid.Must(uuid.NewV7()),
	}
	var pauses []pgtype.Interval
	for kind, rule := range kinds {
		attempts.Kinds = append(attempts.Kinds, kind)
		attempts.Attempts = append(attempts.Attempts, int32(rule.MaxAttempts))
		pauses = append(pauses, interval(rule.LongestPause))
	}
	err = s.db.AsWorker(ctx, "rescue events", func(t *core.Tx) {
		core.Exec(t, "write the attempts", func(q *dbsqlc.Queries) error { return q.EventRescueAttempts(t.Ctx, attempts) })
		core.Query(t, "rescue events", &rescued, func(q *dbsqlc.Queries) ([]RescuedEvent, error) {
			return q.EventRescue(t.Ctx, dbsqlc.EventRescueParams{
				AttemptID: attempts.AttemptID, EndedWithin: attempts.EndedWithin, Kinds: attempts.Kinds, LongestPauses: pauses,
				Pause: interval(pauseAfterRescue),
			})
		})
	})
	if err != nil {
		return nil, err // the transaction may have been rolled back
	}
	for _, r := range rescued {
		if r.Status == "failed" {
			s.db.Wake(r.Kind)
		}
	}
	return rescued, nil
}
