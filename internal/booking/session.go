package booking

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/store"
)

// sessionID returns the id of the session of a service on a resource that begins at a moment, in Unix time in seconds. Whoever knows these
// knows the id, so what is taken of the session is read together with what is taken of the resource. No booking can have it, or
// the booking's claim would be taken for the session's: see checkID.
func sessionID(service, resource uuid.UUID, start int64) uuid.UUID {
	named := binary.BigEndian.AppendUint64(resource[:len(resource):len(resource)], uint64(start))
	return uuid.NewHash(sha256.New(), service, named, sessionVersion)
}

// sessionVersion is the version of the UUIDs that are the ids of sessions.
const sessionVersion = 8

// claimable returns what a booking at a time can claim of resources: these, and their sessions if the service has sessions.
func (r *rules) claimable(resources []uuid.UUID, start time.Time) []uuid.UUID {
	if r.service.Occupies != catalog.OccupiesSession {
		return resources
	}
	all := slices.Clone(resources)
	for _, id := range resources {
		all = append(all, sessionID(r.service.ID, id, start.Unix()))
	}
	return all
}

// join finds seats for a party in the session that a resource has at a time, buffers included.
func (r *rules) join(res catalog.Resource, at bookingTime, party int, occupied []store.Claim, now time.Time) (a allocation, found bool) {
	id := sessionID(r.service.ID, res.ID, at.start.Unix())
	if blocked(res.ID, occupied, at.busyFrom, at.busyUntil) || !slices.ContainsFunc(occupied, func(c store.Claim) bool {
		return c.OwnerID == id && c.ResourceID == res.ID && c.BusyFrom.Equal(at.busyFrom) && c.BusyUntil.Equal(at.busyUntil) &&
			!catalog.Lapsed(c, now)
	}) {
		return a, false
	}
	seats := res
	seats.ID = id
	free, count := freeUnits(seats, occupied, at.busyFrom, at.busyUntil, now)
	if count < party {
		return a, false
	}
	return allocation{
		resource: res, time: at, units: lowest(free, party), session: &store.Session{ID: id},
		expire: lapsedHolds(id, occupied, at.busyFrom, at.busyUntil, now),
	}, true
}

// blocked reports whether a block takes some of [from, until) of a resource.
func blocked(resource uuid.UUID, occupied []store.Claim, from, until time.Time) bool {
	return slices.ContainsFunc(occupied, func(c store.Claim) bool {
		return c.ResourceID == resource && c.BusyFrom.Before(until) && from.Before(c.BusyUntil) && c.OfBlock()
	})
}

// take finds what a party needs of a resource that it doesn't share as a session that is there already.
func (r *rules) take(res catalog.Resource, at bookingTime, party int, occupied []store.Claim, now time.Time) (a allocation, found bool) {
	free, count := freeUnits(res, occupied, at.busyFrom, at.busyUntil, now)
	if count < party || r.service.Occupies.All() && count < res.Capacity {
		return a, false
	}
	a = allocation{resource: res, time: at, expire: lapsedHolds(res.ID, occupied, at.busyFrom, at.busyUntil, now)}
	switch r.service.Occupies {
	case catalog.OccupiesWhole:
		a.units = store.AllUnits()
	case catalog.OccupiesSession:
		id := sessionID(r.service.ID, res.ID, at.start.Unix())
		a.session = &store.Session{ID: id, Opens: true}
		a.units = lowest(free, party)
		a.expire = append(a.expire, lapsedHolds(id, occupied, at.busyFrom, at.busyUntil, now)...)
	default:
		a.units = lowest(free, party)
	}
	return a, true
}

// place finds what a party needs on one of some resources: seats of a session that is there already, or else of the first resource that has
// it. full says that the service takes no more bookings on the date, or no more sessions.
func (r *rules) place(candidates []catalog.Resource, at bookingTime, party int, occupied []store.Claim, full bool, now time.Time,
) (a allocation, found bool) {
	if r.service.Occupies == catalog.OccupiesSession {
		for _, res := range candidates {
			if a, found = r.join(res, r.timeOn(&res, at), party, occupied, now); found {
				return a, true
			}
		}
	}
	for _, res := range candidates {
		if full {
			break
		}
		if a, found = r.take(res, r.timeOn(&res, at), party, occupied, now); found {
			return a, true
		}
	}
	return a, false
}

// placeAt is place for one resource at a time that is the booking's own.
func (r *rules) placeAt(res catalog.Resource, at bookingTime, party int, occupied []store.Claim, full bool, now time.Time,
) (a allocation, found bool) {
	if r.service.Occupies == catalog.OccupiesSession {
		if a, found = r.join(res, at, party, occupied, now); found {
			return a, true
		}
	}
	if full {
		return a, false
	}
	return r.take(res, at, party, occupied, now)
}

// claimed returns what a booking claims units of: its session, or its resource.
func (b Booking) claimed() uuid.UUID {
	if b.sessionID != nil {
		return *b.sessionID
	}
	return b.ResourceID
}

// without returns what is occupied, without what a booking takes. If nobody else is in its session, that is left out too; lapsed are then
// the holds past their expiry that still have seats of it.
func without(b Booking, occupied []store.Claim, now time.Time) (others []store.Claim, lapsed []uuid.UUID) {
	others = slices.DeleteFunc(slices.Clone(occupied), func(c store.Claim) bool { return c.OwnerID == b.ID })
	if b.sessionID == nil || slices.ContainsFunc(others, func(c store.Claim) bool {
		return c.ResourceID == *b.sessionID && !catalog.Lapsed(c, now)
	}) {
		return others, nil
	}
	lapsed = lapsedHolds(*b.sessionID, others, b.busyFrom, b.busyUntil, now)
	return slices.DeleteFunc(others, func(c store.Claim) bool { return c.OwnerID == *b.sessionID }), lapsed
}
