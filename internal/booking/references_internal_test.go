package booking

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPaymentState_FollowsFromWhatWasPaidAndReturned(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		price, deposit, paid, refunded int64
		want                           PaymentState
	}{
		{4500, 1000, 0, 0, Unpaid}, {4500, 1000, 999, 0, PartlyPaid}, {4500, 1000, 1000, 0, DepositPaid},
		{4500, 1000, 4499, 0, DepositPaid},
		{4500, 1000, 4500, 0, Paid}, {4500, 1000, 5000, 0, Paid}, {4500, 1000, 5000, 501, DepositPaid},
		{4500, 1000, 4500, 3501, PartlyPaid},
		{4500, 1000, 4500, 4500, Refunded}, {4500, 0, 1, 0, PartlyPaid}, {4500, 0, 0, 0, Unpaid},
		{4500, 4500, 4500, 0, Paid},
		{0, 0, 0, 0, Paid}, {0, 0, 100, 0, Paid}, {0, 0, 100, 100, Refunded},
	} {
		require.Equal(t, c.want, paymentState(c.price, c.deposit, Balance{Paid: c.paid, Refunded: c.refunded}), "%+v",
			c)
	}
}

func TestCode_IsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for range 1000 {
		code := newCode()
		require.False(t, seen[code])
		seen[code] = true
		read, ok := parseCode(" " + strings.ToLower(code[:4]) + " - " + code[4:] + "\u00a0")
		require.True(t, ok)
		require.Equal(t, code, read)
	}
	for _, text := range []string{"", "--------", "K7MX2PQ", "K7MX2PQR2", "K7MX!PQR", "K7MX0PQR", "K7MX1PQR",
		"AEIOUAEI", "ß7MX2PQ"} {
		_, ok := parseCode(text)
		require.False(t, ok, text)
	}
}
