package webhook_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

func TestDelivery_TwentyEndpointsAndManyEvents_AllArriveOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := newReceiver(t, nil)
	for range 20 {
		b.newEndpoint(t, rec.URL, "*")
	}
	ids := b.recordChanges(t, "booking.created", testtime.Rounds(30))
	b.relay(t)
	for left := 1; left > 0; { // what was postponed, because its endpoint had enough deliveries under way
		b.letTimePass(t)
		b.worker().RunUntilIdle(t.Context())
		require.NoError(t, b.sql.QueryRow(t.Context(),
			"SELECT count(*) FROM scheduled_events WHERE status <> 'completed'").Scan(&left))
	}
	count := map[string]int{}
	for _, id := range rec.ids() {
		count[id]++
	}
	require.Len(t, count, len(ids))
	for _, id := range texts(ids...) {
		require.Equal(t, 20, count[id])
	}
}
