package message

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"holdfast/internal/booking"
	"holdfast/internal/change"
	"holdfast/internal/db"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/settings"
)

// ownerEvent returns the email to the tenant's own addresses that a change of a booking causes, "" for none. A
// cancelled hold causes none, because nobody got an email about the hold. before is the booking before the change, nil
// if that isn't known.
func ownerEvent(changeType string, before, after *changedBooking) email.OwnerEvent {
	switch changeType {
	case booking.CreatedEvent, booking.ConfirmedEvent:
		return email.OwnerBookingConfirmed
	case booking.CancelledEvent:
		if before != nil && before.Status == booking.Confirmed {
			return email.OwnerBookingCancelled
		}
	case booking.RescheduledEvent:
		if before != nil && after.Status == booking.Confirmed && !isNotMoved(&before.BookingBody, &after.BookingBody) {
			return email.OwnerBookingRescheduled
		}
	}
	switch of := email.OwnerEvent(changeType); of {
	case email.OwnerPaymentSucceeded, email.OwnerPaymentRefunded:
		return of
	case email.OwnerPaymentDeclined:
		if after.Payment.RefundOf != nil || isAttempt(after.Payment) {
			return of
		}
	default: // it isn't told
	}
	return ""
}

// ownerEmails returns the events that tell the tenant's own addresses of a change of a booking, one for each address
// that wants it. There is none of a payment from before the settings asked for such emails.
func ownerEmails(e event.Event, d bookingData, c *change.Record, before,
	after *changedBooking,
) (list []db.NewEvent) {
	of := ownerEvent(c.Type, before, after)
	if of == "" || of.OfPayment() && !d.settings.TellsPaymentsOf(c.OccurredAt) {
		return nil
	}
	due := e.LeasedAt
	if waits(of, after) {
		due = c.OccurredAt.Add(declineWait)
	}
	for _, o := range d.settings.OwnerEmails {
		if slices.Contains(o.Types, of) {
			occurrence := fmt.Sprintf("%s/%d/%s", of, c.Version, addressKey(o.Email))
			list = append(list, event.New(event.KindOwnerEmail, d.Subject(), occurrence, due, d.Location))
		}
	}
	return list
}

// waits reports whether an email waits for the customer to try again: it tells of a declined payment, and of no refund.
func waits(of email.OwnerEvent, after *changedBooking) bool {
	return of == email.OwnerPaymentDeclined && after.Payment.RefundOf == nil
}

// addressKey names an address in the occurrences of events, which so show none. The case doesn't count.
func addressKey(address string) string {
	sum := sha256.Sum256([]byte(email.Fold(address)))
	return hex.EncodeToString(sum[:8])
}

// loadOwnerEmail returns the email to the tenant that an event asks for. It tells of the booking as its change recorded
// it.
func (s *Service) loadOwnerEmail(ctx context.Context, e event.Event) (pendingEmail, error) {
	name, about, _ := strings.Cut(e.Occurrence, "/")
	version, key, _ := strings.Cut(about, "/")
	of := email.OwnerEvent(name)
	d, err := s.bookingData(ctx, e.TenantID, e.Subject.ID, "")
	if err != nil {
		return pendingEmail{}, err
	}
	i := slices.IndexFunc(d.settings.OwnerEmails, func(o settings.OwnerEmail) bool {
		return addressKey(o.Email) == key && slices.Contains(o.Types, of)
	})
	switch {
	case d.suspended:
		return pendingEmail{cancelReason: tenantSuspended}, nil
	case i < 0:
		return pendingEmail{cancelReason: "The settings no longer ask for this email."}, nil
	case d.HasCustomer() && d.Customer.IsErased():
		return pendingEmail{cancelReason: customerErased}, nil
	}
	before, after, changes, err := s.changeFor(ctx, e, version)
	switch {
	case err != nil:
		return pendingEmail{}, err
	case after == nil:
		return pendingEmail{cancelReason: changeDeleted}, nil
	case after.Customer != nil && after.Customer.Email == "": // somebody else has the booking now
		return pendingEmail{cancelReason: customerErased}, nil
	}
	p := pendingEmail{slug: d.slug, own: d.settings.From, to: email.Address{Email: d.settings.OwnerEmails[i].Email}}
	if waits(of, after) {
		if p.cancelReason = canStillPay(e, d); p.cancelReason != "" {
			return p, nil
		}
		if p.cancelReason, err = laterAttempt(d, changes); err != nil || p.cancelReason != "" {
			return p, err
		}
	}
	content := forOwner(of, d, before, after).Content(d.settings.BookingPage.Offered()[0])
	p.content = &content
	return p, nil
}

// forOwner returns what an email tells the tenant of a change.
func forOwner(of email.OwnerEvent, d bookingData, before, after *changedBooking) email.ForOwner {
	o := email.ForOwner{Event: of, Code: after.Code, Data: email.Data{
		Starts:    after.StartsAt.In(d.Location),
		Ends:      after.EndsAt.In(d.Location),
		AllDay:    d.allDay,
		PartySize: after.PartySize,
		Price:     amountOf(after.Price, after.Currency),
		Paid:      amountOf(after.Paid, after.Currency),
		Refunded:  amountOf(after.Refunded, after.Currency),
		Due:       amountOf(after.Due, after.Currency),
		Overpaid:  amountOf(after.Overpaid, after.Currency),
	}}
	if after.Customer != nil {
		o.Data.CustomerName = after.Customer.Name
	}
	if after.Reference != nil {
		o.Data.Reference = *after.Reference
	}
	if after.ServiceID == d.ServiceID { // of another one only the id is known here
		o.Data.ServiceName = d.serviceName
	}
	if of.OfPayment() {
		o.Data.Payment, o.Data.PaymentMethod = amountOf(after.Payment.Amount, after.Payment.Currency),
			methodOf(after.Payment)
		o.RefundDeclined = of == email.OwnerPaymentDeclined && after.Payment.RefundOf != nil
	}
	if of == email.OwnerBookingRescheduled && before != nil {
		o.FormerStarts, o.FormerEnds = before.StartsAt.In(d.Location), before.EndsAt.In(d.Location)
	}
	return o
}
