package timetable

import (
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/datetime"
)

// TestClosedHours_EachMinute_IsClosedIfClocksShowIt asks for each fifth minute around changes of the clock whether a
// resource that is always open is open then, and compares the answer with what clocks show.
func TestClosedHours_EachMinute_IsClosedIfClocksShowIt(t *testing.T) {
	t.Parallel()
	var closed, open int
	rapid.Check(t, func(rt *rapid.T) {
		loc := zone(t, rapid.SampledFrom([]string{
			"America/New_York", "Europe/London", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu",
			"America/Nuuk",
		}).Draw(rt, "zone"))
		d := civil.Date{Year: 2027, Month: 1, Day: 1}.AddDays(rapid.IntRange(0, 700).Draw(rt, "day"))
		if changes := clockChanges(loc); len(changes) > 0 && rapid.Bool().Draw(rt, "at a change") {
			d = datetime.DateOf(rapid.SampledFrom(changes).Draw(rt, "change"), loc)
		}
		hours := DayInterval{From: 5 * rapid.IntRange(0, 287).Draw(rt, "starts")}
		hours.Until = hours.From + 5*rapid.IntRange(1, 288-hours.From/5).Draw(rt, "minutes")
		c := Closure{From: d, To: d.AddDays(rapid.IntRange(0, 1).Draw(rt, "dates")), Hours: &hours}
		r := Rules{Loc: loc, Closures: []Closure{c}}
		always := Hours{}
		res := Resource{Times: always.Times()}
		for at := datetime.StartOfDay(d.AddDays(-1),
			loc); at.Before(datetime.StartOfDay(d.AddDays(3), loc)); at = at.Add(5 * time.Minute) {
			on, minute := datetime.DateOf(at, loc), at.Hour()*60+at.Minute()
			shown := !on.Before(c.From) && !on.After(c.To) && minute >= hours.From && minute < hours.Until
			_, before := at.Add(-3 * time.Hour).Zone()
			_, after := at.Add(3 * time.Hour).Zone()
			isOpen := r.openDuring(&res, BookingTime{Start: at, End: at.Add(5 * time.Minute)})
			if shown || before == after { // a repeated time may be closed as well
				require.Equal(rt, !shown, isOpen, "%s, %v", at, hours)
			}
			if shown {
				closed++
			} else {
				open++
			}
		}
	})
	require.Greater(t, min(closed, open), 1000)
}

func TestClosedHours_SlotsKeepTheirTimes(t *testing.T) {
	t.Parallel()
	d := civil.Date{Year: 2027, Month: 7, Day: 1}
	r := slotRules(t, "Europe/Berlin", 60, 45, Hours{Weekly: []WeeklyHours{
		{Weekday: d.Weekday(), Opens: 9 * 60, Closes: 15 * 60}, {Weekday: d.Weekday(), Opens: 22 * 60, Closes: 2 * 60},
	}})
	r.Closures = []Closure{
		{From: d, To: d, Hours: &DayInterval{From: 11 * 60, Until: 12*60 + 30}},
		{From: d, To: d, Hours: &DayInterval{From: 10*60 + 50, Until: 11*60 + 30}},
		{From: d.AddDays(1), To: d.AddDays(1), Hours: &DayInterval{From: 0, Until: 30}},
	}
	// 10:30 would touch the closed hours, and the slots after them are counted from 09:00.
	require.Equal(t, []string{"09:00+02:00", "09:45+02:00", "12:45+02:00", "13:30+02:00", "22:00+02:00", "22:45+02:00"},
		starts(r, d))
	require.Equal(t, []string{"01:00+02:00"}, starts(r, d.AddDays(1)),
		"the closed hours are within those of the evening before")

	r.Service.UntilClosing = true
	require.Equal(t, []string{"1 09:00 to 1 10:50", "1 09:45 to 1 10:50", "1 10:30 to 1 10:50"}, slotsOn(&r, d)[:3])
}
