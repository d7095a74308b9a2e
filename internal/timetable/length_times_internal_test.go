package timetable

import (
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/datetime"
)

// inBerlin returns the rules of a service there, with one resource.
func inBerlin(t *testing.T, s Spec, hours Hours) *Rules {
	t.Helper()
	s.BookingWindowDays = new(3650)
	r := &Rules{Service: Service{Spec: s.WithDefaults()}, Loc: zone(t, "Europe/Berlin")}
	r.SetResources([]Resource{{ID: uuid.New(), Capacity: 1, Times: hours.Times()}})
	return r
}

// slotsOn returns the slots of a date, as the clock shows their start and their end.
func slotsOn(r *Rules, d civil.Date) (list []string) {
	days := localDays{loc: r.Loc}
	var open []interval
	for near := -1; near <= 8; near++ {
		open = r.appendOpen(open, &r.Resources[0], d.AddDays(near), &days)
	}
	for _, s := range r.appendSlots(nil, &r.Resources[0], d, r.Service.startsOn(d), open, &days) {
		from, until := time.Unix(s.from, 0).In(r.Loc), time.Unix(s.until, 0).In(r.Loc)
		list = append(list, from.Format("2 15:04")+" to "+until.Format("2 15:04"))
	}
	return list
}

func TestBuffers_InDaysOfADateService_KeepWholeDatesFree(t *testing.T) {
	t.Parallel()
	r := inBerlin(
		t,
		Spec{Kind: KindDate, BufferBeforeDays: 1, BufferAfterDays: 1},
		Hours{},
	)
	for _, test := range []struct{ date, first, last civil.Date }{
		// 23 hours
		{civil.Date{Year: 2027, Month: 3, Day: 27}, civil.Date{Year: 2027, Month: 3, Day: 26},
			civil.Date{Year: 2027, Month: 3, Day: 28}},
		// 25 hours
		{civil.Date{Year: 2027, Month: 10, Day: 30}, civil.Date{Year: 2027, Month: 10, Day: 29},
			civil.Date{Year: 2027, Month: 10, Day: 31}},
	} {
		at, err := r.BookingTimeOf(When{Date: &test.date})
		require.NoError(t, err)
		dates := datetime.DatesIn(at.BusyFrom, at.BusyUntil, r.Loc)
		require.Equal(t, []civil.Date{test.first, test.date, test.last}, dates)
		require.Equal(t, datetime.StartOfDay(test.first, r.Loc), at.BusyFrom)
		require.Equal(t, datetime.StartOfDay(test.last.AddDays(1), r.Loc), at.BusyUntil)
	}
}

func TestSlots_OfADay_EndAtTheSameTimeOfDay(t *testing.T) {
	t.Parallel()
	r := inBerlin(t, Spec{Kind: KindSlot, DurationDays: 1},
		Hours{})
	for first, want := range map[civil.Date][]string{
		{Year: 2027, Month: 3, Day: 27}:  {"27 00:00 to 28 00:00", "28 00:00 to 29 00:00", "29 00:00 to 30 00:00"},
		{Year: 2027, Month: 10, Day: 30}: {"30 00:00 to 31 00:00", "31 00:00 to 1 00:00", "1 00:00 to 2 00:00"},
	} {
		require.Equal(t, want, slices.Concat(slotsOn(r, first), slotsOn(r, first.AddDays(1)),
			slotsOn(r, first.AddDays(2))))
	}
	r.Service.BufferBeforeDays, r.Service.BufferAfterDays = 1, 1
	start := "2027-03-27T15:00:00+01:00"
	at, err := r.BookingTimeOf(When{StartsAt: &start})
	require.NoError(t, err)
	require.Equal(t, "26 15:00 27 15:00 28 15:00 29 15:00",
		at.BusyFrom.Format("2 15:04")+at.Start.Format(" 2 15:04")+at.End.Format(" 2 15:04")+
			at.BusyUntil.Format(" 2 15:04"))
}

func TestSlots_UntilClosing_EndWithTheHoursInWhichTheyStart(t *testing.T) {
	t.Parallel()
	nights := []WeeklyHours{}
	for day := time.Sunday; day <= time.Saturday; day++ {
		nights = append(nights, WeeklyHours{Weekday: day, Opens: 22 * 60, Closes: 6 * 60})
	}
	r := inBerlin(
		t,
		Spec{Kind: KindSlot, UntilClosing: true},
		Hours{Weekly: nights},
	)
	for _, d := range []civil.Date{{Year: 2027, Month: 3, Day: 27}, {Year: 2027, Month: 7, Day: 1},
		{Year: 2027, Month: 10, Day: 30}} {
		// 7, 8 and 9 hours
		end := d.AddDays(1).In(time.UTC).Format("2")
		require.Equal(t, []string{d.In(time.UTC).Format("2") + " 22:00 to " + end + " 06:00"}, slotsOn(r, d))
	}
	d := civil.Date{Year: 2027, Month: 7, Day: 1}
	r.Service.SlotIntervalMinutes = 180
	require.Equal(t, []string{"1 01:00 to 1 06:00", "1 04:00 to 1 06:00", "1 22:00 to 2 06:00"}, slotsOn(r, d))
	r.Closures = []Closure{{From: d, To: d}}
	require.Equal(t, []string{"30 01:00 to 30 06:00", "30 04:00 to 30 06:00", "30 22:00 to 1 00:00"},
		slotsOn(r, d.AddDays(-1)),
		"a closed date ends the hours of the date before")

	r = inBerlin(t, Spec{Kind: KindSlot, UntilClosing: true},
		Hours{})
	require.Equal(t, []string{"1 00:00 to 2 00:00"}, slotsOn(r, d), "what is always open has hours of a date each")
}

func TestAddDays_ShowsTheSameTimeOfDay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		loc := zone(t, rapid.SampledFrom(zones()).Draw(rt, "zone"))
		changes := clockChanges(loc)
		at := time.Date(2027, 1, 1, 0, 0, 0, 0, loc)
		if len(changes) > 0 {
			at = rapid.SampledFrom(changes).Draw(rt, "change")
		}
		at = at.Add(minutes(rapid.IntRange(-3*datetime.MinutesPerDay, 3*datetime.MinutesPerDay).Draw(rt,
			"minutes from it"))).In(loc)
		n := rapid.IntRange(-7, 7).Draw(rt, "days")
		days, d := localDays{loc: loc}, civil.DateOf(at)
		got := time.Unix(days.addDays(d, at.Unix(), n), 0).In(loc)
		day := localDayOf(d.AddDays(n), loc)
		if minute := at.Hour()*60 + at.Minute(); len(day.Moments(nil, minute)) > 0 {
			require.Equal(rt, d.AddDays(n), civil.DateOf(got))
			require.Equal(rt, at.Format("15:04"), got.Format("15:04"))
		} else {
			require.Equal(rt, day.Skipped(minute), got.Unix())
		}
	})
}

// A service's longest booking bounds how far back what occupies a resource is read.
func TestLongestMinutes_NoBookingIsLonger(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		loc := zone(t, rapid.SampledFrom(zones()).Draw(rt, "zone"))
		changes := clockChanges(loc)
		d := civil.Date{Year: 2027, Month: 1, Day: 1}
		if len(changes) > 0 {
			d = datetime.DateOf(rapid.SampledFrom(changes).Draw(rt, "change"),
				loc).AddDays(rapid.IntRange(-8, 8).Draw(rt, "days from it"))
		}
		r := drawCalendar(rt, loc, d).rules
		longest := minutes(r.Service.LongestMinutes())
		require.LessOrEqual(rt, longest, LongestBusy)
		if r.Service.Kind == KindDate {
			if o, err := r.BookingTimeOf(When{Date: &d}); err == nil {
				require.LessOrEqual(rt, o.BusyUntil.Sub(o.BusyFrom), longest)
				require.LessOrEqual(rt, o.BusyUntil.Unix(), r.busyUntil(d))
			}
			return
		}
		for at := datetime.StartOfDay(d, loc); at.Before(datetime.StartOfDay(d.AddDays(1), loc)); at = at.Add(step) {
			for i := range r.Resources {
				o := r.withEnd(BookingTime{Date: d, Start: at}, &r.Resources[i])
				require.LessOrEqual(rt, o.BusyUntil.Sub(o.BusyFrom), longest)
				require.LessOrEqual(rt, o.BusyUntil.Unix(), r.busyUntil(d))
				require.LessOrEqual(rt, len(datetime.DatesIn(o.BusyFrom, o.BusyUntil, loc)), 24)
			}
		}
	})
}
