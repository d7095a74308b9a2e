package booking

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/settings"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// CreateResource makes a resource. Errors, as of all changes here: problem.ValidationFailed; those of
// store.Request.Response and of store.Store.Write.
func (s *Service) CreateResource(ctx context.Context, t tenant.Tenant, r idempotency.Request, res Resource) (idempotency.Response, error) {
	res.ID = uuid.Must(uuid.NewV7())
	return s.writeOnce(ctx, t, r, res.Check, store.WriteRead{}, func(tx *store.WriteTx, st store.WriteState) (idempotency.Response, error) {
		res.Version, res.CreatedAt, res.UpdatedAt = 1, st.Now, st.Now
		row, err := res.row()
		if err != nil {
			return idempotency.Response{}, err
		}
		tx.InsertResource(row)
		if err := recordChange(tx, "resource.created", event.SubjectResource, res.ID, res.Version, res.Body()); err != nil {
			return idempotency.Response{}, err
		}
		return idempotency.NewResponse(http.StatusCreated, resourcesPath+res.ID.String(), res.ETag(), res.Body())
	})
}

// CreateService makes a service. Errors: also problem.NotFound for a resource that doesn't exist.
func (s *Service) CreateService(
	ctx context.Context, t tenant.Tenant, r idempotency.Request, spec ServiceSpec,
) (idempotency.Response, error) {
	o := BookableService{ID: uuid.Must(uuid.NewV7()), ServiceSpec: spec.withDefaults()}
	return s.writeOnce(ctx, t, r, o.Check, store.WriteRead{}, func(tx *store.WriteTx, st store.WriteState) (idempotency.Response, error) {
		o.Version, o.CreatedAt, o.UpdatedAt, o.Currency = 1, st.Now, st.Now, t.Currency
		row, err := o.row()
		if err != nil {
			return idempotency.Response{}, err
		}
		tx.InsertService(row)
		if len(o.Reminders) > 0 {
			tx.MoveEvent(settings.PlanAhead(t.ID, st.Now))
		}
		if err := recordChange(tx, "service.created", event.SubjectService, o.ID, o.Version, o.Body()); err != nil {
			return idempotency.Response{}, err
		}
		return idempotency.NewResponse(http.StatusCreated, servicesPath+o.ID.String(), o.ETag(), o.Body())
	})
}

// writeOnce runs a change of the catalog that needs an idempotency key: check, then queue in a transaction that stores the response.
func (s *Service) writeOnce(ctx context.Context, t tenant.Tenant, r idempotency.Request, check func() error, read store.WriteRead,
	queue func(*store.WriteTx, store.WriteState) (idempotency.Response, error),
) (idempotency.Response, error) {
	request := r.Of(t.ID)
	if err := check(); err != nil {
		return idempotency.Response{}, err
	}
	return request.Response(s.store.Write(ctx, t.ID, request, read, func(tx *store.WriteTx, st store.WriteState) error {
		return tx.Respond(queue(tx, st))
	}))
}

// changeRecorder is a transaction that records changes.
type changeRecorder interface{ AddChange(store.Change) }

// recordChange queues the record of a change of the catalog. body is the subject after it, as the API shows it.
func recordChange(tx changeRecorder, changeType, subjectType string, subject uuid.UUID, version int64, body any) error {
	data, err := idempotency.Encode(body)
	if err == nil {
		tx.AddChange(store.Change{
			ID: uuid.Must(uuid.NewV7()), Type: changeType, SubjectType: subjectType, SubjectID: subject, Version: version, Data: data,
		})
	}
	return err
}
