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
)

// MessageData is a booking with what a message about it tells and depends on.
type MessageData struct {
	Booking
	// Settings are the tenant's, with the service's own reminders in place of the tenant's if it has some.
	Settings                              settings.Settings
	TenantName, ServiceName, ResourceName string
	// AllDay says that the booking is for whole dates.
	AllDay bool
	// CustomerVersion is the customer's version, 0 without a customer.
	CustomerVersion int64
	// Unsubscribed says that the customer wants no greetings and no follow-ups.
	Unsubscribed bool
	// Template is the tenant's own of the kind that was asked for, zero without one.
	Template email.Template
}

// MessageData returns a booking with what a message about it tells and depends on. kind is that of an email, or empty. Errors:
// problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) MessageData(ctx context.Context, tenant, id uuid.UUID, kind email.Kind) (d MessageData, err error) {
	row, more, err := s.store.BookingMessageData(ctx, tenant, id, string(kind))
	if err != nil {
		return d, err
	}
	if d.Booking, err = fromRow(&row); err != nil {
		return d, err
	}
	own, err := parseReminders(more.Reminders)
	if err != nil {
		return d, err
	}
	if d.Settings, err = messagesOf(more.Settings, own); err != nil {
		return d, err
	}
	d.TenantName, d.ServiceName, d.ResourceName = more.TenantName, more.ServiceName, more.ResourceName
	d.CustomerVersion = more.CustomerVersion
	d.AllDay, d.Unsubscribed = Kind(more.ServiceKind) == KindDate, more.UnsubscribedAt != nil
	d.Template, err = parseTemplate(more.Template)
	return d, err
}

func parseTemplate(stored []byte) (t email.Template, err error) {
	if err := json.Unmarshal(stored, &t); err != nil {
		return t, fmt.Errorf("read a template: %w", err)
	}
	return t, nil
}

// messageChecks are the checks of events about bookings, and of emails about bookings, by kind. Nothing writes to it.
var messageChecks = map[string][]event.Check[MessageData]{
	event.KindBookingReminder: {isConfirmed, hasNotMoved, reminderIsWanted, hasNotBegun},
	event.KindBalanceDue:      {isConfirmed, hasNotMoved, balanceReminderIsWanted, hasNotBegun, somethingIsDue},
	event.KindBookingFollowUp: {tookPlace, followUpIsWanted, isSubscribed, followUpIsInTime},
	event.KindAnniversary:     {tookPlace, anniversaryIsWanted, isSubscribed},

	string(email.BookingHeld):        {stillHeldAt},
	string(email.BookingConfirmed):   {isConfirmed, hasNotEnded},
	string(email.BookingRescheduled): {isConfirmed, hasNotEnded},
	string(email.BookingCancelled):   {isCancelled, hasNotEnded},
}

// ObsoleteEmail returns why an email about the booking no longer makes sense at now, or nothing if it does. kind and about are those of
// its event.
func (d MessageData) ObsoleteEmail(kind email.Kind, about string, now time.Time) (reason string) {
	checks, known := messageChecks[string(kind)]
	if !known {
		return "There is no such email about a booking."
	}
	if !d.HasCustomer() {
		return "The booking has no customer."
	}
	e := event.Event{Kind: string(kind), Occurrence: about, ClaimedAt: now}
	if reason := isNotErased(e, d); reason != "" {
		return reason
	}
	if kind == email.BookingAnniversary {
		checks = append(checks[:len(checks):len(checks)], anniversaryIsToday)
	}
	for _, check := range checks {
		if reason := check(e, d); reason != "" {
			return reason
		}
	}
	return ""
}

// messageKind returns the kind of events about bookings whose completion act decides.
func (s *Service) messageKind(kind string, act func(event.Event, MessageData) (event.Result, error)) event.Kind {
	return event.Kind{Name: kind, MaxAttempts: maxMessageAttempts, Handle: event.Flow[MessageData]{
		Load: func(ctx context.Context, e event.Event) (MessageData, error) {
			return s.MessageData(ctx, e.TenantID, e.Subject.ID, "")
		},
		Checks: append([]event.Check[MessageData]{isNotErased}, messageChecks[kind]...),
		Act:    func(_ context.Context, e event.Event, d MessageData) (event.Result, error) { return act(e, d) },
	}.Handle}
}

// maxMessageAttempts is after how many attempts an event of which people receive a message is dead: after some hours. An attempt reads
// the database and nothing else.
const maxMessageAttempts = 30

// notify completes an event about a booking: a notice tells of it, and an email is planned if the tenant sends some.
func (s *Service) notify(e event.Event, d MessageData) (event.Result, error) {
	body, err := json.Marshal(d.Body())
	if err != nil {
		return event.Result{}, fmt.Errorf("encode a booking: %w", err)
	}
	r := event.Done().Notify(d.record(e.Kind, body)).BasedOn(store.BasedOn{
		Booking: store.SubjectVersion{ID: d.ID, Version: d.Version}, Customer: store.SubjectVersion{ID: d.Customer.ID, Version: d.CustomerVersion},
	})
	if s.email && d.Settings.SendsEmail() {
		r = r.Plan(planEmailOf(e, d.Location))
	}
	return r, nil
}

func isNotErased(_ event.Event, d MessageData) string {
	if d.Customer.IsErased() {
		return CustomerErased
	}
	return ""
}

func isConfirmed(_ event.Event, d MessageData) string {
	if d.Status != Confirmed {
		return "The booking is " + string(d.Status) + "."
	}
	return ""
}

func isCancelled(_ event.Event, d MessageData) string {
	if d.Status != Cancelled {
		return "The booking is " + string(d.Status) + "."
	}
	return ""
}

// tookPlace passes bookings that took place or, as far as anyone said, will.
func tookPlace(_ event.Event, d MessageData) string {
	if d.Status != Confirmed && d.Status != Completed {
		return "The booking is " + string(d.Status) + "."
	}
	return ""
}

func stillHeldAt(e event.Event, d MessageData) string {
	if d.Status != Held || d.state().Lapsed(e.ClaimedAt) {
		return "The booking is no longer held."
	}
	return ""
}

func hasNotBegun(e event.Event, d MessageData) string {
	if !e.ClaimedAt.Before(d.StartsAt) {
		return "The booking has begun."
	}
	return ""
}

func hasNotEnded(e event.Event, d MessageData) string {
	if !e.ClaimedAt.Before(d.EndsAt) {
		return "The booking is over."
	}
	return ""
}

func isSubscribed(_ event.Event, d MessageData) string {
	if d.Unsubscribed {
		return Unsubscribed
	}
	return ""
}
