package store

import (
	"encoding/json"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// NewBooking is a booking to be written. Its tenant is that of the locks.
type NewBooking struct {
	BookingID, ServiceID, ResourceID, CustomerID uuid.UUID
	// Status is "held" or "confirmed".
	Status string
	// Date is the civil date of StartsAt in Location.
	Date                civil.Date
	StartsAt, EndsAt    time.Time
	BusyFrom, BusyUntil time.Time
	// Location is the tenant's time zone; the store checks against it that every date that the booking
	// touches is locked.
	Location      *time.Location
	PartySize     int32
	Units         []UnitRange
	HoldExpiresAt *time.Time
	// Price and Deposit are minor units of Currency.
	Price, Deposit int64
	Currency       string
	Metadata       json.RawMessage
}

// occupancy is what the booking takes once it is written.
func (n NewBooking) occupancy() Occupancy {
	return Occupancy{
		BookingID: n.BookingID, ResourceID: n.ResourceID, Units: n.Units, BusyFrom: n.BusyFrom, BusyUntil: n.BusyUntil,
		HoldExpiresAt: n.HoldExpiresAt,
	}
}

// queueBookings queues bookings, in one statement.
func queueBookings(t *tx, list []NewBooking) {
	switch len(list) {
	case 0:
		return
	case 1:
		queueBooking(t, list[0])
		return
	}
	p := dbsqlc.BookingInsertManyParams{TenantID: t.tenant, Now: t.now}
	for _, n := range list {
		p.BookingIds = append(p.BookingIds, n.BookingID)
		p.ServiceIds = append(p.ServiceIds, n.ServiceID)
		p.ResourceIds = append(p.ResourceIds, n.ResourceID)
		p.CustomerIds = append(p.CustomerIds, n.CustomerID)
		p.Statuses = append(p.Statuses, n.Status)
		p.Dates = append(p.Dates, n.Date)
		p.Starts = append(p.Starts, n.StartsAt)
		p.Ends = append(p.Ends, n.EndsAt)
		p.TimeZones = append(p.TimeZones, n.Location.String())
		p.PartySizes = append(p.PartySizes, n.PartySize)
		p.Units = append(p.Units, multirange(n.Units))
		p.BusyFrom = append(p.BusyFrom, n.BusyFrom)
		p.BusyUntil = append(p.BusyUntil, n.BusyUntil)
		var expires time.Time // of a confirmed booking it isn't written
		if n.HoldExpiresAt != nil {
			expires = *n.HoldExpiresAt
		}
		p.HoldsExpireAt = append(p.HoldsExpireAt, expires)
		p.Prices = append(p.Prices, n.Price)
		p.Deposits = append(p.Deposits, n.Deposit)
		p.Currencies = append(p.Currencies, n.Currency)
		p.Metadata = append(p.Metadata, string(n.Metadata))
	}
	exec(&t.batch, stmtInsertBooking, func(q *dbsqlc.Queries) error { return q.BookingInsertMany(t.ctx, p) })
}

func queueBooking(t *tx, n NewBooking) {
	exec(&t.batch, stmtInsertBooking, func(q *dbsqlc.Queries) error {
		return q.BookingInsert(t.ctx, dbsqlc.BookingInsertParams{
			TenantID: t.tenant, BookingID: n.BookingID, ServiceID: n.ServiceID, ResourceID: n.ResourceID,
			CustomerID: n.CustomerID, Status: n.Status, Date: n.Date, StartsAt: n.StartsAt, EndsAt: n.EndsAt,
			TimeZone: n.Location.String(), PartySize: n.PartySize, Units: multirange(n.Units), BusyFrom: n.BusyFrom,
			BusyUntil: n.BusyUntil, HoldExpiresAt: n.HoldExpiresAt, Price: n.Price, Deposit: n.Deposit, Currency: n.Currency,
			Metadata: n.Metadata, Now: t.now,
		})
	})
}

func queueExpireHolds(b *batch, t *tx, ids []uuid.UUID) {
	if len(ids) == 0 {
		return
	}
	exec(b, "expire holds", func(q *dbsqlc.Queries) error {
		return q.BookingExpireHolds(t.ctx, dbsqlc.BookingExpireHoldsParams{TenantID: t.tenant, BookingIds: ids, Now: t.now})
	})
}

// queueCustomerUpdate queues what differs between a customer as it was read and as it is to be.
func queueCustomerUpdate(t *tx, was, is Customer) {
	change := dbsqlc.CustomerUpdateParams{
		TenantID: t.tenant, CustomerID: was.CustomerID, Name: ifChanged(&was.Name, &is.Name), Phone: ifChanged(was.Phone, is.Phone),
		TimeZone: ifChanged(was.TimeZone, is.TimeZone), Birthday: ifChanged(was.Birthday, is.Birthday),
	}
	if change.Name == nil && change.Phone == nil && change.TimeZone == nil && change.Birthday == nil {
		return
	}
	exec(&t.batch, "update the customer", func(q *dbsqlc.Queries) error { return q.CustomerUpdate(t.ctx, change) })
}

// ifChanged returns the new value, nil if it is the same as before.
func ifChanged[T comparable](was, is *T) *T {
	if is == nil || was != nil && *was == *is {
		return nil
	}
	return is
}

func queueCustomer(t *tx, c Customer) {
	exec(&t.batch, "insert the customer", func(q *dbsqlc.Queries) error {
		return q.CustomerInsert(t.ctx, dbsqlc.CustomerInsertParams{
			TenantID: t.tenant, CustomerID: c.CustomerID, Email: c.Email, Name: c.Name, Phone: c.Phone,
			TimeZone: c.TimeZone, Birthday: c.Birthday, CreatedAt: t.now,
		})
	})
}
