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
	// Slots are the slots of the date within the booking window, taken ones included; empty for a date service and where
	// only days were asked for.
	Slots []Slot
}

// Slot is one time of a slot service, as the API shows it. Its times are in the tenant's time zone. It has no resources if it is taken.
type Slot struct {
	StartsAt    time.Time   `json:"starts_at" example:"2027-07-01T10:00:00+02:00"`
	EndsAt      time.Time   `json:"ends_at" example:"2027-07-01T11:00:00+02:00"`
	Remaining   int         `json:"remaining" doc:"Units that are free, over all resources."`
	ResourceIDs []uuid.UUID `json:"resource_ids" nullable:"false" format:"uuid" doc:"The resources that can take the party."`
}

// calendar is what is taken, sorted by the resources and the dates that it touches.
type calendar struct {
	occupied map[resourceDate][]store.Occupancy
	bookings map[civil.Date]int
	now      time.Time
	// effort is what was looked at so far: bookings that were read, closures at dates and resources at slots; and, with less
	// weight, the bookings and units that these were compared with.
	effort int
}

type resourceDate struct {
	resource uuid.UUID
	date     civil.Date
}

func newCalendar(occupied []store.Occupancy, counts []store.DateCount, now time.Time, loc *time.Location) *calendar {
	c := &calendar{
		occupied: make(map[resourceDate][]store.Occupancy), bookings: make(map[civil.Date]int), now: now, effort: len(occupied),
	}
	for _, o := range occupied {
		for _, d := range datesOf(o.BusyFrom, o.BusyUntil, loc) {
			at := resourceDate{o.ResourceID, d}
			c.occupied[at] = append(c.occupied[at], o)
		}
	}
	for _, n := range counts {
		c.bookings[n.Date] = int(n.Bookings)
	}
	return c
}

// during returns what is taken of a resource on the given dates. An occupancy that touches two dates is returned twice.
func (c *calendar) during(resource uuid.UUID, dates []civil.Date) []store.Occupancy {
	var all []store.Occupancy
	for _, d := range dates {
		if found := c.occupied[resourceDate{resource, d}]; all == nil {
			all = found
		} else if len(found) > 0 {
			all = slices.Concat(all, found)
		}
	}
	return all
}

// dayQuery says what day returns of a date.
type dayQuery struct {
	party    int
	daysOnly bool
	after    time.Time // only slots that start later are listed
	budget   int       // how many slots and resources can still be listed
}

// day returns what is free on a date for a party. It lists slots until q.budget is used up; cut reports that some slots are
// missing.
func (r rules) day(d civil.Date, q *dayQuery, c *calendar) (day Day, cut bool) {
	day = Day{Date: d, Slots: []Slot{}}
	earliest := r.earliest(c.now)
	if d.Before(dateOf(earliest, r.loc)) || d.After(r.latest(c.now)) {
		return day, false
	}
	c.effort += len(r.resources) * (1 + len(r.closures))
	full := r.service.MaxPerDay != nil && c.bookings[d] >= *r.service.MaxPerDay
	if r.service.Kind == KindDate {
		o := r.buffered(bookingTime{date: d, start: startOfDay(d, r.loc), end: startOfDay(d.AddDays(1), r.loc)})
		var open []*Resource
		for i := range r.resources {
			if len(r.open(r.resources[i], d)) > 0 {
				open = append(open, &r.resources[i])
			}
		}
		if !full && o.start.Before(o.end) {
			slot := r.slot(o, open, q.party, c)
			day.Remaining, day.Available = slot.Remaining, len(slot.ResourceIDs) > 0
		}
		return day, false
	}
	starts, open := r.slotsOf(d, c)
	for _, at := range starts {
		if at.Before(earliest) {
			continue
		}
		o := r.buffered(bookingTime{date: d, start: at, end: at.Add(minutes(r.service.DurationMinutes))})
		resources := open[at.Unix()]
		listed := !q.daysOnly && !cut && at.After(q.after)
		if listed {
			if cut = 1+len(resources) > q.budget; !cut {
				q.budget -= 1 + len(resources)
			}
		}
		if !listed || cut {
			if !full && r.fits(o, resources, q.party, c) {
				day.Remaining++
			}
			continue
		}
		slot := Slot{StartsAt: o.start, EndsAt: o.end.In(r.loc), ResourceIDs: []uuid.UUID{}}
		if !full {
			slot = r.slot(o, resources, q.party, c)
		}
		if len(slot.ResourceIDs) > 0 {
			day.Remaining++
		}
		day.Slots = append(day.Slots, slot)
	}
	day.Available = day.Remaining > 0
	return day, cut
}

// slotsOf returns when the slots of a date start, in order, and by Unix time which resources start one then: resources that
// start a slot at the same moment share it.
func (r rules) slotsOf(d civil.Date, c *calendar) (starts []time.Time, open map[int64][]*Resource) {
	open = make(map[int64][]*Resource)
	for i := range r.resources {
		for _, at := range r.slotStarts(r.resources[i], d) {
			if open[at.Unix()] == nil {
				starts = append(starts, at)
			}
			open[at.Unix()] = append(open[at.Unix()], &r.resources[i])
			c.effort++
		}
	}
	slices.SortFunc(starts, time.Time.Compare)
	return starts, open
}

// slot returns what is free of the given resources at a time.
func (r rules) slot(o bookingTime, open []*Resource, party int, c *calendar) Slot {
	s := Slot{StartsAt: o.start, EndsAt: o.end.In(r.loc), ResourceIDs: make([]uuid.UUID, 0, len(open))}
	dates := datesOf(o.busyFrom, o.busyUntil, r.loc)
	for _, res := range open {
		count := c.free(res, dates, o)
		s.Remaining += count
		if count >= party {
			s.ResourceIDs = append(s.ResourceIDs, res.ID)
		}
	}
	return s
}

// fits reports whether any of the given resources can take the party at a time.
func (r rules) fits(o bookingTime, open []*Resource, party int, c *calendar) bool {
	dates := datesOf(o.busyFrom, o.busyUntil, r.loc)
	return slices.ContainsFunc(open, func(res *Resource) bool { return c.free(res, dates, o) >= party })
}

// free returns how many units of a resource are free at a time, which touches the given dates.
func (c *calendar) free(res *Resource, dates []civil.Date, o bookingTime) int {
	occupied := c.during(res.ID, dates)
	c.effort += len(occupied) / 8
	if !slices.ContainsFunc(occupied, func(b store.Occupancy) bool { return occupies(b, res.ID, o.busyFrom, o.busyUntil, c.now) }) {
		return res.Capacity
	}
	c.effort += res.Capacity / 64
	_, count := freeUnits(*res, occupied, o.busyFrom, o.busyUntil, c.now)
	return count
}
