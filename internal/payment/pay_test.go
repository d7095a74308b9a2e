package payment_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/problem"
)

func TestPay_DepositBalanceAndRefunds_UpdateTheBalance(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t, withLongCallTimeout)
	id := b.newBooking(t)
	first := b.mustPay(t, s, id, payment.PayRequest{Kind: payment.Deposit, Method: "pm_ok"})
	require.Equal(t, payment.BalanceSummary{Total: price, Deposit: deposit, Paid: deposit, Due: price - deposit,
		Currency: "EUR"},
		b.balanceSummary(t, s, id))
	second := b.mustPay(t, s, id, balance("pm_ok"))
	require.Equal(t, payment.BalanceSummary{Total: price, Deposit: deposit, Paid: price, Currency: "EUR"},
		b.balanceSummary(t, s, id))

	for _, amount := range []int64{1, 499, 0} { // 0: the rest
		r, err := b.refund(t, s, newKey(), first, amount)
		require.NoError(t, err)
		require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
	}
	r, err := b.refund(t, s, newKey(), second, 0)
	require.NoError(t, err)
	require.EqualValues(t, price-deposit, decode(t, r).Amount)
	require.Equal(t, payment.BalanceSummary{
		Total:      price,
		Deposit:    deposit,
		Paid:       price,
		Refunded:   price,
		DepositDue: deposit,
		Due:        price,
		Currency:   "EUR",
	}, b.balanceSummary(t, s, id))
	require.Equal(t, transferTotals{captures: 2, refunds: 4, captured: price, refunded: price}, b.transferTotals(t))

	r, err = b.refund(t, s, newKey(), second, 1)
	require.NoError(t, err)
	require.Equal(t, string(problem.RefundExceedsPayment), decode(t, r).Code)
}

func TestPay_Overpayment_IsFinalForItsKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, other := b.process(t, withLongCallTimeout), b.process(t, withLongCallTimeout)
	id, key := b.newBooking(t), newKey()
	paid := b.mustPay(t, one, id, part(1, "pm_ok"))
	refused, err := b.pay(t, one, key, id, part(price, "pm_ok"))
	require.NoError(t, err)
	require.Equal(t, http.StatusUnprocessableEntity, refused.Answer().Status)
	require.Equal(t, string(problem.Overpayment), decode(t, refused).Code)

	_, err = b.refund(t, one, newKey(), paid, 0)
	require.NoError(t, err)
	again, err := b.pay(t, other, key, id, part(price, "pm_ok"))
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, refused.Body, again.Body, "the rejection is final even if the amount is due now")
	b.mustPay(t, other, id, part(price, "pm_ok"))
}

func TestPay_Declined_IsFinalForItsKeyAndAdvisesRetry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, other := b.process(t, withLongCallTimeout), b.process(t, withLongCallTimeout)
	for method, want := range map[string]paymentResponse{
		"pm_declined":           {DeclineCode: "generic_decline"},
		"pm_insufficient_funds": {DeclineCode: "insufficient_funds", TryAgain: true},
	} {
		id, key := b.newBooking(t), newKey()
		declined, err := b.pay(t, one, key, id, balance(method))
		require.NoError(t, err)
		require.Equal(t, http.StatusPaymentRequired, declined.Answer().Status)
		got := decode(t, declined)
		require.Equal(t, [2]any{want.DeclineCode, want.TryAgain}, [2]any{got.DeclineCode, got.TryAgain})
		for _, s := range []*payment.Service{one, other} {
			again, err := b.pay(t, s, key, id, balance(method))
			require.NoError(t, err)
			require.True(t, again.Replayed)
			require.Equal(t, declined.Answer().Status, again.Answer().Status)
			require.Equal(t, declined.Answer().Location, again.Answer().Location)
			require.Equal(t, string(declined.Body), string(again.Body))
		}
		b.mustPay(t, other, id, balance("pm_ok"))
	}
	require.EqualValues(t, 2, b.transferTotals(t).captures)
}

func TestPay_KeyReusedWithAnotherBody_IsRejected(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t, withLongCallTimeout)
	id, done, open := b.newBooking(t), newKey(), newKey()
	first, err := b.pay(t, s, done, id, part(100, "pm_ok"))
	require.NoError(t, err)
	_, err = b.pay(t, s, open, id, part(100, "pm_requires_action"))
	require.NoError(t, err)
	for _, key := range []string{done, open} {
		_, err = b.pay(t, s, key, id, part(101, "pm_ok"))
		require.True(t, problem.Is(err, problem.IdempotencyKeyReused), "%v", err)
		_, err = b.pay(t, s, key, b.newBooking(t), part(100, "pm_ok"))
		require.True(t, problem.Is(err, problem.IdempotencyKeyReused), "%v", err)
	}
	again, err := b.pay(t, s, done, id, part(100, "pm_ok"))
	require.NoError(t, err)
	require.Equal(t, string(first.Body), string(again.Body), "the stored response must not change")
	require.EqualValues(t, 1, b.transferTotals(t).captures)
}

func TestRefund_Declined_LeavesThePaymentUnchanged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t, withLongCallTimeout)
	id := b.newBooking(t)
	paid := b.mustPay(t, s, id, balance("pm_refund_fails"))
	r, err := b.refund(t, s, newKey(), paid, 0)
	require.NoError(t, err)
	require.Equal(t, http.StatusPaymentRequired, r.Answer().Status)
	require.Equal(t, payment.BalanceSummary{Total: price, Deposit: deposit, Paid: price, Currency: "EUR"},
		b.balanceSummary(t, s, id))
}

func TestBalanceSummary_ThousandPaymentsAndRefunds_IsExact(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t, withLongCallTimeout)
	id := b.newBooking(t)
	b.exec(t, `UPDATE bookings SET price = 1::bigint << 50 WHERE booking_id = $1`, id)
	// 700 payments and 300 refunds. One in ten of each was declined and doesn't count.
	b.exec(t, `
		INSERT INTO payments (tenant_id, payment_id, booking_id, kind, status, amount, currency, method, provider, fence, leased_until,
			first_sent_at, last_sent_at, created_at, updated_at)
		SELECT $1, ('00000000-0000-7000-8000-' || to_char(i, 'FM000000000000'))::uuid, $2, 'amount',
			CASE WHEN i % 10 = 0 THEN 'declined' ELSE 'succeeded' END, 1000000007 + i * i, 'EUR', 'pm_ok', 'sandbox', 1, now(), now(),
				now(),
			now(), now()
		FROM generate_series(1, 700) AS i`, b.tenant, id)
	b.exec(t, `
		INSERT INTO payments (tenant_id, payment_id, booking_id, refund_of, kind, status, amount, currency, method, provider, fence,
			leased_until, first_sent_at, last_sent_at, created_at, updated_at)
		SELECT $1, ('00000000-0000-7000-9000-' || to_char(i, 'FM000000000000'))::uuid, $2,
			('00000000-0000-7000-8000-' || to_char(i, 'FM000000000000'))::uuid, 'refund',
			CASE WHEN i % 10 = 5 THEN 'declined' ELSE 'succeeded' END, 13 * i, 'EUR', '', 'sandbox', 1, now(), now(), now(), now(), now()
		FROM generate_series(1, 300) AS i`, b.tenant, id)
	var paid, refunded int64
	for i := int64(1); i <= 700; i++ {
		if i%10 != 0 {
			paid += 1_000_000_007 + i*i
		}
		if i <= 300 && i%10 != 5 {
			refunded += 13 * i
		}
	}
	m := b.balanceSummary(t, s, id)
	require.Equal(t, [3]int64{paid, refunded, 1<<50 - paid + refunded}, [3]int64{m.Paid, m.Refunded, m.Due})
	b.mustPay(t, s, id, balance("pm_ok"))
	m = b.balanceSummary(t, s, id)
	require.Equal(t, [2]int64{1<<50 + refunded, 0}, [2]int64{m.Paid, m.Due}, "the last payment must equal the rest")
}

func TestPay_TenantCurrencyChanged_UsesTheBookingsCurrency(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t, withLongCallTimeout)
	yen, euro := b.newBooking(t), b.newBooking(t)
	b.exec(t, `UPDATE bookings SET currency = 'JPY' WHERE booking_id = $1`, yen)
	first := b.mustPay(t, s, yen, payment.PayRequest{Kind: payment.Deposit, Method: "pm_ok"})
	b.mustPay(t, s, euro, balance("pm_ok"))
	b.exec(t, `UPDATE tenants SET currency = 'KWD' WHERE tenant_id = $1`, b.tenant)
	b.mustPay(t, s, yen, balance("pm_ok"))
	_, err := b.refund(t, s, newKey(), first, 0)
	require.NoError(t, err)
	list, err := s.List(t.Context(), b.tenant, yen, [16]byte{}, 10)
	require.NoError(t, err)
	require.Len(t, list, 3)
	for _, p := range list {
		require.Equal(t, "JPY", p.Currency)
		require.Equal(t, payment.StatusSucceeded, p.Status)
	}
	require.Equal(t, "JPY", b.balanceSummary(t, s, yen).Currency)
	require.Equal(t, "EUR", b.balanceSummary(t, s, euro).Currency)
}
