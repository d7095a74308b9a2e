package tenant

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/store"
)

// keyCacheTime is for how long a verified API key is not looked up again. A revocation works at once in the
// process that was asked for it, and within this time in all others.
const keyCacheTime = 10 * time.Second

// Service has the use cases of tenants and their API keys. It is safe for concurrent use.
type Service struct {
	store    *store.Store
	gate     *idempotency.Gate
	verified *otter.Cache[[sha256.Size]byte, Tenant]
	revoked  atomic.Int64 // how many revocations there were
}

// NewService returns the use cases on s.
func NewService(s *store.Store, gate *idempotency.Gate) *Service {
	return &Service{
		store: s,
		gate:  gate,
		verified: otter.Must(&otter.Options[[sha256.Size]byte, Tenant]{
			MaximumSize:      10_000,
			ExpiryCalculator: otter.ExpiryWriting[[sha256.Size]byte, Tenant](keyCacheTime),
		}),
	}
}

// Authenticate returns the tenant that an API key belongs to. Errors: problem.Unauthenticated for a key that
// is malformed, unknown or revoked, without telling which; problem.DatabaseUnavailable.
func (s *Service) Authenticate(ctx context.Context, key string) (Tenant, error) {
	unauthenticated := problem.New(problem.Unauthenticated, "The API key is missing, unknown or revoked.")
	parsed, ok := parseAPIKey(key)
	if !ok {
		return Tenant{}, unauthenticated
	}
	hash := parsed.hash()
	if t, ok := s.verified.GetIfPresent(hash); ok {
		return t, nil
	}
	before := s.revoked.Load()
	row, err := s.store.APIKey(ctx, parsed.tenant, parsed.prefix)
	if err != nil {
		return Tenant{}, err
	}
	if row == nil || subtle.ConstantTimeCompare(row.Hash, hash[:]) != 1 || row.RevokedAt != nil {
		return Tenant{}, unauthenticated
	}
	t, err := fromRow(parsed.tenant, row)
	if err != nil {
		return Tenant{}, err
	}
	s.verified.Set(hash, t)
	if s.revoked.Load() != before { // it may be this key, read just before it was revoked
		s.verified.Invalidate(hash)
	}
	return t, nil
}

// Created is a new tenant or a new API key with the key's text, which is not kept anywhere.
type Created struct {
	Tenant   Tenant
	APIKeyID uuid.UUID
	APIKey   string
	// At is when it was created. UTC.
	At time.Time
}

// Encode turns a result into the response that is sent, and the one that is stored and sent again on a retry:
// the same without the secret, which is shown once and never stored.
type Encode[T any] func(T) (sent, stored idempotency.Response, err error)

// Create makes a tenant with its first API key. Errors: problem.ValidationFailed for an unknown time zone or
// currency; problem.AlreadyExists for a slug in use; those of idempotency.Gate.Do.
func (s *Service) Create(ctx context.Context, r idempotency.Request, n New, encode Encode[Created]) (idempotency.Response, error) {
	return s.gate.Do(ctx, uuid.Nil, r, func(ctx context.Context) (resp idempotency.Response, err error) {
		loc, err := n.check()
		if err != nil {
			return resp, idempotency.Early(err)
		}
		id, err := uuid.NewV7()
		if err != nil {
			return resp, err
		}
		err = s.store.Write(ctx, id, store.WriteRead{Key: r.Key()}, func(tx *store.WriteTx, st store.WriteState) error {
			if st.Answer != nil {
				resp, err = r.Replay(st.Answer)
				return err
			}
			t := Tenant{ID: id, Slug: n.Slug, Name: n.Name, Location: loc, Currency: n.Currency, CreatedAt: st.Now}
			tx.InsertTenant(store.Tenant{Slug: n.Slug, Name: n.Name, TimeZone: n.TimeZone, Currency: n.Currency})
			resp, err = s.issue(tx, st, t, r, encode)
			return err
		})
		return resp, err
	})
}

// IssueKey makes another API key for a tenant. Errors: problem.NotFound; those of idempotency.Gate.Do.
func (s *Service) IssueKey(ctx context.Context, r idempotency.Request, id uuid.UUID, encode Encode[Created]) (idempotency.Response, error) {
	return s.gate.Do(ctx, uuid.Nil, r, func(ctx context.Context) (resp idempotency.Response, err error) {
		err = s.store.Write(ctx, id, store.WriteRead{Key: r.Key(), Tenant: true}, func(tx *store.WriteTx, st store.WriteState) error {
			if st.Answer != nil {
				resp, err = r.Replay(st.Answer)
				return err
			}
			if st.Tenant == nil {
				return problem.Missing()
			}
			resp, err = s.issue(tx, st, Tenant{ID: id, Slug: st.Tenant.Slug}, r, encode)
			return err
		})
		return resp, err
	})
}

func (s *Service) issue(tx *store.WriteTx, st store.WriteState, t Tenant, r idempotency.Request, encode Encode[Created]) (idempotency.Response, error) {
	keyID, err := uuid.NewV7()
	if err != nil {
		return idempotency.Response{}, err
	}
	key := newAPIKey(t.ID)
	tx.InsertAPIKey(keyID, key.prefix, key.hash())
	sent, stored, err := encode(Created{Tenant: t, APIKeyID: keyID, APIKey: key.text, At: st.Now})
	if err != nil {
		return idempotency.Response{}, err
	}
	tx.PutAnswer(r.Record(stored, st.Now))
	return sent, nil
}

// RevokeKey ends an API key. Revoking it again changes nothing. Errors: problem.NotFound.
func (s *Service) RevokeKey(ctx context.Context, id, keyID uuid.UUID) error {
	err := s.store.Write(ctx, id, store.WriteRead{APIKey: &keyID}, func(tx *store.WriteTx, st store.WriteState) error {
		if st.APIKey == nil {
			return problem.Missing()
		}
		tx.RevokeAPIKey(keyID)
		return nil
	})
	s.revoked.Add(1)
	s.verified.InvalidateAll()
	return err
}
