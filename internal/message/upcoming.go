package message

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/problem"
	"holdfast/internal/timezone"
)

// Upcoming is a message that will be planned, as far as what is stored stays as it is.
type Upcoming struct {
	Kind     string    `json:"kind" example:"booking.reminder"`
	DueAt    time.Time `json:"due_at" example:"2027-07-01T09:00:00+02:00" doc:"In time_zone."`
	TimeZone string    `json:"time_zone" example:"Europe/Berlin" doc:"In which due_at was computed."`
}

// farAhead is further ahead than any booking can be.
const farAhead = 100 * 366 * 24 * time.Hour

// Upcoming returns the messages about a booking or a customer that aren't planned yet, the next one of each kind of
// greeting, in the order in which they are due. Another subject has none. Errors: problem.DatabaseUnavailable.
func (s *Service) Upcoming(ctx context.Context, tenant, subject uuid.UUID) ([]Upcoming, error) {
	due, err := s.next(ctx, tenant, subject)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	kinds := []string{event.KindBookingReminder, event.KindBalanceDue, event.KindBookingFollowUp, event.KindAnniversary,
		event.KindBirthday}
	existing, err := s.plannedEvents(ctx, tenant, subject, kinds...)
	if err != nil {
		return nil, err
	}
	type name struct{ kind, occurrence string }
	known := make(map[name]bool)
	for _, e := range existing {
		known[name{e.Kind, e.Occurrence}] = true
	}
	var list []Upcoming
	listed := make(map[string]bool) // kinds of greetings
	for _, e := range due {
		greeting := e.Kind == event.KindAnniversary || e.Kind == event.KindBirthday
		if known[name{e.Kind, e.Occurrence}] || greeting && listed[e.Kind] {
			continue
		}
		listed[e.Kind] = true
		loc, err := timezone.Load(e.TimeZone)
		if err != nil {
			return nil, err
		}
		list = append(list, Upcoming{Kind: e.Kind, DueAt: e.DueAt.In(loc), TimeZone: e.TimeZone})
	}
	return list, nil
}

// next returns all messages about a booking or a customer that will be due.
func (s *Service) next(ctx context.Context, tenant, subject uuid.UUID) ([]db.NewEvent, error) {
	now := time.Now()
	w := window{now, now.Add(farAhead)}
	var due []db.NewEvent
	d, err := s.bookingData(ctx, tenant, subject, "")
	switch {
	case err == nil:
		due, err = messagesOf(d.Booking, d.settings, w)
		due = slices.DeleteFunc(due,
			func(e db.NewEvent) bool { return d.reasonAgainst(e.Kind, e.Occurrence, e.DueAt) != "" })
	case problem.Is(err, problem.NotFound):
		c, err := s.customerData(ctx, tenant, subject, "")
		if problem.Is(err, problem.NotFound) {
			return nil, nil
		}
		if err == nil && c.settings.Greetings.Birthday && c.ErasedAt == nil && c.UnsubscribedAt == nil {
			due = birthdaysOf(c.Customer, c.location, w)
		}
		return due, err
	}
	slices.SortStableFunc(due, func(a, b db.NewEvent) int { return a.DueAt.Compare(b.DueAt) })
	return due, err
}
