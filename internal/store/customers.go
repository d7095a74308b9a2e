package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/problem"
	"holdfast/internal/store/internal/dbsqlc"
)

// maxSearch bounds the matches of each column and text that a search looks at.
const maxSearch = 1000

// CustomerRead asks for a customer and locks its row: nobody changes it, and nobody books for it, until the transaction ends.
type CustomerRead struct {
	ID uuid.UUID
	// Bookings asks for the customer's bookings, present and former, for its wallets and for who was merged into it. The rows of the
	// present bookings are locked, before that of the customer.
	Bookings bool
	// Into asks for another customer too, whose row is locked with that of the customer in the order of their ids; the nil uuid for none.
	Into uuid.UUID
}

// Customer returns a customer, also an erased one. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Store) Customer(ctx context.Context, tenant, id uuid.UUID) (Customer, error) {
	return readOne(ctx, s, "read a customer", tenant, func(ctx context.Context, q *dbsqlc.Queries) (Customer, error) {
		return q.CustomerGet(ctx, tenant, id)
	})
}

// Customers lists a tenant's customers by id, archived ones or those who aren't, without those who were erased or merged. Errors:
// problem.DatabaseUnavailable.
func (s *Store) Customers(ctx context.Context, tenant uuid.UUID, page Page, archived bool) ([]Customer, error) {
	return readOne(ctx, s, "list customers", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]Customer, error) {
		if archived {
			return q.CustomerPageArchived(ctx, dbsqlc.CustomerPageArchivedParams{TenantID: tenant, After: page.After, RowLimit: int32(page.Limit)})
		}
		return q.CustomerPage(ctx, dbsqlc.CustomerPageParams{TenantID: tenant, After: page.After, RowLimit: int32(page.Limit)})
	})
}

// CustomersByEmail lists the customer with an email, lower-case. Errors: problem.DatabaseUnavailable.
func (s *Store) CustomersByEmail(ctx context.Context, tenant uuid.UUID, email string) ([]Customer, error) {
	return readOne(ctx, s, "read a customer by email", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]Customer, error) {
		return q.CustomerListByEmail(ctx, tenant, []string{email})
	})
}

// SearchCustomers lists the customers whose name, email or phone begins with one of some texts, by id, archived ones or those who aren't. Of
// each column and text it looks at the first 1,000 matches. Errors: problem.DatabaseUnavailable.
func (s *Store) SearchCustomers(ctx context.Context, tenant uuid.UUID, beginnings []string, page Page, archived bool) ([]Customer, error) {
	p := dbsqlc.CustomerSearchParams{TenantID: tenant, After: page.After, RowLimit: int32(page.Limit), ScanLimit: maxSearch, Archived: archived}
	p.Low, p.High = ranges(beginnings)
	return readOne(ctx, s, "search customers", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]Customer, error) {
		return q.CustomerSearch(ctx, p)
	})
}

func queueCustomerRead(t *tx, tenant uuid.UUID, read CustomerRead, into *WriteState) {
	if read.Bookings {
		t.longest = erasureTimeout
		queueBookingsLock(t, tenant, read.ID, &into.LockedBookings)
	}
	ids := []uuid.UUID{read.ID}
	if read.Into != uuid.Nil {
		ids = append(ids, read.Into)
	}
	exec(&t.batch, "lock the customer", func(q *dbsqlc.Queries) error { return q.CustomerLock(t.ctx, tenant, ids) })
	queueCustomerGet(t, tenant, read.ID, &into.Customer)
	if read.Into != uuid.Nil {
		queueCustomerGet(t, tenant, read.Into, &into.Into)
	}
	if read.Bookings {
		queueBookingsRead(t, tenant, read.ID, into)
	}
}

// queueCustomerGet queues the reading of a customer, whose row is locked.
func queueCustomerGet(t *tx, tenant, id uuid.UUID, c **Customer) {
	optional(&t.batch, "read the customer", c, func(q *dbsqlc.Queries) (Customer, error) { return q.CustomerGet(t.ctx, tenant, id) })
}

var emailTaken = failure{state: sqlUniqueViolation, means: func(cause error) error {
	return problem.Wrap(cause, problem.AlreadyExists, "Another customer has this email.")
}}

// CreateCustomer queues a new customer with its change. Another customer may have the email: Write then returns problem.AlreadyExists.
func (tx *WriteTx) CreateCustomer(c Customer, ch Change) {
	exec(&tx.t.batch, "create the customer", func(q *dbsqlc.Queries) error {
		return q.CustomerCreate(tx.t.ctx, dbsqlc.CustomerCreateParams{
			TenantID: tx.tenant, CustomerID: c.CustomerID, Email: c.Email, Name: c.Name, Phone: c.Phone, TimeZone: c.TimeZone,
			Birthday: c.Birthday, ChangeID: ch.ID, Type: ch.Type, ApiKeyID: unlessZero(tx.actor.APIKeyID),
			RequestID: unlessZero(tx.actor.RequestID),
			Now:       tx.t.now, Data: ch.Data,
		})
	}, emailTaken)
	tx.written = append(tx.written, actedChange{ch, tx.actor})
}

// UpdateCustomer queues the customer that was read, with its next version, and its change. Another customer may have the email: Write then
// returns problem.AlreadyExists.
func (tx *WriteTx) UpdateCustomer(c Customer, ch Change) {
	exec(&tx.t.batch, "update the customer", func(q *dbsqlc.Queries) error {
		return q.CustomerSet(tx.t.ctx, dbsqlc.CustomerSetParams{
			TenantID: tx.tenant, CustomerID: c.CustomerID, Email: c.Email, Name: c.Name, Phone: c.Phone, TimeZone: c.TimeZone,
			Birthday: c.Birthday, UnsubscribedAt: c.UnsubscribedAt, ErasedAt: c.ErasedAt, MergedInto: c.MergedInto, ArchivedAt: c.ArchivedAt,
			Version: c.Version, ChangeID: ch.ID, Type: ch.Type, ApiKeyID: unlessZero(tx.actor.APIKeyID),
			RequestID: unlessZero(tx.actor.RequestID), Now: tx.t.now, Data: ch.Data,
		})
	}, emailTaken)
	tx.written = append(tx.written, actedChange{ch, tx.actor})
}
