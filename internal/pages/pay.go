package pages

import (
	"slices"
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
	// Waits says that nothing is to be done but to wait for the outcome.
	Waits bool
}

// checkoutMinutes is for how long a hold lasts at least when its customer goes to pay: providers give a page no less than half an hour.
const checkoutMinutes = 35

// payForm returns the form for what is due now, nil if nothing is or if this server takes no payments.
func (p *Pages) payForm(v *visit, b booking.Booking) *payForm {
	if !p.Payments.HasProvider() {
		return nil
	}
	due, name := b.Due, "pay_rest"
	if b.Status == booking.Held {
		due, name = min(b.Deposit-b.Kept(), b.Due), "pay_deposit"
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
func (p *Pages) openPayment(v *visit, payments []payment.Payment) *openPayment {
	i := slices.IndexFunc(payments, func(one payment.Payment) bool { return one.RefundOf == nil && one.Open() })
	if i < 0 {
		return nil
	}
	one := payments[i]
	open := &openPayment{ID: one.ID.String(), Amount: v.amount(one.Amount, one.Currency), Waits: true}
	if one.ActionURL != nil && one.Status == payment.StatusProcessing {
		open.URL = *one.ActionURL
		open.Waits = v.query.Get(payment.PaymentParameter) == open.ID // the customer has just come back
	}
	return open
}

// paymentNotice says what has come of the payment from which the customer has just come back.
func (v *visit) paymentNotice(payments []payment.Payment) string {
	id := v.query.Get(payment.PaymentParameter)
	for _, one := range payments {
		switch {
		case id == "" || one.ID.String() != id:
		case one.Status == payment.StatusSucceeded:
			return v.text("done_paid")
		case one.Status == payment.StatusDeclined:
			return v.text("done_declined")
		}
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

// startPayment begins a payment of what is due on the provider's page, and shows the page that leads there. A hold lasts long enough.
func (p *Pages) startPayment(v *visit, b booking.Booking) error {
	giveBack, err := p.admission.TakeVisitorPayment(v.c, v.tenant.ID)
	if err != nil {
		return err
	}
	kind := payment.Balance
	if b.Status == booking.Held {
		kind = payment.Deposit
		if time.Until(*b.HoldExpiresAt) < checkoutMinutes*time.Minute {
			minutes := checkoutMinutes
			if _, err = p.Bookings.Amend(v.ctx(), v.tenant, b.ID, booking.Amendment{HoldMinutes: &minutes}, ""); err != nil {
				giveBack()
				return err
			}
		}
	}
	_, err = p.once(v, func(r idempotency.Request) (idempotency.Response, error) {
		return p.Payments.Pay(v.ctx(), v.tenant.ID, r, b.ID, payment.Order{
			Kind: kind, Checkout: &payment.OrderCheckout{ReturnURL: p.publicURL + v.withLanguage(p.ownPath(v, ""), nil)},
		})
	})
	if problem.Is(err, problem.PaymentInProgress) || problem.Is(err, problem.Overpayment) { // the page of the booking shows it
		giveBack()
		return p.reload(v, "")
	}
	if err != nil {
		return err
	}
	return p.reload(v, "")
}

// stopPayment cancels a payment that has no end, so that the customer can pay in another way or give up.
func (p *Pages) stopPayment(v *visit) error {
	b, err := p.bookingOf(v)
	if err != nil {
		return err
	}
	id, err := uuid.Parse(v.form.Get("payment"))
	if err != nil {
		return problem.Missing()
	}
	if err := p.requirePaymentOf(v, b, id); err != nil {
		return err
	}
	_, err = p.once(v, func(r idempotency.Request) (idempotency.Response, error) {
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
