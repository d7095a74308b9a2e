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

	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/store"
	"holdfast/internal/store/storetest"
)

// The resolver claims a payment in one statement, without the booking's lock.
func TestTake_ResolverClaimsThePaymentMeanwhile_ItAloneCallsTheProvider(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]func(testing.TB, *testBundle, *payment.Service, string, paymentResponse, uuid.UUID) (idempotency.Response, error){
		"cancel": func(t testing.TB, b *testBundle, s *payment.Service, _ string, open paymentResponse, _ uuid.UUID) (idempotency.Response, error) {
			t.Helper()
			return b.cancel(t, s, newKey(), open.ID)
		},
		"repeat": func(t testing.TB, b *testBundle, s *payment.Service, key string, _ paymentResponse, booking uuid.UUID) (idempotency.Response, error) {
			t.Helper()
			return b.pay(t, s, key, booking, balance("pm_requires_action"))
		},
	} {
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
			s, g := b.gatedProcess(t, map[string]string{"cancel": "PaymentCancel", "repeat": "PaymentTake"}[name], nil, withInterceptor(f)) // its first write
			key, booking := newKey(), b.newBooking(t)
			open := b.payWithAction(t, b.process(t), key, booking)
			b.exec(t, `UPDATE payments SET resolve_at = now(), leased_until = now()`)
			done := make(chan struct{})
			var resp idempotency.Response
			var err error
			go func() {
				defer close(done)
				resp, err = send(t, b, s, key, open, booking)
			}()
			within(t, g.reached)
			claimed, claimErr := storetest.Open(t, store.Config{URL: b.url, MaxConns: 2}).ClaimPayment(t.Context(), b.tenant, open.ID, time.Hour)
			require.NoError(t, claimErr)
			require.NotNil(t, claimed)
			g.open()
			within(t, done)
			if name == "cancel" {
				require.NoError(t, err)
				require.Equal(t, http.StatusAccepted, resp.Status)
			} else {
				require.ErrorContains(t, err, "is still running")
			}
			require.Zero(t, calls.Load())
			require.Equal(t, 1, b.count(t, `SELECT count(*) FROM payments WHERE fence = $1 AND leased_until > now() + interval '50 minutes'`, claimed.Fence))
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
	claimed, err := storetest.Open(t, store.Config{URL: b.url, MaxConns: 2}).ClaimPayment(t.Context(), b.tenant, open.ID, time.Hour)
	require.NoError(t, err)
	require.NotNil(t, claimed)
	g.open()
	require.NoError(t, within(t, done))
	require.Equal(t, 1, b.count(t, `SELECT count(*) FROM payments WHERE fence = $1 AND leased_until > now() + interval '50 minutes'`, claimed.Fence))
}
