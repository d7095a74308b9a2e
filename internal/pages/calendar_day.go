package pages

import (
	"time"

	"holdfast/internal/catalog"
	"holdfast/internal/datetime"
	"holdfast/internal/timetable"
)

// dayPanel is what can be booked on the date that was chosen.
type dayPanel struct {
	Date  string
	Value string // of Date, such as 2026-12-04
	// Slots are of a slot service.
	Slots []slotButton
	// Whole is what is booked of another service, such as "Friday 4 December to Monday 7 December 2026, 3 nights";
	// empty if it can't be.
	Whole string
	Price string // of Whole; empty if it is unknown
	// Refusal says why nothing can be booked; empty if something can.
	Refusal string
}

// field is a hidden field of a form.
type field struct{ Name, Value string }

// slotButton is a time of a date.
type slotButton struct {
	Value  string // as the form sends it
	Starts time.Time
	Label  string // "10:00"
	Ends   string // "11:00"
	Price  string // empty if it is unknown
	Left   string // how many are left, if these are few
	Taken  string // why it can't be had; empty if it can
}

// fewLeft is how many units of a slot are so few that the page says so.
const fewLeft = 3

func (v *visit) dayPanel(q calendarQuery, day timetable.Day) *dayPanel {
	panel := &dayPanel{Date: v.date(day.Date), Value: day.Date.String()}
	for _, slot := range day.Slots {
		if slot.Reason != timetable.NoHours { // at such a time it is closed: what else the service needs isn't open
			panel.Slots = append(panel.Slots, v.slotButton(q, slot))
		}
	}
	switch {
	case !day.Available && day.Reason != "":
		panel.Refusal = v.whyNot(day)
	case !day.Available && len(day.Slots) == 0:
		panel.Refusal = v.text("day_closed")
	case !day.Available:
		panel.Refusal = v.text("day_sold_out")
	case !day.HasSlots:
		panel.Whole = v.wholeDay(q.svc)
		if q.sel.nights > 0 {
			panel.Whole = v.text("stay", "From", v.date(day.Date), "To", v.date(day.Date.AddDays(q.sel.nights)),
				"Count", q.sel.nights)
		}
		if day.Price != nil {
			panel.Price = v.amount(*day.Price, v.tenant.Currency)
		}
	}
	return panel
}

// wholeDay returns when a booking of a date service is, on its date.
func (v *visit) wholeDay(svc *catalog.BookableService) string {
	switch {
	case svc.Starts == "":
		return v.text("whole_day")
	case svc.EndsNextDate():
		return v.text("until_next_day", "From", svc.Starts, "To", svc.Ends)
	}
	return v.text("from_to", "From", svc.Starts, "To", svc.Ends)
}

func (v *visit) slotButton(q calendarQuery, slot timetable.Slot) slotButton {
	starts, ends := slot.StartsAt.In(v.tenant.Location), slot.EndsAt.In(v.tenant.Location)
	b := slotButton{
		Value: slot.StartsAt.Format(time.RFC3339), Starts: starts, Label: datetime.Clock(starts),
		Ends: datetime.Clock(ends),
	}
	switch {
	case slot.Reason == "":
	case slot.Reason == timetable.InTheWay && slot.LargestParty > 0:
		b.Taken = v.text("places_left", "Count", slot.LargestParty)
	default:
		b.Taken = v.text("taken")
	}
	if datetime.DateOf(starts, v.tenant.Location) != datetime.DateOf(ends, v.tenant.Location) {
		b.Ends = v.dateAndClock(ends)
	}
	if slot.Price != nil {
		b.Price = v.amount(*slot.Price, v.tenant.Currency)
	}
	// there may be more that the visitor can't have
	limited := q.limits != nil && !q.limits.AllowUnits(slot.LargestParty+1)
	if slot.LargestParty <= fewLeft && slot.Capacity > 1 && q.svc.Occupies != timetable.OccupiesWhole && !limited {
		b.Left = v.text("places_left", "Count", slot.LargestParty)
	}
	return b
}
