package customer

import (
	"github.com/google/uuid"

	"holdfast/internal/customer/internal/rowsql"
	"holdfast/internal/db"
)

// Keep queues that customers aren't erased until the transaction ends. erased is what happens if one of them was.
func Keep(tx db.Transaction, erased db.Failure, ids ...uuid.UUID) {
	if len(ids) == 0 {
		return
	}
	db.Exec(unlocked.On(tx), "keep the customers", func(q *rowsql.Queries) error {
		return q.CustomerKeep(tx.Context(), tx.Tenant(), ids)
	}, erased)
}

// QueueByEmail queues the reading of the customers with some emails, as NormalEmail returns them.
func QueueByEmail(tx db.Transaction, emails []string, rows *[]Row) {
	db.Query(unlocked.On(tx), "read the customers by email", rows, func(q *rowsql.Queries) ([]Row, error) {
		return q.CustomerListByEmail(tx.Context(), tx.Tenant(), emails)
	})
}

// QueueByID queues the reading of the customers with some ids who aren't erased.
func QueueByID(tx db.Transaction, ids []uuid.UUID, rows *[]Row) {
	db.Query(unlocked.On(tx), "read the customers", rows, func(q *rowsql.Queries) ([]Row, error) {
		return q.CustomerList(tx.Context(), tx.Tenant(), ids)
	})
}

// Booked is a customer as somebody books for: a new one, or the values that are new of one who is known. It has the id
// of its change: ids that this process makes grow, and order the changes of a transaction.
type Booked struct {
	Row

	replaces bool // known values, too
	changeID uuid.UUID
	actor    db.Actor // of the change
}

// NewBooked returns the customer whom an actor books for. Without replaces, what is known stays.
func NewBooked(c Row, replaces bool, actor db.Actor) Booked {
	return Booked{Row: c, replaces: replaces, changeID: uuid.Must(uuid.NewV7()), actor: actor}
}

// Follow returns the customer when another request of the same transaction has booked for the same one before. isKnown
// says that the customer was there before both.
func (c Booked) Follow(former Booked, isKnown bool) Booked {
	c.changeID = former.changeID // the customer's one change comes before the bookings of both requests
	c.replaces = c.replaces || former.replaces
	if !isKnown {
		c.actor = former.actor // who made the customer
	}
	return c
}

// Queue queues what differs from the customer as it was read, with its change, or a new customer if known is nil. A new
// one with an email that another transaction gave to a customer meanwhile isn't written.
func (c Booked) Queue(tx db.Transaction, known *Row) {
	if known == nil {
		c.queueNew(tx)
		return
	}
	is := c.Row
	change := rowsql.CustomerUpdateParams{
		TenantID:   tx.Tenant(),
		CustomerID: known.CustomerID,
		ChangeID:   c.changeID,
		Now:        tx.Now(),
		Name:       ifChanged(&known.Name, &is.Name),
		ApiKeyID:   unlessZero(c.actor.APIKeyID),
		UserID:     unlessZero(c.actor.UserID),
		RequestID:  unlessZero(c.actor.RequestID),
		Operator:   unlessZero(c.actor.Operator),
		Replace:    c.replaces,
		Phone:      ifChanged(known.Phone, is.Phone),
		TimeZone:   ifChanged(known.TimeZone, is.TimeZone),
		Birthday:   ifChanged(known.Birthday, is.Birthday),
	}
	if change.Name == nil && change.Phone == nil && change.TimeZone == nil && change.Birthday == nil {
		return
	}
	db.Exec(unlocked.On(tx), "update the customer", func(q *rowsql.Queries) error {
		return q.CustomerUpdate(tx.Context(), change)
	})
}

func (c Booked) queueNew(tx db.Transaction) {
	db.Exec(unlocked.On(tx), "insert the customer", func(q *rowsql.Queries) error {
		return q.CustomerInsert(tx.Context(), rowsql.CustomerInsertParams{
			TenantID:   tx.Tenant(),
			CustomerID: c.CustomerID,
			Email:      c.Email,
			Name:       c.Name,
			Phone:      c.Phone,
			TimeZone:   c.TimeZone,
			Birthday:   c.Birthday,
			ChangeID:   c.changeID,
			Now:        tx.Now(),
			ApiKeyID:   unlessZero(c.actor.APIKeyID),
			UserID:     unlessZero(c.actor.UserID),
			RequestID:  unlessZero(c.actor.RequestID),
			Operator:   unlessZero(c.actor.Operator),
		})
	})
}

// ifChanged returns the new value, nil if it is the same as before.
func ifChanged[T comparable](was, is *T) *T {
	if is == nil || was != nil && *was == *is {
		return nil
	}
	return is
}
