package settings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Settings say what a tenant sends to its customers, and when. The zero value sends nothing. Its JSON is how it is
// stored.
type Settings struct {
	// Reminders are sent before a booking. A service can have its own in their place.
	Reminders []event.Reminder `json:"reminders,omitempty"`
	// BalanceDue reminds of what is still to pay; nil doesn't.
	BalanceDue *event.Reminder `json:"balance_due,omitempty"`
	// FollowUpMinutes after the end of a booking a follow-up is sent; 0 sends none.
	FollowUpMinutes int       `json:"follow_up_minutes,omitempty"`
	Greetings       Greetings `json:"greetings,omitzero"`
	// From is the sender of emails. Without it the tenant sends none.
	From *email.Address `json:"from,omitempty"`
	// PaymentEmails tell customers of their payments.
	PaymentEmails PaymentEmails `json:"payment_emails,omitzero"`
	// OwnerEmails are the addresses that get emails about changes.
	OwnerEmails []OwnerEmail `json:"owner_emails,omitempty"`
	// PaymentsToldSince is since when emails tell of payments, nil if none does. The relay plans what follows from
	// payments of tenants who have it. Payments before it are never told of. Change keeps it.
	PaymentsToldSince *time.Time `json:"payments_told_since,omitempty"`
	// UniqueReferences says that a booking gets no reference or external_reference that another one of the tenant has.
	UniqueReferences bool `json:"unique_references,omitempty"`
	// BookingPage is the page on which people book.
	BookingPage BookingPage `json:"booking_page,omitzero"`
	Website     Website     `json:"website,omitzero"`
}

// Website is where the tenant's visitors book. API keys are read with the origins, by their path: see
// APIKeyGetByPrefix.
type Website struct {
	// Origins are those whose pages may use the tenant's publishable keys.
	Origins []tenant.Origin `json:"origins,omitempty"`
	Limits  VisitorLimits   `json:"limits,omitzero"`
}

// Greetings are sent once a year.
type Greetings struct {
	Birthday bool `json:"birthday,omitempty"`
	// Anniversary is that of a booking's date.
	Anniversary bool `json:"anniversary,omitempty"`
}

// GreetingTime is when greetings are due, where the customer is.
var GreetingTime = event.LocalTime{Hour: 9}

const (
	maxReminders       = 10
	maxFollowUpMinutes = 365 * 24 * 60
)

// Parse reads stored settings. Nil means none.
func Parse(stored []byte) (s Settings, err error) {
	if len(stored) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(stored, &s); err != nil {
		return s, fmt.Errorf("read a tenant's settings: %w", err)
	}
	return s, nil
}

// SendsEmail reports whether the tenant sends emails.
func (s Settings) SendsEmail() bool { return s.From != nil }

// ParseReminders reads a service's own reminders as they are stored, nil if it has none.
func ParseReminders(stored []byte) (reminders []event.Reminder, err error) {
	if len(stored) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(stored, &reminders); err != nil {
		return nil, fmt.Errorf("read a service's reminders: %w", err)
	}
	return reminders, nil
}

// Override returns the settings for bookings of a service: its own reminders, if it has some, take the place of the
// tenant's.
func (s Settings) Override(own []event.Reminder) Settings {
	if own != nil {
		s.Reminders = own
	}
	return s
}

// plansLike reports whether s plans the same events as other. Another sender plans the same, but the first one, and
// none.
func (s Settings) plansLike(other Settings) bool {
	if s.SendsEmail() != other.SendsEmail() {
		return false
	}
	s.From, other.From = nil, nil
	s.UniqueReferences, other.UniqueReferences = false, false
	s.BookingPage, other.BookingPage = BookingPage{}, BookingPage{}
	s.Website, other.Website = Website{}, Website{}
	s.PaymentEmails, other.PaymentEmails = PaymentEmails{}, PaymentEmails{}
	s.OwnerEmails, other.OwnerEmails = nil, nil
	s.PaymentsToldSince, other.PaymentsToldSince = nil, nil
	s.Reminders, other.Reminders = sorted(s.Reminders), sorted(other.Reminders)
	return reflect.DeepEqual(s, other)
}

// sorted returns reminders in an order of their own: whatever order they are listed in, they plan the same.
func sorted(reminders []event.Reminder) []event.Reminder {
	return slices.SortedFunc(slices.Values(reminders),
		func(a, b event.Reminder) int { return cmp.Compare(a.Key(), b.Key()) })
}

// check returns problem.ValidationFailed for the first setting that is out of bounds.
func (s Settings) check() error {
	if err := tenant.CheckOrigins("website.origins", s.Website.Origins); err != nil {
		return err
	}
	if err := checkOwnerEmails(s.OwnerEmails); err != nil {
		return err
	}
	if err := CheckReminders("reminders", s.Reminders); err != nil {
		return err
	}
	if s.BalanceDue != nil {
		if err := s.BalanceDue.Check("balance_due"); err != nil {
			return err
		}
	}
	if err := problem.CheckRange("follow_up_minutes", s.FollowUpMinutes, 0, maxFollowUpMinutes); err != nil ||
		s.From == nil {
		return err
	}
	return s.From.Check("email.from.email")
}

// CheckReminders returns problem.ValidationFailed for too many reminders, for one that is out of bounds, and for one
// that is given twice. field is the name of the list.
func CheckReminders(field string, reminders []event.Reminder) error {
	if len(reminders) > maxReminders {
		return problem.Invalid(field, "too_long", fmt.Sprintf("Expected at most %d.", maxReminders))
	}
	seen := make(map[string]bool, len(reminders))
	for i, r := range reminders {
		name := fmt.Sprintf("%s[%d]", field, i)
		if err := r.Check(name); err != nil {
			return err
		}
		if seen[r.Key()] {
			return problem.Invalid(name, "duplicate", "The reminder is listed already.")
		}
		seen[r.Key()] = true
	}
	return nil
}
