// Package testtime is the one place where tests read the clock and choose dates. A lint rule forbids time.Now and
// time.Sleep in every other test, so that no test depends on the day, on midnight, or on how fast the machine is.
package testtime

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cloud.google.com/go/civil"
)

// leadDays is how far ahead the first date is at least: beyond every lead time and every hold of the tests.
const leadDays = 30

// first is computed once, so that all tests of a process agree, also when it runs over midnight.
var first = sync.OnceValue(func() civil.Date { return firstAfter(civil.DateOf(Now().UTC()).AddDays(leadDays)) })

// Date returns the date that lies days after the first one. Date(0) is a Monday, at least 30 days ahead and at most
// 226. In the 110 days that begin with it no clock is put forward or back in Europe and North America, so that each of
// them has 24 hours, each once.
func Date(days int) civil.Date { return first().AddDays(days) }

// Parse returns a fixed date, for rules that depend on no clock.
func Parse(t testing.TB, text string) civil.Date {
	t.Helper()
	d, err := civil.ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// tomorrow is computed once, for the same reason.
var tomorrow = sync.OnceValue(func() civil.Date { return civil.DateOf(Now().UTC()).AddDays(1) })

// Tomorrow returns the date that follows, in UTC, the one on which the tests of the process began. It is for messages:
// those about its noon are so near that they are planned at once, and due only hours later.
func Tomorrow() civil.Date { return tomorrow() }

// At returns the moment at which clocks in loc show hour:minute on Date(days).
func At(days, hour, minute int, loc *time.Location) time.Time {
	d := Date(days)
	return time.Date(d.Year, d.Month, d.Day, hour, minute, 0, 0, loc)
}

// Now returns the machine's time. It is for what the server or the database compares with its own clock, such as when
// an event is due. A test takes it once; it must pass however much later its next line runs.
func Now() time.Time { return time.Now() }

// Advance moves the clock of a synctest bubble forward by d, and returns when every other goroutine of the bubble
// waits. It panics outside of one.
func Advance(d time.Duration) {
	synctest.Wait()
	time.Sleep(d)
	synctest.Wait()
}

// firstAfter returns the first Monday in May or the second in November that isn't before earliest. Clocks change in
// March and April, in October and until the first Sunday of November.
func firstAfter(earliest civil.Date) civil.Date {
	for year := earliest.Year; ; year++ {
		for _, from := range []civil.Date{{Year: year, Month: time.May, Day: 1},
			{Year: year, Month: time.November, Day: 8}} {
			for from.Weekday() != time.Monday {
				from = from.AddDays(1)
			}
			if !from.Before(earliest) {
				return from
			}
		}
	}
}
