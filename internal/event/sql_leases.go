package event

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/event/internal/rowsql"
)

// renewable is an event that a worker holds, with the fencing token and the version of its lease.
type renewable struct {
	TenantID, EventID, Lease uuid.UUID
	Version                  int64
	// Until is when the lease ends at the latest, however often it is renewed, by the database's clock.
	Until time.Time
}

// renew prolongs the leases of events that the caller holds, for leaseTime from now on, and returns the ids of
// those whose lease ends later now. Also a lease that has ended is renewed, if nobody has taken the event back. Left
// out are events that the caller has lost, and those whose row another transaction has locked: it waits for nobody. It
// takes one round trip, and one statement, however many events there are. Errors: problem.DatabaseUnavailable;
// problem.OutcomeUnknown, after which they are renewed or not.
func renew(ctx context.Context, d *db.DB, leaseTime time.Duration, held []renewable) (renewed []uuid.UUID, err error) {
	p := rowsql.EventRenewParams{LeaseTime: db.Interval(leaseTime)}
	for _, h := range held {
		p.TenantIds = append(p.TenantIds, h.TenantID)
		p.EventIds = append(p.EventIds, h.EventID)
		p.Leases = append(p.Leases, h.Lease)
		p.Versions = append(p.Versions, h.Version)
		p.Untils = append(p.Untils, h.Until)
	}
	err = d.AsWorker(ctx, "renew leases", func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "renew leases", &renewed, func(q *rowsql.Queries) ([]uuid.UUID, error) {
			return q.EventRenew(tx.Context(), p)
		})
	})
	return renewed, err
}

// pauseAfterRescue is how long after it was leased an event is tried again that was taken back, times two for each
// attempt before the last one: at once after the first attempt, because a lease is as long.
const pauseAfterRescue = 3 * time.Second

// RescueRule says what becomes of the events of a kind that are taken back.
type RescueRule struct {
	// MaxAttempts is after how many attempts an event is dead, 0 for never.
	MaxAttempts int
	// LongestPause bounds the time from a lease to the next attempt of an event that was taken back several times.
	LongestPause time.Duration
}

// RescuedEvent is an event that was taken back from a worker whose lease had ended. Its status is "failed", or "dead"
// after the last attempt.
type RescuedEvent = rowsql.EventRescueRow

// Rescue takes back up to limit events whose lease has ended, of every tenant, writes the attempts to their
// history, and wakes the workers. An event is due again at once after its first attempt. After later ones it is due the
// later the more there were, so that an event that kills each server which handles it doesn't do so every few seconds.
// Leases that ended longer ago than within are left out, unless within is 0. kinds are the names of the kinds; events
// of other kinds stay as they are. Errors: problem.DatabaseUnavailable, problem.OutcomeUnknown.
func Rescue(ctx context.Context, d *db.DB, within time.Duration, limit int, kinds map[string]RescueRule,
) (rescued []RescuedEvent, err error) {
	ended := db.Interval(cmp.Or(within, math.MaxInt64))
	attempts := rowsql.EventRescueAttemptsParams{
		EndedWithin: ended, RowLimit: atMost(limit), AttemptID: uuid.Must(uuid.NewV7()),
	}
	p := rowsql.EventRescueParams{AttemptID: attempts.AttemptID, EndedWithin: ended,
		Pause: db.Interval(pauseAfterRescue)}
	for kind, rule := range kinds {
		attempts.Kinds, p.Kinds = append(attempts.Kinds, kind), append(p.Kinds, kind)
		attempts.Attempts = append(attempts.Attempts, int32(rule.MaxAttempts))
		p.LongestPauses = append(p.LongestPauses, db.Interval(rule.LongestPause))
	}
	err = d.AsWorker(ctx, "rescue events", func(tx *db.Tx) {
		db.Exec(unlocked.On(tx), "write the attempts", func(q *rowsql.Queries) error {
			return q.EventRescueAttempts(tx.Context(), attempts)
		})
		db.Query(unlocked.On(tx), "rescue events", &rescued, func(q *rowsql.Queries) ([]RescuedEvent, error) {
			return q.EventRescue(tx.Context(), p)
		})
	})
	if err != nil {
		return nil, err // the transaction may have been rolled back
	}
	for _, r := range rescued {
		if Status(r.Status) == Failed {
			d.Wake(r.Kind)
		}
	}
	return rescued, nil
}
