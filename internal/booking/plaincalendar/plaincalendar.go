// Package plaincalendar is a model of a tenant's calendar, which tests compare with Holdfast. It says who gets what by
// looking at all bookings and blocks each time. It has no numbers of units.
package plaincalendar

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/timetable"
)

// Calendar is the model.
type Calendar struct {
	Loc *time.Location
	// Now decides which holds have lapsed, and which bookings are over.
	Now       time.Time
	Resources []uuid.UUID
	Capacity  map[uuid.UUID]int
	Skippers  []uuid.UUID // of which a booking that needs one gets the first that is free
	Bookings  []*Booking
	Blocks    []*Block // that aren't archived
}

// Service is what decides about bookings of a service.
type Service struct {
	ID            uuid.UUID
	Kind          timetable.ServiceKind
	Occupies      timetable.Occupies
	Before, After time.Duration // buffers
	// BeforeDays and AfterDays are days on which nobody else gets what is booked: the check-in date is the last one,
	// and the check-out date the first one.
	BeforeDays, AfterDays int
	Most                  int  // bookings that begin on a date, or sessions; 0 for any number
	Skippered             bool // a booking, or a session, needs a skipper too
}

// Stay reports whether the service sells nights.
func (s *Service) Stay() bool { return s.Kind == timetable.KindStay }

// String names the service in failures.
func (s *Service) String() string { return fmt.Sprintf("%s of %s", s.Kind, s.Occupies) }

// Time is when a booking takes place.
type Time struct {
	Date       civil.Date // of Start
	Start, End time.Time
	CheckOut   civil.Date // of a stay
	Nights     int        // of a stay
}

// Equal reports whether two times are the same.
func (at Time) Equal(other Time) bool { return at.Start.Equal(other.Start) && at.End.Equal(other.End) }

// String shows the time in failures.
func (at Time) String() string { return fmt.Sprintf("%s until %s", at.Start, at.End) }

// Booking is a booking in the model.
type Booking struct {
	Time

	ID       uuid.UUID
	Service  *Service
	Resource uuid.UUID
	Party    int
	Skipper  uuid.UUID
	// the skipper that it keeps where it moves; a session that it opens gets another one if this one is taken
	Keeps   uuid.UUID
	Status  booking.Status
	Expires time.Time // of a hold
}

// Lapsed reports whether the booking is a hold past its expiry, which may or may not be marked yet.
func (p *Booking) Lapsed(now time.Time) bool {
	return p.Status == booking.Held && !now.Before(p.Expires)
}

// Takes reports whether the booking takes its time.
func (p *Booking) Takes(now time.Time) bool {
	return p.Status != booking.Cancelled && p.Status != booking.Expired && !p.Lapsed(now)
}

// Block is a block in the model.
type Block struct {
	ID, Resource uuid.UUID
	Times        []BlockTime
}

// BlockTime is one of the times that a block takes.
type BlockTime struct {
	From, Until time.Time
	// Night is, of whole dates, the last minute of the first one, until which stays may last; of hours it is From.
	Night time.Time
}

// begins is when the time begins for a booking, a stay or not.
func (k BlockTime) begins(stay bool) time.Time {
	if stay {
		return k.Night
	}
	return k.From
}

// Same reports whether a block takes the same times of the same resource as another one.
func (k *Block) Same(other *Block) bool {
	return k.Resource == other.Resource && slices.EqualFunc(k.Times, other.Times, func(a, b BlockTime) bool {
		return a.From.Equal(b.From) && a.Until.Equal(b.Until)
	})
}

// BlockHours returns the time of a block of hours.
func BlockHours(from, until time.Time) BlockTime {
	return BlockTime{From: from, Until: until, Night: from}
}

// BlockDates returns the time of a block of whole dates, both included.
func (c *Calendar) BlockDates(from, to civil.Date) BlockTime {
	return BlockTime{From: c.Midnight(from), Until: c.Midnight(to.AddDays(1)),
		Night: c.Midnight(from.AddDays(1)).Add(-time.Minute)}
}

// Midnight is the first minute of a date. Of a date that clocks skip it is the first of the next one.
func (c *Calendar) Midnight(d civil.Date) time.Time {
	earliest := d.In(time.UTC).Add(-15 * time.Hour)
	after := func(minute int) time.Time { return earliest.Add(time.Duration(minute) * time.Minute) }
	return after(sort.Search(30*60, func(i int) bool { return !civil.DateOf(after(i).In(c.Loc)).Before(d) }))
}

// Busy is when a booking takes its resource, and its skipper.
func (c *Calendar) Busy(p *Booking) (from, until time.Time) {
	from, until = p.Start.Add(-p.Service.Before), p.End.Add(p.Service.After)
	if p.Service.BeforeDays > 0 {
		from = c.Midnight(p.Date.AddDays(1 - p.Service.BeforeDays))
	}
	if p.Service.AfterDays > 0 {
		until = c.Midnight(p.CheckOut.AddDays(p.Service.AfterDays))
	}
	return from, until
}

// IsBlocked reports whether a resource is taken by a block at a time, for a stay or not, but for one that moves.
func (c *Calendar) IsBlocked(resource uuid.UUID, from, until time.Time, stay bool, moves *Block) bool {
	return slices.ContainsFunc(c.Blocks, func(k *Block) bool {
		return k != moves && k.Resource == resource && slices.ContainsFunc(k.Times, func(at BlockTime) bool {
			return at.begins(stay).Before(until) && from.Before(at.Until)
		})
	})
}

// BlockInTheWay reports whether another block than the one that moves takes some of a block's times.
func (c *Calendar) BlockInTheWay(k, moves *Block) bool {
	return slices.ContainsFunc(k.Times,
		func(at BlockTime) bool { return c.IsBlocked(k.Resource, at.From, at.Until, false, moves) })
}

// StandIn reports whether bookings that aren't over stand in a block.
func (c *Calendar) StandIn(k *Block) bool {
	return slices.ContainsFunc(k.Times, func(at BlockTime) bool {
		return slices.ContainsFunc(c.inTheWay(k.Resource, at.From, at.Until, nil), func(p *Booking) bool {
			_, until := c.Busy(p)
			return until.After(c.Now) && at.begins(p.Service.Stay()).Before(until)
		})
	})
}

// inTheWay returns the bookings that take a resource at a time, but for one that moves.
func (c *Calendar) inTheWay(resource uuid.UUID, from, until time.Time, moves *Booking) (list []*Booking) {
	for _, p := range c.Bookings {
		busyFrom, busyUntil := c.Busy(p)
		has := p.Resource == resource || p.Skipper == resource
		if p != moves && has && p.Takes(c.Now) && busyFrom.Before(until) && from.Before(busyUntil) {
			list = append(list, p)
		}
	}
	return list
}

// Free returns how many units of a resource are free at each moment of a booking beside all others but one that moves:
// none while it is blocked, or while a booking or a session has all of it.
func (c *Calendar) Free(resource uuid.UUID, want, moves *Booking) int {
	from, until := c.Busy(want)
	if c.IsBlocked(resource, from, until, want.Service.Stay(), nil) {
		return 0
	}
	others := c.inTheWay(resource, from, until, moves)
	if slices.ContainsFunc(others, func(p *Booking) bool { return p.Service.Occupies != timetable.OccupiesUnits }) {
		return 0
	}
	return c.beside(others, resource, from)
}

// beside returns how many units are free beside bookings at each moment from a time on.
func (c *Calendar) beside(others []*Booking, resource uuid.UUID, from time.Time) int {
	people := func(at time.Time) (n int) {
		for _, p := range others {
			if busyFrom, busyUntil := c.Busy(p); !busyFrom.After(at) && at.Before(busyUntil) {
				n += p.Party
			}
		}
		return n
	}
	most := people(from)
	for _, p := range others { // most come when some booking begins
		if begins, _ := c.Busy(p); begins.After(from) {
			most = max(most, people(begins))
		}
	}
	return max(c.Capacity[resource]-most, 0)
}

// Place gives a booking one of some resources, units or seats, and a skipper if it needs one; it reports false if the
// time is taken. moves is the booking that moves there, nil for a new one. A session has its skipper already; its seats
// can't be had while the skipper or the boat is blocked.
func (c *Calendar) Place(want *Booking, among []uuid.UUID, moves *Booking) bool {
	from, until := c.Busy(want)
	want.Skipper = uuid.Nil
	if want.Service.Occupies == timetable.OccupiesSession && c.join(want, among, moves) {
		return true
	}
	if want.Service.Most > 0 && c.onDate(want.Service, want.Date, moves) >= want.Service.Most {
		return false
	}
	if want.Service.Skippered {
		skippers := c.Skippers
		if want.Keeps != uuid.Nil {
			skippers = []uuid.UUID{want.Keeps}
			if want.Service.Occupies == timetable.OccupiesSession {
				skippers = append(skippers, c.Skippers...)
			}
		}
		i := slices.IndexFunc(skippers, func(s uuid.UUID) bool {
			return len(c.inTheWay(s, from, until, moves)) == 0 && !c.IsBlocked(s, from, until, want.Service.Stay(), nil)
		})
		if i < 0 {
			return false
		}
		want.Skipper = skippers[i]
	}
	for _, r := range among {
		alone := len(c.inTheWay(r, from, until, moves)) == 0
		if (alone || want.Service.Occupies == timetable.OccupiesUnits) && c.Free(r, want, moves) >= want.Party {
			want.Resource = r
			return true
		}
	}
	return false
}

// join gives a booking seats of a session.
func (c *Calendar) join(want *Booking, among []uuid.UUID, moves *Booking) bool {
	from, until := c.Busy(want)
	blocked := func(resource uuid.UUID) bool { return c.IsBlocked(resource, from, until, false, nil) }
	for _, r := range among {
		others := c.inTheWay(r, from, until, moves)
		if len(others) == 0 || others[0].Service != want.Service || !others[0].Start.Equal(want.Start) || blocked(r) ||
			blocked(others[0].Skipper) {
			continue
		}
		if c.beside(others, r, from) >= want.Party {
			want.Resource, want.Skipper = r, others[0].Skipper
			return true
		}
	}
	return false
}

// onDate returns how many bookings of a service begin on a date, or how many sessions.
func (c *Calendar) onDate(s *Service, d civil.Date, moves *Booking) int {
	sessions := make(map[string]bool)
	for i, p := range c.Bookings {
		if p == moves || p.Service != s || !p.Takes(c.Now) || p.Date != d {
			continue
		}
		key := strconv.Itoa(i)
		if s.Occupies == timetable.OccupiesSession {
			key = fmt.Sprint(p.Resource, p.Start.Unix())
		}
		sessions[key] = true
	}
	return len(sessions)
}
