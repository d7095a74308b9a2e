package store

import (
	"context"
	"encoding/json"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// NewBooking is a booking to be written. Its tenant and date are those of the lock.
type NewBooking struct {
	BookingID, ServiceID, ResourceID, CustomerID uuid.UUID
	// Status is "held" or "confirmed".
	Status              string
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

// insertion is a booking to be written with its answer.
type insertion struct {
	NewBooking
	answer Answer
	key    string
	date   civil.Date
}

// occupancy is what the booking takes once it is written.
func (n insertion) occupancy() Occupancy {
	return Occupancy{
		BookingID: n.BookingID, ResourceID: n.ResourceID, Units: n.Units, BusyFrom: n.BusyFrom, BusyUntil: n.BusyUntil,
		HoldExpiresAt: n.HoldExpiresAt,
	}
}

// stepInsertBooking names the statement whose violations have a meaning: the time is taken, the key is, or the
// customer was made by another booking.
const stepInsertBooking = "insert the booking"

// addBooking writes a booking and its answer.
func addBooking(ctx context.Context, f *flight, tenant uuid.UUID, n insertion, now time.Time) {
	exec(f, stepInsertBooking, func(q *dbsqlc.Queries) error {
		return q.BookingInsert(ctx, dbsqlc.BookingInsertParams{
			TenantID: tenant, BookingID: n.BookingID, ServiceID: n.ServiceID, ResourceID: n.ResourceID,
			CustomerID: n.CustomerID, Status: n.Status, Date: n.date, StartsAt: n.StartsAt, EndsAt: n.EndsAt,
			TimeZone: n.Location.String(), PartySize: n.PartySize, Units: multirange(n.Units), BusyFrom: n.BusyFrom,
			BusyUntil: n.BusyUntil, HoldExpiresAt: n.HoldExpiresAt, Price: n.Price, Deposit: n.Deposit, Currency: n.Currency,
			Metadata: n.Metadata, Now: now,
			Key: n.key, Fingerprint: n.answer.Fingerprint, AnswerStatus: int32(n.answer.Status), Location: n.answer.Location,
			Etag: n.answer.ETag, Body: n.answer.Body, AnswerExpiresAt: n.answer.ExpiresAt,
		})
	})
}

// addBookings writes bookings and their answers in one statement.
func addBookings(ctx context.Context, f *flight, tenant uuid.UUID, list []insertion, now time.Time) {
	switch len(list) {
	case 0:
		return
	case 1:
		addBooking(ctx, f, tenant, list[0], now)
		return
	}
	p := dbsqlc.BookingInsertManyParams{TenantID: tenant, Now: now}
	for _, n := range list {
		p.BookingIds = append(p.BookingIds, n.BookingID)
		p.ServiceIds = append(p.ServiceIds, n.ServiceID)
		p.ResourceIds = append(p.ResourceIds, n.ResourceID)
		p.CustomerIds = append(p.CustomerIds, n.CustomerID)
		p.Statuses = append(p.Statuses, n.Status)
		p.Dates = append(p.Dates, n.date)
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

		p.Keys = append(p.Keys, n.key)
		p.Fingerprints = append(p.Fingerprints, n.answer.Fingerprint)
		p.AnswerStatuses = append(p.AnswerStatuses, int32(n.answer.Status))
		p.Locations = append(p.Locations, n.answer.Location)
		p.Etags = append(p.Etags, n.answer.ETag)
		p.Bodies = append(p.Bodies, n.answer.Body)
		p.AnswersExpireAt = append(p.AnswersExpireAt, n.answer.ExpiresAt)
	}
	exec(f, stepInsertBooking, func(q *dbsqlc.Queries) error { return q.BookingInsertMany(ctx, p) })
}
