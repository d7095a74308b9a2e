package check_test

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/tools/torture/check"
	"holdfast/tools/torture/history"
)

// scene is a fixture in which a bit of everything has happened.
type scene struct {
	*fixture
	single, double, slots           string // services: of one unit by the date, of two by the date, of one by the hour
	booked, heldOne, over, replaced *history.Operation
	paid, back, refused             *history.Operation
}

func (s *scene) id(op *history.Operation) string {
	for _, b := range s.Bookings {
		if k := s.key(op.Key); k != nil && string(k.Body) == string(op.Response) && b.CreatedAt.Equal(k.CreatedAt) {
			return b.ID
		}
	}
	return ""
}

func newScene() *scene {
	s := &scene{fixture: newFixture()}
	s.single = s.service("date", 0, s.resource(1))
	s.double = s.service("date", 0, s.resource(2))
	s.slots = s.service("slot", 60, s.resource(1))
	s.booked = s.kept(s.create("booked", wanted{service: s.single, date: day, party: 1}))
	s.kept(s.create("taken", wanted{service: s.single, date: day, party: 1}))
	s.heldOne = s.kept(s.create("held", wanted{service: s.double, date: day, party: 2, hold: 5}))
	s.kept(s.change("confirm", "confirm", s.id(s.heldOne)))
	s.over = s.kept(s.create("over", wanted{service: s.slots, startsAt: start.AddDate(0, 1, 0), party: 1, hold: 1}))
	s.sleep(2 * time.Minute)
	s.kept(s.change("too late", "confirm", s.id(s.over)))
	s.replaced = s.kept(s.create("replaced", wanted{service: s.slots, startsAt: start.AddDate(0, 1, 0), party: 1}))
	s.kept(s.create("replaced", wanted{service: s.slots, startsAt: start.AddDate(0, 1, 0), party: 1}))
	s.paid = s.kept(s.pay("paid", s.id(s.booked), "pm_ok", 400))
	s.back = s.kept(s.refund("back", s.Payments[0].ID, 100))
	s.refused = s.kept(s.pay("refused", s.id(s.booked), "pm_declined", 300))
	s.kept(s.get(s.id(s.booked)))
	s.kept(s.availability(s.double, day))
	return s
}

// kept returns a copy, for the fixture's own moves when it grows.
func (s *scene) kept(op *history.Operation) *history.Operation {
	c := *op
	return &c
}

// afterAndBefore makes two bookings at these times of a day, one after the other, and then has an answer that knows of
// the later one only, before the other's. Two others make one calendar of the day and the next.
func (s *scene) afterAndBefore(slow, quick time.Duration) {
	midnight, _ := s.fixture.span(check.Service{Kind: "date"}, wanted{date: "2027-06-01"})
	service := s.service("slot", 60, s.resource(3))
	book := func(key string, at time.Duration) {
		s.create(key, wanted{service: service, startsAt: midnight.Add(at), party: 1})
	}
	book("across midnight", 23*time.Hour+30*time.Minute)
	book("next day", 24*time.Hour+20*time.Minute)
	s.sleep(10 * time.Millisecond)
	first := len(s.ops)
	book("slow", slow)
	book("quick", quick)
	s.sleep(10 * time.Millisecond)
	unseen := &s.Bookings[len(s.Bookings)-2]
	unseen.Status = "cancelled"
	answer := s.availability(service, midnight.Format(time.DateOnly))
	unseen.Status = "confirmed"
	s.ops[first].Returned = answer.Returned + time.Millisecond
	s.sleep(10 * time.Millisecond)
}

// op is the operation in the fixture that a copy was made of.
func (s *scene) op(c *history.Operation) *history.Operation { return &s.ops[c.ID] }

// forget removes a key.
func (s *scene) forget(key string) {
	for i := range s.Keys {
		if s.Keys[i].Key == key {
			s.Keys = append(s.Keys[:i], s.Keys[i+1:]...)
			return
		}
	}
}

// event is the first change of a type.
func (s *scene) event(eventType string) *check.Change {
	return &s.Changes[slices.IndexFunc(s.Changes, func(e check.Change) bool { return e.Type == eventType })]
}

// untell removes the first change of a type.
func (s *scene) untell(eventType string) {
	i := slices.IndexFunc(s.Changes, func(e check.Change) bool { return e.Type == eventType })
	s.Changes = slices.Delete(s.Changes, i, i+1)
}

// deliver delivers each change.
func (s *scene) deliver() []check.Delivery {
	for _, e := range s.Changes {
		s.Deliveries = append(s.Deliveries,
			check.Delivery{Tenant: e.Tenant, ID: e.ID, Signed: true, Accepted: true, Body: encode(map[string]any{
				"id": e.ID, "type": e.Type, "subject": map[string]any{"type": e.SubjectType, "id": e.Subject},
				"sequence": e.Sequence,
				"data":     json.RawMessage(e.Data),
			})})
	}
	return s.Deliveries
}

// changed has a scheduled event become what it can.
func (s *scene) changed(from, to string) {
	e := check.EventChange{
		Tenant:       s.tenant,
		ID:           uuid.NewString(),
		From:         from,
		To:           to,
		FromVersion:  2,
		Version:      3,
		FromAttempts: 1,
		Attempts:     1,
		At:           start,
	}
	if to == "processing" {
		e.Attempts, e.LeasedUntil = 2, &start
	}
	s.EventChanges = append(s.EventChanges, e)
}

// remind has a reminder of the booking sent that an operation made.
func (s *scene) remind(op *history.Operation) {
	b := s.booking(s.id(op))
	s.transaction++
	s.addBookingEvent("booking.reminder", b)
	s.Changes[len(s.Changes)-1].Notice = true
	s.changed("processing", "completed")
	e := &s.EventChanges[len(s.EventChanges)-1]
	e.Kind, e.Subject, e.Occurrence, e.WrittenBy = "booking.reminder", b.ID,
		"60m/"+b.StartsAt.UTC().Format(time.RFC3339), s.transaction
}

// lateNotice has the last notice come after the change that followed it.
func (s *scene) lateNotice() {
	last := len(s.Changes) - 1
	s.Changes[last-1], s.Changes[last] = s.Changes[last], s.Changes[last-1]
}

// scheduled adds a scheduled event that was due, or whose lease ended, when the run began.
func (s *scene) scheduled(status string) {
	s.Scheduled = append(s.Scheduled, check.ScheduledEvent{
		Tenant:      s.tenant,
		ID:          uuid.NewString(),
		Kind:        "booking.hold_expiry",
		Subject:     s.id(s.booked),
		Status:      status,
		Version:     2,
		Attempts:    1,
		DueAt:       start,
		LeasedUntil: &start,
	})
}
