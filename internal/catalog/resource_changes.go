package catalog

import (
	"context"
	"reflect"

	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/claim/occupancy"
	"holdfast/internal/db"
	"holdfast/internal/etag"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// ChangeResource changes a resource. Bookings stay as they are. A change to what is already so writes nothing and keeps
// the version.
//
// Errors, as of all changes of resources: problem.NotFound, problem.ValidationFailed, problem.VersionMismatch;
// problem.BookingsInTheWay if the capacity is lowered below what is booked; those of db.DB.Write.
func (s *Service) ChangeResource(
	ctx context.Context, t tenant.Tenant, id uuid.UUID, p mergepatch.Patch[ResourceChange], allowed etag.Precondition,
) (res Resource, err error) {
	given, err := p.Apply(ResourceChange{})
	if err != nil {
		return res, err
	}
	err = s.db.Write(ctx, changing, t.ID, nil, func(tx *db.WriteTx) func() error {
		st := lockResource(tx, id, given.Capacity != 0 && !given.Force)
		return func() error {
			res, err = st.change(tx, allowed, "resource.updated", func(res *Resource) error {
				changed, err := p.Apply(ResourceChange{ResourceSpec: res.spec()})
				lowered := changed.Capacity < res.Capacity
				res.Name, res.Capacity, res.Position = changed.Name, changed.Capacity, changed.Position
				if err != nil || !lowered || changed.Force {
					return err
				}
				over := overbooked(res.Capacity, st.occupied, tx.Now())
				return inTheWay(over, tx.Now(), "More units are booked than the capacity.")
			})
			return err
		}
	})
	return res, err
}

// SetHours replaces a resource's hours. Bookings that were made by the old ones stay.
func (s *Service) SetHours(ctx context.Context, t tenant.Tenant, id uuid.UUID, h timetable.Hours,
	allowed etag.Precondition,
) (res Resource, err error) {
	if err := h.Check(); err != nil {
		return res, err
	}
	err = s.db.Write(ctx, changing, t.ID, nil, func(tx *db.WriteTx) func() error {
		st := lockResource(tx, id, false)
		return func() error {
			res, err = st.change(tx, allowed, "resource.hours_set", func(res *Resource) error {
				res.Hours = h
				return nil
			})
			return err
		}
	})
	return res, err
}

// ArchiveResource archives a resource, which then takes no new bookings, or takes it back from there. Without force it
// is refused with problem.BookingsInTheWay while the resource has bookings that aren't over. Errors: also those of
// db.Request.Outcome.
func (s *Service) ArchiveResource(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID,
	a Archiving,
	allowed etag.Precondition,
) (idempotency.Outcome, error) {
	return s.writeOnce(ctx, t, r, func(tx *db.WriteTx) func() (idempotency.Outcome, error) {
		st := lockResource(tx, id, a.asks())
		return func() (idempotency.Outcome, error) {
			res, err := st.change(tx, allowed, "resource."+a.action(),
				func(res *Resource) error { return a.apply(&res.ArchivedAt, st.occupied, tx.Now()) })
			if err != nil {
				return idempotency.Outcome{}, err
			}
			return idempotency.Changed(event.SubjectResource, res.ID, res.Version, res.Body())
		}
	})
}

// lockedResource is a resource whose row is locked, and what occupies it from now on, if that was asked for.
type lockedResource struct {
	row      *resourceRow // nil if there is none
	occupied []claim.Claim
}

// lockResource queues the lock of a resource, and what a change of it reads.
func lockResource(tx *db.WriteTx, id uuid.UUID, withOccupied bool) *lockedResource {
	st := new(lockedResource)
	queueLockedResource(tx, id, &st.row)
	if withOccupied {
		occupancy.ListOfResource(tx, id, upcoming(), &st.occupied)
	}
	return st
}

// change changes the resource and queues it with its next version and the entry of its history, unless nothing differs.
func (st *lockedResource) change(tx *db.WriteTx, allowed etag.Precondition, action string,
	change func(*Resource) error,
) (Resource, error) {
	if st.row == nil {
		return Resource{}, problem.Missing()
	}
	res, err := resourceFromRow(*st.row)
	if err != nil {
		return res, err
	}
	if err := allowed.Check("resource", res.Version); err != nil {
		return res, err
	}
	before := res.Body()
	if err := change(&res); err != nil {
		return res, err
	}
	if err := res.Check(); err != nil || reflect.DeepEqual(before, res.Body()) {
		return res, err
	}
	res.Version, res.UpdatedAt = res.Version+1, tx.Now()
	row, err := res.row()
	if err != nil {
		return res, err
	}
	queueResourceChange(tx, row)
	return res, recordChange(tx, action, event.SubjectResource, res.ID, res.Version, res.Body())
}

// CreateResource makes a resource. Errors, as of all changes here: problem.ValidationFailed; those of
// db.Request.Outcome and of db.DB.Write.
func (s *Service) CreateResource(ctx context.Context, t tenant.Tenant, r idempotency.Request,
	res Resource,
) (idempotency.Outcome, error) {
	if err := res.Check(); err != nil {
		return idempotency.Outcome{}, err
	}
	res.ID = uuid.Must(uuid.NewV7())
	return s.writeOnce(ctx, t, r, func(tx *db.WriteTx) func() (idempotency.Outcome, error) {
		return func() (idempotency.Outcome, error) {
			res.Version, res.CreatedAt, res.UpdatedAt = 1, tx.Now(), tx.Now()
			row, err := res.row()
			if err != nil {
				return idempotency.Outcome{}, err
			}
			queueResource(tx, row)
			if err := recordChange(tx, "resource.created", event.SubjectResource, res.ID, res.Version,
				res.Body()); err != nil {
				return idempotency.Outcome{}, err
			}
			return idempotency.Made(event.SubjectResource, res.ID, res.Version, res.Body())
		}
	})
}
