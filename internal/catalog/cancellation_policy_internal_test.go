package catalog

import (
	"testing"
	"time"

	"holdfast/internal/problem/problemtest"

	"github.com/stretchr/testify/require"

	"holdfast/internal/datetime"
	"holdfast/internal/timetable"
)

func TestCancelFee_MomentBeforeTheStart_IsThatOfTheStep(t *testing.T) {
	t.Parallel()
	start := time.Date(2027, 7, 1, 10, 0, 0, 0, time.UTC)
	policy := CancellationPolicy{Steps: []CancellationStep{
		{FromMinutes: 2 * datetime.MinutesPerDay, CancellationFee: CancellationFee{Percent: new(33)}},
		{FromMinutes: datetime.MinutesPerDay, CancellationFee: CancellationFee{Amount: new(int64(700))}},
		{FromMinutes: 0, CancellationFee: CancellationFee{Percent: new(100)}},
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
		{-time.Hour, timetable.MaxAmount, timetable.MaxAmount, -1},
		{48 * time.Hour, timetable.MaxAmount, 2972375754064527, 24 * time.Hour},
	} {
		fee, changesAt := policy.CancelFee(test.price, "EUR", start, start.Add(-test.before))
		require.Equal(t, test.fee, fee, "%v before, of %d", test.before, test.price)
		if test.changesIn < 0 {
			require.Nil(t, changesAt)
			continue
		}
		require.Equal(t, start.Add(-test.changesIn), *changesAt)
	}
}

func TestCancellationPolicy_Check_RefusesWhatContradictsItself(t *testing.T) {
	t.Parallel()
	percent := func(n int) CancellationFee { return CancellationFee{Percent: &n} }
	steps := func(list ...CancellationStep) CancellationPolicy { return CancellationPolicy{Steps: list} }
	for name, test := range map[string]struct {
		policy      CancellationPolicy
		field, code string
	}{
		"none":      {CancellationPolicy{}, "", ""},
		"free":      {steps(), "", ""},
		"two steps": {steps(CancellationStep{60, percent(0)}, CancellationStep{0, percent(100)}), "", ""},
		"equal": {steps(CancellationStep{60, percent(0)}, CancellationStep{60, percent(100)}),
			"cancellation_policy.steps[1].from_minutes", "too_large"},
		"rising": {steps(CancellationStep{0, percent(0)}, CancellationStep{60, percent(100)}),
			"cancellation_policy.steps[1].from_minutes", "too_large"},
		"negative": {steps(CancellationStep{-1, percent(0)}), "cancellation_policy.steps[0].from_minutes",
			"too_small"},
		"over 100 %": {steps(CancellationStep{0, percent(101)}), "cancellation_policy.steps[0].percent", "too_large"},
		"neither":    {steps(CancellationStep{0, CancellationFee{}}), "cancellation_policy.steps[0]", "required"},
		"both": {CancellationPolicy{NoShow: &CancellationFee{new(1), new(int64(1))}},
			"cancellation_policy.no_show.amount",
			"excluded"},
		"minus money": {CancellationPolicy{NoShow: &CancellationFee{Amount: new(int64(-1))}},
			"cancellation_policy.no_show.amount",
			"too_small"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			problemtest.RequireField(t, test.policy.check(), test.field, test.code)
		})
	}
}

func TestCancellationPolicy_Stored_ReadsBackTheSame(t *testing.T) {
	t.Parallel()
	for _, p := range []CancellationPolicy{
		{}, {Steps: []CancellationStep{}}, {NoShow: &CancellationFee{Percent: new(0)}},
		{Steps: []CancellationStep{{60, CancellationFee{Amount: new(int64(timetable.MaxAmount))}}}},
	} {
		terms := Terms{CancellationPolicy: p}
		raw, err := terms.Stored()
		require.NoError(t, err)
		got, err := TermsOf(raw)
		require.NoError(t, err)
		require.Equal(t, terms, got)
		require.Equal(t, p.Given(), string(raw) != NoTerms, "%s", raw)
	}
}
