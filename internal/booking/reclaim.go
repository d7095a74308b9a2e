package booking

import (
	"slices"
	"time"

	"holdfast/internal/claim"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// reclaim finds units for a booking whose hold is over, where it is, with the buffers that it was made with. occupied and
// bookings (of the service on the date) were read under the dates' locks; now is the database's clock. What counts is what is so now: that
// the time isn't over, that service and resource take bookings, hours and closures, the maximum per day, capacity and units. The lead time,
// the booking window and the starts of slots don't count: they were kept when the hold was made.
//
// Errors: problem.SlotUnavailable.
func (r *rules) reclaim(held booked, party int, occupied []claim.Claim, bookings int, now time.Time,
) (allocation, error) {
	refuse := func(detail string) (allocation, error) {
		return allocation{}, problem.New(problem.SlotUnavailable, detail)
	}
	groups, err := r.candidates(held.resourceIDs)
	switch {
	case !now.Before(held.end):
		return refuse("The hold has expired, and its time is over.")
	case err != nil:
		return refuse("The hold has expired, and its service or resource takes no new bookings.")
	case !groups[0].asked || groups[0].resources[0].ID != held.resourceIDs[0]:
		return refuse("The hold has expired, and its service needs other resources now.")
	}
	res := groups[0].resources[0]
	switch {
	case !r.kind().isOpen(r, &res, held.bookingTime):
		return refuse("The hold has expired, and the resource is closed at its time.")
	case (held.sessionID != nil) != (r.service.Occupies == timetable.OccupiesSession):
		return refuse("The hold has expired, and its service takes other bookings now.")
	}
	remaining, lapsed := held.without(occupied, now)
	p := allocator{
		rules: r, groups: groups, starting: []timetable.Resource{res}, party: party, occupied: r.inTheWay(remaining),
		full: r.service.MaxPerDay != nil && bookings >= *r.service.MaxPerDay, now: now,
	}
	a, found := p.find(held.bookingTime, func(_ *timetable.Resource, at bookingTime) bookingTime { return at })
	switch {
	case found && !slices.Equal(a.furtherIDs, held.resourceIDs[1:]):
		return refuse("The hold has expired, and its service needs other resources now.")
	case found:
		a.expire = append(a.expire, lapsed...)
		return a, nil
	case p.furtherClosed:
		return refuse("The hold has expired, and the resource is closed at its time.")
	case p.full:
		return refuse("The hold has expired, and the service takes no more bookings on this date.")
	}
	return refuse("The hold has expired, and its time is taken.")
}
