package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/store/internal/dbsqlc"
)

// BalanceRead says what to read once a booking's balance lock is held. What is left zero is not read.
type BalanceRead struct {
	// Key is the request's idempotency key. With it the movement that the request began is read too.
	Key string
	// Payment asks for a payment or refund of the booking, with how much of it was returned.
	Payment *uuid.UUID
	// Provider and Event ask whether a provider's webhook was heard before.
	Provider, Event string
	// Payments asks for all payments and refunds of the booking of which money moved or may have, and for the automatic
	// refunds that were declined.
	Payments bool
}

// BalanceState is what was read under the balance lock.
type BalanceState struct {
	// Now is the database's clock, read after the lock was granted.
	Now time.Time
	// Booking is nil if there is none of that id.
	Booking *BalanceBooking
	// Sum is the booking's money, in minor units of its currency.
	Sum BalanceSum
	// Answer is the stored answer of the key, nil if the key is free.
	Answer *Answer
	// Begun is the movement that an earlier request with the same key began, nil if none did.
	Begun *Payment
	// Open is the movement of the booking that is in the air, nil if none is.
	Open *OpenPayment
	// Payment is the one that was asked for, nil if it isn't there; Refunded is how much of it was returned or is on its
	// way back, in minor units.
	Payment  *Payment
	Refunded int64
	// Heard says that the provider's webhook was heard before.
	Heard bool
	// Payments are in the order in which they were made.
	Payments []Payment
}

// BalanceTx is a transaction that holds the balance lock of a booking. Only Store.Balance makes a useful one. Its
// methods queue what is written when the caller's function returns; tenant and booking come from the lock.
type BalanceTx struct {
	ctx     context.Context
	tenant  uuid.UUID
	booking uuid.UUID
	key     string
	now     time.Time
	expired bool
	f       *flight
}

const (
	stepInsertPayment = "insert the payment"
	stepClaimKey      = "claim the idempotency key"
	stepHearEvent     = "note the provider's event"
)

// Balance runs decide in a transaction that holds the lock `{tenant}:balance:{booking}`. What read asks for was read after
// the lock was granted. When decide returns an error, or queues nothing, the transaction is rolled back; otherwise its
// writes commit in one flight. decide may be run several times and must not have effects of its own.
//
// It costs two round trips, one of them when nothing is written. Errors: decide's own; problem.LockTimeout,
// problem.DatabaseUnavailable and problem.RequestInProgress, after which nothing was written; problem.PaymentInProgress when
// the constraint refused a second movement in the air; problem.OutcomeUnknown.
func (s *Store) Balance(ctx context.Context, key lock.BalanceKey, read BalanceRead, decide func(*BalanceTx, BalanceState) error) error {
	if len(key.Keys()) == 0 {
		return fmt.Errorf("store: balance transaction: %w", lock.ErrNoKeys)
	}
	tenant, booking := uuid.UUID(key.Tenant()), uuid.UUID(key.Booking())
	// Whatever was written, running decide again finds it: payments are known by id or key, events by theirs.
	err := s.retry(ctx, "change the balance", true, func() error {
		var rows balanceRows
		return s.run(ctx, transaction{
			tenant: tenant,
			kind:   kindBalance,
			keys:   key.Keys(),
			read:   func(f *flight) { rows.add(context.WithoutCancel(ctx), f, tenant, booking, read) },
			now:    func() time.Time { return rows.now },
			write: func(f *flight) error {
				state := rows.state()
				return decide(&BalanceTx{
					ctx: context.WithoutCancel(ctx), tenant: tenant, booking: booking, key: read.Key, now: state.Now,
					expired: rows.answerFound && state.Answer == nil, f: f,
				}, state)
			},
		})
	})
	if failedAt(err, stepInsertPayment, sqlUniqueViolation) {
		return problem.Wrap(err, problem.PaymentInProgress, "Another payment or refund of this booking is in progress.").Retry(time.Second)
	}
	return err
}

type balanceRows struct {
	now                                                        time.Time
	booking                                                    BalanceBooking
	sum                                                        BalanceSum
	answer                                                     dbsqlc.IdempotencyGetRow
	begun, payment                                             Payment
	open                                                       OpenPayment
	refunded                                                   int64
	event                                                      string
	payments                                                   []dbsqlc.PaymentListNotDeclinedRow
	nowFound, bookingFound, answerFound, begunFound, openFound bool
	paymentFound, sumFound, refundedFound, eventFound          bool
}

func (r *balanceRows) add(ctx context.Context, f *flight, tenant, booking uuid.UUID, read BalanceRead) {
	one(f, "read the clock", &r.now, &r.nowFound, func(q *dbsqlc.Queries) (time.Time, error) { return q.SessionClock(ctx) })
	one(f, "read the booking", &r.booking, &r.bookingFound, func(q *dbsqlc.Queries) (BalanceBooking, error) {
		return q.BalanceBooking(ctx, tenant, booking)
	})
	one(f, "add up the booking's money", &r.sum, &r.sumFound, func(q *dbsqlc.Queries) (BalanceSum, error) {
		return q.BalanceSum(ctx, tenant, booking)
	})
	one(f, "read the open payment", &r.open, &r.openFound, func(q *dbsqlc.Queries) (OpenPayment, error) {
		return q.PaymentGetOpen(ctx, tenant, booking)
	})
	if read.Key != "" {
		addAnswer(ctx, f, tenant, read.Key, &r.answer, &r.answerFound)
		one(f, "read the payment of the key", &r.begun, &r.begunFound, func(q *dbsqlc.Queries) (Payment, error) {
			p, err := q.PaymentGetByKey(ctx, dbsqlc.PaymentGetByKeyParams{TenantID: tenant, BookingID: booking, Key: read.Key})
			return Payment(p), err
		})
	}
	if read.Payment != nil {
		one(f, "read the payment", &r.payment, &r.paymentFound, func(q *dbsqlc.Queries) (Payment, error) {
			return q.PaymentGet(ctx, tenant, *read.Payment)
		})
		one(f, "add up the payment's refunds", &r.refunded, &r.refundedFound, func(q *dbsqlc.Queries) (int64, error) {
			return q.PaymentRefunded(ctx, tenant, read.Payment)
		})
	}
	if read.Event != "" {
		one(f, "read the provider's event", &r.event, &r.eventFound, func(q *dbsqlc.Queries) (string, error) {
			return q.ProviderEventGet(ctx, dbsqlc.ProviderEventGetParams{TenantID: tenant, Provider: read.Provider, EventID: read.Event})
		})
	}
	if read.Payments {
		many(f, "read the payments", &r.payments, func(q *dbsqlc.Queries) ([]dbsqlc.PaymentListNotDeclinedRow, error) {
			return q.PaymentListNotDeclined(ctx, tenant, booking)
		})
	}
}

func (r *balanceRows) state() BalanceState {
	st := BalanceState{
		Now: r.now, Sum: r.sum, Refunded: r.refunded, Heard: r.eventFound,
		Payments: convert(r.payments, func(p dbsqlc.PaymentListNotDeclinedRow) Payment { return Payment(p) }),
	}
	if r.bookingFound {
		st.Booking = &r.booking
	}
	if r.answerFound && !dead(r.answer, r.now) {
		st.Answer = answerOf(r.answer)
	}
	if r.begunFound {
		st.Begun = &r.begun
	}
	if r.openFound {
		st.Open = &r.open
	}
	if r.paymentFound {
		st.Payment = &r.payment
	}
	return st
}

// NewPayment is a payment or refund to be begun. Its tenant and booking are those of the lock.
type NewPayment struct {
	PaymentID uuid.UUID
	// RefundOf is the payment that a refund returns, nil for payments.
	RefundOf *uuid.UUID
	// Kind is "deposit", "balance", "amount" or "refund".
	Kind string
	// Amount is positive, in minor units of Currency.
	Amount   int64
	Currency string
	// Method is the provider's token of a payment method, empty for refunds.
	Method, Provider string
	// Automatic refunds are made by us and may be in the air beside another movement.
	Automatic bool
	// LeasedUntil is until when whoever begins it works on it; the resolver looks at it from then on.
	LeasedUntil time.Time
	// CancelAt is when it is cancelled if it is still open, nil for refunds.
	CancelAt *time.Time
}

// InsertPayment queues a payment or refund in the state "started", with fence 1. Unless it is automatic it belongs to the
// request's idempotency key.
func (tx *BalanceTx) InsertPayment(p NewPayment) {
	var key *string
	if !p.Automatic && tx.key != "" {
		key = &tx.key
	}
	exec(tx.f, stepInsertPayment, func(q *dbsqlc.Queries) error {
		return q.PaymentInsert(tx.ctx, dbsqlc.PaymentInsertParams{
			TenantID: tx.tenant, PaymentID: p.PaymentID, BookingID: tx.booking, RefundOf: p.RefundOf, Kind: p.Kind, Amount: p.Amount,
			Currency: p.Currency, Method: p.Method, Provider: p.Provider, Automatic: p.Automatic, IdempotencyKey: key,
			LeasedUntil: p.LeasedUntil, CancelAt: p.CancelAt, Now: tx.now,
		})
	})
}

// TakePayment queues that the caller works on an open payment until the lease ends. fence tells the caller from those who
// worked on it before; it is higher than theirs. An order that the caller sends (again) counts as sent now.
func (tx *BalanceTx) TakePayment(p Payment) {
	exec(tx.f, "take the payment", func(q *dbsqlc.Queries) error {
		return q.PaymentTake(tx.ctx, dbsqlc.PaymentTakeParams{
			TenantID: tx.tenant, PaymentID: p.PaymentID, Fence: p.Fence, LeasedUntil: p.LeasedUntil, FirstSentAt: p.FirstSentAt,
			LastSentAt: p.LastSentAt, Now: tx.now,
		})
	})
}

// SetPayment queues what is known of a payment now: its status, what the provider said, its lease and when the resolver
// looks at it, which is nil once it is settled. It leaves alone when the payment is cancelled.
func (tx *BalanceTx) SetPayment(p Payment) {
	exec(tx.f, "set the payment", func(q *dbsqlc.Queries) error {
		return q.PaymentSet(tx.ctx, dbsqlc.PaymentSetParams{
			TenantID: tx.tenant, PaymentID: p.PaymentID, Status: p.Status, ProviderID: p.ProviderID, DeclineCode: p.DeclineCode,
			TryAgain: p.TryAgain, ActionUrl: p.ActionUrl, ClientSecret: p.ClientSecret, LeasedUntil: p.LeasedUntil,
			ResolveAt: p.ResolveAt, Now: tx.now,
		})
	})
}

// CancelPayment queues that a payment of the booking is cancelled at the provider, from now on: the resolver does it once
// nobody works on the payment. It changes nothing of a refund, nor of a payment that has an end.
func (tx *BalanceTx) CancelPayment(id uuid.UUID) {
	exec(tx.f, "cancel the payment", func(q *dbsqlc.Queries) error {
		return q.PaymentCancel(tx.ctx, dbsqlc.PaymentCancelParams{TenantID: tx.tenant, PaymentID: id, BookingID: tx.booking, Now: tx.now})
	})
}

// HearEvent queues that a provider's webhook about a payment was heard.
func (tx *BalanceTx) HearEvent(provider, event string, payment uuid.UUID) {
	exec(tx.f, stepHearEvent, func(q *dbsqlc.Queries) error {
		return q.ProviderEventInsert(tx.ctx, dbsqlc.ProviderEventInsertParams{
			TenantID: tx.tenant, Provider: provider, EventID: event, PaymentID: payment, ReceivedAt: tx.now,
		})
	})
}

// ClaimKey queues that the request's idempotency key is taken and will be answered later. Of a, only the fingerprint and
// the end of the key's life count.
func (tx *BalanceTx) ClaimKey(a Answer) {
	tx.makeRoom()
	exec(tx.f, stepClaimKey, func(q *dbsqlc.Queries) error {
		return q.IdempotencyClaim(tx.ctx, dbsqlc.IdempotencyClaimParams{
			TenantID: tx.tenant, Key: tx.key, Fingerprint: a.Fingerprint, Now: tx.now, ExpiresAt: a.ExpiresAt,
		})
	})
}

// FinishKey queues the answer of a key that was claimed. A key that has an answer keeps it.
func (tx *BalanceTx) FinishKey(key string, a Answer) {
	exec(tx.f, "answer the idempotency key", func(q *dbsqlc.Queries) error {
		return q.IdempotencyFinish(tx.ctx, dbsqlc.IdempotencyFinishParams{
			TenantID: tx.tenant, Key: key, Status: int32(a.Status), Location: a.Location, Etag: a.ETag, Body: a.Body, ExpiresAt: a.ExpiresAt,
		})
	})
}

// PutAnswer queues the answer under the request's idempotency key, which is free.
func (tx *BalanceTx) PutAnswer(a Answer) {
	tx.makeRoom()
	addPutAnswer(tx.ctx, tx.f, tx.tenant, tx.key, a, tx.now)
}

func (tx *BalanceTx) makeRoom() {
	if tx.expired {
		addDeleteExpired(tx.ctx, tx.f, tx.tenant, tx.key, tx.now)
	}
}

// ClaimedPayment is a payment that a resolver has in hand.
type ClaimedPayment struct {
	TenantID, PaymentID, BookingID uuid.UUID
	Fence                          int64
	// ClaimedAt is when, by the database's clock.
	ClaimedAt time.Time
}

// ClaimPayments hands up to limit open payments that are due, of every tenant, to the caller for the length of lease. Each
// goes to one caller; those that another has in hand are skipped. It takes no advisory lock.
//
// Errors: problem.DatabaseUnavailable; problem.OutcomeUnknown, after which the leases end by themselves.
func (s *Store) ClaimPayments(ctx context.Context, limit int, lease time.Duration) ([]ClaimedPayment, error) {
	var rows []dbsqlc.PaymentClaimRow
	err := s.retry(ctx, "claim payments", false, func() error {
		return s.run(ctx, transaction{
			read: func(f *flight) {
				exec(f, "become the resolver", func(q *dbsqlc.Queries) error { return q.SessionResolver(ctx) })
			},
			write: func(f *flight) error {
				many(f, "claim payments", &rows, func(q *dbsqlc.Queries) ([]dbsqlc.PaymentClaimRow, error) {
					return q.PaymentClaim(ctx, interval(lease), int32(min(limit, 1000)))
				})
				return nil
			},
		})
	})
	return convert(rows, func(r dbsqlc.PaymentClaimRow) ClaimedPayment { return ClaimedPayment(r) }), err
}

func interval(d time.Duration) pgtype.Interval {
	return pgtype.Interval{Microseconds: d.Microseconds(), Valid: true}
}
