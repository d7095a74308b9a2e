package pages

import (
	"net/http"
	"strconv"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/web"
)

// cancelPage asks whether a booking is to be cancelled, and says what that costs.
type cancelPage struct {
	ownURLs

	Summary summary
	Tenant  string
	Hold    bool
	Fee     string // empty if it is nothing
	Refund  string
	Due     string
	Policy  bool // false: the tenant decides what is refunded
	Key     string
	// FeeShown and Version are what the form agrees to.
	FeeShown int64
	Version  int64
}

// fieldFee and fieldVersion are what was shown when the customer agreed.
const (
	fieldFee     = "fee"
	fieldVersion = "version"
)

func (p *Pages) askToCancel(v *visit) error {
	b, err := p.bookingOf(v)
	if err != nil {
		return err
	}
	if _, over := endOf(b); over { // the browser went back to this page
		return p.reload(v, "")
	}
	if err := v.rules().CheckCancel(b, false, time.Now()); err != nil {
		return err
	}
	quote, err := p.Payments.CancellationQuote(v.ctx(), v.tenant.ID, b.ID)
	if err != nil {
		return err
	}
	page := cancelPage{
		ownURLs: p.urls(v),
		Tenant:  v.tenant.Name,
		Summary: p.summary(v, b),
		Hold:    b.Status == booking.Held,
		Key:     web.NewKey(),
		Policy: b.Status == booking.Held ||
			b.CancellationPolicy.Given(),
		FeeShown: quote.Fee,
		Version:  b.Version,
	}
	for _, a := range []struct {
		minor int64
		to    *string
	}{{quote.Fee, &page.Fee}, {quote.Refund, &page.Refund}, {quote.Due, &page.Due}} {
		if a.minor > 0 {
			*a.to = v.amount(a.minor, b.Currency)
		}
	}
	return p.render(v, http.StatusOK, "cancel", v.text("cancel_title"), page)
}

// cancel cancels the booking for the fee that was shown. If it is another one by now, the customer is asked again.
func (p *Pages) cancel(v *visit) error {
	b, err := p.bookingOf(v)
	if err != nil {
		return err
	}
	if b.Status == booking.Cancelled || b.Status == booking.Expired {
		return p.reload(v, "")
	}
	if err := v.rules().CheckCancel(b, false, time.Now()); err != nil {
		return err
	}
	fee, version, err := v.agreedTo(fieldFee)
	if err != nil {
		return err
	}
	_, err = p.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		end := booking.CancelRequest{ByCustomer: v.rules(), ExpectFee: &fee}
		return p.Bookings.End(v.ctx(), v.tenant, r, b.ID, booking.Cancel, end, version)
	})
	if err != nil {
		return err
	}
	return p.reload(v, "cancelled")
}

// agreedTo returns the amount and the version of the booking that a form agrees to. Errors: problem.MalformedRequest.
func (v *visit) agreedTo(field string) (amount int64, version etag.Precondition, err error) {
	if amount, err = strconv.ParseInt(v.Form.Get(field), 10, 64); err != nil {
		return 0, "", problem.New(problem.MalformedRequest, "The form has no amount.")
	}
	shown, err := strconv.ParseInt(v.Form.Get(fieldVersion), 10, 64)
	if err != nil {
		return 0, "", problem.New(problem.MalformedRequest, "The form has no version.")
	}
	return amount, etag.Precondition(etag.Of(shown)), nil
}

// policy returns what cancelling a confirmed booking costs, and when, in words; nothing if the tenant decides.
func (v *visit) policy(b booking.Booking) (lines []string) {
	p := b.CancellationPolicy
	if p.Steps == nil {
		return nil
	}
	if len(p.Steps) == 0 {
		return []string{v.text("policy_free")}
	}
	now := time.Now()
	fee, changes := p.CancelFee(b.Price, b.Currency, b.StartsAt, now)
	switch {
	case fee > 0:
		lines = append(lines, v.text("policy_now", "Fee", v.amount(fee, b.Currency)))
	case changes != nil:
		lines = append(lines, v.text("policy_free_until", "Time", v.moment(changes.In(b.Location))))
	default:
		lines = append(lines, v.text("policy_free"))
	}
	for changes != nil {
		from := *changes
		fee, changes = p.CancelFee(b.Price, b.Currency, b.StartsAt, from)
		lines = append(lines,
			v.text("policy_from", "Time", v.moment(from.In(b.Location)), "Fee", v.amount(fee, b.Currency)))
	}
	return lines
}
