package booking

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

func ref[T any](v T) *T { return &v }

// requireInvalid requires that a field is refused with a code, or with an empty field that nothing is.
func requireInvalid(t *testing.T, err error, field, code string) {
	t.Helper()
	if field == "" {
		require.NoError(t, err)
		return
	}
	var refused *problem.Error
	require.ErrorAs(t, err, &refused)
	require.Len(t, refused.Fields, 1)
	require.Equal(t, [2]string{field, code}, [2]string{refused.Fields[0].Name, refused.Fields[0].Code})
}

func TestCancelFee_MomentBeforeTheStart_IsThatOfTheStep(t *testing.T) {
	t.Parallel()
	start := time.Date(2027, 7, 1, 10, 0, 0, 0, time.UTC)
	policy := CancellationPolicy{Steps: []CancellationStep{
		{FromMinutes: 2 * datetime.MinutesPerDay, CancellationFee: CancellationFee{Percent: ref(33)}},
		{FromMinutes: datetime.MinutesPerDay, CancellationFee: CancellationFee{Amount: ref(int64(700))}},
		{FromMinutes: 0, CancellationFee: CancellationFee{Percent: ref(100)}},
	}}
	for _, test := range []struct {
		before    time.Duration
		price     int64
		fee       int64
		changesIn time.Duration // before the start; -1: never
	}{
		{49 * time.Hour, 1005, 0, 48 * time.Hour},
		{48*time.Hour + 1, 1005, 0, 48 * time.Hour},
		{48 * time.Hour, 1005, 332, 24 * time.Hour}, // 331.65
		{48 * time.Hour, 1500, 495, 24 * time.Hour},
		{48 * time.Hour, 150, 50, 24 * time.Hour}, // 49.5, half up
		{24 * time.Hour, 1005, 700, 0},
		{24 * time.Hour, 500, 500, 0}, // at most the price
		{time.Nanosecond, 1005, 700, 0},
		{0, 1005, 1005, -1},
		{-time.Hour, maxAmount, maxAmount, -1},
		{48 * time.Hour, maxAmount, 2972375754064527, 24 * time.Hour},
	} {
		fee, changesAt := policy.cancelFee(test.price, start, start.Add(-test.before))
		require.Equal(t, test.fee, fee, "%v before, of %d", test.before, test.price)
		if test.changesIn < 0 {
			require.Nil(t, changesAt)
			continue
		}
		require.Equal(t, start.Add(-test.changesIn), *changesAt)
	}
}

func TestEndingAt_StatusAndPolicy_DecideFeeAndRefund(t *testing.T) {
	t.Parallel()
	start := time.Date(2027, 7, 1, 10, 0, 0, 0, time.UTC)
	free := CancellationPolicy{Steps: []CancellationStep{}}
	half := CancellationPolicy{
		Steps:  []CancellationStep{{FromMinutes: 60, CancellationFee: CancellationFee{Percent: ref(50)}}},
		NoShow: &CancellationFee{Amount: ref(int64(800))},
	}
	for name, test := range map[string]struct {
		from, to Status
		policy   CancellationPolicy
		fee      int64
		refund   bool
	}{
		"hold":                                  {Held, Cancelled, CancellationPolicy{}, 0, true},
		"hold with a policy":                    {Held, Cancelled, half, 0, true},
		"confirmed without a policy":            {Confirmed, Cancelled, CancellationPolicy{}, 0, false},
		"confirmed, always free":                {Confirmed, Cancelled, free, 0, true},
		"confirmed, half":                       {Confirmed, Cancelled, half, 500, true},
		"no show without a policy":              {Confirmed, NoShow, CancellationPolicy{}, 0, false},
		"no show with a fee":                    {Confirmed, NoShow, half, 800, true},
		"no show of a policy that says nothing": {Confirmed, NoShow, free, 1000, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := Booking{Status: test.from, Price: 1000, StartsAt: start, Terms: Terms{CancellationPolicy: test.policy}}
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
	require.EqualValues(t, 1000, State{Status: NoShow}.withFee(false, 0).Due(1000, Balance{}, now), "without a policy the price is due")
	require.Nil(t, State{Status: Confirmed}.withFee(true, 0).Fee)
}

func TestEnding_FeeOfTheRequest_CountsInsteadOfThePolicy(t *testing.T) {
	t.Parallel()
	half := CancellationPolicy{Steps: []CancellationStep{{60, CancellationFee{Percent: ref(50)}}}}
	start := time.Date(2027, 7, 1, 12, 0, 0, 0, time.UTC)
	for _, policy := range []CancellationPolicy{{}, half} {
		for _, status := range []Status{Cancelled, NoShow} {
			b := Booking{Status: Confirmed, Price: 1000, StartsAt: start, Terms: Terms{CancellationPolicy: policy}}
			require.Equal(t, Ending{Fee: 300, FeeSet: true, Refund: true}, b.endingAt(status, ref(int64(300)), start))
			b.Status, b.CancellationFee, b.CancellationFeeSet = status, 300, true
			require.EqualValues(t, 300, *b.State().Fee)
		}
	}
	hold := Booking{Status: Held, Price: 1000}
	require.Equal(t, Ending{Refund: true}, hold.endingAt(Cancelled, ref(int64(0)), start))
	requireInvalid(t, Termination{Fee: ref(int64(1))}.checkFor(hold), "fee", "too_large")
	requireInvalid(t, Termination{Fee: ref(int64(1001))}.checkFor(Booking{Status: Confirmed, Price: 1000}), "fee", "too_large")
	requireInvalid(t, Termination{Fee: ref(int64(-1))}.check(), "fee", "too_small")
	require.NoError(t, Termination{Fee: ref(int64(0))}.checkFor(hold))
}

func TestCancellationPolicy_Check_RefusesWhatContradictsItself(t *testing.T) {
	t.Parallel()
	percent := func(n int) CancellationFee { return CancellationFee{Percent: &n} }
	steps := func(list ...CancellationStep) CancellationPolicy { return CancellationPolicy{Steps: list} }
	for name, test := range map[string]struct {
		policy      CancellationPolicy
		field, code string
	}{
		"none":        {CancellationPolicy{}, "", ""},
		"free":        {steps(), "", ""},
		"two steps":   {steps(CancellationStep{60, percent(0)}, CancellationStep{0, percent(100)}), "", ""},
		"equal":       {steps(CancellationStep{60, percent(0)}, CancellationStep{60, percent(100)}), "cancellation_policy.steps[1].from_minutes", "too_large"},
		"rising":      {steps(CancellationStep{0, percent(0)}, CancellationStep{60, percent(100)}), "cancellation_policy.steps[1].from_minutes", "too_large"},
		"negative":    {steps(CancellationStep{-1, percent(0)}), "cancellation_policy.steps[0].from_minutes", "too_small"},
		"over 100 %":  {steps(CancellationStep{0, percent(101)}), "cancellation_policy.steps[0].percent", "too_large"},
		"neither":     {steps(CancellationStep{0, CancellationFee{}}), "cancellation_policy.steps[0]", "required"},
		"both":        {CancellationPolicy{NoShow: &CancellationFee{ref(1), ref(int64(1))}}, "cancellation_policy.no_show.amount", "excluded"},
		"minus money": {CancellationPolicy{NoShow: &CancellationFee{Amount: ref(int64(-1))}}, "cancellation_policy.no_show.amount", "too_small"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireInvalid(t, test.policy.check(), test.field, test.code)
		})
	}
}

func TestCancellationPolicy_Stored_ReadsBackTheSame(t *testing.T) {
	t.Parallel()
	for _, p := range []CancellationPolicy{
		{}, {Steps: []CancellationStep{}}, {NoShow: &CancellationFee{Percent: ref(0)}},
		{Steps: []CancellationStep{{60, CancellationFee{Amount: ref(int64(maxAmount))}}}},
	} {
		terms := Terms{CancellationPolicy: p}
		raw, err := terms.stored()
		require.NoError(t, err)
		got, err := termsOf(raw)
		require.NoError(t, err)
		require.Equal(t, terms, got)
		require.Equal(t, p.given(), string(raw) != noTerms, "%s", raw)
	}
}
