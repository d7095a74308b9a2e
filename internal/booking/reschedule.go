package booking

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/bounds"
	"holdfast/internal/claim"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// Move says where a booking goes. What it doesn't give stays.
type Move struct {
	timetable.When
	ServiceID *uuid.UUID `json:"service_id,omitempty" format:"uuid" doc:"Another service."`
	// Resources name resources that it must have. For a need of which they name none, the booking keeps its resources,
	// as long as the service lists them; further resources of a session are the session's. AnyResource takes the first
	// ones of the service's that fit. OthersIfTaken keeps the booking's resources where they are free, and takes others
	// in place of those that aren't. At most one is given.
	Resources
	AnyResource   bool `json:"any_resource,omitempty" doc:"true: it gets one of the service's resources, chosen as for a new booking. Leave out resource_id and resource_ids then."`
	OthersIfTaken bool `json:"-"`
	// Party says how many come of a unit type, by its key. At most one of PartySize and Party is given.
	PartySize *int           `json:"party_size,omitempty" minimum:"1" maximum:"1000" doc:"Of a booking with unit types give party instead."`
	Party     map[string]int `json:"party,omitempty" doc:"How many come of a unit type; types that it does not name stay, and 0 takes one out. It is what the price is made of, so a change needs price quote."`
	Price     PriceRule      `json:"price,omitempty" default:"keep" doc:"keep: price, items, deposit and cancellation policy stay. quote: the service's rules make them anew."`
	// ByCustomer are the rules for a move by the booking's link, nil for a move by the tenant.
	ByCustomer *CustomerRules `json:"-"`
}

// RescheduleRequest moves a booking.
type RescheduleRequest struct {
	Move
	AtPrice
}

// check returns problem.ValidationFailed for what no booking can be moved to.
func (m Move) check() error {
	if len(m.named()) > 0 && (m.AnyResource || m.OthersIfTaken) {
		return problem.Invalid("any_resource", "excluded", "Leave out any_resource, or leave out resource_id.")
	}
	return cmp.Or(bounds.Check("", m), checkParty(m.PartySize != nil, m.Party), m.Resources.check())
}

// requotes reports whether the price, its items, the deposit and the cancellation policy are made anew by the service's
// rules.
func (m Move) requotes() bool { return m.Price == PriceQuoted }

// saysNothing reports whether a request that need not move a booking doesn't: it gives nothing, or that the price is
// kept.
func (m Move) saysNothing() bool {
	if m.Price == PriceKept {
		m.Price = ""
	}
	return reflect.ValueOf(m).IsZero()
}

// AtPrice says at which price a booking is changed.
type AtPrice struct {
	// ExpectPrice is in minor units of the booking's currency; nil takes any price.
	ExpectPrice *int64 `json:"expect_price,omitempty" minimum:"0" maximum:"9007199254740991" example:"4500" doc:"At this price, or not at all: the price that the booking has after the change, in minor units of its currency. For another one the answer is 409 price_changed with the price, and nothing changes."`
}

// checkPrice returns problem.PriceChanged, with the price, for another one than is expected; nil expects none.
func checkPrice(expected *int64, price int64) error {
	if expected == nil || *expected == price {
		return nil
	}
	const detail = "The booking would have another price by now; see price."
	document := problem.DocumentOf(problem.New(problem.PriceChanged, detail))
	document.Price = &price
	return document
}

// needsPayment reports whether the move is judged by the booking's open payment too.
func (m Move) needsPayment() bool { return m.requotes() || m.ByCustomer != nil }

// Reschedule moves a booking to another time, resource or service, or changes its party, in one commit. The commit
// holds the date locks of all dates that the booking leaves and of all that it goes to, buffers included, so that
// nobody can take the new time before the booking has it, and the old time is free at the instant at which the new one
// is taken. The new place is judged by every rule that Create judges by. The booking itself is never in its own way. A
// hold keeps its expiry.
//
// A request for what is already so changes nothing, and is answered with the booking as it is. A booking whose place
// doesn't change is quoted anew without being judged.
//
// Errors: those of Create about the new place; those of CustomerRules.CheckMove; problem.PriceChanged for another price
// than ExpectPrice; problem.PaymentInProgress for a lower price while a payment or refund is open;
// problem.VersionMismatch, problem.HoldExpired, and problem.InvalidState for a booking that is neither held nor
// confirmed; those of db.Request.Outcome and of Service.dates. No refusal writes anything.
func (s *Service) Reschedule(
	ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, req RescheduleRequest,
	allowed etag.Precondition,
) (idempotency.Outcome, error) {
	return s.amendWithKey(ctx, t, r, id, AmendRequest{Move: &req.Move, AtPrice: req.AtPrice}, allowed)
}

// move gives the booking another time, on resources or, without any, on any of the service's, and another party and
// price. Errors: those of Move.applyTo.
func (c *amending) move(at timetable.BookingTime, wanted []uuid.UUID) error {
	if c.Move == nil {
		return nil
	}
	after, to, err := c.Move.applyTo(c.before, c.rules, at, wanted, c.st)
	if err != nil {
		return err
	}
	if !after.differs(c.before) {
		return nil
	}
	c.after = after
	c.addEvent(RescheduledEvent)
	if c.after.Overpaid > c.before.Overpaid {
		c.addEvent(overpaidEvent)
	}
	return c.after.queueMove(c.tx, c.before, to, int64(len(c.events)))
}

// resourcesOf returns the resources that the booking must have. A need of which there is none gets any.
func (m Move) resourcesOf(b Booking, rs *rules) []uuid.UUID {
	switch {
	case m.AnyResource || m.OthersIfTaken:
		return nil
	case len(m.named()) > 0 && rs.Service.Occupies == timetable.OccupiesSession:
		return m.named()
	}
	wanted := slices.Clone(m.named())
	for _, n := range rs.Service.AllNeeds() {
		if !slices.ContainsFunc(n.ResourceIDs, func(id uuid.UUID) bool { return slices.Contains(m.named(), id) }) {
			wanted = append(wanted, b.resourcesFor(n)...)
		}
	}
	return wanted
}

// resourcesFor returns the booking's resources that a need lists; none if the need can't have so many.
func (b Booking) resourcesFor(n timetable.Need) []uuid.UUID {
	own := slices.DeleteFunc(slices.Clone(b.ResourceIDs()),
		func(id uuid.UUID) bool { return !slices.Contains(n.ResourceIDs, id) })
	if len(own) > 1 && !n.Join {
		return nil
	}
	return own
}

// keepsResources reports whether the booking can stay on the resources that it has, if it must have the wanted ones.
func (m Move) keepsResources(b Booking, rs *rules, wanted []uuid.UUID) bool {
	own := b.ResourceIDs()
	switch {
	case !containsAll(own, wanted):
		return false
	case len(wanted) == len(own), len(m.named()) > 0:
		return true
	}
	return !slices.ContainsFunc(own, func(id uuid.UUID) bool { // all of them take bookings of the service
		return !slices.ContainsFunc(rs.Resources, func(r timetable.Resource) bool { return r.ID == id })
	})
}

// allocate finds what the booking needs at its new time. With OthersIfTaken it looks first whether all that the booking
// has is free. Errors: those of timetable.Rules.Allocate.
func (m Move) allocate(b Booking, rs *rules, at timetable.BookingTime, wanted []uuid.UUID, party int,
	occupied []claim.Claim, st state,
) (timetable.Allocation, error) {
	if party != b.PartySize || rs.Service.ID != b.ServiceID {
		if err := rs.CheckParty(party); err != nil {
			return timetable.Allocation{}, err
		}
	}
	if m.OthersIfTaken {
		if kept := (Move{}).resourcesOf(b, rs); len(kept) > 0 {
			if a, err := rs.Allocate(at, kept, party, occupied, st.Count, st.Now); err == nil {
				return a, nil
			}
		}
	}
	of := rs.Rules
	if !m.AnyResource {
		of = of.Preferring(b.ResourceIDs())
	}
	return of.Allocate(at, wanted, party, occupied, st.Count, st.Now)
}

// containsAll reports whether a list has all of some ids.
func containsAll(list, ids []uuid.UUID) bool {
	return !slices.ContainsFunc(ids, func(id uuid.UUID) bool { return !slices.Contains(list, id) })
}

// applyTo returns the booking after the move, and where it goes; that is nil if the booking keeps its place. With an
// error about the new place, the booking has the price and the time that it would have. st has what rules.readForMove
// says, and the open payment where needsPayment says so.
//
// Errors: those of quote and of timetable.Rules.Allocate; problem.PaymentInProgress; holdsInTheWay that have to be
// marked as expired first.
func (m Move) applyTo(b Booking, rs *rules, at timetable.BookingTime, wanted []uuid.UUID,
	st state,
) (Booking, *timetable.Allocation, error) {
	after := b
	q, err := m.quote(b, rs, at)
	if err != nil {
		return after, nil, err
	}
	after.Price, after.Deposit, after.Items = q.Price, q.Deposit, q.Items
	if m.requotes() {
		after.Terms = rs.terms
	}
	after.PartySize = q.PartySize
	var to *timetable.Allocation
	var expire []uuid.UUID
	if !m.keepsResources(b, rs, wanted) || rs.Service.ID != b.ServiceID || !rs.IsAt(b.booked().BookingTime, at) ||
		q.PartySize != b.PartySize {
		occupied, lapsed := b.booked().Without(st.Occupied, st.Now)
		after.ServiceID = rs.Service.ID
		after.setTime(at, rs.Loc)
		p, err := m.allocate(b, rs, at, wanted, q.PartySize, occupied, st)
		if err != nil {
			return after, nil, err
		}
		to, expire = &p, slices.Concat(p.Expire, lapsed)
		after.ResourceID, after.furtherIDs, after.sessionID = p.Resource.ID, p.FurtherIDs, nil
		after.setTime(p.Time, rs.Loc)
		if p.Session != nil {
			after.sessionID = &p.Session.ID
		}
	}
	switch {
	case after.Price < b.Price && st.OpenPayment != nil:
		// The payment may be too much for the new price.
		return after, nil, PaymentInProgress(st.OpenPayment, "the price can't go down.")
	case len(expire) > 0:
		return after, nil, holdsInTheWay(expire)
	}
	return after, to, nil
}

// setTime gives the booking a time in loc.
func (b *Booking) setTime(at timetable.BookingTime, loc *time.Location) {
	b.Date, b.Location, b.StartsAt, b.EndsAt = at.Date, loc, at.Start.In(loc), at.End.In(loc)
	b.busyFrom, b.busyUntil, b.Nights = at.BusyFrom, at.BusyUntil, at.Nights
}

// quote returns what the booking costs after the move, and how many units it takes. Errors: problem.ValidationFailed,
// also for a party by unit type that differs from the booking's without PriceQuoted: it is what the price is made of.
func (m Move) quote(b Booking, rs *rules, at timetable.BookingTime) (timetable.Quote, error) {
	q := timetable.Quote{PartySize: b.PartySize, Items: b.Items, Price: b.Price, Deposit: b.Deposit}
	set(&q.PartySize, m.PartySize)
	units := timetable.PartyByType(b.Items)
	given := partyWith(units, m.Party, rs.Service.UnitTypes)
	switch {
	case m.requotes() && m.Party != nil:
		return rs.Quote(at, timetable.Party{Units: given})
	case m.requotes() && m.PartySize == nil && len(rs.Service.UnitTypes) > 0:
		return rs.Quote(at, timetable.Party{Units: units})
	case m.requotes():
		return rs.Quote(at, timetable.Party{Size: q.PartySize})
	case m.Party != nil && !sameParty(given, units), units != nil && q.PartySize != b.PartySize:
		return q, problem.Invalid("price", "required",
			"The price depends on the types of units. Give party, and ask for a new price: \"price\": \"quote\".")
	}
	return q, nil
}

// partyWith returns a party with what is given of it. What the service has no unit type for, and isn't given, is left
// out.
func partyWith(before, given map[string]int, types []timetable.UnitType) map[string]int {
	after := maps.Clone(given)
	for _, u := range types {
		if _, isGiven := given[u.Key]; !isGiven && given != nil && before[u.Key] > 0 {
			after[u.Key] = before[u.Key]
		}
	}
	return after
}

// sameParty reports whether as many come of each unit type.
func sameParty(a, b map[string]int) bool {
	for _, list := range []map[string]int{a, b} {
		for key := range list {
			if a[key] != b[key] {
				return false
			}
		}
	}
	return true
}

// differs reports whether a booking has another place, party or price than before.
func (b Booking) differs(before Booking) bool {
	return b.placeDiffers(before) || b.PartySize != before.PartySize || b.Price != before.Price ||
		b.Deposit != before.Deposit ||
		!slices.Equal(b.Items, before.Items) || !b.Terms.Equal(before.Terms)
}

// placeDiffers reports whether a booking has another service, resource or time than before.
func (b Booking) placeDiffers(before Booking) bool {
	return b.ServiceID != before.ServiceID || !slices.Equal(b.ResourceIDs(), before.ResourceIDs()) ||
		!b.StartsAt.Equal(before.StartsAt) ||
		!b.EndsAt.Equal(before.EndsAt) || b.Nights != before.Nights ||
		!b.busyFrom.Equal(before.busyFrom) ||
		!b.busyUntil.Equal(before.busyUntil)
}

// queueMove queues that the booking leaves its place of before and takes its own. So many events tell of it.
func (b Booking) queueMove(tx *datesTx, before Booking, to *timetable.Allocation, events int64) error {
	items, terms, err := b.storedPrice()
	if err != nil {
		return err
	}
	var takes *takenClaims
	if to != nil {
		takes = &takenClaims{BookingID: b.ID, Claims: to.Claims, Session: to.Session}
		if b.Status == Held {
			takes.ExpiresAt = b.HoldExpiresAt
		}
	}
	return tx.move(movedRow{
		BookingID:  b.ID,
		Version:    before.storedVersion,
		Events:     events,
		FreedFrom:  before.busyFrom,
		FreedUntil: before.busyUntil,
		FreedIn:    before.Location,
		ServiceID:  b.ServiceID,
		ResourceID: b.ResourceID,
		Date:       b.Date,
		StartsAt:   b.StartsAt,
		EndsAt:     b.EndsAt,
		BusyFrom:   b.busyFrom,
		BusyUntil:  b.busyUntil,
		Location:   b.Location,
		PartySize:  int32(b.PartySize),
		Nights:     int32(b.Nights),
		Takes:      takes,
		SessionID:  b.sessionID,
		FurtherIDs: b.furtherIDs,
		Price:      b.Price,
		Deposit:    b.Deposit,
		Items:      items,
		Terms:      terms,
	})
}
