package timetable

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

const maxArrivalRules = 100

// ArrivalRule says how many nights a stay has that begins on one of Weekdays in a part of the year. What is empty or
// zero is as the service says.
type ArrivalRule struct {
	Weekdays []Weekday `json:"weekdays,omitempty" minItems:"1" maxItems:"7" nullable:"false" doc:"Each weekday if absent."`
	PartOfYear
	MinNights      int `json:"min_nights,omitempty" minimum:"0" maximum:"61" example:"3" doc:"In place of the service's."`
	MaxNights      int `json:"max_nights,omitempty" minimum:"0" maximum:"61" doc:"In place of the service's, and no more than that."`
	NightsMultiple int `json:"nights_multiple,omitempty" minimum:"0" maximum:"61" example:"7" doc:"In place of the service's."`
}

// nightsFrom returns the least and the most nights of a stay that begins on a date, and of what its nights are a
// multiple.
func (svc *Spec) nightsFrom(d civil.Date) (least, most, multiple int) {
	least, most, multiple = svc.MinNights, svc.MaxNights, max(svc.NightsMultiple, 1)
	day := WeekdayOf(d.Weekday())
	for i := range svc.ArrivalRules {
		r := &svc.ArrivalRules[i]
		if (len(r.Weekdays) == 0 || slices.Contains(r.Weekdays, day)) && r.contains(d) {
			least, multiple = cmp.Or(r.MinNights, least), cmp.Or(r.NightsMultiple, multiple)
			most = min(cmp.Or(r.MaxNights, most), most)
			break
		}
	}
	return (least + multiple - 1) / multiple * multiple, most, multiple
}

// LeastNights returns the fewest nights that a stay can have on any date.
func (svc *Spec) LeastNights() int {
	if svc.SellGaps {
		return 1
	}
	least := svc.MinNights
	for i := range svc.ArrivalRules {
		least = min(least, cmp.Or(svc.ArrivalRules[i].MinNights, least))
	}
	return least
}

// departsOn reports whether stays can end on a day of the week.
func (svc *Spec) departsOn(day time.Weekday) bool {
	return len(svc.DepartureWeekdays) == 0 || slices.Contains(svc.DepartureWeekdays, WeekdayOf(day))
}

// checkNights returns problem.ValidationFailed if the service sells no stay of so many nights from a date on, but to
// fill a gap.
func (svc *Spec) checkNights(d civil.Date, nights int) error {
	least, most, multiple := svc.nightsFrom(d)
	switch {
	case nights < least:
		return problem.Invalid("check_out", "too_small", fmt.Sprintf("Expected at least %d nights.", least))
	case nights > most:
		return problem.Invalid("check_out", "too_large", fmt.Sprintf("Expected at most %d nights.", most))
	case nights%multiple != 0:
		return problem.Invalid("check_out", "not_multiple",
			fmt.Sprintf("Expected a multiple of %d nights.", multiple))
	}
	return nil
}

// mayFillGap reports whether a stay that checkNights refuses can be had if it fills a gap: it isn't too long.
func (svc *Spec) mayFillGap(d civil.Date, nights int) bool {
	_, most, _ := svc.nightsFrom(d)
	return svc.SellGaps && nights <= most
}

// gapNights is how many nights before and after a stay have to be known, to see whether it fills a gap.
func (svc *Spec) gapNights() int {
	if svc.SellGaps {
		return 1
	}
	return 0
}

// checkArrivalRules returns problem.ValidationFailed for rules that are too many, or by which no stay can be had.
func (svc *Spec) checkArrivalRules() error {
	checks := []error{
		checkWeekdays("departure_weekdays", svc.DepartureWeekdays),
		problem.CheckRange("nights_multiple", svc.NightsMultiple, 0, svc.MaxNights),
		problem.CheckRange("arrival_rules", len(svc.ArrivalRules), 0, maxArrivalRules),
	}
	for i, r := range svc.ArrivalRules {
		prefix := fmt.Sprintf("arrival_rules[%d].", i)
		most := cmp.Or(r.MaxNights, svc.MaxNights)
		checks = append(checks, checkWeekdays(prefix+"weekdays", r.Weekdays), r.PartOfYear.check(prefix),
			problem.CheckRange(prefix+"max_nights", r.MaxNights, 0, svc.MaxNights),
			problem.CheckRange(prefix+"min_nights", r.MinNights, 0, most),
			problem.CheckRange(prefix+"nights_multiple", r.NightsMultiple, 0, most))
	}
	return cmp.Or(checks...)
}

// keepGaps takes the start from each candidate on which a stay doesn't fill the whole of a gap: the same party could
// have the night before it too, or the one after. first is the first date that can be booked. free returns how many
// units of a candidate are free at each moment of a time.
func (r *Rules) keepGaps(g *candidates, stay BookingTime, party int, first civil.Date,
	free func(i int, from, until int64) int,
) {
	days := localDays{loc: r.Loc}
	before, after := days.previous(stay.Date), datetime.DateOf(stay.End, r.Loc)
	start, end := stay.Start.Unix(), stay.End.Unix()
	earlier := days.clockOn(before, r.Service.checkInMinute())
	later := days.clockOn(days.next(after), r.Service.checkOutMinute())
	for i := range g.resources {
		res, state := &g.resources[i], &g.states[i]
		units := min(party, res.Capacity) // several resources may be joined
		if r.Service.Occupies.All() {
			units = res.Capacity
		}
		has := func(night, date civil.Date, start, end int64) bool {
			if len(r.open(res, night)) == 0 {
				return false
			}
			from, until := r.busy(date, start, end, &days)
			return free(i, from, until) >= units
		}
		state.starts = state.starts && (before.Before(first) || !has(before, before, earlier, end)) &&
			!has(after, stay.Date, start, later)
	}
}
