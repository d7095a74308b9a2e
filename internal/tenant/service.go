package tenant

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"holdfast/internal/db"
	"holdfast/internal/expiring"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/timezone"
)

const (
	// keyCacheTime is for how long a verified API key is not looked up again. A revocation, and a change of scopes,
	// works at once in the process that was asked for it, and within this time in all others. So does the end of a key
	// that was replaced.
	keyCacheTime = 10 * time.Second
	// keyKnownTime is for how long after it was verified a key's tenant is remembered for admission.
	keyKnownTime = time.Hour
	// unknownTime is for how long it is remembered that there is no such key, and maxUnknown bounds of how many. Keys
	// are random, so that none is asked for before it is made.
	unknownTime = 5 * time.Second
	maxUnknown  = 10_000
)

// Service has the use cases of tenants and their API keys. It is safe for concurrent use.
type Service struct {
	db       *db.DB
	verified *otter.Cache[KeyID, verifiedKey]
	unknown  *otter.Cache[KeyID, struct{}]
	changed  atomic.Int64 // how many times keys were revoked, or changed otherwise
	uses     uses
	slugs    Slugs // nil where the database alone keeps slugs unique
}

// verifiedKey is whose an API key was when it was looked up.
type verifiedKey struct {
	tenant Tenant
	at     time.Time
}

// NewService returns the use cases on d.
func NewService(d *db.DB) *Service {
	return &Service{
		db:       d,
		verified: expiring.New(10_000, otter.ExpiryWriting[KeyID, verifiedKey](keyKnownTime)),
		unknown:  expiring.New(maxUnknown, otter.ExpiryWriting[KeyID, struct{}](unknownTime)),
	}
}

// Slugs keeps the slugs of tenants unique over several databases.
type Slugs interface {
	// Reserve reserves a slug for a tenant that is about to be made, and returns the id that it gets: another one than
	// given if the slug was reserved here before. Errors: problem.AlreadyExists; problem.DatabaseUnavailable,
	// problem.OutcomeUnknown.
	Reserve(ctx context.Context, slug string, id uuid.UUID) (uuid.UUID, error)
	// Rename gives a tenant another slug. Errors: those of Reserve.
	Rename(ctx context.Context, id uuid.UUID, slug string) error
}

// ShareSlugs has slugs be unique over several databases. Call it before the first request.
func (s *Service) ShareSlugs(slugs Slugs) { s.slugs = slugs }

// KeyID stands for an API key without telling it.
type KeyID [sha256.Size]byte

// Recognize returns the id of an API key, and the tenant that it belonged to when it was last looked up: without an id
// if that is long ago or never was. It asks no database and doesn't authenticate; Authenticate does both. Errors:
// problem.Unauthenticated for a text that no API key has, and for a key that was unknown some seconds ago.
func (s *Service) Recognize(key string) (KeyID, Tenant, error) {
	parsed, ok := parseAPIKey(key)
	if !ok {
		return KeyID{}, Tenant{}, unauthenticated()
	}
	id := KeyID(parsed.hash())
	known, ok := s.verified.GetIfPresent(id)
	if !ok {
		if _, missed := s.unknown.GetIfPresent(id); missed {
			return id, Tenant{}, unauthenticated()
		}
	}
	return id, known.tenant, nil
}

func unauthenticated() error {
	return problem.New(problem.Unauthenticated, "The API key is missing, given more than once, unknown or revoked.")
}

// Authenticate returns the tenant that an API key belongs to. Errors: problem.Unauthenticated for a key that is
// malformed, unknown, revoked or replaced, without telling which; problem.TenantSuspended, with the tenant;
// problem.DatabaseUnavailable.
func (s *Service) Authenticate(ctx context.Context, key string) (Tenant, error) {
	parsed, ok := parseAPIKey(key)
	if !ok {
		return Tenant{}, unauthenticated()
	}
	hash := parsed.hash()
	id := KeyID(hash)
	if known, ok := s.verified.GetIfPresent(id); ok && time.Since(known.at) < keyCacheTime {
		s.uses.note(known.tenant)
		return known.tenant, known.tenant.status.check()
	}
	before, asked := s.changed.Load(), time.Now()
	row, err := readKeyWithPrefix(ctx, s.db, parsed.tenant, parsed.prefix)
	if err != nil && !problem.Is(err, problem.NotFound) {
		return Tenant{}, err
	}
	if err != nil || subtle.ConstantTimeCompare(row.Hash, hash[:]) != 1 || row.Ended {
		s.verified.Invalidate(id)
		s.unknown.Set(id, struct{}{})
		return Tenant{}, unauthenticated()
	}
	t, err := fromRow(parsed.tenant, row)
	if err != nil {
		return Tenant{}, err
	}
	s.verified.Set(id, verifiedKey{tenant: t, at: asked})
	if s.changed.Load() != before { // it may be this key, read just before it was revoked or changed
		s.verified.Invalidate(id)
	}
	s.uses.note(t)
	return t, t.status.check()
}

// Create makes a tenant with its first API key, which has all scopes; the response is a TenantBody. The key is in the
// first response only.
//
// Errors: problem.ValidationFailed for an unknown time zone or currency; problem.AlreadyExists for a slug in use; those
// of db.Request.Outcome, and of Slugs.
func (s *Service) Create(ctx context.Context, r idempotency.Request, n CreateRequest) (idempotency.Outcome, error) {
	request := r.DBRequest(uuid.Nil)
	loc, err := n.check()
	if err != nil {
		return idempotency.Outcome{}, err
	}
	id := uuid.Must(uuid.NewV7())
	var taken error
	if s.slugs != nil {
		if id, taken = s.slugs.Reserve(ctx, n.Slug, id); taken != nil && !problem.Is(taken, problem.AlreadyExists) {
			return idempotency.Outcome{}, taken
		}
	}
	return request.Outcome(s.db.Write(ctx, changing, id, request, func(tx *db.WriteTx) func() error {
		return func() error {
			if taken != nil { // unless this is a repetition, which gets its stored response
				return taken
			}
			t := Tenant{ID: id, Slug: n.Slug, Name: n.Name, Location: loc, Currency: n.Currency, CreatedAt: tx.Now()}
			queueNew(tx, n)
			key, text := issue(tx, "", AllScopes())
			return tx.Respond(t.made(key.ID, text))
		}
	}))
}

// ForVisitors returns a tenant for the pages that its customers see, with no scope: by its id or, if that is the nil
// uuid, by its slug. Errors: problem.NotFound, also for a tenant that isn't active; problem.DatabaseUnavailable.
func (s *Service) ForVisitors(ctx context.Context, slug string, id uuid.UUID) (Tenant, error) {
	t, err := s.ForCustomers(ctx, slug, id)
	if problem.Is(err, problem.TenantSuspended) {
		return Tenant{}, problem.Missing()
	}
	return t, err
}

// ForCustomers is ForVisitors for pages that tell the customers of a suspended tenant that it can't be reached there:
// it returns that tenant with problem.TenantSuspended.
func (s *Service) ForCustomers(ctx context.Context, slug string, id uuid.UUID) (Tenant, error) {
	var row tenantRow
	var err error
	if id != uuid.Nil {
		row, err = readTenant(ctx, s.db, id)
	} else {
		row, err = s.withSlug(ctx, slug)
	}
	switch {
	case err != nil:
		return Tenant{}, err
	case Status(row.Status) != StatusActive && Status(row.Status) != StatusSuspended:
		return Tenant{}, problem.Missing()
	}
	loc, err := timezone.Load(row.TimeZone)
	t := Tenant{
		ID:        row.TenantID,
		Slug:      row.Slug,
		Name:      row.Name,
		Location:  loc,
		Currency:  row.Currency,
		CreatedAt: row.CreatedAt,
		status:    Status(row.Status),
	}
	return t, cmp.Or(err, t.status.check())
}

// withSlug returns the tenant that has a slug. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) withSlug(ctx context.Context, slug string) (tenantRow, error) {
	found, err := findTenant(ctx, s.db, slug)
	switch {
	case problem.Is(err, problem.InvalidState), err == nil && found.Slug != slug: // the text is an id, too
		return tenantRow{}, problem.Missing()
	case err != nil:
		return tenantRow{}, err
	}
	return tenantRow{
		TenantID:  found.TenantID,
		Slug:      found.Slug,
		Name:      found.Name,
		TimeZone:  found.TimeZone,
		Currency:  found.Currency,
		CreatedAt: found.CreatedAt,
		Status:    found.Status,
	}, nil
}
