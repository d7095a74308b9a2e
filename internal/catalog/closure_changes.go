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
	"holdfast/internal/db/store"
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
// resource; problem.TooManyDates for more dates than a transaction may lock; those of store.Request.Outcome and
// of store.Store.Dates.
func (s *Service) CreateClosure(ctx context.Context, t tenant.Tenant, r idempotency.Request,
	c Closure,
) (idempotency.Outcome, error) {
	request := r.Of(t.ID)
	if err := c.Check(); err != nil {
		return idempotency.Outcome{}, err
	}
	keys, err := closureKeys(t, c)
	if err != nil {
		return idempotency.Outcome{}, err
	}
	c.ID = uuid.Must(uuid.NewV7())
	return request.Outcome(s.store.Dates(ctx, request, keys, store.DatesRead{},
		func(tx *store.DatesTx, st store.DatesState) error {
			c.Version, c.CreatedAt, c.UpdatedAt = 1, st.Now, st.Now
			tx.InsertClosure(c.row())
			if err := recordChange(tx, "closure.created", event.SubjectClosure, c.ID, c.Version, c.Body()); err != nil {
				return err
			}
			return tx.Respond(idempotency.Made(event.SubjectClosure, c.ID, c.Version, c.Body()))
		}))
}

// maxTries is how often a change of a closure or a block begins again because it changed meanwhile.
const maxTries = 10

// errClosureChanged says that a closure has changed since its dates were locked.
var errClosureChanged = errors.New("catalog: closure changed")

// ChangeClosure changes a closure under the date locks of its dates before and after the change. Bookings that were made before stay.
// A change to what is already so writes nothing and keeps the version.
//
// Errors: problem.NotFound, also for a resource that doesn't exist; problem.ValidationFailed, problem.VersionMismatch;
// problem.TooManyDates for more dates than a transaction may lock; those of store.Store.Dates.
func (s *Service) ChangeClosure(
	ctx context.Context, t tenant.Tenant, id uuid.UUID, change mergepatch.Patch[ClosureSpec], allowed etag.Precondition,
) (c Closure, err error) {
	err = s.withClosure(ctx, t, nil, id, change, func(tx *store.DatesTx, st store.DatesState, before, after Closure) error {
		c, err = updateClosure(tx, st.Now, "closure.updated", before, after, allowed)
		return err
	})
	return c, err
}

// ArchiveClosure opens a closure's dates again, or closes them as before, under their date locks. Bookings that were made before stay.
// What is already so stays as it is and keeps its version.
//
// Errors: problem.NotFound, problem.VersionMismatch; those of store.Request.Outcome and of store.Store.Dates.
func (s *Service) ArchiveClosure(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, archived bool,
	allowed etag.Precondition,
) (idempotency.Outcome, error) {
	request := r.Of(t.ID)
	none := mergepatch.Patch[ClosureSpec]{}
	return request.Outcome(s.withClosure(ctx, t, request, id, none,
		func(tx *store.DatesTx, st store.DatesState, before, after Closure) error {
			if !archived {
				after.ArchivedAt = nil
			} else if after.ArchivedAt == nil {
				after.ArchivedAt = &st.Now
			}
			c, err := updateClosure(tx, st.Now, "closure."+Archiving{Archived: archived}.action(), before, after, allowed)
			if err != nil {
				return err
			}
			return tx.Respond(idempotency.Changed(event.SubjectClosure, c.ID, c.Version, c.Body()))
		}))
}

// updateClosure queues a closure with its next version and the entry of its history, unless nothing differs. Errors:
// problem.VersionMismatch.
func updateClosure(tx *store.DatesTx, now time.Time, action string, before, after Closure, allowed etag.Precondition) (Closure, error) {
	if err := allowed.Check("closure", before.Version); err != nil {
		return before, err
	}
	if reflect.DeepEqual(before.Body(), after.Body()) {
		return before, nil
	}
	after.Version, after.UpdatedAt = before.Version+1, now
	tx.UpdateClosure(after.row())
	return after, recordChange(tx, action, event.SubjectClosure, after.ID, after.Version, after.Body())
}

// withClosure runs decide under the date locks of a closure's dates before and after a change, with the closure before and after it.
// request is what is served, nil for a change without a key.
func (s *Service) withClosure(ctx context.Context, t tenant.Tenant, request *store.Request, id uuid.UUID,
	change mergepatch.Patch[ClosureSpec],
	decide func(tx *store.DatesTx, st store.DatesState, before, after Closure) error,
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
		err = s.store.Dates(ctx, request, keys, store.DatesRead{Closure: &id},
			func(tx *store.DatesTx, st store.DatesState) error {
				if st.Closure == nil {
					return problem.Missing()
				}
				before := ClosureFromRow(*st.Closure)
				if before.Version != seen.Version {
					return errClosureChanged
				}
				return decide(tx, st, before, after)
			})
		if !errors.Is(err, errClosureChanged) {
			return err
		}
	}
	return problem.New(problem.LockTimeout, "The closure keeps changing. Nothing was written.").Retry(time.Second)
}

// closureKeys names the locks of the dates of closures, which are also those of one closure before and after a change. A booking of these
// dates comes wholly before the change or wholly after it. Of a yearly closure the dates of later years aren't locked: the catalog's
// version decides there, as it does for a change of hours (ADR 3).
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
