package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// calendar is what happened to resources that share services, during times that touch each other. Calendars don't
// influence each other, so that each has an order of its own: there is an order of everything if each has one.
type calendar struct {
	stays  []*stay
	number map[*stay]int
	dates  map[string]int // number of a date, each of which has a lock of its own
	events []*event
	writes []*event   // by rank
	groups [][]*event // the writes, those of one rank together
}

// event is something that happened to a calendar at one moment between from and until: a change, the end of a hold, or
// an answer that shows its state.
type event struct {
	what        string
	ids         []int64
	from, until time.Duration
	// write says that the event changes the calendar, rank orders those of a date that do.
	write bool
	rank  int64
	date  string
	// fixed says that the change's moment was found, by order.
	fixed bool
	// turn orders changes of one rank: those that take units go last.
	turn int
	// begins is the stay that a move begins. The two events of a move within one calendar are one.
	begins *stay
	// low is how many changes of the date have a lower rank.
	low int
	// step returns the statuses after the event, and false if it can't happen when they are as given.
	step func(*calendar, statuses) (statuses, bool)
}

// statuses is the status of the booking in each of a calendar's stays, a letter each. It is a string to be compared.
type statuses string

const (
	absent    = '.' // not made yet
	held      = 'h'
	expired   = 'e'
	confirmed = 'c'
	completed = 'd'
	noShow    = 'n'
	cancelled = 'x'
	gone      = '-' // moved
)

// atTheEnd is after everything that clients know of.
const atTheEnd = forever + 1

var letters = map[string]byte{
	"held": held, "expired": expired, "confirmed": confirmed, "completed": completed, "no_show": noShow,
	"cancelled": cancelled,
}

func (s statuses) set(i int, status byte) statuses {
	b := []byte(s)
	b[i] = status
	return statuses(b)
}

// occupies reports whether a booking with a status takes its units.
func occupies(status byte) bool {
	return status == held || status == confirmed || status == completed || status == noShow
}

// position is porcupine's state.
type position struct {
	applied  counts
	statuses statuses
}

// counts is how many changes there were of each date, two bytes each. It is a string to be compared.
type counts string

func (c counts) of(date int) int { return int(c[2*date])<<8 | int(c[2*date+1]) }

func (c counts) add(date int) counts {
	b, n := []byte(c), c.of(date)+1
	b[2*date], b[2*date+1] = byte(n>>8), byte(n)
	return counts(b)
}

// searchLimit is how long the search for an order may take, and 2 ms more for each event.
const searchLimit = 5 * time.Second

// calendars checks that each calendar has an order of its events in which every answer is right.
func (c *checker) calendars() {
	for _, cal := range c.partition() {
		cal.prepare()
		// The clock orders the changes of one date, which wait for each other. Those of two dates may commit in another
		// order, in which porcupine can search for them.
		if ids, why := cal.order(); why != "" && len(cal.dates) <= 1 {
			c.violate(RuleCalendar, ids, "%s: %s", cal, why)
			continue
		}
		model := porcupine.Model{
			Init: func() any { return cal.beginning() },
			Step: func(state, input, _ any) (bool, any) {
				next, ok := cal.after(state.(position), input.(*event))
				return ok, next
			},
		}
		limit := searchLimit + time.Duration(len(cal.events))*2*time.Millisecond
		switch result, info := porcupine.CheckOperationsVerbose(model, cal.operations(), limit); result {
		case porcupine.Ok:
		case porcupine.Unknown:
			if !cal.moves() { // with moves the search may be too large for a run without a violation
				c.violate(RuleUndecided, nil, "%s: no order of its %d events was found or excluded in %s", cal,
					len(cal.events), limit)
			}
		case porcupine.Illegal:
			ids, why := cal.explain(info)
			c.violate(RuleCalendar, ids, "%s: %s", cal, why)
		}
	}
}

// prepare numbers the bookings, and the changes by rank.
func (cal *calendar) prepare() {
	cal.number, cal.dates = make(map[*stay]int), make(map[string]int)
	for i, st := range cal.stays {
		cal.number[st] = i
	}
	for _, e := range cal.events {
		if e.write {
			cal.writes = append(cal.writes, e)
		}
	}
	slices.SortStableFunc(cal.writes, func(a, b *event) int { return cmp.Compare(a.rank, b.rank) })
	latest := make(map[string]*event)
	writes := make(map[string]int)
	for i, e := range cal.writes {
		e.low = writes[e.date]
		if before := latest[e.date]; before == nil {
			cal.dates[e.date] = len(cal.dates)
		} else if before.rank == e.rank {
			e.low = before.low
		}
		latest[e.date] = e
		writes[e.date]++
		if i > 0 && cal.writes[i-1].rank == e.rank {
			cal.groups[len(cal.groups)-1] = append(cal.groups[len(cal.groups)-1], e)
			continue
		}
		cal.groups = append(cal.groups, []*event{e})
	}
}

// moves reports whether bookings move within, into or out of the calendar.
func (cal *calendar) moves() bool {
	return slices.ContainsFunc(cal.writes, func(e *event) bool { return e.begins != nil })
}

func (cal *calendar) beginning() position {
	return position{applied: counts(make([]byte, 2*len(cal.dates))), statuses: cal.empty()}
}

func (cal *calendar) empty() statuses {
	return statuses(strings.Repeat(string(absent), len(cal.stays)))
}

func (cal *calendar) after(p position, e *event) (position, bool) {
	date := cal.dates[e.date]
	if e.write && p.applied.of(date) < e.low {
		return p, false
	}
	next, ok := e.step(cal, p.statuses)
	if e.write {
		p.applied = p.applied.add(date)
	}
	p.statuses = next
	return p, ok
}

func (cal *calendar) operations() []porcupine.Operation {
	list := make([]porcupine.Operation, len(cal.events))
	for i, e := range cal.events {
		// A change goes behind the answers that begin at its moment.
		list[i] = porcupine.Operation{Input: e, Call: 2 * int64(e.from), Return: 2*int64(e.until) + 1}
		if e.fixed {
			list[i].Call++
		}
	}
	return list
}

func (cal *calendar) String() string {
	if len(cal.stays) == 0 {
		return "a calendar without bookings"
	}
	b := cal.stays[0]
	return fmt.Sprintf("tenant %s, resource %s, %s", b.Tenant, b.Resource, b.Date)
}

// describe lists the active bookings.
func (cal *calendar) describe(s statuses) string {
	const most = 12
	var list []string
	for i, b := range cal.stays {
		if occupies(s[i]) {
			list = append(list, fmt.Sprintf("%s (%c, units %v of %s, %s to %s)", b.of.ID, s[i], b.Units, b.Resource,
				b.BusyFrom.UTC().Format(time.RFC3339), b.BusyUntil.UTC().Format(time.RFC3339)))
		}
	}
	if len(list) > most {
		list = append(list[:most], fmt.Sprintf("%d more", len(list)-most))
	}
	if len(list) == 0 {
		return "no bookings"
	}
	return strings.Join(list, ", ")
}

// longest is the longest order that porcupine found of a part of the events.
func longest(info porcupine.LinearizationInfo) (most []porcupine.Operation) {
	for _, partial := range info.PartialLinearizationsOperations() {
		for _, p := range partial {
			if len(p) > len(most) {
				most = p
			}
		}
	}
	return most
}

// explain names the event at which porcupine's search for an order came to its end.
func (cal *calendar) explain(info porcupine.LinearizationInfo) (ids []int64, why string) {
	at := cal.beginning()
	placed := make(map[*event]bool)
	for _, op := range longest(info) {
		e := op.Input.(*event)
		at, _ = cal.after(at, e)
		placed[e] = true
	}
	var stuck *event
	for _, e := range cal.events {
		if !placed[e] && (stuck == nil || e.until < stuck.until) {
			stuck = e
		}
	}
	if stuck == nil {
		return nil, "no order of its events explains all answers"
	}
	return stuck.ids, fmt.Sprintf("no order of its %d events explains %s; the longest has %d of them and then %s",
		len(cal.events),
		stuck.what, len(placed), cal.describe(at.statuses))
}
