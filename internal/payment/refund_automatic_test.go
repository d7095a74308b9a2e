package payment_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
)

// finishAction completes or fails a charge of pm_requires_action at the sandbox.
func finishAction(t testing.TB, actionURL, outcome string) {
	t.Helper()
	r, err := http.PostForm(actionURL, url.Values{"outcome": {outcome}})
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	require.Equal(t, http.StatusOK, r.StatusCode)
}

// bookingEnds are the ways in which a booking stops accepting payments.
var bookingEnds = map[string]string{
	"cancelled":              `UPDATE bookings SET status = 'cancelled' WHERE booking_id = $1`,
	"expired":                `UPDATE bookings SET status = 'expired' WHERE booking_id = $1`,
	"a hold past its expiry": `UPDATE bookings SET status = 'held', hold_expires_at = now() WHERE booking_id = $1`,
}

func TestResolve_CaptureAfterBookingEnded_IsRefundedOnce(t *testing.T) {
	t.Parallel()
	for name, end := range bookingEnds {
		for _, method := range []string{"pm_timeout_charged", "pm_requires_action"} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				services := []*payment.Service{b.process(t, withShortCallTimeout), b.process(t, withShortCallTimeout)}
				id, key := b.newBooking(t), newKey()
				if method == "pm_requires_action" {
					open := b.payWithAction(t, services[0], key, id)
					b.exec(t, end, id)
					b.exec(t, dbtest.SyncClaims)
					finishAction(t, open.ActionURL, "complete")
				} else {
					r, err := b.pay(t, services[0], key, id, balance(method))
					require.NoError(t, err)
					require.Equal(t, http.StatusAccepted, r.Answer().Status)
					b.exec(t, end, id)
					b.exec(t, dbtest.SyncClaims)
				}
				b.resolveAll(t, services...)
				require.Equal(t, transferTotals{captures: 1, captured: price, refunds: 1, refunded: price},
					b.transferTotals(t))
				require.Equal(t, payment.BalanceSummary{Total: price, Deposit: deposit, Paid: price, Refunded: price,
					Currency: "EUR"},
					b.balanceSummary(t, services[0], id))
				r, err := b.pay(t, services[1], key, id, balance(method))
				require.NoError(t, err)
				require.Equal(t, http.StatusCreated, r.Answer().Status, "the key's response must be the capture")
			})
		}
	}
}

// A client repeats its request after its booking was cancelled.
func TestPay_RetryAfterBookingEnded_IsNotSentAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t, withShortCallTimeout)
	id, key := b.newBooking(t), newKey()
	require.NoError(t, b.sandbox.Inject(sandbox.Fault{Kind: sandbox.DropBefore, On: sandbox.Charges, Count: 1}))
	r, err := b.pay(t, s, key, id, balance("pm_ok"))
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, r.Answer().Status)
	b.setStatus(t, id, "cancelled")
	_, err = b.pay(t, s, key, id, balance("pm_ok"))
	require.NoError(t, err)
	b.resolveAll(t, s)
	require.Zero(t, b.transferTotals(t))
}

// A client repeats its request after its booking was cancelled with a fee of 4,000.
func TestPay_RetryAfterCancellationWithAFee_IsSentAgainOnlyIfItFitsTheFee(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		amount int64
		want   transferTotals
	}{
		"the whole fee":     {4_000, transferTotals{captures: 1, captured: 4_000}},
		"more than the fee": {4_001, transferTotals{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			s, bookings := b.process(t, withShortCallTimeout), b.bookingProcess(t)
			id, key := b.bookWithFee(t, bookings, 4_000), newKey()
			require.NoError(t, b.sandbox.Inject(sandbox.Fault{Kind: sandbox.DropBefore, On: sandbox.Charges, Count: 1}))
			r, err := b.pay(t, s, key, id, part(test.amount, "pm_ok"))
			require.NoError(t, err)
			require.Equal(t, http.StatusAccepted, r.Answer().Status)
			require.NoError(t, b.change(t, bookings, id, booking.Cancel))
			_, err = b.pay(t, s, key, id, part(test.amount, "pm_ok"))
			require.NoError(t, err)
			b.resolveAll(t, s)
			require.Equal(t, test.want, b.transferTotals(t))
		})
	}
}

// Each fault hits the refund while the resolvers of two processes run.
func TestResolve_AutomaticRefundWithFaults_RefundsOnce(t *testing.T) {
	t.Parallel()
	for _, kind := range []sandbox.FaultKind{
		sandbox.DropBefore, sandbox.DropAfter, sandbox.ErrorBefore, sandbox.ErrorDuring, sandbox.ErrorAfter,
		sandbox.Unavailable,
		sandbox.RateLimit,
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			services := []*payment.Service{b.process(t, withShortCallTimeout), b.process(t, withShortCallTimeout)}
			var all []uuid.UUID
			for range 5 {
				id := b.newBooking(t)
				all = append(all, id)
				open := b.payWithAction(t, services[0], newKey(), id)
				b.setStatus(t, id, "cancelled")
				finishAction(t, open.ActionURL, "complete")
			}
			require.NoError(t, b.sandbox.Inject(sandbox.Fault{Kind: kind, On: sandbox.Refunds, Count: 4}))
			b.resolveAll(t, services...)
			require.Equal(t, transferTotals{captures: 5, captured: 5 * price, refunds: 5, refunded: 5 * price},
				b.transferTotals(t))
			for _, id := range all {
				require.EqualValues(t, price, b.balanceSummary(t, services[0], id).Refunded)
			}
			require.Equal(t, 5, b.count(t, `SELECT count(*) FROM payments WHERE automatic AND status = 'succeeded'`))
		})
	}
}

// counter returns the value of a counter without labels.
func counter(t *testing.T, registry *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() == name {
			return family.GetMetric()[0].GetCounter().GetValue()
		}
	}
	require.FailNow(t, "there is no such metric")
	return 0
}

// Nobody waits for the answer of an automatic refund, so the operator must learn that the provider refused it.
func TestResolve_AutomaticRefundDeclined_IsCounted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, registry := &interceptedProvider{}, prometheus.NewRegistry()
	f.refund = func(context.Context, payment.RefundOrder) (payment.Outcome, error) {
		return payment.Outcome{Result: payment.Declined, DeclineCode: "card_expired"}, nil
	}
	s := b.process(t, withInterceptor(f), func(cfg *payment.Config) { cfg.Metrics = registry })
	declined := func() float64 { return counter(t, registry, "holdfast_automatic_refunds_declined_total") }
	require.InDelta(t, 0, declined(), 0, "a rate can be taken before the first")
	id := b.newBooking(t)
	open := b.payWithAction(t, s, newKey(), id)
	b.setStatus(t, id, "cancelled")
	finishAction(t, open.ActionURL, "complete")
	b.resolveAll(t, s)
	require.InDelta(t, 1, declined(), 0)
}
