package timezone_test

import (
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/timezone"
)

const minutesPerDay = 24 * 60

// dayZones have changes of an hour, of half an hour, at a date's first and last moment, of the date line, and none.
var dayZones = []string{
	"UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Santiago", "Pacific/Apia", "Africa/Casablanca",
	"America/Nuuk",
	"America/New_York", "Africa/Cairo", "Asia/Beirut", "Asia/Kathmandu", "America/Sao_Paulo", "America/Scoresbysund",
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := timezone.Load(name)
	require.NoError(t, err)
	return loc
}

func dayOf(d civil.Date, loc *time.Location) timezone.Day {
	return timezone.DayOf(d.Year, d.Month, d.Day, loc)
}

// moments returns the moments at which clocks in loc show a minute of a date.
func moments(d civil.Date, minute int, loc *time.Location) (found []time.Time) {
	day := dayOf(d, loc)
	for _, at := range day.Moments(nil, minute) {
		found = append(found, time.Unix(at, 0).In(loc))
	}
	return found
}

// TestMoments_AreAllMomentsThatShowTheTime compares with a search through every minute of three days.
func TestMoments_AreAllMomentsThatShowTheTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		loc, err := timezone.Load(rapid.SampledFrom(dayZones).Draw(r, "zone"))
		require.NoError(r, err)
		d := civil.Date{Year: rapid.IntRange(2005, 2030).Draw(r, "year"), Month: 1,
			Day: 1}.AddDays(rapid.IntRange(0, 365).Draw(r, "day"))
		minute := rapid.IntRange(0, minutesPerDay-1).Draw(r, "minute")
		var want []time.Time
		start := time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC).Add(-26 * time.Hour)
		for at := start; at.Before(start.Add(76 * time.Hour)); at = at.Add(time.Minute) {
			local := at.In(loc)
			if civil.DateOf(local) == d && local.Hour()*60+local.Minute() == minute {
				want = append(want, local)
			}
		}
		got := moments(d, minute, loc)
		require.Len(r, got, len(want))
		for i := range want {
			require.True(r, want[i].Equal(got[i]), "%s %s", want[i], got[i])
		}
	})
}

func TestDay_AtChangesOfTheClock(t *testing.T) {
	t.Parallel()
	berlin := zone(t, "Europe/Berlin")
	spring, autumn := civil.Date{Year: 2027, Month: 3, Day: 28}, civil.Date{Year: 2027, Month: 10, Day: 31}
	require.Empty(t, moments(spring, 2*60+30, berlin), "a time that clocks skip")
	twice := moments(autumn, 2*60+30, berlin)
	require.Len(t, twice, 2, "a time that comes twice")
	require.Equal(t, "2027-10-31T02:30:00+02:00", twice[0].Format(time.RFC3339))
	require.Equal(t, "2027-10-31T02:30:00+01:00", twice[1].Format(time.RFC3339))
	springDay := dayOf(spring, berlin)
	first := time.Unix(springDay.First(2*60+30), 0).In(berlin)
	require.Equal(t, "2027-03-28T03:00:00+02:00", first.Format(time.RFC3339))
	santiago := zone(t, "America/Santiago")
	day := dayOf(civil.Date{Year: 2027, Month: 9, Day: 5}, santiago)
	require.Equal(t, "2027-09-05T01:00:00-03:00", time.Unix(day.Start(), 0).In(santiago).Format(time.RFC3339),
		"a date whose midnight is skipped")
}

func TestOffset_IsThatOfTheMoment_AndOfNoOtherDate(t *testing.T) {
	t.Parallel()
	berlin := zone(t, "Europe/Berlin")
	for _, d := range []civil.Date{
		{Year: 2027, Month: 1, Day: 15}, {Year: 2027, Month: 3, Day: 28},
		{Year: 2027, Month: 7, Day: 15}, {Year: 2027, Month: 10, Day: 31},
	} {
		day, next := dayOf(d, berlin), dayOf(d.AddDays(1), berlin)
		at := day.Start()
		_, ok := day.Offset(at - 1)
		require.False(t, ok, "%s: a moment of the date before", d)
		for ; at < next.Start(); at += 1800 {
			for _, second := range []int64{at, at + 1799} {
				_, want := time.Unix(second, 0).In(berlin).Zone()
				got, ok := day.Offset(second)
				require.True(t, ok, "%s", time.Unix(second, 0).In(berlin))
				require.EqualValues(t, want, got, "%s", time.Unix(second, 0).In(berlin))
			}
		}
		_, ok = day.Offset(next.Start())
		require.False(t, ok, "%s: the first moment of the next date", d)
	}
}

func FuzzDay(f *testing.F) {
	f.Add(2027, uint8(3), uint8(28), 150, uint8(1))
	f.Add(2027, uint8(10), uint8(31), 150, uint8(1))
	f.Add(2011, uint8(12), uint8(30), 0, uint8(4))
	f.Add(2026, uint8(9), uint8(6), 0, uint8(3))
	f.Add(9000, uint8(12), uint8(31), 1439, uint8(0))
	f.Add(2027, uint8(3), uint8(27), 23*60, uint8(6))
	f.Fuzz(func(t *testing.T, year int, month, dayOfMonth uint8, minute int, name uint8) {
		d := civil.Date{Year: year, Month: time.Month(month), Day: int(dayOfMonth)}
		if !d.IsValid() || year < 1900 || year > 9000 || minute < 0 || minute >= minutesPerDay {
			return
		}
		loc := zone(t, dayZones[int(name)%len(dayZones)])
		found := moments(d, minute, loc)
		require.LessOrEqual(t, len(found), 2)
		for i, at := range found {
			require.Equal(t, d, civil.DateOf(at))
			require.Equal(t, minute, at.Hour()*60+at.Minute())
			require.True(t, i == 0 || found[i-1].Before(at))
		}
		day, next := dayOf(d, loc), dayOf(d.AddDays(1), loc)
		first, last := time.Unix(day.First(minute), 0), time.Unix(day.Last(minute), 0)
		require.False(t, last.Before(first))
		if len(found) == 0 {
			_, before := first.Add(-1).In(loc).Zone()
			_, after := first.In(loc).Zone()
			require.Greater(t, after, before, "clocks skip a time only where they are put forward")
		}
		require.LessOrEqual(t, day.Start(), next.Start())
	})
}
