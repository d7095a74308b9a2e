package booking

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/problem"
	"holdfast/internal/store"
)

// allocation is where a booking goes.
type allocation struct {
	resource catalog.Resource
	time     bookingTime // on the resource
	units    []store.UnitRange
	// session is the one whose seats the units are, nil without one.
	session *store.Session
	// expire are holds past their expiry that stand in the way, and sessions that have no others.
	expire []uuid.UUID
}

// allocate finds units for a party at a time: on the wanted resource, or on the first of the service's that has
// them. occupied and bookings (of the service on the date) were read under the date's lock; now is the
// database's clock.
//
// Errors: problem.NotFound for a resource that doesn't serve the service; problem.InvalidState for an archived service or resource;
// problem.OutsideBookingWindow;
// problem.OutsideOpeningHours; problem.ValidationFailed for a time at which no slot starts, a length that isn't sold, or a party that no
// resource can take; problem.SlotUnavailable.
func (r *rules) allocate(at bookingTime, wanted *uuid.UUID, party int, occupied []store.Claim, bookings int,
	now time.Time,
) (allocation, error) {
	candidates, err := r.candidates(wanted)
	if err != nil {
		return allocation{}, err
	}
	if err := r.checkWindow(at, now); err != nil {
		return allocation{}, err
	}
	if err := r.kind().checkLength(r, at); err != nil {
		return allocation{}, err
	}
	if candidates, err = r.openCandidates(candidates, at); err != nil {
		return allocation{}, err
	}
	if !slices.ContainsFunc(r.resources, func(res catalog.Resource) bool { return party <= res.Capacity }) {
		return allocation{}, problem.Invalid("party_size", "too_large", "No resource of the service can take so many.")
	}
	full := r.service.MaxPerDay != nil && bookings >= *r.service.MaxPerDay
	a, found := r.place(candidates, at, party, occupied, full, now)
	switch {
	case found:
		return a, nil
	case full:
		return a, problem.New(problem.SlotUnavailable, "The service takes no more bookings on this date.")
	}
	return a, problem.New(problem.SlotUnavailable, "The time is taken.")
}

// candidates returns the resources that may serve a booking. Errors: problem.NotFound for a resource that doesn't serve the service;
// problem.InvalidState for an archived service or resource.
func (r *rules) candidates(wanted *uuid.UUID) ([]catalog.Resource, error) {
	if wanted == nil && len(r.resources) > 0 {
		return r.resources, nil
	}
	for _, res := range r.resources {
		if wanted != nil && res.ID == *wanted {
			return []catalog.Resource{res}, nil
		}
	}
	switch {
	case wanted != nil && !slices.Contains(r.service.ResourceIDs, *wanted):
		return nil, problem.Missing()
	case r.service.ArchivedAt != nil:
		return nil, problem.New(problem.InvalidState, "The service is archived and takes no new bookings.")
	case wanted != nil:
		return nil, problem.New(problem.InvalidState, "The resource is archived and takes no new bookings.")
	}
	return nil, problem.New(problem.InvalidState, "All resources of the service are archived and take no new bookings.")
}

// openCandidates returns those of the resources that are open at a time at which one of their slots starts.
func (r *rules) openCandidates(all []catalog.Resource, at bookingTime) ([]catalog.Resource, error) {
	var open, starting []catalog.Resource
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
		return nil, problem.New(problem.OutsideOpeningHours, "Nothing that serves this service is open at this time.")
	case len(starting) == 0:
		return nil, problem.Invalid("starts_at", "not_a_slot", "No slot starts at this time; availability lists those that do.")
	}
	return starting, nil
}
