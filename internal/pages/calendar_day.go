package pages

import (
	"cmp"
	"slices"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/datetime"
)

// dayPanel is what can be booked on the date that was chosen.
type dayPanel struct {
	Date   string
	Fields []field // what else the form says
	// Slots are of a slot service.
	Slots []slotButton
	// Whole is what is booked of another service, such as "Friday 4 December to Monday 7 December 2026, 3 nights"; empty if it can't be.
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
	Taken  bool
}

// fewLeft is how many units of a slot are so few that the page says so.
const fewLeft = 3

func (v *visit) dayPanel(q calendarQuery, day booking.Day) *dayPanel {
	panel := &dayPanel{Date: v.date(day.Date)}
	for name, values := range q.sel.with(fieldDate, day.Date.String()) {
		panel.Fields = append(panel.Fields, field{name, values[0]})
	}
	slices.SortFunc(panel.Fields, func(a, b field) int { return cmp.Compare(a.Name, b.Name) })
	if day.HasSlots {
		for _, slot := range day.Slots {
			panel.Slots = append(panel.Slots, v.slotButton(q.svc, slot))
		}
	}
	switch {
	case !day.Available && day.Reason != "":
		panel.Refusal = v.text("day_" + string(day.Reason))
	case !day.Available && len(day.Slots) == 0:
		panel.Refusal = v.text("day_closed")
	case !day.Available:
		panel.Refusal = v.text("day_sold_out")
	case !day.HasSlots:
		panel.Whole = v.wholeDay(q.svc)
		if q.sel.nights > 0 {
			panel.Whole = v.text("stay", "From", v.date(day.Date), "To", v.date(day.Date.AddDays(q.sel.nights)), "Count", q.sel.nights)
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

func (v *visit) slotButton(svc *catalog.BookableService, slot booking.Slot) slotButton {
	starts, ends := slot.StartsAt.In(v.tenant.Location), slot.EndsAt.In(v.tenant.Location)
	b := slotButton{
		Value: slot.StartsAt.Format(time.RFC3339), Starts: starts, Label: datetime.Clock(starts), Ends: datetime.Clock(ends),
		Taken: slot.Reason != "",
	}
	if datetime.DateOf(starts, v.tenant.Location) != datetime.DateOf(ends, v.tenant.Location) {
		b.Ends = v.moment(ends)
	}
	if slot.Price != nil {
		b.Price = v.amount(*slot.Price, v.tenant.Currency)
	}
	if slot.LargestParty <= fewLeft && slot.Capacity > 1 && svc.Occupies != catalog.OccupiesWhole {
		b.Left = v.text("places_left", "Count", slot.LargestParty)
	}
	return b
}
