package webhook

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/bounds"
	"holdfast/internal/db"
	"holdfast/internal/etag"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Create makes an endpoint with a new secret; the response is an EndpointWithSecretBody. The secret is in the first
// response only.
//
// Errors, as of all changes here: problem.ValidationFailed; those of db.Request.Outcome and of
// db.DB.Write.
func (s *Service) Create(ctx context.Context, t tenant.Tenant, r idempotency.Request, req EndpointRequest,
) (idempotency.Outcome, error) {
	e := Endpoint{
		ID:          uuid.Must(uuid.NewV7()),
		URL:         req.URL,
		Types:       textsOf(req.Types),
		Description: req.Description,
		Status:      Enabled,
		Version:     1,
		secret:      NewSecret(),
	}
	if err := cmp.Or(bounds.Check("", req), CheckURL(e.URL, s.allowed), e.check(s.feed)); err != nil {
		return idempotency.Outcome{}, err
	}
	return s.once(ctx, t, r, func(tx *db.WriteTx) func() (idempotency.Outcome, error) {
		var count int64
		queueCount(tx, &count)
		return func() (idempotency.Outcome, error) {
			if count >= maxEndpoints {
				return idempotency.Outcome{}, problem.Invalid("url", "too_many",
					fmt.Sprintf("There are at most %d endpoints: delete one.", maxEndpoints))
			}
			e.CreatedAt, e.UpdatedAt = tx.Now().UTC(), tx.Now().UTC()
			queueNewEndpoint(tx, e.row())
			o, err := e.withSecret(t)
			o.Made = true
			return o, err
		}
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
	row, err := s.endpointRow(ctx, t.ID, id)
	if err != nil {
		return Endpoint{}, err
	}
	return fromRow(row)
}

// Endpoints lists a tenant's endpoints by id. Errors: problem.DatabaseUnavailable.
func (s *Service) Endpoints(ctx context.Context, t tenant.Tenant, after uuid.UUID, limit int) ([]Endpoint, error) {
	rows, err := s.endpointRows(ctx, t.ID, after, limit)
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

// Change changes an endpoint. ifMatch is the value of If-Match, empty without one. Another URL is an endpoint that
// hasn't failed yet. A change to what is already so writes nothing and keeps the version. Errors: also
// problem.NotFound, problem.VersionMismatch.
func (s *Service) Change(ctx context.Context, t tenant.Tenant, id uuid.UUID, ifMatch string, c EndpointPatch,
) (e Endpoint, err error) {
	if err := bounds.Check("", c); err != nil {
		return e, err
	}
	err = s.changeLocked(ctx, t.ID, id, func(tx *db.WriteTx, old Endpoint) (Endpoint, error) {
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
			e.Types = textsOf(c.Types)
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
			e = e.changed(tx.Now())
		}
		return e, nil
	})
	return e, err
}

// Delete deletes an endpoint. Each planned delivery is cancelled when it is due. Errors: problem.NotFound; those of
// db.DB.Write.
func (s *Service) Delete(ctx context.Context, t tenant.Tenant, id uuid.UUID) error {
	return s.db.Write(ctx, changing, t.ID, nil, func(tx *db.WriteTx) func() error {
		var row *endpointRow
		queueEndpoint(tx, id, &row)
		return func() error {
			if row == nil {
				return problem.Missing()
			}
			queueDeletion(tx, id)
			return nil
		}
	})
}

// RotateSecret replaces the secret; the response is an EndpointWithSecretBody. The secret is in the first response
// only. The former secret signs too for 24 hours. Errors: also problem.NotFound.
func (s *Service) RotateSecret(ctx context.Context, t tenant.Tenant, r idempotency.Request,
	id uuid.UUID,
) (idempotency.Outcome, error) {
	secret := NewSecret()
	return s.once(ctx, t, r, func(tx *db.WriteTx) func() (idempotency.Outcome, error) {
		var row *endpointRow
		queueEndpoint(tx, id, &row)
		return func() (idempotency.Outcome, error) {
			e, err := locked(row)
			if err != nil {
				return idempotency.Outcome{}, err
			}
			e = e.rotated(secret, tx.Now())
			queueUpdate(tx, e.row())
			return e.withSecret(t)
		}
	})
}

// changing says in errors what transactions about endpoints do.
const changing = "change the webhook endpoint"

// once runs a request that must not happen twice: begin queues what is read, and returns the decision, which queues
// what is written.
func (s *Service) once(ctx context.Context, t tenant.Tenant, r idempotency.Request,
	begin func(*db.WriteTx) (decide func() (idempotency.Outcome, error)),
) (idempotency.Outcome, error) {
	request := r.DBRequest(t.ID)
	return request.Outcome(s.db.Write(ctx, changing, t.ID, request, func(tx *db.WriteTx) func() error {
		decide := begin(tx)
		return func() error { return tx.Respond(decide()) }
	}))
}

// changeLocked changes an endpoint to what decide returns, under its row lock. It writes nothing if that is the same.
// Errors: decide's; problem.NotFound; those of db.DB.Write.
func (s *Service) changeLocked(ctx context.Context, tenant, id uuid.UUID,
	decide func(*db.WriteTx, Endpoint) (Endpoint, error),
) error {
	return s.changeAfter(ctx, tenant, id, func(*db.WriteTx) {}, decide)
}

// changeAfter is changeLocked with what first queues before the row is locked.
func (s *Service) changeAfter(ctx context.Context, tenant, id uuid.UUID, first func(*db.WriteTx),
	decide func(*db.WriteTx, Endpoint) (Endpoint, error),
) error {
	return s.db.Write(ctx, changing, tenant, nil, func(tx *db.WriteTx) func() error {
		var row *endpointRow
		first(tx)
		queueEndpoint(tx, id, &row)
		return func() error {
			old, err := locked(row)
			if err != nil {
				return err
			}
			e, err := decide(tx, old)
			if err == nil && !reflect.DeepEqual(e, old) {
				queueUpdate(tx, e.row())
			}
			return err
		}
	})
}

// locked returns the endpoint of the row that a transaction has locked. Errors: problem.NotFound.
func locked(row *endpointRow) (Endpoint, error) {
	if row == nil {
		return Endpoint{}, problem.Missing()
	}
	return fromRow(*row)
}

// requireEnabled returns problem.NotFound without an endpoint, and problem.InvalidState if it is not enabled.
func requireEnabled(row *endpointRow) error {
	e, err := locked(row)
	if err == nil && e.Status != Enabled {
		err = problem.New(problem.InvalidState, "The endpoint is "+string(e.Status)+". Enable it first.")
	}
	return err
}

// record returns the change of an endpoint that was disabled without a request.
func (e Endpoint) record() (db.Change, error) {
	body, err := encode(e.Body())
	return db.Change{
		ID: uuid.Must(uuid.NewV7()), Type: "webhook_endpoint.disabled", SubjectType: event.SubjectEndpoint,
		SubjectID: e.ID,
		Version:   e.Version,
		Data:      body,
	}, err
}
