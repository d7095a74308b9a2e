package payment

import (
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/store"
	"holdfast/internal/event"
)

// Each change of an open payment plans, moves or ends the event that resolves the payment, in the same commit.

// planResolution queues that an open payment is resolved at a time.
func planResolution(tx *store.BalanceTx, payment uuid.UUID, at time.Time) {
	tx.MoveEvent(event.New(event.KindPaymentResolution, event.Subject{Type: event.SubjectPayment, ID: payment}, "", at, time.UTC))
}

// insertPayment queues a payment or refund of a booking that is resolved when the lease of its process ends, and returns it. An offline
// refund waits for a person.
func insertPayment(tx *store.BalanceTx, booking uuid.UUID, p store.NewPayment, now time.Time) store.Payment {
	p.Status = string(StatusStarted)
	if p.Provider == offlineProvider {
		p.Status, p.LeasedUntil = string(StatusProcessing), farYear()
	} else {
		planResolution(tx, p.PaymentID, p.LeasedUntil)
	}
	tx.InsertPayment(p)
	return store.Payment{
		PaymentID: p.PaymentID, BookingID: booking, RefundOf: p.RefundOf, Kind: p.Kind, Status: p.Status, Amount: p.Amount,
		Currency: p.Currency, Method: p.Method, Provider: p.Provider, Automatic: p.Automatic, Fence: 1, LeasedUntil: p.LeasedUntil,
		FirstSentAt: now, LastSentAt: now, CancelAt: p.CancelAt, CreatedAt: now, UpdatedAt: now,
		WalletID: p.WalletID, WalletAmount: p.WalletAmount, WalletHeld: p.WalletAmount != nil, LowersOwed: p.LowersOwed,
		LowersFee: p.LowersFee, ReturnUrl: p.ReturnURL, Account: p.Account, ApplicationFee: p.ApplicationFee, Metadata: p.Metadata,
	}
}

// takePayment queues that this process has the lease of an open payment, which was read with a fence.
func takePayment(tx *store.BalanceTx, p store.Payment, readFence int64) {
	tx.TakePayment(p, readFence)
	planResolution(tx, p.PaymentID, p.LeasedUntil)
}

// setPayment queues what is known of a payment now.
func setPayment(tx *store.BalanceTx, p store.Payment) {
	tx.SetPayment(p)
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
func deletePayment(tx *store.BalanceTx, payment uuid.UUID) {
	tx.DeletePayment(payment, event.KindPaymentResolution)
}

// cancelPayment queues that an open payment is cancelled at the provider, from now on.
func cancelPayment(tx *store.BalanceTx, payment uuid.UUID, now time.Time) {
	tx.CancelPayment(payment)
	planResolution(tx, payment, now)
}
