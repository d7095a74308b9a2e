package message

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/email"
	"holdfast/internal/event"
)

// maxAttempts is after how many attempts an event of which people receive a message is dead: after some hours. An
// attempt reads the database and nothing else.
const maxAttempts = 30

// Kinds returns the kinds of events that plan messages and that notify of them. Emails are a kind of their own: see
// Email.
func (s *Service) Kinds() []event.Kind {
	return []event.Kind{
		s.plan(), s.planAhead(),
		s.bookingKind(event.KindBookingReminder, s.notifyOfBooking),
		s.bookingKind(event.KindBalanceDue, s.notifyOfBooking),
		s.bookingKind(event.KindBookingFollowUp, s.followUp),
		s.bookingKind(event.KindAnniversary, s.anniversary),
		s.birthday(),
	}
}

// bookingKind returns the kind of messages about bookings that act completes once their checks have passed.
func (s *Service) bookingKind(kind string, act func(event.Event, bookingData) (event.Result, error)) event.Kind {
	return event.Kind{Name: kind, MaxAttempts: maxAttempts, Handle: event.Flow[bookingData]{
		Load: func(ctx context.Context, e event.Event) (bookingData, error) {
			return s.bookingData(ctx, e.TenantID, e.Subject.ID, "")
		},
		Checks: append([]event.Check[bookingData]{isNotErased}, bookingChecks[kind]...),
		Act:    func(_ context.Context, e event.Event, d bookingData) (event.Result, error) { return act(e, d) },
	}.Handle}
}

// notifyOfBooking completes a message about a booking: a notice tells of it, and an email is planned if the tenant
// sends some.
func (s *Service) notifyOfBooking(e event.Event, d bookingData) (event.Result, error) {
	body, err := json.Marshal(d.Body())
	if err != nil {
		return event.Result{}, fmt.Errorf("encode a booking: %w", err)
	}
	r := event.Done().Notify(d.Record(e.Kind, body)).BasedOn(event.BasedOn{
		Booking:  event.SubjectVersion{ID: d.ID, Version: d.Version},
		Customer: event.SubjectVersion{ID: d.Customer.ID, Version: d.customerVersion},
	})
	if s.email && d.settings.SendsEmail() {
		r = r.Plan(planEmailOf(e, d.Location))
	}
	return r, nil
}

// followUp completes a follow-up. One that is replayed before it is due waits.
func (s *Service) followUp(e event.Event, d bookingData) (event.Result, error) {
	if due := followUpDue(d.Booking, d.settings); e.LeasedAt.Before(due) {
		return event.Again(due), nil
	}
	return s.notifyOfBooking(e, d)
}

func (s *Service) anniversary(e event.Event, d bookingData) (event.Result, error) {
	loc, err := d.Known.Location(d.Location)
	if err != nil {
		return event.Result{}, err
	}
	return greet(e, d.Date, loc, func() (event.Result, error) { return s.notifyOfBooking(e, d) })
}

// birthday returns the kind of event that greets a customer on the birthday.
func (s *Service) birthday() event.Kind {
	return event.Kind{Name: event.KindBirthday, MaxAttempts: maxAttempts, Handle: event.Flow[customerData]{
		Load: func(ctx context.Context, e event.Event) (customerData, error) {
			d, err := s.customerData(ctx, e.TenantID, e.Subject.ID, "")
			if err == nil {
				// After the customer is read: whoever was greeted before a merge is among them.
				d.greeted, err = s.greeted(ctx, e.TenantID, e.Subject.ID, event.KindBirthday, e.Occurrence)
			}
			return d, err
		},
		Checks: birthdayChecks,
		Act: func(_ context.Context, e event.Event, d customerData) (event.Result, error) {
			return greet(e, *d.Birthday, d.location, func() (event.Result, error) { return s.notifyOfBirthday(e, d) })
		},
	}.Handle}
}

func (s *Service) notifyOfBirthday(e event.Event, d customerData) (event.Result, error) {
	body, err := json.Marshal(d.Body())
	if err != nil {
		return event.Result{}, fmt.Errorf("encode a customer: %w", err)
	}
	r := event.Done().Notify(db.Change{
		ID: uuid.Must(uuid.NewV7()), Type: e.Kind, SubjectType: event.SubjectCustomer, SubjectID: d.ID,
		Version: d.Version, Data: body,
	}).BasedOn(event.BasedOn{Customer: event.SubjectVersion{ID: d.ID, Version: d.Version}})
	if s.email && d.settings.SendsEmail() {
		r = r.Plan(planEmailOf(e, d.location))
	}
	return r, nil
}

// greet handles the greeting of a date.
func greet(e event.Event, of civil.Date, loc *time.Location, notify func() (event.Result, error),
) (event.Result, error) {
	wait, past, err := timeOf(e, of, loc)
	switch {
	case err != nil:
		return event.Result{}, &event.AttemptError{Reason: "The occurrence is not a year.", Permanent: true, Err: err}
	case !wait.IsZero():
		return event.Again(wait), nil
	case past:
		return event.CancelBecause(dateIsPast), nil
	}
	return notify()
}

// timeOf returns until when a greeting waits that is due later than it was planned, because the date or the customer's
// time zone has changed. past says that its date is over, or that there is none in its year any more.
func timeOf(e event.Event, of civil.Date, loc *time.Location) (wait time.Time, past bool, err error) {
	on, due, err := greetingOf(e.Occurrence, of, loc)
	switch {
	case err != nil, strconv.Itoa(on.Year) != e.Occurrence:
		return wait, true, err
	case e.LeasedAt.Before(due):
		return due, false, nil
	}
	return wait, dateOf(e.LeasedAt, loc) != on, nil
}

// planEmail returns the event that sends an email about a subject. about tells the emails of one kind and subject
// apart.
func planEmail(subject event.Subject, kind email.Kind, about string, due time.Time, loc *time.Location) db.NewEvent {
	return event.New(event.KindEmail, subject, string(kind)+"/"+about, due, loc)
}

// planEmailOf returns the event that sends the email of an event whose completion plans it. Each claim of the event has
// another version, so that a replay sends the email again. A claim that isn't completed plans nothing.
func planEmailOf(e event.Event, loc *time.Location) db.NewEvent {
	return planEmail(e.Subject, email.Kind(e.Kind), fmt.Sprintf("%s#%d", e.Occurrence, e.Version), e.LeasedAt, loc)
}
