package console

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
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
	// Of is the path of the payment that this refund returns, RefundURL that of the page that refunds this payment, Receipt that of its
	// receipt, and Wallet that of the wallet that pays or is refunded. Each is empty without one.
	Of, RefundURL, Receipt, Wallet string
	// Beside is the path of the payment by card beside which a wallet paid this one.
	Beside string
	// HandBackURL is the path of the page that completes an offline refund; empty if nobody needs to.
	HandBackURL string
	MayCancel   bool
}

func (c *Console) showPayment(v *visit) error {
	p, err := c.onePayment(v)
	if err != nil {
		return err
	}
	b, err := c.Bookings.Get(v.ctx(), v.tenant(), p.BookingID)
	if err != nil {
		return err
	}
	page := onePaymentPage{
		Payment: p, Links: v.moneyLinks(), Path: v.paymentPath(p.ID), Booking: b, Location: b.Location,
		MayCancel: p.Open() && p.RefundOf == nil && v.May(operation.ScopeMoney),
	}
	page.HandBackURL = v.handBackURL(p, v.May(operation.ScopeMoney))
	if p.RefundOf != nil {
		page.Of = v.paymentPath(*p.RefundOf)
	}
	if p.WalletID != nil {
		page.Wallet = v.walletPath(*p.WalletID)
	}
	if p.CardPaymentID != nil {
		page.Beside = v.paymentPath(*p.CardPaymentID)
	}
	if p.RefundOf == nil && p.Status == payment.StatusSucceeded {
		page.Receipt = v.paymentPath(p.ID, "receipt")
		if v.May(operation.ScopeMoney) && b.Kept() > 0 {
			page.RefundURL = v.bookingPath(b.ID, "refund", p.ID.String())
		}
	}
	title := "Payment"
	if p.RefundOf != nil {
		title = "Refund"
	}
	return c.render(v, http.StatusOK, "payment", title+" for booking "+b.Code, page)
}

// onePayment returns the payment that the path names. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (c *Console) onePayment(v *visit) (payment.Payment, error) {
	return c.Payments.Get(v.ctx(), v.tenant().ID, v.ID("id"))
}

// receiptPage is the proof of a payment.
type receiptPage struct {
	payment.Receipt

	Back string
}

func (c *Console) showReceipt(v *visit) error {
	id := v.ID("id")
	r, err := c.Payments.Receipt(v.ctx(), v.tenant().ID, id)
	if err != nil {
		return err
	}
	return c.render(v, http.StatusOK, "receipt", "Receipt", receiptPage{Receipt: r, Back: v.paymentPath(id)})
}

// cancelPayment ends a payment that has no end yet, so that the booking can be paid in another way.
func (c *Console) cancelPayment(v *visit) error {
	id := v.ID("id")
	response, err := c.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return c.Payments.Cancel(v.ctx(), v.tenant().ID, r, id)
	})
	if err != nil {
		return err
	}
	return v.done(doneOrOpen(response, "payment_cancelled", "payment_ending"), v.paymentPath(id))
}

// paymentPath is the path of a payment, or below it.
func (v *visit) paymentPath(id uuid.UUID, below ...string) string {
	return v.path(append([]string{"payments", id.String()}, below...)...)
}
