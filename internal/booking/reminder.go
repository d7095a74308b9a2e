package booking

import (
	"slices"
	"strings"
	"time"

	"holdfast/internal/event"
	"holdfast/internal/store"
)

// Reminder returns the kind of event that reminds a customer of a booking.
func (s *Service) Reminder() event.Kind { return s.messageKind(event.KindBookingReminder, s.notify) }

// BalanceDue returns the kind of event that reminds a customer of what is still to pay.
func (s *Service) BalanceDue() event.Kind { return s.messageKind(event.KindBalanceDue, s.notify) }

// planReminder returns the event of a reminder. The occurrence names the reminder and the booking's start, so that a booking that
// moves gets a new one.
func planReminder(kind string, b Booking, r event.Reminder) store.NewEvent {
	return event.New(kind, b.subject(), reminderOccurrence(b, r), r.Due(b.StartsAt, b.Date, b.Location), b.Location)
}

func reminderOccurrence(b Booking, r event.Reminder) string {
	return r.Key() + "/" + b.StartsAt.UTC().Format(time.RFC3339)
}

func hasNotMoved(e event.Event, d MessageData) string {
	if !strings.HasSuffix(e.Occurrence, "/"+d.StartsAt.UTC().Format(time.RFC3339)) {
		return "The booking has moved to another time."
	}
	return ""
}

func reminderIsWanted(e event.Event, d MessageData) string {
	if slices.ContainsFunc(d.Settings.Reminders, func(r event.Reminder) bool { return reminderOccurrence(d.Booking, r) == e.Occurrence }) {
		return ""
	}
	return "The settings no longer ask for this reminder."
}

func balanceReminderIsWanted(e event.Event, d MessageData) string {
	if r := d.Settings.BalanceDue; r != nil && reminderOccurrence(d.Booking, *r) == e.Occurrence {
		return ""
	}
	return "The settings no longer ask for this reminder."
}

func somethingIsDue(_ event.Event, d MessageData) string {
	if d.Due <= 0 {
		return "Nothing is due."
	}
	return ""
}
