package store

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
)

// BalanceRead says what to read once a booking's balance lock is held. What is left zero is not read.
type BalanceRead struct {
	// Payment asks for a payment or refund of the booking, with how much of it was returned.
	Payment *uuid.UUID
	// Provider and Event ask whether a provider's event was processed before.
	Provider, Event string
	// Change asks for the booking as the API shows it, and keeps other transactions from changing it: the transaction takes its
	// next version.
	Change bool
	// Begin keeps other transactions from changing the booking, so that its price is what the payment that begins is judged by.
	Begin bool
	// Ended asks whether the booking ended and its payments need work.
	Ended bool
	// AccountAt is the provider of which the tenant's account is read, empty for none.
	AccountAt string
	// Payments asks for the payments and refunds of the booking that moved money or may have, and for declined automatic
	// refunds.
	Payments bool
}

// BalanceState is what was read under the balance lock.
type BalanceState struct {
	// Now is the database's clock, read after the lock was granted.
	Now time.Time
	// Booking is nil if there is none of that id.
	Booking *BalanceBooking
	// Changing is the whole booking, nil if there is none of that id or none was asked for.
	Changing *Booking
	// Ended is nil unless the booking ended and its payments need work.
	Ended *EndedBooking
	// Sum is the booking's money, in minor units of its currency.
	Sum BalanceSum
	// Account is what is known of the tenant's account at a provider, nil if nothing is, or none was asked for.
	Account *PaymentAccount
	// Begun says that an earlier transaction claimed the request's key, which has no response yet.
	Begun bool
	// PaymentOfKey is the payment or refund that an earlier request with the same key started, nil if there is none.
	PaymentOfKey *Payment
	// Open is the open payment or refund of the booking, nil if there is none.
	Open *OpenPayment
	// Payment is the payment that was asked for, nil if there is none of that id. Refunded is how much of it was refunded, or
	// is in an open refund, in minor units.
	Payment  *Payment
	Refunded int64
	// EventFound says that the provider's event was processed before.
	EventFound bool
	// Payments are in the order in which they were made.
	Payments []Payment
}

// BalanceTx is a transaction that holds the balance lock of a booking. Only Store.Balance, Store.BalanceAndWallet and
// Store.BalanceAndDates make a useful one. Its methods queue what is written when the caller's function returns; tenant and booking come
// from the lock.
type BalanceTx struct {
	transaction
	booking uuid.UUID
}

// Balance runs decide in a transaction that holds the lock `{tenant}:balance:{booking}`. request is what is served, nil for a change
// without a key; the payment that it began is read too. What read asks for was read after the lock was granted. When decide returns an
// error, or queues nothing, the transaction is rolled back; otherwise its writes commit together. decide may be run several times and must
// not have effects of its own.
//
// It costs two round trips, one of them when nothing is written. Errors: decide's own; problem.LockTimeout,
// problem.DatabaseUnavailable and problem.RequestInProgress, after which nothing was written; problem.PaymentInProgress when
// the constraint refused a second open payment; problem.OutcomeUnknown.
func (s *Store) Balance(ctx context.Context, request *Request, key lock.BalanceKey, read BalanceRead,
	decide func(*BalanceTx, BalanceState) error,
) error {
	return s.changeBalance(ctx, request, key.Set, key, read, func(tx *BalanceTx, st *BalanceState) func() error {
		return func() error { return decide(tx, *st) }
	})
}

// BalanceAndWallet is Balance in a transaction that also holds the lock `{tenant}:wallet:{wallet}` of each wallet of wallets. All
// locks are taken as one set, in the order of their keys. begin queues reads of the wallets. Errors: also those of db.DB.Wallets, and
// lock.ErrOtherTenant.
func (s *Store) BalanceAndWallet(
	ctx context.Context,
	request *Request,
	balance lock.BalanceKey,
	wallets lock.WalletKeys,
	read BalanceRead,
	begin func(*db.WalletTx),
	decide func(*BalanceTx, *db.WalletTx, BalanceState) error,
) error {
	locks, err := lock.Union(balance.Set, wallets.Set)
	if err != nil {
		return err
	}
	return s.changeBalance(ctx, request, locks, balance, read, func(tx *BalanceTx, st *BalanceState) func() error {
		w := db.Held{T: tx.t, Key: tx.k}.Wallets(wallets)
		begin(w)
		return func() error { return decide(tx, w, *st) }
	})
}

// changeBalance runs a decision in a transaction that holds the locks, of which one is the key's. begin queues further reads and returns
// the decision, which finds what an earlier run wrote: payments by id or key, complete ones by their stored response, events by theirs.
func (s *Store) changeBalance(ctx context.Context, request *Request, locks lock.Set, key lock.BalanceKey, read BalanceRead,
	begin func(*BalanceTx, *BalanceState) func() error,
) error {
	w := core.Write{Doing: "change the balance", Request: request, Locks: &locks, Repeatable: true, Phased: true}
	return s.db.Run(ctx, w, func(t *core.Tx, k *core.RequestKey) func() error {
		tx, st := &BalanceTx{transaction: newTransaction(t, k), booking: key.Booking()}, new(BalanceState)
		tx.queueReads(read, st)
		decide := begin(tx, st)
		return func() error {
			st.Now, st.Begun = t.Now, k.Begun()
			return decide()
		}
	})
}

func (tx *BalanceTx) queueReads(read BalanceRead, st *BalanceState) {
	t := tx.t
	if read.Change || read.Begin {
		lockBooking(t, tx.booking)
	}
	t.ReadClock()
	if read.Change {
		core.Optional(t, "read the whole booking", &st.Changing, func(q *dbsqlc.Queries) (Booking, error) {
			return q.BookingGet(t.Ctx, t.Tenant, tx.booking)
		})
	}
	if read.AccountAt != "" {
		core.Optional(t, "read the payment account", &st.Account, func(q *dbsqlc.Queries) (PaymentAccount, error) {
			return q.PaymentAccountGet(t.Ctx, t.Tenant, read.AccountAt)
		})
	}
	if read.Ended {
		core.Optional(t, "read the ended booking", &st.Ended, func(q *dbsqlc.Queries) (EndedBooking, error) {
			return q.EndedBookingGet(t.Ctx, t.Tenant, tx.booking)
		})
	}
	core.Optional(t, "read the booking", &st.Booking, func(q *dbsqlc.Queries) (BalanceBooking, error) {
		return q.BalanceBooking(t.Ctx, t.Tenant, tx.booking)
	})
	core.Query(t, "add up the booking's money", &st.Sum, func(q *dbsqlc.Queries) (BalanceSum, error) {
		return q.BalanceSum(t.Ctx, t.Tenant, tx.booking)
	})
	core.Optional(t, "read the open payment", &st.Open, func(q *dbsqlc.Queries) (OpenPayment, error) {
		return q.PaymentGetOpen(t.Ctx, t.Tenant, tx.booking)
	})
	if r := tx.k.Request; r != nil {
		core.Optional(t, "read the payment of the key", &st.PaymentOfKey, func(q *dbsqlc.Queries) (Payment, error) {
			return q.PaymentGetByKey(t.Ctx, dbsqlc.PaymentGetByKeyParams{TenantID: t.Tenant, BookingID: tx.booking, Key: r.Key()})
		})
	}
	if read.Payment != nil {
		core.Optional(t, "read the payment", &st.Payment, func(q *dbsqlc.Queries) (Payment, error) {
			return q.PaymentGet(t.Ctx, t.Tenant, *read.Payment)
		})
		core.Query(t, "add up the payment's refunds", &st.Refunded, func(q *dbsqlc.Queries) (int64, error) {
			return q.PaymentRefunded(t.Ctx, t.Tenant, read.Payment)
		})
	}
	if read.Event != "" {
		core.Query(t, "look for the provider's event", &st.EventFound, func(q *dbsqlc.Queries) (bool, error) {
			return q.ProviderEventExists(t.Ctx, dbsqlc.ProviderEventExistsParams{
				TenantID: t.Tenant, Provider: read.Provider, EventID: read.Event,
			})
		})
	}
	if read.Payments {
		core.Query(t, "read the payments", &st.Payments, func(q *dbsqlc.Queries) ([]Payment, error) {
			return q.PaymentListNotDeclined(t.Ctx, t.Tenant, tx.booking)
		})
	}
}

// NewPayment is a payment or refund to be started. Its tenant and booking are those of the lock.
type NewPayment struct {
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
	// Method is the provider's token of a payment method, empty for refunds and for payments on the provider's page. Offline it is "cash",
	// "transfer" or "terminal".
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
	// WalletID is the wallet whose credit the payment or refund moves, or of which a payment by card holds WalletAmount. WalletAmount
	// is nil for all others.
	WalletID     *uuid.UUID
	WalletAmount *int64
	// CardPaymentID is the payment by card that this one from a wallet belongs to, nil for all others.
	CardPaymentID *uuid.UUID
}

// keyOf returns the idempotency key of the request that makes the payment. Payments that follow from others have none.
func (tx *BalanceTx) keyOf(p NewPayment) *string {
	if p.Automatic || p.CardPaymentID != nil || tx.k.Request == nil {
		return nil
	}
	key := tx.k.Request.Key()
	return &key
}

// InsertPayment queues a payment or refund that isn't complete, with fence 1. Unless it is automatic it belongs to the
// request's idempotency key.
func (tx *BalanceTx) InsertPayment(p NewPayment) {
	core.Exec(tx.t, "insert the payment", func(q *dbsqlc.Queries) error {
		return q.PaymentInsert(tx.t.Ctx, dbsqlc.PaymentInsertParams{
			TenantID: tx.t.Tenant, PaymentID: p.PaymentID, BookingID: tx.booking, RefundOf: p.RefundOf, Kind: p.Kind,
			Status: cmp.Or(p.Status, "started"), Amount: p.Amount, Currency: p.Currency, Method: p.Method, Provider: p.Provider,
			Automatic: p.Automatic, IdempotencyKey: tx.keyOf(p),
			LeasedUntil: p.LeasedUntil, CancelAt: p.CancelAt, WalletID: p.WalletID, WalletAmount: p.WalletAmount,
			LowersOwed: p.LowersOwed, LowersFee: p.LowersFee,
			ReturnUrl: p.ReturnURL, Account: p.Account, ApplicationFee: p.ApplicationFee, Metadata: p.Metadata, Now: tx.t.Now,
		})
	}, core.Failure{State: core.UniqueViolation, Means: func(cause error) error {
		return problem.Wrap(cause, problem.PaymentInProgress,
			"Another payment or refund of this booking is in progress.").Retry(time.Second)
	}})
}

// claimedMeanwhile: the resolver, which takes no lock, claimed the payment after it was read.
var claimedMeanwhile = core.Failure{State: core.NotNullViolation, Again: true}

// InsertSucceeded queues a payment from a wallet, an offline payment, or the refund of one, as succeeded. The caller writes the wallet's
// entry in the same transaction.
func (tx *BalanceTx) InsertSucceeded(p NewPayment) {
	core.Exec(tx.t, "insert the payment that succeeded", func(q *dbsqlc.Queries) error {
		return q.PaymentInsertSucceeded(tx.t.Ctx, dbsqlc.PaymentInsertSucceededParams{
			TenantID: tx.t.Tenant, PaymentID: p.PaymentID, BookingID: tx.booking, RefundOf: p.RefundOf, Kind: p.Kind, Amount: p.Amount,
			Currency: p.Currency, Method: p.Method, Provider: p.Provider, IdempotencyKey: tx.keyOf(p), WalletID: p.WalletID,
			CardPaymentID: p.CardPaymentID, LowersOwed: p.LowersOwed, LowersFee: p.LowersFee, Metadata: p.Metadata, Note: p.Note,
			MovedAt: p.MovedAt, Now: tx.t.Now,
		})
	})
}

// TakePayment queues that the caller has the lease of an open payment. readFence is the fence that was read. The fence of p is higher,
// unless the caller had the lease already, so that a process whose lease has ended can't write. If the resolver claimed the payment after
// it was read, the transaction runs again. An order that the caller sends again counts as sent now.
func (tx *BalanceTx) TakePayment(p Payment, readFence int64) {
	core.Exec(tx.t, "take the payment", func(q *dbsqlc.Queries) error {
		return q.PaymentTake(tx.t.Ctx, dbsqlc.PaymentTakeParams{
			TenantID: tx.t.Tenant, PaymentID: p.PaymentID, ReadFence: readFence, Fence: p.Fence, LeasedUntil: p.LeasedUntil,
			FirstSentAt: p.FirstSentAt, LastSentAt: p.LastSentAt, Now: tx.t.Now,
		})
	}, claimedMeanwhile)
}

// SetPayment queues what is known of a payment now: its status, the provider's result, its lease, what a wallet holds for it, and when
// the resolver looks it up next, which is nil for a final payment. It doesn't change when the payment is cancelled. If the resolver claimed
// the payment after it was read, the transaction runs again.
func (tx *BalanceTx) SetPayment(p Payment) {
	core.Exec(tx.t, "set the payment", func(q *dbsqlc.Queries) error {
		return q.PaymentSet(tx.t.Ctx, dbsqlc.PaymentSetParams{
			TenantID: tx.t.Tenant, PaymentID: p.PaymentID, Fence: p.Fence, Status: p.Status, ProviderID: p.ProviderID,
			DeclineCode: p.DeclineCode, TryAgain: p.TryAgain, ActionUrl: p.ActionUrl, ClientSecret: p.ClientSecret,
			LeasedUntil: p.LeasedUntil,
			ResolveAt:   p.ResolveAt, WalletAmount: p.WalletAmount, WalletHeld: p.WalletHeld, Now: tx.t.Now,
		})
	}, claimedMeanwhile)
}

// CompletePayment queues that the money of an open offline refund was handed back: its method, note and MovedAt are those of p. If a
// resolver claimed the refund after it was read, the transaction runs again.
func (tx *BalanceTx) CompletePayment(p Payment) {
	core.Exec(tx.t, "complete the offline refund", func(q *dbsqlc.Queries) error {
		return q.PaymentComplete(tx.t.Ctx, dbsqlc.PaymentCompleteParams{
			TenantID: tx.t.Tenant, PaymentID: p.PaymentID, Fence: p.Fence, Method: p.Method, Note: p.Note, MovedAt: p.MovedAt,
			Now: tx.t.Now,
		})
	}, claimedMeanwhile)
}

// DeletePayment queues that an attempt that certainly did nothing is deleted, with the event of a kind that would resolve it. The key of
// its request is free again.
func (tx *BalanceTx) DeletePayment(id uuid.UUID, kind string) {
	core.Exec(tx.t, "delete the payment", func(q *dbsqlc.Queries) error {
		return q.PaymentDelete(tx.t.Ctx, dbsqlc.PaymentDeleteParams{TenantID: tx.t.Tenant, PaymentID: id, Kind: kind})
	})
}

// CancelPayment queues that a payment of the booking is cancelled at the provider, from now on: the resolver does it once
// no process works on the payment. It changes neither a refund nor a final payment.
func (tx *BalanceTx) CancelPayment(id uuid.UUID) {
	core.Exec(tx.t, "cancel the payment", func(q *dbsqlc.Queries) error {
		return q.PaymentCancel(tx.t.Ctx, dbsqlc.PaymentCancelParams{
			TenantID: tx.t.Tenant, PaymentID: id, BookingID: tx.booking, Now: tx.t.Now,
		})
	})
}

// InsertEvent queues that a provider's event about a payment was processed.
func (tx *BalanceTx) InsertEvent(provider, event string, payment uuid.UUID) {
	core.Exec(tx.t, "note the provider's event", func(q *dbsqlc.Queries) error {
		return q.ProviderEventInsert(tx.t.Ctx, dbsqlc.ProviderEventInsertParams{
			TenantID: tx.t.Tenant, Provider: provider, EventID: event, PaymentID: payment, ReceivedAt: tx.t.Now,
		})
	}, core.Again(core.UniqueViolation)...) // another transaction noted it first
}

// ClaimKey queues that the request's idempotency key is taken and gets its response later.
func (tx *BalanceTx) ClaimKey() { tx.k.Claim() }

// FinishKey queues the response of a key that was claimed. A key that has a response keeps it.
func (tx *BalanceTx) FinishKey(key string, o Outcome) { tx.t.FinishKey(key, o) }

// RespondUnstored sets the outcome of a request that goes on. It isn't stored.
func (tx *BalanceTx) RespondUnstored(o Outcome) { tx.k.RespondUnstored(o) }

// RaiseVersion queues that the booking gets its next version, for a change that isn't a payment or refund that succeeded: these
// raise the version by themselves.
func (tx *BalanceTx) RaiseVersion() {
	core.Exec(tx.t, "raise the booking's version", func(q *dbsqlc.Queries) error {
		return q.BookingRaiseVersion(tx.t.Ctx, tx.t.Tenant, tx.booking)
	})
}

// DeleteEndedBooking queues that the payments of the locked booking, which has a row of ended_bookings, need no more work.
func (tx *BalanceTx) DeleteEndedBooking() {
	core.Exec(tx.t, "delete the ended booking", func(q *dbsqlc.Queries) error {
		return q.EndedBookingDelete(tx.t.Ctx, tx.t.Tenant, tx.booking)
	})
}
