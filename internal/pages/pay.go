package pages

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
)

// payForm offers to pay what is due: the deposit of a hold, else all.
type payForm struct{ Submit string }

// openPayment is a payment that has no end yet.
type openPayment struct {
	// ID is the payment's. URL is the provider's page on which the customer goes on; empty while there is none.
	ID, URL string
	Amount  string
	// Waits: the customer may have paid, so the page looks for the outcome by itself. Slow: it has looked for long
	// enough.
	Waits, Slow bool
	// Ends: the booking has ended, and the payment with it.
	Ends bool
	// Again is the URL that looks once more.
	Again string
	// Go has a script lead to URL at once.
	Go bool

	next string // URL of the next look; empty if the page doesn't look by itself
}

// A page that waits for the outcome of a payment looks for it maxLooks times, every lookSeconds. fieldLooks counts them
// in its address.
const (
	lookSeconds = 3
	maxLooks    = 5
	fieldLooks  = "looks"
)

// fieldGo leads from the page of a booking to that of its open payment.
const fieldGo = "go"

// payForm returns the form for what is due now, nil if nothing is or if this server takes no payments.
func (p *Pages) payForm(v *visit, b booking.Booking) *payForm {
	if !p.Payments.HasProvider() {
		return nil
	}
	due, name := b.Due, "pay_rest"
	if b.Status == booking.Held {
		due, name = b.DepositDue(time.Now()), "pay_deposit"
		if b.Deposit == b.Price {
			name = "pay_all"
		}
	}
	if due <= 0 {
		return nil
	}
	return &payForm{Submit: v.text(name, "Amount", v.amount(due, b.Currency))}
}

// openPayment returns the payment that has no end yet, nil without one.
func (p *Pages) openPayment(v *visit, b booking.Booking, payments []payment.Payment) *openPayment {
	i := slices.IndexFunc(payments, func(one payment.Payment) bool { return one.RefundOf == nil && one.Open() })
	if i < 0 {
		return nil
	}
	one := payments[i]
	open := &openPayment{ID: one.ID.String(), Amount: v.amount(one.Amount, one.Currency)}
	ended, over := endOf(b)
	open.Ends = over && one.CreatedAt.Before(ended)
	if !open.Ends && one.ActionURL != nil && one.Status == payment.StatusProcessing {
		open.URL = *one.ActionURL
	}
	mayBePaid := v.Query.Get(payment.PaymentParameter) == open.ID && v.Query.Get(payment.CancelledParameter) == ""
	if open.URL != "" && !mayBePaid {
		open.Go = v.Query.Has(fieldGo)
		return open
	}
	query := url.Values{payment.PaymentParameter: {open.ID}}
	open.Again = v.withLanguage(p.ownPath(v, ""), query)
	looks, err := strconv.Atoi(v.Query.Get(fieldLooks))
	if err != nil || looks < 0 {
		looks = 0
	}
	if open.Waits = looks < maxLooks; open.Waits {
		query.Set(fieldLooks, strconv.Itoa(looks+1))
		open.next = v.withLanguage(p.ownPath(v, ""), query)
	}
	open.Slow = !open.Waits
	return open
}

// endOf returns when a booking ended before it took place, and false if it didn't.
func endOf(b booking.Booking) (at time.Time, ended bool) {
	switch {
	case b.Status == booking.Cancelled && b.CancelledAt != nil:
		return *b.CancelledAt, true
	case b.Status == booking.Expired, b.Status == booking.Held && !b.HoldExpiresAt.After(time.Now()):
		return *b.HoldExpiresAt, true
	}
	return at, false
}

// paymentNotice says what has come of the payment from which the customer has just come back. Of a booking that has
// ended it says nothing of what was paid before.
func (v *visit) paymentNotice(b booking.Booking, payments []payment.Payment) string {
	id := v.Query.Get(payment.PaymentParameter)
	i := slices.IndexFunc(payments, func(one payment.Payment) bool { return one.ID.String() == id })
	if i < 0 {
		return ""
	}
	one := payments[i]
	ended, over := endOf(b)
	switch {
	case one.Status == payment.StatusDeclined && one.DeclineCode != nil && *one.DeclineCode == payment.Cancelled:
		return v.text("done_payment_stopped")
	case one.Status == payment.StatusDeclined:
		return v.text("done_declined")
	case one.Open() && v.Query.Has(payment.CancelledParameter):
		return v.text("done_not_paid")
	case one.Status != payment.StatusSucceeded:
		return ""
	case !over || !one.CreatedAt.Before(ended): // it pays the fee
		return v.text("done_paid")
	case one.SettledAt().After(ended):
		return v.text("done_paid_late")
	}
	return ""
}

// pay begins a payment of what is due.
func (p *Pages) pay(v *visit) error {
	b, err := p.bookingOf(v)
	if err != nil {
		return err
	}
	if !b.HasCustomer() { // a deposit would confirm nothing, and be refunded when the hold ends
		return p.reload(v, "")
	}
	return p.startPayment(v, b)
}

// startPayment begins a payment of what is due on the provider's page, and leads there. A hold lasts long enough once
// its payment has begun.
func (p *Pages) startPayment(v *visit, b booking.Booking) error {
	giveBack, err := p.admission.TakeVisitorPayment(v.C, v.tenant.ID)
	if err != nil {
		return err
	}
	order := payment.PayRequest{Kind: payment.Balance, Checkout: &payment.CheckoutRequest{
		ReturnURL: p.publicURL + v.withLanguage(p.ownPath(v, ""), nil),
	}}
	var until time.Time
	if b.Status == booking.Held {
		until = b.EndForPayment(v.page.HoldFor(), time.Now())
		order.Kind, order.Checkout.HoldUntil = payment.Deposit, until
	}
	response, err := p.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return p.Payments.Pay(v.ctx(), v.tenant.ID, r, b.ID, order)
	})
	if response.Replayed || payment.RefusedBeforeProvider(err) {
		giveBack()
	}
	switch code := problem.DocumentOf(err).Code; {
	case err == nil:
	case code == problem.PaymentInProgress || code == problem.PaymentDeclined: // its page says how the booking stands
		return p.goToPayment(v)
	case code == problem.Overpayment:
		return p.reload(v, "nothing_due")
	default:
		return err
	}
	if b.Status == booking.Held && response.Open { // a payment has begun
		err := p.Bookings.ExtendForPayment(v.ctx(), v.tenant, b, until)
		if err != nil && !problem.Is(err, problem.InvalidState) { // the payment has confirmed it already
			return err
		}
	}
	return p.goToPayment(v)
}

// goToPayment leads to the page of the booking, and from there to that of its open payment. A form can't lead to
// another site itself: the browser keeps to form-action.
func (p *Pages) goToPayment(v *visit) error {
	v.EndRefused()
	return v.redirect(p.ownPath(v, ""), url.Values{fieldGo: {"1"}})
}

// stopPayment cancels a payment that has no end, so that the customer can pay in another way or give up.
func (p *Pages) stopPayment(v *visit) error {
	b, err := p.bookingOf(v)
	if err != nil {
		return err
	}
	id, err := uuid.Parse(v.Form.Get("payment"))
	if err != nil {
		return problem.Missing()
	}
	if err := p.requirePaymentOf(v, b, id); err != nil {
		return err
	}
	_, err = p.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return p.Payments.Cancel(v.ctx(), v.tenant.ID, r, id)
	})
	if err != nil && !problem.Is(err, problem.InvalidState) { // it has ended by itself
		return err
	}
	return p.reload(v, "payment_stopped")
}

// requirePaymentOf returns problem.NotFound for a payment that isn't one of the booking.
func (p *Pages) requirePaymentOf(v *visit, b booking.Booking, id uuid.UUID) error {
	one, err := p.Payments.Get(v.ctx(), v.tenant.ID, id)
	if err == nil && one.BookingID != b.ID {
		err = problem.Missing()
	}
	return err
}
