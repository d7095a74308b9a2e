package booking_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/idempotency"
	"holdfast/internal/store"
	"holdfast/internal/store/storetest"
)

func TestCreate_CodeInUse_GetsAnotherOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 5, 60)
	s := storetest.Open(t, store.Config{URL: b.url, MaxConns: 4, LockTimeout: longestWait})
	var mu sync.Mutex
	codes := []string{"BBBBBBBB", "BBBBBBBB", "BBBBBBBB", "CCCCCCCC"}
	b.service = booking.NewService(s, idempotency.NewGuard(s), booking.WithCodes(func() string {
		mu.Lock()
		defer mu.Unlock()
		next := codes[0]
		codes = codes[1:]
		return next
	}))
	for day := range 2 {
		_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, atTime(future(day).In(time.UTC).Add(10*time.Hour))))
		require.NoError(t, err)
	}
	require.Empty(t, codes)
	var stored []string
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT array_agg(code ORDER BY date) FROM bookings").Scan(&stored))
	require.Equal(t, []string{"BBBBBBBB", "CCCCCCCC"}, stored)
}
