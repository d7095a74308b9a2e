package amount_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/amount"
)

func TestPercent_CurrencyWithSteps_IsAnAmountThatCanBePaid(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		minor    int64
		percent  int
		currency string
		want     int64
	}{
		{10010, 33, "EUR", 3303}, {10050, 33, "EUR", 3317}, // 3303.3, 3316.5
		{10010, 33, "KWD", 3300}, {10050, 33, "KWD", 3320},
		{10010, 33, "MGA", 3300}, {10500, 33, "MGA", 3500},
		{10014, 100, "KWD", 10014}, {10014, 0, "KWD", 0}, {7, 99, "KWD", 7}, {4, 99, "KWD", 0},
		{1<<53 - 1, 99, "EUR", 8917127262193581}, {1<<53 - 1, 99, "MGA", 8917127262193600},
	} {
		require.Equal(t, test.want, amount.Percent(test.minor, test.percent, test.currency), "%+v", test)
	}
}
