package booking

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/settings"
	"holdfast/internal/store"
)

// Withdrawal is what the event of an email of the kind email.BookingWithdrawn has in its data: the contact that a booking no longer has. The event is
// about the customer, so that an erasure finds it.
type Withdrawal struct {
	BookingID uuid.UUID `json:"booking_id"`
	// Version is the first of the booking with another contact.
	Version int64  `json:"version"`
	Name    string `json:"name"`
	Email   string `json:"email"`
}

// planWithdrawal returns the event that tells a confirmed booking's former contact, from, that the booking's calendar entry is withdrawn. There is none
// if the former contact has no entry: untried are the emails about the booking that no worker has begun to send.
func (s *Service) planWithdrawal(from, b Booking, untried []string, m settings.Settings, now time.Time) ([]store.NewEvent, error) {
	hasNoEntry := slices.ContainsFunc(untried, func(occurrence string) bool {
		kind, _ := EmailOf(occurrence)
		return kind == email.BookingConfirmed
	})
	if !s.email || !m.SendsEmail() || from.Customer.IsErased() || hasNoEntry {
		return nil, nil
	}
	data, err := json.Marshal(Withdrawal{BookingID: b.ID, Version: b.Version, Name: from.Customer.Name, Email: from.Customer.Email})
	if err != nil {
		return nil, fmt.Errorf("encode a withdrawal: %w", err)
	}
	subject := event.Subject{Type: event.SubjectCustomer, ID: from.Customer.ID}
	e := planEmail(subject, email.BookingWithdrawn, fmt.Sprintf("%s#%d", b.ID, b.Version), now, b.Location)
	e.Data = data
	return []store.NewEvent{e}, nil
}

// WithdrawalOf returns what the event of a withdrawal says. It is the zero Withdrawal once the customer was erased.
func WithdrawalOf(e event.Event) (w Withdrawal, err error) {
	if err := json.Unmarshal(e.Data, &w); err != nil {
		return w, fmt.Errorf("read a withdrawal: %w", err)
	}
	return w, nil
}

// ObsoleteWithdrawal returns why the withdrawal of the booking's calendar entry from a former contact no longer makes sense at now, or nothing if it does.
func (d MessageData) ObsoleteWithdrawal(w Withdrawal, now time.Time) (reason string) {
	if d.Customer.Email == w.Email {
		return "The booking has this contact again."
	}
	return hasNotEnded(event.Event{ClaimedAt: now}, d)
}
