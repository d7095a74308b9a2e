package payment_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/payment"
	"holdfast/internal/testtime"
)

// goodwill refunds a part of a payment, which isn't owed again.
func (b *testBundle) goodwill(t testing.TB, s *payment.Service, id uuid.UUID, amount int64) payment.PaymentBody {
	t.Helper()
	resp, err := s.Refund(t.Context(), b.tenant, request(t, newKey(), ""), id, payment.RefundRequest{Amount: &amount})
	require.NoError(t, err)
	return bodyOf[payment.PaymentBody](t, resp)
}

func TestGoodwill_BeforeACancellationWithAFee_LowersThePriceAndNotTheFee(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ fee, kept, returned int64 }{
		"a fee below the lowered price": {1_000, 1_000, 6_000},
		"a fee above the lowered price": {9_000, 7_000, 0},
		"no fee":                        {0, 0, 7_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			payments, bookings := b.process(t), b.bookingProcess(t)
			id := b.book(t, bookings, testtime.Date(0), false)
			paid := b.mustPay(t, payments, id, balance("pm_ok"))
			require.False(t, b.goodwill(t, payments, paid, 3_000).LowersFee)
			_, err := bookings.End(t.Context(), b.owner, request(t, newKey(), ""), id, booking.Cancel,
				booking.CancelRequest{NoShowRequest: booking.NoShowRequest{Fee: &test.fee}}, "")
			require.NoError(t, err)
			b.resolveAll(t, payments)
			require.Equal(t, payment.BalanceSummary{
				Total: price, Deposit: deposit, Paid: price, Refunded: 3_000 + test.returned, Lowered: 3_000,
				Currency: "EUR",
			}, b.balanceSummary(t, payments, id))
		})
	}
}

func TestGoodwill_AfterACancellationWithAFee_LowersTheFee(t *testing.T) {
	t.Parallel()
	b := setup(t)
	payments, bookings := b.process(t), b.bookingProcess(t)
	id := b.book(t, bookings, testtime.Date(0), false)
	paid := b.mustPay(t, payments, id, balance("pm_ok"))
	b.goodwill(t, payments, paid, 3_000)
	fee := int64(5_000)
	_, err := bookings.End(
		t.Context(),
		b.owner,
		request(t, newKey(), ""),
		id,
		booking.Cancel,
		booking.CancelRequest{NoShowRequest: booking.NoShowRequest{Fee: &fee}},
		"",
	)
	require.NoError(t, err)
	b.resolveAll(t, payments)
	refund := b.goodwill(t, payments, paid, 500)
	require.Equal(t, []any{int64(500), true}, []any{*refund.LowersOwed, refund.LowersFee})
	require.Equal(t, payment.BalanceSummary{
		Total:      price,
		Deposit:    deposit,
		Paid:       price,
		Refunded:   5_500,
		Lowered:    3_500,
		LoweredFee: 500,
		Currency:   "EUR",
	}, b.balanceSummary(t, payments, id))
}

func TestGoodwill_OfMoreThanTheDeposit_LeavesTheDepositDue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	payments, bookings := b.process(t), b.bookingProcess(t)
	id := b.book(t, bookings, testtime.Date(0), true)
	paid := b.mustPay(t, payments, id, part(3_000, "pm_ok"))
	b.goodwill(t, payments, paid, 3_000)
	got := b.balanceSummary(t, payments, id)
	require.Equal(t, []int64{deposit, price - 3_000}, []int64{got.DepositDue, got.Due})
}
