package catalog

import (
	"context"
	"reflect"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/claim/occupancy"
	"holdfast/internal/db"
	"holdfast/internal/etag"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
)

// ChangeService changes a service. Bookings stay as they are, with their price. A change to what is already so writes
// nothing and keeps the version. If the reminders change, the same commit plans the event that plans those of the
// bookings that exist.
//
// Errors, as of all changes of services: problem.NotFound, also for a resource that doesn't exist;
// problem.ValidationFailed, problem.VersionMismatch; those of db.DB.Write.
func (s *Service) ChangeService(
	ctx context.Context, t tenant.Tenant, id uuid.UUID, p mergepatch.Patch[ServiceSpec], allowed etag.Precondition,
) (svc BookableService, err error) {
	err = s.db.Write(ctx, changing, t.ID, nil, func(tx *db.WriteTx) func() error {
		st := lockService(tx, id, false)
		return func() error {
			svc, err = st.change(tx, allowed, "service.updated", func(svc *BookableService) error {
				spec, err := p.Apply(svc.ServiceSpec)
				if err == nil && spec.Kind != svc.Kind {
					err = problem.Invalid("kind", "immutable", "A service keeps its kind: its bookings are of it.")
				}
				svc.ServiceSpec = spec.WithDefaults()
				return err
			})
			return err
		}
	})
	return svc, err
}

// ArchiveService archives a service, which then takes no new bookings, or takes it back from there. Without force it is
// refused with problem.BookingsInTheWay while the service has bookings that aren't over. Errors: also those of
// db.Request.Outcome.
func (s *Service) ArchiveService(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, a Archiving,
	allowed etag.Precondition,
) (idempotency.Outcome, error) {
	return s.writeOnce(ctx, t, r, func(tx *db.WriteTx) func() (idempotency.Outcome, error) {
		st := lockService(tx, id, a.asks())
		return func() (idempotency.Outcome, error) {
			svc, err := st.change(tx, allowed, "service."+a.action(),
				func(svc *BookableService) error { return a.apply(&svc.ArchivedAt, st.occupied, tx.Now()) })
			if err != nil {
				return idempotency.Outcome{}, err
			}
			return idempotency.Changed(event.SubjectService, svc.ID, svc.Version, svc.Body())
		}
	})
}

// lockedService is a service whose row is locked, and the time of its bookings from now on, if that was asked for.
type lockedService struct {
	row      *serviceRow // nil if there is none
	occupied []claim.Claim
}

// lockService queues the lock of a service, and what a change of it reads.
func lockService(tx *db.WriteTx, id uuid.UUID, withOccupied bool) *lockedService {
	st := new(lockedService)
	queueLockedService(tx, id, &st.row)
	if withOccupied {
		occupancy.ListOfService(tx, id, upcoming(), &st.occupied)
	}
	return st
}

// change changes the service and queues it with its next version and the entry of its history, unless nothing differs.
func (st *lockedService) change(tx *db.WriteTx, allowed etag.Precondition, action string,
	change func(*BookableService) error,
) (BookableService, error) {
	if st.row == nil {
		return BookableService{}, problem.Missing()
	}
	svc, err := serviceFromRow(*st.row)
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
	svc.Version, svc.UpdatedAt = svc.Version+1, tx.Now()
	row, err := svc.row()
	if err != nil {
		return svc, err
	}
	queueServiceChange(tx, row, !slices.Equal(before.AllResourceIDs(), svc.AllResourceIDs()))
	if !reflect.DeepEqual(before.Reminders, svc.Reminders) {
		tx.MoveEvent(settings.PlanAhead(tx.Tenant(), tx.Now()))
	}
	return svc, recordChange(tx, action, event.SubjectService, svc.ID, svc.Version, svc.Body())
}

// CreateService makes a service. It is refused if no hours that its resources have now can ever fit it. Errors: also
// problem.NotFound for a resource that doesn't exist.
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
	return s.writeOnce(ctx, t, r, func(tx *db.WriteTx) func() (idempotency.Outcome, error) {
		return func() (idempotency.Outcome, error) {
			// Here, so that a request that was served once gets its stored response.
			if err := svc.CheckFits(open); err != nil {
				return idempotency.Outcome{}, err
			}
			svc.Version, svc.CreatedAt, svc.UpdatedAt, svc.Currency = 1, tx.Now(), tx.Now(), t.Currency
			row, err := svc.row()
			if err != nil {
				return idempotency.Outcome{}, err
			}
			queueService(tx, row)
			if len(svc.Reminders) > 0 {
				tx.MoveEvent(settings.PlanAhead(tx.Tenant(), tx.Now()))
			}
			if err := recordChange(tx, "service.created", event.SubjectService, svc.ID, svc.Version,
				svc.Body()); err != nil {
				return idempotency.Outcome{}, err
			}
			return idempotency.Made(event.SubjectService, svc.ID, svc.Version, svc.Body())
		}
	})
}
