package pages

import (
	"fmt"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/booking"
	"holdfast/internal/datetime"
)

// weekdays are in the order of a calendar's columns.
var weekdays = []time.Weekday{
	time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday, time.Saturday, time.Sunday,
}

func (l *lang) weekday(day time.Weekday) string { return l.text(fmt.Sprintf("weekday_%d", day)) }
func (l *lang) weekdayShort(day time.Weekday) string {
	return l.text(fmt.Sprintf("weekday_short_%d", day))
}
func (l *lang) monthName(m time.Month) string { return l.text(fmt.Sprintf("month_%d", m)) }

// monthTitle returns "December 2026".
func (l *lang) monthTitle(d civil.Date) string {
	return l.text("month_title", "Month", l.monthName(d.Month), "Year", d.Year)
}

// date returns "Friday 4 December 2026".
func (l *lang) date(d civil.Date) string {
	return l.text("date", "Weekday", l.weekday(weekdayOf(d)), "Day", d.Day, "Month", l.monthName(d.Month), "Year",
		d.Year)
}

// dateAndClock returns date and time of day of t in its location, for where the time zone is said beside it.
func (l *lang) dateAndClock(t time.Time) string {
	return l.text("moment", "Date", l.date(civil.DateOf(t)), "Time", datetime.Clock(t))
}

// moment returns date and time of day of t in its location, with the time zone.
func (l *lang) moment(t time.Time) string { return l.inZone(l.dateAndClock(t), t) }

// inZone returns a time in words with the time zone of t.
func (l *lang) inZone(words string, t time.Time) string {
	return l.text("in_zone", "Time", words, "Zone", t.Location().String())
}

// clock returns the time of day of t with the time zone, and with the date unless that is the one of now.
func (l *lang) clock(t, now time.Time) string {
	if civil.DateOf(t) != civil.DateOf(now.In(t.Location())) {
		return l.moment(t)
	}
	return l.inZone(datetime.Clock(t), t)
}

// interval returns from when until when something is: dates alone if it is for whole dates, and otherwise with the time
// zone. end is exclusive.
func (l *lang) interval(start, end time.Time, wholeDates bool) string {
	first, last := civil.DateOf(start), civil.DateOf(end)
	if wholeDates {
		last = civil.DateOf(end.Add(-time.Second)) // not a day: its midnight may be one that clocks skip
	}
	switch {
	case wholeDates && first == last:
		return l.date(first)
	case wholeDates:
		return l.text("from_to", "From", l.date(first), "To", l.date(last))
	case first == last:
		return l.inZone(l.text("on_date_from_to", "Date", l.date(first), "From", datetime.Clock(start), "To",
			datetime.Clock(end)), start)
	default:
		return l.inZone(l.text("from_to", "From", l.dateAndClock(start), "To", l.dateAndClock(end)), start)
	}
}

// when returns when a booking is.
func (l *lang) when(b booking.Booking) string {
	return l.interval(b.StartsAt, b.EndsAt, b.WholeDates())
}

func weekdayOf(d civil.Date) time.Weekday { return d.In(time.UTC).Weekday() }
