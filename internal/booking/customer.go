package booking

import (
	"net/mail"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// Customer is who books. Email is lower-case and identifies the customer within the tenant.
type Customer struct {
	ID       uuid.UUID
	Email    string
	Name     string
	Phone    *string
	TimeZone *string
	Birthday *civil.Date
}

// check returns problem.ValidationFailed for an invalid customer. A birthday must not be after today's date in the customer's
// time zone or, without one, in the tenant's.
func (c Customer) check(t tenant.Tenant, now time.Time) error {
	if err := tenant.CheckText("customer.name", c.Name); err != nil {
		return err
	}
	if a, err := mail.ParseAddress(c.Email); err != nil || a.Address != c.Email || tenant.HasControl(c.Email) {
		return problem.Invalid("customer.email", "invalid_format", "Expected an email address.")
	}
	if c.Phone != nil {
		if err := tenant.CheckText("customer.phone", *c.Phone); err != nil {
			return err
		}
	}
	loc := t.Location
	if c.TimeZone != nil {
		var err error
		if loc, err = tenant.LoadLocation("customer.time_zone", *c.TimeZone); err != nil {
			return err
		}
	}
	if c.Birthday == nil {
		return nil
	}
	if err := checkDate("customer.birthday", *c.Birthday); err != nil {
		return err
	}
	if c.Birthday.After(dateOf(now, loc)) {
		return problem.Invalid("customer.birthday", "in_future", "Expected a date that is not to come.")
	}
	return nil
}

// with returns c with given's email and name and with the non-nil fields of given.
func (c Customer) with(given Customer) Customer {
	c.Email, c.Name = given.Email, given.Name
	if given.Phone != nil {
		c.Phone = given.Phone
	}
	if given.TimeZone != nil {
		c.TimeZone = given.TimeZone
	}
	if given.Birthday != nil {
		c.Birthday = given.Birthday
	}
	return c
}

func customerFromRow(row store.Customer) Customer {
	return Customer{
		ID: row.CustomerID, Email: row.Email, Name: row.Name, Phone: row.Phone, TimeZone: row.TimeZone, Birthday: row.Birthday,
	}
}
