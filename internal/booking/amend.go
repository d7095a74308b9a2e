package booking

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/bounds"
	"holdfast/internal/datetime"
	"holdfast/internal/db"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// AmendRequest says what changes of a booking in one commit. What it doesn't give stays.
type AmendRequest struct {
	// Move is where the booking goes, and what it costs there; nil keeps time, resource, party and price.
	*Move
	AtPrice
	// DetailsPatch describes Details, which say what changes of the booking's details.
	DetailsPatch
	Details mergepatch.Patch[Details] `json:"-"`
	// CustomerChoice names another customer; without one the booking keeps its own. A hold that has none needs one to
	// be confirmed.
	CustomerChoice
	// ByCustomer are the rules for a CustomerChoice by the booking's link, nil for one by the tenant.
	ByCustomer *CustomerRules `json:"-"`
	// NewLink ends the links that lead the customer to the booking; the next one that is made works.
	NewLink bool `json:"new_link,omitempty" doc:"true: the links that lead the customer to the booking stop working; GET /v1/bookings/{id}/link gives the next one. Another email does so by itself."`
	// HoldMinutes is how long a hold lasts from now; nil keeps its end.
	HoldMinutes *int `json:"hold_minutes,omitempty" minimum:"1" maximum:"10080" example:"15" doc:"How long a hold lasts from now. A hold that lasts longer already keeps its end; in all it lasts at most 7 days."`
	// holdUntil is until when a hold lasts at least; nil keeps its end. It isn't given with HoldMinutes.
	holdUntil *time.Time
	// Confirm confirms a hold. IfStillFree also confirms a hold past its expiry, marked as expired or not, if its time
	// is still free.
	Confirm     bool `json:"-"`
	IfStillFree bool `json:"-"`
	// DepositFirst confirms a hold only if nothing of its deposit is due.
	DepositFirst bool `json:"-"`
	// newDetails are those that the booking gets, without what it keeps.
	newDetails Details
}

// withoutEmptyMove returns the request without a Move that says nothing.
func (a AmendRequest) withoutEmptyMove() AmendRequest {
	if a.Move != nil && a.saysNothing() {
		a.Move = nil
	}
	return a
}

// check returns problem.ValidationFailed, and otherwise brings the customer into the form that is stored. now may be
// this server's clock.
func (a *AmendRequest) check(t tenant.Tenant, now time.Time) (err error) {
	if a.Move != nil {
		if err := a.Move.check(); err != nil {
			return err
		}
	}
	if a.newDetails, err = a.Details.Apply(Details{}); err != nil {
		return err
	}
	if err := cmp.Or(bounds.Check("", *a), a.newDetails.check()); err != nil {
		return err
	}
	return a.CustomerChoice.check(t, now)
}

// Amend moves a booking, changes what it has, extends it and confirms it, as far as a asks for it. It is one commit
// under the date locks of all dates that the booking leaves and goes to. The parts are judged in this order: move,
// details, extension, customer, confirmation. Each has the rules that it has alone: see Reschedule,
// Extend and Confirm. If one is refused, nothing is written.
//
// The details of every booking can be changed, the customer and the contact of one that is held or
// confirmed. Another address gets what is still to be sent of the booking, and an email of its own that tells of the
// booking; the former one gets the withdrawal of its calendar entry. An amendment to what is already so writes nothing
// and keeps the version.
//
// The feed has a change for each part, one after the other: booking.rescheduled, booking.overpaid, booking.updated,
// booking.confirmed, each with a version of its own. So a client that listens to one type misses nothing. A new
// customer is part of the confirmation, if there is one.
//
// Errors: those of Reschedule, Extend and Confirm; those of CustomerRules.CheckDetails; problem.NotFound and
// problem.AlreadyExists for a customer and a reference; problem.PriceChanged. No refusal writes anything.
func (s *Service) Amend(ctx context.Context, t tenant.Tenant, id uuid.UUID, a AmendRequest, allowed etag.Precondition,
) (after Booking, err error) {
	return s.amend(ctx, t, nil, id, a, allowed)
}

// amendWithKey is Amend for a request with an idempotency key.
func (s *Service) amendWithKey(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID,
	a AmendRequest,
	allowed etag.Precondition,
) (idempotency.Outcome, error) {
	request := r.DBRequest(t.ID)
	_, err := s.amend(ctx, t, request, id, a, allowed)
	return request.Outcome(err)
}

func (s *Service) amend(ctx context.Context, t tenant.Tenant, request *db.Request, id uuid.UUID, a AmendRequest,
	allowed etag.Precondition,
) (after Booking, err error) {
	if err := a.check(t, time.Now()); err != nil {
		return after, err
	}
	var service *uuid.UUID
	if a.Move != nil {
		service = a.Move.ServiceID
	}
	err = s.retryWhileChanging(ctx, t, id, service, func(seen Booking, rs *rules) (err error) {
		after, err = s.tryAmend(ctx, t, request, seen, a, allowed, rs)
		return err
	})
	return after, err
}

// tryAmend amends a booking as it was seen. It returns errMoved if the booking isn't at that time any more once the
// dates are locked, errStaleRules if rs aren't the service's rules any more, and holdsInTheWay if holds have to be
// marked as expired first.
func (s *Service) tryAmend(ctx context.Context, t tenant.Tenant, request *db.Request, seen Booking, a AmendRequest,
	allowed etag.Precondition,
	rs *rules,
) (after Booking, err error) {
	at, wanted, newDates := seen.booked().BookingTime, seen.ResourceIDs(), []civil.Date(nil)
	if a.Move != nil {
		if at, err = rs.BookingTimeOf(rs.WhenOf(seen.booked().BookingTime, a.Move.When)); err != nil {
			return after, err
		}
		wanted, newDates = a.Move.resourcesOf(seen, rs), datetime.DatesIn(at.BusyFrom, at.BusyUntil, rs.Loc)
	}
	asked := a.neededReads(rs, at, wanted, seen)
	err = s.lockAndDecide(ctx, t.ID, request, seen, newDates, asked, func(tx *datesTx, st state, b Booking) error {
		if err := allowed.Check("booking", b.Version); err != nil {
			return err
		}
		if err := a.checkStatus(b, st); err != nil {
			return err
		}
		switch {
		case !b.StartsAt.Equal(seen.StartsAt):
			return errMoved
		case st.CatalogVersion != rs.Version:
			return errStaleRules
		}
		c := amending{AmendRequest: &a, tx: tx, st: st, rules: rs, before: b, after: b}
		err := c.queue(at, wanted)
		after = c.after
		return err
	})
	return after, err
}

func (a *AmendRequest) extends() bool { return a.HoldMinutes != nil || a.holdUntil != nil }

// neededReads returns what has to be read under the locks. The booking is wanted at a time, on some resources or,
// without these, on any of the service's.
func (a *AmendRequest) neededReads(rs *rules, at timetable.BookingTime, wanted []uuid.UUID, seen Booking,
) (asked reads) {
	if a.Move != nil || a.IfStillFree {
		asked = rs.readForMove(at, wanted, seen)
	}
	asked.OpenPayment = a.ByCustomer != nil || a.Move != nil && a.Move.needsPayment()
	a.addReads(&asked)
	if !a.Confirm { // a hold that is confirmed is open no more
		a.readHolds(&asked, rs)
		asked.VisitorHoldExcept = &seen.ID
	}
	asked.NamesInUse = a.newDetails.names(rs.uniqueReferences)
	return asked
}

// checkStatus returns problem.HoldExpired or problem.InvalidState for a part that the booking's status doesn't allow,
// and those of CustomerRules.CheckMove and CustomerRules.CheckDetails for a move and for details by its customer. Who
// the customer will be is looked at later.
func (a *AmendRequest) checkStatus(b Booking, st state) error {
	now := st.Now
	if a.Move != nil || a.extends() {
		if err := b.State().checkOpen(now); err != nil {
			return err
		}
	}
	if a.Move != nil {
		if err := a.Move.ByCustomer.CheckMove(b, isPaying(st.OpenPayment), now); err != nil {
			return err
		}
	}
	if a.extends() && b.Status != Held {
		return problem.New(problem.InvalidState, "The booking is confirmed, so it has no end to extend.")
	}
	if a.Confirm && (!a.IfStillFree || !b.State().hasExpired(now)) {
		if _, err := Confirm.statusAfter(b.State(), b.StartsAt, now); err != nil {
			return err
		}
	}
	if !a.given() {
		return nil
	}
	return a.ByCustomer.CheckDetails(b, isPaying(st.OpenPayment))
}

// amending is an AmendRequest under the locks.
type amending struct {
	*AmendRequest

	tx    *datesTx
	st    state
	rules *rules
	// before is the booking as it was, after as it is with the parts so far.
	before, after Booking
	// events are those of the parts done so far, each with the booking after it.
	events []bookingEvent
}

// bookingEvent is a booking after a change, with the change's type.
type bookingEvent struct {
	Booking

	changeType string
}

// addEvent adds an event of a type with the booking as it is now, and with the next version.
func (c *amending) addEvent(changeType string) {
	c.after.Version, c.after.UpdatedAt = c.after.Version+1, c.st.Now
	c.after.updateDue(c.st.Now)
	c.events = append(c.events, bookingEvent{c.after, changeType})
}

// queue judges the parts, and queues what they write and the response. The booking is wanted at a time, on resources or
// any of the service's.
func (c *amending) queue(at timetable.BookingTime, wanted []uuid.UUID) error {
	if err := c.move(at, wanted); err != nil {
		return err
	}
	moves := len(c.events)
	if err := c.update(); err != nil {
		return err
	}
	if err := c.confirm(); err != nil {
		return err
	}
	if err := checkPrice(c.ExpectPrice, c.after.Price); err != nil {
		return err
	}
	if len(c.events) > moves {
		if err := c.queueUpdate(int64(moves)); err != nil {
			return err
		}
	}
	resp, err := c.before.changed()
	for _, after := range c.events {
		if resp, err = after.changed(); err != nil {
			return err
		}
		c.tx.AddChange(after.Record(after.changeType, resp.Body))
	}
	return c.tx.Respond(resp, err)
}

// update changes what doesn't move the booking. Errors: problem.NotFound for a customer that doesn't exist;
// problem.AlreadyExists for a reference that another booking has; problem.HoldExpired and problem.InvalidState for a
// customer of a booking that is neither held nor confirmed; problem.ValidationFailed.
func (c *amending) update() error {
	before, err := idempotency.Encode(c.after.Body())
	if err != nil {
		return err
	}
	if err := c.setDetails(); err != nil {
		return err
	}
	if err := c.extend(); err != nil {
		return err
	}
	if c.given() && !c.Confirm {
		if err := c.after.State().checkOpen(c.st.Now); err != nil {
			return err
		}
		if c.ByVisitor && c.before.HasCustomer() && c.before.storedVersion >= maxVisitorVersion {
			return problem.New(problem.InvalidState, "A visitor has changed this hold as often as a visitor can.")
		}
		if c.after.Status == Held {
			if err := c.checkHolds(c.st, c.rules); err != nil {
				return err
			}
		}
		if err := c.setCustomer(); err != nil {
			return err
		}
	}
	if c.NewLink {
		c.after.LinkRevision++
	}
	after, err := idempotency.Encode(c.after.Body())
	if c.NewLink || !bytes.Equal(after, before) {
		c.addEvent(UpdatedEvent)
	}
	return err
}

// setDetails changes the details. Errors: problem.AlreadyExists; problem.ValidationFailed for too much metadata.
func (c *amending) setDetails() error {
	after, err := c.AmendRequest.Details.Apply(c.after.Details)
	if err != nil {
		return err
	}
	if err := c.after.checkChange(after, c.st.NamesInUse); err != nil {
		return err
	}
	c.after.Details = after
	return after.Metadata.Check()
}

// maxVisitorVersion bounds how often a visitor changes who a hold is for, by the hold's version without that of its
// money: each change may make a customer.
const maxVisitorVersion = 12

// setCustomer sets the customer that is given, if one is, and queues what is new of it. Errors: problem.NotFound for an
// id of no customer.
func (c *amending) setCustomer() error {
	if !c.given() {
		return nil
	}
	chosen, err := c.CustomerChoice.queue(c.tx, c.st)
	if c.after.HasCustomer() && chosen.shown.Email != c.after.Customer.Email { // the links were sent to somebody else
		c.after.LinkRevision++
	}
	// the same person reads the same language
	if chosen.shown.Language == nil && chosen.shown.Email == c.after.Customer.Email {
		chosen.shown.Language = c.after.Customer.Language
	}
	c.after.Customer, c.after.Known = chosen.shown, chosen.known
	return err
}

// queueUpdate queues what the booking has that doesn't move it, after as many changes that tell of a move.
func (c *amending) queueUpdate(moves int64) error {
	b := &c.after
	contact, err := b.storedContact()
	if err != nil {
		return err
	}
	details, err := b.Details.stored()
	if err != nil {
		return err
	}
	c.tx.update(updatedRow{
		BookingID:          b.ID,
		Version:            c.before.storedVersion + moves,
		Events:             int64(len(c.events)) - moves,
		Status:             string(b.Status),
		HoldExpiresAt:      b.HoldExpiresAt,
		CustomerID:         b.customerID(),
		Contact:            contact,
		LinkRevision:       int32(b.LinkRevision),
		PreviousCustomerID: c.before.customerID(),
		Details:            details,
		UniqueReferences:   c.rules.uniqueReferences,
	})
	c.tx.leaveCustomer(b.ID, c.before.customerID(), b.Customer.ID, b.Version)
	return nil
}
