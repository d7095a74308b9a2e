package catalog

import (
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// TestClosure_Yearly_LocksNoMoreDatesThanItHasInAYear begins a closure of as many dates as can be locked on each date
// of four years.
func TestClosure_Yearly_LocksNoMoreDatesThanItHasInAYear(t *testing.T) {
	t.Parallel()
	from := testtime.Parse(t, "2024-01-01")
	for range 4*365 + 1 {
		c := Closure{Closure: timetable.Closure{From: from, To: from.AddDays(lock.MaxKeys - 1), Yearly: true}}
		today := testtime.Parse(t, "2029-06-15")
		dates := c.lockedDates(today)
		require.LessOrEqual(t, len(dates), lock.MaxKeys)
		require.GreaterOrEqual(t, len(dates), lock.MaxKeys-1) // without 29 February
		for _, d := range dates {
			require.True(t, c.Closes(uuid.Nil, d) && !d.Before(today) && d.DaysSince(today) < 366)
		}
		from = from.AddDays(1)
	}
	leapDay := Closure{Closure: timetable.Closure{From: testtime.Parse(t, "2028-02-29"),
		To: testtime.Parse(t, "2028-02-29"), Yearly: true}}
	require.Equal(t, []civil.Date{leapDay.From}, leapDay.lockedDates(civil.Date{Year: 2029, Month: time.May, Day: 1}))
	future := Closure{Closure: timetable.Closure{From: testtime.Parse(t, "2040-12-30"),
		To: testtime.Parse(t, "2041-01-01"), Yearly: true}}
	require.Len(t, future.lockedDates(testtime.Parse(t, "2029-06-15")), 3)
	require.Equal(t, future.From, future.lockedDates(testtime.Parse(t, "2029-06-15"))[0])
}

func TestCheck_TextTooLong_Refused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 501)
	date := testtime.Parse(t, "2028-03-01")
	closure := Closure{Closure: timetable.Closure{From: date, To: date}, Reason: long}
	_, ofBlock := BlockSpec{From: new("2028-03-01"), To: new("2028-03-01"), Reason: long}.Block(time.UTC)
	for thing, err := range map[string]error{
		"closure": closure.Check(), "block": ofBlock, "resource": Resource{Name: long, Capacity: 1}.Check(),
	} {
		require.True(t, problem.Is(err, problem.ValidationFailed), thing)
		require.Equal(t, "too_long", problem.DocumentOf(err).Errors[0].Code, thing)
	}
}
