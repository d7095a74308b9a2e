package pages

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/datetime"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
)

// holdCookie is the cookie that has the link of the hold that a browser made last. It goes to the booking page of that
// tenant alone.
const holdCookie = "hold"

// keptHoldMinutes is how long the cookie stays: as long as a hold can last with its payment.
const keptHoldMinutes = 120

// ownHold is a visitor's own hold, as the booking page shows it.
type ownHold struct {
	Service, When, Clock string
	Left                 int    // seconds until it ends
	URL                  string // of its own page
	Release              string // URL of the form that lets it go; empty while a payment is open or has arrived

	booking booking.Booking
}

// keepHold has the browser keep the link of a hold.
func (p *Pages) keepHold(v *visit, link booking.Link) {
	v.SetCookie(holdCookie, p.Links.Token(link), v.bookPath(), keptHoldMinutes*60, http.SameSiteLaxMode)
}

// ownHold returns the hold that the visitor's browser made and that lasts, nil without one. It reads the database only
// if there is a cookie.
func (p *Pages) ownHold(v *visit) (*ownHold, error) {
	cookie, err := v.C.Request.Cookie(holdCookie)
	if err != nil {
		return nil, nil //nolint:nilnil,nilerr // most visitors hold nothing
	}
	link, err := p.Links.Parse(cookie.Value)
	if err != nil || link.TenantID != v.tenant.ID {
		return nil, nil //nolint:nilnil,nilerr // it is no cookie of ours
	}
	b, err := p.Bookings.Get(v.ctx(), v.tenant, link.BookingID)
	now := time.Now()
	switch {
	case problem.Is(err, problem.NotFound):
		return nil, nil //nolint:nilnil // nil is a valid result
	case err != nil:
		return nil, err
	case !link.LeadsTo(b) || b.Status != booking.Held || !b.HoldExpiresAt.After(now):
		return nil, nil //nolint:nilnil // nil is a valid result
	}
	ends := b.HoldExpiresAt.In(b.Location)
	own := &ownHold{
		Service: p.serviceName(v, b.ServiceID), When: v.when(b), Clock: datetime.Clock(ends),
		Left: int(ends.Sub(now) / time.Second),
		URL:  v.withLanguage(p.bookingPath(link), nil), booking: b,
	}
	paid := b.Paid > 0
	if !paid && b.HasCustomer() { // only then can a payment have begun
		payments, err := p.Payments.List(v.ctx(), v.tenant.ID, b.ID, uuid.Nil, maxPayments)
		if err != nil {
			return nil, err
		}
		paid = slices.ContainsFunc(payments, payment.Payment.Open)
	}
	if !paid {
		own.Release = v.withLanguage(v.bookPath("release"), nil)
	}
	return own, nil
}

// inTheWay returns the booking that another choice of the visitor replaces, nil without one.
func (h *ownHold) inTheWay() *uuid.UUID {
	if h == nil || h.Release == "" {
		return nil
	}
	return &h.booking.ID
}

// matches reports whether the hold is what a visitor chooses anew.
func (h *ownHold) matches(n booking.CreateRequest) bool {
	b := h.booking.Body()
	if b.ServiceID != n.ServiceID || n.Party == nil && b.PartySize != n.PartySize ||
		n.Party != nil && !maps.Equal(b.Party, counted(n.Party)) {
		return false
	}
	w := n.When
	switch {
	case w.StartsAt != nil:
		starts, err := time.Parse(time.RFC3339, *w.StartsAt)
		if err != nil || !starts.Equal(b.StartsAt) {
			return false
		}
		lasts := b.EndsAt.Sub(b.StartsAt)
		return (w.DurationMinutes == nil || lasts == time.Duration(*w.DurationMinutes)*time.Minute) &&
			(w.DurationDays == nil ||
				datetime.DateOf(b.EndsAt, h.booking.Location).DaysSince(h.booking.Date) == *w.DurationDays)
	case w.CheckIn != nil:
		return *w.CheckIn == h.booking.Date && w.CheckOut.DaysSince(*w.CheckIn) == h.booking.Nights
	default:
		return w.Date != nil && *w.Date == h.booking.Date
	}
}

// counted returns the unit types of which somebody comes.
func counted(party map[string]int) map[string]int {
	party = maps.Clone(party)
	maps.DeleteFunc(party, func(_ string, count int) bool { return count == 0 })
	return party
}

// fitsInstead reports whether what the visitor chooses could be had in place of the visitor's hold.
func (p *Pages) fitsInstead(v *visit, own *ownHold, n booking.CreateRequest) bool {
	id := own.inTheWay()
	if id == nil {
		return false
	}
	m := booking.Move{
		When: n.When, ServiceID: &n.ServiceID, AnyResource: true, Price: booking.PriceQuoted, Party: n.Party,
	}
	if n.Party == nil {
		m.PartySize = &n.PartySize
	}
	quote, err := p.Bookings.QuoteMove(v.ctx(), v.tenant, *id, m)
	return err == nil && quote.Refusal == nil
}

// letGo gives the visitor's hold back, and what it counted for its address. A hold that has changed meanwhile stays as
// it is, and so does one that another request of the visitor lets go.
func (p *Pages) letGo(v *visit, h *ownHold) error {
	b := h.booking
	var resp idempotency.Outcome
	key := []string{"release-" + b.ID.String()}
	request, err := idempotency.NewRequest(key, http.MethodPost, p.bookingPath(booking.LinkOf(v.tenant.ID, b)),
		[]byte(b.ETag()))
	if err == nil {
		request, err = request.Qualify(idempotency.Page)
	}
	if err == nil {
		resp, err = p.Bookings.Transition(v.ctx(), v.tenant, request, b.ID, booking.Release,
			etag.Precondition(b.ETag()))
	}
	if err == nil && !resp.Replayed {
		p.admission.GiveBackStock(v.C, v.tenant.ID, b.UnitNights())
	}
	for _, code := range []problem.Code{
		problem.VersionMismatch, problem.InvalidState, problem.HoldExpired, problem.NotFound,
		problem.IdempotencyKeyReused,
	} {
		if problem.Is(err, code) {
			return nil
		}
	}
	return err
}

// release lets the visitor's hold go, and shows what is free of its service.
func (p *Pages) release(v *visit) error {
	own, err := p.ownHold(v)
	switch {
	case err != nil:
		return err
	case own == nil:
		return v.redirect(v.bookPath(), nil)
	case own.Release != "":
		if err := p.letGo(v, own); err != nil {
			return err
		}
	}
	return v.redirect(v.bookPath(own.booking.ServiceID.String()), url.Values{fieldDate: {own.booking.Date.String()}})
}
