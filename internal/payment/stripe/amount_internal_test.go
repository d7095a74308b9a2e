package stripe

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	api "github.com/stripe/stripe-go/v85"

	"holdfast/internal/amount"
)

func TestAmounts_ToStripeAndBack_UseEachSidesUnits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		currency     string
		ours, theirs int64
	}{
		{"EUR", 4500, 4500},
		{"JPY", 500, 500},
		{"CLP", 500, 500},
		{"HUF", 1045, 1045},
		{"TWD", 80045, 80045},
		{"ISK", 5, 500},
		{"UGX", 5, 500},
		{"MGA", 500, 5},
		{"KWD", 5120, 5120},
		{"EUR", math.MaxInt64, math.MaxInt64},
	} {
		theirs, err := toStripe(test.ours, test.currency)
		require.NoError(t, err, test.currency)
		require.Equal(t, test.theirs, theirs, test.currency)
		ours, err := fromStripe(test.theirs, api.Currency(strings.ToLower(test.currency)))
		require.NoError(t, err, test.currency)
		require.Equal(t, test.ours, ours, test.currency)
	}
}

func TestAmounts_SmallestOfEachCurrency_IsTheStepByWhichAmountsAreRounded(t *testing.T) {
	t.Parallel()
	for currency, u := range units {
		require.Equal(t, max(u.divisor, u.step), amount.Step(currency), currency)
	}
	require.EqualValues(t, 1, amount.Step("EUR"))
}

func TestAmounts_NotRepresentable_AreRejected(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		currency string
		amount   int64
	}{
		{"EUR", 0},
		{"EUR", -1},
		{"MGA", 120},                   // not a whole ariary
		{"BHD", 5124},                  // the last digit must be 0
		{"JOD", 1},                     //
		{"KWD", 5},                     //
		{"OMR", 11},                    //
		{"TND", 999},                   //
		{"ISK", math.MaxInt64/100 + 1}, // more than 64 bits
	} {
		_, err := toStripe(test.amount, test.currency)
		require.Error(t, err, "%d %s", test.amount, test.currency)
	}
	_, err := fromStripe(550, api.CurrencyISK)
	require.Error(t, err, "half a króna")
	_, err = fromStripe(math.MaxInt64, api.CurrencyMGA)
	require.Error(t, err, "more than 64 bits")
}
