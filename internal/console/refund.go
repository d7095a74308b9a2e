package console

import (
	"net/http"

	"holdfast/internal/booking"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
)

// refundPage asks how much of a payment is returned.
type refundPage struct {
	Booking booking.Booking
	Payment payment.Payment
	Path    string
	Amount  string // of the field
	Offline offlineFields
}

// paymentOfPath returns the payment that the path names, and its booking. Errors: problem.NotFound also for a payment of another booking.
func (c *Console) paymentOfPath(v *visit) (b booking.Booking, p payment.Payment, err error) {
	if b, err = c.bookingOfPath(v); err != nil {
		return b, p, err
	}
	id := v.ID("payment")
	if p, err = c.Payments.Get(v.ctx(), v.tenant().ID, id); err == nil && p.BookingID != b.ID {
		err = problem.Missing()
	}
	return b, p, err
}

func (c *Console) showRefund(v *visit) error {
	b, p, err := c.paymentOfPath(v)
	if err != nil {
		return err
	}
	page := refundPage{
		Booking: b, Payment: p, Path: v.bookingPath(b.ID, "refund", p.ID.String()), Amount: plain(min(p.Amount, b.Kept()), p.Currency),
	}
	page.Offline = v.offlineFieldsOf(v.Form, p.OfflineMethod(), true)
	title := "Record a refund"
	if page.Offline.Optional = !isOffline(p); page.Offline.Optional {
		title = "Refund"
	}
	return c.render(v, http.StatusOK, "refund", title, page)
}

func (c *Console) refund(v *visit) error {
	b, p, err := c.paymentOfPath(v)
	if err != nil {
		return err
	}
	amount, err := minorOf("amount", v.Form.Get("amount"), p.Currency)
	if err != nil {
		return err
	}
	request := payment.RefundRequest{Amount: &amount, OwedAgain: v.Form.Get("owed_again") != "", Allowed: v.version()}
	if isOffline(p) || v.Form.Get("method") != "" {
		o, err := v.handedBack()
		if err != nil {
			return err
		}
		request.Offline = &o
	}
	response, err := c.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return c.Payments.Refund(v.ctx(), v.tenant().ID, r, p.ID, request)
	})
	if err != nil {
		return ofOffline(err)
	}
	return v.done(doneOrOpen(response, "refunded", "refund_open"), v.bookingPath(b.ID))
}
