package tenant

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/problem"
)

// maxWorkingKeys is how many keys that work a tenant can have by its own doing.
const maxWorkingKeys = 100

// Keys lists a tenant's API keys by id, also those that have ended: at most limit that follow the id after. Errors:
// problem.DatabaseUnavailable.
func (s *Service) Keys(ctx context.Context, tenant, after uuid.UUID, limit int) ([]Key, error) {
	rows, err := listKeys(ctx, s.db, tenant, after, limit)
	keys := make([]Key, len(rows))
	for i, row := range rows {
		keys[i] = keyOf(tenant, row)
	}
	return keys, err
}

// Key returns an API key of a tenant. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) Key(ctx context.Context, t Tenant, id uuid.UUID) (Key, error) {
	row, err := readKey(ctx, s.db, t.ID, id)
	return keyOf(t.ID, row), err
}

// IssueKey makes another API key for a tenant, on the operator's request; the response is a NewAPIKeyBody. The key is
// in the first response only. Errors: problem.ValidationFailed, problem.NotFound; problem.InvalidState for a tenant
// that is being deleted, or is; those of db.Request.Outcome.
func (s *Service) IssueKey(ctx context.Context, r idempotency.Request, id uuid.UUID, n IssueRequest,
) (idempotency.Outcome, error) {
	request := r.DBRequest(uuid.Nil)
	scopes, err := n.check()
	if err != nil {
		return idempotency.Outcome{}, err
	}
	return request.Outcome(s.db.Write(ctx, changing, id, request, func(tx *db.WriteTx) func() error {
		var row *tenantRow
		queueTenant(tx, &row)
		return func() error {
			switch {
			case row == nil:
				return problem.Missing()
			case Status(row.Status) == StatusDeleting, Status(row.Status) == StatusDeleted:
				return problem.New(problem.InvalidState, "The tenant is "+row.Status+".")
			}
			key, text := issue(tx, n.Name, scopes)
			return tx.Respond(key.issued(operatorKeyKind, text))
		}
	}))
}

// RevokeKey ends an API key, on the operator's request. Revoking it again changes nothing. Errors: problem.NotFound.
func (s *Service) RevokeKey(ctx context.Context, id, keyID uuid.UUID) error {
	defer s.forget(keyID)
	return s.db.Write(ctx, changing, id, nil, func(tx *db.WriteTx) func() error {
		var row *keyRow
		queueKey(tx, keyID, &row)
		return func() error {
			if row == nil {
				return problem.Missing()
			}
			queueRevocation(tx, keyID)
			return nil
		}
	})
}

// CreateKey makes another API key for the tenant that asks; the response is a NewAPIKeyBody. The key is in the first
// response only.
//
// Errors: problem.ValidationFailed; problem.Forbidden for a scope that the asking key lacks; problem.InvalidState for a
// tenant that has maxWorkingKeys; those of changeKeys and db.Request.Outcome.
func (s *Service) CreateKey(ctx context.Context, t Tenant, r idempotency.Request, n KeyRequest,
) (idempotency.Outcome, error) {
	request := r.DBRequest(t.ID)
	scopes, err := n.check()
	if err != nil {
		return idempotency.Outcome{}, err
	}
	return request.Outcome(s.changeKeys(ctx, t, request, nil,
		func(tx *db.WriteTx, keys lockedKeys, acting, _ Key) error {
			if err := acting.Scopes.RequireToGrant(scopes); err != nil {
				return err
			}
			if err := checkNumber(keys); err != nil {
				return err
			}
			key, text := issue(tx, n.Name, scopes)
			return tx.Respond(key.issued(ownKeyKind, text))
		}))
}

// ChangeKey changes the name and the scopes of an API key. The asking key may remove scopes that it lacks, but not add
// them. A change to what is already so writes nothing.
//
// Errors: problem.ValidationFailed; problem.NotFound; problem.Forbidden for an added scope that the asking key lacks;
// problem.InvalidState for a key that has ended, and if no lasting key with the scope admin would be left; those of
// changeKeys.
func (s *Service) ChangeKey(ctx context.Context, t Tenant, id uuid.UUID, c KeyChange) (key Key, err error) {
	scopes, err := c.check()
	if err != nil {
		return Key{}, err
	}
	defer s.forget(id)
	err = s.changeKeys(ctx, t, nil, &id, func(tx *db.WriteTx, keys lockedKeys, acting, former Key) error {
		if !former.works(tx.Now()) {
			return ended()
		}
		key = former
		if c.Name != nil {
			key.Name = *c.Name
		}
		if scopes != nil {
			key.Scopes = scopes
		}
		if err := acting.Scopes.RequireToGrant(key.Scopes.without(former.Scopes)); err != nil {
			return err
		}
		if former.Scopes.Has(operation.ScopeAdmin) && !key.Scopes.Has(operation.ScopeAdmin) &&
			keys.counts.OtherAdmins == 0 {
			return lastAdmin()
		}
		if key.Name != former.Name || !slices.Equal(key.Scopes, former.Scopes) {
			queueKeyChange(tx, id, key.Name, key.Scopes)
		}
		return nil
	})
	return key, err
}

// RotateKey makes another API key with the same name and scopes, and ends the old one after the overlap; a key that
// ends sooner already keeps its end. The response is the new key, a NewAPIKeyBody. The key is in the first response
// only.
//
// Errors: problem.ValidationFailed; problem.NotFound; problem.Forbidden for a key with a scope that the asking key
// lacks; problem.InvalidState for a key that has ended, and with an overlap for a tenant that has maxWorkingKeys; those
// of changeKeys and db.Request.Outcome.
func (s *Service) RotateKey(ctx context.Context, t Tenant, r idempotency.Request, id uuid.UUID, how KeyRotation,
) (idempotency.Outcome, error) {
	request := r.DBRequest(t.ID)
	overlap, err := how.overlap()
	if err != nil {
		return idempotency.Outcome{}, err
	}
	defer s.forget(id)
	return request.Outcome(s.changeKeys(ctx, t, request, &id,
		func(tx *db.WriteTx, keys lockedKeys, acting, former Key) error {
			if !former.works(tx.Now()) {
				return ended()
			}
			// the response would have a key that may do more
			if err := acting.Scopes.RequireToGrant(former.Scopes); err != nil {
				return err
			}
			if overlap > 0 { // else one key takes the place of another
				if err := checkNumber(keys); err != nil {
					return err
				}
			}
			key, text := issue(tx, former.Name, former.Scopes)
			queueKeyExpiry(tx, id, tx.Now().Add(overlap))
			return tx.Respond(key.issued(ownKeyKind, text))
		}))
}

// RevokeOwnKey ends an API key on the tenant's own request, also one with scopes that the asking key lacks. Revoking it
// again changes nothing.
//
// Errors: problem.NotFound; problem.InvalidState if no lasting key with the scope admin would be left; those of
// changeKeys.
func (s *Service) RevokeOwnKey(ctx context.Context, t Tenant, id uuid.UUID) error {
	defer s.forget(id)
	return s.changeKeys(ctx, t, nil, &id, func(tx *db.WriteTx, keys lockedKeys, _, former Key) error {
		if !former.works(tx.Now()) {
			return nil
		}
		if former.Scopes.Has(operation.ScopeAdmin) && keys.counts.OtherAdmins == 0 {
			return lastAdmin()
		}
		queueRevocation(tx, id)
		return nil
	})
}

// changeKeys runs decide in a transaction of the tenant that asks, in which no other transaction of its kind changes
// the tenant's keys. acting is the asking key and former the one of the id, if one is given, as they are now:
// authentication may remember what a key was some seconds ago, and a key that has ended since must not make another
// one.
//
// Errors: decide's own; problem.Unauthenticated and problem.Forbidden for an asking key that has ended or isn't admin
// any more; problem.NotFound for a key of that id that isn't there; those of db.DB.Write.
func (s *Service) changeKeys(
	ctx context.Context, t Tenant, request *db.Request, id *uuid.UUID,
	decide func(tx *db.WriteTx, keys lockedKeys, acting, former Key) error,
) error {
	withoutKey := t.Operator != "" || t.UserID != uuid.Nil
	return s.db.Write(ctx, changing, t.ID, request, func(tx *db.WriteTx) func() error {
		var keys lockedKeys
		queueKeys(tx, t.KeyID, id, &keys)
		return func() error {
			acting, former := Key{Scopes: t.Scopes}, Key{}
			if !withoutKey {
				if keys.acting == nil {
					return unauthenticated()
				}
				acting = keyOf(t.ID, *keys.acting)
			}
			if !acting.works(tx.Now()) {
				return unauthenticated()
			}
			if err := acting.Scopes.Require(operation.ScopeAdmin); err != nil {
				return err
			}
			if id != nil {
				if keys.changed == nil {
					return problem.Missing()
				}
				former = keyOf(t.ID, *keys.changed)
			}
			return decide(tx, keys, acting, former)
		}
	})
}

// forget has an API key looked up again.
func (s *Service) forget(id uuid.UUID) {
	s.forgetIf(func(t Tenant) bool { return t.KeyID == id })
}

// forgetIf has the API keys of some tenants looked up again.
func (s *Service) forgetIf(chosen func(Tenant) bool) {
	s.changed.Add(1)
	for hash, known := range s.verified.All() {
		if chosen(known.tenant) {
			s.verified.Invalidate(hash)
		}
	}
}

// issue queues a new API key of the tenant and returns it with its text, which is kept nowhere.
func issue(tx *db.WriteTx, name string, scopes Scopes) (k Key, text string) {
	made := newAPIKey(tx.Tenant())
	k = Key{ID: uuid.Must(uuid.NewV7()), TenantID: tx.Tenant(), Name: name, Scopes: scopes, CreatedAt: tx.Now()}
	queueNewKey(tx, k, made)
	return k, made.text
}

// checkNumber returns problem.InvalidState if the tenant may not have one more key.
func checkNumber(keys lockedKeys) error {
	if keys.counts.Working >= maxWorkingKeys {
		return problem.New(problem.InvalidState, "The tenant has as many API keys as it may have. Revoke one first.")
	}
	return nil
}

func ended() error { return problem.New(problem.InvalidState, "This API key has ended.") }

func lastAdmin() error {
	return problem.New(problem.InvalidState,
		"This is the last lasting API key with the scope admin. Make or rotate one first: without it, only the operator could make "+
			"another.")
}
