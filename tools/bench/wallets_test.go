package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTransfers_BesidePgbench_AreMeasuredInTurns(t *testing.T) {
	t.Parallel()
	c, err := measureTransfers(t.Context(), walletConfig{wallets: 50, scales: []int{1}, rounds: 1, duration: briefly}, t.Output())
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, c.write(&out))
	require.Regexp(t, `(?m)^\| pgbench, scale 1 \| \d+ `, out.String())
	require.Regexp(t, `(?m)^\| Holdfast \| \d+ \(\d+ to \d+\) \| pgbench, scale 1 \| × \d+\.\d\d \(`, out.String())
}
