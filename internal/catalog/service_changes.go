package catalog

import (
	"context"
	"reflect"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/db/store"
	"holdfast/internal/etag"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
)

// ChangeService changes a service. Bookings stay as they are, with their price. A change to what is already so writes nothing and keeps
// the version. If the reminders change, the same commit plans the event that plans those of the bookings that exist.
//
// Errors, as of all changes of services: problem.NotFound, also for a resource that doesn't exist; problem.ValidationFailed,
// problem.VersionMismatch; those of store.Store.Write.
func (s *Service) ChangeService(
	ctx context.Context, t tenant.Tenant, id uuid.UUID, p mergepatch.Patch[ServiceSpec], allowed etag.Precondition,
) (svc BookableService, err error) {
	err = s.store.Write(ctx, t.ID, nil, store.WriteRead{Service: &id}, func(tx *store.WriteTx, st store.WriteState) error {
		svc, err = changeService(tx, st, t, allowed, "service.updated", func(svc *BookableService) error {
			spec, err := p.Apply(svc.ServiceSpec)
			if err == nil && spec.Kind != svc.Kind {
				err = problem.Invalid("kind", "immutable", "A service keeps its kind: its bookings are of it.")
			}
			svc.ServiceSpec = spec.WithDefaults()
			return err
		})
		return err
	})
	return svc, err
}

// ArchiveService archives a service, which then takes no new bookings, or takes it back from there. Without force it is
// refused with problem.BookingsInTheWay while the service has bookings that aren't over. Errors: also those of
// store.Request.Outcome.
func (s *Service) ArchiveService(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, a Archiving,
	allowed etag.Precondition,
) (idempotency.Outcome, error) {
	return s.writeOnce(ctx, t, r, noCheck, a.read(store.WriteRead{Service: &id}),
		func(tx *store.WriteTx, st store.WriteState) (resp idempotency.Outcome, err error) {
			svc, err := changeService(tx, st, t, allowed, "service."+a.action(),
				func(svc *BookableService) error { return a.apply(&svc.ArchivedAt, st) })
			if err != nil {
				return resp, err
			}
			return idempotency.Changed(event.SubjectService, svc.ID, svc.Version, svc.Body())
		})
}

// changeService changes the service that was read and queues it with its next version and the entry of its history, unless nothing
// differs.
func changeService(tx *store.WriteTx, st store.WriteState, t tenant.Tenant, allowed etag.Precondition, action string,
	change func(*BookableService) error,
) (BookableService, error) {
	if st.Service == nil {
		return BookableService{}, problem.Missing()
	}
	svc, err := ServiceFromRow(*st.Service)
	if err != nil {
		return svc, err
	}
	if err := allowed.Check("service", svc.Version); err != nil {
		return svc, err
	}
	before := svc
	if err := change(&svc); err != nil {
		return svc, err
	}
	if err := svc.Check(); err != nil || reflect.DeepEqual(before.Body(), svc.Body()) {
		return svc, err
	}
	svc.Version, svc.UpdatedAt = svc.Version+1, st.Now
	row, err := svc.row()
	if err != nil {
		return svc, err
	}
	tx.UpdateService(row, !slices.Equal(before.AllResourceIDs(), svc.AllResourceIDs()))
	if !reflect.DeepEqual(before.Reminders, svc.Reminders) {
		tx.MoveEvent(settings.PlanAhead(t.ID, st.Now))
	}
	return svc, recordChange(tx, action, event.SubjectService, svc.ID, svc.Version, svc.Body())
}

// CreateService makes a service. It is refused if no hours that its resources have now can ever fit it. Errors: also problem.NotFound for a
// resource that doesn't exist.
func (s *Service) CreateService(
	ctx context.Context, t tenant.Tenant, r idempotency.Request, spec ServiceSpec,
) (idempotency.Outcome, error) {
	svc := BookableService{ID: uuid.Must(uuid.NewV7()), ServiceSpec: spec.WithDefaults()}
	if err := svc.Check(); err != nil {
		return idempotency.Outcome{}, err
	}
	open, err := s.opening(ctx, t.ID, svc.ServiceSpec)
	if err != nil {
		return idempotency.Outcome{}, err
	}
	return s.writeOnce(ctx, t, r, noCheck, store.WriteRead{},
		func(tx *store.WriteTx, st store.WriteState) (idempotency.Outcome, error) {
			// Here, so that a request that was served once gets its stored response.
			if err := svc.CheckFits(open); err != nil {
				return idempotency.Outcome{}, err
			}
			svc.Version, svc.CreatedAt, svc.UpdatedAt, svc.Currency = 1, st.Now, st.Now, t.Currency
			row, err := svc.row()
			if err != nil {
				return idempotency.Outcome{}, err
			}
			tx.InsertService(row)
			if len(svc.Reminders) > 0 {
				tx.MoveEvent(settings.PlanAhead(t.ID, st.Now))
			}
			if err := recordChange(tx, "service.created", event.SubjectService, svc.ID, svc.Version,
				svc.Body()); err != nil {
				return idempotency.Outcome{}, err
			}
			return idempotency.Made(event.SubjectService, svc.ID, svc.Version, svc.Body())
		})
}
