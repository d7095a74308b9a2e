package booking

import (
	"encoding/json"
	"fmt"

	"holdfast/internal/customer"
	"holdfast/internal/store"
)

// ContactBody is what a booking, and a payment, keep of the customer, as it was given for the booking. It is stored as it is shown.
type ContactBody struct {
	Name     string  `json:"name" example:"Ada Lovelace"`
	Email    string  `json:"email" example:"ada@example.com"`
	Phone    *string `json:"phone,omitempty" example:"+49 30 901820"`
	TimeZone *string `json:"time_zone,omitempty" example:"Europe/London"`
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
	return known
}

// storedContact returns the contact as it is stored, nil for a booking without a customer and for one whose customer was erased.
func (b Booking) storedContact() (json.RawMessage, error) {
	c := b.Customer
	if !b.HasCustomer() || c.IsErased() {
		return nil, nil
	}
	stored, err := json.Marshal(ContactBody{Name: c.Name, Email: c.Email, Phone: c.Phone, TimeZone: c.TimeZone})
	if err != nil {
		return nil, fmt.Errorf("encode a booking's contact: %w", err)
	}
	return stored, nil
}

// setCustomerOf sets the customer of a row, which has one, with the booking's contact. Without a contact the customer is shown as it is known: it
// was erased.
func (b *Booking) setCustomerOf(row *store.Booking) error {
	b.Known = customer.Customer{ID: *row.CustomerID, Email: row.Email, Name: row.Name, Phone: row.Phone, TimeZone: row.CustomerTimeZone,
		Birthday: row.Birthday}
	b.Customer = b.Known
	given, err := ParseContact(row.Contact)
	if err != nil || given == nil {
		return err
	}
	b.Customer = contactOf(b.Known, customer.Customer{Name: given.Name, Email: given.Email, Phone: given.Phone, TimeZone: given.TimeZone})
	return nil
}
