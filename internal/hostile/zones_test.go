package hostile_test

import (
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
	"holdfast/internal/timezone"
)

// oddZones have clock changes at midnight, of half an hour, of a whole day, by surprise, or offsets of a quarter of an
// hour.
var oddZones = []string{
	"Africa/Cairo", "Africa/Casablanca", "Africa/El_Aaiun", "America/Asuncion", "America/Havana", "America/Nuuk",
	"America/Santiago",
	"America/Scoresbysund", "America/St_Johns", "Antarctica/Troll", "Asia/Beirut", "Asia/Gaza", "Asia/Hebron",
	"Asia/Jerusalem",
	"Asia/Kathmandu", "Atlantic/Azores", "Australia/Lord_Howe", "Europe/Berlin", "Pacific/Apia", "Pacific/Chatham",
	"Pacific/Easter",
	"Pacific/Kiritimati",
}

// zone draws a time zone.
func (s *sequence) zone() string {
	if s.oneIn(2) {
		return pick(s.draw, oddZones)
	}
	names, err := timezone.Names()
	require.NoError(s, err)
	return pick(s.draw, names)
}

// today returns the midnight (UTC) before now, so that a sequence draws the same dates all day.
func today() time.Time { return testtime.Now().UTC().Truncate(24 * time.Hour) }

// someDate draws a date to try bookings around: soon, or one on which the zone's clocks change.
func (d draw) someDate(loc *time.Location) civil.Date {
	at := today().AddDate(0, 0, d.between(2, 900))
	if _, change := at.In(loc).ZoneBounds(); !change.IsZero() && d.oneIn(2) {
		return civil.DateOf(change.Add(-time.Second).In(loc)) // the last date before it, or the date of it
	}
	return civil.DateOf(at.In(loc)).AddDays(-d.between(0, 1))
}
