package event_test

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"

	"holdfast/internal/event"
	"holdfast/internal/problem"
	"holdfast/internal/timezone"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := timezone.Load(name)
	require.NoError(t, err)
	return loc
}

func date(t testing.TB, text string) civil.Date {
	t.Helper()
	d, err := civil.ParseDate(text)
	require.NoError(t, err)
	return d
}

func localTime(t testing.TB, text string) event.LocalTime {
	t.Helper()
	at, err := event.ParseLocalTime(text)
	require.NoError(t, err)
	return at
}

func instant(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return at
}

func TestLocalTime_TextOfFourDigits_IsReadAndWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]event.LocalTime{"00:00": {}, "09:05": {Hour: 9, Minute: 5},
		"23:59": {Hour: 23, Minute: 59}} {
		var got struct{ At event.LocalTime }
		require.NoError(t, json.Unmarshal([]byte(`{"At":"`+text+`"}`), &got))
		require.Equal(t, want, got.At)
		written, err := json.Marshal(got)
		require.NoError(t, err)
		require.JSONEq(t, `{"At":"`+text+`"}`, string(written))
	}
}

func TestParseLocalTime_OtherTexts_AreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "24:00", "9:00", "09:60", "-1:00", "09:00:00", "9:000", "09.00", "09:00 ",
		" 9:00", "0900", "9 AM",
		"٠٩:٠٠"} {
		_, err := event.ParseLocalTime(text)
		require.Error(t, err, "%q", text)
	}
}

func TestAt_WhereClocksChange_IsTheFirstInstantAtOrAfterTheTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, date, at, want string }{
		{"Europe/Berlin", "2027-07-01", "09:00", "2027-07-01T09:00:00+02:00"},
		{"Europe/Berlin", "2027-03-28", "02:00", "2027-03-28T03:00:00+02:00"}, // skipped
		{"Europe/Berlin", "2027-03-28", "02:59", "2027-03-28T03:00:00+02:00"},
		{"Europe/Berlin", "2027-10-31", "02:30", "2027-10-31T02:30:00+02:00"}, // twice
		{"Europe/Berlin", "2200-03-30", "02:30", "2200-03-30T03:00:00+02:00"},
		{"Europe/Berlin", "2028-12-31", "09:00", "2028-12-31T09:00:00+01:00"},       // time.ZoneBounds is wrong then
		{"Australia/Lord_Howe", "2027-10-03", "02:15", "2027-10-03T02:30:00+11:00"}, // half an hour is skipped
		{"Australia/Lord_Howe", "2027-04-04", "01:45", "2027-04-04T01:45:00+11:00"}, // half an hour comes twice
		{"Antarctica/Troll", "2027-03-28", "02:10", "2027-03-28T03:00:00+02:00"},    // two hours are skipped
		{"Antarctica/Troll", "2027-10-31", "01:30", "2027-10-31T01:30:00+02:00"},    // two hours come twice
		{"Asia/Kathmandu", "2027-01-01", "09:00", "2027-01-01T09:00:00+05:45"},
		{"Asia/Kathmandu", "1986-01-01", "00:05", "1986-01-01T00:15:00+05:45"},    // 15 minutes are skipped
		{"America/Sao_Paulo", "2018-11-04", "00:00", "2018-11-04T01:00:00-02:00"}, // midnight is skipped
		{"America/Sao_Paulo", "2018-02-17", "23:30", "2018-02-17T23:30:00-02:00"}, // the last hour comes twice
		{"Asia/Beirut", "2027-03-28", "00:00", "2027-03-28T01:00:00+03:00"},       // midnight is skipped
		{"Africa/Cairo", "2027-04-30", "00:30", "2027-04-30T01:00:00+03:00"},      // midnight is skipped
		// at 00:01 clocks go back to the date before
		{"America/St_Johns", "2006-10-29", "00:00", "2006-10-29T00:00:00-02:30"},
		{"America/Nuuk", "2027-03-27", "23:30", "2027-03-28T00:00:00-01:00"},       // the date's last hour is skipped
		{"Pacific/Apia", "2011-12-30", "09:00", "2011-12-31T00:00:00+14:00"},       // the date is skipped
		{"Pacific/Kwajalein", "1993-08-21", "09:00", "1993-08-22T00:00:00+12:00"},  // the date is skipped
		{"Pacific/Kwajalein", "1969-09-30", "09:00", "1969-09-30T09:00:00+11:00"},  // the date comes twice
		{"Pacific/Kiritimati", "1994-12-31", "09:00", "1995-01-01T00:00:00+14:00"}, // the year's last date is skipped
		{"Africa/Monrovia", "1972-01-07", "00:20", "1972-01-07T00:44:30Z"},         // the skip ends within a minute
		{"Africa/Monrovia", "1972-01-06", "23:59", "1972-01-07T00:43:30Z"},         // the offset has seconds
	} {
		loc := zone(t, c.zone)
		got := event.At(date(t, c.date), localTime(t, c.at), loc)
		require.Equal(t, instant(t, c.want).In(loc), got, "%v", c)
	}
}

func TestNextAnnual_AfterAnInstant_IsTheFirstReturnAfterIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ of, after, on, want string }{
		{"1990-07-01", "2027-06-30T12:00:00Z", "2027-07-01", "2027-07-01T09:00:00+02:00"},
		{"1990-07-01", "2027-07-01T08:59:59+02:00", "2027-07-01", "2027-07-01T09:00:00+02:00"},
		{"1990-07-01", "2027-07-01T09:00:00+02:00", "2028-07-01", "2028-07-01T09:00:00+02:00"},
		// already 2027 in Berlin
		{"1990-01-01", "2026-12-31T23:30:00Z", "2027-01-01", "2027-01-01T09:00:00+01:00"},
		// time.ZoneBounds is wrong then
		{"1990-12-31", "2027-12-31T09:00:00+01:00", "2028-12-31", "2028-12-31T09:00:00+01:00"},
		// not on the date itself
		{"2027-07-01", "2027-06-01T00:00:00Z", "2028-07-01", "2028-07-01T09:00:00+02:00"},
		{"2027-07-01", "1999-01-01T00:00:00Z", "2028-07-01", "2028-07-01T09:00:00+02:00"},      // nor before it
		{"2024-02-29", "2024-02-29T00:00:00Z", "2025-02-28", "2025-02-28T09:00:00+01:00"},      // a common year
		{"2024-02-29", "2027-02-28T09:00:00+01:00", "2028-02-29", "2028-02-29T09:00:00+01:00"}, // a leap year
		{"2024-02-29", "2028-02-28T09:00:00+01:00", "2028-02-29", "2028-02-29T09:00:00+01:00"}, // not on the 28th too
		{"2024-02-29", "2099-12-31T00:00:00Z", "2100-02-28", "2100-02-28T09:00:00+01:00"},      // a common year
		{"1990-03-28", "2027-01-01T00:00:00Z", "2027-03-28", "2027-03-28T09:00:00+02:00"},      // the date of a change
	} {
		loc := zone(t, "Europe/Berlin")
		on, got := event.NextAnnual(date(t, c.of), event.LocalTime{Hour: 9}, loc, instant(t, c.after))
		require.Equal(t, date(t, c.on), on, "%v", c)
		require.Equal(t, instant(t, c.want).In(loc), got, "%v", c)
	}
}

func before(minutes int) event.Reminder { return event.Reminder{BeforeMinutes: minutes} }

func local(days int, at event.LocalTime) event.Reminder {
	return event.Reminder{DaysBefore: days, At: &at}
}

func TestReminder_OfABookingAfterAChangeOfClocks_IsDueByTheElapsedOrTheLocalTime(t *testing.T) {
	t.Parallel()
	berlin, booked := zone(t, "Europe/Berlin"), date(t, "2027-03-28")
	startsAt := instant(t, "2027-03-28T10:00:00+02:00")
	for want, r := range map[string]event.Reminder{
		"2027-03-28T08:30:00+02:00": before(90),
		"2027-03-27T09:00:00+01:00": before(24 * 60), // an hour less on clocks
		"2026-03-28T09:00:00+01:00": before(event.MaxBeforeMinutes),
		"2027-03-27T10:00:00+01:00": local(1, event.LocalTime{Hour: 10}),
		"2027-03-28T03:00:00+02:00": local(0, event.LocalTime{Hour: 2, Minute: 30}), // skipped
		"2027-03-28T18:00:00+02:00": local(0, event.LocalTime{Hour: 18}),            // after the start
		"2026-03-28T18:00:00+01:00": local(event.MaxDaysBefore, event.LocalTime{Hour: 18}),
	} {
		require.Equal(t, instant(t, want).In(berlin), r.Due(startsAt, booked, berlin), "%s", r.Key())
	}
}

func TestReminder_Key_IsStable(t *testing.T) {
	t.Parallel()
	require.Equal(t, "90m", before(90).Key())
	require.Equal(t, "1d@18:05", local(1, event.LocalTime{Hour: 18, Minute: 5}).Key())
	require.Equal(t, "0d@00:00", local(0, event.LocalTime{}).Key())
}

func TestReminder_FromJSON_IsWrittenAsItWasRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]event.Reminder{
		`{"before_minutes":90}`:          before(90),
		`{"days_before":1,"at":"18:00"}`: local(1, event.LocalTime{Hour: 18}),
		`{"at":"00:00"}`:                 local(0, event.LocalTime{}),
	} {
		var got event.Reminder
		require.NoError(t, json.Unmarshal([]byte(text), &got))
		require.Equal(t, want, got)
		written, err := json.Marshal(got)
		require.NoError(t, err)
		require.Equal(t, text, string(written))
	}
}

func TestReminderCheck_OutOfBoundsOrOfTwoSorts_IsRefused(t *testing.T) {
	t.Parallel()
	noon := event.LocalTime{Hour: 12}
	for _, c := range []struct {
		reminder    event.Reminder
		field, code string // "" if it is taken
	}{
		{before(1), "", ""},
		{before(event.MaxBeforeMinutes), "", ""},
		{local(0, noon), "", ""},
		{local(event.MaxDaysBefore, noon), "", ""},
		{before(0), "reminder.before_minutes", "too_small"},
		{before(-1), "reminder.before_minutes", "too_small"},
		{before(event.MaxBeforeMinutes + 1), "reminder.before_minutes", "too_large"},
		{local(-1, noon), "reminder.days_before", "too_small"},
		{local(event.MaxDaysBefore+1, noon), "reminder.days_before", "too_large"},
		{event.Reminder{DaysBefore: 1}, "reminder.at", "required"},
		{event.Reminder{BeforeMinutes: 60, At: &noon}, "reminder.before_minutes", "excluded"},
		{event.Reminder{BeforeMinutes: 60, DaysBefore: 1}, "reminder.before_minutes", "excluded"},
	} {
		err := c.reminder.Check("reminder")
		if c.code == "" {
			require.NoError(t, err, "%+v", c)
			continue
		}
		var refused *problem.Error
		require.ErrorAs(t, err, &refused, "%+v", c)
		require.Equal(t, c.field, refused.Fields[0].Name, "%+v", c)
		require.Equal(t, c.code, refused.Fields[0].Code, "%+v", c)
	}
}

// shows returns what clocks in loc show at an instant, as the instant at which clocks in UTC show it.
func shows(at time.Time, loc *time.Location) time.Time {
	_, offset := at.In(loc).Zone()
	return at.UTC().Add(time.Duration(offset) * time.Second)
}

// walkTo is the plain model of At. It walks minute by minute, and through the last minute second by second, to the
// first instant at which clocks in loc show a local time of a date or a later one.
func walkTo(d civil.Date, at event.LocalTime, loc *time.Location) time.Time {
	wanted := time.Date(d.Year, d.Month, d.Day, at.Hour, at.Minute, 0, 0, time.UTC)
	offset := -24 * time.Hour // the greatest of these days
	for hours := -36; hours <= 36; hours += 6 {
		near := wanted.Add(time.Duration(hours) * time.Hour)
		offset = max(offset, shows(near, loc).Sub(near))
	}
	now := wanted.Add(-offset - 10*time.Minute) // clocks are 10 minutes or more before the time
	for shows(now, loc).Before(wanted) {
		now = now.Add(time.Minute)
	}
	now = now.Add(-time.Minute)
	for shows(now, loc).Before(wanted) {
		now = now.Add(time.Second)
	}
	return now
}

// walkToReturn is the plain model of NextAnnual. It walks day by day.
func walkToReturn(of civil.Date, at event.LocalTime, loc *time.Location, after time.Time) (civil.Date, time.Time) {
	first := civil.DateOf(after.In(loc)).AddDays(-1)
	if !first.After(of) {
		first = of.AddDays(1)
	}
	const day = 24 * time.Hour
	for midnight := first.In(time.UTC); ; midnight = midnight.Add(day) {
		_, month, dayOfMonth := midnight.Date()
		returns := month == of.Month && dayOfMonth == of.Day
		if of.Month == time.February && of.Day == 29 {
			returns = month == time.February && midnight.Add(day).Month() == time.March
		}
		if !returns {
			continue
		}
		on := civil.DateOf(midnight)
		if instant := walkTo(on, at, loc); instant.After(after) {
			return on, instant
		}
	}
}

// subject has a yearly event. One return of it is from 1900 to 2200.
type subject struct {
	loc   *time.Location
	of    civil.Date
	on    civil.Date // the return
	at    event.LocalTime
	after time.Time
}

// randomSubject returns a subject. Most are due near a change of clocks, and some on the last day of February.
func randomSubject(random *rand.Rand, zones []*time.Location) subject {
	loc := zones[random.IntN(len(zones))]
	from, until := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
	near := time.Unix(from.Unix()+random.Int64N(until.Unix()-from.Unix()), 0)
	due := shows(near, loc)
	switch _, change := near.In(loc).ZoneBounds(); {
	case random.IntN(8) == 0:
		due = time.Date(due.Year(), 3, 0, due.Hour(), due.Minute(), 0, 0, time.UTC)
	case random.IntN(8) > 0 && !change.IsZero() && change.Before(until): // also times that clocks skip
		due = shows(change.Add(-time.Second), loc).Add(time.Duration(random.IntN(4*60)-2*60) * time.Minute)
	}
	s := subject{loc: loc, on: civil.DateOf(due), at: event.LocalTime{Hour: due.Hour(), Minute: due.Minute()}}
	s.of = civil.Date{Year: s.on.Year - 1 - random.IntN(80), Month: s.on.Month, Day: s.on.Day}
	if s.on.Month == time.February && s.on.Day >= 28 {
		s.of.Day = 29
		if !s.of.IsValid() {
			s.of.Day = 28
		}
	}
	s.after = time.Date(s.on.Year, s.on.Month, s.on.Day, s.at.Hour, s.at.Minute, 0, 0, loc)
	switch random.IntN(4) {
	case 0: // due at that instant, unless clocks skip the time
	case 1:
		s.after = s.after.Add(time.Duration(random.IntN(7)-3) * time.Nanosecond)
	case 2:
		s.after = s.after.Add(time.Duration(random.IntN(5*60)-2*60) * -time.Minute)
	default:
		s.after = s.after.AddDate(0, 0, -random.IntN(3*365))
	}
	return s
}

// TestOccurrences_Of100000Subjects_AreThoseOfAWalkThroughTheDays compares returns and reminders with the plain model.
func TestOccurrences_Of100000Subjects_AreThoseOfAWalkThroughTheDays(t *testing.T) {
	t.Parallel()
	names, err := timezone.Names()
	require.NoError(t, err)
	zones := make([]*time.Location, len(names))
	for i, name := range names {
		zones[i] = zone(t, name)
	}
	const parts = 10
	for part := range uint64(parts) {
		t.Run(strconv.FormatUint(part, 10), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(part, 0))
			skipped, twice := 0, 0
			for range 100_000 / parts {
				s := randomSubject(random, zones)
				wantOn, want := walkToReturn(s.of, s.at, s.loc, s.after)
				if on, got := event.NextAnnual(s.of, s.at, s.loc, s.after); on != wantOn || !got.Equal(want) {
					require.Fail(t, "another return", "%v: got %s %s, want %s %s", s, on, got, wantOn, want)
				}
				days := random.IntN(event.MaxDaysBefore + 1)
				want = walkTo(s.on, s.at, s.loc)
				if got := local(days, s.at).Due(s.after, s.on.AddDays(days), s.loc); !got.Equal(want) {
					require.Fail(t, "another reminder", "%v: got %s, want %s", s, got, want)
				}
				switch wanted := time.Date(s.on.Year, s.on.Month, s.on.Day, s.at.Hour, s.at.Minute, 0, 0, time.UTC); {
				case !shows(want, s.loc).Equal(wanted):
					skipped++
				case shows(want.Add(time.Hour), s.loc).Equal(wanted):
					twice++
				}
			}
			t.Logf("clocks skip the times of %d subjects, and show those of %d twice", skipped, twice)
			require.Greater(t, min(skipped, twice), 100)
		})
	}
}

func BenchmarkAt(b *testing.B) {
	berlin, d := zone(b, "Europe/Berlin"), date(b, "2027-07-01")
	for b.Loop() {
		event.At(d, event.LocalTime{Hour: 9}, berlin)
	}
}

func BenchmarkNextAnnual(b *testing.B) {
	berlin, of, after := zone(b, "Europe/Berlin"), date(b, "1990-07-01"), instant(b, "2027-10-01T00:00:00Z")
	for b.Loop() {
		event.NextAnnual(of, event.LocalTime{Hour: 9}, berlin, after)
	}
}
