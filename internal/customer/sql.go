package customer

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/customer/internal/rowsql"
	"holdfast/internal/db"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// unlocked are the statements of customers. Those that write are kept right by the lock of the customer's row.
var unlocked = db.UnderNothing(rowsql.New)

// Row is a customer as it is stored.
type Row = rowsql.Customer

var emailTaken = db.Failure{State: db.UniqueViolation, Means: func(cause error) error {
	return problem.Wrap(cause, problem.AlreadyExists, "Another customer has this email.")
}}

// ReadLocked queues the reading of customers and locks their rows, in the order of their ids: nobody changes them, and
// nobody books for them, until the transaction ends. The rows are there when the transaction decides, each where its id
// is; nil if there is none.
func ReadLocked(tx *db.WriteTx, ids ...uuid.UUID) []*Row {
	db.Exec(unlocked.On(tx), "lock the customer", func(q *rowsql.Queries) error {
		return q.CustomerLock(tx.Context(), tx.Tenant(), ids)
	})
	rows := make([]*Row, len(ids))
	for i, id := range ids {
		QueueOptional(tx, id, &rows[i])
	}
	return rows
}

// QueueOptional queues the reading of a customer, also of an erased one. *row is nil if there is none.
func QueueOptional(tx db.Transaction, id uuid.UUID, row **Row) {
	db.Optional(unlocked.On(tx), "read the customer", row, func(q *rowsql.Queries) (Row, error) {
		return q.CustomerGet(tx.Context(), tx.Tenant(), id)
	})
}

// Queue queues the reading of a customer, also of an erased one. One that isn't there is problem.NotFound for the
// caller.
func Queue(tx db.Transaction, id uuid.UUID, row *Row) {
	db.Query(unlocked.On(tx), "read the customer", row, func(q *rowsql.Queries) (Row, error) {
		return q.CustomerGet(tx.Context(), tx.Tenant(), id)
	})
}

// queueCreate queues a new customer with its change. Another customer may have the email: the transaction then returns
// problem.AlreadyExists.
func queueCreate(tx *db.WriteTx, c Row, ch db.Change) {
	actor := tx.Actor()
	db.Exec(unlocked.On(tx), "create the customer", func(q *rowsql.Queries) error {
		return q.CustomerCreate(tx.Context(), rowsql.CustomerCreateParams{
			TenantID:   tx.Tenant(),
			CustomerID: c.CustomerID,
			Email:      c.Email,
			Name:       c.Name,
			Phone:      c.Phone,
			TimeZone:   c.TimeZone,
			Birthday:   c.Birthday,
			ChangeID:   ch.ID,
			Type:       ch.Type,
			ApiKeyID:   unlessZero(actor.APIKeyID),
			UserID:     unlessZero(actor.UserID),
			RequestID:  unlessZero(actor.RequestID),
			Operator:   unlessZero(actor.Operator),
			Now:        tx.Now(),
			Data:       ch.Data,
		})
	}, emailTaken)
	tx.AddWritten(ch)
}

// queueSet queues the customer that was read, with its next version, and its change. Another customer may have the
// email: the transaction then returns problem.AlreadyExists.
func queueSet(tx *db.WriteTx, c Row, ch db.Change) {
	actor := tx.Actor()
	db.Exec(unlocked.On(tx), "update the customer", func(q *rowsql.Queries) error {
		return q.CustomerSet(tx.Context(), rowsql.CustomerSetParams{
			TenantID:       tx.Tenant(),
			CustomerID:     c.CustomerID,
			Email:          c.Email,
			Name:           c.Name,
			Phone:          c.Phone,
			TimeZone:       c.TimeZone,
			Birthday:       c.Birthday,
			UnsubscribedAt: c.UnsubscribedAt,
			ErasedAt:       c.ErasedAt,
			MergedInto:     c.MergedInto,
			ArchivedAt:     c.ArchivedAt,
			Version:        c.Version,
			ChangeID:       ch.ID,
			Type:           ch.Type,
			ApiKeyID:       unlessZero(actor.APIKeyID),
			UserID:         unlessZero(actor.UserID),
			RequestID:      unlessZero(actor.RequestID),
			Operator:       unlessZero(actor.Operator),
			Now:            tx.Now(),
			Data:           ch.Data,
		})
	}, emailTaken)
	tx.AddWritten(ch)
}

// unlessZero returns a pointer to v, nil for the zero value.
func unlessZero[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// row returns a customer, also an erased one. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) row(ctx context.Context, tenant, id uuid.UUID) (Row, error) {
	return db.ReadOne(ctx, s.db, unlocked, "read a customer", tenant, func(tx *db.Tx, q *rowsql.Queries) (Row, error) {
		return q.CustomerGet(tx.Context(), tx.Tenant(), id)
	})
}

// rows lists a tenant's customers by id, archived ones or those who aren't, without those who were erased or merged.
// Errors, as of the other lists: problem.DatabaseUnavailable.
func (s *Service) rows(ctx context.Context, tenant, after uuid.UUID, limit int, archived bool) ([]Row, error) {
	return db.ReadOneMaybeStale(ctx, s.db, unlocked, "list customers", tenant,
		func(tx *db.Tx, q *rowsql.Queries) ([]Row, error) {
			if archived {
				return q.CustomerPageArchived(tx.Context(), rowsql.CustomerPageArchivedParams{
					TenantID: tx.Tenant(), After: after, RowLimit: int32(limit),
				})
			}
			return q.CustomerPage(tx.Context(),
				rowsql.CustomerPageParams{TenantID: tx.Tenant(), After: after, RowLimit: int32(limit)})
		})
}

// rowsWithEmail lists the customer with an email, as NormalEmail returns it, also one who was archived.
func (s *Service) rowsWithEmail(ctx context.Context, tenant uuid.UUID, email string) ([]Row, error) {
	return db.ReadOneMaybeStale(ctx, s.db, unlocked, "read a customer by email", tenant,
		func(tx *db.Tx, q *rowsql.Queries) ([]Row, error) {
			return q.CustomerWithEmail(tx.Context(), tx.Tenant(), email)
		})
}

// search lists the customers whose name, email or phone begins with one of some texts, by id, archived ones or those
// who aren't. Of each column and text it looks at the first tenant.MaxSearch matches.
func (s *Service) search(ctx context.Context, of uuid.UUID, beginnings []string, after uuid.UUID, limit int,
	archived bool,
) ([]Row, error) {
	low, high := tenant.Ranges(beginnings)
	return db.ReadOneMaybeStale(ctx, s.db, unlocked, "search customers", of,
		func(tx *db.Tx, q *rowsql.Queries) ([]Row, error) {
			return q.CustomerSearch(tx.Context(), rowsql.CustomerSearchParams{
				TenantID:  tx.Tenant(),
				Low:       low,
				High:      high,
				ScanLimit: tenant.MaxSearch,
				After:     after,
				Archived:  archived,
				RowLimit:  int32(limit),
			})
		})
}
