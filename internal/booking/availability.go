package booking

import (
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/store"
)

// Day is what is free of a service on one civil date.
type Day struct {
	Date civil.Date
	// Available says whether the party can be booked on the date.
	Available bool
	// Remaining is, for a date service, the units that are free over all open resources; for a slot service,
	// the slots that can still take the party.
	Remaining int
	// Slots are all slots of the date within the booking window, taken ones included; empty for a date service.
	Slots []Slot
}

// Slot is one time of a slot service.
type Slot struct {
	StartsAt, EndsAt time.Time
	// Remaining is the units that are free over all open resources.
	Remaining int
	// ResourceIDs are the resources that can take the party; none when the slot is taken.
	ResourceIDs []uuid.UUID
}

// calendar is what is taken, sorted by the resources and the dates that it touches.
type calendar struct {
	occupied map[place][]store.Occupancy
	bookings map[civil.Date]int
	now      time.Time
}

type place struct {
	resource uuid.UUID
	date     civil.Date
}

func newCalendar(occupied []store.Occupancy, counts []store.DateCount, now time.Time, loc *time.Location) calendar {
	c := calendar{occupied: make(map[place][]store.Occupancy), bookings: make(map[civil.Date]int), now: now}
	for _, o := range occupied {
		for _, d := range datesOf(o.BusyFrom, o.BusyUntil, loc) {
			at := place{o.ResourceID, d}
			c.occupied[at] = append(c.occupied[at], o)
		}
	}
	for _, n := range counts {
		c.bookings[n.Date] = int(n.Bookings)
	}
	return c
}

// during returns what is taken of a resource on the given dates; some of it may stand there twice.
func (c calendar) during(resource uuid.UUID, dates []civil.Date) []store.Occupancy {
	var all []store.Occupancy
	for _, d := range dates {
		if found := c.occupied[place{resource, d}]; all == nil {
			all = found
		} else if len(found) > 0 {
			all = slices.Concat(all, found)
		}
	}
	return all
}

// day returns what is free on a date for a party.
func (r rules) day(d civil.Date, party int, c calendar) Day {
	day := Day{Date: d, Slots: []Slot{}}
	full := r.offer.MaxPerDay != nil && c.bookings[d] >= *r.offer.MaxPerDay
	if r.offer.Kind == KindDate {
		o := r.buffered(occurrence{date: d, start: startOfDay(d, r.loc), end: startOfDay(d.AddDays(1), r.loc)})
		var open []Resource
		for _, res := range r.resources {
			if len(r.open(res, d)) > 0 {
				open = append(open, res)
			}
		}
		if !full && o.start.Before(o.end) && r.checkWindow(o, c.now) == nil {
			slot := r.slot(o, open, party, c)
			day.Remaining, day.Available = slot.Remaining, len(slot.ResourceIDs) > 0
		}
		return day
	}
	// Resources that start a slot at the same moment share it.
	open := make(map[int64][]Resource)
	var starts []time.Time
	for _, res := range r.resources {
		for _, at := range r.slotStarts(res, d) {
			if open[at.Unix()] == nil {
				starts = append(starts, at)
			}
			open[at.Unix()] = append(open[at.Unix()], res)
		}
	}
	slices.SortFunc(starts, time.Time.Compare)
	for _, at := range starts {
		o := r.buffered(occurrence{date: d, start: at, end: at.Add(minutes(r.offer.DurationMinutes))})
		if r.checkWindow(o, c.now) != nil {
			continue
		}
		slot := Slot{StartsAt: o.start, EndsAt: o.end.In(r.loc), ResourceIDs: []uuid.UUID{}}
		if !full {
			slot = r.slot(o, open[at.Unix()], party, c)
		}
		if len(slot.ResourceIDs) > 0 {
			day.Remaining++
		}
		day.Slots = append(day.Slots, slot)
	}
	day.Available = day.Remaining > 0
	return day
}

// slot returns what is free of the given resources at a time.
func (r rules) slot(o occurrence, open []Resource, party int, c calendar) Slot {
	s := Slot{StartsAt: o.start, EndsAt: o.end.In(r.loc), ResourceIDs: []uuid.UUID{}}
	dates := datesOf(o.busyFrom, o.busyUntil, r.loc)
	for _, res := range open {
		_, count := freeUnits(res, c.during(res.ID, dates), o.busyFrom, o.busyUntil, c.now)
		s.Remaining += count
		if count >= party {
			s.ResourceIDs = append(s.ResourceIDs, res.ID)
		}
	}
	return s
}
