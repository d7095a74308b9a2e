package store

import (
	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/db/internal/dbsqlc"
)

// putCustomer is a customer with the id of its change. Ids that this process makes grow, and order the changes of a transaction.
type putCustomer struct {
	Customer
	replaces bool // known values, too
	changeID uuid.UUID
	actor    Actor // of the change
}

// queueCustomerUpdate queues what differs between a customer as it was read and as it is to be.
func queueCustomerUpdate(tx db.Transaction, was Customer, is putCustomer) {
	change := dbsqlc.CustomerUpdateParams{
		TenantID: tx.Tenant(), CustomerID: was.CustomerID, ChangeID: is.changeID, Now: tx.Now(),
		Name:     ifChanged(&was.Name, &is.Name),
		ApiKeyID: unlessZero(is.actor.APIKeyID), UserID: unlessZero(is.actor.UserID), RequestID: unlessZero(is.actor.RequestID),
		Operator: unlessZero(is.actor.Operator), Replace: is.replaces,
		Phone: ifChanged(was.Phone, is.Phone), TimeZone: ifChanged(was.TimeZone, is.TimeZone),
		Birthday: ifChanged(was.Birthday, is.Birthday),
	}
	if change.Name == nil && change.Phone == nil && change.TimeZone == nil && change.Birthday == nil {
		return
	}
	db.Exec(unlocked.On(tx), "update the customer", func(q *dbsqlc.Queries) error {
		return q.CustomerUpdate(tx.Context(), change)
	})
}

// ifChanged returns the new value, nil if it is the same as before.
func ifChanged[T comparable](was, is *T) *T {
	if is == nil || was != nil && *was == *is {
		return nil
	}
	return is
}

// unlessZero returns a pointer to v, nil for the zero value.
func unlessZero[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// keepCustomers queues that customers aren't erased until the transaction ends. failure is what happens if one of them was.
func keepCustomers(tx db.Transaction, failure db.Failure, ids ...uuid.UUID) {
	if len(ids) == 0 {
		return
	}
	db.Exec(unlocked.On(tx), "keep the customers", func(q *dbsqlc.Queries) error {
		return q.CustomerKeep(tx.Context(), tx.Tenant(), ids)
	}, failure)
}

// KeepCustomers queues that customers aren't erased until the transaction ends. failure is what happens if one of them
// was.
func KeepCustomers(tx db.Transaction, failure db.Failure, ids ...uuid.UUID) {
	db.Exec(unlocked.On(tx), "keep the customers", func(q *dbsqlc.Queries) error {
		return q.CustomerKeep(tx.Context(), tx.Tenant(), ids)
	}, failure)
}

// keepOther is keepCustomers for the customer that a booking gets in place of its former one, if that is another.
func keepOther(tx db.Transaction, former, customer *uuid.UUID) {
	if customer != nil && (former == nil || *former != *customer) {
		keepCustomers(tx, erased, *customer)
	}
}

func queueCustomer(tx db.Transaction, c putCustomer) {
	db.Exec(unlocked.On(tx), "insert the customer", func(q *dbsqlc.Queries) error {
		return q.CustomerInsert(tx.Context(), dbsqlc.CustomerInsertParams{
			TenantID: tx.Tenant(), CustomerID: c.CustomerID, Email: c.Email, Name: c.Name, Phone: c.Phone,
			TimeZone: c.TimeZone, Birthday: c.Birthday, ChangeID: c.changeID, Now: tx.Now(),
			ApiKeyID: unlessZero(c.actor.APIKeyID), UserID: unlessZero(c.actor.UserID), RequestID: unlessZero(c.actor.RequestID),
			Operator: unlessZero(c.actor.Operator),
		})
	})
}
