package message

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/change"
	"holdfast/internal/db"
	"holdfast/internal/event"
)

const (
	// horizon is how far ahead messages are planned.
	horizon = 48 * time.Hour
	// horizonAfterChange is longer, by the time that an event of planAhead may take: what one of the two leaves out,
	// the other one plans.
	horizonAfterChange = horizon + time.Hour
	// maxChanges is how many changes of a subject one event looks at.
	maxChanges = 100
)

// planned is what the event of plan keeps: the version of the last change that it has handled.
type planned struct {
	Version int64 `json:"version"`
}

// plan returns the kind of event that plans what follows from the changes of a booking or a customer: emails that tell
// of the changes, and messages that are due soon. The relay of the feed plans it, one for each subject. It plans by
// what is stored when it is handled, so the order of changes doesn't matter.
func (s *Service) plan() event.Kind {
	handle := func(ctx context.Context, e event.Event) (event.Result, error) {
		var done planned
		if err := json.Unmarshal(e.Data, &done); err != nil {
			return event.Result{}, fmt.Errorf("read how far changes are handled: %w", err)
		}
		before, changes, err := change.OfSubject(ctx, s.db, e.TenantID, e.Subject.ID, done.Version, maxChanges)
		if err != nil || len(changes) == 0 {
			return event.Done(), err
		}
		follows := s.afterBooking
		if e.Subject.Type == event.SubjectCustomer {
			follows = s.afterCustomer
		}
		next, err := follows(ctx, e, before, changes)
		if err != nil {
			return event.Result{}, err
		}
		r := event.Done()
		if len(changes) == maxChanges {
			r = event.Again(e.LeasedAt)
		}
		return r.Plan(next...).Data(fmt.Appendf(nil, `{"version":%d}`, changes[len(changes)-1].Version)), nil
	}
	return event.Kind{Name: event.KindPlan, MaxAttempts: maxAttempts, Handle: handle}
}

// afterBooking returns what follows from changes of a booking.
func (s *Service) afterBooking(
	ctx context.Context, e event.Event, before *change.Record, changes []change.Record,
) ([]db.NewEvent, error) {
	d, err := s.bookingData(ctx, e.TenantID, e.Subject.ID, "")
	if err != nil {
		return nil, err
	}
	next, err := messagesOf(d.Booking, d.settings, window{sinceOf(changes), e.LeasedAt.Add(horizonAfterChange)})
	if err != nil || !s.email || !d.settings.SendsEmail() {
		return next, err
	}
	former, err := parseChange(before)
	if err != nil {
		return nil, err
	}
	for i := range changes {
		c := &changes[i]
		b, err := parseChange(c)
		if err != nil {
			return nil, err
		}
		for _, kind := range emailsOf(c.Type, bookingOf(former), bookingOf(b)) {
			next = append(next, planEmail(d.Subject(), kind, strconv.FormatInt(c.Version, 10), e.LeasedAt, d.Location))
		}
		next = append(next, paymentEmail(e, d, c, b)...)
		next = append(next, ownerEmails(e, d, c, former, b)...)
		former = b
	}
	return next, nil
}

// sinceOf returns since when a booking has had its time: nothing follows whose time had passed by then.
func sinceOf(changes []change.Record) time.Time {
	for _, c := range slices.Backward(changes) {
		switch c.Type {
		case booking.CreatedEvent, booking.HeldEvent, booking.ConfirmedEvent, booking.RescheduledEvent:
			return c.OccurredAt
		}
	}
	return changes[0].OccurredAt
}

// afterCustomer returns what follows from changes of a customer: birthdays, and anniversaries of its bookings, which
// depend on its time zone.
func (s *Service) afterCustomer(
	ctx context.Context, e event.Event, _ *change.Record, changes []change.Record,
) ([]db.NewEvent, error) {
	d, err := s.customerData(ctx, e.TenantID, e.Subject.ID, "")
	if err != nil || d.ErasedAt != nil || d.UnsubscribedAt != nil {
		return nil, err
	}
	w := window{changes[0].OccurredAt, e.LeasedAt.Add(horizonAfterChange)}
	var next []db.NewEvent
	if d.settings.Greetings.Birthday {
		next = birthdaysOf(d.Customer, d.location, w)
	}
	if !d.settings.Greetings.Anniversary {
		return next, nil
	}
	of := booking.RowFilter{CustomerID: &d.ID}
	dates, err := s.anniversaryDates(ctx, e.TenantID, of, w, d.tenantZone)
	if err != nil {
		return nil, err
	}
	err = s.eachBooking(ctx, e.TenantID, of, dates, func(b booking.Booking) error {
		if !takesPlace(b) {
			return nil
		}
		anniversaries, err := anniversariesOf(b, w)
		next = append(next, anniversaries...)
		return err
	})
	return next, err
}
