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
	BookingID, ServiceID, ResourceID uuid.UUID
	// CustomerID is nil for a hold whose customer is not known yet.
	CustomerID *uuid.UUID
	// Contact is a JSON object that says who the booking is for; nil without a customer.
	Contact json.RawMessage
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
	// Reference and ExternalReference are the tenant's own names of the booking, nil without one.
	Reference, ExternalReference *string
	// Code is a short name of the booking.
	Code string
	// UniqueReferences says that no other booking of the tenant may get Reference or ExternalReference.
	UniqueReferences bool
	// Items is a JSON array, Terms a JSON object; nil means an empty one.
	Items, Terms json.RawMessage
}

func (n NewBooking) items() json.RawMessage { return orJSON(n.Items, "[]") }

func (n NewBooking) terms() json.RawMessage { return orJSON(n.Terms, "{}") }

func orJSON(given json.RawMessage, empty string) json.RawMessage {
	if len(given) == 0 {
		return json.RawMessage(empty)
	}
	return given
}

// orZero returns what p points to, the zero value for nil.
func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// claim is what the booking takes once it is written.
func (n NewBooking) claim() Claim {
	return Claim{
		BookingID: n.BookingID, ResourceID: n.ResourceID, Units: n.Units, BusyFrom: n.BusyFrom, BusyUntil: n.BusyUntil,
		ExpiresAt: n.HoldExpiresAt,
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
	var units []string
	for _, n := range list {
		units = append(units, multirange(n.Units))
		p.BookingIds = append(p.BookingIds, n.BookingID)
		p.ServiceIds = append(p.ServiceIds, n.ServiceID)
		p.ResourceIds = append(p.ResourceIds, n.ResourceID)
		p.CustomerIds = append(p.CustomerIds, orZero(n.CustomerID))
		p.Statuses = append(p.Statuses, n.Status)
		p.Dates = append(p.Dates, n.Date)
		p.LastDates = append(p.LastDates, lastDate(n.EndsAt, n.Location))
		p.Starts = append(p.Starts, n.StartsAt)
		p.Ends = append(p.Ends, n.EndsAt)
		p.TimeZones = append(p.TimeZones, n.Location.String())
		p.PartySizes = append(p.PartySizes, n.PartySize)
		p.BusyFrom = append(p.BusyFrom, n.BusyFrom)
		p.BusyUntil = append(p.BusyUntil, n.BusyUntil)
		p.HoldsExpireAt = append(p.HoldsExpireAt, orZero(n.HoldExpiresAt)) // of a confirmed booking it isn't written
		p.Prices = append(p.Prices, n.Price)
		p.Deposits = append(p.Deposits, n.Deposit)
		p.Currencies = append(p.Currencies, n.Currency)
		p.Metadata = append(p.Metadata, string(n.Metadata))
		p.OwnReferences = append(p.OwnReferences, orZero(n.Reference))
		p.ExternalReferences = append(p.ExternalReferences, orZero(n.ExternalReference))
		p.Codes = append(p.Codes, n.Code)
		p.Items = append(p.Items, string(n.items()))
		p.Terms = append(p.Terms, string(n.terms()))
		p.UniqueReferences = append(p.UniqueReferences, n.UniqueReferences)
		p.Contacts = append(p.Contacts, string(n.Contact))
	}
	exec(&t.batch, "insert the bookings", func(q *dbsqlc.Queries) error { return q.BookingInsertMany(t.ctx, p) }, nameTaken, otherCame)
	exec(&t.batch, "insert the claims", func(q *dbsqlc.Queries) error {
		return q.ClaimInsertMany(t.ctx, dbsqlc.ClaimInsertManyParams{
			TenantID: t.tenant, OwnerIds: p.BookingIds, ResourceIds: p.ResourceIds, Units: units, BusyFrom: p.BusyFrom,
			BusyUntil: p.BusyUntil, ExpireAt: p.HoldsExpireAt,
		})
	}, timeTaken, otherCame)
}

// lastDate returns the civil date on which a booking that ends at a time is on last.
func lastDate(endsAt time.Time, loc *time.Location) civil.Date {
	return civil.DateOf(endsAt.Add(-1).In(loc))
}

func queueBooking(t *tx, n NewBooking) {
	exec(&t.batch, "insert the booking", func(q *dbsqlc.Queries) error {
		return q.BookingInsert(t.ctx, dbsqlc.BookingInsertParams{
			TenantID: t.tenant, BookingID: n.BookingID, ServiceID: n.ServiceID, ResourceID: n.ResourceID,
			CustomerID: n.CustomerID, Status: n.Status, Date: n.Date, LastDate: lastDate(n.EndsAt, n.Location),
			StartsAt: n.StartsAt, EndsAt: n.EndsAt,
			TimeZone: n.Location.String(), PartySize: n.PartySize, Units: multirange(n.Units), BusyFrom: n.BusyFrom,
			BusyUntil: n.BusyUntil, HoldExpiresAt: n.HoldExpiresAt, Price: n.Price, Deposit: n.Deposit, Currency: n.Currency,
			Metadata: n.Metadata, Reference: n.Reference, ExternalReference: n.ExternalReference, Code: n.Code, Items: n.items(),
			Terms:            n.terms(),
			UniqueReferences: n.UniqueReferences, Contact: n.Contact, Now: t.now,
		})
	}, timeTaken, nameTaken, otherCame)
}

// queueCustomerUpdate queues what differs between a customer as it was read and as it is to be.
func queueCustomerUpdate(t *tx, was Customer, is putCustomer) {
	change := dbsqlc.CustomerUpdateParams{
		TenantID: t.tenant, CustomerID: was.CustomerID, ChangeID: is.changeID, Now: t.now, Name: ifChanged(&was.Name, &is.Name),
		ApiKeyID: unlessZero(is.actor.APIKeyID), RequestID: unlessZero(is.actor.RequestID), Replace: is.replaces,
		Phone: ifChanged(was.Phone, is.Phone), TimeZone: ifChanged(was.TimeZone, is.TimeZone), Birthday: ifChanged(was.Birthday, is.Birthday),
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

// unlessZero returns a pointer to v, nil for the zero value.
func unlessZero[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func queueCustomer(t *tx, c putCustomer) {
	exec(&t.batch, "insert the customer", func(q *dbsqlc.Queries) error {
		return q.CustomerInsert(t.ctx, dbsqlc.CustomerInsertParams{
			TenantID: t.tenant, CustomerID: c.CustomerID, Email: c.Email, Name: c.Name, Phone: c.Phone,
			TimeZone: c.TimeZone, Birthday: c.Birthday, ChangeID: c.changeID, Now: t.now,
			ApiKeyID: unlessZero(c.actor.APIKeyID), RequestID: unlessZero(c.actor.RequestID),
		})
	})
}
