package catalog

import (
	"time"

	"holdfast/internal/db/store"
)

// Archiving archives a resource, a service or a block, or takes it back.
type Archiving struct {
	Archived bool
	// Force archives it although it has bookings. They stay.
	Force bool
}

// read adds to what is read for a change of a resource or service.
func (a Archiving) read(r store.WriteRead) store.WriteRead {
	if a.Archived && !a.Force {
		r.Upcoming = upcoming()
	}
	return r
}

// apply sets or removes the time of archiving. Errors: problem.BookingsInTheWay.
func (a Archiving) apply(at **time.Time, st store.WriteState) error {
	switch {
	case !a.Archived:
		*at = nil
	case *at == nil:
		now := st.Now
		*at = &now
		if !a.Force {
			return inTheWay(st.Upcoming, st.Now, "There are bookings that aren't over.")
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
