package catalog

import (
	"time"

	"holdfast/internal/claim"
)

// Archiving archives a resource, a service or a block, or takes it back.
type Archiving struct {
	Archived bool `json:"-"`
	Force    bool `json:"force,omitempty" doc:"true: archive it although it has bookings. They stay."`
}

// asks reports whether the bookings that aren't over decide.
func (a Archiving) asks() bool { return a.Archived && !a.Force }

// apply sets or removes the time of archiving. Errors: problem.BookingsInTheWay.
func (a Archiving) apply(at **time.Time, occupied []claim.Claim, now time.Time) error {
	switch {
	case !a.Archived:
		*at = nil
	case *at == nil:
		*at = &now
		if !a.Force {
			return inTheWay(occupied, now, "There are bookings that aren't over.")
		}
	}
	return nil
}

// action is the last part of the action's name in the history.
func (a Archiving) action() string {
	if a.Archived {
		return "archived"
	}
	return "unarchived"
}
