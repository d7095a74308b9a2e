package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/problem"
)

// Customer returns a customer, also an erased one. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Store) Customer(ctx context.Context, tenant, id uuid.UUID) (Customer, error) {
	return core.ReadOne(ctx, s.db, "read a customer", tenant, func(ctx context.Context, q *dbsqlc.Queries) (Customer, error) {
		return q.CustomerGet(ctx, tenant, id)
	})
}

// Customers lists a tenant's customers by id, archived ones or those who aren't, without those who were erased or merged. Errors:
// problem.DatabaseUnavailable.
func (s *Store) Customers(ctx context.Context, tenant uuid.UUID, page Page, archived bool) ([]Customer, error) {
	return core.ReadOneMaybeStale(ctx, s.db, "list customers", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]Customer, error) {
		if archived {
			return q.CustomerPageArchived(ctx, dbsqlc.CustomerPageArchivedParams{
				TenantID: tenant, After: page.After, RowLimit: int32(page.Limit),
			})
		}
		return q.CustomerPage(ctx, dbsqlc.CustomerPageParams{TenantID: tenant, After: page.After, RowLimit: int32(page.Limit)})
	})
}

// CustomersByEmail lists the customer with an email, lower-case. Errors: problem.DatabaseUnavailable.
func (s *Store) CustomersByEmail(ctx context.Context, tenant uuid.UUID, email string) ([]Customer, error) {
	return core.ReadOneMaybeStale(ctx, s.db, "read a customer by email", tenant,
		func(ctx context.Context, q *dbsqlc.Queries) ([]Customer, error) {
			return q.CustomerListByEmail(ctx, tenant, []string{email})
		})
}

// SearchCustomers lists the customers whose name, email or phone begins with one of some texts, by id, archived ones or those who aren't.
// Of each column and text it looks at the first 1,000 matches. Errors: problem.DatabaseUnavailable.
func (s *Store) SearchCustomers(ctx context.Context, tenant uuid.UUID, beginnings []string, page Page, archived bool) ([]Customer, error) {
	p := dbsqlc.CustomerSearchParams{
		TenantID: tenant, After: page.After, RowLimit: int32(page.Limit), ScanLimit: maxSearch, Archived: archived,
	}
	p.Low, p.High = ranges(beginnings)
	return core.ReadOneMaybeStale(ctx, s.db, "search customers", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]Customer, error) {
		return q.CustomerSearch(ctx, p)
	})
}

func queueCustomerRead(t *core.Tx, tenant uuid.UUID, read CustomerRead, into *WriteState) {
	if read.Bookings {
		t.AllowTime(erasureTimeout)
		queueBookingsLock(t, tenant, read.ID, &into.LockedFirst)
	}
	ids := []uuid.UUID{read.ID}
	if read.Receiving != uuid.Nil {
		ids = append(ids, read.Receiving)
	}
	core.Exec(t, "lock the customer", func(q *dbsqlc.Queries) error { return q.CustomerLock(t.Ctx, tenant, ids) })
	queueCustomerGet(t, tenant, read.ID, &into.Customer)
	if read.Receiving != uuid.Nil {
		queueCustomerGet(t, tenant, read.Receiving, &into.Receiving)
	}
	if read.Bookings {
		queueBookingsRead(t, tenant, read.ID, into)
	}
}

// queueCustomerGet queues the reading of a customer, whose row is locked.
func queueCustomerGet(t *core.Tx, tenant, id uuid.UUID, c **Customer) {
	core.Optional(t, "read the customer", c, func(q *dbsqlc.Queries) (Customer, error) { return q.CustomerGet(t.Ctx, tenant, id) })
}

var emailTaken = core.Failure{State: core.UniqueViolation, Means: func(cause error) error {
	return problem.Wrap(cause, problem.AlreadyExists, "Another customer has this email.")
}}

// CreateCustomer queues a new customer with its change. Another customer may have the email: Write then returns problem.AlreadyExists.
func (tx *WriteTx) CreateCustomer(c Customer, ch Change) {
	core.Exec(tx.t, "create the customer", func(q *dbsqlc.Queries) error {
		return q.CustomerCreate(tx.t.Ctx, dbsqlc.CustomerCreateParams{
			TenantID: tx.tenant, CustomerID: c.CustomerID, Email: c.Email, Name: c.Name, Phone: c.Phone, TimeZone: c.TimeZone,
			Birthday: c.Birthday, ChangeID: ch.ID, Type: ch.Type, ApiKeyID: unlessZero(tx.q.Actor.APIKeyID),
			UserID: unlessZero(tx.q.Actor.UserID), RequestID: unlessZero(tx.q.Actor.RequestID), Operator: unlessZero(tx.q.Actor.Operator),
			Now: tx.t.Now, Data: ch.Data,
		})
	}, emailTaken)
	tx.q.AddWritten(ch)
}

// UpdateCustomer queues the customer that was read, with its next version, and its change. Another customer may have the email: Write then
// returns problem.AlreadyExists.
func (tx *WriteTx) UpdateCustomer(c Customer, ch Change) {
	core.Exec(tx.t, "update the customer", func(q *dbsqlc.Queries) error {
		return q.CustomerSet(tx.t.Ctx, dbsqlc.CustomerSetParams{
			TenantID: tx.tenant, CustomerID: c.CustomerID, Email: c.Email, Name: c.Name, Phone: c.Phone, TimeZone: c.TimeZone,
			Birthday: c.Birthday, UnsubscribedAt: c.UnsubscribedAt, ErasedAt: c.ErasedAt, MergedInto: c.MergedInto,
			ArchivedAt: c.ArchivedAt,
			Version:    c.Version, ChangeID: ch.ID, Type: ch.Type, ApiKeyID: unlessZero(tx.q.Actor.APIKeyID),
			UserID: unlessZero(tx.q.Actor.UserID), RequestID: unlessZero(tx.q.Actor.RequestID), Operator: unlessZero(tx.q.Actor.Operator),
			Now: tx.t.Now, Data: ch.Data,
		})
	}, emailTaken)
	tx.q.AddWritten(ch)
}
