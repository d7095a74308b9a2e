package catalog

import (
	"context"
	"reflect"

	"github.com/google/uuid"

	"holdfast/internal/db/store"
	"holdfast/internal/etag"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// ChangeResource changes a resource. Bookings stay as they are. A change to what is already so writes nothing and keeps the version.
//
// Errors, as of all changes of resources: problem.NotFound, problem.ValidationFailed, problem.VersionMismatch; problem.BookingsInTheWay
// if the capacity is lowered below what is booked; those of store.Store.Write.
func (s *Service) ChangeResource(
	ctx context.Context, t tenant.Tenant, id uuid.UUID, p mergepatch.Patch[ResourceChange], allowed etag.Precondition,
) (res Resource, err error) {
	read := store.WriteRead{Resource: &id}
	given, err := p.Apply(ResourceChange{})
	if err != nil {
		return res, err
	}
	if given.Capacity != 0 && !given.Force {
		read.Upcoming = upcoming()
	}
	err = s.store.Write(ctx, t.ID, nil, read, func(tx *store.WriteTx, st store.WriteState) error {
		res, err = changeResource(tx, st, allowed, "resource.updated", func(res *Resource) error {
			changed, err := p.Apply(ResourceChange{ResourceSpec: res.spec()})
			lowered := changed.Capacity < res.Capacity
			res.Name, res.Capacity, res.Position = changed.Name, changed.Capacity, changed.Position
			if err != nil || !lowered || changed.Force {
				return err
			}
			return inTheWay(overbooked(res.Capacity, st.Upcoming, st.Now), st.Now, "More units are booked than the capacity.")
		})
		return err
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
	err = s.store.Write(ctx, t.ID, nil, store.WriteRead{Resource: &id}, func(tx *store.WriteTx, st store.WriteState) error {
		res, err = changeResource(tx, st, allowed, "resource.hours_set", func(res *Resource) error {
			res.Hours = h
			return nil
		})
		return err
	})
	return res, err
}

// ArchiveResource archives a resource, which then takes no new bookings, or takes it back from there. Without force it
// is refused with problem.BookingsInTheWay while the resource has bookings that aren't over. Errors: also those of
// store.Request.Outcome.
func (s *Service) ArchiveResource(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, a Archiving,
	allowed etag.Precondition,
) (idempotency.Outcome, error) {
	return s.writeOnce(ctx, t, r, noCheck, a.read(store.WriteRead{Resource: &id}),
		func(tx *store.WriteTx, st store.WriteState) (resp idempotency.Outcome, err error) {
			res, err := changeResource(tx, st, allowed, "resource."+a.action(),
				func(res *Resource) error { return a.apply(&res.ArchivedAt, st) })
			if err != nil {
				return resp, err
			}
			return idempotency.Changed(event.SubjectResource, res.ID, res.Version, res.Body())
		})
}

// changeResource changes the resource that was read and queues it with its next version and the entry of its history, unless nothing
// differs.
func changeResource(tx *store.WriteTx, st store.WriteState, allowed etag.Precondition, action string,
	change func(*Resource) error,
) (Resource, error) {
	if st.Resource == nil {
		return Resource{}, problem.Missing()
	}
	res, err := ResourceFromRow(*st.Resource)
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
	res.Version, res.UpdatedAt = res.Version+1, st.Now
	row, err := res.row()
	if err != nil {
		return res, err
	}
	tx.UpdateResource(row)
	return res, recordChange(tx, action, event.SubjectResource, res.ID, res.Version, res.Body())
}

// CreateResource makes a resource. Errors, as of all changes here: problem.ValidationFailed; those of
// store.Request.Outcome and of store.Store.Write.
func (s *Service) CreateResource(ctx context.Context, t tenant.Tenant, r idempotency.Request,
	res Resource,
) (idempotency.Outcome, error) {
	res.ID = uuid.Must(uuid.NewV7())
	return s.writeOnce(ctx, t, r, res.Check, store.WriteRead{},
		func(tx *store.WriteTx, st store.WriteState) (idempotency.Outcome, error) {
			res.Version, res.CreatedAt, res.UpdatedAt = 1, st.Now, st.Now
			row, err := res.row()
			if err != nil {
				return idempotency.Outcome{}, err
			}
			tx.InsertResource(row)
			if err := recordChange(tx, "resource.created", event.SubjectResource, res.ID, res.Version,
				res.Body()); err != nil {
				return idempotency.Outcome{}, err
			}
			return idempotency.Made(event.SubjectResource, res.ID, res.Version, res.Body())
		})
}
