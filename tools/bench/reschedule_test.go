package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

func TestReschedule_BesideCancelAndCreate_IsMeasuredInTurns(t *testing.T) {
	t.Parallel()
	b, err := start(t.Context(), 300*time.Millisecond, 0, smallSize, t.Output())
	require.NoError(t, err)
	t.Cleanup(b.stop)
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
