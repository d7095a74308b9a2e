package timetable

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/problem"
)

// Allocation is where a booking goes.
type Allocation struct {
	Resource Resource
	Time     BookingTime // on the resource
	// Claims are what the booking takes, without owner and end: seats of session, unless that is nil. The first one is
	// of resource.
	Claims  []claim.Claim
	Session *claim.Session
	// FurtherIDs are the further resources that the booking, or its session, has.
	FurtherIDs []uuid.UUID
	// Expire are holds past their expiry that stand in the way, and sessions in which each booking is such a hold.
	Expire []uuid.UUID
}

// addClaims adds what the booking, or the session that it opens, takes of further resources.
func (a *Allocation) addClaims(claims []claim.Claim) {
	if a.Session != nil {
		a.Session.Opening = append(a.Session.Opening, claims...)
	} else {
		a.Claims = append(a.Claims, claims...)
	}
	for _, c := range claims {
		if c.ResourceID != a.Resource.ID && !slices.Contains(a.FurtherIDs, c.ResourceID) {
			a.FurtherIDs = append(a.FurtherIDs, c.ResourceID)
		}
	}
}

// Allocate finds what a party needs at a time: of the wanted resources, and where none is wanted of those that the
// need's choose takes. occupied and bookings (of the service on the date) were read under the date's lock; now is the
// database's clock.
//
// Errors: those of candidates; problem.OutsideBookingWindow; problem.OutsideOpeningHours; problem.ValidationFailed for
// a time at which no slot starts, a length that isn't sold, or a party that no resource can take;
// problem.SlotUnavailable.
func (r *Rules) Allocate(at BookingTime, wanted []uuid.UUID, party int, occupied []claim.Claim, bookings int,
	now time.Time,
) (Allocation, error) {
	groups, err := r.candidates(wanted)
	if err != nil {
		return Allocation{}, err
	}
	if err := r.checkWindow(at, now); err != nil {
		return Allocation{}, err
	}
	if err := r.kind().checkLength(r, at); err != nil {
		return Allocation{}, err
	}
	if err := r.start(&groups[0], at); err != nil {
		return Allocation{}, err
	}
	if party > r.largestParty() {
		return Allocation{}, problem.Invalid("party_size", "too_large",
			"No resource of the service can take so many.")
	}
	p := allocator{
		Rules: r, groups: groups, party: party, occupied: r.inTheWay(occupied), full: r.isFull(bookings), now: now,
	}
	if err := p.checkGap(at); err != nil {
		return Allocation{}, err
	}
	a, reason := p.find(at)
	switch {
	case reason == "":
		return a, nil
	case p.full:
		return a, problem.New(problem.SlotUnavailable, "The service takes no more bookings on this date.")
	case reason == NoHours:
		return a, outsideHours()
	}
	return a, problem.New(problem.SlotUnavailable, "The time is taken.")
}

// isFull reports whether the service takes no more bookings, or no more sessions, on a date on which it has so many.
func (r *Rules) isFull(bookings int) bool {
	return r.Service.MaxPerDay != nil && bookings >= *r.Service.MaxPerDay
}

// largestParty returns how many the resources of the first need can take.
func (r *Rules) largestParty() (most int) {
	first := r.needs[0]
	for _, res := range first.resources {
		if first.Join {
			most += res.Capacity
		} else {
			most = max(most, res.Capacity)
		}
	}
	return most
}

// start sets which candidates are open at a time, and at which a slot starts then. Errors: problem.OutsideOpeningHours
// and problem.ValidationFailed if there is none.
func (r *Rules) start(g *candidates, at BookingTime) error {
	for i := range g.resources {
		res, state := &g.resources[i], &g.states[i]
		state.open = r.kind().isOpen(r, res, r.timeOn(res, at))
		state.starts = state.open && r.kind().isStart(r, res, at)
	}
	switch {
	case !slices.ContainsFunc(g.states, func(s resourceState) bool { return s.open }):
		return outsideHours()
	case !slices.ContainsFunc(g.states, func(s resourceState) bool { return s.starts }):
		return problem.Invalid("starts_at", "not_a_slot",
			"No slot starts at this time; availability lists those that do.")
	}
	return nil
}

func outsideHours() error {
	return problem.New(problem.OutsideOpeningHours, "Nothing that serves this service is open at this time.")
}
