package timetable

import (
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/claim"
	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// drawNeeds draws a calendar whose service has several needs.
func drawNeeds(rt *rapid.T, loc *time.Location, d civil.Date) *calendarModel {
	number := func(name string, low, high int) int { return rapid.IntRange(low, high).Draw(rt, name) }
	minutesOf := func(name string, low, high int) int { return 5 * number(name, low/5, high/5) }
	s := Spec{
		Kind: rapid.SampledFrom([]ServiceKind{KindSlot, KindSlot,
			KindDate}).Draw(rt, "kind"),
		Occupies: rapid.SampledFrom([]Occupies{OccupiesUnits, OccupiesWhole}).Draw(rt,
			"occupies"),
	}
	s.BufferAfterMinutes = minutesOf("after", 0, 30)
	if s.Kind == KindSlot {
		s.SlotIntervalMinutes, s.DurationMinutes = 60, minutesOf("duration", 30, 120)
	}
	var all []Resource
	for i := range number("needs", 1, 3) {
		n := Need{
			Join: rapid.Bool().Draw(rt, "join"), Units: number("units", 1, 3),
			Choose: rapid.SampledFrom([]Choose{ChooseInOrder, ChooseInTurn,
				ChooseLeastBooked}).Draw(rt, "choose"),
		}
		if i == 0 {
			n.Units = 0
		}
		for range number("resources", 1, 3) {
			hours := Hours{}
			if rapid.Bool().Draw(rt, "has hours") {
				hours = drawHours(rt, d, minutesOf)
			}
			all = append(all, Resource{ID: uuid.New(), Capacity: number("capacity", 1, 3),
				Times: hours.Times()})
			n.ResourceIDs = append(n.ResourceIDs, all[len(all)-1].ID)
		}
		s.Needs = append(s.Needs, n)
	}
	r := &Rules{Loc: loc, Service: Service{Spec: s}}
	r.SetResources(all)
	m := &calendarModel{rules: r, bookings: map[civil.Date]int{}, now: datetime.StartOfDay(d, loc)}
	for range number("bookings", 0, 10) {
		res := all[number("booked", 0, len(all)-1)]
		from := datetime.StartOfDay(d, loc).Add(minutes(minutesOf("from", -120, 1440)))
		until := from.Add(minutes(minutesOf("length", 5, 1440)))
		m.occupy(rt, res, from, until, nil)
	}
	return m
}

// accepts reports whether there is some way to give a booking at a time all that it needs. It tries every one.
func (m *calendarModel) accepts(o BookingTime, party int) bool {
	for i, n := range m.rules.needs {
		units, whole := n.Units, false
		if i == 0 {
			units, whole = party, m.rules.Service.Occupies.All()
		}
		found := false
		for from := range n.resources {
			lead := &n.resources[from]
			if i == 0 && !m.rules.kind().isStart(m.rules, lead, o) {
				continue
			}
			sum := 0
			for j := from; j < len(n.resources) && (j == from || n.Join); j++ {
				res := n.resources[j]
				free := countUnits(res, m.occupied, o.BusyFrom, o.BusyUntil, m.now)
				if !m.rules.kind().isOpen(m.rules, &res, o) || free == 0 || whole && free < res.Capacity {
					break
				}
				sum += free
				found = found || sum >= units
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// checkAllocation fails the test unless an allocation takes free units of open resources, as many as are needed of each
// need.
func (m *calendarModel) checkAllocation(rt *rapid.T, a Allocation, party int) {
	for i, n := range m.rules.needs {
		want, sum, positions := n.Units, 0, []int(nil)
		if i == 0 {
			want = party
		}
		for j, res := range n.resources {
			until := a.Time.BusyFrom // so far
			for _, of := range a.Claims {
				if of.ResourceID != res.ID {
					continue
				}
				require.True(rt, until.Equal(of.BusyFrom), "claims of a resource follow each other")
				free, _ := freeUnits(res, m.occupied, of.BusyFrom, of.BusyUntil, m.now)
				units := 0
				for _, u := range of.Units {
					units += int(u.Until - u.From)
					for unit := u.From; unit < u.Until && int(unit) < len(free); unit++ {
						require.True(rt, free[unit])
					}
				}
				if i == 0 && m.rules.Service.Occupies == OccupiesWhole {
					require.Equal(rt, claim.AllUnits(), of.Units)
					units = res.Capacity
				}
				if until.Equal(a.Time.BusyFrom) {
					positions = append(positions, j)
					sum += units
					require.True(rt, m.rules.kind().isOpen(m.rules, &res, a.Time))
				}
				until = of.BusyUntil
			}
			require.True(rt, until.Equal(a.Time.BusyFrom) || until.Equal(a.Time.BusyUntil), "all of the time")
		}
		require.GreaterOrEqual(rt, sum, want)
		require.Equal(rt, len(positions)-1, positions[len(positions)-1]-positions[0], "they follow each other")
		require.True(rt, len(positions) == 1 || n.Join)
		if m.rules.Service.Occupies == OccupiesUnits || i > 0 {
			require.Equal(rt, want, sum)
		}
	}
}

// TestNeeds_RandomCalendars_ListedIfAndOnlyIfBookingAccepts compares availability, a booking and a plain model at each
// five minutes.
func TestNeeds_RandomCalendars_ListedIfAndOnlyIfBookingAccepts(t *testing.T) {
	t.Parallel()
	accepted, joined := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		loc := zone(t, rapid.SampledFrom(zones()).Draw(rt, "zone"))
		d := civil.Date{Year: 2027, Month: 1, Day: 1}.AddDays(rapid.IntRange(0, 360).Draw(rt, "day"))
		if changes := clockChanges(loc); len(changes) > 0 && rapid.Bool().Draw(rt, "at a change") {
			d = datetime.DateOf(rapid.SampledFrom(changes).Draw(rt, "change"), loc)
		}
		m := drawNeeds(rt, loc, d)
		party := rapid.IntRange(1, m.rules.largestParty()).Draw(rt, "party")
		a := newAvailability(m.rules, party, d, m.view())
		day, _ := a.day(d, &listing{after: interval{from: -1 << 62}, budget: maxPageEntries})
		book := func(o BookingTime) bool {
			got, err := m.rules.Allocate(o, nil, party, m.occupied, 0, m.now)
			require.Equal(rt, m.accepts(o, party), err == nil, "%v %v", o, err)
			if err != nil {
				require.True(rt, problem.Is(err, problem.SlotUnavailable) ||
					problem.Is(err, problem.OutsideOpeningHours) ||
					problem.Is(err, problem.ValidationFailed), "%v", err)
				return false
			}
			m.checkAllocation(rt, got, party)
			accepted++
			if len(got.FurtherIDs) > len(m.rules.needs)-1 {
				joined++
			}
			return true
		}
		// largest is the largest party that a booking at a time would be accepted for.
		largest := func(o BookingTime) (most int) {
			for p := 1; p <= m.rules.largestParty(); p++ {
				if m.accepts(o, p) {
					most = p
				}
			}
			return most
		}
		require.Equal(rt, day.Available, day.Reason == "")
		if m.rules.Service.Kind == KindDate {
			if o, err := m.rules.BookingTimeOf(When{Date: &d}); err == nil {
				require.Equal(rt, book(o), day.Available)
				require.Equal(rt, largest(o), day.LargestParty)
			}
			return
		}
		listed := make(map[int64]Slot)
		for _, s := range day.Slots {
			listed[s.StartsAt.Unix()] = s
		}
		for at := datetime.StartOfDay(d, loc); at.Before(datetime.StartOfDay(d.AddDays(1), loc)); at = at.Add(step) {
			o := m.rules.withEnd(BookingTime{Date: d, Start: at}, nil)
			s, isListed := listed[at.Unix()]
			require.Equal(rt, book(o), len(s.ResourceIDs) > 0, "%v", at)
			require.True(rt, isListed || len(s.ResourceIDs) == 0)
			if isListed {
				require.Equal(rt, largest(o), s.LargestParty, "%v", at)
				require.Equal(rt, len(s.ResourceIDs) > 0, s.Reason == "", "%v %s", at, s.Reason)
				require.GreaterOrEqual(rt, s.Capacity, s.Remaining)
			}
		}
	})
	require.Greater(t, accepted, 500)
	require.Greater(t, joined, 20)
}

func TestOrdered_ByLoad_TakesWhoHasLeastOnTheDate(t *testing.T) {
	t.Parallel()
	list := []Resource{{ID: uuid.New(), Capacity: 1}, {ID: uuid.New(), Capacity: 1}, {ID: uuid.New(), Capacity: 1}}
	r := &Rules{Loc: zone(t, "Europe/Berlin")}
	n := need{resources: list}
	first := func(choose Choose, d civil.Date, occupied ...claim.Claim) int {
		n.Choose = choose
		at := BookingTime{Date: d, Start: datetime.StartOfDay(d, r.Loc).Add(20 * time.Hour)}
		c := candidates{resources: list, order: r.ordered(&n, list, at, occupied, at.Start)}
		return c.candidate(0)
	}
	d := firstRotation.AddDays(3 * 6000)
	claim := func(i int, on civil.Date, from, until int) claim.Claim {
		midnight := datetime.StartOfDay(on, r.Loc)
		return claim.Claim{OwnerID: uuid.New(), ResourceID: list[i].ID,
			BusyFrom:  midnight.Add(time.Duration(from) * time.Hour),
			BusyUntil: midnight.Add(time.Duration(until) * time.Hour)}
	}
	require.Equal(t, 0, first(ChooseInTurn, d))
	require.Equal(t, 1, first(ChooseInTurn, d.AddDays(1)), "each day begins with the next one")
	require.Equal(t, 2, first(ChooseInTurn, d.AddDays(2)))
	require.Equal(t, 2, first(ChooseInTurn, d.AddDays(-1)))
	require.Equal(t, 1, first(ChooseInTurn, d, claim(0, d, 9, 10)))
	require.Equal(t, 2, first(ChooseInTurn, d, claim(0, d, 9, 10), claim(1, d, 9, 10)))
	require.Equal(t, 0, first(ChooseInTurn, d, claim(0, d.AddDays(1), 9, 10), claim(0, d.AddDays(-1), 9, 10)),
		"other dates don't count")
	require.Equal(t, 0, first(ChooseLeastBooked, d.AddDays(1)))
	require.Equal(t, 2, first(ChooseLeastBooked, d, claim(0, d, 9, 12), claim(1, d, 9, 11),
		claim(2, d, 9, 10)))
	require.Equal(t, 1, first(ChooseLeastBooked, d, claim(0, d, 9, 12), claim(1, d.AddDays(-1), 9, 25),
		claim(2, d, 9, 11)),
		"only its part of the date counts")
	require.Equal(t, 0, first(ChooseInOrder, d, claim(0, d, 9, 12)))
	twice := claim(0, d, 9, 10)
	require.Equal(t, 0, first(ChooseInTurn, d, twice, twice, claim(1, d, 9, 10), claim(2, d, 9, 10)),
		"claims that are listed twice")
}
