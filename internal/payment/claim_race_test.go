package payment_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
)

// claimPayment claims a payment as the resolver does: in one statement, without the booking's lock.
func (b *testBundle) claimPayment(t testing.TB, id uuid.UUID) *payment.ClaimedPayment {
	t.Helper()
	claimed, err := payment.NewService(dbtest.Open(t, db.Config{URL: b.url, MaxConns: 2}), payment.Config{}).
		Claim(t.Context(), b.tenant, id, time.Hour)
	require.NoError(t, err)
	require.NotNil(t, claimed)
	return claimed
}

// requireLeased requires that the only payment still has the lease of a claim.
func (b *testBundle) requireLeased(t testing.TB, c *payment.ClaimedPayment) {
	t.Helper()
	const leased = `SELECT count(*) FROM payments WHERE fence = $1 AND leased_until > now() + interval '50 minutes'`
	require.Equal(t, 1, b.count(t, leased, c.Fence))
}

func TestTake_ResolverClaimsThePaymentMeanwhile_ItAloneCallsTheProvider(t *testing.T) {
	t.Parallel()
	// The first statement that writes, of each request.
	for name, firstWrite := range map[string]string{"cancel": "PaymentCancel", "repeat": "PaymentTake"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			var calls atomic.Int32
			called := func() (payment.Outcome, error) {
				calls.Add(1)
				return payment.Outcome{}, errors.New("it must not be called")
			}
			f := &interceptedProvider{
				cancel: func(context.Context, payment.Reference, string) (payment.Outcome, error) { return called() },
				find:   func(context.Context, payment.Reference, string) (payment.Outcome, error) { return called() },
			}
			s, g := b.gatedProcess(t, firstWrite, nil, withInterceptor(f))
			key, booking := newKey(), b.newBooking(t)
			open := b.payWithAction(t, b.process(t), key, booking)
			b.exec(t, `UPDATE payments SET resolve_at = now(), leased_until = now()`)
			done := make(chan struct{})
			var resp idempotency.Outcome
			var err error
			go func() {
				defer close(done)
				if name == "cancel" {
					resp, err = b.cancel(t, s, newKey(), open.ID)
				} else {
					resp, err = b.pay(t, s, key, booking, balance("pm_requires_action"))
				}
			}()
			within(t, g.reached)
			claimed := b.claimPayment(t, open.ID)
			g.open()
			within(t, done)
			if name == "cancel" {
				require.NoError(t, err)
				require.Equal(t, http.StatusAccepted, resp.Answer().Status)
			} else {
				require.ErrorContains(t, err, "is still running")
			}
			require.Zero(t, calls.Load())
			b.requireLeased(t, claimed)
		})
	}
}

func TestRecord_ResolverClaimsThePaymentMeanwhile_ItsLeaseStays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := &interceptedProvider{cancel: func(context.Context, payment.Reference, string) (payment.Outcome, error) {
		return payment.Outcome{}, errors.New("no answer")
	}}
	s, g := b.gatedProcess(t, "PaymentSet", nil, withInterceptor(f))
	open := b.payWithAction(t, b.process(t), newKey(), b.newBooking(t))
	done := make(chan error, 1)
	go func() {
		_, err := b.cancel(t, s, newKey(), open.ID)
		done <- err
	}()
	within(t, g.reached)
	b.exec(t, `UPDATE payments SET resolve_at = now(), leased_until = now()`) // the lease has ended
	claimed := b.claimPayment(t, open.ID)
	g.open()
	require.NoError(t, within(t, done))
	b.requireLeased(t, claimed)
}

// TestPay_AnotherRequestTakesTheKeyMeanwhile_ChargesNothing has two server processes get one key for two bookings. The
// first one has decided to charge when the second one's payment is complete: its commit fails, and its next run finds
// the other request's response.
func TestPay_AnotherRequestTakesTheKeyMeanwhile_ChargesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second, key := b.newBooking(t), b.newBooking(t), newKey()
	s, g := b.gatedProcess(t, "IdempotencyBegin", nil, withLongCallTimeout)
	done := make(chan struct{})
	var err error
	go func() {
		defer close(done)
		_, err = b.pay(t, s, key, first, part(100, "pm_ok"))
	}()
	within(t, g.reached)
	paid := decode(t, b.payKnown(t, b.process(t, withLongCallTimeout), key, second, part(100, "pm_ok")))
	require.Equal(t, string(payment.StatusSucceeded), paid.Status)
	g.open()
	within(t, done)
	require.True(t, problem.Is(err, problem.IdempotencyKeyReused), "%v", err)
	require.Equal(t, transferTotals{captures: 1, captured: 100}, b.transferTotals(t))
	require.Zero(t, b.count(t, `SELECT count(*) FROM payments WHERE booking_id = $1`, first))
}
