package booking

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/customer"
	"holdfast/internal/email"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// CustomerChoice is who a booking is for. Customer is the booking's contact. It is matched by email within the tenant,
// else made; what isn't known of the customer is filled in. CustomerID names one that exists, and takes the contact
// from what is known of it. At most one is set; none leaves a hold without a customer, or a booking with the one that
// it has.
type CustomerChoice struct {
	Customer   *customer.Customer `json:"customer,omitempty" doc:"Of a booking that is held or confirmed. It replaces the customer that the booking has. Either this or customer_id. The booking keeps it as it is given. It fills in what isn't known of the customer with this email."`
	CustomerID *uuid.UUID         `json:"customer_id,omitempty" format:"uuid" doc:"Of a booking that is held or confirmed. Either this or customer. The booking gets the contact that is known of this customer now."`
	// UpdateCustomer has what Customer gives replace what is known.
	UpdateCustomer bool `json:"update_customer,omitempty" doc:"true: what customer gives also replaces what is known of the customer. It needs the scope that PATCH /v1/customers/{id} needs."`
	// ByVisitor says that a visitor of the tenant's website gives Customer, whom nobody has authenticated: of a
	// customer who is known, nothing is filled in. Limited says that the tenant's limit of open holds counts.
	ByVisitor bool `json:"-"`
	Limited   bool `json:"-"`
}

// chosenCustomer is a customer as it will be known, and as a booking will show it.
type chosenCustomer struct{ known, shown customer.Customer }

func (c *CustomerChoice) given() bool { return c.Customer != nil || c.CustomerID != nil }

// check returns problem.ValidationFailed, or problem.Forbidden for UpdateCustomer without the scope of a customer's
// change, and otherwise brings the customer into the form that is stored. now may be this server's clock: it is used
// only to refuse birthdays in the future.
func (c *CustomerChoice) check(t tenant.Tenant, now time.Time) error {
	if c.UpdateCustomer {
		if err := t.Scopes.RequireFor("update_customer", customer.OpChangeCustomer.Scope); err != nil {
			return err
		}
	}
	if c.Customer != nil && c.CustomerID != nil {
		return problem.Invalid("customer_id", "excluded",
			"Leave out customer_id, or leave out customer: a booking has one customer.")
	}
	if c.Customer == nil {
		if c.UpdateCustomer {
			return problem.Invalid("update_customer", "excluded",
				"Give customer, or leave out update_customer: it says that customer replaces what is known.")
		}
		return nil
	}
	given := *c.Customer
	given.Email = customer.NormalEmail(given.Email)
	c.Customer = &given
	return given.Check("customer.", t, now)
}

// addReads has a transaction read the customer, if there is one of that email or id.
func (c *CustomerChoice) addReads(asked *reads) {
	asked.CustomerID = c.CustomerID
	if c.Customer != nil {
		asked.Email = c.Customer.Email
	}
}

// queue queues what is new of the customer, and returns what choose does.
func (c *CustomerChoice) queue(tx *datesTx, st state) (chosenCustomer, error) {
	chosen, err := c.choose(st)
	if err == nil {
		c.queueKnown(tx, st, chosen.known)
	}
	return chosen, err
}

// choose returns the customer as it will be, zero if none was given. Errors: problem.NotFound for an id of no customer.
func (c *CustomerChoice) choose(st state) (chosenCustomer, error) {
	switch {
	case !c.given():
		return chosenCustomer{}, nil
	case c.Customer == nil && st.Customer == nil:
		return chosenCustomer{}, problem.Missing()
	case c.Customer == nil:
		known := customer.FromRow(*st.Customer)
		return chosenCustomer{known, known}, nil
	}
	known := *c.Customer
	switch {
	case st.Customer == nil:
		known.ID = uuid.Must(uuid.NewV7())
	case c.ByVisitor:
		known = customer.FromRow(*st.Customer)
	case c.UpdateCustomer:
		known = customer.FromRow(*st.Customer).Overwrite(*c.Customer)
	default:
		known = customer.FromRow(*st.Customer).FilledIn(*c.Customer)
	}
	return chosenCustomer{known, contactOf(known, *c.Customer)}, nil
}

// queueKnown queues the customer as it will be known, unless it is known so already.
func (c *CustomerChoice) queueKnown(tx *datesTx, st state, known customer.Customer) {
	if !c.given() || st.Customer != nil && known.Equal(customer.FromRow(*st.Customer)) {
		return
	}
	tx.putCustomer(customer.Row{
		CustomerID: known.ID, Email: known.Email, Name: known.Name, Phone: known.Phone, TimeZone: known.TimeZone,
		Birthday: known.Birthday,
	}, c.UpdateCustomer)
}

func customerRequired() error {
	return problem.Invalid("customer", "required", "Give customer, or customer_id of one that is known.")
}

// ContactBody is what a booking, and a payment, keep of the customer, as it was given for the booking. It is stored as
// it is shown.
type ContactBody struct {
	Name     string          `json:"name" example:"Ada Lovelace"`
	Email    string          `json:"email" example:"ada@example.com"`
	Phone    *string         `json:"phone,omitempty" example:"+49 30 901820"`
	TimeZone *string         `json:"time_zone,omitempty" example:"Europe/London"`
	Language *email.Language `json:"language,omitempty" example:"de"`
}

// ParseContact returns a contact as it is stored, nil if none is.
func ParseContact(stored []byte) (*ContactBody, error) {
	if len(stored) == 0 {
		return nil, nil
	}
	c := new(ContactBody)
	if err := json.Unmarshal(stored, c); err != nil {
		return nil, fmt.Errorf("read a contact: %w", err)
	}
	return c, nil
}

// contactOf returns the customer with the id and the birthday of the known one, and with what was given for a booking.
func contactOf(known, given customer.Customer) customer.Customer {
	known.Name, known.Email, known.Phone, known.TimeZone = given.Name, given.Email, given.Phone, given.TimeZone
	known.Language = given.Language
	return known
}
