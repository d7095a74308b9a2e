package event

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
)

const (
	retentionEvery = 10 * time.Minute
	deletedAtOnce  = 500 // rows that one transaction deletes
)

// errHeldBack is logged each time, until the relay has passed the old events.
var errHeldBack = errors.New("old changes are kept for longer: the relay has yet to plan what follows from them")

// Retention returns the jobs that delete what is old, by the database's clock: changes that are older than keepChanges,
// once the relay has passed them, and keepEvents after they were due the scheduled events that are completed or
// cancelled, and dead deliveries and emails, with their attempts.
func Retention(d *db.DB, keepChanges, keepEvents time.Duration) []Job {
	var after *uuid.UUID // the tenant before the one whose scheduled events are next; nil before the first one
	return []Job{
		{Name: "delete old changes", Every: retentionEvery, Run: func(ctx context.Context) (more bool, err error) {
			n, heldBack, err := DeleteOldChanges(ctx, d, keepChanges, deletedAtOnce)
			if heldBack {
				err = errHeldBack
			}
			return n >= deletedAtOnce, err
		}},
		{Name: "delete ended scheduled events", Every: retentionEvery, Run: func(ctx context.Context) (more bool,
			err error) {
			tenant, n, err := deleteEnded(ctx, d, after, keepEvents, deletedAtOnce)
			switch {
			case err != nil:
				return false, err
			case tenant == nil:
				after = nil
				return false, nil
			case n < deletedAtOnce:
				after = tenant
			}
			return true, nil
		}},
	}
}
