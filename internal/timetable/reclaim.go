package timetable

import (
	"slices"
	"time"

	"holdfast/internal/claim"
	"holdfast/internal/problem"
)

// Reclaim finds units for a booking whose hold is over, where it is, with the buffers that it was made with. occupied
// and bookings (of the service on the date) were read under the dates' locks; now is the database's clock. What counts
// is what is so now: that the time isn't over, that service and resource take bookings, hours and closures, the maximum
// per day, capacity and units. The lead time, the booking window and the starts of slots don't count: they were kept
// when the hold was made.
//
// Errors: problem.SlotUnavailable.
func (r *Rules) Reclaim(held Booking, party int, occupied []claim.Claim, bookings int, now time.Time,
) (Allocation, error) {
	refuse := func(detail string) (Allocation, error) {
		return Allocation{}, problem.New(problem.SlotUnavailable, detail)
	}
	groups, err := r.candidates(held.ResourceIDs)
	switch {
	case !now.Before(held.End):
		return refuse("The hold has expired, and its time is over.")
	case err != nil:
		return refuse("The hold has expired, and its service or resource takes no new bookings.")
	case !groups[0].asked || groups[0].resources[0].ID != held.ResourceIDs[0]:
		return refuse("The hold has expired, and its service needs other resources now.")
	}
	res := groups[0].resources[0]
	switch {
	case !r.kind().isOpen(r, &res, held.BookingTime):
		return refuse("The hold has expired, and the resource is closed at its time.")
	case (held.SessionID != nil) != (r.Service.Occupies == OccupiesSession):
		return refuse("The hold has expired, and its service takes other bookings now.")
	}
	remaining, lapsed := held.Without(occupied, now)
	p := allocator{
		Rules:    r,
		groups:   groups,
		party:    party,
		occupied: r.inTheWay(remaining),
		full:     r.isFull(bookings),
		now:      now,
		at:       held.BookingTime,
	}
	p.order(p.at)
	for i := range groups[0].resources {
		groups[0].states[i].open = r.kind().isOpen(r, &groups[0].resources[i], p.at)
	}
	groups[0].states[0].starts = true
	a, reason := p.allocate()
	switch {
	case reason == "" && !slices.Equal(a.FurtherIDs, held.ResourceIDs[1:]):
		return refuse("The hold has expired, and its service needs other resources now.")
	case reason == "":
		a.Expire = append(a.Expire, lapsed...)
		return a, nil
	case p.full:
		return refuse("The hold has expired, and the service takes no more bookings on this date.")
	case reason == NoHours:
		return refuse("The hold has expired, and the resource is closed at its time.")
	}
	return refuse("The hold has expired, and its time is taken.")
}
