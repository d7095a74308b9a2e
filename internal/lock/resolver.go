package lock

import (
	"maps"
	"slices"
	"time"
)

// Resolver finds the names of keys. A hash has no inverse, so the resolver tries names, and stops for a key that has
// one. The zero value is ready.
type Resolver struct {
	found map[int64][]Name // of the keys that are asked for; empty while no name is found
}

// Want asks for the names of keys, as PostgreSQL locks them. A fixed number has its name at once.
func (r *Resolver) Want(ids ...int64) {
	if r.found == nil {
		r.found = make(map[int64][]Name, len(ids))
	}
	for _, id := range ids {
		if _, asked := r.found[id]; asked {
			continue
		}
		r.found[id] = nil
		if _, fixed := labels[Global(id)]; fixed {
			r.found[id] = []Name{Global(id).named()}
		}
	}
}

// Unresolved returns the keys that are asked for and have no name yet, in ascending order.
func (r *Resolver) Unresolved() []int64 {
	var open []int64
	for _, id := range slices.Sorted(maps.Keys(r.found)) {
		if len(r.found[id]) == 0 {
			open = append(open, id)
		}
	}
	return open
}

// Names returns the names found for a key: none, one, or several that collide.
func (r *Resolver) Names(id int64) []Name { return slices.Clone(r.found[id]) }

// TryDates tries the date locks of some tenants on all dates between from and to, both included.
//
// It hashes each tenant once and runs the hash of each key backwards over each date: where the two meet, the key
// is that tenant's on that date. So a key costs one hash a date and not one a tenant and date.
func (r *Resolver) TryDates(tenants [][16]byte, from, to Date) {
	open := r.Unresolved()
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
			for _, tenant := range meet[invert(uint64(id), suffix)] {
				// The constructor has the last word on the name.
				if m, err := dateName(tenant, dateOf(day)); err == nil && m.id == id {
					r.found[id] = append(r.found[id], m)
				}
			}
		}
	}
}

// TryBooking tries the balance lock of one booking.
func (r *Resolver) TryBooking(tenant, booking [16]byte) {
	key := Balance(tenant, booking).keys[0]
	if found, asked := r.found[key.id]; asked && len(found) == 0 {
		r.found[key.id] = []Name{{Key: key, Pattern: patternBalance, Tenant: tenant}}
	}
}

func (d Date) midnight() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }
