package booking

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// CustomerChoice is who a booking is for. Customer is matched by email within the tenant and updated with what differs, else made.
// CustomerID names one that exists. At most one is set; none leaves a hold without a customer, or a booking with the one that it has.
type CustomerChoice struct {
	Customer   *Customer
	CustomerID *uuid.UUID
}

func (c *CustomerChoice) given() bool { return c.Customer != nil || c.CustomerID != nil }

// check returns problem.ValidationFailed, and otherwise brings the customer into the form that is stored. now may be
// this server's clock: it is used only to refuse birthdays in the future.
func (c *CustomerChoice) check(t tenant.Tenant, now time.Time) error {
	if c.Customer != nil && c.CustomerID != nil {
		return problem.Invalid("customer_id", "excluded", "Leave out customer_id, or leave out customer: a booking has one customer.")
	}
	if c.Customer == nil {
		return nil
	}
	given := *c.Customer
	given.Email = strings.ToLower(strings.TrimSpace(given.Email))
	c.Customer = &given
	return given.Check("customer.", t, now)
}

// read has a transaction read the customer, if there is one of that email or id.
func (c *CustomerChoice) read(read *store.BookRead) {
	read.CustomerID = c.CustomerID
	if c.Customer != nil {
		read.Email = c.Customer.Email
	}
}

// queue is of, and queues what is new of the customer.
func (c *CustomerChoice) queue(tx *store.BookTx, st store.BookState) (Customer, error) {
	customer, err := c.of(st)
	if err == nil {
		c.put(tx, customer)
	}
	return customer, err
}

// of returns the customer as it will be, the zero Customer if none was given. Errors: problem.NotFound for an id of no customer.
func (c *CustomerChoice) of(st store.BookState) (Customer, error) {
	switch {
	case !c.given():
		return Customer{}, nil
	case c.Customer == nil && st.Customer == nil:
		return Customer{}, problem.Missing()
	}
	customer := Customer{ID: uuid.Must(uuid.NewV7())}
	if st.Customer != nil {
		customer = CustomerFromRow(*st.Customer)
	}
	if c.Customer != nil {
		customer = customer.with(*c.Customer)
	}
	return customer, nil
}

// put queues the customer, unless the choice names it by id and so changes nothing of it.
func (c *CustomerChoice) put(tx *store.BookTx, customer Customer) {
	if c.Customer == nil {
		return
	}
	tx.PutCustomer(store.Customer{
		CustomerID: customer.ID, Email: customer.Email, Name: customer.Name, Phone: customer.Phone, TimeZone: customer.TimeZone,
		Birthday: customer.Birthday,
	})
}

func customerRequired() error {
	return problem.Invalid("customer", "required", "Give customer, or customer_id of one that is known.")
}
