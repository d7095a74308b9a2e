package payment_test

import (
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/timezone"
)

// In Berlin, 25 October 2026 has 25 hours and 29 March 2026 has 23. The sums of each day have exactly what moved on it.
func TestOfflineDays_ClocksChange_EachDayHasWhatMovedOnIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	berlin, err := timezone.Load("Europe/Berlin")
	require.NoError(t, err)
	id := b.newBooking(t)
	moved := func(at string, amount int64, method payment.OfflineMethod) {
		p := b.mustPay(t, s, id, received(amount, method))
		b.exec(t, "UPDATE payments SET moved_at = $2::timestamptz WHERE payment_id = $1", p, at)
	}
	moved("2026-10-24T23:59:59.999999+02:00", 1, payment.Cash)
	moved("2026-10-25T00:00:00+02:00", 10, payment.Cash)
	moved("2026-10-25T02:30:00+02:00", 20, payment.Cash)
	moved("2026-10-25T02:30:00+01:00", 40, payment.Cash)
	moved("2026-10-25T23:59:59.999999+01:00", 80, payment.Cash)
	moved("2026-10-25T12:00:00+01:00", 7, payment.CardTerminal)
	moved("2026-10-26T00:00:00+01:00", 100, payment.Cash)
	moved("2026-03-29T00:00:00+01:00", 200, payment.BankTransfer)
	moved("2026-03-29T23:59:59.999999+02:00", 300, payment.BankTransfer)
	moved("2026-03-30T00:00:00+02:00", 400, payment.BankTransfer)
	back := b.mustPay(t, s, id, received(50, payment.Cash))
	b.exec(t, "UPDATE payments SET moved_at = '2026-10-25T12:00Z' WHERE payment_id = $1", back)
	_, err = b.handBack(t, s, newKey(), back, 30, byAnn)
	require.NoError(t, err)
	b.exec(t, "UPDATE payments SET moved_at = '2026-10-26T12:00Z' WHERE refund_of = $1", back)
	b.mustPay(t, s, id, part(5, "pm_ok")) // no offline money

	of := func(from, to string) []payment.OfflineSumBody {
		var days payment.Days
		days.From, err = civil.ParseDate(from)
		require.NoError(t, err)
		days.To, err = civil.ParseDate(to)
		require.NoError(t, err)
		body, err := s.OfflineDays(t.Context(), b.tenant, berlin, days)
		require.NoError(t, err)
		return body.Sums
	}
	sum := func(date string, method payment.OfflineMethod, received, refunded, n int64) payment.OfflineSumBody {
		return payment.OfflineSumBody{Date: date, Method: method, Currency: "EUR", Received: received,
			Refunded: refunded, Payments: n}
	}
	require.Equal(t, []payment.OfflineSumBody{
		sum("2026-10-24", payment.Cash, 1, 0, 1), sum("2026-10-25", payment.Cash, 200, 0, 5),
		sum("2026-10-25", payment.CardTerminal, 7, 0, 1), sum("2026-10-26", payment.Cash, 100, 30, 2),
	}, of("2026-10-24", "2026-10-27"))
	require.Equal(t, []payment.OfflineSumBody{sum("2026-10-25", payment.Cash, 200, 0, 5),
		sum("2026-10-25", payment.CardTerminal, 7, 0, 1)},
		of("2026-10-25", "2026-10-25"))
	require.Equal(t, []payment.OfflineSumBody{sum("2026-03-29", payment.BankTransfer, 500, 0, 2)},
		of("2026-03-29", "2026-03-29"))
	require.Empty(t, of("2026-07-01", "2026-07-31"))

	// The provider's journal doesn't know this money: it is in the sums, and no difference.
	for _, day := range []string{"2026-10-25"} {
		d, err := civil.ParseDate(day)
		require.NoError(t, err)
		compared, err := s.ReconcileDays(t.Context(), b.tenant, berlin, payment.Days{From: d, To: d})
		require.NoError(t, err)
		require.Equal(t, of(day, day), *compared.Offline)
		require.Empty(t, compared.Differences)
	}
	found, err := s.ReconcileTenant(t.Context(), b.tenant, time.Unix(0, 0), time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	require.Empty(t, found.Differences)
	require.Equal(t, 13, found.Payments)
}

func TestOfflineDays_TooManyOrNoDates_AreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t, withoutProvider)
	day := civil.Date{Year: 2026, Month: 10, Day: 1}
	_, err := s.OfflineDays(t.Context(), b.tenant, time.UTC, payment.Days{From: day, To: day.AddDays(31)})
	require.True(t, problem.Is(err, problem.TooManyDates), "%v", err)
	_, err = s.OfflineDays(t.Context(), b.tenant, time.UTC, payment.Days{From: day, To: day.AddDays(-1)})
	require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
}

// Sums that no type holds show the greatest value instead of failing.
func TestOfflineDays_SumTooGreat_ShowsTheGreatestValue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t, withoutProvider)
	id := b.newBooking(t)
	for range 2 {
		b.mustPay(t, s, id, received(1, payment.Cash))
	}
	b.exec(t, "UPDATE payments SET amount = 9000000000000000000, moved_at = '2026-10-01T12:00Z'")
	day := civil.Date{Year: 2026, Month: 10, Day: 1}
	body, err := s.OfflineDays(t.Context(), b.tenant, time.UTC, payment.Days{From: day, To: day})
	require.NoError(t, err)
	require.Equal(t, int64(1<<63-1), body.Sums[0].Received)
}
