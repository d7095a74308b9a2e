package booking

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/event"
	"holdfast/internal/settings"
)

func TestPlanMessages_BalanceReminder_IsPlannedForAnyPrice(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 3, 1, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		price, due int64
		want       int
	}{
		"nothing paid":          {price: 4500, due: 4500, want: 1},
		"all paid when planned": {price: 4500, due: 0, want: 1}, // a refund may follow
		"free":                  {price: 0, due: 0, want: 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := Booking{StartsAt: now.AddDate(0, 0, 10), EndsAt: now.AddDate(0, 0, 11), Location: time.UTC, Price: c.price, Due: c.due}
			planned, err := planMessages(b, settings.Settings{BalanceDue: &event.Reminder{BeforeMinutes: 60}}, now)
			require.NoError(t, err)
			require.Len(t, planned, c.want)
		})
	}
}
