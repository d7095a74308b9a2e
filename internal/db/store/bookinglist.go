package store

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// Booking returns a booking.
func (s *Store) Booking(ctx context.Context, tenant, id uuid.UUID) (Booking, error) {
	return readByKey(ctx, s, "read a booking", tenant, id, (*dbsqlc.Queries).BookingGet)
}

// maxNights is how many dates before the last one a booking can begin, at most: the longest slot has 7 days, and clocks can skip a date
// meanwhile.
const maxNights = 9

// BookingFilter bounds a list of bookings. From and To are civil dates, both included; a nil pointer matches all.
type BookingFilter struct {
	From, To civil.Date
	// StillOn lists also the bookings that began before From and are on then. They come first.
	StillOn                           bool
	Status                            *string
	ServiceID, ResourceID, CustomerID *uuid.UUID
	// Email is that of the customer, lower-case. Code is as it is stored.
	Email, Reference, ExternalReference, Code *string
	// AfterDate and AfterID are the position of the last booking of the page before.
	AfterDate civil.Date
	AfterID   uuid.UUID
	Limit     int
}

// Bookings lists a tenant's bookings by date and id.
func (s *Store) Bookings(ctx context.Context, tenant uuid.UUID, b BookingFilter) ([]Booking, error) {
	if b.Code != nil {
		return s.bookingsByCode(ctx, tenant, b)
	}
	p := dbsqlc.BookingListParams{
		TenantID: tenant, ToDate: b.To, AfterDate: b.AfterDate, AfterID: b.AfterID, Status: b.Status,
		ServiceID: b.ServiceID, ResourceID: b.ResourceID, CustomerID: b.CustomerID, Email: b.Email,
		Reference: b.Reference, ExternalReference: b.ExternalReference, RowLimit: int32(b.Limit),
	}
	var earlier *dbsqlc.BookingListParams // of the bookings that are still on
	if b.AfterDate.Before(b.From) {
		if b.StillOn && !b.To.Before(b.From) {
			e := p
			e.StillOn, e.ToDate = &b.From, b.From.AddDays(-1)
			if first := b.From.AddDays(-maxNights); e.AfterDate.Before(first) {
				e.AfterDate, e.AfterID = first, uuid.Nil
			}
			earlier = &e
		}
		p.AfterDate, p.AfterID = b.From, uuid.Nil // in front of the date's first booking
	}
	var list, withOthers []Booking
	var stillOn bool
	err := s.db.ReadMaybeStale(ctx, "list bookings", tenant, func(t *core.Tx) {
		if earlier != nil {
			core.Query(t, "look for bookings that are still on", &stillOn, func(q *dbsqlc.Queries) (bool, error) {
				return q.BookingStillOn(t.Ctx, dbsqlc.BookingStillOnParams{TenantID: tenant, Since: earlier.AfterDate, OnDate: b.From})
			})
		}
		listBookings(t, p, &list)
		if o, asked := asOther(p); asked {
			listBookings(t, o, &withOthers)
		}
	})
	list = merged(list, withOthers, b.Limit)
	if err != nil || !stillOn {
		return list, err
	}
	var before []Booking
	err = s.db.ReadMaybeStale(ctx, "list bookings that are still on", tenant, func(t *core.Tx) {
		listBookings(t, *earlier, &before)
		if o, asked := asOther(*earlier); asked {
			listBookings(t, o, &withOthers)
		}
	})
	list = slices.Concat(merged(before, withOthers, b.Limit), list)
	return list[:min(len(list), b.Limit)], err
}

// asOther asks for the bookings that have a resource beside another one, if a resource is asked for. One statement for both could not read
// them in the order of an index.
func asOther(p dbsqlc.BookingListParams) (other dbsqlc.BookingListParams, asked bool) {
	p.OtherResourceID, p.ResourceID = p.ResourceID, nil
	return p, p.OtherResourceID != nil
}

// merged returns the first bookings of two lists, in their order.
func merged(a, b []Booking, limit int) []Booking {
	if len(b) == 0 {
		return a
	}
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y Booking) int {
		return cmp.Or(x.Date.Compare(y.Date), bytes.Compare(x.BookingID[:], y.BookingID[:]))
	})
	return all[:min(len(all), limit)]
}

// listBookings queues the reading of a page.
func listBookings(t *core.Tx, p dbsqlc.BookingListParams, list *[]Booking) {
	core.Exec(t, "plan for a page", func(q *dbsqlc.Queries) error { return q.SessionPlanForPages(t.Ctx) })
	core.Query(t, "list bookings", list, func(q *dbsqlc.Queries) ([]Booking, error) {
		rows, err := q.BookingList(t.Ctx, p)
		return convert(rows, func(r dbsqlc.BookingListRow) Booking { return Booking(r) }), err
	})
}

// bookingsByCode lists the booking of a code, if the rest of the filter lets it pass. No index has the order of the list for a code, and
// needs to: a tenant has one booking of it.
func (s *Store) bookingsByCode(ctx context.Context, tenant uuid.UUID, b BookingFilter) (list []Booking, err error) {
	var found *Booking
	err = s.db.ReadMaybeStale(ctx, "read a booking by its code", tenant, func(t *core.Tx) {
		core.Optional(t, "read a booking by its code", &found, func(q *dbsqlc.Queries) (Booking, error) {
			row, err := q.BookingGetByCode(t.Ctx, dbsqlc.BookingGetByCodeParams{TenantID: tenant, Code: *b.Code, FromDate: b.From})
			return Booking(row), err
		})
	})
	if err == nil && found != nil && b.Limit > 0 && b.passes(found) {
		list = []Booking{*found}
	}
	return list, err
}

// passes reports whether a booking is in the list.
func (b BookingFilter) passes(row *Booking) bool {
	follows := row.Date.After(b.AfterDate) || row.Date == b.AfterDate && bytes.Compare(row.BookingID[:], b.AfterID[:]) > 0
	return follows && !row.Date.After(b.To) && isOrNil(b.Status, &row.Status) && isOrNil(b.ServiceID, &row.ServiceID) &&
		(isOrNil(b.ResourceID, &row.ResourceID) || slices.Contains(row.OtherResourceIds, *b.ResourceID)) &&
		isOrNil(b.CustomerID, row.CustomerID) && isOrNil(b.Email, &row.Email) &&
		isOrNil(b.Reference, row.Reference) && isOrNil(b.ExternalReference, row.ExternalReference)
}

// isOrNil reports whether nothing is asked for, or what is there.
func isOrNil[T comparable](asked, there *T) bool {
	return asked == nil || there != nil && *asked == *there
}

// QueueBookingsOf queues the reading of a customer's bookings, by date and id, at most limit of them. doing says in
// errors what that is for. The statement must be planned for its values.
func QueueBookingsOf(tx db.Transaction, doing string, customer uuid.UUID, limit int, list *[]Booking) {
	db.Query(unlocked.On(tx), doing, list, func(q *dbsqlc.Queries) ([]Booking, error) {
		rows, err := q.BookingList(tx.Context(), dbsqlc.BookingListParams{
			TenantID: tx.Tenant(), CustomerID: &customer, AfterDate: civil.Date{Year: 1, Month: 1, Day: 1},
			ToDate:   civil.Date{Year: 9999, Month: 12, Day: 31},
			RowLimit: int32(limit),
		})
		return convert(rows, func(r dbsqlc.BookingListRow) Booking { return Booking(r) }), err
	})
}

// QueueBooking queues the reading of a booking. One that isn't there is problem.NotFound for the caller.
func QueueBooking(tx db.Transaction, id uuid.UUID, row *Booking) {
	db.Query(unlocked.On(tx), "read the booking", row, func(q *dbsqlc.Queries) (Booking, error) {
		return q.BookingGet(tx.Context(), tx.Tenant(), id)
	})
}
