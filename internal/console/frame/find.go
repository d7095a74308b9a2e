package frame

import (
	"strings"

	"holdfast/internal/booking"
	"holdfast/internal/bounds"
	"holdfast/internal/customer"
)

// FindCustomers returns the customers of a filter that a text names: by the email, or else by what the name, the email
// or the phone begins with. Without a text it returns all. Errors: problem.ValidationFailed.
func (c *Console) FindCustomers(v *Visit, f customer.Filter, text string) ([]customer.Details, error) {
	if text == "" {
		return c.Customers.List(v.Context(), v.Tenant(), f)
	}
	if strings.Contains(text, "@") {
		if err := bounds.Check("", emailSearch{text}); err != nil {
			return nil, err
		}
		byEmail := f
		byEmail.Email = text
		if list, err := c.Customers.List(v.Context(), v.Tenant(), byEmail); err != nil || len(list) > 0 {
			return list, err
		}
	}
	if err := bounds.Check("", textSearch{text}); err != nil {
		return nil, err
	}
	f.Text = text
	return c.Customers.List(v.Context(), v.Tenant(), f)
}

// textSearch and emailSearch are what can be searched for, with the bounds of the API's search.
type (
	textSearch struct {
		Text string `json:"q" minLength:"3" maxLength:"200"`
	}
	emailSearch struct {
		Email string `json:"q" minLength:"3" maxLength:"254"`
	}
)

// MaxChoice is how many customers, or wallets, a page offers to choose from.
const MaxChoice = 20

// BookingOfPath returns the booking that the path names. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (c *Console) BookingOfPath(v *Visit) (booking.Booking, error) {
	return c.Bookings.Get(v.Context(), v.Tenant(), v.ID("id"))
}
