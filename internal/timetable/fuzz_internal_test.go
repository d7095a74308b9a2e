package timetable

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/timezone"
)

// fuzzedZones are zones whose clocks change by an hour, by half an hour, at a date's first and last moment, and once by
// a whole day.
var fuzzedZones = []string{
	"UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Santiago", "Pacific/Apia", "Africa/Casablanca",
	"America/Nuuk",
}

func fuzzedZone(t *testing.T, i uint8) *time.Location {
	t.Helper()
	loc, err := timezone.Load(fuzzedZones[int(i)%len(fuzzedZones)])
	require.NoError(t, err)
	return loc
}

func FuzzParseStart(f *testing.F) {
	for i, text := range []string{
		"2027-07-01T10:00:00+02:00", "2027-03-28T02:30:00+01:00", "2027-10-31T02:30:00+02:00", "2027-07-01T10:00:00Z",
		"0000-01-01T00:00:00+23:59",
		"9999-12-31T23:59:59-23:59", "2027-07-01T10:00:00.123456789+02:00", "2027-07-01T10:00:00-00:00",
		"2027-07-01T24:00:00Z",
		"2011-12-30T12:00:00+14:00", "",
	} {
		f.Add(text, uint8(i))
	}
	f.Fuzz(func(t *testing.T, text string, zone uint8) {
		loc := fuzzedZone(t, zone)
		start, err := parseStart(text, loc)
		if err != nil {
			require.True(t, problem.Is(err, problem.ValidationFailed), err)
			return
		}
		require.Equal(t, loc, start.Location())
		said, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		require.True(t, said.Equal(start), "the moment is the one that was said")
		if start.Year() < 1 || start.Year() > 9999 || start.Format("Z07:00") == "Z" {
			return // can't be written as it was read
		}
		if _, offset := start.Zone(); offset%60 != 0 {
			return // local mean time, which RFC 3339 can't write
		}
		again, err := parseStart(start.Format(time.RFC3339Nano), loc)
		require.NoError(t, err, "a time that exists is never taken for one that clocks skip")
		require.True(t, again.Equal(start))
	})
}
