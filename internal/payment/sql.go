package payment

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/payment/internal/balancesql"
	"holdfast/internal/payment/internal/rowsql"
	"holdfast/internal/problem"
)

// The statements of payments: those that need the balance lock of their booking, and those that need none.
var (
	underBalance = db.UnderBalance(balancesql.New)
	unlocked     = db.UnderNothing(rowsql.New)
)

// Rows as they stand in the database.
type (
	// paymentRow is a payment, or the refund of one.
	paymentRow = rowsql.Payment
	// accountRow is a tenant's account at a payment provider, with the present time.
	accountRow = rowsql.PaymentAccountGetRow
	// bookingRow is what a booking's money depends on.
	bookingRow = rowsql.BalanceBookingRow
	// sumRow is a booking's money, derived from its payments and refunds.
	sumRow = rowsql.BalanceSumRow
	// endedRow is a booking that ended before it took place, and whose payments need work since CreatedAt. Refund says
	// whether what was paid beyond its cancellation fee is refunded.
	endedRow = rowsql.EndedBookingGetRow
)

// newPayment is a payment or refund to be started. Its tenant and booking are those of the lock.
type newPayment struct {
	PaymentID uuid.UUID
	// RefundOf is the payment that a refund returns, nil for payments.
	RefundOf *uuid.UUID
	// Kind is "deposit", "balance", "amount" or "refund".
	Kind string
	// Status is the status of one that isn't complete: "started" if it is empty.
	Status string
	// Amount is positive, in minor units of Currency.
	Amount   int64
	Currency string
	// LowersOwed is by how much a refund lowers what the booking owes, in minor units; 0 of payments.
	LowersOwed int64
	// LowersFee: LowersOwed is of the booking's cancellation fee, and not of its price.
	LowersFee bool
	// Method is the provider's token of a payment method, empty for refunds and for payments on the provider's page.
	// Offline it is "cash", "transfer" or "terminal".
	Method, Provider string
	// Account is the provider's account that takes the payment, nil for the platform's. A refund has its payment's.
	Account *string
	// ApplicationFee is what the platform keeps of a payment to Account, in minor units; 0 of refunds.
	ApplicationFee int64
	// Metadata are the tenant's own texts by name, a JSON object, nil for none.
	Metadata json.RawMessage
	// Note and MovedAt say what a person wrote of offline money, and when it moved. They are nil for all others.
	Note    *string
	MovedAt *time.Time
	// ReturnURL is where the customer goes from the provider's page, nil for all other payments.
	ReturnURL *string
	// Automatic refunds are started by Holdfast. They may be open beside another payment.
	Automatic bool
	// LeasedUntil is when the lease of the process that starts the payment ends. From then on the resolver works on it.
	LeasedUntil time.Time
	// CancelAt is when it is cancelled if it is still open, nil for refunds.
	CancelAt *time.Time
	// WalletID is the wallet whose credit the payment or refund moves, or of which a payment by card holds
	// WalletAmount. WalletAmount is nil for all others.
	WalletID     *uuid.UUID
	WalletAmount *int64
	// CardPaymentID is the payment by card that this one from a wallet belongs to, nil for all others.
	CardPaymentID *uuid.UUID
}

// keyOf returns the idempotency key of the request that makes the payment. Payments that follow from others have none.
func keyOf(tx *db.BalanceTx, p newPayment) *string {
	if p.Automatic || p.CardPaymentID != nil {
		return nil
	}
	return tx.Key()
}

// queuePayment queues a payment or refund that isn't complete, with fence 1. Unless it is automatic it belongs to the
// request's idempotency key.
func queuePayment(tx *db.BalanceTx, p newPayment) {
	db.Exec(underBalance.On(tx), "insert the payment", func(q *balancesql.Queries) error {
		return q.PaymentInsert(tx.Context(), balancesql.PaymentInsertParams{
			TenantID:       tx.Tenant(),
			PaymentID:      p.PaymentID,
			BookingID:      tx.Booking(),
			RefundOf:       p.RefundOf,
			Kind:           p.Kind,
			Status:         cmp.Or(p.Status, "started"),
			Amount:         p.Amount,
			Currency:       p.Currency,
			Method:         p.Method,
			Provider:       p.Provider,
			Automatic:      p.Automatic,
			IdempotencyKey: keyOf(tx, p),
			LeasedUntil:    p.LeasedUntil,
			CancelAt:       p.CancelAt,
			WalletID:       p.WalletID,
			WalletAmount:   p.WalletAmount,
			LowersOwed:     p.LowersOwed,
			LowersFee:      p.LowersFee,
			ReturnUrl:      p.ReturnURL,
			Account:        p.Account,
			ApplicationFee: p.ApplicationFee,
			Metadata:       p.Metadata,
			Now:            tx.Now(),
		})
	}, db.Failure{State: db.UniqueViolation, Means: func(cause error) error {
		return problem.Wrap(cause, problem.PaymentInProgress,
			"Another payment or refund of this booking is in progress.").Retry(time.Second)
	}})
}

// leasedMeanwhile: the resolver, which takes no lock, leased the payment after it was read.
var leasedMeanwhile = db.Failure{State: db.NotNullViolation, Again: true}

// queueSucceeded queues a payment from a wallet, an offline payment, or the refund of one, as succeeded. The caller
// writes the wallet's entry in the same transaction.
func queueSucceeded(tx *db.BalanceTx, p newPayment) {
	db.Exec(underBalance.On(tx), "insert the payment that succeeded", func(q *balancesql.Queries) error {
		return q.PaymentInsertSucceeded(tx.Context(), balancesql.PaymentInsertSucceededParams{
			TenantID:       tx.Tenant(),
			PaymentID:      p.PaymentID,
			BookingID:      tx.Booking(),
			RefundOf:       p.RefundOf,
			Kind:           p.Kind,
			Amount:         p.Amount,
			Currency:       p.Currency,
			Method:         p.Method,
			Provider:       p.Provider,
			IdempotencyKey: keyOf(tx, p),
			WalletID:       p.WalletID,
			CardPaymentID:  p.CardPaymentID,
			LowersOwed:     p.LowersOwed,
			LowersFee:      p.LowersFee,
			Metadata:       p.Metadata,
			Note:           p.Note,
			MovedAt:        p.MovedAt,
			Now:            tx.Now(),
		})
	})
}

// queueTaken queues that the caller has the lease of an open payment. readFence is the fence that was read. The fence
// of p is higher, unless the caller had the lease already, so that a process whose lease has ended can't write. If the
// resolver leased the payment after it was read, the transaction runs again. An order that the caller sends again
// counts as sent now.
func queueTaken(tx *db.BalanceTx, p paymentRow, readFence int64) {
	db.Exec(underBalance.On(tx), "take the payment", func(q *balancesql.Queries) error {
		return q.PaymentTake(tx.Context(), balancesql.PaymentTakeParams{
			TenantID:    tx.Tenant(),
			PaymentID:   p.PaymentID,
			ReadFence:   readFence,
			Fence:       p.Fence,
			LeasedUntil: p.LeasedUntil,
			FirstSentAt: p.FirstSentAt,
			LastSentAt:  p.LastSentAt,
			Now:         tx.Now(),
		})
	}, leasedMeanwhile)
}

// queueSet queues what is known of a payment now: its status, the provider's result, its lease, what a wallet holds for
// it, and when the resolver looks it up next, which is nil for a final payment. It doesn't change when the payment is
// cancelled. If the resolver leased the payment after it was read, the transaction runs again.
func queueSet(tx *db.BalanceTx, p paymentRow) {
	db.Exec(underBalance.On(tx), "set the payment", func(q *balancesql.Queries) error {
		return q.PaymentSet(tx.Context(), balancesql.PaymentSetParams{
			TenantID:     tx.Tenant(),
			PaymentID:    p.PaymentID,
			Fence:        p.Fence,
			Status:       p.Status,
			ProviderID:   p.ProviderID,
			DeclineCode:  p.DeclineCode,
			TryAgain:     p.TryAgain,
			ActionUrl:    p.ActionUrl,
			ClientSecret: p.ClientSecret,
			LeasedUntil:  p.LeasedUntil,
			ResolveAt:    p.ResolveAt,
			WalletAmount: p.WalletAmount,
			WalletHeld:   p.WalletHeld,
			Now:          tx.Now(),
		})
	}, leasedMeanwhile)
}

// queueCompleted queues that the money of an open offline refund was handed back: its method, note and MovedAt are
// those of p. If a resolver leased the refund after it was read, the transaction runs again.
func queueCompleted(tx *db.BalanceTx, p paymentRow) {
	db.Exec(underBalance.On(tx), "complete the offline refund", func(q *balancesql.Queries) error {
		return q.PaymentComplete(tx.Context(), balancesql.PaymentCompleteParams{
			TenantID:  tx.Tenant(),
			PaymentID: p.PaymentID,
			Fence:     p.Fence,
			Method:    p.Method,
			Note:      p.Note,
			MovedAt:   p.MovedAt,
			Now:       tx.Now(),
		})
	}, leasedMeanwhile)
}

// queueDeleted queues that an attempt that certainly did nothing is deleted, with the event of a kind that would
// resolve it. The key of its request is free again.
func queueDeleted(tx *db.BalanceTx, id uuid.UUID, kind string) {
	db.Exec(underBalance.On(tx), "delete the payment", func(q *balancesql.Queries) error {
		return q.PaymentDelete(tx.Context(),
			balancesql.PaymentDeleteParams{TenantID: tx.Tenant(), PaymentID: id, Kind: kind})
	})
}

// queueCancelled queues that a payment of the booking is cancelled at the provider, from now on: the resolver does it
// once no process works on the payment. It changes neither a refund nor a final payment.
func queueCancelled(tx *db.BalanceTx, id uuid.UUID) {
	db.Exec(underBalance.On(tx), "cancel the payment", func(q *balancesql.Queries) error {
		return q.PaymentCancel(tx.Context(), balancesql.PaymentCancelParams{
			TenantID: tx.Tenant(), PaymentID: id, BookingID: tx.Booking(), Now: tx.Now(),
		})
	})
}

// queueProviderEvent queues that a provider's event about a payment was processed.
func queueProviderEvent(tx *db.BalanceTx, provider, event string, payment uuid.UUID) {
	db.Exec(underBalance.On(tx), "note the provider's event", func(q *balancesql.Queries) error {
		return q.ProviderEventInsert(tx.Context(), balancesql.ProviderEventInsertParams{
			TenantID: tx.Tenant(), Provider: provider, EventID: event, PaymentID: payment, ReceivedAt: tx.Now(),
		})
	}, db.Again(db.UniqueViolation)...) // another transaction noted it first
}

// raiseVersion queues that the booking gets its next version, for a change that isn't a payment or refund that
// succeeded: these raise the version by themselves.
func raiseVersion(tx *db.BalanceTx) {
	db.Exec(underBalance.On(tx), "raise the booking's version", func(q *balancesql.Queries) error {
		return q.BookingRaiseVersion(tx.Context(), tx.Tenant(), tx.Booking())
	})
}
