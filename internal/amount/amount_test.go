package amount_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/amount"
)

func TestFormat_Currency_DeterminesTheDecimals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		minor    int64
		currency string
		want     string
	}{
		{5, "EUR", "0.05 EUR"},
		{123450, "EUR", "1,234.50 EUR"},
		{123450, "JPY", "123,450 JPY"},
		{1, "JPY", "1 JPY"},
		{123450, "KWD", "123.450 KWD"},
		{7, "KWD", "0.007 KWD"},
		{1<<63 - 1, "USD", "92,233,720,368,547,758.07 USD"},
		{100, "ISK", "100 ISK"},
		{1234, "XXX", "1,234 minor units of XXX"},
	} {
		require.Equal(t, test.want, amount.Format(test.minor, test.currency))
	}
}
