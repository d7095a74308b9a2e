package booking_test

import (
	"math/rand/v2"
	"slices"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/booking"
	"holdfast/internal/booking/plaincalendar"
	"holdfast/internal/catalog"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// modelPrice is what a person costs in each service of the model, in minor units; of a stay, each night.
const modelPrice = 700

// modelNights is how long the longest stay of the model is.
const modelNights = 3

// drawnCalendar is a plain calendar around a change of the clock, at which the requests are drawn.
type drawnCalendar struct {
	plaincalendar.Calendar

	r        *rand.Rand
	services []*drawnService
	first    time.Time  // at which slots begin
	day      civil.Date // of first
	checkIn  int        // the minute of the day at which stays begin; they end an hour before it
	prices   map[*plaincalendar.Booking]int64
}

// drawnService is a service of the model.
type drawnService struct {
	plaincalendar.Service

	minutes int // of a slot
}

// fullPrice is what a booking costs that is made now.
func fullPrice(p *plaincalendar.Booking) int64 {
	return modelPrice * int64(p.Party) * int64(max(p.Nights, 1))
}

// whenOf is how a request asks for a time.
func whenOf(at plaincalendar.Time) timetable.When {
	if at.Nights > 0 {
		return timetable.When{CheckIn: &at.Date, CheckOut: &at.CheckOut}
	}
	return atTime(at.Start)
}

// clockOn returns when clocks show a minute of a date.
func clockOn(d civil.Date, minute int, loc *time.Location) time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, minute, 0, 0, loc)
}

// slot and stay return the time of a service that begins at a moment, or on a date.
func (c *drawnCalendar) slot(s *drawnService, start time.Time) plaincalendar.Time {
	return plaincalendar.Time{
		Date: civil.DateOf(start.In(c.Loc)), Start: start, End: start.Add(time.Duration(s.minutes) * time.Minute),
	}
}

func (c *drawnCalendar) stay(d civil.Date, nights int) plaincalendar.Time {
	out := d.AddDays(nights)
	return plaincalendar.Time{
		Date: d, Start: clockOn(d, c.checkIn, c.Loc), End: clockOn(out, c.checkIn-60, c.Loc), CheckOut: out,
		Nights: nights,
	}
}

func (c *drawnCalendar) drawTime(s *drawnService) plaincalendar.Time {
	if s.Stay() {
		return c.stay(c.day.AddDays(c.r.IntN(6)-3), 1+c.r.IntN(modelNights))
	}
	return c.slot(s, c.drawStart())
}

func (c *drawnCalendar) drawStart() time.Time {
	return c.first.Add(time.Duration(c.r.IntN(8)) * 30 * time.Minute)
}

// random returns a booking with a status that takes its time, nil if there is none.
func (c *drawnCalendar) random(of ...booking.Status) *plaincalendar.Booking {
	list := slices.DeleteFunc(slices.Clone(c.Bookings), func(p *plaincalendar.Booking) bool {
		return !slices.Contains(of, p.Status) || p.Lapsed(c.Now)
	})
	if len(list) == 0 {
		return nil
	}
	return list[c.r.IntN(len(list))]
}

// modelDay returns the date of a zone's next change of the clock, and the first half hour that bookings of the model
// begin at: two hours before the change. A zone without one has some other date.
func modelDay(loc *time.Location) (d civil.Date, first time.Time) {
	d, first = testtime.Date(3), testtime.At(3, 8, 0, loc)
	_, before := first.Zone()
	for at := first; at.Before(first.AddDate(1, 0, 0)); at = at.Add(30 * time.Minute) {
		if _, after := at.Zone(); after != before {
			first = at.Add(-2 * time.Hour)
			return civil.DateOf(first), first
		}
	}
	return d, first
}

// drawBlock returns a block of a boat or a skipper, of some hours or of dates, once or twice, and the request for it.
func (c *drawnCalendar) drawBlock() (k plaincalendar.Block, request catalog.BlockChange) {
	k.Resource = c.Resources[c.r.IntN(len(c.Resources))]
	if c.r.IntN(3) == 0 {
		k.Resource = c.Skippers[c.r.IntN(len(c.Skippers))]
	}
	request.Force = c.r.IntN(2) == 0
	repeated := c.r.IntN(3) == 0
	if repeated {
		request.RRule = new("FREQ=DAILY;COUNT=2;INTERVAL=2")
	}
	if c.r.IntN(3) == 0 {
		from, days := c.day.AddDays(c.r.IntN(5)-2), 1+c.r.IntN(2)
		request.From, request.To = new(from.String()), new(from.AddDays(days-1).String())
		if k.Times = append(k.Times, c.BlockDates(from, from.AddDays(days-1))); repeated {
			k.Times = append(k.Times, c.BlockDates(from.AddDays(2), from.AddDays(2+days-1)))
		}
	} else {
		from := c.drawStart()
		// where a booking is, now and then
		if in := c.random(booking.Held, booking.Confirmed); in != nil && c.r.IntN(2) == 0 {
			from, k.Resource = in.Start, in.Resource
		}
		if repeated { // by the clock, at a time that each date has once
			from = clockOn(c.day.AddDays(c.r.IntN(3)-2), 12*60, c.Loc)
		}
		until := from.Add(time.Duration(1+c.r.IntN(4)) * 30 * time.Minute)
		request.StartsAt, request.EndsAt = new(from.Format(time.RFC3339)), new(until.Format(time.RFC3339))
		if k.Times = append(k.Times, plaincalendar.BlockHours(from, until)); repeated {
			k.Times = append(k.Times, plaincalendar.BlockHours(from.AddDate(0, 0, 2), until.AddDate(0, 0, 2)))
		}
	}
	request.ResourceID = k.Resource
	return k, request
}
