package customer

import (
	"cmp"
	"strings"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/bounds"
	"holdfast/internal/datetime"
	"holdfast/internal/email"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/timezone"
)

// Customer is who books. Email is as NormalEmail returns it, and identifies the customer within the tenant.
type Customer struct {
	ID       uuid.UUID
	Email    string
	Name     string
	Phone    *string
	TimeZone *string
	Birthday *civil.Date
	// Language is the one of a booking's contact, nil if it isn't known. It stays with the booking.
	Language *email.Language
}

// Check returns problem.ValidationFailed for an invalid customer, whose fields in the request begin with prefix. A
// birthday must not be after today's date in the customer's time zone or, without one, in the tenant's.
func (c Customer) Check(prefix string, t tenant.Tenant, now time.Time) error {
	if err := bounds.Check(prefix, c.Body().NewCustomerBody); err != nil {
		return err
	}
	if err := problem.CheckText(prefix+"name", c.Name); err != nil {
		return err
	}
	if err := (email.Address{Email: c.Email}).Check(prefix + "email"); err != nil {
		return err
	}
	if problem.HasControl(c.Email) || strings.HasSuffix(c.Email, erasedDomain) {
		return problem.Invalid(prefix+"email", "invalid_format", "Expected an email address.")
	}
	if c.Phone != nil {
		if err := problem.CheckText(prefix+"phone", *c.Phone); err != nil {
			return err
		}
	}
	loc := t.Location
	if c.TimeZone != nil {
		var err error
		if loc, err = tenant.LoadLocation(prefix+"time_zone", *c.TimeZone); err != nil {
			return err
		}
	}
	if c.Birthday == nil {
		return nil
	}
	if err := datetime.CheckDate(prefix+"birthday", *c.Birthday); err != nil {
		return err
	}
	if c.Birthday.After(datetime.DateOf(now, loc)) {
		return problem.Invalid(prefix+"birthday", "in_future", "Expected a date that is not to come.")
	}
	return nil
}

// NormalEmail returns an email as customers are found by it: without blanks around it, with the letters A to Z small
// and no others changed.
func NormalEmail(given string) string { return email.Fold(strings.TrimSpace(given)) }

// Erased is what stands for the name of a customer who was erased.
const Erased = "Erased"

// erasedDomain is that of the placeholders that stand for the emails of erased customers. No email can be sent there
// (RFC 2606), and no customer can have such an email.
const erasedDomain = "@erased.invalid"

// ErasedEmail returns what stands for the email of an erased customer.
func ErasedEmail(id uuid.UUID) string { return id.String() + erasedDomain }

// IsErased reports whether the customer was erased, or merged into another one.
func (c Customer) IsErased() bool { return strings.HasSuffix(c.Email, erasedDomain) }

// Location returns the customer's time zone, that of the tenant if none is known.
func (c Customer) Location(tenant *time.Location) (*time.Location, error) {
	if c.TimeZone == nil {
		return tenant, nil
	}
	return timezone.Load(*c.TimeZone)
}

// Equal reports whether nothing differs between two states of a customer.
func (c Customer) Equal(other Customer) bool {
	return c.ID == other.ID && c.Name == other.Name && c.Email == other.Email && same(c.Phone, other.Phone) &&
		same(c.TimeZone, other.TimeZone) && same(c.Birthday, other.Birthday)
}

func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// FilledIn returns c with those fields of given that c lacks.
func (c Customer) FilledIn(given Customer) Customer {
	c.Phone, c.TimeZone, c.Birthday = cmp.Or(c.Phone, given.Phone), cmp.Or(c.TimeZone, given.TimeZone),
		cmp.Or(c.Birthday, given.Birthday)
	return c
}

// Overwrite returns c with given's name and with the non-nil fields of given.
func (c Customer) Overwrite(given Customer) Customer {
	c.Name = given.Name
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

// FromRow returns the customer of a row.
func FromRow(row Row) Customer {
	return Customer{
		ID: row.CustomerID, Email: row.Email, Name: row.Name, Phone: row.Phone, TimeZone: row.TimeZone,
		Birthday: row.Birthday,
	}
}
