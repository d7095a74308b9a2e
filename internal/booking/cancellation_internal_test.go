package booking

import (
	"testing"
	"time"

	"holdfast/internal/problem/problemtest"

	"github.com/stretchr/testify/require"

	"holdfast/internal/catalog"
	"holdfast/internal/problem"
)

func TestEndingAt_StatusAndPolicy_DecideFeeAndRefund(t *testing.T) {
	t.Parallel()
	start := time.Date(2027, 7, 1, 10, 0, 0, 0, time.UTC)
	free := catalog.CancellationPolicy{Steps: []catalog.CancellationStep{}}
	half := catalog.CancellationPolicy{
		Steps: []catalog.CancellationStep{{FromMinutes: 60,
			CancellationFee: catalog.CancellationFee{Percent: new(50)}}},
		NoShow: &catalog.CancellationFee{Amount: new(int64(800))},
	}
	for name, test := range map[string]struct {
		from, to Status
		policy   catalog.CancellationPolicy
		fee      int64
		refund   bool
	}{
		"hold":                                  {Held, Cancelled, catalog.CancellationPolicy{}, 0, true},
		"hold with a policy":                    {Held, Cancelled, half, 0, true},
		"confirmed without a policy":            {Confirmed, Cancelled, catalog.CancellationPolicy{}, 0, false},
		"confirmed, always free":                {Confirmed, Cancelled, free, 0, true},
		"confirmed, half":                       {Confirmed, Cancelled, half, 500, true},
		"no show without a policy":              {Confirmed, NoShow, catalog.CancellationPolicy{}, 0, false},
		"no show with a fee":                    {Confirmed, NoShow, half, 800, true},
		"no show of a policy that says nothing": {Confirmed, NoShow, free, 1000, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := Booking{Status: test.from, Price: 1000, StartsAt: start,
				Terms: catalog.Terms{CancellationPolicy: test.policy}}
			end := b.endingAt(test.to, nil, start.Add(-time.Minute))
			require.Equal(t, Ending{Fee: test.fee, Refund: test.refund}, end)
		})
	}
}

func TestState_EndedByAPolicy_OwesItsFee(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 7, 1, 12, 0, 0, 0, time.UTC)
	for _, status := range []Status{Cancelled, NoShow} {
		s := State{Status: status}.withFee(true, 400)
		require.NoError(t, s.CheckPayable(now))
		require.EqualValues(t, 400, s.Due(1000, Balance{}, now))
		require.EqualValues(t, 100, s.Due(1000, Balance{Paid: 500, Refunded: 200}, now))
		require.EqualValues(t, 0, s.Due(1000, Balance{Paid: 1000, Refunded: 0}, now))
		require.EqualValues(t, 250, s.Due(250, Balance{}, now), "a deposit below the fee")
	}
	free := State{Status: Cancelled}.withFee(true, 0)
	require.True(t, problem.Is(free.CheckPayable(now), problem.InvalidState))
	require.Zero(t, free.Due(1000, Balance{}, now))
	require.Zero(t, State{Status: NoShow}.withFee(true, 0).Due(1000, Balance{}, now))
	require.EqualValues(t, 1000, State{Status: NoShow}.withFee(false, 0).Due(1000, Balance{}, now),
		"without a policy the price is due")
	require.Nil(t, State{Status: Confirmed}.withFee(true, 0).Fee)
}

func TestEnding_FeeOfTheRequest_CountsInsteadOfThePolicy(t *testing.T) {
	t.Parallel()
	half := catalog.CancellationPolicy{Steps: []catalog.CancellationStep{{FromMinutes: 60,
		CancellationFee: catalog.CancellationFee{Percent: new(50)}}}}
	start := time.Date(2027, 7, 1, 12, 0, 0, 0, time.UTC)
	for _, policy := range []catalog.CancellationPolicy{{}, half} {
		for _, status := range []Status{Cancelled, NoShow} {
			b := Booking{Status: Confirmed, Price: 1000, StartsAt: start,
				Terms: catalog.Terms{CancellationPolicy: policy}}
			require.Equal(t, Ending{Fee: 300, FeeSet: true, Refund: true}, b.endingAt(status, new(int64(300)), start))
			b.Status, b.CancellationFee, b.CancellationFeeSet = status, 300, true
			require.EqualValues(t, 300, *b.State().Fee)
		}
	}
	hold := Booking{Status: Held, Price: 1000}
	require.Equal(t, Ending{Refund: true}, hold.endingAt(Cancelled, new(int64(0)), start))
	problemtest.RequireField(t, CancelRequest{NoShowRequest: NoShowRequest{Fee: new(int64(1))}}.checkFor(hold), "fee",
		"too_large")
	problemtest.RequireField(
		t,
		CancelRequest{NoShowRequest: NoShowRequest{Fee: new(int64(1001))}}.checkFor(Booking{Status: Confirmed,
			Price: 1000}),
		"fee",
		"too_large",
	)
	problemtest.RequireField(t, CancelRequest{NoShowRequest: NoShowRequest{Fee: new(int64(-1))}}.check(), "fee",
		"too_small")
	require.NoError(t, CancelRequest{NoShowRequest: NoShowRequest{Fee: new(int64(0))}}.checkFor(hold))
}
