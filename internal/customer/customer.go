package customer

import (
	"holdfast/internal/booking"
	"holdfast/internal/etag"
	"holdfast/internal/problem"
	"holdfast/internal/store"
)

// Customer is who books.
type Customer struct {
	booking.CustomerDetails
}

// FromRow returns the customer of a row.
func FromRow(row store.Customer) Customer { return Customer{booking.CustomerDetailsFromRow(row)} }

// row returns what is stored of a customer that was read as was.
func (c Customer) row(was store.Customer) store.Customer {
	was.Email, was.Name, was.Phone, was.TimeZone, was.Birthday = c.Email, c.Name, c.Phone, c.TimeZone, c.Birthday
	was.Version, was.UnsubscribedAt, was.ErasedAt, was.MergedInto, was.ArchivedAt = c.Version, c.UnsubscribedAt, c.ErasedAt, c.MergedInto, c.ArchivedAt
	return was
}

// ETag returns the strong entity tag of the customer's version.
func (c Customer) ETag() string { return etag.Of(c.Version) }

// CheckPresent returns problem.InvalidState for a customer who was erased, or merged into another one.
func (c Customer) CheckPresent() error {
	switch {
	case c.MergedInto != nil:
		return problem.New(problem.InvalidState, "The customer was merged into "+c.MergedInto.String()+".")
	case c.ErasedAt != nil:
		return problem.New(problem.InvalidState, "The customer was erased.")
	}
	return nil
}
