package webhook

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/db/store"
	"holdfast/internal/etag"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Create makes an endpoint with a new secret; the response is an EndpointWithSecretBody. The secret is in the first response only. Only
// URL, Types and Description of e are used.
//
// Errors, as of all changes here: problem.ValidationFailed; those of store.Request.Outcome and of
// store.Store.ChangeEndpoint.
func (s *Service) Create(ctx context.Context, t tenant.Tenant, r idempotency.Request, e Endpoint,
) (idempotency.Outcome, error) {
	e.ID, e.Status, e.Version, e.secret = uuid.Must(uuid.NewV7()), Enabled, 1, NewSecret()
	return s.once(ctx, t, r, func() (store.EndpointRead, error) {
		return store.EndpointRead{Endpoint: e.ID, Count: true}, cmp.Or(CheckURL(e.URL, s.allowed), e.check(s.feed))
	}, func(tx *store.EndpointTx, st store.EndpointState) (idempotency.Outcome, error) {
		if st.Count >= maxEndpoints {
			return idempotency.Outcome{}, problem.Invalid("url", "too_many",
				fmt.Sprintf("There are at most %d endpoints: delete one.", maxEndpoints))
		}
		e.CreatedAt, e.UpdatedAt = st.Now.UTC(), st.Now.UTC()
		tx.Insert(e.row())
		o, err := e.withSecret(t)
		o.Made = true
		return o, err
	})
}

// withSecret returns the outcome of a request that gave the endpoint a secret, which is shown once.
func (e Endpoint) withSecret(owner tenant.Tenant) (o idempotency.Outcome, err error) {
	o, err = idempotency.Changed(kindFor(owner, event.SubjectEndpoint), e.ID, e.Version,
		EndpointWithSecretBody{EndpointBody: e.Body()})
	if err != nil {
		return o, err
	}
	o.Once, err = idempotency.Encode(EndpointWithSecretBody{EndpointBody: e.Body(), Secret: e.secret.Reveal()})
	return o, err
}

// Endpoint returns an endpoint. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) Endpoint(ctx context.Context, t tenant.Tenant, id uuid.UUID) (Endpoint, error) {
	row, err := s.store.WebhookEndpoint(ctx, t.ID, id)
	if err != nil {
		return Endpoint{}, err
	}
	return fromRow(row)
}

// Endpoints lists a tenant's endpoints by id. Errors: problem.DatabaseUnavailable.
func (s *Service) Endpoints(ctx context.Context, t tenant.Tenant, after uuid.UUID, limit int) ([]Endpoint, error) {
	rows, err := s.store.WebhookEndpoints(ctx, t.ID, store.Page{After: after, Limit: limit})
	if err != nil {
		return nil, err
	}
	list := make([]Endpoint, len(rows))
	for i, row := range rows {
		if list[i], err = fromRow(row); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Change is what changes of an endpoint; nil leaves it as it is.
type Change struct {
	URL         *string
	Types       []string
	Description *string
	// Enabled true also closes the circuit and forgets earlier failures. False cancels each planned delivery when it is due.
	Enabled *bool
}

// Change changes an endpoint. ifMatch is the value of If-Match, empty without one. Another URL is an endpoint that hasn't failed yet.
// A change to what is already so writes nothing and keeps the version.
// Errors: also problem.NotFound, problem.VersionMismatch.
func (s *Service) Change(ctx context.Context, t tenant.Tenant, id uuid.UUID, ifMatch string, c Change) (e Endpoint, err error) {
	err = s.changeLocked(ctx, t.ID, id, func(_ *store.EndpointTx, st store.EndpointState, old Endpoint) (Endpoint, error) {
		if err := etag.Precondition(ifMatch).Check("endpoint", old.Version); err != nil {
			return e, err
		}
		e = old
		if c.URL != nil && *c.URL != e.URL {
			e.URL, e.failures, e.FailingSince, e.openUntil = *c.URL, 0, nil, nil
			if err := CheckURL(e.URL, s.allowed); err != nil {
				return e, err
			}
		}
		if c.Types != nil {
			e.Types = c.Types
		}
		if c.Description != nil {
			e.Description = *c.Description
		}
		if !slices.Equal(e.Types, old.Types) || e.Description != old.Description {
			if err := e.check(s.feed); err != nil {
				return e, err
			}
		}
		switch {
		case c.Enabled != nil && *c.Enabled:
			e = e.enabled()
		case c.Enabled != nil && e.Status == Enabled:
			e.Status, e.DisabledReason, e.openUntil = Disabled, "Disabled by a request.", nil
		}
		if !reflect.DeepEqual(e, old) {
			e = e.changed(st.Now)
		}
		return e, nil
	})
	return e, err
}

// Delete deletes an endpoint. Each planned delivery is cancelled when it is due. Errors: problem.NotFound; those of
// store.Store.ChangeEndpoint.
func (s *Service) Delete(ctx context.Context, t tenant.Tenant, id uuid.UUID) error {
	return s.store.ChangeEndpoint(ctx, t.ID, nil, store.EndpointRead{Endpoint: id},
		func(tx *store.EndpointTx, st store.EndpointState) error {
			if st.Endpoint == nil {
				return problem.Missing()
			}
			tx.Delete()
			return nil
		})
}

// RotateSecret replaces the secret; the response is an EndpointWithSecretBody. The secret is in the first response only. The former secret
// signs too for 24 hours. Errors: also problem.NotFound.
func (s *Service) RotateSecret(ctx context.Context, t tenant.Tenant, r idempotency.Request,
	id uuid.UUID,
) (idempotency.Outcome, error) {
	secret := NewSecret()
	return s.once(ctx, t, r, readEndpoint(id),
		func(tx *store.EndpointTx, st store.EndpointState) (idempotency.Outcome, error) {
			e, err := locked(st)
			if err != nil {
				return idempotency.Outcome{}, err
			}
			e = e.rotated(secret, st.Now)
			tx.Update(e.row())
			return e.withSecret(t)
		})
}

// once runs a request that must not happen twice: prepare checks it and says what to read, decide queues what is written.
func (s *Service) once(ctx context.Context, t tenant.Tenant, r idempotency.Request, prepare func() (store.EndpointRead, error),
	decide func(*store.EndpointTx, store.EndpointState) (idempotency.Outcome, error),
) (idempotency.Outcome, error) {
	request := r.Of(t.ID)
	read, err := prepare()
	if err != nil {
		return idempotency.Outcome{}, err
	}
	return request.Outcome(s.store.ChangeEndpoint(ctx, t.ID, request, read,
		func(tx *store.EndpointTx, st store.EndpointState) error {
			return tx.Respond(decide(tx, st))
		}))
}

// changeLocked changes an endpoint to what decide returns, under its row lock. It writes nothing if that is the same. Errors: decide's;
// problem.NotFound; those of store.Store.ChangeEndpoint.
func (s *Service) changeLocked(ctx context.Context, tenant, id uuid.UUID,
	decide func(*store.EndpointTx, store.EndpointState, Endpoint) (Endpoint, error),
) error {
	return s.changeRead(ctx, tenant, store.EndpointRead{Endpoint: id}, decide)
}

// changeRead is changeLocked with more that is read before.
func (s *Service) changeRead(ctx context.Context, tenant uuid.UUID, read store.EndpointRead,
	decide func(*store.EndpointTx, store.EndpointState, Endpoint) (Endpoint, error),
) error {
	return s.store.ChangeEndpoint(ctx, tenant, nil, read,
		func(tx *store.EndpointTx, st store.EndpointState) error {
			old, err := locked(st)
			if err != nil {
				return err
			}
			e, err := decide(tx, st, old)
			if err == nil && !reflect.DeepEqual(e, old) {
				tx.Update(e.row())
			}
			return err
		})
}

func readEndpoint(id uuid.UUID) func() (store.EndpointRead, error) {
	return func() (store.EndpointRead, error) { return store.EndpointRead{Endpoint: id}, nil }
}

// locked returns the endpoint that a transaction has locked. Errors: problem.NotFound.
func locked(st store.EndpointState) (Endpoint, error) {
	if st.Endpoint == nil {
		return Endpoint{}, problem.Missing()
	}
	return fromRow(*st.Endpoint)
}

// requireEnabled returns problem.NotFound without an endpoint, and problem.InvalidState if it is not enabled.
func requireEnabled(st store.EndpointState) error {
	e, err := locked(st)
	if err == nil && e.Status != Enabled {
		err = problem.New(problem.InvalidState, "The endpoint is "+string(e.Status)+". Enable it first.")
	}
	return err
}

// record returns the change of an endpoint that was disabled without a request.
func (e Endpoint) record() (store.Change, error) {
	body, err := encode(e.Body())
	return store.Change{
		ID: uuid.Must(uuid.NewV7()), Type: "webhook_endpoint.disabled", SubjectType: event.SubjectEndpoint, SubjectID: e.ID,
		Version: e.Version,
		Data:    body,
	}, err
}
