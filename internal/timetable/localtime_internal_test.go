package timetable

import (
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
	"holdfast/internal/timezone"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := timezone.Load(name)
	require.NoError(t, err)
	return loc
}

// zones have changes of an hour, of half an hour, at a date's first and last moment, of the date line, and none.
func zones() []string {
	return []string{
		"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Africa/Cairo", "Asia/Beirut",
		"Pacific/Apia", "Asia/Kathmandu", "UTC", "Africa/Casablanca", "America/Sao_Paulo",
		"America/Nuuk", "America/Scoresbysund",
	}
}

func TestStartOfDay_IsTheFirstMomentOfTheDate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		loc, err := timezone.Load(rapid.SampledFrom(zones()).Draw(r, "zone"))
		require.NoError(r, err)
		d := civil.Date{Year: rapid.IntRange(2012, 2030).Draw(r, "year"), Month: 1,
			Day: 1}.AddDays(rapid.IntRange(0, 365).Draw(r, "day"))
		start := datetime.StartOfDay(d, loc)
		require.Equal(r, d, datetime.DateOf(start, loc))
		require.Equal(r, d.AddDays(-1), datetime.DateOf(start.Add(-1), loc))
	})
}

func TestParseStart_TimesThatDoNotExistAreRefused_MomentsAreNot(t *testing.T) {
	t.Parallel()
	berlin := zone(t, "Europe/Berlin")
	for _, step := range []struct {
		text string
		code string // of the refused field, "" if it is taken
	}{
		{"2027-03-28T02:30:00+01:00", "nonexistent_time"},
		{"2027-03-28T02:30:00+02:00", "nonexistent_time"},
		{"2027-03-28T01:30:00Z", ""},
		{"2027-03-28T02:30:00Z", ""},
		{"2027-03-28T02:30:00-04:00", ""}, // in New York it exists
		{"2027-10-31T02:30:00+02:00", ""},
		{"2027-10-31T02:30:00+01:00", ""},
		{"2027-07-01T10:00:00", "invalid_format"},
		{"2027-02-30T10:00:00Z", "invalid_format"},
		{"300000-01-01T00:00:00Z", "invalid_format"},
		{"infinity", "invalid_format"},
		{"2027-07-01T20:00:00+24:00", "invalid_format"},
		{"2027-07-01T09:00:00-24:00", "invalid_format"},
		{"2027-07-01T09:00:00+02:60", "invalid_format"},
		{"2027-07-01T2:00:00+02:00", "invalid_format"},
		{"2027-07-01T09:00:00,5+02:00", "invalid_format"},
		{"", "invalid_format"},
	} {
		_, err := parseStart(step.text, berlin)
		if step.code == "" {
			require.NoError(t, err, step.text)
			continue
		}
		var refused *problem.Error
		require.ErrorAs(t, err, &refused, step.text)
		require.Equal(t, step.code, refused.Fields[0].Code, step.text)
	}
}

func TestParseStart_InUTC_IsAMomentHoweverItsOffsetIsSpelled(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"2027-03-28T01:30:00Z", "2027-03-28T01:30:00+00:00", "2027-03-28T01:30:00-00:00"} {
		start, err := parseStart(text, zone(t, "Europe/London"))
		require.NoError(t, err, text)
		require.Equal(t, "2027-03-28T02:30:00+01:00", start.Format(time.RFC3339), text)
	}
}
