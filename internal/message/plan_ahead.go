package message

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/settings"
	"holdfast/internal/timezone"
)

// planAheadEvery is the time between two runs. It is shorter than horizon, so that a run that is late is still in time.
const planAheadEvery = 24 * time.Hour

// progress is what the event of planAhead keeps. What is due until After is planned; the zero values of the others
// begin a run.
type progress struct {
	After time.Time `json:"after"`
	// Until is how far the run plans.
	Until time.Time `json:"until,omitzero"`
	// Dates counts the dates that are done, and behind them the birthdays. At is the last booking that is done of the
	// next ones.
	Dates int       `json:"dates,omitempty"`
	At    position  `json:"at,omitzero"`
	Born  uuid.UUID `json:"born,omitzero"` // the last customer that is done
}

// planAhead returns the kind of event that plans a tenant's messages that will be due soon. A tenant has one such
// event, which goes on after each page, so that other tenants have their turn, and is due again each day. A change of
// what the tenant sends has it begin anew: see settings.PlanAhead.
func (s *Service) planAhead() event.Kind {
	return event.Kind{Name: event.KindPlanAhead, Concurrency: 2, Handle: func(ctx context.Context,
		e event.Event) (event.Result, error) {
		var at progress
		if err := json.Unmarshal(e.Data, &at); err != nil {
			return event.Result{}, fmt.Errorf("read the progress: %w", err)
		}
		if at.Until.IsZero() {
			at.Until = e.LeasedAt.Add(horizon)
		}
		t, err := s.sendingTenant(ctx, e.TenantID)
		if err != nil {
			return event.Result{}, err
		}
		next, ended, err := s.planPage(ctx, t, &at)
		if err != nil {
			return event.Result{}, err
		}
		r := event.Again(e.LeasedAt)
		if ended {
			r, at = event.Again(e.LeasedAt.Add(planAheadEvery)), progress{After: at.Until}
		}
		data, err := json.Marshal(at)
		if err != nil {
			return event.Result{}, fmt.Errorf("encode the progress: %w", err)
		}
		return r.Plan(next...).Data(data), nil
	}}
}

// sendingTenant is a tenant with what it sends.
type sendingTenant struct {
	id       uuid.UUID
	loc      *time.Location
	settings settings.Settings
	// reminders are those of services that have their own.
	reminders map[uuid.UUID][]event.Reminder
}

func (s *Service) sendingTenant(ctx context.Context, id uuid.UUID) (t sendingTenant, err error) {
	of, err := settings.NewService(s.db).Get(ctx, id)
	if err != nil {
		return t, err
	}
	t = sendingTenant{id: id, settings: of.Settings, reminders: make(map[uuid.UUID][]event.Reminder)}
	if t.loc, err = timezone.Load(of.TimeZone); err != nil {
		return t, err
	}
	services, err := s.remindersOfServices(ctx, id)
	if err != nil {
		return t, err
	}
	for _, svc := range services {
		if t.reminders[svc.ServiceID], err = settings.ParseReminders(svc.Reminders); err != nil {
			return t, err
		}
	}
	return t, nil
}

// allReminders returns the reminders of the tenant, of its services, and of balances.
func (t sendingTenant) allReminders() []event.Reminder {
	all := slices.Clone(t.settings.Reminders)
	for _, own := range t.reminders {
		all = append(all, own...)
	}
	if t.settings.BalanceDue != nil {
		all = append(all, *t.settings.BalanceDue)
	}
	return all
}

// planPage returns the messages of the next page of a run, and moves its progress. ended says that it was the last
// page.
func (s *Service) planPage(ctx context.Context, t sendingTenant,
	at *progress,
) (next []db.NewEvent, ended bool, err error) {
	w := window{at.After, at.Until}
	list := datesWithMessages(t.settings, t.allReminders(), w, t.loc)
	if t.settings.Greetings.Anniversary {
		years, err := s.anniversaryDates(ctx, t.id, booking.RowFilter{}, w, t.loc)
		if err != nil {
			return nil, false, err
		}
		list = append(list, years...)
	}
	for ; at.Dates < len(list); at.Dates, at.At = at.Dates+1, (position{}) {
		page, err := s.bookingsPage(ctx, t.id, booking.RowFilter{}, list[at.Dates], at.At)
		if err != nil {
			return nil, false, err
		}
		for _, b := range page {
			due, err := messagesOf(b, t.settings.Override(t.reminders[b.ServiceID]), w)
			if err != nil {
				return nil, false, err
			}
			next = append(next, due...)
		}
		if len(page) == pageOfBookings {
			at.At = position{page[len(page)-1].Date, page[len(page)-1].ID}
			return next, false, nil
		}
	}
	if !t.settings.Greetings.Birthday {
		return next, true, nil
	}
	birthdays, ended, err := s.planBirthdays(ctx, t, at, at.Dates-len(list))
	return append(next, birthdays...), ended, err
}

// planBirthdays is planPage for birthdays. done counts the days of birth that are done.
func (s *Service) planBirthdays(
	ctx context.Context, t sendingTenant, at *progress, done int,
) (next []db.NewEvent, ended bool, err error) {
	w := window{at.After, at.Until}
	for _, day := range daysOfBirth(w, t.loc)[done:] {
		rows, err := s.customersBornOn(ctx, t.id, day, at.Born, pageOfBookings)
		if err != nil {
			return nil, false, err
		}
		for _, row := range rows {
			c := customer.FromRow(row)
			loc, err := c.Location(t.loc)
			if err != nil {
				return nil, false, err
			}
			next = append(next, birthdaysOf(c, loc, w)...)
		}
		if len(rows) == pageOfBookings {
			at.Born = rows[len(rows)-1].CustomerID
			return next, false, nil
		}
		at.Dates, at.Born = at.Dates+1, uuid.Nil
	}
	return next, true, nil
}

// daysOfBirth returns the days of the year on which customers were born whose birthday may be in a window, such as 1210
// for 10 December.
func daysOfBirth(w window, loc *time.Location) (days []int16) {
	last := dateOf(w.until, loc).AddDays(margin)
	for d := dateOf(w.after, loc).AddDays(-margin); !d.After(last); d = d.AddDays(1) {
		days = append(days, int16(int(d.Month)*100+d.Day))
		leapDay := civil.Date{Year: d.Year, Month: time.February, Day: 29}
		if d.Month == time.February && d.Day == 28 && !leapDay.IsValid() {
			days = append(days, 229)
		}
	}
	return days
}
