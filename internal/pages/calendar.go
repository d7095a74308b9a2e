package pages

import (
	"context"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/datetime"
	"holdfast/internal/settings"
	"holdfast/internal/timetable"
)

// calendar is a month with what is free, and the times of the date that was chosen.
//
// Its dates and months are buttons of a form that is around it: they send what stands in the form's other fields, also
// what was typed a moment ago.
type calendar struct {
	Path           string // of the page, to which the buttons lead
	Title          string
	Previous, Next string // other months, such as 2026-12; empty where nothing can be booked
	Weekdays       []weekdayColumn
	Weeks          [][]calendarCell
	// Note says why nothing is free; empty if something is.
	Note         string
	LargestParty int // that fits one booking on some date
	Day          *dayPanel
}

type weekdayColumn struct{ Short, Long string }

// calendarCell is a date of the month, or a blank before the first or after the last one.
type calendarCell struct {
	Number int    // of the date in its month; 0 for a blank
	Value  string // such as 2026-12-04; empty for a date on which nothing is free
	Date   string // in words
	State  string // in words: free, sold out, closed
	Price  string // from which the party can book; empty if it is unknown
	Kind   string // free, full or closed: how it looks
	Chosen bool
	Today  bool
}

// calendarQuery asks for a calendar.
type calendarQuery struct {
	svc    *catalog.BookableService
	sel    selection
	except *uuid.UUID              // the booking that is to move
	limits *settings.VisitorLimits // that count; nil for a booking that moves
	path   string                  // of the page that shows it
}

// maxCalendarReads bounds how often what is free of a month is read: a month with very many slots comes in parts.
const maxCalendarReads = 3

// calendar returns the month of a selection.
func (p *Pages) calendar(ctx context.Context, v *visit, q calendarQuery) (*calendar, error) {
	today := v.today()
	last := today.AddDays(q.svc.WindowDays())
	first := q.sel.month
	end := addMonths(first, 1).AddDays(-1)
	days, err := p.daysOf(ctx, v, q, first, end)
	if err != nil {
		return nil, err
	}
	cal := &calendar{Path: q.path, Title: v.monthTitle(first)}
	if first.After(today) {
		cal.Previous = monthValue(addMonths(first, -1))
	}
	if end.Before(last) {
		cal.Next = monthValue(addMonths(first, 1))
	}
	free := false
	for _, day := range weekdays {
		cal.Weekdays = append(cal.Weekdays, weekdayColumn{v.weekdayShort(day), v.weekday(day)})
	}
	var week []calendarCell
	for range (int(weekdayOf(first)) + 6) % len(weekdays) { // the week begins on Monday
		week = append(week, calendarCell{})
	}
	for d := first; !d.After(end); d = d.AddDays(1) {
		cell := v.cell(q, d, days[d])
		cell.Today = d == today
		free = free || cell.Value != ""
		cal.LargestParty = max(cal.LargestParty, largestParty(days[d]))
		if week = append(week, cell); len(week) == len(weekdays) {
			cal.Weeks, week = append(cal.Weeks, week), nil
		}
	}
	for len(week)%len(weekdays) != 0 {
		week = append(week, calendarCell{})
	}
	if len(week) > 0 {
		cal.Weeks = append(cal.Weeks, week)
	}
	tooMuch := v.beyondLimits(q)
	switch {
	case tooMuch != "":
		cal.Note = tooMuch
	case free:
	case cal.LargestParty > 0 && q.sel.partySize > cal.LargestParty:
		cal.Note = v.text("too_many", "Count", cal.LargestParty)
	default:
		cal.Note = v.text("nothing_free")
	}
	if q.sel.date != nil && tooMuch == "" {
		if day, ok := days[*q.sel.date]; ok {
			cal.Day = v.dayPanel(q, day)
			if cal.Day.Whole != "" && cal.Day.Price == "" {
				cal.Day.Price = p.quotedPrice(ctx, v, q)
			}
		}
	}
	return cal, nil
}

// quotedPrice returns what the booking of the chosen date would cost; empty if it can't be made. Only a quote knows
// what a party of several unit types pays.
func (p *Pages) quotedPrice(ctx context.Context, v *visit, q calendarQuery) string {
	quote, err := p.Bookings.Quote(ctx, v.tenant, booking.CreateRequest{
		ServiceID: q.svc.ID, When: q.sel.when(nil, q.svc.Kind), PartySize: q.sel.size(), Party: q.sel.party,
	})
	if err != nil {
		return ""
	}
	return v.amount(quote.Booking.Price, v.tenant.Currency)
}

// today returns the date in the tenant's time zone. This server's clock only decides which month is shown first.
func (v *visit) today() civil.Date { return datetime.DateOf(time.Now(), v.tenant.Location) }

// daysOf returns what is free from a date to another one, both included.
func (p *Pages) daysOf(ctx context.Context, v *visit, q calendarQuery,
	from, to civil.Date,
) (map[civil.Date]timetable.Day, error) {
	days := make(map[civil.Date]timetable.Day)
	if from = maxDate(from, v.today()); to.Before(from) {
		return days, nil
	}
	ask := q.sel.query(from, to)
	ask.ExceptBooking, ask.Limited = q.except, q.limits != nil
	for range maxCalendarReads {
		page, err := p.Bookings.Availability(ctx, v.tenant, q.svc.ID, ask)
		if err != nil {
			return nil, err
		}
		for day := range page.Days() {
			day.Slots = append([]timetable.Slot(nil), day.Slots...) // a day is valid until the next one
			if day.Price != nil {
				day.Price = new(*day.Price)
			}
			days[day.Date] = day
		}
		if ask.After = page.Next(); ask.After == nil {
			break
		}
	}
	return days, nil
}

func maxDate(a, b civil.Date) civil.Date {
	if a.Before(b) {
		return b
	}
	return a
}

// monthValue returns a month as fields have it, such as 2026-12.
func monthValue(month civil.Date) string { return month.String()[:len("2006-01")] }

// dateURL leads to a date, below the calendar: at its times.
func (v *visit) dateURL(q calendarQuery, d civil.Date) string {
	return v.withLanguage(q.path, q.sel.extend(fieldDate, d.String())) + "#times"
}

// cell returns a date of the calendar. day is the zero Day for a date about which nothing is known, such as one that is
// over.
func (v *visit) cell(q calendarQuery, d civil.Date, day timetable.Day) calendarCell {
	cell := calendarCell{
		Number: d.Day, Date: v.date(d), Chosen: q.sel.date != nil && *q.sel.date == d, Kind: "closed",
		State: v.text("day_closed"),
	}
	switch {
	case day.Available:
		cell.Kind, cell.State, cell.Value = "free", v.text("day_free"), d.String()
		if price, known := lowestPrice(day); known {
			cell.Price = v.amount(price, v.tenant.Currency)
		}
	case day.Reason == timetable.SoldOut || day.Reason == timetable.InTheWay:
		cell.Kind, cell.State = "full", v.whyNot(day)
	case day.Reason != "":
		cell.State = v.whyNot(day)
	case day.HasSlots && len(day.Slots) > 0: // all its slots are taken
		cell.Kind, cell.State = "full", v.text("day_sold_out")
	}
	return cell
}

// whyNot says why nothing can be booked on a date, which has a reason. Where there is room for nobody, it is sold out:
// also if what is lacking is something that the service needs besides.
func (v *visit) whyNot(day timetable.Day) string {
	if day.Reason == timetable.InTheWay && largestParty(day) == 0 {
		return v.text("day_sold_out")
	}
	return v.text("day_" + string(day.Reason))
}

// largestParty returns the largest party that fits one booking on a date.
func largestParty(day timetable.Day) int {
	largest := day.LargestParty
	for _, slot := range day.Slots {
		largest = max(largest, slot.LargestParty)
	}
	return largest
}

// lowestPrice returns the lowest price that the party would pay on a date, in minor units.
func lowestPrice(day timetable.Day) (price int64, known bool) {
	if day.Price != nil {
		return *day.Price, true
	}
	for _, slot := range day.Slots {
		if slot.Reason == "" && slot.Price != nil && (!known || *slot.Price < price) {
			price, known = *slot.Price, true
		}
	}
	return price, known
}
