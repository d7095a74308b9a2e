package booking

import (
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/timetable"
)

// booked is a booking that was made, as far as the rules ask.
type booked struct {
	id uuid.UUID
	bookingTime
	// resourceIDs are all resources that the booking has, that of the first need first.
	resourceIDs []uuid.UUID
	// sessionID is the session in which the booking is; nil if it is in none.
	sessionID *uuid.UUID
}

// claimed returns what the booking, or its session, claims units of: its session, or its resource, and the other
// resources.
func (b booked) claimed() []uuid.UUID {
	all := slices.Clone(b.resourceIDs)
	if b.sessionID != nil {
		all[0] = *b.sessionID
	}
	return all
}

// without returns what is occupied, without what the booking takes. If nobody else is in its session, that is left out
// too; lapsed are then the holds past their expiry that still have seats of it.
func (b booked) without(occupied []claim.Claim, now time.Time) (remaining []claim.Claim, lapsed []uuid.UUID) {
	remaining = slices.DeleteFunc(slices.Clone(occupied), func(c claim.Claim) bool { return c.OwnerID == b.id })
	if b.sessionID == nil || slices.ContainsFunc(remaining, func(c claim.Claim) bool {
		return c.ResourceID == *b.sessionID && !c.Lapsed(now)
	}) {
		return remaining, nil
	}
	lapsed = lapsedHolds(*b.sessionID, remaining, b.busyFrom, b.busyUntil, now)
	return slices.DeleteFunc(remaining, func(c claim.Claim) bool { return c.OwnerID == *b.sessionID }), lapsed
}

// openFor reports whether the hours of a resource have the time of a booking, and whether a closure is in its way.
func (r *rules) openFor(res *timetable.Resource, at bookingTime) (inHours, closed bool) {
	k, withoutClosures := r.kind(), rules{service: r.service, loc: r.loc}
	inHours = k.isOpen(&withoutClosures, res, at)
	closed = inHours && !k.isOpen(r, res, at) || slices.ContainsFunc(k.openDates(r, at),
		func(d civil.Date) bool { return r.closed(res, d) })
	return inHours, closed
}
