package payment_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/idempotency"
	"holdfast/internal/lock"
	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/problem"
)

// unknownOutcomes are failures that leave the outcome of a charge unknown.
var unknownOutcomes = []struct {
	name     string
	method   string
	fault    sandbox.FaultKind
	captured int64 // if the order isn't sent again
}{
	{"charged, no response", "pm_timeout_charged", "", 1},
	{"not charged, no response", "pm_timeout_not_charged", "", 0},
	{"disconnected before", "pm_ok", sandbox.DropBefore, 0},
	{"disconnected after", "pm_ok", sandbox.DropAfter, 1},
	{"500 before", "pm_ok", sandbox.ErrorBefore, 0},
	{"500 during", "pm_ok", sandbox.ErrorDuring, 0},
	{"500 after", "pm_ok", sandbox.ErrorAfter, 1},
	{"503", "pm_ok", sandbox.Unavailable, 0},
}

func TestPay_OutcomeUnknown_IsResolvedByLookUp(t *testing.T) {
	t.Parallel()
	for _, test := range unknownOutcomes {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			s, other := b.process(t, withShortCallTimeout), b.process(t, withShortCallTimeout)
			id, key := b.newBooking(t), newKey()
			if test.fault != "" {
				require.NoError(t, b.sandbox.Inject(sandbox.Fault{Kind: test.fault, On: sandbox.Charges, Count: 1}))
			}
			r, err := b.pay(t, s, key, id, balance(test.method))
			require.NoError(t, err)
			require.Equal(t, http.StatusAccepted, r.Answer().Status, "%s", r.Body)
			require.Equal(t, string(payment.StatusUnknown), decode(t, r).Status)
			require.Zero(t, b.balanceSummary(t, s, id).Paid)
			_, err = b.pay(t, other, newKey(), id, balance("pm_ok"))
			require.True(t, problem.Is(err, problem.PaymentInProgress), "%v", err)

			b.resolveAll(t, s, other)
			require.Equal(t, test.captured, b.transferTotals(t).captures)
			require.Equal(t, test.captured*price, b.balanceSummary(t, s, id).Paid)
			for _, s := range []*payment.Service{s, other} {
				r, err = b.pay(t, s, key, id, balance(test.method))
				require.NoError(t, err)
				require.True(t, r.Replayed)
				if test.captured == 1 {
					require.Equal(t, http.StatusCreated, r.Answer().Status)
				} else {
					require.Equal(t, http.StatusPaymentRequired, r.Answer().Status)
					require.Equal(t, "not_done", decode(t, r).DeclineCode)
					require.True(t, decode(t, r).TryAgain)
				}
			}
			require.Equal(t, test.captured, b.transferTotals(t).captures, "a stored response must cause no call")
		})
	}
}

func TestPay_OutcomeUnknownAndRepeated_CapturesAtMostOnce(t *testing.T) {
	t.Parallel()
	for _, test := range unknownOutcomes {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			services := []*payment.Service{b.process(t, withShortCallTimeout), b.process(t, withShortCallTimeout)}
			id, key := b.newBooking(t), newKey()
			if test.fault != "" {
				require.NoError(t, b.sandbox.Inject(sandbox.Fault{Kind: test.fault, On: sandbox.Charges, Count: 1}))
			}
			var r idempotency.Outcome
			i := 0
			eventually(t, func() bool { // without a resolver
				i++
				var err error
				r, err = b.pay(t, services[i%2], key, id, balance(test.method))
				if err != nil {
					require.True(t, problem.Is(err, problem.RequestInProgress), "%v", err)
				}
				return err == nil && r.Answer().Status != http.StatusAccepted
			})
			captures := b.transferTotals(t).captures
			require.Equal(t, r.Answer().Status == http.StatusCreated, captures == 1, "%d captures and %s", captures,
				r.Body)
			require.Equal(t, captures*price, b.balanceSummary(t, services[0], id).Paid)
			require.LessOrEqual(t, captures, int64(1))
		})
	}
}

func TestRefund_OutcomeUnknown_RefundsAtMostOnce(t *testing.T) {
	t.Parallel()
	for _, test := range unknownOutcomes {
		if test.fault == "" {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			s := b.process(t, withShortCallTimeout)
			id, key := b.newBooking(t), newKey()
			paid := b.mustPay(t, s, id, balance("pm_ok"))
			require.NoError(t, b.sandbox.Inject(sandbox.Fault{Kind: test.fault, On: sandbox.Refunds, Count: 1}))
			r, err := b.refund(t, s, key, paid, 700)
			require.NoError(t, err)
			require.Equal(t, http.StatusAccepted, r.Answer().Status, "%s", r.Body)
			m := b.balanceSummary(t, s, id)
			require.Equal(t, [3]int64{price, 0, 700}, [3]int64{m.Paid, m.Refunded, m.Returning})
			b.resolveAll(t, s)
			require.Equal(t, test.captured*700, b.transferTotals(t).refunded)
			m = b.balanceSummary(t, s, id)
			require.Equal(t, [3]int64{price, test.captured * 700, 0}, [3]int64{m.Paid, m.Refunded, m.Returning})
		})
	}
}

func TestPay_ProviderDown_WorksLaterWithTheSameKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t, withLongCallTimeout)
	id, key := b.newBooking(t), newKey()
	require.NoError(t, b.sandbox.Inject(sandbox.Fault{Kind: sandbox.Down, For: time.Hour}))
	_, err := b.pay(t, s, key, id, balance("pm_ok"))
	require.True(t, problem.Is(err, problem.ProviderUnavailable), "%v", err)
	_, err = b.pay(t, s, key, id, balance("pm_ok"))
	require.True(t, problem.Is(err, problem.ProviderUnavailable), "a second time: %v", err)
	b.sandbox.ClearFaults()
	r, err := b.pay(t, s, key, id, balance("pm_ok"))
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
	require.EqualValues(t, 1, b.transferTotals(t).captures)
}

func TestResolve_ProviderWasDown_CompletesAllPayments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	services := []*payment.Service{b.process(t, withShortCallTimeout), b.process(t, withShortCallTimeout)}
	require.NoError(t, b.sandbox.Inject(sandbox.Fault{Kind: sandbox.DropAfter, On: sandbox.Charges, Probability: 0.5,
		Seed: 1}))
	require.NoError(t, b.sandbox.Inject(sandbox.Fault{Kind: sandbox.DropBefore, On: sandbox.Charges}))
	var ids []uuid.UUID
	for range 30 {
		ids = append(ids, b.newBooking(t))
	}
	runConcurrently(len(ids), func(i int) error {
		_, err := b.pay(t, services[i%2], newKey(), ids[i], part(int64(i)+1, "pm_ok"))
		return err
	})
	require.Equal(t, len(ids), b.openCount(t))
	require.NoError(t, b.sandbox.Inject(sandbox.Fault{Kind: sandbox.Down, For: time.Hour}))
	for _, s := range services {
		b.work(t, s)
	}
	require.Equal(t, len(ids), b.openCount(t), "the payments must stay open while the provider is down")
	require.NoError(t, b.sandbox.Inject(sandbox.Fault{Kind: sandbox.Down, For: time.Millisecond})) // then it is up
	b.resolveAll(t, services...)
	var paid int64
	for _, id := range ids {
		paid += b.balanceSummary(t, services[0], id).Paid
	}
	m := b.transferTotals(t)
	require.Equal(t, m.captured, paid)
	require.Positive(t, m.captures)
	require.Less(t, m.captures, int64(len(ids)))
}

func TestPay_ProviderKeyExpired_IsOnlyLookedUp(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"pm_timeout_charged", "pm_timeout_not_charged"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			sent := 0
			f := &interceptedProvider{}
			s := b.process(t, withShortCallTimeout, withInterceptor(f))
			f.charge = func(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
				sent++
				return f.Provider.Charge(ctx, o)
			}
			id, key := b.newBooking(t), newKey()
			r, err := b.pay(t, s, key, id, balance(method))
			require.NoError(t, err)
			require.Equal(t, http.StatusAccepted, r.Answer().Status)
			b.exec(t, `UPDATE payments SET status = 'started', first_sent_at = now() - interval '25 hours',
				last_sent_at = now() - interval '25 hours'`)
			r, err = b.pay(t, s, key, id, balance(method))
			require.NoError(t, err)
			require.Equal(t, 1, sent)
			charged := method == "pm_timeout_charged"
			require.Equal(t, charged, r.Answer().Status == http.StatusCreated, "%s", r.Body)
			require.Equal(t, !charged, r.Answer().Status == http.StatusPaymentRequired, "%s", r.Body)
		})
	}
}

func TestPay_RecordingFails_IsUnknown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := &interceptedProvider{}
	cfg := db.Config{URL: b.url, MaxConns: 8, LockTimeout: 100 * time.Millisecond}
	s := b.processOn(t, cfg, withInterceptor(f), withLongCallTimeout)
	id, key := b.newBooking(t), newKey()
	tx, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	f.charge = func(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
		_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", lock.Balance(b.tenant, id).Keys()[0].ID())
		require.NoError(t, err)
		return f.Provider.Charge(ctx, o)
	}
	_, err = b.pay(t, s, key, id, balance("pm_ok"))
	require.Equal(t, problem.OutcomeUnknown, problem.CodeOf(err), "money has moved: %v", err)

	require.NoError(t, tx.Rollback(t.Context()))
	b.endLeases(t)
	r, err := b.pay(t, s, key, id, balance("pm_ok"))
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
	require.EqualValues(t, 1, b.transferTotals(t).captures)
}
