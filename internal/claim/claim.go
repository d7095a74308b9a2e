package claim

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// Claim is what a booking, a session or a block takes of a resource, or a booking of a session: its seats are units of
// the session, which then stands in the place of the resource. An owner has a claim on each of its resources, or
// several that follow each other with other units each, if no units are free for all of its time.
type Claim struct {
	// OwnerID is the booking, the session or the block.
	OwnerID, ResourceID uuid.UUID
	Units               []UnitRange
	// BusyFrom and BusyUntil bound the time that is taken, buffers included.
	BusyFrom, BusyUntil time.Time
	// ExpiresAt is when the claim of a hold ends; nil for one that doesn't end by itself.
	ExpiresAt *time.Time
	// Over says that the booking took place or nobody came. It still takes its time. Only the lists of what comes
	// tell it.
	Over bool
	// OfStay says that the booking is a stay. Only the list of what is in the way tells it.
	OfStay bool
}

// Lapsed reports whether the claim is that of a hold past its expiry at now. Its time counts as free.
func (c Claim) Lapsed(now time.Time) bool { return c.ExpiresAt != nil && !now.Before(*c.ExpiresAt) }

// LetsLeave reports whether the claim is that of a block, and leaves its time to stays: see LeavingUnits.
func (c Claim) LetsLeave() bool { return len(c.Units) == 1 && c.Units[0] == LeavingUnits() }

// OfBlock reports whether the claim is that of a block.
func (c Claim) OfBlock() bool {
	return slices.ContainsFunc(c.Units, UnitRange.ofBlock)
}

// Blocked reports whether a block takes some of [from, until) of a resource.
func Blocked(resource uuid.UUID, claims []Claim, from, until time.Time) bool {
	return slices.ContainsFunc(claims, func(c Claim) bool {
		return c.ResourceID == resource && c.BusyFrom.Before(until) && from.Before(c.BusyUntil) && c.OfBlock()
	})
}

// Session is one start of a service on one resource, which several bookings share. It claims all units of the resource
// for as long as a booking has seats of it.
type Session struct {
	ID uuid.UUID
	// Opening is what the session takes if nobody is in it yet, without owner and end; empty for a session that exists.
	Opening []Claim
}

// Opens reports whether nobody is in the session yet.
func (s *Session) Opens() bool { return s != nil && len(s.Opening) > 0 }

// SessionSeats is how many seats of a session are taken, and when it occupies its resource, in Unix time in seconds.
// FurtherIDs are the resources that it has besides.
type SessionSeats struct {
	ID          uuid.UUID
	From, Until int64
	FurtherIDs  []uuid.UUID
	SeatsInUse  int
}
