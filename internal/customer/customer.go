package customer

import (
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/etag"
	"holdfast/internal/problem"
	"holdfast/internal/store"
)

// Customer is who books.
type Customer struct {
	booking.Customer
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

func fromRow(row store.Customer) Customer {
	return Customer{
		Customer: booking.CustomerFromRow(row), Version: row.Version, CreatedAt: row.CreatedAt, UnsubscribedAt: row.UnsubscribedAt, ErasedAt: row.ErasedAt,
		MergedInto: row.MergedInto, ArchivedAt: row.ArchivedAt,
	}
}

// row returns what is stored of a customer that was read as was.
func (c Customer) row(was store.Customer) store.Customer {
	was.Email, was.Name, was.Phone, was.TimeZone, was.Birthday = c.Email, c.Name, c.Phone, c.TimeZone, c.Birthday
	was.Version, was.UnsubscribedAt, was.ErasedAt, was.MergedInto, was.ArchivedAt = c.Version, c.UnsubscribedAt, c.ErasedAt, c.MergedInto, c.ArchivedAt
	return was
}

// ETag returns the strong entity tag of the customer's version.
func (c Customer) ETag() string { return etag.Of(c.Version) }

// checkPresent returns problem.InvalidState for a customer who was erased, or merged into another one.
func (c Customer) checkPresent() error {
	switch {
	case c.MergedInto != nil:
		return problem.New(problem.InvalidState, "The customer was merged into "+c.MergedInto.String()+".")
	case c.ErasedAt != nil:
		return problem.New(problem.InvalidState, "The customer was erased.")
	}
	return nil
}

// Body is a customer as the API shows it.
type Body struct {
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

// Body returns the customer as the API shows it.
func (c Customer) Body() Body {
	b := Body{ID: c.ID, Version: c.Version, CreatedAt: c.CreatedAt.UTC(), UnsubscribedAt: utc(c.UnsubscribedAt), ArchivedAt: utc(c.ArchivedAt), MergedInto: c.MergedInto}
	if c.MergedInto == nil {
		b.ErasedAt = utc(c.ErasedAt)
	}
	if c.ErasedAt != nil {
		return b
	}
	known := c.Customer.Body()
	b.Name, b.Email, b.Phone, b.TimeZone, b.Birthday = &known.Name, &known.Email, known.Phone, known.TimeZone, known.Birthday
	return b
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	in := t.UTC()
	return &in
}
