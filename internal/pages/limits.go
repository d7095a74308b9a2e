package pages

import (
	"cmp"
	"slices"

	"holdfast/internal/timetable"
)

// beyondLimits says why the visitor can't have what is chosen: it is more than the tenant lets visitors take at once.
// It is empty if it isn't, and for a booking that moves.
func (v *visit) beyondLimits(q calendarQuery) string {
	switch {
	case q.limits == nil:
		return ""
	case q.svc.Kind == timetable.KindStay && !q.limits.AllowNights(q.sel.nights):
		return v.nightsLimit(q)
	case q.svc.Kind == timetable.KindSlot && !q.limits.AllowNights(q.length().Begun()):
		return v.nightsLimit(q)
	case !q.limits.AllowUnits(q.sel.partySize):
		return v.unitsLimit(q)
	}
	return ""
}

// length returns the length of a slot that is chosen, or that all slots of the service have.
func (q calendarQuery) length() timetable.Length {
	return cmp.Or(q.sel.length, timetable.Length{Minutes: q.svc.DurationMinutes, Days: q.svc.DurationDays})
}

func (v *visit) nightsLimit(q calendarQuery) string {
	if q.svc.Kind == timetable.KindStay {
		return v.text("limit_nights", "Count", q.limits.Nights)
	}
	return v.text("limit_days", "Count", q.limits.Nights)
}

func (v *visit) unitsLimit(q calendarQuery) string {
	return v.text("limit_people", "Count", q.limits.Units)
}

// limit leaves out of what can be chosen what is more than visitors can take at once, and says so beside it. What was
// chosen stays.
func (c *choices) limit(v *visit, q calendarQuery) {
	if q.limits == nil {
		return
	}
	most := 0 // that the service sells
	c.Lengths = slices.DeleteFunc(c.Lengths, func(l lengthChoice) bool {
		most = max(most, l.length.Begun())
		return !l.Chosen && !q.limits.AllowNights(l.length.Begun())
	})
	c.Nights = slices.DeleteFunc(c.Nights, func(n nightChoice) bool {
		most = max(most, n.Count)
		return !n.Chosen && !q.limits.AllowNights(n.Count)
	})
	if !q.limits.AllowNights(most) {
		c.Limits = append(c.Limits, v.nightsLimit(q))
	}
	if q.limits.AllowUnits(q.sel.partySize+1) || len(c.Counters) == 0 {
		return
	}
	c.Limits = append(c.Limits, v.unitsLimit(q))
	for i := range c.Counters {
		c.Counters[i].Full = c.Counters[i].takesUnits
	}
}
