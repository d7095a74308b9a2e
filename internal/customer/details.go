package customer

import (
	"time"

	"github.com/google/uuid"

	"holdfast/internal/etag"
	"holdfast/internal/problem"
)

// Details is a customer with what a booking doesn't show of its customer.
type Details struct {
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

// DetailsFromRow returns the customer of a row.
func DetailsFromRow(row Row) Details {
	return Details{
		Customer:       FromRow(row),
		Version:        row.Version,
		CreatedAt:      row.CreatedAt,
		UnsubscribedAt: row.UnsubscribedAt,
		ErasedAt:       row.ErasedAt,
		ArchivedAt:     row.ArchivedAt,
		MergedInto:     row.MergedInto,
	}
}

// row returns what is stored of a customer that was read as was.
func (c Details) row(was Row) Row {
	was.Email, was.Name, was.Phone, was.TimeZone, was.Birthday = c.Email, c.Name, c.Phone, c.TimeZone, c.Birthday
	was.Version, was.UnsubscribedAt = c.Version, c.UnsubscribedAt
	was.ErasedAt, was.MergedInto, was.ArchivedAt = c.ErasedAt, c.MergedInto, c.ArchivedAt
	return was
}

// ETag returns the strong entity tag of the customer's version.
func (c Details) ETag() string { return etag.Of(c.Version) }

// CheckPresent returns problem.InvalidState for a customer who was erased, or merged into another one.
func (c Details) CheckPresent() error {
	switch {
	case c.MergedInto != nil:
		return problem.New(problem.InvalidState, "The customer was merged into "+c.MergedInto.String()+".")
	case c.ErasedAt != nil:
		return problem.New(problem.InvalidState, "The customer was erased.")
	}
	return nil
}
