package timetable

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"github.com/google/uuid"
)

// sessionID returns the id of the session of a service on a resource that begins at a moment, in Unix time in seconds.
// It is computed, so that the seats in use are read in the same statement as what occupies the resource. No booking can
// have it, or the booking's claim would be taken for the session's: see package booking.
//
// How many further needs the service has, and of how many units, is in it too. After a change of these a session takes
// no more bookings.
func (r *Rules) sessionID(resource uuid.UUID, start int64) uuid.UUID {
	named := binary.BigEndian.AppendUint64(resource[:len(resource):len(resource)], uint64(start))
	for _, n := range r.needs[1:] {
		named = binary.BigEndian.AppendUint16(named, uint16(n.Units))
	}
	return uuid.NewHash(sha256.New(), r.Service.ID, named, SessionVersion)
}

// SessionVersion is the version of the UUIDs that are the ids of sessions.
const SessionVersion = 8

// claimable returns what a booking at a time can claim of resources: these, and their sessions if the service has
// sessions.
func (r *Rules) claimable(resources []uuid.UUID, start time.Time) []uuid.UUID {
	if r.Service.Occupies != OccupiesSession {
		return resources
	}
	all := slices.Clone(resources)
	for _, id := range resources {
		all = append(all, r.sessionID(id, start.Unix()))
	}
	return all
}
