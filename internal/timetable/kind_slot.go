package timetable

import (
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// slotKind books a duration inside the opening hours.
type slotKind struct{}

func (slotKind) timeOf(r *Rules, w When) (BookingTime, error) {
	err := w.only("The service is sold by the slot; give starts_at.", "starts_at", "duration_minutes", "duration_days")
	switch {
	case err != nil:
		return BookingTime{}, err
	case w.StartsAt == nil:
		return BookingTime{}, problem.Invalid("starts_at", "required", "The service is sold by the slot.")
	}
	start, err := parseStart(*w.StartsAt, r.Loc)
	if err != nil {
		return BookingTime{}, err
	}
	length, err := r.lengthOf(w.DurationMinutes, w.DurationDays)
	if err != nil {
		return BookingTime{}, err
	}
	at := BookingTime{Start: start, Date: datetime.DateOf(start, r.Loc), length: length}
	if length != (Length{}) {
		r = r.withLength(length)
	}
	if datetime.CheckDate("", at.Date) != nil {
		return at, outsideWindow()
	}
	if !r.Service.UntilClosing {
		return r.withEnd(at, nil), nil
	}
	// at least the date itself, also if all resources are closed
	at.End = datetime.StartOfDay(at.Date.AddDays(1), r.Loc)
	for i := range r.needs[0].resources {
		if on := r.withEnd(at, &r.needs[0].resources[i]); on.End.After(at.End) {
			at.End = on.End
		}
	}
	return r.withBuffers(at), nil
}

// whenOf keeps the length of a booking whose service sells several.
func (slotKind) whenOf(r *Rules, has BookingTime, given When) When {
	if r.Service.Vary() && given.DurationMinutes == nil && given.DurationDays == nil {
		if l := r.Service.LengthBetween(has.Start, has.End, r.Loc); l.Days > 0 {
			given.DurationDays = &l.Days
		} else {
			given.DurationMinutes = &l.Minutes
		}
	}
	if given.StartsAt == nil {
		given.StartsAt = new(has.Start.Format(time.RFC3339))
	}
	return given
}

func (slotKind) isAt(r *Rules, has, at BookingTime) bool {
	return has.Start.Equal(at.Start) && (!r.Service.Vary() || has.End.Equal(at.End))
}

func (slotKind) checkLength(r *Rules, at BookingTime) error {
	if r.Service.Vary() {
		return r.checkSold(at.length)
	}
	return nil
}

func (slotKind) isOpen(r *Rules, res *Resource, at BookingTime) bool {
	return r.openDuring(res, at)
}

func (slotKind) openDates(r *Rules, at BookingTime) []civil.Date {
	if at.inDays {
		return []civil.Date{at.Date, datetime.DateOf(at.End.Add(-1), r.Loc)}
	}
	return datetime.DatesIn(at.Start, at.End, r.Loc)
}

func (slotKind) isStart(r *Rules, res *Resource, at BookingTime) bool {
	return r.onGrid(res, at)
}

func (slotKind) earliest(_ *Rules, leadEnd time.Time) time.Time { return leadEnd }

func (slotKind) ofLength(r *Rules, q AvailabilityQuery) (*Rules, int, error) {
	if err := q.checkLength("duration_minutes", "duration_days"); err != nil {
		return r, 0, err
	}
	l := r.Service.Shortest()
	if !r.Service.Vary() || q.DurationMinutes != nil || q.DurationDays != nil {
		var err error
		if l, err = r.lengthOf(q.DurationMinutes, q.DurationDays); err != nil || l == (Length{}) {
			return r, 0, err
		}
	}
	number := l.Minutes
	if l.Days > 0 {
		number = -l.Days
	}
	return r.withLength(l), number, r.checkSold(l)
}

func (slotKind) free(a *availability, d civil.Date, full bool, l *listing) (day Day, cut bool) {
	a.findSlots(d)
	day, a.ids = a.nothingOn(d, ""), a.ids[:0]
	price, priced := a.priceOf(a.rules.slotOn(d))
	soon := false
	for slot, found := a.nextSlot(); found; slot, found = a.nextSlot() {
		before := len(a.ids)
		starting, f := a.vacancyAt(d, slot, full)
		fitting := a.ids[before:len(a.ids):len(a.ids)]
		switch {
		case slot.from < a.earliest:
			soon = true
		case f.reason == "":
			day.Remaining++
		case day.Reason == "" || day.Reason == NoHours || day.Reason == SoldOut && f.reason == InTheWay:
			day.Reason = f.reason // what is nearest to a booking: a date on which something is sold out isn't closed
		}
		listed := !l.daysOnly && l.after.compare(slot) < 0 && slot.from >= a.earliest
		cut = cut || listed && 1+max(starting, len(fitting)) > l.budget
		if !listed || cut {
			a.ids = a.ids[:before]
			continue
		}
		l.budget -= 1 + max(starting, len(fitting))
		s := Slot{
			StartsAt:     a.days.time(d, slot.from),
			EndsAt:       a.days.time(d, slot.until),
			Reason:       f.reason,
			Capacity:     f.capacity,
			Remaining:    f.free,
			LargestParty: f.largest,
			ResourceIDs:  fitting,
		}
		if priced {
			a.price = price // the same for each slot of the date
			s.Price = &a.price
		}
		day.Slots = append(day.Slots, s)
	}
	a.slots, day.Available = day.Slots, day.Remaining > 0
	switch {
	case day.Available:
		day.Reason = ""
	case day.Reason != "":
	case soon:
		day.Reason = TooSoon
	default:
		day.Reason = a.notOpen(d)
	}
	return day, cut
}

// pageDates assumes that each week has the slots of the weekly hours, or the service's start times, and that resources
// start theirs at the same times.
func (slotKind) pageDates(r *Rules, daysOnly bool) int {
	slots, starts := 1, 1
	for i := range r.Resources {
		n := r.Service.weeklyStarts()
		if !r.Service.HasStartTimes() {
			n = r.Resources[i].Times.WeeklyStarts(r.Service.SlotIntervalMinutes)
		}
		slots, starts = slots+n, max(starts, n)
	}
	dates := maxPageEffort * 7 / slots
	if !daysOnly {
		dates = min(dates, maxPageEntries*7/(slots+starts))
	}
	return min(max(dates, 1), MaxAvailabilityDays)
}
