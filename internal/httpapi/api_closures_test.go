package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func TestClosure_WithHours_ClosesOnlyThem(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 3)
	c.setHours(t, resource, object{"weekly": []any{object{"weekday": "monday", "opens": "09:00", "closes": "18:00"}}})
	slots, dates := c.newService(t, "slot", nil, resource), c.newService(t, "date", nil, resource)
	c.book(t, slots, at(future(0), 11, 0))
	noon := c.book(t, slots, at(future(0), 12, 0)).id(t).String()
	whole := c.book(t, dates, future(0)).id(t).String()
	body := object{"from": future(0).String(), "to": future(0).String(), "starts": "12:00", "ends": "14:30", "reason": "Lunch"}
	path := "/v1/closures/" + c.created(t, c.post(t, "/v1/closures", body)).String()

	require.Equal(t, []string{"09:00", "10:00", "11:00", "15:00", "16:00", "17:00"}, c.on(t, slots, future(0)).clocks())
	for _, hour := range []int{12, 13, 14} {
		c.refused(t, unprocessable, problem.OutsideOpeningHours, slots, at(future(0), hour, 0))
	}
	require.Equal(t, map[string][]any{noon: {"closed"}}, c.conflicts(t, resourcePath(resource), 50))
	require.NotContains(t, c.conflicts(t, servicePath(dates), 50), whole)
	require.Len(t, c.on(t, slots, future(7)).Slots, 9)
	require.Equal(t, 1, c.on(t, dates, future(0)).Remaining, "a date can be booked while some of its hours are closed")

	c.patch(t, path, object{"ends": "24:00"}).ok(t)
	require.Equal(t, []string{"09:00", "10:00", "11:00"}, c.on(t, slots, future(0)).clocks())
	require.Equal(t, "24:00", c.get(t, path).text(t, "ends"))
	require.Equal(t, "required",
		requireProblem(t, c.patch(t, path, object{"starts": nil}), unprocessable, problem.ValidationFailed).field("starts"))
	c.patch(t, path, object{"starts": nil, "ends": nil}).ok(t)
	require.Empty(t, c.on(t, slots, future(0)).Slots, "without hours it closes the date")
	require.Zero(t, c.on(t, dates, future(0)).Remaining)
	c.post(t, path+"/archive", nil).ok(t)
	require.Len(t, c.on(t, slots, future(0)).Slots, 9)
}

func TestClosure_Yearly_ClosesEachYearsDates(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 3)
	service := c.newService(t, "date", object{"booking_window_days": 3650}, resource)
	booked := c.book(t, service, future(1)).id(t).String()
	from, to := future(0), future(1)
	from.Year, to.Year = from.Year-4, to.Year-4
	body := object{"from": from.String(), "to": to.String(), "yearly": true, "reason": "Holidays"}
	path := "/v1/closures/" + c.created(t, c.post(t, "/v1/closures", body)).String()
	for _, years := range []int{0, 1} {
		first, last := from, to
		first.Year, last.Year = first.Year+4+years, last.Year+4+years
		c.refused(t, unprocessable, problem.OutsideOpeningHours, service, first)
		c.refused(t, unprocessable, problem.OutsideOpeningHours, service, last)
		require.False(t, c.on(t, service, last).Available)
		require.True(t, c.on(t, service, last.AddDays(1)).Available)
	}
	require.Equal(t, map[string][]any{booked: {"closed"}}, c.conflicts(t, resourcePath(resource), 50))
	c.patch(t, path, object{"yearly": false}).ok(t)
	require.Empty(t, c.conflicts(t, resourcePath(resource), 50))
	c.book(t, service, future(0))
}

// TestClosure_Yearly_LocksItsNextDates: a booking of these dates comes wholly before the closure or wholly after.
func TestClosure_Yearly_LocksItsNextDates(t *testing.T) {
	t.Parallel()
	c := setup(t)
	from := future(0)
	from.Year -= 20
	release := c.stall(t, 0)
	made := c.later(t, http.MethodPost, "/v1/closures", object{"from": from.String(), "to": from.String(), "yearly": true})
	require.Eventually(t, func() bool {
		return c.count(t, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`) > 0
	}, soon, 2*time.Millisecond)
	release()
	require.Equal(t, http.StatusCreated, (<-made).status)
}
