package amount_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/amount"
)

func TestStyle_WritesAmountsAsTheLanguageDoes(t *testing.T) {
	t.Parallel()
	english := amount.Style{Decimal: ".", Thousands: ",", Template: "$1"}
	german := amount.Style{Decimal: ",", Thousands: ".", Template: "1 $"}
	for _, c := range []struct {
		style    amount.Style
		minor    int64
		currency string
		want     string
	}{
		{english, 123450, "EUR", "€1,234.50"},
		{german, 123450, "EUR", "1.234,50 €"},
		{english, 250000, "EUR", "€2,500"},
		{german, 5, "EUR", "0,05 €"},
		{english, 1500, "JPY", "¥1,500"},
		{english, 0, "USD", "$0"},
		{english, 10500, "KWD", "10.500 KWD"},
		{german, 7, "XXX", "7 minor units of XXX"},
	} {
		require.Equal(t, c.want, c.style.Format(c.minor, c.currency))
	}
}
