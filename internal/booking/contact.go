package booking

import (
	"encoding/json"
	"fmt"

	"holdfast/internal/customer"
)

// ContactBody is what a booking, and a payment, keep of the customer, as it was given for the booking. It is stored as it is shown.
type ContactBody struct {
	Name     string  `json:"name" example:"Ada Lovelace"`
	Email    string  `json:"email" example:"ada@example.com"`
	Phone    *string `json:"phone,omitempty" example:"+49 30 901820"`
	TimeZone *string `json:"time_zone,omitempty" example:"Europe/London"`
	Language *string `json:"language,omitempty" enum:"en,de,es" example:"de"`
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
