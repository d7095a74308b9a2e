package timetable

import (
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/claim"
	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

func slotRules(t testing.TB, timeZone string, duration, interval int, hours Hours) Rules {
	t.Helper()
	r := Rules{
		Service: Service{Spec: Spec{
			Kind: KindSlot, DurationMinutes: duration,
			SlotIntervalMinutes: interval,
			BookingWindowDays:   new(3650),
		}},
		Loc: zone(t, timeZone),
	}
	r.SetResources([]Resource{{ID: uuid.New(), Capacity: 1, Times: hours.Times()}})
	return r
}

// slotStarts returns when the slots of the first resource start on a date.
func slotStarts(r *Rules, d civil.Date) (all []time.Time) {
	a := newAvailability(r, 1, d, claim.View{Busy: make([][]claim.Busy, len(r.Resources))})
	a.findSlots(d)
	for _, slot := range a.resources[0].slots {
		all = append(all, time.Unix(slot.from, 0).In(r.Loc))
	}
	return all
}

func starts(r Rules, d civil.Date) []string {
	var list []string
	for _, at := range slotStarts(&r, d) {
		list = append(list, at.Format("15:04-07:00"))
	}
	return list
}

func TestSlotStarts_FollowOpeningHours(t *testing.T) {
	t.Parallel()
	monday := civil.Date{Year: 2027, Month: 7, Day: 5}
	weekly := []WeeklyHours{{Weekday: time.Monday, Opens: 9 * 60, Closes: 12 * 60},
		{Weekday: time.Monday, Opens: 13*60 + 30, Closes: 15 * 60}, {Weekday: time.Tuesday, Opens: 0, Closes: 60},
		{Weekday: time.Monday,
			Opens: 23 * 60, Closes: 1440}}
	r := slotRules(t, "UTC", 60, 60, Hours{Weekly: weekly})
	require.Equal(t, []string{"09:00+00:00", "10:00+00:00", "11:00+00:00", "13:30+00:00", "23:00+00:00"},
		starts(r, monday))
	r = slotRules(t, "UTC", 90, 30, Hours{Weekly: weekly})
	require.Equal(t, []string{"09:00+00:00", "09:30+00:00", "10:00+00:00", "10:30+00:00", "13:30+00:00", "23:00+00:00",
		"23:30+00:00"},
		starts(r, monday), "what closes and opens at midnight is open over midnight")
	r = slotRules(
		t,
		"UTC",
		60,
		60,
		Hours{Weekly: weekly, Overrides: []DateHours{{Date: monday, Opens: 600, Closes: 720}}},
	)
	require.Equal(t, []string{"10:00+00:00", "11:00+00:00"}, starts(r, monday))
	r = slotRules(t, "UTC", 60, 60,
		Hours{Weekly: weekly, Overrides: []DateHours{{Date: monday, Closed: true}}})
	require.Empty(t, starts(r, monday))
	r = slotRules(t, "UTC", 60, 60, Hours{Weekly: weekly})
	r.Closures = []Closure{{From: monday, To: monday}}
	require.Empty(t, starts(r, monday))
	r.Closures[0].ResourceID = &uuid.UUID{1}
	require.Len(t, starts(r, monday), 5, "another resource's closure")
}

func TestSlotStarts_AtChangesOfTheClock(t *testing.T) {
	t.Parallel()
	r := slotRules(t, "Europe/Berlin", 60, 60, Hours{Overrides: []DateHours{
		{Date: civil.Date{Year: 2027, Month: 3, Day: 28}, Opens: 60, Closes: 240},
		{Date: civil.Date{Year: 2027, Month: 10, Day: 31}, Opens: 60, Closes: 240},
	}})
	require.Equal(t, []string{"01:00+01:00", "03:00+02:00"}, starts(r, civil.Date{Year: 2027, Month: 3, Day: 28}))
	require.Equal(t, []string{"01:00+02:00", "02:00+02:00", "02:00+01:00", "03:00+01:00"},
		starts(r, civil.Date{Year: 2027, Month: 10, Day: 31}))
}

func TestSlotStarts_LastHourOfTheDateIsSkipped_EndWithTheDate(t *testing.T) {
	t.Parallel()
	d := civil.Date{Year: 2027, Month: 3, Day: 27}
	for _, name := range []string{"America/Nuuk", "America/Scoresbysund"} {
		r := slotRules(t, name, 30, 30,
			Hours{Overrides: []DateHours{{Date: d, Opens: 22 * 60, Closes: 1440}}})
		require.Equal(t, []string{"22:00-02:00", "22:30-02:00"}, starts(r, d), name)
	}
}

// TestDate_ThatClocksSkip_CanNotBeBooked tries the date on which Samoa moved over the date line.
func TestDate_ThatClocksSkip_CanNotBeBooked(t *testing.T) {
	t.Parallel()
	skippedDate := civil.Date{Year: 2011, Month: 12, Day: 30}
	r := slotRules(t, "Pacific/Apia", 60, 60, Hours{})
	require.Empty(t, starts(r, skippedDate))
	r.Service = Service{
		Spec: Spec{Kind: KindDate, BookingWindowDays: new(3650)},
	}
	now := time.Date(2011, 12, 1, 0, 0, 0, 0, r.Loc)
	for d, exists := range map[civil.Date]bool{skippedDate.AddDays(-1): true, skippedDate: false,
		skippedDate.AddDays(1): true} {
		day, _ := newAvailability(&r, 1, d, claim.View{Now: now, Busy: make([][]claim.Busy, 1)}).day(d,
			&listing{})
		require.Equal(t, exists, day.Available, d)
		_, err := r.BookingTimeOf(When{Date: &d})
		if exists {
			require.NoError(t, err, d)
			continue
		}
		var refused *problem.Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, "date", refused.Fields[0].Name)
		require.Equal(t, "nonexistent_time", refused.Fields[0].Code)
	}
}

func TestSlotStarts_OverMidnight_AreOfTheDateOnWhichTheyBegin(t *testing.T) {
	t.Parallel()
	friday := civil.Date{Year: 2027, Month: 7, Day: 9}
	saturday := friday.AddDays(1)
	night := Hours{Weekly: []WeeklyHours{{Weekday: time.Friday, Opens: 22*60 + 15, Closes: 2 * 60},
		{Weekday: time.Saturday, Opens: 10 * 60, Closes: 12 * 60}}}
	early, late := []string{"22:15+00:00", "22:45+00:00", "23:15+00:00", "23:45+00:00"},
		[]string{"00:15+00:00", "00:45+00:00"}
	day := []string{"10:00+00:00", "10:30+00:00", "11:00+00:00"}
	r := slotRules(t, "UTC", 60, 30, night)
	require.Equal(t, early, starts(r, friday))
	require.Equal(t, append(late, day...), starts(r, saturday), "counted from Friday's opening")
	require.Empty(t, starts(r, saturday.AddDays(1)))

	// Closed dates.
	r.Closures = []Closure{{From: friday, To: friday}}
	require.Empty(t, starts(r, friday))
	require.Equal(t, day, starts(r, saturday), "Friday's hours are closed to their end")
	r.Closures = []Closure{{From: saturday, To: saturday}}
	require.Equal(t, early[:2], starts(r, friday), "no slot reaches into the closed date")
	require.Empty(t, starts(r, saturday))

	// Overrides replace what begins on their date.
	override := func(overrides ...DateHours) Rules {
		return slotRules(t, "UTC", 60, 30, Hours{Weekly: night.Weekly, Overrides: overrides})
	}
	r = override(DateHours{Date: friday, Closed: true})
	require.Empty(t, starts(r, friday))
	require.Equal(t, day, starts(r, saturday))
	r = override(DateHours{Date: saturday, Closed: true})
	require.Equal(t, early, starts(r, friday))
	require.Equal(t, late, starts(r, saturday))
	r = override(DateHours{Date: friday, Opens: 23 * 60, Closes: 1440})
	require.Equal(t, []string{"23:00+00:00"}, starts(r, friday))
	require.Equal(t, day, starts(r, saturday))
	r = override(DateHours{Date: friday.AddDays(-1), Opens: 23*60 + 30, Closes: 60})
	require.Equal(t, []string{"23:30+00:00"}, starts(r, friday.AddDays(-1)))
	require.Equal(t, append([]string{"00:00+00:00"}, early...), starts(r, friday))
	r = override(DateHours{Date: saturday, Opens: 60, Closes: 180})
	require.Equal(t, []string{"00:15+00:00", "00:45+00:00", "01:00+00:00", "01:15+00:00", "01:30+00:00", "01:45+00:00",
		"02:00+00:00"},
		starts(r, saturday), "open in both")
	r = override(DateHours{Date: saturday, Opens: 30, Closes: 60})
	require.Equal(t, []string{"00:15+00:00", "00:30+00:00", "00:45+00:00"}, starts(r, saturday),
		"Friday's hours end later")

	// 22:00 to 00:00 ends with the day; the week follows on itself.
	r = slotRules(t, "UTC", 60, 60,
		Hours{Weekly: []WeeklyHours{{Weekday: time.Saturday, Opens: 22 * 60, Closes: 0},
			{Weekday: time.Sunday, Opens: 0, Closes: 60}}})
	require.Equal(t, []string{"22:00+00:00", "23:00+00:00"}, starts(r, saturday))
	require.Equal(t, []string{"00:00+00:00"}, starts(r, saturday.AddDays(1)))
	r = slotRules(t, "UTC", 90, 60,
		Hours{Weekly: []WeeklyHours{{Weekday: time.Saturday, Opens: 22 * 60, Closes: 120}}})
	require.Equal(t, []string{"22:00+00:00", "23:00+00:00"}, starts(r, saturday))
	require.Equal(t, []string{"00:00+00:00"}, starts(r, saturday.AddDays(1)))
}

func TestSlotStarts_OverMidnightAtChangesOfTheClock(t *testing.T) {
	t.Parallel()
	var every []WeeklyHours
	for day := time.Sunday; day <= time.Saturday; day++ {
		every = append(every, WeeklyHours{Weekday: day, Opens: 22 * 60, Closes: 6 * 60})
	}
	evening := []string{"22:00+02:00", "23:00+02:00"}
	r := slotRules(t, "Europe/Berlin", 60, 60, Hours{Weekly: every})
	require.Equal(t, append([]string{"00:00+01:00", "01:00+01:00", "03:00+02:00", "04:00+02:00", "05:00+02:00"},
		evening...),
		starts(r, civil.Date{Year: 2027, Month: 3, Day: 28}), "02:00 is skipped")
	require.Equal(t, []string{
		"00:00+02:00", "01:00+02:00", "02:00+02:00", "02:00+01:00", "03:00+01:00", "04:00+01:00", "05:00+01:00",
		"22:00+01:00",
		"23:00+01:00",
	}, starts(r, civil.Date{Year: 2027, Month: 10, Day: 31}), "02:00 exists twice")

	// At midnight itself: clocks of Santiago skip 00:00 and repeat 23:00.
	r = slotRules(t, "America/Santiago", 60, 60, Hours{Weekly: every})
	forward, back := civil.Date{Year: 2027, Month: 9, Day: 5}, civil.Date{Year: 2027, Month: 4, Day: 3}
	require.Equal(t, []string{"01:00-03:00", "02:00-03:00", "03:00-03:00", "04:00-03:00", "05:00-03:00", "22:00-03:00",
		"23:00-03:00"},
		starts(r, forward))
	require.Equal(t, []string{"22:00-03:00", "23:00-03:00", "23:00-04:00"}, starts(r, back)[6:])
	require.Equal(t, "00:00-04:00", starts(r, back.AddDays(1))[0])
}

func TestSlotStarts_AreExactlyTheTimesThatCanBeBooked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		d := civil.Date{Year: 2027, Month: 1, Day: 1}.AddDays(rapid.IntRange(0, 700).Draw(rt, "day"))
		period := func(name string) (opens, closes int) {
			opens = rapid.IntRange(0, 1439).Draw(rt, name+" opens")
			return opens, rapid.IntRange(0, 1440).Draw(rt, name+" closes")
		}
		hours := Hours{Weekly: []WeeklyHours{}}
		for day := time.Sunday; day <= time.Saturday; day++ {
			opens, closes := period(day.String())
			hours.Weekly = append(hours.Weekly, WeeklyHours{Weekday: day, Opens: opens, Closes: closes})
			if hours.Check() != nil {
				hours.Weekly = hours.Weekly[:len(hours.Weekly)-1]
			}
		}
		for days := -2; days <= 2; days++ {
			o := DateHours{Date: d.AddDays(days), Closed: rapid.Bool().Draw(rt, "closed")}
			if !o.Closed {
				o.Opens, o.Closes = period("override")
			}
			if hours.Overrides = append(hours.Overrides, o); rapid.Bool().Draw(rt, "no override") ||
				hours.Check() != nil {
				hours.Overrides = hours.Overrides[:len(hours.Overrides)-1]
			}
		}
		r := slotRules(t, rapid.SampledFrom(zones()).Draw(rt, "zone"), rapid.IntRange(1, 300).Draw(rt, "duration"),
			rapid.IntRange(1, 120).Draw(rt, "interval"), hours)
		if days := rapid.IntRange(-2, 4).Draw(rt, "closure"); days <= 2 {
			r.Closures = []Closure{{From: d.AddDays(days), To: d.AddDays(days)}}
		}
		listed := make(map[int64]bool)
		for _, at := range slotStarts(&r, d) {
			require.Equal(rt, d, civil.DateOf(at), "a slot is listed under its own date")
			listed[at.Unix()] = true
		}
		// Of the minutes at which no slot starts, every fifth is tried.
		tried := rapid.IntRange(0, 4).Draw(rt, "minutes")
		first, next := datetime.StartOfDay(d, r.Loc), datetime.StartOfDay(d.AddDays(1), r.Loc)
		for at := first; at.Before(next); at = at.Add(time.Minute) {
			if at.Minute()%5 != tried && !listed[at.Unix()] {
				continue
			}
			text := at.Format(time.RFC3339)
			o, err := r.BookingTimeOf(When{StartsAt: &text})
			require.NoError(rt, err)
			var all candidates
			all.set(r.Resources)
			err = r.start(&all, o)
			require.Equal(rt, listed[at.Unix()], err == nil, text)
		}
	})
}

func TestLowest_FreeUnits_ReturnsTheLowestN(t *testing.T) {
	t.Parallel()
	base := time.Date(2027, 7, 1, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(rt *rapid.T) {
		res := Resource{ID: uuid.New(), Capacity: rapid.IntRange(1, 20).Draw(rt, "capacity")}
		now := base.Add(-time.Hour)
		past, later := now.Add(-1), now.Add(time.Minute)
		var occupied []claim.Claim
		taken := make(map[int32]bool)
		for range rapid.IntRange(0, 15).Draw(rt, "bookings") {
			from := base.Add(time.Duration(rapid.IntRange(-3, 3).Draw(rt, "from")) * time.Hour)
			unit := int32(rapid.IntRange(1, 25).Draw(rt, "unit"))
			o := claim.Claim{
				OwnerID: uuid.New(), ResourceID: res.ID, BusyFrom: from, BusyUntil: from.Add(2 * time.Hour),
				Units: []claim.UnitRange{{From: unit, Until: unit + int32(rapid.IntRange(1, 3).Draw(rt, "units"))}},
			}
			o.ExpiresAt = rapid.SampledFrom([]*time.Time{nil, &past, &later}).Draw(rt, "hold")
			occupied = append(occupied, o)
			overlaps := o.BusyFrom.Before(base.Add(time.Hour)) && base.Before(o.BusyUntil)
			for u := o.Units[0].From; overlaps && o.ExpiresAt != &past && u < o.Units[0].Until; u++ {
				taken[u] = true
			}
		}
		free, count := freeUnits(res, occupied, base, base.Add(time.Hour), now)
		for u := int32(1); int(u) <= res.Capacity; u++ {
			require.Equal(rt, !taken[u], free[u])
		}
		require.Equal(rt, max(res.Capacity-len(taken), 0), count, "units beyond the capacity are in use too")
		if count == 0 {
			return
		}
		n := rapid.IntRange(1, count).Draw(rt, "party")
		got, skipped := 0, 0
		last := int32(0)
		for _, r := range lowest(free, n) {
			require.Greater(rt, r.From, last, "ranges are apart and in order")
			for u := r.From; u < r.Until; u++ {
				require.False(rt, taken[u])
				got++
			}
			last = r.Until
		}
		for u := int32(1); u < last; u++ {
			if !taken[u] {
				skipped++
			}
		}
		require.Equal(rt, n, got)
		require.Equal(rt, n, skipped, "no lower unit was free")
	})
}

// Each date has its one slot of a whole day, also where clocks skip midnight: moment 1994, react-dates 776.
func TestSlots_ClocksSkipMidnight_TheDateIsSoldFromItsFirstMoment(t *testing.T) {
	t.Parallel()
	for timeZone, date := range map[string]civil.Date{
		"Africa/Cairo": {Year: 2027, Month: 4, Day: 30}, "Asia/Beirut": {Year: 2027, Month: 3, Day: 28},
		"America/Santiago": {Year: 2027, Month: 9, Day: 5}, "Atlantic/Azores": {Year: 2027, Month: 3, Day: 28},
	} {
		r := slotRules(t, timeZone, 0, 1440, Hours{})
		r.Service.DurationDays = 1
		require.Equal(t, 1, datetime.StartOfDay(date, r.Loc).Hour(), "clocks skip midnight in %s", timeZone)
		until := datetime.StartOfDay(date.AddDays(-2), r.Loc)
		for days := -2; days <= 2; days++ {
			d := date.AddDays(days)
			starts := slotStarts(&r, d)
			require.Equal(t, []time.Time{datetime.StartOfDay(d, r.Loc)}, starts, timeZone)
			require.True(t, until.Equal(starts[0]), "the slot before ends when this one begins")
			at, err := r.BookingTimeOf(When{StartsAt: new(starts[0].Format(time.RFC3339))})
			require.NoError(t, err)
			_, err = r.Allocate(at, nil, 1, nil, 0, datetime.StartOfDay(date.AddDays(-9), r.Loc))
			require.NoError(t, err)
			until = at.End
		}
		r.Service.SlotIntervalMinutes, r.Service.DurationDays, r.Service.DurationMinutes = 30, 0, 30
		starts := slotStarts(&r, date)
		require.Len(t, starts, 46, "no slot comes twice")
	}
}
