package timetable

import (
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/datetime"
)

// TestDateTimes_AroundClockChanges_AreThoseOfTheClock compares bookings of dates that begin and end by the clock with a
// plain calendar. They take whole dates all the same.
func TestDateTimes_AroundClockChanges_AreThoseOfTheClock(t *testing.T) {
	t.Parallel()
	for name, changes := range stayZones {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loc := zone(t, name)
			overnight := 0
			rapid.Check(t, func(rt *rapid.T) {
				d := rapid.SampledFrom(changes).Draw(rt,
					"change").AddDays(rapid.IntRange(-2, 1).Draw(rt, "days from it"))
				s := Spec{Kind: KindDate, Starts: drawClock(rt, "starts", 0),
					Ends: drawClock(rt, "ends", 0)}
				r := &Rules{Loc: loc, Service: Service{Spec: s}}
				at, err := r.BookingTimeOf(When{Date: &d})
				next := d.AddDays(1)
				first, after := datetime.StartOfDay(d, loc), datetime.StartOfDay(next, loc)
				start, end := clockOfDate(d, s.StartsMinute(), loc), after
				switch {
				case s.EndsMinute() == 0:
				case s.EndsMinute() <= s.StartsMinute():
					overnight++
					if end, after = clockOfDate(next, s.EndsMinute(), loc), datetime.StartOfDay(next.AddDays(1),
						loc); end.IsZero() {
						return // clocks skip the next date
					}
				default:
					end = clockOfDate(d, s.EndsMinute(), loc)
				}
				if !start.Before(end) || first.Equal(datetime.StartOfDay(next, loc)) {
					require.ErrorContains(rt, err, "date: nonexistent_time")
					return
				}
				require.NoError(rt, err)
				require.Equal(rt, d, datetime.DateOf(at.Start, loc))
				require.Equal(rt, []string{start.Format(time.RFC3339), end.Format(time.RFC3339)},
					[]string{at.Start.Format(time.RFC3339), at.End.Format(time.RFC3339)})
				if end.Equal(datetime.StartOfDay(next, loc)) {
					after = end
				}
				require.True(rt, first.Equal(at.BusyFrom) && after.Equal(at.BusyUntil), "%s to %s", at.BusyFrom,
					at.BusyUntil)
				require.LessOrEqual(rt, at.BusyUntil.Sub(at.BusyFrom), minutes(s.LongestMinutes()))
			})
			require.Greater(t, overnight, 20)
		})
	}
}

func TestCheckWindow_DateByTheClock_CountsFromItsStartAndToItsEnd(t *testing.T) {
	t.Parallel()
	berlin := zone(t, "Europe/Berlin")
	for _, test := range []struct {
		lead, hour, minute int
		first              int // day of May that can be booked
	}{
		{0, 8, 0, 3}, {0, 17, 59, 3}, {0, 18, 0, 4}, {60, 8, 0, 3}, {60, 8, 1, 4}, {1440, 9, 0, 4}, {1440, 9, 1, 5},
	} {
		r := &Rules{Loc: berlin, Service: Service{Spec: Spec{
			Kind:              KindDate,
			Starts:            "09:00",
			Ends:              "18:00",
			MinLeadMinutes:    test.lead,
			BookingWindowDays: new(30),
		}}}
		now := time.Date(2027, time.May, 3, test.hour, test.minute, 0, 0, berlin)
		for day := 2; day < 7; day++ {
			d := civil.Date{Year: 2027, Month: time.May, Day: day}
			at, err := r.BookingTimeOf(When{Date: &d})
			require.NoError(t, err)
			require.Equal(t, day >= test.first, r.checkWindow(at, now) == nil, "%s, %v", d, test)
		}
		require.Equal(t, test.first, r.firstDate(now).Day, "%v", test)
	}
}
