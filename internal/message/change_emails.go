package message

import (
	"strconv"
	"strings"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/change"
	"holdfast/internal/email"
)

// minHoldOfEmail is how long a hold must last for its customer to be told by email. A shorter one, such as that of a
// checkout, ends before the customer reads of it.
const minHoldOfEmail = time.Hour

// parseBooking returns the booking after a change, nil if there is no such change.
func parseBooking(c *change.Record) (*booking.BookingBody, error) {
	b, err := parseChange(c)
	return bookingOf(b), err
}

// bookingOf returns the booking of a change, nil if there is no change.
func bookingOf(c *changedBooking) *booking.BookingBody {
	if c == nil {
		return nil
	}
	return &c.BookingBody
}

// emailsOf returns the kinds of emails that tell of a change of a booking. before is the booking before it, nil if that
// isn't known.
func emailsOf(changeType string, before, after *booking.BookingBody) []email.Kind {
	switch changeType {
	case booking.CreatedEvent, booking.ConfirmedEvent:
		return []email.Kind{email.BookingConfirmed}
	case booking.HeldEvent:
		return heldEmail(after)
	case booking.CancelledEvent:
		if before != nil && hasEmails(before) {
			return []email.Kind{email.BookingCancelled}
		}
	case booking.RescheduledEvent:
		switch {
		case before == nil || isNotMoved(before, after):
		case after.Status == booking.Confirmed:
			return []email.Kind{email.BookingRescheduled}
		default:
			return heldEmail(after)
		}
	case booking.UpdatedEvent:
		return emailsOfUpdate(before, after)
	}
	return nil
}

// emailsOfUpdate tells a booking's contact of an update if it is another one than before, or if the hold is long enough
// by now.
func emailsOfUpdate(before, after *booking.BookingBody) []email.Kind {
	if before == nil || contactOf(after) == "" {
		return nil
	}
	former := contactOf(before)
	sameContact := former == contactOf(after)
	switch {
	case after.Status == booking.Held && (!sameContact || !hasEmails(before)):
		return heldEmail(after)
	case after.Status == booking.Confirmed && !sameContact && former != "":
		return []email.Kind{email.BookingConfirmed, email.BookingWithdrawn}
	case after.Status == booking.Confirmed && !sameContact:
		return []email.Kind{email.BookingConfirmed}
	}
	return nil
}

// heldEmail returns the email that tells of a hold, none of one that has no emails.
func heldEmail(b *booking.BookingBody) []email.Kind {
	if !hasEmails(b) {
		return nil
	}
	return []email.Kind{email.BookingHeld}
}

// hasEmails reports whether emails tell the customer of changes of a booking: it is confirmed, or a hold for a customer
// that lasts for minHoldOfEmail.
func hasEmails(b *booking.BookingBody) bool {
	return b.Status == booking.Confirmed ||
		b.Status == booking.Held && b.Customer != nil && b.HoldExpiresAt.Sub(b.CreatedAt) >= minHoldOfEmail
}

func isNotMoved(a, b *booking.BookingBody) bool {
	return a.ServiceID == b.ServiceID && a.ResourceID == b.ResourceID && a.StartsAt.Equal(b.StartsAt) &&
		a.EndsAt.Equal(b.EndsAt)
}

// contactOf returns where emails about a booking go: empty without a customer, and once the customer was erased.
func contactOf(b *booking.BookingBody) string {
	if b.Customer == nil {
		return ""
	}
	return b.Customer.Email
}

// emailOf returns what the occurrence of an email says: the kind of the email, and the occurrence that the email is
// about. For an email of a change, that is the version of the booking after the change.
func emailOf(occurrence string) (kind email.Kind, about string) {
	name, about, _ := strings.Cut(occurrence, "/")
	about, _, _ = strings.Cut(about, "#")
	return email.Kind(name), about
}

// changeOf returns the version of the change that an email tells of, 0 for an email that tells of none.
func changeOf(kind email.Kind, about string) int64 {
	switch kind {
	case email.BookingHeld, email.BookingConfirmed, email.BookingRescheduled, email.BookingCancelled,
		email.BookingWithdrawn:
		version, err := strconv.ParseInt(about, 10, 64)
		if err == nil {
			return version
		}
	default: // it tells of no change
	}
	return 0
}
