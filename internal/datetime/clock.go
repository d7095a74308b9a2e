package datetime

import (
	"fmt"
	"time"
)

// Clock returns the time of day that clocks show at t, in its location: "10:00". A time of day that happens twice on
// its date is written with its offset: "02:30 (UTC+2)".
func Clock(t time.Time) string {
	shown := t.Format("15:04")
	if !happensTwice(t) {
		return shown
	}
	_, offset := t.Zone()
	sign := '+'
	if offset < 0 {
		sign, offset = '-', -offset
	}
	hours, minutes := offset/3600, offset%3600/60
	if minutes == 0 {
		return fmt.Sprintf("%s (UTC%c%d)", shown, sign, hours)
	}
	return fmt.Sprintf("%s (UTC%c%d:%02d)", shown, sign, hours, minutes)
}

// happensTwice reports whether clocks show the same date and time at another moment too, because they are set back
// around t.
func happensTwice(t time.Time) bool {
	_, offset := t.Zone()
	begin, end := t.ZoneBounds()
	if !begin.IsZero() {
		_, before := begin.Add(-1).Zone()
		if setBack := time.Duration(before-offset) * time.Second; t.Before(begin.Add(setBack)) {
			return true
		}
	}
	if end.IsZero() {
		return false
	}
	_, after := end.Zone()
	setBack := time.Duration(offset-after) * time.Second
	return setBack > 0 && !t.Before(end.Add(-setBack))
}
