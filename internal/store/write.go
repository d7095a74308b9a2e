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
	// Tenant asks for the tenant itself, APIKey for one of its keys; Resource, Service and Event for one of its resources, services
	// and scheduled events, whose row is locked.
	Tenant   bool
	Resource *uuid.UUID
	Service  *uuid.UUID
	APIKey   *uuid.UUID
	Event    *uuid.UUID
	// Upcoming asks for what Resource or Service occupies from now on.
	Upcoming *Upcoming
	// APIKeys asks for the state of the tenant's keys, and keeps other transactions from changing them.
	APIKeys *APIKeysRead
	// Customer asks for a customer, whose row is locked.
	Customer *CustomerRead
	// Settings asks for the tenant's settings, and keeps other transactions from changing them.
	Settings bool
}

// WriteState is what was read before a change.
type WriteState struct {
	// Now is the database's clock.
	Now time.Time
	// Tenant, Resource, Service, APIKey, Event, Customer and Settings are nil if there is none of that id, or none was asked for.
	Tenant   *Tenant
	Resource *Resource
	Service  *Service
	// Upcoming is what was asked for, in any order. Some of it may be over at Now, or a hold past its expiry.
	Upcoming []Claim
	APIKey   *IssuedAPIKey
	APIKeys  APIKeysState
	Event    *ScheduledEvent
	Customer *Customer
	// Into is the other customer, Merged who was merged into the customer before.
	Into   *Customer
	Merged []uuid.UUID
	// LockedBookings are the customer's bookings that were locked, Bookings those that it has once its own row is locked, and Wallets its
	// wallets. FormerBookings are those that the customer, or one of Merged, had before another customer got them; it may have one of them again.
	LockedBookings []uuid.UUID
	FormerBookings []uuid.UUID
	Bookings       []Booking
	Wallets        []uuid.UUID
	// Overtaken says that one of the bookings changed while they were being locked: in the feed, the next change would come before that
	// one.
	Overtaken bool
	Settings  *TenantSettings
}

// BookingsChanged returns ErrBookingsChanged if the customer's bookings aren't those that were locked, or if one of them changed meanwhile.
func (st WriteState) BookingsChanged() error {
	if st.Overtaken || len(st.Bookings) != len(st.LockedBookings) {
		return ErrBookingsChanged
	}
	return nil
}

// WriteTx is a transaction of one tenant that holds no advisory lock, only locks of rows that it reads. Its methods queue what is written when
// the caller's function returns. None of them writes a booking's place; one that changes the catalog raises the version that bookings are judged by.
type WriteTx struct {
	*requestKey
	*eventQueue
	t      *tx
	tenant uuid.UUID
}

// Write runs decide in a transaction of one tenant, in two round trips. request is what is served, nil for a change without a key. When decide
// returns an error, or queues nothing, the transaction is rolled back. decide may be run several times and must not have effects of
// its own.
//
// Errors: decide's own; problem.AlreadyExists for a slug in use, or for the email of another customer; problem.NotFound for
// a service's resource that doesn't exist; problem.DatabaseUnavailable and problem.RequestInProgress, after which nothing was written;
// problem.OutcomeUnknown.
func (s *Store) Write(ctx context.Context, tenant uuid.UUID, request *Request, read WriteRead, decide func(*WriteTx, WriteState) error) error {
	return s.run(ctx, write{doing: "change the tenant's data", request: request, tenant: tenant}, func(t *tx, k *requestKey) func() error {
		tx, st := &WriteTx{requestKey: k, eventQueue: &t.events, t: t, tenant: tenant}, new(WriteState)
		tx.queueReads(read, st)
		return func() error {
			st.Now = t.now
			return decide(tx, *st)
		}
	})
}

func (tx *WriteTx) queueReads(read WriteRead, st *WriteState) {
	t := tx.t
	t.switchTenant(tx.tenant)
	if read.Tenant {
		optional(&t.batch, "read the tenant", &st.Tenant, func(q *dbsqlc.Queries) (Tenant, error) {
			return q.TenantGet(t.ctx, tx.tenant)
		})
	}
	queueCatalogReads(t, tx.tenant, read, st)
	if read.APIKeys != nil {
		tx.queueAPIKeysRead(*read.APIKeys, &st.APIKeys)
	}
	if read.APIKey != nil {
		optional(&t.batch, "read the API key", &st.APIKey, func(q *dbsqlc.Queries) (IssuedAPIKey, error) {
			return q.APIKeyGet(t.ctx, tx.tenant, *read.APIKey)
		})
	}
	if read.Settings {
		exec(&t.batch, "lock the settings", func(q *dbsqlc.Queries) error { return q.SettingsLock(t.ctx, tx.tenant) })
		optional(&t.batch, "read the settings", &st.Settings, func(q *dbsqlc.Queries) (TenantSettings, error) {
			return q.SettingsGet(t.ctx, tx.tenant)
		})
	}
	if read.Customer != nil {
		queueCustomerRead(t, tx.tenant, *read.Customer, st)
	}
	if read.Event != nil {
		optional(&t.batch, "read the scheduled event", &st.Event, func(q *dbsqlc.Queries) (ScheduledEvent, error) {
			row, err := q.EventGetLocked(t.ctx, tx.tenant, *read.Event)
			return ScheduledEvent(row), err
		})
	}
	t.readClock() // last: a read may have waited for a row
}

// InsertTenant queues the tenant that the transaction is about. The slug is unique over all tenants.
func (tx *WriteTx) InsertTenant(t Tenant) {
	exec(&tx.t.batch, "insert the tenant", func(q *dbsqlc.Queries) error {
		return q.TenantInsert(tx.t.ctx, dbsqlc.TenantInsertParams{
			TenantID: tx.tenant, Slug: t.Slug, Name: t.Name, TimeZone: t.TimeZone, Currency: t.Currency, CreatedAt: tx.t.now,
		})
	}, failure{state: sqlUniqueViolation, means: slugTaken})
}

func slugTaken(cause error) error {
	return problem.Wrap(cause, problem.AlreadyExists, "A tenant with this slug exists.")
}
