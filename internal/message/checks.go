package message

import (
	"slices"
	"strings"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/email"
	"holdfast/internal/event"
)

// Reasons for which a message isn't sent, in words that the tenant reads.
const (
	customerErased  = "The customer was erased."
	changeDeleted   = "What the email tells of is no longer stored."
	tenantSuspended = "The tenant is suspended."
	unsubscribed    = "The customer has unsubscribed."
	unknownBirthday = "The customer's birthday isn't known any more."
	dateIsPast      = "The date has passed."
	alreadyGreeted  = "The customer was merged with another one, who has this greeting."
)

// maxFollowUpDelay is how late a follow-up still makes sense.
const maxFollowUpDelay = 7 * 24 * time.Hour

// bookingChecks are the checks of messages and of emails about bookings, by kind. Nothing writes to it.
var bookingChecks = map[string][]event.Check[bookingData]{
	event.KindBookingReminder: {isConfirmed, hasNotMoved, reminderIsWanted, hasNotBegun},
	event.KindBalanceDue:      {isConfirmed, hasNotMoved, balanceReminderIsWanted, hasNotBegun, somethingIsDue},
	event.KindBookingFollowUp: {tookPlace, followUpIsWanted, isSubscribed, followUpIsInTime},
	event.KindAnniversary:     {tookPlace, anniversaryIsWanted, isSubscribed},

	string(email.BookingHeld):        {stillHeldAt},
	string(email.BookingConfirmed):   {isConfirmed, hasNotEnded},
	string(email.BookingRescheduled): {isConfirmed, hasNotEnded},
	string(email.BookingCancelled):   {isCancelled, hasNotEnded},
	string(email.BookingWithdrawn):   {hasNotEnded},
	string(email.PaymentSucceeded):   {paymentEmailIsWanted},
	string(email.PaymentDeclined):    {paymentEmailIsWanted, canStillPay},
	string(email.PaymentRefunded):    {paymentEmailIsWanted},
}

// cancelReason returns why an email about the booking doesn't make sense at now, or nothing if it does. about is the
// occurrence that the email is about.
func (d bookingData) cancelReason(kind email.Kind, about string, now time.Time) (reason string) {
	if _, known := bookingChecks[string(kind)]; !known {
		return "There is no such email about a booking."
	}
	if d.suspended {
		return tenantSuspended
	}
	if !d.HasCustomer() {
		return "The booking has no customer."
	}
	e := event.Event{Kind: string(kind), Occurrence: about, LeasedAt: now}
	if kind != email.BookingWithdrawn { // that one goes to a former contact
		reason = isNotErased(e, d)
	}
	if reason == "" {
		reason = d.reasonAgainst(string(kind), about, now)
	}
	if reason == "" && kind == email.BookingAnniversary {
		reason = anniversaryIsToday(e, d)
	}
	return reason
}

// reasonAgainst returns why a message, or an email, about the booking doesn't make sense at a time, or nothing if it
// does.
func (d bookingData) reasonAgainst(kind, occurrence string, at time.Time) (reason string) {
	for _, check := range bookingChecks[kind] {
		if reason := check(event.Event{Kind: kind, Occurrence: occurrence, LeasedAt: at}, d); reason != "" {
			return reason
		}
	}
	return ""
}

// cancelReason returns why an email about the customer doesn't make sense at now, or nothing if it does. e is the
// email's event.
func (d customerData) cancelReason(e event.Event, kind email.Kind, about string) (reason string) {
	if kind != email.CustomerBirthday {
		return "There is no such email about a customer."
	}
	if d.suspended {
		return tenantSuspended
	}
	for _, check := range birthdayChecks {
		if reason := check(e, d); reason != "" {
			return reason
		}
	}
	if on, _, err := greetingOf(about, *d.Birthday, d.location); err != nil || dateOf(e.LeasedAt, d.location) != on {
		return dateIsPast
	}
	return ""
}

// birthdayChecks are the checks of birthdays and of emails about them. Nothing writes to it.
var birthdayChecks = []event.Check[customerData]{
	func(_ event.Event, d customerData) string {
		if !d.settings.Greetings.Birthday {
			return "The settings no longer ask for greetings on birthdays."
		}
		return ""
	},
	func(_ event.Event, d customerData) string {
		switch {
		case d.MergedInto != nil:
			return "The customer was merged into another one."
		case d.ErasedAt != nil:
			return customerErased
		case d.Birthday == nil:
			return unknownBirthday
		case d.UnsubscribedAt != nil:
			return unsubscribed
		}
		return ""
	},
	// Of several customers who are one by now, one has the greeting of a year: the one who stays or else the one with
	// the least id.
	func(e event.Event, d customerData) string {
		if len(d.greeted) == 0 || e.Subject.ID == d.ID && slices.Contains(d.greeted, d.ID) {
			return ""
		}
		if slices.Contains(d.greeted, d.ID) || d.greeted[0] != e.Subject.ID {
			return alreadyGreeted
		}
		return ""
	},
}

func isNotErased(_ event.Event, d bookingData) string {
	if d.Customer.IsErased() {
		return customerErased
	}
	return ""
}

func isConfirmed(_ event.Event, d bookingData) string {
	if d.Status != booking.Confirmed {
		return "The booking is " + string(d.Status) + "."
	}
	return ""
}

func isCancelled(_ event.Event, d bookingData) string {
	if d.Status != booking.Cancelled {
		return "The booking is " + string(d.Status) + "."
	}
	return ""
}

// takesPlace reports whether a booking took place or, as far as anyone said, will.
func takesPlace(b booking.Booking) bool {
	return b.Status == booking.Confirmed || b.Status == booking.Completed
}

func tookPlace(_ event.Event, d bookingData) string {
	if !takesPlace(d.Booking) {
		return "The booking is " + string(d.Status) + "."
	}
	return ""
}

func stillHeldAt(e event.Event, d bookingData) string {
	if d.Status != booking.Held || d.State().Lapsed(e.LeasedAt) {
		return "The booking is no longer held."
	}
	return ""
}

func hasNotBegun(e event.Event, d bookingData) string {
	if !e.LeasedAt.Before(d.StartsAt) {
		return "The booking has begun."
	}
	return ""
}

func hasNotEnded(e event.Event, d bookingData) string {
	if !e.LeasedAt.Before(d.EndsAt) {
		return "The booking is over."
	}
	return ""
}

func isSubscribed(_ event.Event, d bookingData) string {
	if d.unsubscribed {
		return unsubscribed
	}
	return ""
}

func hasNotMoved(e event.Event, d bookingData) string {
	if !strings.HasSuffix(e.Occurrence, "/"+d.StartsAt.UTC().Format(time.RFC3339)) {
		return "The booking has moved to another time."
	}
	return ""
}

func reminderIsWanted(e event.Event, d bookingData) string {
	if slices.ContainsFunc(d.settings.Reminders, func(r event.Reminder) bool {
		return reminderOccurrence(d.Booking,
			r) == e.Occurrence
	}) {
		return ""
	}
	return "The settings no longer ask for this reminder."
}

func balanceReminderIsWanted(e event.Event, d bookingData) string {
	if r := d.settings.BalanceDue; r != nil && reminderOccurrence(d.Booking, *r) == e.Occurrence {
		return ""
	}
	return "The settings no longer ask for this reminder."
}

func somethingIsDue(_ event.Event, d bookingData) string {
	if d.Due <= 0 {
		return "Nothing is due."
	}
	return ""
}

func paymentEmailIsWanted(e event.Event, d bookingData) string {
	if !d.settings.PaymentEmails.Wants(email.Kind(e.Kind)) {
		return "The settings no longer ask for this email."
	}
	return ""
}

// canStillPay is about a booking of which a payment was declined.
func canStillPay(e event.Event, d bookingData) string {
	if d.Status == booking.Held {
		if reason := stillHeldAt(e, d); reason != "" {
			return reason
		}
	}
	return somethingIsDue(e, d)
}

func followUpIsWanted(e event.Event, d bookingData) string {
	if d.settings.FollowUpMinutes > 0 && followUpOccurrence(d.Booking, d.settings) == e.Occurrence {
		return ""
	}
	return "The settings no longer ask for this follow-up, or the booking has moved."
}

func followUpIsInTime(e event.Event, d bookingData) string {
	if e.LeasedAt.After(followUpDue(d.Booking, d.settings).Add(maxFollowUpDelay)) {
		return "It is too late for a follow-up."
	}
	return ""
}

func anniversaryIsWanted(_ event.Event, d bookingData) string {
	if !d.settings.Greetings.Anniversary {
		return "The settings no longer ask for greetings on anniversaries."
	}
	return ""
}

// anniversaryIsToday is for the email, which may be sent later than the event was handled.
func anniversaryIsToday(e event.Event, d bookingData) string {
	loc, err := d.Known.Location(d.Location)
	if err != nil {
		loc = d.Location
	}
	if on, _, err := greetingOf(e.Occurrence, d.Date, loc); err != nil || dateOf(e.LeasedAt, loc) != on {
		return dateIsPast
	}
	return ""
}
