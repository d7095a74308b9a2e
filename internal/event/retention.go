package event

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store"
)

const (
	retentionEvery = 10 * time.Minute
	deletedAtOnce  = 500 // rows that one transaction deletes
)

// errHeldBack is logged each time, until the relay has passed the old events.
var errHeldBack = errors.New("old events are kept for longer: the relay has yet to plan their deliveries")

// Retention returns the jobs that delete events which are older than keep, by the database's clock: those of the outbox, and scheduled
// events that are completed or cancelled, and dead deliveries and emails, with their attempts. Events of the outbox are kept until the relay has passed them, scheduled events until keep
// after they were due.
func Retention(s *store.Store, keep time.Duration) []Job {
	var after uuid.UUID // the tenant before the one whose scheduled events are next
	return []Job{
		{Name: "delete old events of the outbox", Every: retentionEvery, Run: func(ctx context.Context) (more bool, err error) {
			n, heldBack, err := s.DeleteOldOutboxEvents(ctx, keep, deletedAtOnce)
			if heldBack {
				err = errHeldBack
			}
			return n >= deletedAtOnce, err
		}},
		{Name: "delete ended scheduled events", Every: retentionEvery, Run: func(ctx context.Context) (more bool, err error) {
			tenant, n, err := s.DeleteEndedEvents(ctx, after, keep, deletedAtOnce)
			switch {
			case err != nil:
				return false, err
			case tenant == nil:
				after = uuid.Nil
				return false, nil
			case n < deletedAtOnce:
				after = *tenant
			}
			return true, nil
		}},
	}
}
