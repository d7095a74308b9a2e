package timetable

import (
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/datetime"
)

// Day is what is free of a service on one civil date.
type Day struct {
	ServiceID uuid.UUID
	Date      civil.Date
	// Available says whether the party can be booked on the date.
	Available bool
	// Reason is why it can't; empty if it can.
	Reason Unavailable
	// HasSlots says that the service is sold by the slot.
	HasSlots bool
	// Capacity is, for a date service and a stay, the units of the open resources; for a slot service it is zero.
	Capacity int
	// LargestParty is, for a date service and a stay, the largest party that still fits one booking; for a slot service
	// it is zero.
	LargestParty int
	// Price is, for a date service and a stay, what the party would pay, in minor units; nil unless it is asked for and
	// known.
	Price *int64
	// Remaining is, for a date service, the units that are free over all open resources, and for a stay those that are
	// free for all of it; for a slot service, the slots that can still take the party.
	Remaining int
	// Nights are, for a stay, for how many nights the party can stay from the date on; empty for other services.
	Nights []int
	// MaxNights is, for a stay, the most nights for which the party can stay from the date on, zero if it can't arrive;
	// nil for other services.
	MaxNights *int
	// Slots are the slots of the date within the booking window, taken ones included; empty for a date service, for a
	// stay, and where only days were asked for.
	Slots []Slot
}

// Slot is one time of a slot service, as the API shows it. Its times have the tenant's offset from UTC. It has no
// resources if it is taken.
type Slot struct {
	StartsAt     time.Time   `json:"starts_at" example:"2027-07-01T10:00:00+02:00"`
	EndsAt       time.Time   `json:"ends_at" example:"2027-07-01T11:00:00+02:00"`
	Reason       Unavailable `json:"reason,omitempty" enum:"no_hours,sold_out,in_the_way" doc:"Why the party can't be booked; absent if it can. sold_out: no unit is free, or max_per_day is reached. in_the_way: what is booked or blocked leaves too few units for the party, not all of a resource where a booking takes all, or nothing of what the service needs besides. no_hours: nothing of what it needs besides is open."`
	Capacity     int         `json:"capacity" doc:"Units of the resources at which the slot starts; of the first need, if there are several."`
	Remaining    int         `json:"remaining" doc:"Units that are free, over all resources; of a service with several needs, over those of the first. None if another need has nothing free."`
	LargestParty int         `json:"largest_party" doc:"The largest party that still fits one booking. A publishable key is told no more than limits.units of the tenant's website."`
	Price        *int64      `json:"price,omitempty" doc:"What the party would pay, in minor units; with prices=true, unless the service has unit types."`
	ResourceIDs  []uuid.UUID `json:"resource_ids" nullable:"false" format:"uuid" doc:"The resources that can take the party, and for each other need those that are free."`
}

// availability computes what is free of a service for a party, date after date. It reuses its memory: a Day is valid
// until the next one is computed.
type availability struct {
	rules     *Rules
	party     int
	length    int        // of a booking; see bookable.ofLength
	earliest  int64      // the first moment that can be booked, Unix time in seconds
	firstDate civil.Date // that can be booked
	lastDate  civil.Date
	days      localDays
	resources []resourceTimes
	bookings  map[civil.Date]int // of the service, for its maximum a day
	sessions  map[uuid.UUID]claim.SessionSeats
	slots     []Slot
	ids       []uuid.UUID
	prices    bool  // are asked for
	price     int64 // of the date that was computed last
	// start is that of a booking at the time that is looked at, from and until are what it occupies with its buffers;
	// Unix times in seconds. full says that the service takes no more bookings, or no more sessions, on its date.
	start, from, until int64
	full               bool
	groups             []candidates // all resources, by need
	judgement          judgement    // of the time that is looked at
	// mostNights and nights are those of the date that was computed last.
	mostNights int
	nights     []int
	// one for each resource on a date, for each of its closures and slots, and for each booking that was looked at
	effort int
}

// resourceTimes are the times of one resource around the date that is computed.
type resourceTimes struct {
	*Resource
	units  unitCount
	open   []interval // of the dates from the one before up to opened, which is not included
	opened civil.Date
	slots  []interval // of the date, for a resource of the first need
	next   int        // the first of slots that was not looked at
}

// usualSlots is how many slots a date has usually. It only saves growing a slice step by step.
const usualSlots = 32

// newAvailability returns what day computes from. The first date that day is asked for is not before from.
func newAvailability(r *Rules, party int, from civil.Date, view claim.View) *availability {
	earliest := r.earliest(view.Now)
	a := &availability{
		rules:     r,
		party:     party,
		earliest:  earliest.Unix(),
		firstDate: r.firstDate(view.Now),
		lastDate:  r.latest(view.Now),
		days:      localDays{loc: r.Loc},
		resources: make([]resourceTimes, len(r.Resources)),
		slots:     make([]Slot, 0, usualSlots),
		ids:       make([]uuid.UUID, 0, usualSlots),
		groups:    r.allCandidates(),
	}
	if earliest.Nanosecond() > 0 {
		a.earliest++
	}
	for i := range r.Resources {
		res := &r.Resources[i]
		a.resources[i] = resourceTimes{
			Resource: res,
			units:    newUnitCount(res.Capacity, r.busyInTheWay(view.Busy[i])),
			opened:   from.AddDays(-1),
			slots:    make([]interval, 0, usualSlots),
		}
	}
	if len(view.Sessions) > 0 {
		a.sessions = make(map[uuid.UUID]claim.SessionSeats, len(view.Sessions))
	}
	for _, s := range view.Sessions {
		a.sessions[s.ID] = s
	}
	if len(view.Counts) > 0 {
		a.bookings = make(map[civil.Date]int, len(view.Counts))
	}
	for _, n := range view.Counts {
		a.bookings[n.Date] = int(n.Bookings)
	}
	return a
}

// listing says which slots of a date are listed.
type listing struct {
	daysOnly bool
	after    interval // only slots that follow it, by their start and then by their end
	budget   int      // how many slots, and resources that start one, can still be listed
}

// day returns what is free on a date that is later than those of the calls before. It lists slots until l.budget is
// used up; cut reports that some slots are missing.
func (a *availability) day(d civil.Date, l *listing) (day Day, cut bool) {
	switch {
	case d.Before(a.firstDate):
		return a.nothingOn(d, TooSoon), false
	case d.After(a.lastDate):
		return a.nothingOn(d, TooLate), false
	}
	a.effort += len(a.resources) * (1 + len(a.rules.Closures))
	return a.rules.kind().free(a, d, a.rules.isFull(a.bookings[d]), l)
}

// nothingOn returns a date on which nothing is free, for a reason.
func (a *availability) nothingOn(d civil.Date, reason Unavailable) Day {
	service := &a.rules.Service
	day := Day{ServiceID: service.ID, Date: d, Reason: reason, HasSlots: service.SlotIntervalMinutes > 0,
		Slots: a.slots[:0]}
	if service.MaxNights > 0 {
		a.mostNights, a.nights = 0, a.nights[:0]
		day.MaxNights = &a.mostNights
	}
	return day
}

// onDate returns what is free for a booking of a date. full says that the service takes no more bookings on the date,
// or no more sessions.
func (a *availability) onDate(d civil.Date, full bool) Day {
	day := a.nothingOn(d, NoHours)
	start, end := a.rules.onDate(d, &a.days)
	if start >= end {
		return day
	}
	a.start = start
	slot := interval{a.days.day(d).Start(), a.rules.lastMidnight(end, &a.days)}
	a.setOpen(func(res *resourceTimes, _ bool) bool { return len(a.rules.open(res.Resource, d)) > 0 })
	a.ids = a.ids[:0]
	v := a.vacancyOf(d, slot, full)
	if v.capacity == 0 {
		v.reason = a.notOpen(d)
	}
	return a.withVacancy(day, v, BookingTime{Date: d})
}

// withVacancy returns a date of a date service or of a stay with what is free on it. at has what a price depends on.
func (a *availability) withVacancy(day Day, v *vacancy, at BookingTime) Day {
	day.Available, day.Reason = v.reason == "", v.reason
	day.Capacity, day.Remaining, day.LargestParty = v.capacity, v.free, v.largest
	if price, known := a.priceOf(at); known {
		a.price = price
		day.Price = &a.price
	}
	return day
}

// priceOf returns what the party would pay. It isn't known unless it is asked for, and of a service with unit types.
func (a *availability) priceOf(at BookingTime) (price int64, known bool) {
	if !a.prices || len(a.rules.Service.UnitTypes) > 0 {
		return 0, false
	}
	q, err := a.rules.Quote(at, Party{Size: a.party})
	return q.Price, err == nil
}

// findSlots finds the slots of the resources that start on a date.
func (a *availability) findSlots(d civil.Date) {
	start := a.days.day(d).Start()
	// on which a slot of the date can end
	last := d.AddDays(1 + a.rules.Service.DurationMinutes/datetime.MinutesPerDay + a.rules.Service.DurationDays)
	starts := a.rules.Service.startsOn(d)
	for i := range a.resources {
		res := &a.resources[i]
		over := 0
		for over < len(res.open) && res.open[over].until <= start {
			over++
		}
		res.open = slices.Delete(res.open, 0, over)
		if before := d.AddDays(-1); res.opened.Before(before) {
			res.opened = before // dates outside the booking window were passed
		}
		for ; !res.opened.After(last); res.opened = res.opened.AddDays(1) {
			res.open = a.rules.appendOpen(res.open, res.Resource, res.opened, &a.days)
		}
		res.slots, res.next = res.slots[:0], 0
		if i < len(a.rules.needs[0].resources) {
			res.slots = a.rules.appendSlots(res.slots, res.Resource, d, starts, res.open, &a.days)
		}
	}
}

// nextSlot returns the next slot of the date. Slots that start together and end apart are several.
func (a *availability) nextSlot() (slot interval, found bool) {
	for i := range a.groups[0].states {
		res := &a.resources[i]
		if res.next < len(res.slots) && (!found || res.slots[res.next].compare(slot) < 0) {
			slot, found = res.slots[res.next], true
		}
	}
	return slot, found
}

// vacancyAt returns what is free at a slot of a date, and how many resources start it, and goes past it. To a.ids it
// appends the resources that can take the party. full says that the service takes no more bookings on the date, or no
// more sessions.
func (a *availability) vacancyAt(d civil.Date, slot interval, full bool) (starting int, v *vacancy) {
	first := &a.groups[0]
	for i := range first.states {
		res, state := &a.resources[i], &first.states[i]
		if state.starts = res.next < len(res.slots) && res.slots[res.next] == slot; state.starts {
			res.next++
			starting++
		}
		state.open = state.starts || first.Join && a.rules.isOpenFor(res.open, slot)
	}
	for n := 1; n < len(a.groups); n++ {
		g := &a.groups[n]
		for i := range g.states {
			g.states[i].open = a.rules.isOpenFor(a.resources[g.offset+i].open, slot)
		}
	}
	a.start = slot.from
	return starting, a.vacancyOf(d, slot, full)
}
