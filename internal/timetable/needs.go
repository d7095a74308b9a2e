package timetable

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/problem"
)

// Need is a group of resources of which each booking of a service gets one, or several that are joined. A resource
// stands in one need of a service.
type Need struct {
	ResourceIDs []uuid.UUID `json:"resource_ids" minItems:"1" maxItems:"100" nullable:"false" format:"uuid"`
	Units       int         `json:"units,omitempty" minimum:"0" maximum:"1000" doc:"How many units a booking takes of it; 1 if absent. Not for the first need: it takes the party, as occupies says."`
	Join        bool        `json:"join,omitempty" doc:"If no resource alone has the units, resources that follow each other in the list are taken together: as few as possible, and of those the first. Not with until_closing, and not for a session."`
	Choose      Choose      `json:"choose,omitempty" enum:"in_order,in_turn,least_booked" doc:"Which of the resources that fit is taken; in_order if absent. in_order: the first of the list. in_turn: the one with the fewest bookings on the date; of equal ones the list begins one further each day. least_booked: the one with the least booked time on the date."`
}

// Choose says which of the resources that fit a booking is taken.
type Choose string

// The rules of choice.
const (
	// ChooseInOrder takes the first of the list.
	ChooseInOrder Choose = "in_order"
	// ChooseInTurn takes the one with the fewest bookings on the date. Of equal ones the list begins one further each
	// day.
	ChooseInTurn Choose = "in_turn"
	// ChooseLeastBooked takes the one with the least booked time on the date.
	ChooseLeastBooked Choose = "least_booked"
)

// maxNeeds bounds how many needs a service has.
const maxNeeds = 5

// AllNeeds returns what each booking needs: the needs that the service says, or one of its resources.
func (svc Spec) AllNeeds() []Need {
	if len(svc.Needs) > 0 {
		return svc.Needs
	}
	return []Need{{ResourceIDs: svc.ResourceIDs}}
}

// AllResourceIDs returns all resources that can serve the service, those of the first need first.
func (svc Spec) AllResourceIDs() []uuid.UUID {
	if len(svc.Needs) == 0 {
		return svc.ResourceIDs
	}
	var all []uuid.UUID
	for _, n := range svc.Needs {
		all = append(all, n.ResourceIDs...)
	}
	return all
}

// setNeeds fills in what the needs don't say.
func (svc *Spec) setNeeds() {
	if len(svc.Needs) == 0 {
		svc.Needs = nil // no list and an empty one are the same
		return
	}
	svc.Needs = slices.Clone(svc.Needs)
	for i := range svc.Needs {
		n := &svc.Needs[i]
		n.Choose = cmp.Or(n.Choose, ChooseInOrder)
		if i > 0 {
			n.Units = cmp.Or(n.Units, 1)
		}
	}
}

// checkNeeds returns problem.ValidationFailed unless the service says what its bookings need in one way.
func (svc Spec) checkNeeds() error {
	given := len(svc.Needs) > 0
	switch {
	case given && len(svc.ResourceIDs) > 0:
		return problem.Invalid("resource_ids", "excluded", "Leave out resource_ids, or leave out needs.")
	case !given && len(svc.ResourceIDs) == 0:
		return problem.Invalid("resource_ids", "required", "Give resource_ids, or needs.")
	}
	checks := []error{
		problem.CheckRange("needs", len(svc.Needs), 0, maxNeeds),
		problem.CheckRange("resource_ids", len(svc.AllResourceIDs()), 1, maxServiceResources),
	}
	seen := make(map[uuid.UUID]bool)
	for i, n := range svc.AllNeeds() {
		field := "resource_ids"
		if given {
			field = fmt.Sprintf("needs[%d].resource_ids", i)
			checks = append(checks, n.check(i, svc))
		}
		for j, id := range n.ResourceIDs {
			if seen[id] {
				checks = append(checks, problem.Invalid(fmt.Sprintf("%s[%d]", field, j), "duplicate",
					"The resource is listed already."))
			}
			seen[id] = true
		}
	}
	return cmp.Or(checks...)
}

func (n Need) check(i int, svc Spec) error {
	field := func(name string) string { return fmt.Sprintf("needs[%d].%s", i, name) }
	switch {
	case len(n.ResourceIDs) == 0:
		return problem.Invalid(field("resource_ids"), "too_short", "Give at least one resource.")
	case i == 0 && n.Units != 0:
		return problem.Invalid(field("units"), "excluded", "The first need takes the party. Leave out units.")
	case i > 0 && (n.Units < 1 || n.Units > MaxCapacity):
		return problem.CheckRange(field("units"), n.Units, 1, MaxCapacity)
	case n.Join && i == 0 && svc.Occupies == OccupiesSession:
		return problem.Invalid(field("join"), "excluded", "A session is on one resource. Leave out join, or occupies.")
	case n.Join && svc.UntilClosing:
		return problem.Invalid(field("join"), "excluded",
			"Joined resources close at different times. Leave out join, or until_closing.")
	case !slices.Contains([]Choose{ChooseInOrder, ChooseInTurn, ChooseLeastBooked}, n.Choose):
		return problem.Invalid(field("choose"), "not_one_of", "Expected in_order, in_turn or least_booked.")
	}
	return nil
}
