package timetable

import (
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/claim"
)

// Booking is a booking that was made, as far as the rules ask.
type Booking struct {
	ID uuid.UUID
	BookingTime
	// ResourceIDs are all resources that the booking has, that of the first need first.
	ResourceIDs []uuid.UUID
	// SessionID is the session in which the booking is; nil if it is in none.
	SessionID *uuid.UUID
}

// Claimed returns the ids of which the booking takes units: its session, if it is in one, in place of its first
// resource; then its further resources.
func (b Booking) Claimed() []uuid.UUID {
	all := slices.Clone(b.ResourceIDs)
	if b.SessionID != nil {
		all[0] = *b.SessionID
	}
	return all
}

// Without returns what is occupied, without what the booking takes. If nobody else is in its session, that is left out
// too; lapsed are then the holds past their expiry that still have seats of it.
func (b Booking) Without(occupied []claim.Claim, now time.Time) (remaining []claim.Claim, lapsed []uuid.UUID) {
	remaining = slices.DeleteFunc(slices.Clone(occupied), func(c claim.Claim) bool { return c.OwnerID == b.ID })
	if b.SessionID == nil || slices.ContainsFunc(remaining, func(c claim.Claim) bool {
		return c.ResourceID == *b.SessionID && !c.Lapsed(now)
	}) {
		return remaining, nil
	}
	lapsed = lapsedHolds(*b.SessionID, remaining, b.BusyFrom, b.BusyUntil, now)
	return slices.DeleteFunc(remaining, func(c claim.Claim) bool { return c.OwnerID == *b.SessionID }), lapsed
}

// OpenFor returns inHours if the hours of a resource cover the time of a booking, and closed if a closure is in its
// way.
func (r *Rules) OpenFor(res *Resource, at BookingTime) (inHours, closed bool) {
	k, withoutClosures := r.kind(), Rules{Service: r.Service, Loc: r.Loc}
	inHours = k.isOpen(&withoutClosures, res, at)
	closed = inHours && !k.isOpen(r, res, at) || slices.ContainsFunc(k.openDates(r, at),
		func(d civil.Date) bool { return r.closed(res, d) })
	return inHours, closed
}
