package amount_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/amount"
)

func FuzzFormat_HasEveryDigit(f *testing.F) {
	for _, minor := range []int64{0, 1, 9, 10, 99, 100, 1000, 123450, 1<<53 - 1, 1<<63 - 1, -1, -123450} {
		for _, currency := range []string{"EUR", "JPY", "KWD", "CLF", "XXX", "", "$", "1"} {
			f.Add(minor, currency)
		}
	}
	f.Fuzz(func(t *testing.T, minor int64, currency string) {
		text := amount.Format(minor, currency)
		number, _, _ := strings.Cut(text, " ")
		digits := strings.NewReplacer(",", "", ".", "").Replace(number)
		got, err := strconv.ParseInt(digits, 10, 64)
		require.NoError(t, err, text)
		require.Equal(t, minor, got, text)
		require.True(t, strings.HasSuffix(text, currency), text)
	})
}
