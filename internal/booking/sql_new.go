package booking

import (
	"encoding/json"
	"strings"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/booking/internal/datessql"
	"holdfast/internal/claim"
	"holdfast/internal/claim/occupancy"
	"holdfast/internal/customer"
	"holdfast/internal/db"
)

// newRow is a booking to be written. Its tenant is that of the locks.
type newRow struct {
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
	// Location is the tenant's time zone.
	Location  *time.Location
	PartySize int32
	// Nights is how many nights the booking is for; 0 unless it is a stay.
	Nights int32
	// Claims are what the booking takes, without owner and end: with Session, seats of that. FurtherIDs name its
	// further resources, also those of its session.
	Claims        []claim.Claim
	Session       *claim.Session
	FurtherIDs    []uuid.UUID
	HoldExpiresAt *time.Time
	// Price and Deposit are minor units of Currency.
	Price, Deposit int64
	Currency       string
	// Details is a JSON object, Reference and ExternalReference are the tenant's own names of the booking in it, nil
	// without one.
	Details                      json.RawMessage
	Reference, ExternalReference *string
	// Code is a short name of the booking.
	Code string
	// UniqueReferences says that no other booking of the tenant may get Reference or ExternalReference.
	UniqueReferences bool
	// ByVisitor says that a visitor of the tenant's website made the booking.
	ByVisitor bool
	// Items is a JSON array, Terms a JSON object; nil means an empty one.
	Items, Terms json.RawMessage
}

func (n newRow) items() json.RawMessage { return orJSON(n.Items, "[]") }

func (n newRow) terms() json.RawMessage { return orJSON(n.Terms, "{}") }

func orJSON(given json.RawMessage, empty string) json.RawMessage {
	if len(given) == 0 {
		return json.RawMessage(empty)
	}
	return given
}

// allClaims are what the booking takes once it is written, its session's included.
func (n newRow) allClaims() []claim.Claim {
	own := n.ownClaims()
	if n.Session.Opens() {
		return append(ownedBy(n.Session.ID, n.HoldExpiresAt, n.Session.Opening), own...)
	}
	return own
}

// ownClaims are what the booking takes, without what its session takes.
func (n newRow) ownClaims() []claim.Claim { return ownedBy(n.BookingID, n.HoldExpiresAt, n.Claims) }

// atOnce reports whether the booking takes the units of its first claim for all of its time.
func (n newRow) atOnce() bool { return n.Claims[0].BusyUntil.Equal(n.BusyUntil) }

// queueBookings queues bookings, in one statement.
func queueBookings(tx *db.DatesTx, list []newRow) {
	var customers []uuid.UUID
	for _, n := range list {
		if n.CustomerID != nil {
			customers = append(customers, *n.CustomerID)
		}
	}
	customer.Keep(tx, erased, customers...)
	queueSessions(tx, list)
	switch {
	case len(list) == 0:
		return
	case len(list) == 1 && list[0].atOnce():
		queueBooking(tx, list[0])
		return
	}
	p := datessql.BookingInsertManyParams{TenantID: tx.Tenant(), Now: tx.Now()}
	var claims occupancy.Many
	for _, n := range list {
		claims.Add(n.ownClaims(), idOf(n.Session), 1)
		p.BookingIds = append(p.BookingIds, n.BookingID)
		p.ServiceIds = append(p.ServiceIds, n.ServiceID)
		p.ResourceIds = append(p.ResourceIds, n.ResourceID)
		p.CustomerIds = append(p.CustomerIds, db.OrZero(n.CustomerID))
		p.Statuses = append(p.Statuses, n.Status)
		p.Dates = append(p.Dates, n.Date)
		p.LastDates = append(p.LastDates, lastDate(n.EndsAt, n.Location))
		p.Starts = append(p.Starts, n.StartsAt)
		p.Ends = append(p.Ends, n.EndsAt)
		p.TimeZones = append(p.TimeZones, n.Location.String())
		p.PartySizes = append(p.PartySizes, n.PartySize)
		p.BusyFrom = append(p.BusyFrom, n.BusyFrom)
		p.BusyUntil = append(p.BusyUntil, n.BusyUntil)
		p.HoldsExpireAt = append(p.HoldsExpireAt, db.OrZero(n.HoldExpiresAt)) // of a confirmed booking it isn't written
		p.Prices = append(p.Prices, n.Price)
		p.Deposits = append(p.Deposits, n.Deposit)
		p.Currencies = append(p.Currencies, n.Currency)
		p.Details = append(p.Details, string(n.Details))
		p.Codes = append(p.Codes, n.Code)
		p.Items = append(p.Items, string(n.items()))
		p.Terms = append(p.Terms, string(n.terms()))
		p.UniqueReferences = append(p.UniqueReferences, n.UniqueReferences)
		p.Contacts = append(p.Contacts, string(n.Contact))
		p.SessionIds = append(p.SessionIds, db.OrZero(idOf(n.Session)))
		p.OtherResourceIds = append(p.OtherResourceIds, uuidArray(n.FurtherIDs))
		p.Nights = append(p.Nights, n.Nights)
		p.ByVisitor = append(p.ByVisitor, n.ByVisitor)
	}
	db.Exec(underDates.On(tx), "insert the bookings", func(q *datessql.Queries) error {
		return q.BookingInsertMany(tx.Context(), p)
	}, nameTaken, otherCame)
	occupancy.TakeMany(tx, claims, otherCame)
}

// uuidArray returns ids as the text of an array, "" for none.
func uuidArray(ids []uuid.UUID) string {
	if len(ids) == 0 {
		return ""
	}
	return "{" + strings.Join(db.Convert(ids, uuid.UUID.String), ",") + "}"
}

// lastDate returns the civil date on which a booking that ends at a time is on last.
func lastDate(endsAt time.Time, loc *time.Location) civil.Date {
	return civil.DateOf(endsAt.Add(-1).In(loc))
}

// queueBooking queues a booking that takes the units of its first claim for all of its time.
func queueBooking(tx *db.DatesTx, n newRow) {
	db.Exec(underDates.On(tx), "insert the booking", func(q *datessql.Queries) error {
		return q.BookingInsert(tx.Context(), datessql.BookingInsertParams{
			TenantID:         tx.Tenant(),
			BookingID:        n.BookingID,
			ServiceID:        n.ServiceID,
			ResourceID:       n.ResourceID,
			CustomerID:       n.CustomerID,
			Status:           n.Status,
			Date:             n.Date,
			LastDate:         lastDate(n.EndsAt, n.Location),
			StartsAt:         n.StartsAt,
			EndsAt:           n.EndsAt,
			TimeZone:         n.Location.String(),
			PartySize:        n.PartySize,
			Units:            occupancy.Multirange(n.Claims[0].Units),
			BusyFrom:         n.BusyFrom,
			BusyUntil:        n.BusyUntil,
			HoldExpiresAt:    n.HoldExpiresAt,
			Price:            n.Price,
			Deposit:          n.Deposit,
			Currency:         n.Currency,
			Details:          n.Details,
			Code:             n.Code,
			Items:            n.items(),
			Terms:            n.terms(),
			UniqueReferences: n.UniqueReferences,
			Contact:          n.Contact,
			SessionID:        idOf(n.Session),
			OtherResourceIds: n.FurtherIDs,
			Nights:           n.Nights,
			ByVisitor:        n.ByVisitor,
			Now:              tx.Now(),
		})
	}, occupancy.TimeTaken, nameTaken, otherCame)
	occupancy.Take(tx, n.ownClaims()[1:], idOf(n.Session), 2)
}

// idOf returns the id of a session, nil for none.
func idOf(s *claim.Session) *uuid.UUID {
	if s == nil {
		return nil
	}
	return &s.ID
}

// queueSession queues that a session takes what it opens with, and lasts until a time, nil for ever. If the session
// exists, its end moves to that time if this is later.
func queueSession(tx *db.DatesTx, s *claim.Session, until *time.Time) {
	if s.Opens() {
		occupancy.Take(tx, ownedBy(s.ID, until, s.Opening), nil, 1)
		return
	}
	occupancy.ExtendSession(tx, s.ID, until)
}

// queueSessions queues the sessions of bookings, each once. One that a booking opens comes before those that join it.
func queueSessions(tx *db.DatesTx, list []newRow) {
	lasts := make(map[uuid.UUID]*time.Time) // until when each session lasts by the bookings of the list; nil for ever
	for _, n := range list {
		if n.Session == nil {
			continue
		}
		until, seen := lasts[n.Session.ID]
		if !seen || n.HoldExpiresAt == nil || until != nil && until.Before(*n.HoldExpiresAt) {
			lasts[n.Session.ID] = n.HoldExpiresAt
		}
	}
	for _, n := range list {
		if n.Session == nil {
			continue
		}
		if until, waits := lasts[n.Session.ID]; waits {
			queueSession(tx, n.Session, until)
			delete(lasts, n.Session.ID)
		}
	}
}

// ownedBy gives claims their owner, and until when they last; nil for ever. It changes and returns the list.
func ownedBy(owner uuid.UUID, until *time.Time, claims []claim.Claim) []claim.Claim {
	for i := range claims {
		claims[i].OwnerID, claims[i].ExpiresAt = owner, until
	}
	return claims
}
