package main

import (
	"bytes"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// requireReschedule measures rescheduling beside cancelling and booking anew.
func requireReschedule(t *testing.T, b *bench) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, b.measureReschedule(t.Context(), 1, &out))
	require.Regexp(t, `(?ms)clients: 1\..*^\| cancel \+ create \| \d+ .*^\| reschedule \| \d+ \(\d+ to \d+\) \| cancel \+ create \| × \d+\.\d\d \(.*clients: 16\.`, out.String())

	conn, err := pgx.Connect(t.Context(), b.database.URL())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	var cancelled, moved int
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE status = 'cancelled'), count(*) FILTER (WHERE version > 1 AND status = 'confirmed')
		FROM bookings`).Scan(&cancelled, &moved))
	require.Positive(t, cancelled)
	require.Positive(t, moved)
}
