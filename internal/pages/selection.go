package pages

import (
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/catalog"
	"holdfast/internal/datetime"
	"holdfast/internal/timetable"
)

// Fields of a selection in queries and forms. A unit type's is partyField and its key.
const (
	fieldMonth   = "month"
	fieldDate    = "date"
	fieldParty   = "party"
	partyField   = "party."
	fieldNights  = "nights"
	fieldMinutes = "minutes"
	fieldDays    = "days"
	fieldStarts  = "starts_at"
	// fieldShow is the month that a button asks for, whatever date was chosen.
	fieldShow = "show"
	// fieldMore and fieldFewer name the field of a party that a button raises or lowers by one.
	fieldMore  = "more"
	fieldFewer = "fewer"
)

// selection is what a person has chosen so far.
type selection struct {
	// month is the first date of the month that is shown.
	month civil.Date
	// date is the date that was chosen, nil before.
	date *civil.Date
	// partySize is how many units are taken. party has how many come of each unit type; nil for a service without unit
	// types.
	partySize int
	party     map[string]int
	// nights is of a stay, length of a slot whose service sells several; zero of other services.
	nights int
	length timetable.Length
	// altered says that something was given that can't be, and was taken for something else.
	altered bool
}

// size is how many units a request asks for; zero if it says how many come of each unit type.
func (sel selection) size() int {
	if sel.party != nil {
		return 0
	}
	return sel.partySize
}

// selectionOf reads a selection. What is missing or can't be is as it was before anything was chosen: a link that
// somebody changed by hand shows a page, too. A form that holds something is refused if it is altered.
func selectionOf(values url.Values, svc *catalog.BookableService, today civil.Date) selection {
	var sel selection
	least := max(svc.MinPartySize, 1)
	sel.partySize = sel.number(values, fieldParty, least, timetable.MaxCapacity, least)
	if len(svc.UnitTypes) > 0 {
		sel.setParty(values, svc)
	}
	if svc.Kind == timetable.KindStay {
		sel.nights = sel.number(values, fieldNights, svc.LeastNights(), svc.MaxNights, svc.MinNights)
	}
	if svc.Vary() {
		sel.length = timetable.Length{
			Minutes: sel.number(values, fieldMinutes, 1, maxMinutes, 0),
			Days:    sel.number(values, fieldDays, 1, maxDays, 0),
		}
		if !svc.Sell(sel.length) {
			sel.altered = sel.altered || sel.length != (timetable.Length{})
			sel.length = svc.Shortest()
		}
	}
	shown := today
	if d, err := datetime.ParseDate(fieldShow, values.Get(fieldShow)+"-01"); err == nil {
		shown = d
	} else if d, err := datetime.ParseDate(fieldDate, values.Get(fieldDate)); err == nil {
		sel.date, shown = &d, d
	} else if d, err := datetime.ParseDate(fieldMonth, values.Get(fieldMonth)+"-01"); err == nil {
		shown = d
	} else {
		sel.altered = sel.altered || values.Get(fieldDate) != ""
	}
	sel.month = firstOfMonth(shown)
	return sel
}

// Bounds of a length in a query. The service decides which it sells.
const (
	maxMinutes = 7 * datetime.MinutesPerDay
	maxDays    = 7
)

// setParty reads how many come of each unit type, at least as many as the service says: of the first that counts as
// many as the least party has if nobody else comes.
func (sel *selection) setParty(values url.Values, svc *catalog.BookableService) {
	sel.party, sel.partySize = make(map[string]int), 0
	for _, u := range svc.UnitTypes {
		n := sel.number(values, partyField+u.Key, u.MinCount, timetable.MaxCapacity, u.MinCount)
		sel.party[u.Key] = n
		if u.Counts {
			sel.partySize += n
		}
	}
	sel.altered = sel.altered || sel.partySize > timetable.MaxCapacity
	for _, u := range svc.UnitTypes {
		if u.Counts {
			lacking := max(max(svc.MinPartySize, 1)-sel.partySize, 0)
			sel.party[u.Key], sel.partySize = sel.party[u.Key]+lacking, sel.partySize+lacking
		}
	}
}

// number returns a whole number from low to high: the nearest one to what was given, and otherwise another one if that
// is no number.
func (sel *selection) number(values url.Values, name string, low, high, otherwise int) int {
	given := values.Get(name)
	n, err := strconv.Atoi(given)
	if err != nil {
		sel.altered = sel.altered || given != ""
		return otherwise
	}
	sel.altered = sel.altered || n < low || n > high
	return min(max(n, low), high)
}

// step returns the values after the button was pressed that raises or lowers the field of a party; false if none was.
func step(values url.Values) (after url.Values, pressed bool) {
	for name, by := range map[string]int{fieldMore: 1, fieldFewer: -1} {
		field := values.Get(name)
		if field != fieldParty && !strings.HasPrefix(field, partyField) {
			continue
		}
		n, _ := strconv.Atoi(values.Get(field)) // an empty field counts as nobody
		after = maps.Clone(values)
		after.Set(field, strconv.Itoa(n+by))
		return after, true
	}
	return values, false
}

// firstOfMonth returns the first date of the month of d.
func firstOfMonth(d civil.Date) civil.Date { return civil.Date{Year: d.Year, Month: d.Month, Day: 1} }

// addMonths returns the first date of the month that is n months after that of d.
func addMonths(d civil.Date, n int) civil.Date {
	return civil.DateOf(time.Date(d.Year, d.Month+time.Month(n), 1, 0, 0, 0, 0, time.UTC))
}

// values returns the party and the length as they stand in queries and forms: what stays when another month or date is
// chosen.
func (sel selection) values() url.Values {
	values := url.Values{}
	if sel.party == nil {
		values.Set(fieldParty, strconv.Itoa(sel.partySize))
	}
	for key, n := range sel.party {
		values.Set(partyField+key, strconv.Itoa(n))
	}
	for name, n := range map[string]int{fieldNights: sel.nights, fieldMinutes: sel.length.Minutes,
		fieldDays: sel.length.Days} {
		if n > 0 {
			values.Set(name, strconv.Itoa(n))
		}
	}
	return values
}

// address returns what the address of a page with the selection says: values, and what is shown.
func (sel selection) address() url.Values {
	if sel.date != nil {
		return sel.extend(fieldDate, sel.date.String())
	}
	return sel.extend(fieldMonth, monthValue(sel.month))
}

// extend returns the values with one more.
func (sel selection) extend(name, value string) url.Values {
	values := sel.values()
	values.Set(name, value)
	return values
}

// query asks what is free of the selection from a date to another one, both included.
func (sel selection) query(from, to civil.Date) timetable.AvailabilityQuery {
	q := timetable.AvailabilityQuery{From: from, To: to, PartySize: sel.partySize, Prices: true}
	if sel.nights > 0 {
		q.Nights = &sel.nights
	}
	if sel.length.Minutes > 0 {
		q.DurationMinutes = &sel.length.Minutes
	}
	if sel.length.Days > 0 {
		q.DurationDays = &sel.length.Days
	}
	return q
}

// when returns the time that a form asks for.
func (sel selection) when(form url.Values, kind timetable.ServiceKind) (w timetable.When) {
	if starts := form.Get(fieldStarts); kind == timetable.KindSlot {
		w.StartsAt = &starts
	}
	if sel.length.Minutes > 0 {
		w.DurationMinutes = &sel.length.Minutes
	}
	if sel.length.Days > 0 {
		w.DurationDays = &sel.length.Days
	}
	switch {
	case sel.date == nil:
	case kind == timetable.KindDate:
		w.Date = sel.date
	case kind == timetable.KindStay:
		w.CheckIn, w.CheckOut = sel.date, new(sel.date.AddDays(sel.nights))
	}
	return w
}
