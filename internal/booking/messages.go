package booking

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/settings"
	"holdfast/internal/store"
)

// messagesOf returns the stored settings of a tenant, with a service's own reminders in place of the tenant's if it has some.
func messagesOf(stored []byte, own []event.Reminder) (settings.Settings, error) {
	s, err := settings.Parse(stored)
	if own != nil {
		s.Reminders = own
	}
	return s, err
}

// planMessages returns the events of what people receive of a booking that is confirmed at now. Nothing is planned whose time has
// passed, and nothing for a customer who was erased. Planning twice returns events of the same occurrences.
func planMessages(b Booking, s settings.Settings, now time.Time) (planned []store.NewEvent, err error) {
	if b.Customer.IsErased() {
		return nil, nil
	}
	for _, r := range s.Reminders {
		planned = append(planned, planReminder(event.KindBookingReminder, b, r))
	}
	if s.BalanceDue != nil && b.Price > 0 { // what is paid may be refunded before the reminder is due
		planned = append(planned, planReminder(event.KindBalanceDue, b, *s.BalanceDue))
	}
	// A reminder at a local time of the booking's own date may fall on its start or after it.
	planned = slices.DeleteFunc(planned, func(e store.NewEvent) bool { return !e.DueAt.Before(b.StartsAt) })
	if s.FollowUpMinutes > 0 {
		planned = append(planned, planFollowUp(b, s.FollowUpMinutes))
	}
	if s.Greetings.Anniversary {
		loc, err := b.known.location(b.Location)
		if err != nil {
			return nil, err
		}
		planned = append(planned, planAnniversary(b, loc, now))
	}
	return slices.DeleteFunc(planned, func(e store.NewEvent) bool { return !e.DueAt.After(now) }), nil
}

// minHoldOfEmail is how long a hold must last for its customer to be told by email. A shorter one, such as that of a checkout, ends
// before the customer reads of it.
const minHoldOfEmail = time.Hour

// toldByEmail reports whether changes of the booking are emailed to its customer, if the tenant sends emails: it is confirmed, or a hold for a
// customer that lasts for minHoldOfEmail.
func (b Booking) toldByEmail() bool {
	return b.Status == Confirmed || b.Status == Held && b.HasCustomer() && b.HoldExpiresAt.Sub(b.CreatedAt) >= minHoldOfEmail
}

// planCreated queues what people receive of a booking that is made.
func (s *Service) planCreated(tx *store.BookTx, st store.BookState, b Booking, rs *rules) error {
	if err := planCustomer(tx, st.Customer, b.known, rs, st.Now); err != nil {
		return err
	}
	if b.Status == Held {
		if b.toldByEmail() {
			tx.PlanEvents(s.planChangeEmail(b, rs.messages, email.BookingHeld, st.Now)...)
		}
		return nil
	}
	planned, err := s.confirmedEvents(b, rs.messages, st.Now)
	tx.PlanEvents(planned...)
	return err
}

// planMoved queues what becomes of the events of a booking that was moved at now, or got another party or price. A reminder or follow-up that was
// planned for the time that the booking goes to, because it had that time before, is planned again.
func (s *Service) planMoved(tx *store.CalendarTx, from, b Booking, m settings.Settings, now time.Time) error {
	if !b.placeDiffers(from) {
		if b.Status != Confirmed {
			return nil
		}
		planned, err := planMessages(b, m, now) // more may be due than before
		tx.PlanEvents(planned...)
		return err
	}
	if b.Status == Held {
		if b.toldByEmail() {
			tx.EndEvents(bookingChanged, b.ID, event.KindEmail)
			tx.PlanEvents(s.planChangeEmail(b, m, email.BookingHeld, now)...)
		}
		return nil
	}
	tx.EndEvents(bookingChanged, b.ID, event.KindBookingReminder, event.KindBalanceDue, event.KindBookingFollowUp, event.KindAnniversary, event.KindEmail)
	planned, err := planMessages(b, m, now)
	for _, e := range planned {
		tx.MoveEvent(e)
	}
	tx.PlanEvents(s.planChangeEmail(b, m, email.BookingRescheduled, now)...)
	return err
}

// confirmedEvents returns the events of what people receive of a booking that becomes confirmed at now.
func (s *Service) confirmedEvents(b Booking, m settings.Settings, now time.Time) ([]store.NewEvent, error) {
	planned, err := planMessages(b, m, now)
	return append(planned, s.planChangeEmail(b, m, email.BookingConfirmed, now)...), err
}

// planEmail returns the event that sends an email about a subject. about tells the emails of one kind and subject apart.
func planEmail(subject event.Subject, kind email.Kind, about string, due time.Time, loc *time.Location) store.NewEvent {
	return event.New(event.KindEmail, subject, string(kind)+"/"+about, due, loc)
}

// planEmailOf returns the event that sends the email of an event whose completion plans it. Each claim of the event has another version, so
// that a replay sends the email again. A claim that isn't completed plans nothing.
func planEmailOf(e event.Event, loc *time.Location) store.NewEvent {
	return planEmail(e.Subject, email.Kind(e.Kind), fmt.Sprintf("%s#%d", e.Occurrence, e.Version), e.ClaimedAt, loc)
}

// EmailOf returns what the occurrence of an event of event.KindEmail says: the kind of the email, and the occurrence that the email is about.
func EmailOf(occurrence string) (kind email.Kind, about string) {
	name, about, _ := strings.Cut(occurrence, "/")
	about, _, _ = strings.Cut(about, "#")
	return email.Kind(name), about
}

// planChangeEmail returns the event that sends an email about the booking's newest change, made at now; none if the tenant sends no
// email, and none to a customer who was erased.
func (s *Service) planChangeEmail(b Booking, m settings.Settings, kind email.Kind, now time.Time) []store.NewEvent {
	if !s.email || !m.SendsEmail() || b.Customer.IsErased() {
		return nil
	}
	return []store.NewEvent{planEmail(b.subject(), kind, b.ETag(), now, b.Location)}
}

func (b Booking) subject() event.Subject {
	return event.Subject{Type: event.SubjectBooking, ID: b.ID}
}
