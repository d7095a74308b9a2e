package event

import (
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/problem"
	"holdfast/internal/timezone"
)

// LocalTime is a time of day in a time zone that is known from elsewhere. Hour is from 0 to 23, Minute from 0 to 59. As
// text and in JSON it is HH:MM.
type LocalTime struct{ Hour, Minute int }

var errLocalTime = errors.New("expected a time from 00:00 to 23:59")

// ParseLocalTime reads HH:MM, from 00:00 to 23:59. It refuses every other text, also 9:00 and 24:00.
func ParseLocalTime(text string) (LocalTime, error) {
	t, err := time.Parse("15:04", text)
	if err != nil || len(text) != len("15:04") { // time.Parse takes hours of one digit
		return LocalTime{}, errLocalTime
	}
	return LocalTime{t.Hour(), t.Minute()}, nil
}

// String returns HH:MM.
func (t LocalTime) String() string { return fmt.Sprintf("%02d:%02d", t.Hour, t.Minute) }

// MarshalText returns HH:MM.
func (t LocalTime) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads HH:MM as ParseLocalTime does.
func (t *LocalTime) UnmarshalText(text []byte) (err error) {
	*t, err = ParseLocalTime(string(text))
	return err
}

// At returns the one instant, in loc, at which something is due that is set for a local time on a date:
//   - the first of two, where clocks are put back and show the time twice
//   - the first instant after the skip, where clocks are put forward over the time or over the whole date
//
// So nothing is due twice, nothing is left out, and nothing is due before clocks have reached its time.
func At(date civil.Date, at LocalTime, loc *time.Location) time.Time {
	day := timezone.DayOf(date.Year, date.Month, date.Day, loc)
	return time.Unix(day.First(at.Hour*60+at.Minute), 0).In(loc)
}

// NextAnnual returns the first yearly return of a date whose instant, by At, is after the given one: its date, and its
// instant in loc. The first return is one year after the date itself. In common years, 29 February returns on 28
// February.
func NextAnnual(of civil.Date, at LocalTime, loc *time.Location, after time.Time) (on civil.Date, instant time.Time) {
	for year := max(of.Year+1, after.In(loc).Year()); ; year++ {
		on = civil.Date{Year: year, Month: of.Month, Day: of.Day}
		if !on.IsValid() {
			on.Day = 28
		}
		if instant = At(on, at, loc); instant.After(after) {
			return on, instant
		}
	}
}

// The bounds of a Reminder: a year before the booking.
const (
	MaxBeforeMinutes = MaxDaysBefore * 24 * 60
	MaxDaysBefore    = 365
)

// Reminder says how long before a booking something is due: BeforeMinutes before it starts or, if At is set, at that
// local time DaysBefore its date. 0 days before is the booking's date.
type Reminder struct {
	BeforeMinutes int        `json:"before_minutes,omitempty"`
	DaysBefore    int        `json:"days_before,omitempty"`
	At            *LocalTime `json:"at,omitempty"`
}

// Check returns problem.ValidationFailed if the reminder is none or both of the two sorts, or out of bounds:
// BeforeMinutes is from 1 to MaxBeforeMinutes, DaysBefore from 0 to MaxDaysBefore. field is the name of the reminder's
// own field.
func (r Reminder) Check(field string) error {
	switch {
	case r.BeforeMinutes != 0 && (r.DaysBefore != 0 || r.At != nil):
		return problem.Invalid(field+".before_minutes", "excluded", "Give before_minutes, or days_before and at.")
	case r.At == nil && r.DaysBefore != 0:
		return problem.Invalid(field+".at", "required", "Give the time of day with days_before.")
	case r.At == nil:
		return problem.CheckRange(field+".before_minutes", r.BeforeMinutes, 1, MaxBeforeMinutes)
	default:
		return problem.CheckRange(field+".days_before", r.DaysBefore, 0, MaxDaysBefore)
	}
}

// Due returns when the reminder of a booking is due, in loc. date is the booking's date in loc. The result can be at
// startsAt or after it, if At is on the booking's own date or clocks skip the date that was meant: then there is
// nothing to remind of.
func (r Reminder) Due(startsAt time.Time, date civil.Date, loc *time.Location) time.Time {
	if r.At == nil {
		return startsAt.Add(-time.Duration(r.BeforeMinutes) * time.Minute).In(loc)
	}
	return At(date.AddDays(-r.DaysBefore), *r.At, loc)
}

// Key returns a text such as 90m or 1d@18:00, which no other valid reminder has. It never changes: the idempotency keys
// of planned events are made of it.
func (r Reminder) Key() string {
	if r.At == nil {
		return fmt.Sprintf("%dm", r.BeforeMinutes)
	}
	return fmt.Sprintf("%dd@%s", r.DaysBefore, r.At)
}
