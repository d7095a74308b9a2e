package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/problem"
	"holdfast/internal/store/internal/dbsqlc"
)

// WriteRead says what to read before a change that needs no calendar lock. What is left zero is not read.
type WriteRead struct {
	// Key is the request's idempotency key, and Scope the tenant that it belongs to; the nil uuid is the scope
	// of administrators.
	Key   string
	Scope uuid.UUID
	// Tenant asks for the tenant itself, Resource for one of its resources, APIKey for one of its keys.
	Tenant   bool
	Resource *uuid.UUID
	APIKey   *uuid.UUID
}

// WriteState is what was read before a change.
type WriteState struct {
	// Now is the database's clock.
	Now time.Time
	// Answer is the stored answer of the key, nil if it is free.
	Answer *Answer
	// Tenant, Resource and APIKey are nil if there is none of that id, or none was asked for.
	Tenant   *Tenant
	Resource *Resource
	APIKey   *IssuedAPIKey
}

// WriteTx is a transaction of one tenant that holds no lock. Its methods queue what is written when the
// caller's function returns; none of them can change what is free on a date.
type WriteTx struct {
	ctx     context.Context
	tenant  uuid.UUID
	scope   uuid.UUID
	key     string
	now     time.Time
	expired bool
	f       *flight
}

// Names of statements whose violations have a meaning for callers.
const (
	stepInsertTenant = "insert the tenant"
	stepInsertLinks  = "link the service's resources"
)

// Write runs decide in a transaction of one tenant, in two round trips. When decide returns an error, or
// queues nothing, the transaction is rolled back. decide may be run several times and must not have effects of
// its own.
//
// Errors: decide's own; problem.AlreadyExists for a slug in use; problem.NotFound for a service's resource that
// doesn't exist; problem.DatabaseUnavailable and problem.RequestInProgress, after which nothing was written;
// problem.OutcomeUnknown.
func (s *Store) Write(ctx context.Context, tenant uuid.UUID, read WriteRead, decide func(*WriteTx, WriteState) error) error {
	err := s.retry(ctx, "change the tenant's data", read.Key != "", func() error {
		var rows writeRows
		return s.run(ctx, transaction{
			tenant: read.Scope,
			read:   func(f *flight) { rows.add(ctx, f, tenant, read) },
			write: func(f *flight) error {
				state := rows.state()
				return decide(&WriteTx{
					ctx: ctx, tenant: tenant, scope: read.Scope, key: read.Key, now: state.Now,
					expired: rows.answerFound && state.Answer == nil, f: f,
				}, state)
			},
		})
	})
	switch {
	case failedAt(err, stepInsertTenant, sqlUniqueViolation):
		return problem.Wrap(err, problem.AlreadyExists, "A tenant with this slug exists.")
	case failedAt(err, stepInsertLinks, sqlForeignKeyViolation):
		return problem.Missing()
	}
	return err
}

type writeRows struct {
	now                                                  time.Time
	answer                                               dbsqlc.IdempotencyGetRow
	tenant                                               Tenant
	resource                                             Resource
	apiKey                                               IssuedAPIKey
	answerFound, tenantFound, resourceFound, apiKeyFound bool
}

func (r *writeRows) add(ctx context.Context, f *flight, tenant uuid.UUID, read WriteRead) {
	var nowFound bool
	one(f, "read the clock", &r.now, &nowFound, func(q *dbsqlc.Queries) (time.Time, error) { return q.SessionClock(ctx) })
	if read.Key != "" {
		addAnswer(ctx, f, read.Scope, read.Key, &r.answer, &r.answerFound)
	}
	moveTo(ctx, f, read.Scope, tenant)
	if read.Tenant {
		one(f, "read the tenant", &r.tenant, &r.tenantFound, func(q *dbsqlc.Queries) (Tenant, error) {
			return q.TenantGet(ctx, tenant)
		})
	}
	if read.Resource != nil {
		one(f, "read the resource", &r.resource, &r.resourceFound, func(q *dbsqlc.Queries) (Resource, error) {
			return q.ResourceGet(ctx, tenant, *read.Resource)
		})
	}
	if read.APIKey != nil {
		one(f, "read the API key", &r.apiKey, &r.apiKeyFound, func(q *dbsqlc.Queries) (IssuedAPIKey, error) {
			return q.APIKeyGet(ctx, tenant, *read.APIKey)
		})
	}
}

func (r *writeRows) state() WriteState {
	st := WriteState{Now: r.now}
	if r.answerFound && !dead(r.answer, r.now) {
		st.Answer = answerOf(r.answer)
	}
	if r.tenantFound {
		st.Tenant = &r.tenant
	}
	if r.resourceFound {
		st.Resource = &r.resource
	}
	if r.apiKeyFound {
		st.APIKey = &r.apiKey
	}
	return st
}

// moveTo lets the rest of the transaction see another tenant's rows.
func moveTo(ctx context.Context, f *flight, from, to uuid.UUID) {
	if from == to {
		return
	}
	exec(f, "move to the tenant", func(q *dbsqlc.Queries) error { return q.SessionTenant(ctx, to.String()) })
}

// InsertTenant queues the tenant that the transaction is about. The slug is unique over all tenants.
func (tx *WriteTx) InsertTenant(t Tenant) {
	exec(tx.f, stepInsertTenant, func(q *dbsqlc.Queries) error {
		return q.TenantInsert(tx.ctx, dbsqlc.TenantInsertParams{
			TenantID: tx.tenant, Slug: t.Slug, Name: t.Name, TimeZone: t.TimeZone, Currency: t.Currency, CreatedAt: tx.now,
		})
	})
}

// InsertAPIKey queues an API key: its prefix, by which it is found, and the SHA-256 of the whole.
func (tx *WriteTx) InsertAPIKey(id uuid.UUID, prefix string, hash [32]byte) {
	exec(tx.f, "insert the API key", func(q *dbsqlc.Queries) error {
		return q.APIKeyInsert(tx.ctx, dbsqlc.APIKeyInsertParams{
			TenantID: tx.tenant, ApiKeyID: id, Prefix: prefix, Hash: hash[:], CreatedAt: tx.now,
		})
	})
}

// RevokeAPIKey queues the end of an API key. One that is revoked already stays so.
func (tx *WriteTx) RevokeAPIKey(id uuid.UUID) {
	exec(tx.f, "revoke the API key", func(q *dbsqlc.Queries) error {
		return q.APIKeyRevoke(tx.ctx, dbsqlc.APIKeyRevokeParams{TenantID: tx.tenant, ApiKeyID: id, Now: tx.now})
	})
}

// InsertResource queues a resource. It is new, so no date's availability changes.
func (tx *WriteTx) InsertResource(r Resource) {
	exec(tx.f, "insert the resource", func(q *dbsqlc.Queries) error {
		return q.ResourceInsert(tx.ctx, dbsqlc.ResourceInsertParams{
			TenantID: tx.tenant, ResourceID: r.ResourceID, Name: r.Name, Capacity: r.Capacity, Hours: r.Hours, Now: tx.now,
		})
	})
}

// SetHours queues a resource's hours and raises the catalog's version. Hours concern every date, so they take
// no date's lock: a booking that reads the version under its lock before this commits was made by the old
// hours, and one that reads it afterwards is judged by the new ones.
func (tx *WriteTx) SetHours(resource uuid.UUID, hours []byte) {
	exec(tx.f, "set the hours", func(q *dbsqlc.Queries) error {
		return q.ResourceSetHours(tx.ctx, dbsqlc.ResourceSetHoursParams{
			TenantID: tx.tenant, ResourceID: resource, Hours: hours, Now: tx.now,
		})
	})
	raiseCatalogVersion(tx.ctx, tx.f, tx.tenant)
}

// InsertService queues a service with the resources that can serve it, in the order in which they are tried. It
// raises the catalog's version: other services of the same resources must know how long its bookings can be.
func (tx *WriteTx) InsertService(v Service) {
	exec(tx.f, "insert the service", func(q *dbsqlc.Queries) error {
		return q.ServiceInsert(tx.ctx, dbsqlc.ServiceInsertParams{
			TenantID: tx.tenant, ServiceID: v.ServiceID, Name: v.Name, Kind: v.Kind,
			DurationMinutes: v.DurationMinutes, SlotIntervalMinutes: v.SlotIntervalMinutes,
			BufferBeforeMinutes: v.BufferBeforeMinutes, BufferAfterMinutes: v.BufferAfterMinutes,
			MinLeadMinutes: v.MinLeadMinutes, BookingWindowDays: v.BookingWindowDays, MaxPerDay: v.MaxPerDay,
			Price: v.Price, Deposit: v.Deposit, Metadata: v.Metadata, Now: tx.now,
		})
	})
	exec(tx.f, stepInsertLinks, func(q *dbsqlc.Queries) error {
		return q.ServiceResourcesInsert(tx.ctx, dbsqlc.ServiceResourcesInsertParams{
			TenantID: tx.tenant, ServiceID: v.ServiceID, ResourceIds: v.ResourceIds,
		})
	})
	raiseCatalogVersion(tx.ctx, tx.f, tx.tenant)
}

// PutAnswer queues the answer under the request's idempotency key.
func (tx *WriteTx) PutAnswer(a Answer) {
	moveTo(tx.ctx, tx.f, tx.tenant, tx.scope)
	if tx.expired {
		addDeleteExpired(tx.ctx, tx.f, tx.scope, tx.key, tx.now)
	}
	addPutAnswer(tx.ctx, tx.f, tx.scope, tx.key, a, tx.now)
}
