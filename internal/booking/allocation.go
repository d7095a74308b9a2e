package booking

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// allocation is where a booking goes.
type allocation struct {
	resource timetable.Resource
	time     bookingTime // on the resource
	// claims are what the booking takes, without owner and end: seats of session, unless that is nil. The first one is of resource.
	claims  []claim.Claim
	session *claim.Session
	// furtherIDs are the further resources that the booking, or its session, has.
	furtherIDs []uuid.UUID
	// expire are holds past their expiry that stand in the way, and sessions in which each booking is such a hold.
	expire []uuid.UUID
}

// addClaims adds what the booking, or the session that it opens, takes of further resources.
func (a *allocation) addClaims(claims []claim.Claim) {
	if a.session != nil {
		a.session.Opening = append(a.session.Opening, claims...)
	} else {
		a.claims = append(a.claims, claims...)
	}
	for _, c := range claims {
		if c.ResourceID != a.resource.ID && !slices.Contains(a.furtherIDs, c.ResourceID) {
			a.furtherIDs = append(a.furtherIDs, c.ResourceID)
		}
	}
}

// allocate finds what a party needs at a time: of the wanted resources, and where none is wanted of those that the need's choose takes.
// occupied and bookings (of the service on the date) were read under the date's lock; now is the database's clock.
//
// Errors: those of candidates; problem.OutsideBookingWindow; problem.OutsideOpeningHours; problem.ValidationFailed for a time at which no
// slot starts, a length that isn't sold, or a party that no resource can take; problem.SlotUnavailable.
func (r *rules) allocate(at bookingTime, wanted []uuid.UUID, party int, occupied []claim.Claim, bookings int,
	now time.Time,
) (allocation, error) {
	groups, err := r.candidates(wanted)
	if err != nil {
		return allocation{}, err
	}
	if err := r.checkWindow(at, now); err != nil {
		return allocation{}, err
	}
	if err := r.kind().checkLength(r, at); err != nil {
		return allocation{}, err
	}
	starting, err := r.openCandidates(groups[0].resources, at)
	if err != nil {
		return allocation{}, err
	}
	if party > r.largestParty() {
		return allocation{}, problem.Invalid("party_size", "too_large", "No resource of the service can take so many.")
	}
	p := allocator{
		rules: r, groups: groups, starting: starting, party: party, occupied: r.inTheWay(occupied),
		full: r.service.MaxPerDay != nil && bookings >= *r.service.MaxPerDay, now: now,
	}
	a, found := p.find(at, r.timeOn)
	switch {
	case found:
		return a, nil
	case p.full:
		return a, problem.New(problem.SlotUnavailable, "The service takes no more bookings on this date.")
	case p.furtherClosed:
		return a, outsideHours()
	}
	return a, problem.New(problem.SlotUnavailable, "The time is taken.")
}

// largestParty returns how many the resources of the first need can take.
func (r *rules) largestParty() (most int) {
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

// openCandidates returns those of the resources that are open at a time at which one of their slots starts.
func (r *rules) openCandidates(all []timetable.Resource, at bookingTime) ([]timetable.Resource, error) {
	var open, starting []timetable.Resource
	for i := range all {
		res := &all[i]
		if !r.kind().isOpen(r, res, r.timeOn(res, at)) {
			continue
		}
		open = append(open, *res)
		if r.kind().isStart(r, res, at) {
			starting = append(starting, *res)
		}
	}
	switch {
	case len(open) == 0:
		return nil, outsideHours()
	case len(starting) == 0:
		return nil, problem.Invalid("starts_at", "not_a_slot", "No slot starts at this time; availability lists those that do.")
	}
	return starting, nil
}

func outsideHours() error {
	return problem.New(problem.OutsideOpeningHours, "Nothing that serves this service is open at this time.")
}
