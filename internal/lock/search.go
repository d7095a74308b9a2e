package lock

import (
	"maps"
	"slices"
	"time"
)

// Search finds out what keys stand for. A hash has no inverse, so it tries the names that could be meant; it stops
// trying for a key that has a meaning. The zero value is ready.
type Search struct {
	found map[int64][]Meaning // what is asked for; nothing while no name is found
}

// Want asks for the meaning of keys, as PostgreSQL locks them. Fixed numbers have theirs at once.
func (s *Search) Want(ids ...int64) {
	if s.found == nil {
		s.found = make(map[int64][]Meaning, len(ids))
	}
	for _, id := range ids {
		if _, asked := s.found[id]; asked {
			continue
		}
		s.found[id] = nil
		if _, fixed := labels[Global(id)]; fixed {
			s.found[id] = []Meaning{Global(id).meaning()}
		}
	}
}

// Open returns the keys that are asked for and have no meaning yet, in ascending order.
func (s *Search) Open() []int64 {
	var open []int64
	for _, id := range slices.Sorted(maps.Keys(s.found)) {
		if len(s.found[id]) == 0 {
			open = append(open, id)
		}
	}
	return open
}

// Meanings returns the names found for a key: none, one, or several that collide.
func (s *Search) Meanings(id int64) []Meaning { return slices.Clone(s.found[id]) }

// TryDates tries the calendar locks of some tenants on all dates between from and to, both included.
//
// It hashes each tenant once and runs the hash of each key backwards over each date: where the two meet, the key
// is that tenant's on that date. So a key costs one hash a date and not one a tenant and date.
func (s *Search) TryDates(tenants [][16]byte, from, to Date) {
	open := s.Open()
	if len(open) == 0 {
		return
	}
	meet := make(map[uint64][][16]byte, len(tenants))
	for _, tenant := range tenants {
		h := fnv1a(fnvOffset, uuidText(tenant))
		meet[h] = append(meet[h], tenant)
	}
	last := to.midnight()
	for day := from.midnight(); !day.After(last); day = day.AddDate(0, 0, 1) {
		suffix := ":" + day.Format(time.DateOnly)
		for _, id := range open {
			for _, tenant := range meet[unwind(uint64(id), suffix)] {
				// The constructor has the last word on the name.
				if m, err := calendarMeaning(tenant, dateOf(day)); err == nil && m.id == id {
					s.found[id] = append(s.found[id], m)
				}
			}
		}
	}
}

// TryBooking tries the balance lock of one booking.
func (s *Search) TryBooking(tenant, booking [16]byte) {
	key := Balance(tenant, booking).keys[0]
	if found, asked := s.found[key.id]; asked && len(found) == 0 {
		s.found[key.id] = []Meaning{{Key: key, Pattern: patternBalance, Tenant: tenant}}
	}
}

func (d Date) midnight() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }
