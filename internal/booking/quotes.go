package booking

import (
	"cmp"
	"context"
	"errors"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/datetime"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Quote is what a booking, or a move of one, would come to now. It is no promise: what is free may be taken a moment
// later.
type Quote struct {
	// Booking is the booking as it would be: without a customer and names if it is a new one, and with the nil uuid for
	// its resource if it would be refused.
	Booking Booking
	// Before is the booking before the move, nil for a new booking.
	Before *Booking
	// Refusal is why the booking, or the move, would be refused now; nil if it can be made.
	Refusal *problem.Error
}

// Quote prices a booking and judges it as Create does, on what one transaction reads without a lock. It writes nothing.
// It doesn't look at the booking's customer, id, references and metadata.
//
// Errors: those of Create for what has no price: problem.ValidationFailed of when and of the party, problem.NotFound
// (service, resource), problem.OutsideBookingWindow for a year out of all bounds. problem.LockTimeout while the
// tenant's services keep changing, problem.DatabaseUnavailable.
func (s *Service) Quote(ctx context.Context, t tenant.Tenant, n CreateRequest) (Quote, error) {
	if err := n.checkBounds(); err != nil {
		return Quote{}, err
	}
	for range maxStale {
		rs, err := s.rulesOf(ctx, t, n.ServiceID)
		if err != nil {
			return Quote{}, err
		}
		q, err := s.tryQuote(ctx, t, n, rs)
		if again, err := s.prepareRetry(ctx, t, rs, err); !again {
			return q, err
		}
	}
	return Quote{}, rulesKeepChanging()
}

// tryQuote returns errStaleRules if rs aren't the service's rules any more.
func (s *Service) tryQuote(ctx context.Context, t tenant.Tenant, n CreateRequest, rs *rules) (Quote, error) {
	at, err := rs.BookingTimeOf(n.When)
	if err != nil {
		return Quote{}, err
	}
	st, err := s.readDates(ctx, t.ID, rs.readFor(at, n.named()))
	switch {
	case err != nil:
		return Quote{}, err
	case st.CatalogVersion != rs.Version:
		return Quote{}, errStaleRules
	}
	priced, err := rs.Quote(at, n.party())
	if err != nil {
		return Quote{}, err
	}
	_, tooMany := catalog.DateKeys(t.ID, datetime.DatesIn(at.BusyFrom, at.BusyUntil, rs.Loc))
	p, refusal := rs.Allocate(at, n.named(), priced.PartySize, st.Occupied, st.Count, st.Now)
	refusal = cmp.Or(rs.CheckParty(priced.PartySize), refusal)
	if n.Limited {
		refusal = cmp.Or(rs.CheckLimits(at, priced.PartySize), refusal)
	}
	if refusal = cmp.Or(refusal, tooMany); refusal != nil {
		p.Time = at
	}
	return Quote{Booking: newBooking(st, n, chosenCustomer{}, rs, p, priced)}.refuse(refusal)
}

// QuoteMove prices a move of a booking and judges it as Reschedule does, on what one transaction reads without a lock.
// It writes nothing.
//
// Errors: those of Reschedule for what has no price: problem.ValidationFailed of when and of the party,
// problem.NotFound (booking, service, resource), problem.OutsideBookingWindow for a year out of all bounds.
// problem.LockTimeout while the booking or its service keeps changing, problem.DatabaseUnavailable.
func (s *Service) QuoteMove(ctx context.Context, t tenant.Tenant, id uuid.UUID, m Move) (q Quote, err error) {
	if err := m.check(); err != nil {
		return q, err
	}
	err = s.retryWhileChanging(ctx, t, id, m.ServiceID, func(seen Booking, rs *rules) (err error) {
		q, err = s.tryQuoteMove(ctx, t, seen, m, rs)
		return err
	})
	return q, err
}

// tryQuoteMove returns errMoved if the booking isn't where it was seen any more, and errStaleRules if rs aren't the
// service's rules.
func (s *Service) tryQuoteMove(ctx context.Context, t tenant.Tenant, seen Booking, m Move, rs *rules) (Quote, error) {
	at, err := rs.BookingTimeOf(rs.WhenOf(seen.booked().BookingTime, m.When))
	if err != nil {
		return Quote{}, err
	}
	wanted := m.resourcesOf(seen, rs)
	asked := rs.readForMove(at, wanted, seen)
	asked.Booking, asked.OpenPayment = &seen.ID, m.needsPayment()
	st, err := s.readDates(ctx, t.ID, asked)
	switch {
	case err != nil:
		return Quote{}, err
	case st.Booking == nil:
		return Quote{}, problem.Missing()
	case st.CatalogVersion != rs.Version:
		return Quote{}, errStaleRules
	}
	b, err := FromRow(st.Booking)
	switch {
	case err != nil:
		return Quote{}, err
	case b.movedFrom(seen), !b.StartsAt.Equal(seen.StartsAt):
		return Quote{}, errMoved
	}
	if _, err := m.quote(b, rs, at); err != nil { // it has no price
		return Quote{}, err
	}
	after, _, err := m.applyTo(b, rs, at, wanted, st)
	if err == nil {
		_, err = catalog.DateKeys(t.ID, append(datetime.DatesIn(b.busyFrom, b.busyUntil, b.Location),
			datetime.DatesIn(at.BusyFrom, at.BusyUntil, rs.Loc)...))
	}
	after.updateDue(st.Now)
	if problem.Is(err, problem.NotFound) {
		return Quote{}, err
	}
	return Quote{Booking: after, Before: &b}.refuse(cmp.Or(b.State().checkOpen(st.Now),
		m.ByCustomer.CheckMove(b, isPaying(st.OpenPayment), st.Now), err))
}

// refuse returns the quote with the error of the booking or the move, which may be nil. Holds past their expiry aren't
// in the way: they would be marked as expired first. Errors: problem.NotFound, which isn't about what is free now.
func (q Quote) refuse(err error) (Quote, error) {
	var lapsed holdsInTheWay
	switch {
	case err == nil, errors.As(err, &lapsed):
		return q, nil
	case problem.Is(err, problem.NotFound), !errors.As(err, &q.Refusal):
		return Quote{}, err
	}
	q.Booking.ResourceID, q.Booking.furtherIDs = uuid.Nil, nil
	return q, nil
}
