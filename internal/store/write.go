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
	// StoredResponse is the response stored under the key, nil if it is free.
	StoredResponse *StoredResponse
	// Tenant, Resource and APIKey are nil if there is none of that id, or none was asked for.
	Tenant   *Tenant
	Resource *Resource
	APIKey   *IssuedAPIKey
}

// WriteTx is a transaction of one tenant that holds no lock. Its methods queue what is written when the
// caller's function returns; none of them can change what is free on a date.
type WriteTx struct {
	*requestKey
	t      *tx
	tenant uuid.UUID
}

// Write runs decide in a transaction of one tenant, in two round trips. When decide returns an error, or
// queues nothing, the transaction is rolled back. decide may be run several times and must not have effects of
// its own.
//
// Errors: decide's own; problem.AlreadyExists for a slug in use; problem.NotFound for a service's resource that
// doesn't exist; problem.DatabaseUnavailable and problem.RequestInProgress, after which nothing was written;
// problem.OutcomeUnknown.
func (s *Store) Write(ctx context.Context, tenant uuid.UUID, read WriteRead, decide func(*WriteTx, WriteState) error) error {
	err := s.retry(ctx, "change the tenant's data", read.Key != "", func() error {
		t, err := s.connect(ctx, read.Scope, func() {})
		if err != nil {
			return err
		}
		defer t.end()
		tx := &WriteTx{requestKey: &requestKey{scope: read.Scope, key: read.Key}, t: t, tenant: tenant}
		st := new(WriteState)
		tx.queueReads(read, st)
		if err := t.read(); err != nil {
			return err
		}
		st.Now, st.StoredResponse = t.now, tx.stored()
		if err := decide(tx, *st); err != nil {
			return err
		}
		return t.commit()
	})
	switch {
	case failedAt(err, stmtInsertTenant, sqlUniqueViolation):
		return problem.Wrap(err, problem.AlreadyExists, "A tenant with this slug exists.")
	case failedAt(err, stmtInsertLinks, sqlForeignKeyViolation):
		return problem.Missing()
	}
	return err
}

func (tx *WriteTx) queueReads(read WriteRead, st *WriteState) {
	t := tx.t
	t.readClock()
	t.readResponses(tx.requestKey)
	t.switchTenant(tx.tenant)
	if read.Tenant {
		optional(&t.batch, "read the tenant", &st.Tenant, func(q *dbsqlc.Queries) (Tenant, error) {
			return q.TenantGet(t.ctx, tx.tenant)
		})
	}
	if read.Resource != nil {
		optional(&t.batch, "read the resource", &st.Resource, func(q *dbsqlc.Queries) (Resource, error) {
			return q.ResourceGet(t.ctx, tx.tenant, *read.Resource)
		})
	}
	if read.APIKey != nil {
		optional(&t.batch, "read the API key", &st.APIKey, func(q *dbsqlc.Queries) (IssuedAPIKey, error) {
			return q.APIKeyGet(t.ctx, tx.tenant, *read.APIKey)
		})
	}
}

// InsertTenant queues the tenant that the transaction is about. The slug is unique over all tenants.
func (tx *WriteTx) InsertTenant(t Tenant) {
	exec(&tx.t.batch, stmtInsertTenant, func(q *dbsqlc.Queries) error {
		return q.TenantInsert(tx.t.ctx, dbsqlc.TenantInsertParams{
			TenantID: tx.tenant, Slug: t.Slug, Name: t.Name, TimeZone: t.TimeZone, Currency: t.Currency, CreatedAt: tx.t.now,
		})
	})
}

// InsertAPIKey queues an API key: its prefix, by which it is found, and the SHA-256 of the whole.
func (tx *WriteTx) InsertAPIKey(id uuid.UUID, prefix string, hash [32]byte) {
	exec(&tx.t.batch, "insert the API key", func(q *dbsqlc.Queries) error {
		return q.APIKeyInsert(tx.t.ctx, dbsqlc.APIKeyInsertParams{
			TenantID: tx.tenant, ApiKeyID: id, Prefix: prefix, Hash: hash[:], CreatedAt: tx.t.now,
		})
	})
}

// RevokeAPIKey queues the end of an API key. One that is revoked already stays so.
func (tx *WriteTx) RevokeAPIKey(id uuid.UUID) {
	exec(&tx.t.batch, "revoke the API key", func(q *dbsqlc.Queries) error {
		return q.APIKeyRevoke(tx.t.ctx, dbsqlc.APIKeyRevokeParams{TenantID: tx.tenant, ApiKeyID: id, Now: tx.t.now})
	})
}

// InsertResource queues a resource. It is new, so no date's availability changes.
func (tx *WriteTx) InsertResource(r Resource) {
	exec(&tx.t.batch, "insert the resource", func(q *dbsqlc.Queries) error {
		return q.ResourceInsert(tx.t.ctx, dbsqlc.ResourceInsertParams{
			TenantID: tx.tenant, ResourceID: r.ResourceID, Name: r.Name, Capacity: r.Capacity, Hours: r.Hours, Now: tx.t.now,
		})
	})
}

// SetHours queues a resource's hours and raises the catalog's version. Hours concern every date, so they take
// no date's lock: a booking that reads the version under its lock before this commits was made by the old
// hours, and one that reads it afterwards is judged by the new ones.
func (tx *WriteTx) SetHours(resource uuid.UUID, hours []byte) {
	exec(&tx.t.batch, "set the hours", func(q *dbsqlc.Queries) error {
		return q.ResourceSetHours(tx.t.ctx, dbsqlc.ResourceSetHoursParams{
			TenantID: tx.tenant, ResourceID: resource, Hours: hours, Now: tx.t.now,
		})
	})
	raiseCatalogVersion(tx.t)
}

// InsertService queues a service with the resources that can serve it, in the order in which they are tried. It
// raises the catalog's version: other services of the same resources must know how long its bookings can be.
func (tx *WriteTx) InsertService(v Service) {
	exec(&tx.t.batch, "insert the service", func(q *dbsqlc.Queries) error {
		return q.ServiceInsert(tx.t.ctx, dbsqlc.ServiceInsertParams{
			TenantID: tx.tenant, ServiceID: v.ServiceID, Name: v.Name, Kind: v.Kind,
			DurationMinutes: v.DurationMinutes, SlotIntervalMinutes: v.SlotIntervalMinutes,
			BufferBeforeMinutes: v.BufferBeforeMinutes, BufferAfterMinutes: v.BufferAfterMinutes,
			MinLeadMinutes: v.MinLeadMinutes, BookingWindowDays: v.BookingWindowDays, MaxPerDay: v.MaxPerDay,
			Price: v.Price, Deposit: v.Deposit, Metadata: v.Metadata, Now: tx.t.now,
		})
	})
	exec(&tx.t.batch, stmtInsertLinks, func(q *dbsqlc.Queries) error {
		return q.ServiceResourcesInsert(tx.t.ctx, dbsqlc.ServiceResourcesInsertParams{
			TenantID: tx.tenant, ServiceID: v.ServiceID, ResourceIds: v.ResourceIds,
		})
	})
	raiseCatalogVersion(tx.t)
}

func raiseCatalogVersion(t *tx) {
	exec(&t.batch, "raise the catalog's version", func(q *dbsqlc.Queries) error { return q.TenantRaiseCatalogVersion(t.ctx, t.current) })
}
