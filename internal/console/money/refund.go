package money

import (
	"net/http"

	"holdfast/internal/booking"
	"holdfast/internal/console/form"
	"holdfast/internal/console/frame"
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

// paymentOfPath returns the payment that the path names, and its booking. Errors: problem.NotFound also for a payment
// of another booking.
func (s section) paymentOfPath(v *frame.Visit) (b booking.Booking, p payment.Payment, err error) {
	if b, err = s.BookingOfPath(v); err != nil {
		return b, p, err
	}
	id := v.ID("payment")
	if p, err = s.Payments.Get(v.Context(), v.Tenant().ID, id); err == nil && p.BookingID != b.ID {
		err = problem.Missing()
	}
	return b, p, err
}

func (s section) showRefund(v *frame.Visit) error {
	b, p, err := s.paymentOfPath(v)
	if err != nil {
		return err
	}
	page := refundPage{
		Booking: b, Payment: p, Path: v.BookingPath(b.ID, "refund", p.ID.String()),
		Amount: form.Amount(min(p.Amount, b.Kept()), p.Currency),
	}
	page.Offline = offlineFieldsOf(v, v.Form, p.OfflineMethod(), true)
	title := "Record a refund"
	if page.Offline.Optional = !isOffline(p); page.Offline.Optional {
		title = "Refund"
	}
	return s.Render(v, http.StatusOK, "refund", title, page)
}

func (s section) refund(v *frame.Visit) error {
	b, p, err := s.paymentOfPath(v)
	if err != nil {
		return err
	}
	amount, err := form.MinorUnits("amount", v.Form.Get("amount"), p.Currency)
	if err != nil {
		return err
	}
	request := payment.RefundRequest{Amount: &amount, OwedAgain: v.Form.Get("owed_again") != "", Allowed: v.Version()}
	if isOffline(p) || v.Form.Get("method") != "" {
		o, err := handedBack(v)
		if err != nil {
			return err
		}
		request.Offline = &o
	}
	response, err := s.Once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return s.Payments.Refund(v.Context(), v.Tenant().ID, r, p.ID, request)
	})
	if err != nil {
		return ofOffline(err)
	}
	return v.Done(frame.DoneOrOpen(response, "refunded", "refund_open"), v.BookingPath(b.ID))
}
