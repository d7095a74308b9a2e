package booking

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// Confirmation is what a request to confirm a hold says besides.
type Confirmation struct {
	// CustomerChoice names the customer. It replaces the customer that the hold has, and is required of a hold that has none.
	CustomerChoice
	// IfStillFree also confirms a hold past its expiry, marked as expired or not, if its time is still free.
	IfStillFree bool
}

// Confirm confirms a hold under the date locks of its dates, the same that creating one takes: at the moment at which the hold
// expires, its confirmation and a rival's booking exclude each other.
//
// With IfStillFree, a hold past its expiry is judged like a new booking of its resource at its time, by the rules as they are now: see
// rules.reclaim. It may get other units of the resource. What was paid is kept, unless its refund has begun.
//
// Errors: problem.NotFound, also for a customer's id; problem.ValidationFailed for a customer, and without one for a hold that has none;
// problem.VersionMismatch, problem.HoldExpired, problem.InvalidState; with IfStillFree problem.SlotUnavailable; those of
// store.Request.Response and of store.Store.Dates. No refusal writes anything.
func (s *Service) Confirm(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, c Confirmation,
	allowed etag.Precondition,
) (idempotency.Response, error) {
	request := r.Of(t.ID)
	if err := c.check(t, time.Now()); err != nil {
		return idempotency.Response{}, err
	}
	return request.Response(s.retryWhileChanging(ctx, t, id, nil, func(seen Booking, rs *rules) error {
		return s.confirmAt(ctx, t, request, seen, c, allowed, rs)
	}))
}

// confirmAt confirms a booking that was seen at a time. Errors: also errMoved if it isn't there any more, errStaleRules if rs aren't its
// service's rules any more, and holdsInTheWay that have to be marked as expired first.
func (s *Service) confirmAt(ctx context.Context, t tenant.Tenant, request *store.Request, seen Booking, c Confirmation,
	allowed etag.Precondition,
	rs *rules,
) error {
	var read store.BookRead
	c.read(&read)
	if c.IfStillFree {
		read.Occupied = store.Period{Resources: rs.claimable([]uuid.UUID{seen.ResourceID}, seen.StartsAt), From: seen.busyFrom, Until: seen.busyUntil,
			Longest: rs.longest}
		if rs.service.MaxPerDay != nil {
			read.CountService, read.CountDate = &seen.ServiceID, seen.Date
		}
	}
	return s.atItsTime(ctx, t.ID, request, read, seen, func(tx *store.DatesTx, st store.DatesState, b Booking) error {
		if err := allowed.Check("booking", b.Version); err != nil {
			return err
		}
		reclaims := c.IfStillFree && b.State().over(st.Now)
		if !reclaims {
			if _, err := Confirm.after(b.State(), b.StartsAt, st.Now); err != nil {
				return err
			}
		}
		if st.CatalogVersion != rs.version {
			return errStaleRules
		}
		customer, err := c.queue(&tx.BookTx, st.BookState)
		if err != nil {
			return err
		}
		before := b
		if c.given() {
			b.Customer, b.Known = customer.shown, customer.known
		}
		if !b.HasCustomer() {
			return customerRequired()
		}
		contact, err := b.storedContact()
		if err != nil {
			return err
		}
		confirmed := store.ConfirmedBooking{
			BookingID: b.ID, Version: b.storedVersion, CustomerID: b.Customer.ID, Contact: contact, Former: before.customerID(),
		}
		if reclaims {
			a, err := rs.reclaim(b, st.Occupied, st.Count, st.Now)
			switch {
			case err != nil:
				return err
			case len(a.expire) > 0:
				return holdsInTheWay(a.expire)
			}
			confirmed.Claim = &store.Claim{
				OwnerID: b.ID, ResourceID: b.ResourceID, Units: a.units, BusyFrom: b.busyFrom, BusyUntil: b.busyUntil,
			}
			confirmed.Session = a.session
			tx.KeepPayments(b.ID)
		}
		tx.EndEvents(bookingChanged, b.ID, b.Status.endedKinds()...)
		tx.ConfirmBooking(confirmed)
		b.become(Confirmed, st.Now)
		tx.LeaveCustomer(b.ID, before.customerID(), b.Customer.ID, b.Version)
		resp, err := b.changed()
		if err == nil {
			tx.AddChange(b.Record(changedEvents[Confirm], resp.Body))
		}
		return tx.Respond(resp, err)
	})
}

// reclaim finds units for a booking whose hold is over, on its resource at its time with the buffers that it was made with. occupied and
// bookings (of the service on the date) were read under the dates' locks; now is the database's clock. What counts is what is so now: that
// the time isn't over, that service and resource take bookings, hours and closures, the maximum per day, capacity and units. The lead time,
// the booking window and the starts of slots don't count: they were kept when the hold was made.
//
// Errors: problem.SlotUnavailable.
func (r *rules) reclaim(b Booking, occupied []store.Claim, bookings int, now time.Time) (allocation, error) {
	refuse := func(detail string) (allocation, error) {
		return allocation{}, problem.New(problem.SlotUnavailable, detail)
	}
	i := slices.IndexFunc(r.resources, func(res catalog.Resource) bool { return res.ID == b.ResourceID })
	switch {
	case !now.Before(b.EndsAt):
		return refuse("The hold has expired, and its time is over.")
	case i < 0:
		return refuse("The hold has expired, and its service or resource takes no new bookings.")
	}
	res := &r.resources[i]
	switch {
	case !r.kind().isOpen(r, res, b.time()):
		return refuse("The hold has expired, and the resource is closed at its time.")
	case (b.sessionID != nil) != (r.service.Occupies == catalog.OccupiesSession):
		return refuse("The hold has expired, and its service takes other bookings now.")
	}
	full := r.service.MaxPerDay != nil && bookings >= *r.service.MaxPerDay
	at := b.time()
	at.busyFrom, at.busyUntil = b.busyFrom, b.busyUntil
	others, lapsed := without(b, occupied, now)
	a, found := r.placeAt(*res, at, b.PartySize, others, full, now)
	switch {
	case found:
		a.expire = append(a.expire, lapsed...)
		return a, nil
	case full:
		return refuse("The hold has expired, and the service takes no more bookings on this date.")
	}
	return refuse("The hold has expired, and its time is taken.")
}
