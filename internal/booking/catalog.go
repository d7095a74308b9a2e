package booking

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/event"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
)

// Kind is how a service is sold.
type Kind string

// The kinds of services.
const (
	// KindDate sells whole civil dates.
	KindDate Kind = "date"
	// KindSlot sells a duration inside the opening hours.
	KindSlot Kind = "slot"
)

// Bounds of what a tenant may define. With them a booking touches at most 24 dates, fewer than the locks
// that a transaction may take.
const (
	maxCapacity         = 1000
	maxDurationDays     = 7
	maxDurationMinutes  = maxDurationDays * minutesPerDay
	maxBufferDays       = 7
	maxBufferMinutes    = minutesPerDay
	maxLeadMinutes      = 366 * minutesPerDay
	maxWindowDays       = 3650
	maxServiceResources = 100
	maxPosition         = 1_000_000
)

// DefaultBookingWindowDays is how many days after today can be booked if a service doesn't say.
const DefaultBookingWindowDays = 365

// Resource is a room, person or boat that serves bookings.
type Resource struct {
	ID   uuid.UUID
	Name string
	// Capacity is the number of units that can be taken at the same time, numbered from 1. Bookings from before it was lowered may
	// still have higher units: they count as units in use.
	Capacity int
	// Position orders the tenant's resources where a list asks for that order.
	Position int
	Hours    Hours
	// ArchivedAt is set for a resource that takes no new bookings.
	ArchivedAt *time.Time
	// Version grows with every change.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time

	times timetable // of Hours
}

// BookableService is a service: what is sold, how, and by which resources.
type BookableService struct {
	ID   uuid.UUID
	Name string
	Kind Kind
	// ResourceIDs are tried in this order when a booking names no resource.
	ResourceIDs []uuid.UUID
	// A slot lasts DurationMinutes, or DurationDays, or, with UntilClosing, until the opening hours in which it starts end. Days are civil days: the
	// slot ends at the time of day at which it starts. All three are zero for a date service.
	DurationMinutes, DurationDays int
	UntilClosing                  bool
	// Slots start every SlotIntervalMinutes of wall-clock time from the opening time on. It is zero for a date service.
	SlotIntervalMinutes int
	// The buffers are kept free before and after each booking. Each is in minutes or in civil days.
	BufferBeforeMinutes, BufferBeforeDays int
	BufferAfterMinutes, BufferAfterDays   int
	// MinLeadMinutes must lie between now and a booking's start, which is midnight for a date service. With zero, a date service can be
	// booked for the current date until it ends.
	MinLeadMinutes int
	// BookingWindowDays is how many days after today can be booked.
	BookingWindowDays int
	// MaxPerDay bounds the bookings that start on one date; nil doesn't.
	MaxPerDay *int
	// Price and Deposit are minor units of the tenant's currency. Pricing has what a booking's price depends on besides.
	Price   int64
	Deposit int64
	Pricing
	// CancellationPolicy is copied to each booking when it is made.
	CancellationPolicy CancellationPolicy
	// ConfirmOnDeposit says that the payment of a hold's deposit confirms the hold. It is copied to each booking when it is made.
	ConfirmOnDeposit bool
	Metadata         json.RawMessage
	// Reminders replace the tenant's; nil leaves these, and an empty list sends none.
	Reminders []event.Reminder
	// ArchivedAt is set for a service that takes no new bookings.
	ArchivedAt *time.Time
	// Version grows with every change.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
	// Currency is the tenant's.
	Currency string
}

// windowMinutes is how far ahead, at most, a booking can begin: with a longer lead time nothing could be booked. A slot can begin until the last
// date of the window ends.
func (o BookableService) windowMinutes() int {
	if o.Kind == KindSlot {
		return (o.BookingWindowDays + 1) * minutesPerDay
	}
	return o.BookingWindowDays * minutesPerDay
}

// withDefaults returns the service with the interval of its slots, which is the duration in minutes, but at most a day, if none is given, and with a
// price per booking if it doesn't say what the price is for.
func (o BookableService) withDefaults() BookableService {
	if o.Kind == KindSlot && o.SlotIntervalMinutes == 0 {
		o.SlotIntervalMinutes = min(o.DurationMinutes, minutesPerDay)
		if o.DurationMinutes == 0 {
			o.SlotIntervalMinutes = minutesPerDay
		}
	}
	o.PricePer = cmp.Or(o.PricePer, PerBooking)
	return o
}

// Closure is a period of whole dates, both ends included, at which a resource can't be booked; without a
// resource it closes all of the tenant's.
type Closure struct {
	ID         uuid.UUID
	ResourceID *uuid.UUID
	From, To   civil.Date
	Reason     string
	// ArchivedAt is set for a closure that closes nothing any more.
	ArchivedAt *time.Time
	// Version grows with every change.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Check returns problem.ValidationFailed for a blank or unreadable name, a capacity or position out of bounds, or hours that contradict
// themselves.
func (r Resource) Check() error {
	return cmp.Or(tenant.CheckText("name", r.Name), problem.CheckRange("capacity", r.Capacity, 1, maxCapacity),
		problem.CheckRange("position", r.Position, 0, maxPosition), r.Hours.Check())
}

// Check returns problem.ValidationFailed for the first field that is out of bounds or doesn't fit the kind.
func (o BookableService) Check() error {
	checks := []error{
		tenant.CheckText("name", o.Name),
		checkBuffer("buffer_before", o.BufferBeforeMinutes, o.BufferBeforeDays),
		checkBuffer("buffer_after", o.BufferAfterMinutes, o.BufferAfterDays),
		problem.CheckRange("booking_window_days", o.BookingWindowDays, 0, maxWindowDays),
		problem.CheckRange("min_lead_minutes", o.MinLeadMinutes, 0, min(maxLeadMinutes, o.windowMinutes())),
		o.checkPrices(),
		o.CancellationPolicy.check(),
		problem.CheckRange("resource_ids", len(o.ResourceIDs), 1, maxServiceResources),
		settings.CheckReminders("reminders", o.Reminders),
	}
	if o.MaxPerDay != nil {
		checks = append(checks, problem.CheckRange("max_per_day", *o.MaxPerDay, 1, 1_000_000))
	}
	switch o.Kind {
	case KindSlot:
		checks = append(checks, o.checkDuration(), problem.CheckRange("slot_interval_minutes", o.SlotIntervalMinutes, 1, minutesPerDay))
	case KindDate:
		for _, length := range []struct {
			field string
			given bool
		}{{"duration_minutes", o.DurationMinutes != 0}, {"duration_days", o.DurationDays != 0}, {"until_closing", o.UntilClosing}} {
			if length.given {
				checks = append(checks, problem.Invalid(length.field, "not_for_kind", "A date service takes the whole date."))
			}
		}
		if o.SlotIntervalMinutes != 0 {
			checks = append(checks, problem.Invalid("slot_interval_minutes", "not_for_kind", "A date service has no slots."))
		}
	default:
		checks = append(checks, problem.Invalid("kind", "not_one_of", "Expected date or slot."))
	}
	seen := make(map[uuid.UUID]bool, len(o.ResourceIDs))
	for i, id := range o.ResourceIDs {
		if seen[id] {
			checks = append(checks, problem.Invalid(fmt.Sprintf("resource_ids[%d]", i), "duplicate", "The resource is listed already."))
		}
		seen[id] = true
	}
	return cmp.Or(checks...)
}

// checkDuration returns problem.ValidationFailed unless a slot has exactly one length.
func (o BookableService) checkDuration() error {
	switch {
	case o.UntilClosing && (o.DurationMinutes != 0 || o.DurationDays != 0):
		return problem.Invalid("until_closing", "excluded", "Leave out until_closing, or the duration.")
	case o.UntilClosing:
		return nil
	case o.DurationDays != 0 && o.DurationMinutes != 0:
		return problem.Invalid("duration_days", "excluded", "Leave out duration_minutes or duration_days.")
	case o.DurationDays != 0:
		return problem.CheckRange("duration_days", o.DurationDays, 1, maxDurationDays)
	}
	if o.DurationMinutes == 0 {
		return problem.Invalid("duration_minutes", "required", "Give duration_minutes or duration_days, or until_closing: true.")
	}
	return problem.CheckRange("duration_minutes", o.DurationMinutes, 1, maxDurationMinutes)
}

// checkBuffer returns problem.ValidationFailed for a buffer that is too long, or that is given in minutes and in days.
func checkBuffer(field string, minutes, days int) error {
	if minutes != 0 && days != 0 {
		return problem.Invalid(field+"_days", "excluded", "Leave out "+field+"_minutes or "+field+"_days.")
	}
	return cmp.Or(problem.CheckRange(field+"_minutes", minutes, 0, maxBufferMinutes), problem.CheckRange(field+"_days", days, 0, maxBufferDays))
}

// longestDayMinutes is the longest a civil date can be: 24 hours, and the 26 between the offsets +14:00 and -12:00, for a move over the date line.
const longestDayMinutes = 50 * 60

// longestMinutes returns the longest time that a booking of the service can occupy a resource, its buffers included.
func (o BookableService) longestMinutes() int {
	longest := func(minutes, days int) int {
		if days > 0 {
			return (days-1)*minutesPerDay + longestDayMinutes
		}
		return minutes
	}
	days := o.DurationDays
	if o.Kind == KindDate || o.UntilClosing { // opening hours last a day at most
		days = 1
	}
	return longest(o.BufferBeforeMinutes, o.BufferBeforeDays) + longest(o.DurationMinutes, days) + longest(o.BufferAfterMinutes, o.BufferAfterDays)
}

// Check returns problem.ValidationFailed for a period that ends before it starts, and for an unreadable reason.
func (c Closure) Check() error {
	var order, reason error
	if c.Reason != "" {
		reason = tenant.CheckText("reason", c.Reason)
	}
	if c.To.Before(c.From) {
		order = problem.Invalid("to", "before_from", "Expected a date that is not before from.")
	}
	return cmp.Or(checkDate("from", c.From), checkDate("to", c.To), order, reason)
}

// closes reports whether the closure keeps a resource from being booked on a date.
func (c Closure) closes(resource uuid.UUID, d civil.Date) bool {
	return (c.ResourceID == nil || *c.ResourceID == resource) && !d.Before(c.From) && !d.After(c.To)
}
