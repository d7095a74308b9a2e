package booking

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/event"
	"holdfast/internal/store"
)

// CustomerReplanEvent returns the event that plans anew, from now on, what depends on a customer's time zone and birthday. A customer has one. A
// transaction that moves it begins it anew: the worker that handles a page loses its lease.
func CustomerReplanEvent(id uuid.UUID, now time.Time) store.NewEvent {
	return event.New(event.KindCustomerReplan, event.Subject{Type: event.SubjectCustomer, ID: id}, "", now, time.UTC)
}

// ReplanCustomer returns the kind of event that moves the anniversaries of a customer's bookings to the customer's time zone, and plans the
// next birthday. Like Replan, it goes in pages and runs twice: the second run finds what another transaction planned meanwhile for the time zone or
// the birthday that held before.
func (s *Service) ReplanCustomer() event.Kind {
	return event.Kind{Name: event.KindCustomerReplan, Concurrency: 2, MaxAttempts: maxMessageAttempts, Handle: event.Flow[CustomerMessageData]{
		Load: func(ctx context.Context, e event.Event) (CustomerMessageData, error) {
			return s.CustomerMessageData(ctx, e.TenantID, e.Subject.ID, "")
		},
		Checks: []event.Check[CustomerMessageData]{func(_ event.Event, d CustomerMessageData) string {
			if d.IsErased() {
				return CustomerErased
			}
			return ""
		}},
		Act: s.replanCustomer,
	}.Handle}
}

func (s *Service) replanCustomer(ctx context.Context, e event.Event, d CustomerMessageData) (event.Result, error) {
	var at progress
	if err := json.Unmarshal(e.Data, &at); err != nil {
		return event.Result{}, fmt.Errorf("read the progress: %w", err)
	}
	next, err := s.moveGreetings(ctx, e, d, at)
	if err != nil {
		return event.Result{}, err
	}
	return at.afterPage(next, e.ClaimedAt)
}

// moveGreetings moves the anniversaries of a page of the customer's bookings. With the last page it plans the next birthday.
func (s *Service) moveGreetings(ctx context.Context, e event.Event, d CustomerMessageData, at progress) (next *progress, err error) {
	first := civil.Date{Year: minYear, Month: 1, Day: 1}
	filter := store.BookingFilter{
		From: first, To: civil.Date{Year: maxYear, Month: 12, Day: 31}, CustomerID: &d.ID, AfterDate: at.AfterDate, AfterID: at.After, Limit: replanPage,
	}
	rows, err := s.store.Bookings(ctx, e.TenantID, filter)
	if err != nil {
		return nil, err
	}
	read := store.ReplanRead{Event: e.ID, Lease: e.Lease, Customers: []uuid.UUID{d.ID}, Kinds: []string{event.KindAnniversary}}
	bookings := make(map[uuid.UUID]store.Booking, len(rows))
	for _, row := range rows {
		read.Bookings = append(read.Bookings, row.BookingID)
		bookings[row.BookingID] = row
	}
	lastPage := len(rows) < replanPage
	err = s.store.Replan(ctx, e.TenantID, read, func(tx *store.ReplanTx, st store.ReplanState) error {
		for _, p := range st.Events {
			b := bookings[p.SubjectID]
			if st.Versions[b.BookingID] != b.Version {
				continue // the booking may have another customer now; the second run looks again
			}
			_, due, err := greetingOf(p.Occurrence, b.Date, d.Location)
			if err != nil {
				return err
			}
			if p.TimeZone == d.Location.String() && p.DueAt.Equal(due) {
				continue
			}
			subject := event.Subject{Type: event.SubjectBooking, ID: b.BookingID}
			tx.MoveEvent(p.EventID, event.New(event.KindAnniversary, subject, p.Occurrence, due, d.Location))
		}
		if lastPage && st.Versions[d.ID] == d.Version && d.Birthday != nil && d.Settings.Greetings.Birthday {
			tx.PlanYearlyEvent(planBirthday(d.Customer, d.Location, e.ClaimedAt))
		}
		return nil
	})
	if err != nil || lastPage {
		return nil, err
	}
	last := rows[len(rows)-1]
	return &progress{AfterDate: last.Date, After: last.BookingID}, nil
}
