package booking

import (
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store"
)

// CustomerDetails is a customer with what a booking doesn't show of its customer.
type CustomerDetails struct {
	Customer
	// Version is raised by every change.
	Version   int64
	CreatedAt time.Time
	// UnsubscribedAt is since when the customer wants no greetings and no follow-ups, nil for one who wants them.
	UnsubscribedAt *time.Time
	// ErasedAt is when the personal data were erased, or went to MergedInto; nil for a customer of whom they are known.
	ErasedAt *time.Time
	// ArchivedAt is since when lists leave the customer out, nil for one who is listed.
	ArchivedAt *time.Time
	// MergedInto is the customer that this one became a part of, nil for one that wasn't merged.
	MergedInto *uuid.UUID
}

// CustomerDetailsFromRow returns the customer of a row.
func CustomerDetailsFromRow(row store.Customer) CustomerDetails {
	return CustomerDetails{
		Customer: CustomerFromRow(row), Version: row.Version, CreatedAt: row.CreatedAt, UnsubscribedAt: row.UnsubscribedAt, ErasedAt: row.ErasedAt,
		ArchivedAt: row.ArchivedAt, MergedInto: row.MergedInto,
	}
}

// CustomerDetailsBody is a customer as the API shows it by itself. CustomerBody is a customer in a booking.
type CustomerDetailsBody struct {
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

// Body returns the customer as the API shows it. The statements CustomerInsert and CustomerUpdate make the same of a row.
func (c CustomerDetails) Body() CustomerDetailsBody {
	b := CustomerDetailsBody{
		ID: c.ID, Version: c.Version, CreatedAt: c.CreatedAt.UTC(), UnsubscribedAt: inUTC(c.UnsubscribedAt), ArchivedAt: inUTC(c.ArchivedAt), MergedInto: c.MergedInto,
	}
	if c.MergedInto == nil {
		b.ErasedAt = inUTC(c.ErasedAt)
	}
	if c.ErasedAt != nil {
		return b
	}
	known := c.Customer.Body()
	b.Name, b.Email, b.Phone, b.TimeZone, b.Birthday = &known.Name, &known.Email, known.Phone, known.TimeZone, known.Birthday
	return b
}

func inUTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	in := t.UTC()
	return &in
}
