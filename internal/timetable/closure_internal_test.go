package timetable

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/datetime"
	"holdfast/internal/testtime"
)

func TestClosure_Yearly_ClosesTheSameMonthsAndDaysFromItsFirstDateOn(t *testing.T) {
	t.Parallel()
	// a period that is closed, with the dates around it open
	for _, c := range []struct{ from, to, first, last string }{
		{"2027-12-24", "2027-12-26", "2027-12-24", "2027-12-26"},
		{"2027-12-24", "2027-12-26", "2031-12-24", "2031-12-26"},
		{"2027-12-30", "2028-01-02", "2027-12-30", "2028-01-02"},
		{"2027-12-30", "2028-01-02", "2030-12-30", "2031-01-02"},
		{"2028-02-28", "2028-03-01", "2032-02-28", "2032-03-01"},
		{"2028-02-29", "2028-03-02", "2029-03-01", "2029-03-02"},
		{"2028-02-29", "2028-02-29", "2032-02-29", "2032-02-29"},
	} {
		closure := Closure{From: testtime.Parse(t, c.from), To: testtime.Parse(t, c.to), Yearly: true}
		first, last := testtime.Parse(t, c.first), testtime.Parse(t, c.last)
		require.False(t, closure.Closes(uuid.Nil, first.AddDays(-1)), "%v", c)
		require.False(t, closure.Closes(uuid.Nil, last.AddDays(1)), "%v", c)
		for _, d := range datetime.DatesBetween(first, last) {
			require.True(t, closure.Closes(uuid.Nil, d), "%v: %s", c, d)
		}
	}
	closure := Closure{From: testtime.Parse(t, "2027-12-30"), To: testtime.Parse(t, "2028-01-02"), Yearly: true}
	for _, d := range []string{"2026-12-30", "2027-01-01"} {
		require.False(t, closure.Closes(uuid.Nil, testtime.Parse(t, d)), "it begins later")
	}
	leapDay := Closure{From: testtime.Parse(t, "2028-02-29"), To: testtime.Parse(t, "2028-02-29"), Yearly: true}
	for _, d := range []string{"2029-02-28", "2029-03-01"} {
		require.False(t, leapDay.Closes(uuid.Nil, testtime.Parse(t, d)))
	}
	closure.Yearly = false
	require.False(t, closure.Closes(uuid.Nil, testtime.Parse(t, "2028-12-30")))
}
