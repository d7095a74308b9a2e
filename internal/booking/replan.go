package booking

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/event"
	"holdfast/internal/settings"
	"holdfast/internal/store"
	"holdfast/internal/timezone"
)

const (
	// replanPage is how many bookings or customers one transaction plans for.
	replanPage = 200
	// replanAgainAfter is the time between the two runs: what a request planned that began before the change, and committed after the first run went
	// past its booking or customer, was planned by what held before. No transaction runs that long.
	replanAgainAfter = 2 * time.Minute
)

// Why a replan, a change of the booking or an erasure ended an event. A replan plans again what has ended for a reason, and leaves what was
// cancelled on request, which has none.
const (
	notAskedFor    = "The settings no longer ask for it."
	bookingChanged = "The booking has changed."
	CustomerErased = "The customer was erased."
)

// progress is how far an event is that plans for a tenant or for a customer: it goes on behind a booking or, once all bookings of a tenant are
// done, behind a customer. It is the event's data; the zero value begins the first run.
type progress struct {
	SecondRun bool       `json:"second_run,omitempty"`
	Customers bool       `json:"customers,omitempty"`
	AfterDate civil.Date `json:"after_date,omitzero"`
	After     uuid.UUID  `json:"after,omitzero"`
}

// Replan returns the kind of event that plans what a tenant's changed settings ask for, and ends what they no longer ask for: for its
// future bookings, and for the birthdays of its customers. Each attempt plans a page, and the event is due again for the next page, so
// that other tenants have their turn. After the last page it runs once more.
//
// A tenant has one such event. A change of the settings begins it anew: the worker that handles a page loses its lease, and writes nothing
// more by the older settings.
func (s *Service) Replan() event.Kind {
	return event.Kind{Name: event.KindReplan, Concurrency: 2, MaxAttempts: maxMessageAttempts, Handle: s.replan}
}

func (s *Service) replan(ctx context.Context, e event.Event) (event.Result, error) {
	var at progress
	if err := json.Unmarshal(e.Data, &at); err != nil {
		return event.Result{}, fmt.Errorf("read the progress: %w", err)
	}
	row, err := s.store.TenantSettings(ctx, e.TenantID)
	if err != nil {
		return event.Result{}, err
	}
	m, err := settings.Parse(row.Settings)
	if err != nil {
		return event.Result{}, err
	}
	loc, err := timezone.Load(row.TimeZone)
	if err != nil {
		return event.Result{}, err
	}
	var next *progress
	switch {
	case !at.Customers:
		next, err = s.replanBookings(ctx, e, m, at)
	case m.Greetings.Birthday:
		next, err = s.replanBirthdays(ctx, e, loc, at)
	default:
		next, err = s.endBirthdays(ctx, e)
	}
	if err != nil {
		return event.Result{}, err
	}
	return at.afterPage(next, e.ClaimedAt)
}

// afterPage returns what becomes of the event after a page: it is due again for the next page, or for the second run if next is nil, or done.
func (at progress) afterPage(next *progress, now time.Time) (event.Result, error) {
	due := now
	switch {
	case next != nil:
		next.SecondRun = at.SecondRun
	case at.SecondRun:
		return event.Done().Data(json.RawMessage(`{}`)), nil // a replay begins anew
	default:
		next, due = &progress{SecondRun: true}, now.Add(replanAgainAfter)
	}
	data, err := json.Marshal(next)
	if err != nil {
		return event.Result{}, fmt.Errorf("encode the progress: %w", err)
	}
	return event.Again(due).Data(data), nil
}

// wanted are the checks by which a replan ends events about bookings. Nothing writes to it.
var wanted = map[string]event.Check[MessageData]{
	event.KindBookingReminder: reminderIsWanted,
	event.KindBalanceDue:      balanceReminderIsWanted,
	event.KindBookingFollowUp: followUpIsWanted,
	event.KindAnniversary:     anniversaryIsWanted,
}

// replanBookings plans for a page of the confirmed bookings that aren't long past.
func (s *Service) replanBookings(ctx context.Context, e event.Event, m settings.Settings, at progress) (next *progress, err error) {
	confirmed := string(Confirmed)
	// A booking that began before may still go on, and a follow-up may be due long after its end. Two days cover every time zone.
	since := civil.DateOf(e.ClaimedAt.UTC().Add(-minutes(maxDurationMinutes + m.FollowUpMinutes))).AddDays(-2)
	filter := store.BookingFilter{
		From: since, To: civil.Date{Year: maxYear, Month: 12, Day: 31}, Status: &confirmed, AfterDate: at.AfterDate, AfterID: at.After, Limit: replanPage,
	}
	if at.After == uuid.Nil {
		filter.AfterDate = since.AddDays(-1)
	}
	rows, err := s.store.Bookings(ctx, e.TenantID, filter)
	if err != nil {
		return nil, err
	}
	read := store.ReplanRead{Event: e.ID, Lease: e.Lease, Kinds: []string{
		event.KindBookingReminder, event.KindBalanceDue, event.KindBookingFollowUp, event.KindAnniversary,
	}}
	data := make(map[uuid.UUID]MessageData, len(rows))
	reminders := make(map[uuid.UUID][]event.Reminder) // of services
	for _, row := range rows {
		own, known := reminders[row.ServiceID]
		if !known {
			service, err := s.store.Service(ctx, e.TenantID, row.ServiceID)
			if err != nil {
				return nil, err
			}
			if own, err = parseReminders(service.Reminders); err != nil {
				return nil, err
			}
			reminders[row.ServiceID] = own
		}
		b, err := fromRow(&row)
		if err != nil {
			return nil, err
		}
		d := MessageData{Booking: b, Settings: m}
		if own != nil {
			d.Settings.Reminders = own
		}
		data[b.ID] = d
		read.Bookings = append(read.Bookings, b.ID)
	}
	err = s.store.Replan(ctx, e.TenantID, read, func(tx *store.ReplanTx, st store.ReplanState) error {
		var planned []store.NewEvent
		for _, id := range read.Bookings {
			d := data[id]
			if st.Versions[id] != d.storedVersion {
				continue // it changed meanwhile, and the change ended or planned its events
			}
			messages, err := planMessages(d.Booking, d.Settings, e.ClaimedAt)
			if err != nil {
				return err
			}
			planned = append(planned, messages...)
		}
		for _, p := range st.Events {
			d := data[p.SubjectID]
			switch {
			case st.Versions[p.SubjectID] != d.storedVersion:
			case wanted[p.Kind](event.Event{Kind: p.Kind, Occurrence: p.Occurrence}, d) != "":
				tx.EndEvents(notAskedFor, p.EventID)
			case p.Kind == event.KindAnniversary && event.Status(p.Status) == event.Cancelled && p.LastError == "": // on request
				next, err := planNextAnniversary(d.Booking, e.ClaimedAt)
				if err != nil {
					return err
				}
				tx.PlanYearlyEvent(next)
			}
		}
		planMissing(tx, planned, st.Events)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(rows) < replanPage:
		return &progress{Customers: true}, nil
	}
	last := rows[len(rows)-1]
	return &progress{AfterDate: last.Date, After: last.BookingID}, nil
}

// planMissing plans what isn't planned yet, and again what was cancelled for a reason.
func planMissing(tx *store.ReplanTx, planned []store.NewEvent, existing []store.PlannedEvent) {
	type name struct {
		subject          uuid.UUID
		kind, occurrence string
	}
	known := make(map[name]store.PlannedEvent, len(existing))
	for _, p := range existing {
		known[name{p.SubjectID, p.Kind, p.Occurrence}] = p
	}
	for _, e := range planned {
		p, exists := known[name{e.SubjectID, e.Kind, e.Occurrence}]
		switch {
		case !exists:
			tx.PlanEvents(e)
		case event.Status(p.Status) == event.Cancelled && p.LastError != "":
			tx.ReviveEvent(p.EventID, e)
		}
	}
}

// replanBirthdays plans the next birthday of a page of customers.
func (s *Service) replanBirthdays(ctx context.Context, e event.Event, loc *time.Location, at progress) (next *progress, err error) {
	rows, err := s.store.CustomersWithBirthday(ctx, e.TenantID, store.Page{After: at.After, Limit: replanPage})
	if err != nil {
		return nil, err
	}
	read := store.ReplanRead{Event: e.ID, Lease: e.Lease}
	for _, row := range rows {
		read.Customers = append(read.Customers, row.CustomerID)
	}
	err = s.store.Replan(ctx, e.TenantID, read, func(tx *store.ReplanTx, st store.ReplanState) error {
		for _, row := range rows {
			if st.Versions[row.CustomerID] != row.Version {
				continue // the customer changed meanwhile, and the change planned or ended the birthday
			}
			c := CustomerFromRow(row)
			own, err := c.location(loc)
			if err != nil {
				return err
			}
			tx.PlanYearlyEvent(planBirthday(c, own, e.ClaimedAt))
		}
		return nil
	})
	if err != nil || len(rows) < replanPage {
		return nil, err
	}
	return &progress{Customers: true, After: rows[len(rows)-1].CustomerID}, nil
}

// endBirthdays ends a page of the planned birthdays.
func (s *Service) endBirthdays(ctx context.Context, e event.Event) (next *progress, err error) {
	ids, err := s.store.OpenEvents(ctx, e.TenantID, event.KindBirthday, replanPage)
	if err != nil {
		return nil, err
	}
	err = s.store.Replan(ctx, e.TenantID, store.ReplanRead{Event: e.ID, Lease: e.Lease}, func(tx *store.ReplanTx, _ store.ReplanState) error {
		tx.EndEvents(notAskedFor, ids...)
		return nil
	})
	if err != nil || len(ids) < replanPage {
		return nil, err
	}
	return &progress{Customers: true}, nil
}
