package money

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/console/frame"
	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/payment"
	"holdfast/internal/web"
)

// onePaymentPage is a payment, or the refund of one.
type onePaymentPage struct {
	payment.Payment

	Links    []web.NavLink
	Path     string
	Booking  booking.Booking
	Location *time.Location // of the booking
	// Of is the path of the payment that this refund returns, RefundURL that of the page that refunds this payment,
	// Receipt that of its receipt, and Wallet that of the wallet that pays or is refunded. Each is empty without one.
	Of, RefundURL, Receipt, Wallet string
	// Beside is the path of the payment by card beside which a wallet paid this one.
	Beside string
	// HandBackURL is the path of the page that completes an offline refund; empty if nobody needs to.
	HandBackURL string
	MayCancel   bool
}

func (s section) showPayment(v *frame.Visit) error {
	p, err := s.onePayment(v)
	if err != nil {
		return err
	}
	b, err := s.Bookings.Get(v.Context(), v.Tenant(), p.BookingID)
	if err != nil {
		return err
	}
	page := onePaymentPage{
		Payment: p, Links: moneyLinks(v), Path: paymentPath(v, p.ID), Booking: b, Location: b.Location,
		MayCancel: p.Open() && p.RefundOf == nil && v.May(operation.ScopeMoney),
	}
	page.HandBackURL = v.HandBackURL(p, v.May(operation.ScopeMoney))
	if p.RefundOf != nil {
		page.Of = paymentPath(v, *p.RefundOf)
	}
	if p.WalletID != nil {
		page.Wallet = walletPath(v, *p.WalletID)
	}
	if p.CardPaymentID != nil {
		page.Beside = paymentPath(v, *p.CardPaymentID)
	}
	if p.RefundOf == nil && p.Status == payment.StatusSucceeded {
		page.Receipt = paymentPath(v, p.ID, "receipt")
		if v.May(operation.ScopeMoney) && b.Kept() > 0 {
			page.RefundURL = v.BookingPath(b.ID, "refund", p.ID.String())
		}
	}
	title := "Payment"
	if p.RefundOf != nil {
		title = "Refund"
	}
	return s.Render(v, http.StatusOK, "payment", title+" for booking "+b.Code, page)
}

// onePayment returns the payment that the path names. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s section) onePayment(v *frame.Visit) (payment.Payment, error) {
	return s.Payments.Get(v.Context(), v.Tenant().ID, v.ID("id"))
}

// receiptPage is the proof of a payment.
type receiptPage struct {
	payment.Receipt

	Back string
}

func (s section) showReceipt(v *frame.Visit) error {
	id := v.ID("id")
	r, err := s.Payments.Receipt(v.Context(), v.Tenant().ID, id)
	if err != nil {
		return err
	}
	return s.Render(v, http.StatusOK, "receipt", "Receipt", receiptPage{Receipt: r, Back: paymentPath(v, id)})
}

// cancelPayment ends a payment that has no end yet, so that the booking can be paid in another way.
func (s section) cancelPayment(v *frame.Visit) error {
	id := v.ID("id")
	response, err := s.Once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return s.Payments.Cancel(v.Context(), v.Tenant().ID, r, id)
	})
	if err != nil {
		return err
	}
	return v.Done(frame.DoneOrOpen(response, "payment_cancelled", "payment_ending"), paymentPath(v, id))
}

// paymentPath is the path of a payment, or below it.
func paymentPath(v *frame.Visit, id uuid.UUID, below ...string) string {
	return v.Path(append([]string{"payments", id.String()}, below...)...)
}
