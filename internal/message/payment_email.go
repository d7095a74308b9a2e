package message

import (
	"context"
	"strconv"

	"holdfast/internal/change"
	"holdfast/internal/db"
	"holdfast/internal/email"
	"holdfast/internal/event"
)

// paymentEmail returns the event that sends a customer the email about a change of a booking's money. There is none of
// a change from before the settings asked for such emails: see settings.Settings.
func paymentEmail(e event.Event, d bookingData, c *change.Record, after *changedBooking) []db.NewEvent {
	kind := paymentKind(c.Type, after.Payment)
	if kind == "" || !d.settings.PaymentEmails.Wants(kind) || !d.settings.TellsPaymentsOf(c.OccurredAt) ||
		!tellsOf(kind, &after.BookingBody) {
		return nil
	}
	due := e.LeasedAt
	if kind == email.PaymentDeclined {
		due = c.OccurredAt.Add(declineWait)
	}
	return []db.NewEvent{
		event.New(event.KindPaymentEmail, d.Subject(), string(kind)+"/"+strconv.FormatInt(c.Version, 10), due,
			d.Location),
	}
}

// loadPaymentEmail returns the email about a payment that an event asks for. It tells of the payment as its change
// recorded it, and of the booking as it is now.
func (s *Service) loadPaymentEmail(ctx context.Context, e event.Event) (pendingEmail, error) {
	kind, about := emailOf(e.Occurrence)
	d, err := s.bookingData(ctx, e.TenantID, e.Subject.ID, kind)
	if err != nil {
		return pendingEmail{}, err
	}
	p := emailAbout(d, kind, about)
	if p.cancelReason = d.cancelReason(kind, about, e.LeasedAt); p.cancelReason != "" {
		return p, nil
	}
	_, after, changes, err := s.changeFor(ctx, e, about)
	switch {
	case err != nil:
		return p, err
	case after == nil:
		p.cancelReason = changeDeleted
		return p, nil
	case contactOf(&after.BookingBody) != d.Customer.Email:
		p.cancelReason = "The booking has another contact now."
		return p, nil
	}
	tellOfPayment(&p.data, after.Payment)
	if kind == email.PaymentDeclined {
		p.cancelReason, err = laterAttempt(d, changes)
	}
	return p, err
}

// changeFor returns the change of a booking that an email tells of, nil if it was deleted for its age, the booking
// before it, and the changes from this one on. version is the booking's after the change.
func (s *Service) changeFor(ctx context.Context, e event.Event, version string) (
	before, after *changedBooking, changes []change.Record, err error,
) {
	v, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		return nil, nil, nil, &event.AttemptError{Reason: "The occurrence names no change.", Permanent: true, Err: err}
	}
	former, changes, err := change.OfSubject(ctx, s.db, e.TenantID, e.Subject.ID, v-1, maxChanges)
	if err != nil || len(changes) == 0 || changes[0].Version != v {
		return nil, nil, nil, err
	}
	if before, err = parseChange(former); err != nil {
		return nil, nil, nil, err
	}
	after, err = parseChange(&changes[0])
	return before, after, changes, err
}
