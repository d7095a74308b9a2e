package email

import (
	"strings"
	"time"

	"holdfast/internal/datetime"
)

// OwnerEvent is a change about which the tenant itself gets an email. It has the name of the change in the feed.
type OwnerEvent string

// The changes about which a tenant gets emails.
const (
	// OwnerBookingConfirmed also tells of a booking that was made without a hold.
	OwnerBookingConfirmed   OwnerEvent = "booking.confirmed"
	OwnerBookingCancelled   OwnerEvent = "booking.cancelled"
	OwnerBookingRescheduled OwnerEvent = "booking.rescheduled"
	OwnerPaymentSucceeded   OwnerEvent = "payment.succeeded"
	OwnerPaymentDeclined    OwnerEvent = "payment.declined"
	OwnerPaymentRefunded    OwnerEvent = "payment.refunded"
)

// OfPayment reports whether the change is the outcome of a payment or refund.
func (e OwnerEvent) OfPayment() bool { return strings.HasPrefix(string(e), "payment.") }

// ForOwner is what an email to the tenant itself tells.
type ForOwner struct {
	Event OwnerEvent
	// RefundDeclined says that OwnerPaymentDeclined tells of a refund.
	RefundDeclined bool
	// Code is the booking's. Data is the booking after the change; its Reference is the tenant's own name of the
	// booking, if it has one.
	Code string
	Data Data
	// FormerStarts and FormerEnds bound a booking before it was moved. They are zero for other changes.
	FormerStarts, FormerEnds time.Time
}

// Content returns the email in a language of the booking page, or else in English. It is plain text, with one line for
// each thing that it tells: what customers chose can't add a line.
func (o ForOwner) Content(language Language) Content {
	w, known := ownerWords[language]
	if !known {
		w = ownerWords["en"]
	}
	title := w.titles[o.Event]
	if o.RefundDeclined {
		title = w.refundDeclined
	}
	o.Data.Language = language
	d, former := o.Data, o.Data
	former.Starts, former.Ends = o.FormerStarts, o.FormerEnds
	lines := []string{title, ""}
	for _, l := range []struct{ label, value string }{
		{w.booking, o.Code}, {w.reference, d.Reference}, {w.service, d.ServiceName}, {w.when, d.plainWhen()},
		{w.before, former.plainWhen()}, {w.people, count(d.PartySize)}, {w.customer, d.CustomerName},
		{w.amount, d.amount(d.Payment)}, {w.method, d.words().methods[d.PaymentMethod]},
		{w.price, d.amount(d.Price)}, {w.paid, d.amount(d.Paid)}, {w.refunded, d.amount(d.Refunded)},
		{w.due, d.amount(d.Due)},
		{w.overpaid, d.amount(d.Overpaid)},
	} {
		if value := oneLine(l.value); value != "" {
			lines = append(lines, l.label+": "+value)
		}
	}
	about := []string{o.Code, oneLine(d.ServiceName), d.plainMoment(d.Starts)}
	return Content{Subject: truncate(title+": "+strings.Join(about, ", "), maxSubject),
		Text: strings.Join(lines, "\n") + "\n"}
}

// plainWhen returns the whole interval in figures, which every language reads.
func (d Data) plainWhen() string {
	if d.Starts.IsZero() {
		return ""
	}
	first, last := d.plainMoment(d.Starts), d.plainMoment(d.last())
	switch {
	case d.AllDay && first == last:
		return first
	case d.AllDay:
		return first + " – " + last
	case isoDate(d.Starts) == isoDate(d.Ends):
		last = datetime.Clock(d.Ends)
	}
	return first + " – " + last + " (" + d.timeZone() + ")"
}

func (d Data) plainMoment(t time.Time) string {
	if d.AllDay {
		return isoDate(t)
	}
	return isoDate(t) + " " + datetime.Clock(t)
}
