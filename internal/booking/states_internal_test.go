package booking

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// TestDue_EveryState lists what is due for every status, before and after the expiry of a hold, and for everything that
// can have been paid and refunded. The price is 1000.
func TestDue_EveryStatusPaidAndLapsed_IsWhatTheTableSays(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 7, 1, 12, 0, 0, 0, time.UTC)
	before, after := now.Add(time.Second), now.Add(-time.Second)
	const nothing, expired, invalid = problem.Code(""), problem.HoldExpired, problem.InvalidState
	// What was paid, and what was refunded of it.
	money := [][2]int64{{0, 0}, {300, 0}, {300, 300}, {1000, 0}, {1000, 400}, {1000, 1000}, {1300, 0}, {1300, 300}}
	due := []int64{1000, 700, 1000, 0, 400, 1000, 0, 0}
	none := make([]int64, len(money))
	for _, tt := range []struct {
		status  Status
		expires *time.Time
		lapsed  bool
		refusal problem.Code
		due     []int64
	}{
		{status: Held, expires: &before, due: due},
		{status: Held, expires: &now, lapsed: true, refusal: expired, due: none},
		{status: Held, expires: &after, lapsed: true, refusal: expired, due: none},
		{status: Confirmed, due: due},
		{status: Confirmed, expires: &before, due: due},
		{status: Confirmed, expires: &after, due: due},
		{status: Completed, due: due},
		{status: Completed, expires: &after, due: due},
		{status: NoShow, due: due},
		{status: NoShow, expires: &after, due: due},
		{status: Cancelled, refusal: invalid, due: none},
		{status: Cancelled, expires: &before, refusal: invalid, due: none},
		{status: Cancelled, expires: &after, refusal: invalid, due: none},
		{status: Expired, expires: &after, refusal: expired, due: none},
	} {
		t.Run(fmt.Sprintf("%s %v", tt.status, tt.expires), func(t *testing.T) {
			t.Parallel()
			s := State{Status: tt.status, HoldExpiresAt: tt.expires}
			require.Equal(t, tt.lapsed, s.Lapsed(now))
			if err := s.CheckPayable(now); tt.refusal == nothing {
				require.NoError(t, err)
			} else {
				require.True(t, problem.Is(err, tt.refusal), "%v", err)
			}
			for i, m := range money {
				require.Equal(t, tt.due[i], s.Due(1000, Balance{Paid: m[0], Refunded: m[1]}, now),
					"paid %d, refunded %d", m[0], m[1])
			}
		})
	}
}

func TestChange_EachStatus_AllowsTheListedTransitions(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 7, 1, 12, 0, 0, 0, time.UTC)
	later, earlier := now.Add(time.Hour), now.Add(-time.Hour)
	const begun, toCome = true, false
	for _, tt := range []struct {
		change Transition
		from   Status
		begun  bool
		to     Status // empty: refused
	}{
		{Confirm, Held, toCome, Confirmed},
		{Confirm, Held, begun, Confirmed},
		{Confirm, Confirmed, toCome, ""},
		{Confirm, Completed, begun, ""},
		{Confirm, Cancelled, toCome, ""},
		{Confirm, NoShow, begun, ""},
		{Cancel, Held, toCome, Cancelled},
		{Cancel, Confirmed, toCome, Cancelled},
		{Cancel, Confirmed, begun, Cancelled},
		{Cancel, Completed, begun, ""},
		{Cancel, Cancelled, toCome, ""},
		{Cancel, NoShow, begun, ""},
		{Complete, Confirmed, begun, Completed},
		{Complete, Confirmed, toCome, ""},
		{Complete, Held, begun, ""},
		{Complete, Completed, begun, ""},
		{Complete, Cancelled, begun, ""},
		{Complete, NoShow, begun, ""},
		{MarkNoShow, Confirmed, begun, NoShow},
		{MarkNoShow, Confirmed, toCome, ""},
		{MarkNoShow, Held, begun, ""},
		{MarkNoShow, Completed, begun, ""},
		{MarkNoShow, Cancelled, begun, ""},
		{MarkNoShow, NoShow, begun, ""},
	} {
		startsAt := later
		if tt.begun {
			startsAt = earlier
		}
		to, err := tt.change.statusAfter(State{Status: tt.from, HoldExpiresAt: &later}, startsAt, now)
		require.Equal(t, tt.to, to, "%+v", tt)
		require.Equal(t, tt.to == "", problem.Is(err, problem.InvalidState), "%+v: %v", tt, err)
	}
	for _, c := range []Transition{Confirm, Cancel, Complete, MarkNoShow} {
		for name, state := range map[string]State{"expired": {Status: Expired},
			"lapsed": {Status: Held, HoldExpiresAt: &now}} {
			_, err := c.statusAfter(state, later, now)
			require.True(t, problem.Is(err, problem.HoldExpired), "%s of a hold that is %s: %v", c, name, err)
		}
	}
}
