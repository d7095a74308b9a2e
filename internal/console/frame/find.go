package frame

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/problem"
)

// FindCustomers returns the customers of a filter that a text names: by the email, or else by what the name, the email
// or the phone begins with. Without a text it returns all. Errors: problem.ValidationFailed.
func (c *Console) FindCustomers(v *Visit, f customer.Filter, text string) ([]customer.Details, error) {
	if text == "" {
		return c.Customers.List(v.Context(), v.Tenant(), f)
	}
	if strings.Contains(text, "@") {
		if err := checkLength("q", text, minSearch, maxEmail); err != nil {
			return nil, err
		}
		byEmail := f
		byEmail.Email = text
		if list, err := c.Customers.List(v.Context(), v.Tenant(), byEmail); err != nil || len(list) > 0 {
			return list, err
		}
	}
	if err := checkLength("q", text, minSearch, maxSearch); err != nil {
		return nil, err
	}
	f.Text = text
	return c.Customers.List(v.Context(), v.Tenant(), f)
}

// checkLength returns problem.ValidationFailed for a text of fewer or more characters, as the API's schema does.
func checkLength(field, text string, low, high int) error {
	switch n := utf8.RuneCountInString(text); {
	case n < low && low == 1:
		return problem.Invalid(field, "too_short", "Fill it in.")
	case n < low:
		return problem.Invalid(field, "too_short", fmt.Sprintf("Expected at least %d characters.", low))
	case n > high:
		return problem.Invalid(field, "too_long", fmt.Sprintf("Expected at most %d characters.", high))
	}
	return nil
}

// Bounds of a search, in characters, as of the API's.
const (
	minSearch = 3
	maxSearch = 200
	maxEmail  = 254
)

// MaxChoice is how many customers, or wallets, a page offers to choose from.
const MaxChoice = 20

// BookingOfPath returns the booking that the path names. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (c *Console) BookingOfPath(v *Visit) (booking.Booking, error) {
	return c.Bookings.Get(v.Context(), v.Tenant(), v.ID("id"))
}
