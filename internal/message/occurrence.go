package message

import (
	"fmt"
	"strconv"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/settings"
)

// A message is derived: what is stored of a booking or a customer, and the settings, say which messages there are and
// when they are due. A message is known by its subject, its kind and its occurrence. The occurrence of a message about
// a booking names the time that it depends on, so that a booking that moves gets other messages. The occurrence of a
// greeting is its year, so that nobody is greeted twice in a year, whatever changes.

// window is a part of time: what is due after its first instant, and not after its last one.
type window struct{ after, until time.Time }

func (w window) contains(due time.Time) bool { return due.After(w.after) && !due.After(w.until) }

// messagesOf returns the messages about a booking that are due in a window. There are none for a booking without a
// customer, or whose customer was erased. s are the settings for the booking's service. It may return a message that
// turns out not to make sense when it is due.
func messagesOf(b booking.Booking, s settings.Settings, w window) (due []db.NewEvent, err error) {
	if !b.HasCustomer() || b.Customer.IsErased() || !takesPlace(b) {
		return nil, nil
	}
	if b.Status == booking.Confirmed {
		for _, r := range s.Reminders {
			due = appendReminder(due, event.KindBookingReminder, b, r, w)
		}
		if s.BalanceDue != nil && b.Price > 0 { // what is paid may be refunded before the reminder is due
			due = appendReminder(due, event.KindBalanceDue, b, *s.BalanceDue, w)
		}
	}
	if at := followUpDue(b, s); s.FollowUpMinutes > 0 && w.contains(at) {
		due = append(due, event.New(event.KindBookingFollowUp, b.Subject(), followUpOccurrence(b, s), at, b.Location))
	}
	if !s.Greetings.Anniversary {
		return due, nil
	}
	anniversaries, err := anniversariesOf(b, w)
	return append(due, anniversaries...), err
}

// appendReminder appends a reminder if it is due in a window. One at a local time of the booking's own date may fall on
// its start or after it: there is nothing to remind of then.
func appendReminder(due []db.NewEvent, kind string, b booking.Booking, r event.Reminder, w window) []db.NewEvent {
	at := r.Due(b.StartsAt, b.Date, b.Location)
	if !w.contains(at) || !at.Before(b.StartsAt) {
		return due
	}
	return append(due, event.New(kind, b.Subject(), reminderOccurrence(b, r), at, b.Location))
}

func reminderOccurrence(b booking.Booking, r event.Reminder) string {
	return r.Key() + "/" + b.StartsAt.UTC().Format(time.RFC3339)
}

func followUpDue(b booking.Booking, s settings.Settings) time.Time {
	return b.EndsAt.Add(time.Duration(s.FollowUpMinutes) * time.Minute)
}

func followUpOccurrence(b booking.Booking, s settings.Settings) string {
	return fmt.Sprintf("%dm/%s", s.FollowUpMinutes, b.EndsAt.UTC().Format(time.RFC3339))
}

// anniversariesOf returns the yearly returns of a booking's date that are greeted in a window.
func anniversariesOf(b booking.Booking, w window) ([]db.NewEvent, error) {
	loc, err := b.Known.Location(b.Location)
	if err != nil {
		return nil, err
	}
	return greetings(event.KindAnniversary, b.Subject(), b.Date, loc, w), nil
}

// birthdaysOf returns the birthdays of a customer that are greeted in a window. loc is the customer's time zone.
func birthdaysOf(c customer.Customer, loc *time.Location, w window) []db.NewEvent {
	if c.Birthday == nil {
		return nil
	}
	return greetings(event.KindBirthday, event.Subject{Type: event.SubjectCustomer, ID: c.ID}, *c.Birthday, loc, w)
}

// greetings returns the greetings of a date that are due in a window. One of the date on which the window begins is due
// at once if its time has passed: it may have become known on that day.
func greetings(kind string, subject event.Subject, of civil.Date, loc *time.Location, w window) (due []db.NewEvent) {
	midnight := event.At(dateOf(w.after, loc), event.LocalTime{}, loc)
	for after := midnight.Add(-time.Second); ; {
		on, at := event.NextAnnual(of, settings.GreetingTime, loc, after)
		if at.After(w.until) {
			return due
		}
		after = at
		if at.Before(w.after) {
			at = w.after // workers look for what was due long ago only now and then
		}
		due = append(due, event.New(kind, subject, strconv.Itoa(on.Year), at, loc))
	}
}

// greetingOf returns when the greeting of an occurrence is due: its date, and its instant in loc.
func greetingOf(occurrence string, of civil.Date, loc *time.Location) (civil.Date, time.Time, error) {
	year, err := strconv.Atoi(occurrence)
	if err != nil {
		return civil.Date{}, time.Time{}, err
	}
	lastYear := event.At(civil.Date{Year: year - 1, Month: 12, Day: 31}, event.LocalTime{Hour: 23, Minute: 59}, loc)
	on, due := event.NextAnnual(of, settings.GreetingTime, loc, lastYear)
	return on, due, nil
}

func dateOf(at time.Time, loc *time.Location) civil.Date { return civil.DateOf(at.In(loc)) }
