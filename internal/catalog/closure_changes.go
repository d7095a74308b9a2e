package catalog

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/datetime"
	"holdfast/internal/db"
	"holdfast/internal/etag"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/lock"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// CreateClosure closes dates for a resource or for all of the tenant's, under the date locks of those
// dates. Bookings that were made before stay. Errors: problem.ValidationFailed, problem.NotFound for the
// resource; problem.TooManyDates for more dates than a transaction may lock; those of db.Request.Outcome and
// of db.DB.Dates.
func (s *Service) CreateClosure(ctx context.Context, t tenant.Tenant, r idempotency.Request,
	c Closure,
) (idempotency.Outcome, error) {
	request := r.DBRequest(t.ID)
	if err := c.Check(); err != nil {
		return idempotency.Outcome{}, err
	}
	keys, err := closureKeys(t, c)
	if err != nil {
		return idempotency.Outcome{}, err
	}
	c.ID = uuid.Must(uuid.NewV7())
	return request.Outcome(s.db.Dates(ctx, request, keys, func(tx *db.DatesTx) func() error {
		return func() error {
			c.Version, c.CreatedAt, c.UpdatedAt = 1, tx.Now(), tx.Now()
			queueClosure(tx, c.row())
			if err := recordChange(tx, "closure.created", event.SubjectClosure, c.ID, c.Version, c.Body()); err != nil {
				return err
			}
			return tx.Respond(idempotency.Made(event.SubjectClosure, c.ID, c.Version, c.Body()))
		}
	}))
}

// maxTries is how often a change of a closure or a block begins again because it changed meanwhile.
const maxTries = 10

// errClosureChanged says that a closure has changed since its dates were locked.
var errClosureChanged = errors.New("catalog: closure changed")

// ChangeClosure changes a closure under the date locks of its dates before and after the change. Bookings that were
// made before stay. A change to what is already so writes nothing and keeps the version.
//
// Errors: problem.NotFound, also for a resource that doesn't exist; problem.ValidationFailed, problem.VersionMismatch;
// problem.TooManyDates for more dates than a transaction may lock; those of db.DB.Dates.
func (s *Service) ChangeClosure(
	ctx context.Context, t tenant.Tenant, id uuid.UUID, change mergepatch.Patch[ClosureSpec], allowed etag.Precondition,
) (c Closure, err error) {
	err = s.withClosure(ctx, t, nil, id, change, func(tx *db.DatesTx, before, after Closure) error {
		c, err = updateClosure(tx, "closure.updated", before, after, allowed)
		return err
	})
	return c, err
}

// ArchiveClosure opens a closure's dates again, or closes them as before, under their date locks. Bookings that were
// made before stay. What is already so stays as it is and keeps its version.
//
// Errors: problem.NotFound, problem.VersionMismatch; those of db.Request.Outcome and of db.DB.Dates.
func (s *Service) ArchiveClosure(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID,
	archived bool,
	allowed etag.Precondition,
) (idempotency.Outcome, error) {
	request := r.DBRequest(t.ID)
	none := mergepatch.Patch[ClosureSpec]{}
	return request.Outcome(s.withClosure(ctx, t, request, id, none,
		func(tx *db.DatesTx, before, after Closure) error {
			if !archived {
				after.ArchivedAt = nil
			} else if after.ArchivedAt == nil {
				after.ArchivedAt = new(tx.Now())
			}
			c, err := updateClosure(tx, "closure."+Archiving{Archived: archived}.action(), before, after, allowed)
			if err != nil {
				return err
			}
			return tx.Respond(idempotency.Changed(event.SubjectClosure, c.ID, c.Version, c.Body()))
		}))
}

// updateClosure queues a closure with its next version and the entry of its history, unless nothing differs. Errors:
// problem.VersionMismatch.
func updateClosure(tx *db.DatesTx, action string, before, after Closure,
	allowed etag.Precondition,
) (Closure, error) {
	if err := allowed.Check("closure", before.Version); err != nil {
		return before, err
	}
	if reflect.DeepEqual(before.Body(), after.Body()) {
		return before, nil
	}
	after.Version, after.UpdatedAt = before.Version+1, tx.Now()
	queueClosureChange(tx, after.row())
	return after, recordChange(tx, action, event.SubjectClosure, after.ID, after.Version, after.Body())
}

// withClosure runs decide under the date locks of a closure's dates before and after a change, with the closure before
// and after it. request is what is served, nil for a change without a key.
func (s *Service) withClosure(ctx context.Context, t tenant.Tenant, request *db.Request, id uuid.UUID,
	change mergepatch.Patch[ClosureSpec],
	decide func(tx *db.DatesTx, before, after Closure) error,
) error {
	for range maxTries {
		seen, err := s.Closure(ctx, t, id)
		if err != nil {
			return err
		}
		after, err := seen.changedBy(change)
		if err != nil {
			return err
		}
		keys, err := closureKeys(t, seen, after)
		if err != nil {
			return err
		}
		err = s.db.Dates(ctx, request, keys, func(tx *db.DatesTx) func() error {
			var row *closureRow
			queueClosureOf(tx, id, &row)
			return func() error {
				if row == nil {
					return problem.Missing()
				}
				before := closureFromRow(*row)
				if before.Version != seen.Version {
					return errClosureChanged
				}
				return decide(tx, before, after)
			}
		})
		if !errors.Is(err, errClosureChanged) {
			return err
		}
	}
	return problem.New(problem.LockTimeout, "The closure keeps changing. Nothing was written.").Retry(time.Second)
}

// closureKeys names the locks of the dates of closures, which are also those of one closure before and after a change.
// A booking of these dates comes wholly before the change or wholly after it. Of a yearly closure the dates of later
// years aren't locked: the catalog's version decides there, as it does for a change of hours (ADR 3).
func closureKeys(t tenant.Tenant, closures ...Closure) (lock.DateKeys, error) {
	var dates []civil.Date
	today := datetime.DateOf(time.Now(), t.Location)
	for _, c := range closures {
		if c.To.DaysSince(c.From) >= lock.MaxKeys {
			return lock.DateKeys{}, tooManyClosed()
		}
		dates = append(dates, c.lockedDates(today)...)
	}
	slices.SortFunc(dates, civil.Date.Compare)
	if dates = slices.Compact(dates); len(dates) > lock.MaxKeys {
		return lock.DateKeys{}, tooManyClosed()
	}
	return DateKeys(t.ID, dates)
}

func tooManyClosed() error {
	return problem.New(problem.TooManyDates, fmt.Sprintf(
		"A closure covers at most %d dates, also before and after a change together; make several.", lock.MaxKeys))
}
