package check

import (
	"cmp"
	"slices"
	"time"
)

// span is a time of a group of resources that share services.
type span struct {
	group       string
	from, until time.Time
}

// placed is an event with the part of a calendar that it is about. begins is set for the event with which a stay
// begins.
type placed struct {
	span
	event  *event
	begins *stay
}

// partition makes the calendars: what overlaps in time, of resources that share services, is one.
func (c *checker) partition() []*calendar {
	groups := c.groups()
	var all []placed
	for i := range c.end.Bookings {
		b := &c.end.Bookings[i]
		first := c.stays[b.ID][0]
		all = append(all, placed{first.span(groups), c.creation(first), first})
		for _, st := range c.stays[b.ID] {
			if st.HoldExpiresAt != nil && (!st.HoldExpiresAt.After(c.end.Now) || c.clock.last().After(c.end.Now)) {
				all = append(all, placed{st.span(groups), c.expiry(st), nil})
			}
			if st.next != nil {
				all = append(all, c.moving(st, groups)...)
			}
		}
	}
	for _, r := range c.requests {
		all = append(all, c.ofRequest(r, groups)...)
	}
	for _, op := range c.reads {
		all = append(all, c.ofRead(op, groups)...)
	}
	shaped := c.shapedGroups(groups)
	all = slices.DeleteFunc(all, func(p placed) bool { return shaped[p.group] })
	slices.SortStableFunc(all, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.group, b.group), a.from.Compare(b.from))
	})
	type calendarMove struct {
		*calendar
		begins *stay
	}
	moved := map[calendarMove]bool{}
	var cals []*calendar
	var reach span
	for _, p := range all {
		if len(cals) == 0 || p.group != reach.group || !p.from.Before(reach.until) {
			cals, reach = append(cals, new(calendar)), p.span
		}
		if p.until.After(reach.until) {
			reach.until = p.until
		}
		cal := cals[len(cals)-1]
		if move := p.event.begins; move == nil || !moved[calendarMove{cal, move}] {
			cal.events = append(cal.events, p.event)
			moved[calendarMove{cal, move}] = true
		}
		if p.begins != nil {
			cal.stays = append(cal.stays, p.begins)
		}
	}
	for _, cal := range cals {
		cal.events = append(cal.events, ending())
	}
	return cals
}

// shapedGroups returns the groups of resources of which a booking may take something else than units: a session, all of
// one, or several. These are judged by the claims alone.
func (c *checker) shapedGroups(groups map[string]string) map[string]bool {
	shaped := make(map[string]bool)
	for _, s := range c.end.Services {
		if s.Shaped {
			shaped[groups[s.Resources[0]]] = true
		}
	}
	return shaped
}

// groups names, for each resource, the group of resources that it shares services with.
func (c *checker) groups() map[string]string {
	group := make(map[string]string)
	var root func(id string) string
	root = func(id string) string {
		if group[id] == id {
			return id
		}
		group[id] = root(group[id])
		return group[id]
	}
	for _, r := range c.end.Resources {
		group[r.ID] = r.ID
	}
	for _, s := range c.end.Services {
		for _, id := range s.Resources[1:] {
			group[root(id)] = root(s.Resources[0])
		}
	}
	for _, r := range c.end.Resources {
		group[r.ID] = root(r.ID)
	}
	return group
}
