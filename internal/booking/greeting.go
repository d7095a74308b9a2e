package booking

import (
	"strconv"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/event"
	"holdfast/internal/settings"
	"holdfast/internal/store"
	"holdfast/internal/timezone"
)

// A greeting is due once a year. Its occurrence is the year, and its row is kept for longer than a year, so that nobody is greeted twice
// in a year, whatever changes.

// location returns the customer's time zone, that of the tenant if none is known.
func (c Customer) location(tenant *time.Location) (*time.Location, error) {
	if c.TimeZone == nil {
		return tenant, nil
	}
	return timezone.Load(*c.TimeZone)
}

// nextGreeting returns the event of the first yearly return of a date after a time.
func nextGreeting(kind string, subject event.Subject, of civil.Date, loc *time.Location, after time.Time) store.NewEvent {
	on, due := event.NextAnnual(of, settings.GreetingTime, loc, after)
	return event.New(kind, subject, strconv.Itoa(on.Year), due, loc)
}

// yearsAhead is how many years' greetings are looked at for one that wasn't cancelled on request.
const yearsAhead = 5

// nextGreetings is nextGreeting for yearsAhead years.
func nextGreetings(kind string, subject event.Subject, of civil.Date, loc *time.Location, after time.Time) (next []store.NewEvent) {
	for range yearsAhead {
		e := nextGreeting(kind, subject, of, loc, after)
		next, after = append(next, e), e.DueAt
	}
	return next
}

// greetingOf returns when the greeting of an occurrence is due: its date, and its instant in loc.
func greetingOf(occurrence string, of civil.Date, loc *time.Location) (civil.Date, time.Time, error) {
	year, err := strconv.Atoi(occurrence)
	if err != nil {
		return civil.Date{}, time.Time{}, err
	}
	on, due := event.NextAnnual(of, settings.GreetingTime, loc, event.At(civil.Date{Year: year - 1, Month: 12, Day: 31}, event.LocalTime{Hour: 23, Minute: 59}, loc))
	return on, due, nil
}

// dateIsPast is why a greeting isn't sent.
const dateIsPast = "The date has passed."

// greet handles the greeting of a date, and plans the next one. A greeting isn't sent after its date. It waits if it is due later than it
// was planned, because the date or the customer's time zone has changed.
func greet(e event.Event, of civil.Date, loc *time.Location, tell func() (event.Result, error)) (event.Result, error) {
	on, due, err := greetingOf(e.Occurrence, of, loc)
	if err != nil {
		return event.Result{}, &event.AttemptError{Reason: "The occurrence is not a year.", Permanent: true, Err: err}
	}
	if e.ClaimedAt.Before(due) {
		return event.Again(due), nil
	}
	result := event.Obsolete(dateIsPast)
	if dateOf(e.ClaimedAt, loc) == on {
		if result, err = tell(); err != nil {
			return result, err
		}
	}
	return result.Plan(nextGreeting(e.Kind, e.Subject, of, loc, e.ClaimedAt)), nil
}
