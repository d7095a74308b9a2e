package payment

import (
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/event"
)

// Each change of an open payment plans, moves or ends the event that resolves the payment, in the same commit.

// planResolution queues that an open payment is resolved at a time.
func planResolution(tx *db.BalanceTx, payment uuid.UUID, at time.Time) {
	tx.MoveEvent(event.New(event.KindPaymentResolution, event.Subject{Type: event.SubjectPayment, ID: payment}, "", at,
		time.UTC))
}

// insertPayment queues a payment or refund of a booking that is resolved when the lease of its process ends, and
// returns it. An offline refund waits for a person.
func insertPayment(tx *db.BalanceTx, booking uuid.UUID, p newPayment, now time.Time) paymentRow {
	p.Status = string(StatusStarted)
	if p.Provider == offlineProvider {
		p.Status, p.LeasedUntil = string(StatusProcessing), farYear()
	} else {
		planResolution(tx, p.PaymentID, p.LeasedUntil)
	}
	queuePayment(tx, p)
	return paymentRow{
		PaymentID:      p.PaymentID,
		BookingID:      booking,
		RefundOf:       p.RefundOf,
		Kind:           p.Kind,
		Status:         p.Status,
		Amount:         p.Amount,
		Currency:       p.Currency,
		Method:         p.Method,
		Provider:       p.Provider,
		Automatic:      p.Automatic,
		Fence:          1,
		LeasedUntil:    p.LeasedUntil,
		FirstSentAt:    now,
		LastSentAt:     now,
		CancelAt:       p.CancelAt,
		CreatedAt:      now,
		UpdatedAt:      now,
		WalletID:       p.WalletID,
		WalletAmount:   p.WalletAmount,
		WalletHeld:     p.WalletAmount != nil,
		LowersOwed:     p.LowersOwed,
		LowersFee:      p.LowersFee,
		ReturnUrl:      p.ReturnURL,
		Account:        p.Account,
		ApplicationFee: p.ApplicationFee,
		Metadata:       p.Metadata,
	}
}

// takePayment queues that this process has the lease of an open payment, which was read with a fence.
func takePayment(tx *db.BalanceTx, p paymentRow, readFence int64) {
	queueTaken(tx, p, readFence)
	planResolution(tx, p.PaymentID, p.LeasedUntil)
}

// setPayment queues what is known of a payment now.
func setPayment(tx *db.BalanceTx, p paymentRow) {
	queueSet(tx, p)
	switch {
	case p.ResolveAt == nil:
		tx.EndEvents("The outcome of the payment is known.", p.PaymentID, event.KindPaymentResolution)
	case p.Provider == offlineProvider:
		tx.EndEvents("The refund waits for a person.", p.PaymentID, event.KindPaymentResolution)
	default:
		planResolution(tx, p.PaymentID, *p.ResolveAt)
	}
}

// deletePayment queues that an attempt that certainly did nothing leaves nothing behind.
func deletePayment(tx *db.BalanceTx, payment uuid.UUID) {
	queueDeleted(tx, payment, event.KindPaymentResolution)
}

// cancelPayment queues that an open payment is cancelled at the provider, from now on.
func cancelPayment(tx *db.BalanceTx, payment uuid.UUID, now time.Time) {
	queueCancelled(tx, payment)
	planResolution(tx, payment, now)
}
