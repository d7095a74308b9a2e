package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClaims_TwoSizes_AreMeasuredInTurnsAndBesideAnOpenTransaction(t *testing.T) {
	t.Parallel()
	c, err := measureClaims(t.Context(), eventConfig{
		pending: []int{2 * claimsDue, 3 * claimsDue}, open: briefly, rounds: 1, duration: briefly,
	}, t.Output())
	require.NoError(t, err)
	require.Len(t, c.tables, 2)
	for _, table := range c.tables {
		require.Len(t, table.rounds, 1)
		require.NotEmpty(t, table.rounds[0].oldest)
		require.NotEmpty(t, table.rounds[0].workers)
	}
	require.NotEmpty(t, c.during.workers)
	require.Positive(t, c.during.completed)
	require.Positive(t, c.dead)
	var out bytes.Buffer
	require.NoError(t, c.write(&out))
	require.Regexp(t, `(?m)^\| a worker's \| \d+\.\d, \d+\.\d \| \d+\.\d, \d+\.\d; p99 × \d+\.\d\d \(`, out.String())
	require.Regexp(t, `(?m)^\| a worker's \| \d+\.\d, \d+\.\d \| \d+\.\d, \d+\.\d \| × \d+\.\d\d \|`, out.String())
}
