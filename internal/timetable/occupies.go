package timetable

import "holdfast/internal/problem"

// Occupies is what a booking of a service takes of its resource.
type Occupies string

// What a booking takes.
const (
	// OccupiesUnits takes as many units as the party has; other bookings can have the rest.
	OccupiesUnits Occupies = "units"
	// OccupiesWhole takes all units.
	OccupiesWhole Occupies = "whole"
	// OccupiesSession takes all units for one start of the service, which later bookings of that start join while there
	// are seats: as many as the resource has units.
	OccupiesSession Occupies = "session"
)

// All reports whether a booking can be made only where all units are free, unless it joins a session.
func (o Occupies) All() bool { return o == OccupiesWhole || o == OccupiesSession }

func (o Occupies) check() error {
	switch o {
	case OccupiesUnits, OccupiesWhole, OccupiesSession:
		return nil
	}
	return problem.Invalid("occupies", "not_one_of", "Expected units, whole or session.")
}
