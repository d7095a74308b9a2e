package message

import (
	"encoding/json"
	"fmt"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/change"
	"holdfast/internal/email"
	"holdfast/internal/payment"
)

// declineWait is how long after a payment was declined an email tells of it. Who pays at this moment tries another card
// meanwhile.
const declineWait = 10 * time.Minute

// changedBooking is a booking after a change, with the payment or refund whose outcome the change is.
type changedBooking = payment.BookingWithPaymentBody

// parseChange returns the booking after a change, nil if there is no such change. The payment is zero unless the change
// is one of a payment.
func parseChange(c *change.Record) (*changedBooking, error) {
	if c == nil {
		return nil, nil
	}
	b := new(changedBooking)
	if err := json.Unmarshal(c.Data, b); err != nil {
		return nil, fmt.Errorf("read a change of a booking: %w", err)
	}
	return b, nil
}

// paymentKind returns the kind of email that can tell a customer of a change, empty if there is none. A wallet's part
// beside a card has none: the email about the card's part tells of both. Nor has a declined refund, which the tenant
// has to look after, or a payment that somebody ended.
func paymentKind(changeType string, p payment.PaymentBody) email.Kind {
	switch kind := email.Kind(changeType); {
	case kind == email.PaymentSucceeded && p.CardPaymentID == nil, kind == email.PaymentRefunded,
		kind == email.PaymentDeclined && isAttempt(p):
		return kind
	}
	return ""
}

// isAttempt reports whether a declined payment is one that somebody tried to make: no refund, and none that was ended
// on request or because nobody completed it.
func isAttempt(p payment.PaymentBody) bool {
	return p.RefundOf == nil && (p.DeclineCode == nil || *p.DeclineCode != payment.Cancelled)
}

// laterAttempt returns why a declined payment isn't told of: the customer has tried again since, with whatever outcome,
// or is trying now. changes begin with that of the declined payment.
func laterAttempt(d bookingData, changes []change.Record) (reason string, err error) {
	if d.paying {
		return "Another payment is under way.", nil
	}
	for i := range changes[1:] {
		c := &changes[i+1]
		switch email.Kind(c.Type) {
		case email.PaymentSucceeded:
			return "The booking was paid meanwhile.", nil
		case email.PaymentDeclined:
			b, err := parseChange(c)
			if err != nil {
				return "", err
			}
			if isAttempt(b.Payment) {
				return "A later payment was declined, too.", nil
			}
		default: // no attempt to pay
		}
	}
	return "", nil
}

// tellOfPayment has an email tell of a payment or refund.
func tellOfPayment(d *email.Data, p payment.PaymentBody) {
	d.Payment, d.PaymentMethod = email.Amount{Minor: p.Amount, Currency: p.Currency}, methodOf(p)
	if d.PaymentMethod == email.MethodCard && p.WalletAmount != nil && p.Status == payment.StatusSucceeded {
		d.Payment.Minor += *p.WalletAmount
		d.PaymentMethod = email.MethodCardAndCredit
	}
}

// methodOf returns how a payment was made, or how a refund was given back; empty for a method that is newer than this
// switch.
func methodOf(p payment.PaymentBody) email.Method {
	switch p.Means() {
	case payment.MeansProvider:
		return email.MethodCard
	case payment.MeansWallet:
		return email.MethodCredit
	case payment.Means(payment.Cash):
		return email.MethodCash
	case payment.Means(payment.BankTransfer):
		return email.MethodTransfer
	case payment.Means(payment.CardTerminal):
		return email.MethodTerminal
	default:
		return ""
	}
}

// tellsOf reports whether the customer's email about a payment, which tells of a booking's change, makes sense for that
// booking.
func tellsOf(kind email.Kind, b *booking.BookingBody) bool {
	return contactOf(b) != "" && (kind != email.PaymentDeclined || hasEmails(b))
}
