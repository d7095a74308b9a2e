package booking

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/booking/internal/rowsql"
	"holdfast/internal/db"
)

// maxNights is how many dates before the last one a booking can begin, at most: the longest slot has 7 days, and clocks
// can skip a date meanwhile.
const maxNights = 9

// RowFilter bounds a list of bookings. From and To are civil dates, both included; a nil pointer matches all.
type RowFilter struct {
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

// ListRows lists a tenant's bookings by date and id. It costs a round trip or two and takes no lock. Errors:
// problem.DatabaseUnavailable.
func ListRows(ctx context.Context, d *db.DB, tenant uuid.UUID, b RowFilter) ([]Row, error) {
	if b.Code != nil {
		return listByCode(ctx, d, tenant, b)
	}
	p := rowsql.BookingListParams{
		ToDate:            b.To,
		AfterDate:         b.AfterDate,
		AfterID:           b.AfterID,
		Status:            b.Status,
		ServiceID:         b.ServiceID,
		ResourceID:        b.ResourceID,
		CustomerID:        b.CustomerID,
		Email:             b.Email,
		Reference:         b.Reference,
		ExternalReference: b.ExternalReference,
		RowLimit:          int32(b.Limit),
	}
	var earlier *rowsql.BookingListParams // of the bookings that are still on
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
	var list, withOthers []Row
	var stillOn bool
	err := d.ReadMaybeStale(ctx, "list bookings", tenant, func(tx *db.Tx) {
		if earlier != nil {
			queueStillOn(tx, earlier.AfterDate, b.From, &stillOn)
		}
		queuePage(tx, p, &list)
		if o, asked := asOther(p); asked {
			queuePage(tx, o, &withOthers)
		}
	})
	list = merged(list, withOthers, b.Limit)
	if err != nil || !stillOn {
		return list, err
	}
	var before []Row
	err = d.ReadMaybeStale(ctx, "list bookings that are still on", tenant, func(tx *db.Tx) {
		queuePage(tx, *earlier, &before)
		if o, asked := asOther(*earlier); asked {
			queuePage(tx, o, &withOthers)
		}
	})
	list = slices.Concat(merged(before, withOthers, b.Limit), list)
	return list[:min(len(list), b.Limit)], err
}

// asOther asks for the bookings that have a resource beside another one, if a resource is asked for. One statement for
// both could not read them in the order of an index.
func asOther(p rowsql.BookingListParams) (other rowsql.BookingListParams, asked bool) {
	p.OtherResourceID, p.ResourceID = p.ResourceID, nil
	return p, p.OtherResourceID != nil
}

// merged returns the first bookings of two lists, in their order.
func merged(a, b []Row, limit int) []Row {
	if len(b) == 0 {
		return a
	}
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y Row) int {
		return cmp.Or(x.Date.Compare(y.Date), bytes.Compare(x.BookingID[:], y.BookingID[:]))
	})
	return all[:min(len(all), limit)]
}

// queueStillOn queues whether a booking that begins on since or later goes on on a date.
func queueStillOn(tx *db.Tx, since, on civil.Date, found *bool) {
	db.Query(unlocked.On(tx), "look for bookings that are still on", found, func(q *rowsql.Queries) (bool, error) {
		return q.BookingStillOn(tx.Context(),
			rowsql.BookingStillOnParams{TenantID: tx.Tenant(), Since: since, OnDate: on})
	})
}

// queuePage queues the reading of a page.
func queuePage(tx *db.Tx, p rowsql.BookingListParams, list *[]Row) {
	tx.PlanForPages()
	queueList(tx, "list bookings", p, list)
}

// queueList queues the reading of bookings. doing says in errors what that is for.
func queueList(tx db.Transaction, doing string, p rowsql.BookingListParams, list *[]Row) {
	p.TenantID = tx.Tenant()
	db.Query(unlocked.On(tx), doing, list, func(q *rowsql.Queries) ([]Row, error) {
		rows, err := q.BookingList(tx.Context(), p)
		return db.Convert(rows, func(r rowsql.BookingListRow) Row { return Row(r) }), err
	})
}

// listByCode lists the booking of a code, if the rest of the filter lets it pass. No index has the order of the list
// for a code, and needs to: a tenant has one booking of it.
func listByCode(ctx context.Context, d *db.DB, tenant uuid.UUID, b RowFilter) (list []Row, err error) {
	var found *Row
	err = d.ReadMaybeStale(ctx, "read a booking by its code", tenant, func(tx *db.Tx) {
		db.Optional(unlocked.On(tx), "read a booking by its code", &found, func(q *rowsql.Queries) (Row, error) {
			row, err := q.BookingGetByCode(tx.Context(),
				rowsql.BookingGetByCodeParams{TenantID: tx.Tenant(), Code: *b.Code, FromDate: b.From})
			return Row(row), err
		})
	})
	if err == nil && found != nil && b.Limit > 0 && b.passes(found) {
		list = []Row{*found}
	}
	return list, err
}

// passes reports whether a booking is in the list.
func (b RowFilter) passes(row *Row) bool {
	follows := row.Date.After(b.AfterDate) || row.Date == b.AfterDate &&
		bytes.Compare(row.BookingID[:], b.AfterID[:]) > 0
	return follows && !row.Date.After(b.To) && isOrNil(b.Status, &row.Status) && isOrNil(b.ServiceID, &row.ServiceID) &&
		(isOrNil(b.ResourceID, &row.ResourceID) || slices.Contains(row.OtherResourceIds, *b.ResourceID)) &&
		isOrNil(b.CustomerID, row.CustomerID) && isOrNil(b.Email, &row.Email) &&
		isOrNil(b.Reference, row.Reference) && isOrNil(b.ExternalReference, row.ExternalReference)
}

// isOrNil reports whether nothing is asked for, or what is there.
func isOrNil[T comparable](asked, there *T) bool {
	return asked == nil || there != nil && *asked == *there
}

// QueueOfCustomer queues the reading of a customer's bookings, by date and id, at most limit of them. doing says in
// errors what that is for. The statement must be planned for its values.
func QueueOfCustomer(tx db.Transaction, doing string, customer uuid.UUID, limit int, list *[]Row) {
	queueList(tx, doing, rowsql.BookingListParams{
		CustomerID: &customer, AfterDate: civil.Date{Year: 1, Month: 1, Day: 1},
		ToDate:   civil.Date{Year: 9999, Month: 12, Day: 31},
		RowLimit: int32(limit),
	}, list)
}
