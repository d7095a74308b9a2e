package booking

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/settings"
	"holdfast/internal/store"
	"holdfast/internal/timezone"
)

// CustomerMessageData is a customer with what a message about it tells and depends on.
type CustomerMessageData struct {
	CustomerDetails
	Settings   settings.Settings
	TenantName string
	// Location is the customer's time zone, that of the tenant if none is known.
	Location *time.Location
	// Template is the tenant's own of the kind that was asked for, zero without one.
	Template email.Template
}

// CustomerMessageData returns a customer with what a message about it tells and depends on. kind is that of an email, or empty. Errors:
// problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) CustomerMessageData(ctx context.Context, tenant, id uuid.UUID, kind email.Kind) (d CustomerMessageData, err error) {
	row, more, err := s.store.CustomerMessageData(ctx, tenant, id, string(kind))
	if err != nil {
		return d, err
	}
	d = CustomerMessageData{CustomerDetails: CustomerDetailsFromRow(row), TenantName: more.TenantName}
	if d.Settings, err = settings.Parse(more.Settings); err != nil {
		return d, err
	}
	tenantZone, err := timezone.Load(more.TenantTimeZone)
	if err != nil {
		return d, err
	}
	if d.Location, err = d.location(tenantZone); err != nil {
		return d, err
	}
	d.Template, err = parseTemplate(more.Template)
	return d, err
}

// ObsoleteEmail returns why an email about the customer no longer makes sense at now, or nothing if it does. kind and about are those of
// its event.
func (d CustomerMessageData) ObsoleteEmail(kind email.Kind, about string, now time.Time) (reason string) {
	if kind != email.CustomerBirthday {
		return "There is no such email about a customer."
	}
	for _, check := range birthdayChecks {
		if reason := check(event.Event{}, d); reason != "" {
			return reason
		}
	}
	if on, _, err := greetingOf(about, *d.Birthday, d.Location); err != nil || dateOf(now, d.Location) != on {
		return dateIsPast
	}
	return ""
}

// Birthday returns the kind of event that greets a customer on the birthday.
func (s *Service) Birthday() event.Kind {
	return event.Kind{Name: event.KindBirthday, MaxAttempts: maxMessageAttempts, Handle: event.Flow[CustomerMessageData]{
		Load: func(ctx context.Context, e event.Event) (CustomerMessageData, error) {
			return s.CustomerMessageData(ctx, e.TenantID, e.Subject.ID, "")
		},
		Checks: birthdayChecks,
		Act: func(_ context.Context, e event.Event, d CustomerMessageData) (event.Result, error) {
			return greet(e, *d.Birthday, d.Location, func() (event.Result, error) { return s.tellBirthday(e, d) })
		},
	}.Handle}
}

// Reasons for which the greeting of a customer is cancelled.
const (
	// UnknownBirthday: the birthday was removed.
	UnknownBirthday = "The customer's birthday isn't known any more."
	// Unsubscribed: the customer wants no greetings, and no follow-ups.
	Unsubscribed = "The customer has unsubscribed."
	// anotherBirthday: the next birthday is another one, because the date or the time zone changed.
	anotherBirthday = "The customer's next birthday is another one."
)

// birthdayChecks are the checks of birthdays and of emails about them. Nothing writes to it.
var birthdayChecks = []event.Check[CustomerMessageData]{
	func(_ event.Event, d CustomerMessageData) string {
		if !d.Settings.Greetings.Birthday {
			return "The settings no longer ask for greetings on birthdays."
		}
		return ""
	},
	func(_ event.Event, d CustomerMessageData) string {
		if d.Birthday == nil {
			return UnknownBirthday
		}
		return ""
	},
	func(_ event.Event, d CustomerMessageData) string {
		if d.UnsubscribedAt != nil {
			return Unsubscribed
		}
		return ""
	},
}

func (s *Service) tellBirthday(e event.Event, d CustomerMessageData) (event.Result, error) {
	body, err := json.Marshal(d.Body())
	if err != nil {
		return event.Result{}, fmt.Errorf("encode a customer: %w", err)
	}
	r := event.Done().Notify(store.Change{
		ID: uuid.Must(uuid.NewV7()), Type: e.Kind, SubjectType: event.SubjectCustomer, SubjectID: d.ID, Version: d.Version, Data: body,
	}).BasedOn(store.BasedOn{Customer: store.SubjectVersion{ID: d.ID, Version: d.Version}})
	if s.email && d.Settings.SendsEmail() {
		r = r.Plan(planEmailOf(e, d.Location))
	}
	return r, nil
}

// planBirthday returns the event of the customer's next birthday. The customer must have one. loc is the customer's time zone. A birthday of today
// is due at once if its time has passed.
func planBirthday(c Customer, loc *time.Location, now time.Time) store.YearlyEvent {
	yesterday := event.At(dateOf(now, loc), event.LocalTime{}, loc).Add(-time.Second)
	subject := event.Subject{Type: event.SubjectCustomer, ID: c.ID}
	next := nextGreetings(event.KindBirthday, subject, *c.Birthday, loc, yesterday)
	if next[0].DueAt.Before(now) {
		next[0].DueAt = now // workers look for what was due long ago only now and then
	}
	return store.YearlyEvent{Next: next, Reason: anotherBirthday}
}

// planCustomer queues what follows if a booking told of a birthday or of a time zone that weren't known: the customer's next birthday is moved, and
// an event plans anew what else depends on it. A customer who has unsubscribed gets no greetings.
func planCustomer(tx *store.BookTx, known *store.Customer, c Customer, rs *rules, now time.Time) error {
	if known != nil {
		if c.SameGreetingTimes(CustomerFromRow(*known)) {
			return nil
		}
		tx.MoveEvent(CustomerReplanEvent(c.ID, now))
	}
	if c.Birthday == nil || !rs.messages.Greetings.Birthday || known != nil && known.UnsubscribedAt != nil {
		return nil
	}
	loc, err := c.location(rs.loc)
	if err != nil {
		return err
	}
	tx.PlanYearlyEvent(planBirthday(c, loc, now))
	return nil
}
