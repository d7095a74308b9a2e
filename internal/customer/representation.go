package customer

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/datetime"
	"holdfast/internal/email"
)

// CustomerBody is who booked.
type CustomerBody struct {
	ID uuid.UUID `json:"id" format:"uuid"`
	NewCustomerBody
}

// NewCustomerBody is a customer as a client gives it for a booking.
type NewCustomerBody struct {
	CustomerSpecBody

	Language *email.Language `json:"language,omitempty" example:"de" doc:"Of emails about this booking; without it they are in the first language of the booking page. It stays with the booking."`
}

// Customer is CustomerSpecBody.Customer with the language.
func (b NewCustomerBody) Customer(prefix string) (Customer, error) {
	c, err := b.CustomerSpecBody.Customer(prefix)
	c.Language = b.Language
	return c, err
}

// UnmarshalJSON reads a NewCustomerBody: the customer of a request. Errors: problem.ValidationFailed for a birthday
// that is no date.
func (c *Customer) UnmarshalJSON(text []byte) (err error) {
	var body NewCustomerBody
	if err := json.Unmarshal(text, &body); err != nil {
		return err
	}
	*c, err = body.Customer("")
	return err
}

// VisitorBody is who books, as a visitor of a website says it. The birthday is left out: it would stay with the
// customer.
type VisitorBody struct {
	Name     string          `json:"name" minLength:"1" maxLength:"200" example:"Ada Lovelace" doc:"Not blank, and without control characters."`
	Email    string          `json:"email" minLength:"3" maxLength:"254" example:"ada@example.com"`
	Phone    *string         `json:"phone,omitempty" minLength:"1" maxLength:"50" example:"+49 30 901820"`
	TimeZone *string         `json:"time_zone,omitempty" minLength:"1" maxLength:"64" example:"Europe/London"`
	Language *email.Language `json:"language,omitempty" example:"de" doc:"Of emails about the booking: that of your page."`
}

// Customer returns the customer, nil for none.
func (b *VisitorBody) Customer() *Customer {
	if b == nil {
		return nil
	}
	return &Customer{Name: b.Name, Email: b.Email, Phone: b.Phone, TimeZone: b.TimeZone, Language: b.Language}
}

// CustomerSpecBody is a customer as a client gives it.
type CustomerSpecBody struct {
	Name     string  `json:"name" minLength:"1" maxLength:"200" example:"Ada Lovelace" doc:"Not blank, and without control characters."`
	Email    string  `json:"email" minLength:"3" maxLength:"254" example:"ada@example.com" doc:"Matches the customer within the tenant, whatever its case."`
	Phone    *string `json:"phone,omitempty" minLength:"1" maxLength:"50" example:"+49 30 901820"`
	TimeZone *string `json:"time_zone,omitempty" minLength:"1" maxLength:"64" example:"Europe/London"`
	Birthday *string `json:"birthday,omitempty" format:"date" example:"1990-12-10" doc:"Not after today, where the customer is or, without time_zone, where the tenant is."`
}

// Customer returns the customer, whose fields in the request begin with prefix. Errors: problem.ValidationFailed for a
// birthday that is no date.
func (b CustomerSpecBody) Customer(prefix string) (Customer, error) {
	c := Customer{Name: b.Name, Email: b.Email, Phone: b.Phone, TimeZone: b.TimeZone}
	if b.Birthday == nil {
		return c, nil
	}
	birthday, err := datetime.ParseDate(prefix+"birthday", *b.Birthday)
	c.Birthday = &birthday
	return c, err
}

// Body returns the customer as the API shows it.
func (c Customer) Body() CustomerBody {
	body := CustomerBody{ID: c.ID, NewCustomerBody: NewCustomerBody{
		CustomerSpecBody: CustomerSpecBody{Name: c.Name, Email: c.Email, Phone: c.Phone, TimeZone: c.TimeZone},
		Language:         c.Language,
	}}
	if c.Birthday != nil {
		birthday := c.Birthday.String()
		body.Birthday = &birthday
	}
	return body
}

// DetailsBody is a customer as the API shows it by itself. CustomerBody is a customer in a booking.
type DetailsBody struct {
	ID             uuid.UUID  `json:"id" format:"uuid"`
	Name           *string    `json:"name,omitempty" example:"Ada Lovelace" doc:"Absent of a customer who was erased or merged, as all personal data."`
	Email          *string    `json:"email,omitempty" example:"ada@example.com" doc:"Lower case; no other customer of the tenant has it."`
	Phone          *string    `json:"phone,omitempty" example:"+49 30 901820"`
	TimeZone       *string    `json:"time_zone,omitempty" example:"Europe/London"`
	Birthday       *string    `json:"birthday,omitempty" format:"date" example:"1990-12-10"`
	UnsubscribedAt *time.Time `json:"unsubscribed_at,omitempty" doc:"Since when the customer gets no greetings and no follow-ups."`
	ArchivedAt     *time.Time `json:"archived_at,omitempty" doc:"Since when lists leave the customer out; absent for one who is listed."`
	ErasedAt       *time.Time `json:"erased_at,omitempty" doc:"When the personal data were erased."`
	MergedInto     *uuid.UUID `json:"merged_into,omitempty" format:"uuid" doc:"The customer that this one was merged into, and who has the personal data now."`
	Version        int64      `json:"version" example:"1" doc:"Grows with every change; the ETag is its text."`
	CreatedAt      time.Time  `json:"created_at"`
}

// Body returns the customer as the API shows it. The statements CustomerInsert and CustomerUpdate make the same of a
// row.
func (c Details) Body() DetailsBody {
	b := DetailsBody{
		ID: c.ID, Version: c.Version, CreatedAt: c.CreatedAt.UTC(), UnsubscribedAt: inUTC(c.UnsubscribedAt),
		ArchivedAt: inUTC(c.ArchivedAt), MergedInto: c.MergedInto,
	}
	if c.MergedInto == nil {
		b.ErasedAt = inUTC(c.ErasedAt)
	}
	if c.ErasedAt != nil {
		return b
	}
	known := c.Customer.Body()
	b.Name, b.Email, b.Phone, b.TimeZone, b.Birthday = &known.Name, &known.Email, known.Phone, known.TimeZone,
		known.Birthday
	return b
}

func inUTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	in := t.UTC()
	return &in
}
