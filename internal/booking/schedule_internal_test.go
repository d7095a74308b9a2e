package booking

import (
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/problem"
	"holdfast/internal/store"
)

func slotRules(t testing.TB, timeZone string, duration, interval int, hours Hours) rules {
	t.Helper()
	return rules{
		offer:     Offer{Kind: KindSlot, DurationMinutes: duration, SlotIntervalMinutes: interval, BookingWindowDays: 3650},
		resources: []Resource{{ID: uuid.New(), Capacity: 1, times: hours.timetable()}},
		loc:       zone(t, timeZone),
	}
}

func starts(r rules, d civil.Date) []string {
	var list []string
	for _, at := range r.slotStarts(r.resources[0], d) {
		list = append(list, at.Format("15:04-07:00"))
	}
	return list
}

func TestSlotStarts_FollowOpeningHours(t *testing.T) {
	t.Parallel()
	monday := civil.Date{Year: 2027, Month: 7, Day: 5}
	weekly := []WeeklyHours{{time.Monday, 9 * 60, 12 * 60}, {time.Monday, 13*60 + 30, 15 * 60}, {time.Tuesday, 0, 60}, {time.Monday, 23 * 60, 1440}}
	r := slotRules(t, "UTC", 60, 60, Hours{Weekly: weekly})
	require.Equal(t, []string{"09:00+00:00", "10:00+00:00", "11:00+00:00", "13:30+00:00", "23:00+00:00"}, starts(r, monday))
	r = slotRules(t, "UTC", 90, 30, Hours{Weekly: weekly})
	require.Equal(t, []string{"09:00+00:00", "09:30+00:00", "10:00+00:00", "10:30+00:00", "13:30+00:00", "23:00+00:00", "23:30+00:00"},
		starts(r, monday), "what closes and opens at midnight is open over midnight")
	r = slotRules(t, "UTC", 60, 60, Hours{Weekly: weekly, Overrides: []DateHours{{Date: monday, Opens: 600, Closes: 720}}})
	require.Equal(t, []string{"10:00+00:00", "11:00+00:00"}, starts(r, monday))
	r = slotRules(t, "UTC", 60, 60, Hours{Weekly: weekly, Overrides: []DateHours{{Date: monday, Closed: true}}})
	require.Empty(t, starts(r, monday))
	r = slotRules(t, "UTC", 60, 60, Hours{Weekly: weekly})
	r.closures = []Closure{{From: monday, To: monday}}
	require.Empty(t, starts(r, monday))
	r.closures[0].ResourceID = &uuid.UUID{1}
	require.Len(t, starts(r, monday), 5, "another resource's closure")
}

func TestSlotStarts_AtChangesOfTheClock(t *testing.T) {
	t.Parallel()
	r := slotRules(t, "Europe/Berlin", 60, 60, Hours{Overrides: []DateHours{
		{Date: civil.Date{Year: 2027, Month: 3, Day: 28}, Opens: 60, Closes: 240},
		{Date: civil.Date{Year: 2027, Month: 10, Day: 31}, Opens: 60, Closes: 240},
	}})
	require.Equal(t, []string{"01:00+01:00", "03:00+02:00"}, starts(r, civil.Date{Year: 2027, Month: 3, Day: 28}))
	require.Equal(t, []string{"01:00+02:00", "02:00+02:00", "02:00+01:00", "03:00+01:00"}, starts(r, civil.Date{Year: 2027, Month: 10, Day: 31}))
}

func TestSlotStarts_LastHourOfTheDateIsSkipped_EndWithTheDate(t *testing.T) {
	t.Parallel()
	d := civil.Date{Year: 2027, Month: 3, Day: 27}
	for _, name := range []string{"America/Nuuk", "America/Scoresbysund"} {
		r := slotRules(t, name, 30, 30, Hours{Overrides: []DateHours{{Date: d, Opens: 22 * 60, Closes: 1440}}})
		require.Equal(t, []string{"22:00-02:00", "22:30-02:00"}, starts(r, d), name)
	}
}

// TestDate_ThatClocksSkip_CanNotBeBooked tries the date on which Samoa moved over the date line.
func TestDate_ThatClocksSkip_CanNotBeBooked(t *testing.T) {
	t.Parallel()
	skippedDate := civil.Date{Year: 2011, Month: 12, Day: 30}
	r := slotRules(t, "Pacific/Apia", 60, 60, Hours{})
	require.Empty(t, starts(r, skippedDate))
	r.offer = Offer{Kind: KindDate, BookingWindowDays: 3650}
	now := time.Date(2011, 12, 1, 0, 0, 0, 0, r.loc)
	for d, exists := range map[civil.Date]bool{skippedDate.AddDays(-1): true, skippedDate: false, skippedDate.AddDays(1): true} {
		require.Equal(t, exists, r.day(d, 1, newCalendar(nil, nil, now, r.loc)).Available, d)
		_, err := r.occurrenceOf(When{Date: &d})
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

func TestSlotStarts_AreExactlyTheTimesThatCanBeBooked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		opens := rapid.IntRange(0, 1300).Draw(rt, "opens")
		hours := Hours{Weekly: []WeeklyHours{}}
		for day := time.Sunday; day <= time.Saturday; day++ {
			hours.Weekly = append(hours.Weekly, WeeklyHours{day, opens, rapid.IntRange(opens+1, 1440).Draw(rt, "closes")})
		}
		r := slotRules(t, rapid.SampledFrom(zones()).Draw(rt, "zone"), rapid.IntRange(1, 300).Draw(rt, "duration"),
			rapid.IntRange(1, 120).Draw(rt, "interval"), hours)
		d := civil.Date{Year: 2027, Month: 1, Day: 1}.AddDays(rapid.IntRange(0, 700).Draw(rt, "day"))
		listed := make(map[int64]bool)
		for _, at := range r.slotStarts(r.resources[0], d) {
			listed[at.Unix()] = true
		}
		for at := startOfDay(d, r.loc); at.Before(startOfDay(d.AddDays(1), r.loc)); at = at.Add(time.Minute) {
			text := at.Format(time.RFC3339)
			o, err := r.occurrenceOf(When{StartsAt: &text})
			require.NoError(rt, err)
			_, err = r.openCandidates(r.resources, o)
			require.Equal(rt, listed[at.Unix()], err == nil, text)
		}
	})
}

func TestUnits_AreFreeLowestAndAsManyAsAskedFor(t *testing.T) {
	t.Parallel()
	base := time.Date(2027, 7, 1, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(rt *rapid.T) {
		res := Resource{ID: uuid.New(), Capacity: rapid.IntRange(1, 20).Draw(rt, "capacity")}
		now := base.Add(-time.Hour)
		past, later := now.Add(-1), now.Add(time.Minute)
		var occupied []store.Occupancy
		taken := make(map[int32]bool)
		for range rapid.IntRange(0, 15).Draw(rt, "bookings") {
			from := base.Add(time.Duration(rapid.IntRange(-3, 3).Draw(rt, "from")) * time.Hour)
			unit := int32(rapid.IntRange(1, 25).Draw(rt, "unit"))
			o := store.Occupancy{
				BookingID: uuid.New(), ResourceID: res.ID, BusyFrom: from, BusyUntil: from.Add(2 * time.Hour),
				Units: []store.UnitRange{{From: unit, Until: unit + int32(rapid.IntRange(1, 3).Draw(rt, "units"))}},
			}
			o.HoldExpiresAt = rapid.SampledFrom([]*time.Time{nil, &past, &later}).Draw(rt, "hold")
			occupied = append(occupied, o)
			overlaps := o.BusyFrom.Before(base.Add(time.Hour)) && base.Before(o.BusyUntil)
			for u := o.Units[0].From; overlaps && o.HoldExpiresAt != &past && u < o.Units[0].Until; u++ {
				taken[u] = true
			}
		}
		free, count := freeUnits(res, occupied, base, base.Add(time.Hour), now)
		want := 0
		for u := int32(1); int(u) <= res.Capacity; u++ {
			require.Equal(rt, !taken[u], free[u])
			if !taken[u] {
				want++
			}
		}
		require.Equal(rt, want, count)
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
