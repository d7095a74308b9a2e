package timetable

import (
	"fmt"
	"slices"
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

// calendarModel is the plain, slow model of availability: it asks for every five minutes of a date whether a booking
// would be accepted.
type calendarModel struct {
	rules    *Rules
	occupied []claim.Claim
	bookings map[civil.Date]int
	now      time.Time
	length   Length // of the slots, if the service sells several lengths
}

// occupy has a booking, or a hold until a time, take some units of a resource for a time, if any are free.
func (m *calendarModel) occupy(rt *rapid.T, res Resource, from, until time.Time, expires *time.Time) bool {
	count := countUnits(res, m.occupied, from, until, time.Time{})
	if count == 0 {
		return false
	}
	claims, owner := takeUnits(res, m.occupied, from, until, time.Time{}, rapid.IntRange(1, count).Draw(rt, "units")),
		uuid.New()
	for i := range claims {
		claims[i].OwnerID, claims[i].ExpiresAt = owner, expires
	}
	m.occupied = append(m.occupied, claims...)
	return true
}

// view returns the calendar as the store would read it.
func (m *calendarModel) view() claim.View {
	v := claim.View{Now: m.now, Busy: make([][]claim.Busy, len(m.rules.Resources))}
	for i, res := range m.rules.Resources {
		for _, o := range m.occupied {
			for _, units := range o.Units {
				if o.ResourceID == res.ID && !o.Lapsed(m.now) {
					v.Busy[i] = append(v.Busy[i], claim.Busy{From: o.BusyFrom.Unix(), Until: o.BusyUntil.Unix(),
						Units: units})
				}
			}
		}
		slices.SortStableFunc(v.Busy[i], func(a, b claim.Busy) int { return int(a.From - b.From) })
	}
	for d, n := range m.bookings {
		v.Counts = append(v.Counts, claim.DateCount{Date: d, Bookings: int32(n)})
	}
	return v
}

// tried is what happens to bookings of all resources that end with o. listed says whether a slot starts then.
type tried struct {
	listed bool
	free   int
	fits   []uuid.UUID
}

func (m *calendarModel) try(o BookingTime, party int) (all tried) {
	for _, res := range m.rules.Resources {
		_, err := m.rules.Allocate(o, []uuid.UUID{res.ID}, party, m.occupied, m.bookings[o.Date], m.now)
		if err != nil && !problem.Is(err, problem.SlotUnavailable) || !m.rules.timeOn(&res, o).End.Equal(o.End) {
			continue
		}
		all.listed = true
		if err == nil {
			all.fits = append(all.fits, res.ID)
		}
		if maximum := m.rules.Service.MaxPerDay; maximum == nil || m.bookings[o.Date] < *maximum {
			all.free += countUnits(res, m.occupied, o.BusyFrom, o.BusyUntil, m.now)
		}
	}
	return all
}

// day returns what a date has, as text.
func (m *calendarModel) day(d civil.Date, party int) string {
	r := m.rules
	if r.Service.Kind == KindDate {
		o, err := r.BookingTimeOf(When{Date: &d})
		if err != nil {
			return text(Day{Date: d})
		}
		all := m.try(o, party)
		return text(Day{Date: d, Available: len(all.fits) > 0, Remaining: all.free})
	}
	day := Day{Date: d}
	for at := datetime.StartOfDay(d, r.Loc); at.Before(datetime.StartOfDay(d.AddDays(1), r.Loc)); at = at.Add(step) {
		var times []BookingTime
		for i := range r.Resources {
			o := r.withEnd(BookingTime{Date: d, Start: at, length: m.length}, &r.Resources[i])
			if !slices.ContainsFunc(times, func(t BookingTime) bool { return t.End.Equal(o.End) }) {
				times = append(times, o)
			}
		}
		slices.SortFunc(times, func(a, b BookingTime) int { return a.End.Compare(b.End) })
		for _, o := range times {
			all := m.try(o, party)
			if !all.listed {
				continue
			}
			if len(all.fits) > 0 {
				day.Remaining++
			}
			day.Slots = append(day.Slots,
				Slot{StartsAt: at, EndsAt: o.End.In(r.Loc), Remaining: all.free, ResourceIDs: all.fits})
		}
	}
	day.Available = day.Remaining > 0
	return text(day)
}

func text(d Day) string {
	lines := fmt.Sprintln(d.Date, d.Available, d.Remaining)
	for _, s := range d.Slots {
		lines += fmt.Sprintln(s.StartsAt.Format(time.RFC3339), s.EndsAt.Format(time.RFC3339), s.Remaining,
			s.ResourceIDs)
	}
	return lines
}

// drawCalendar draws a service, its resources with hours and closures, and bookings around a date. All times are
// multiples of step.
func drawCalendar(rt *rapid.T, loc *time.Location, d civil.Date) *calendarModel {
	number := func(name string, low, high int) int { return rapid.IntRange(low, high).Draw(rt, name) }
	minutesOf := func(name string, low, high int) int { return 5 * number(name, low/5, high/5) }
	var length Length
	r := &Rules{Loc: loc, Service: Service{Spec: Spec{
		Kind: rapid.SampledFrom([]ServiceKind{KindSlot, KindSlot, KindSlot,
			KindDate}).Draw(rt, "kind"),
		BookingWindowDays:   new(number("window", 0, 5)),
		BufferBeforeMinutes: minutesOf("before", 0, 60), BufferAfterMinutes: minutesOf("after", 0, 60),
		MinLeadMinutes: minutesOf("lead", 0, 2880),
	}}}
	if r.Service.Kind == KindSlot {
		r.Service.SlotIntervalMinutes = minutesOf("interval", 15, 240)
		for range number("start times", -1, 2) {
			s := StartTime{}
			for range number("starts", 0, 3) {
				s.At = append(s.At, Clock(ClockOf(minutesOf("at", 0, 1435))))
			}
			if rapid.Bool().Draw(rt, "single dates") {
				s.Dates = []civil.Date{d.AddDays(number("start on", -1, 3))}
			}
			r.Service.StartTimes = append(r.Service.StartTimes, s)
		}
		switch number("length", 0, 5) {
		case 2:
			length.Minutes = minutesOf("duration", 5, 1500)
			r.Service.Durations.Durations = []Duration{{Length: Length{Days: 1}}, {Length: length}}
		case 3:
			length.Days = number("days", 1, 2)
			r.Service.Durations.Durations = []Duration{{Length: length}}
		case 4:
			r.Service.MinDurationMinutes, r.Service.DurationStepMinutes = minutesOf("least", 5, 60),
				minutesOf("step", 5, 60)
			length.Minutes = r.Service.MinDurationMinutes + r.Service.DurationStepMinutes*number("steps", 0, 9)
			r.Service.MaxDurationMinutes = length.Minutes
		case 0:
			r.Service.UntilClosing = true
		case 1:
			r.Service.DurationDays = number("days", 1, 2)
		default:
			r.Service.DurationMinutes = minutesOf("duration", 5, 1500)
		}
	}
	if r.Service.Kind == KindDate && rapid.Bool().Draw(rt, "by the clock") {
		r.Service.Starts, r.Service.Ends = drawClock(rt, "starts", 0), drawClock(rt, "ends", 0)
	}
	if number("buffers in days", 0, 2) == 0 {
		r.Service.BufferBeforeMinutes, r.Service.BufferAfterMinutes = 0, 0
		r.Service.BufferBeforeDays, r.Service.BufferAfterDays = number("days before", 0, 2), number("days after", 0, 2)
	}
	if maximum := number("maximum", 0, 4); maximum > 0 {
		r.Service.MaxPerDay = &maximum
	}
	for range number("resources", 1, 3) {
		hours := drawHours(rt, d, minutesOf)
		r.SetResources(
			append(r.Resources, Resource{ID: uuid.New(), Capacity: number("capacity", 1, 3),
				Times: hours.Times()}))
	}
	for range number("closures", 0, 2) {
		from := d.AddDays(number("closed", -2, 4))
		c := Closure{From: from, To: from.AddDays(number("closed days", 0, 1))}
		if number("closes", 0, 2) > 0 {
			c.ResourceID = &r.Resources[number("closed resource", 0, len(r.Resources)-1)].ID
		}
		if rapid.Bool().Draw(rt, "closed hours") {
			starts := minutesOf("closed from", 0, 1435)
			c.Hours = &DayInterval{From: starts, Until: minutesOf("closed until", starts+5, 1440)}
		}
		if c.Yearly = number("yearly", 0, 2) == 0; c.Yearly {
			years := 4 * number("years ago", 0, 2) // a year that has the same dates
			c.From.Year, c.To.Year = c.From.Year-years, c.To.Year-years
		}
		r.Closures = append(r.Closures, c)
	}
	if r.Service.Vary() {
		r = r.withLength(length)
	}
	m := &calendarModel{rules: r, bookings: map[civil.Date]int{}, length: length}
	m.now = datetime.StartOfDay(d, loc).Add(minutes(minutesOf("now", -2880, 1440)) +
		time.Duration(number("seconds", 0, 59_999))*time.Millisecond)
	for range number("bookings", 0, 12) {
		res := r.Resources[number("booked", 0, len(r.Resources)-1)]
		from := datetime.StartOfDay(d, loc).Add(minutes(minutesOf("from", -1440, 4*1440)))
		until := from.Add(minutes(minutesOf("length", 5, 1440)))
		var expires *time.Time
		if number("held", 0, 3) == 0 {
			expires = new(m.now.Add(minutes(number("expires", -1, 1))))
		}
		if !m.occupy(rt, res, from, until, expires) {
			continue
		}
		m.bookings[datetime.DateOf(from, loc)]++
	}
	for i := range r.Resources {
		if lowered := &r.Resources[i].Capacity; number("lowers", 0, 2) == 0 {
			*lowered = number("lowered", 1, *lowered)
		}
	}
	return m
}

// drawHours draws valid hours, always open or not, with overrides around a date.
func drawHours(rt *rapid.T, d civil.Date, minutesOf func(string, int, int) int) Hours {
	var hours Hours
	if !rapid.Bool().Draw(rt, "always open") {
		hours.Weekly = []WeeklyHours{}
		for day := time.Sunday; day <= time.Saturday; day++ {
			hours.Weekly = append(hours.Weekly,
				WeeklyHours{Weekday: day, Opens: minutesOf("opens", 0, 1435),
					Closes: minutesOf("closes", 0, 1440)})
			if hours.Check() != nil {
				hours.Weekly = hours.Weekly[:len(hours.Weekly)-1]
			}
		}
	}
	for range rapid.IntRange(0, 2).Draw(rt, "seasons") {
		from := d.AddDays(rapid.IntRange(-2, 3).Draw(rt, "season"))
		s := Season{From: from, To: from.AddDays(rapid.IntRange(0, 2).Draw(rt, "season days"))}
		if rapid.Bool().Draw(rt, "each year") {
			s.From.Year, s.To.Year = 0, 0
		}
		for day := time.Sunday; day <= time.Saturday; day += 2 {
			s.Weekly = append(s.Weekly,
				WeeklyHours{Weekday: day, Opens: minutesOf("opens", 0, 1435),
					Closes: minutesOf("closes", 0, 1440)})
		}
		if hours.Seasons = append(hours.Seasons, s); hours.Check() != nil {
			hours.Seasons = hours.Seasons[:len(hours.Seasons)-1]
		}
	}
	for days := -1; days <= 3; days++ {
		if !rapid.Bool().Draw(rt, "override") {
			continue
		}
		o := DateHours{Date: d.AddDays(days), Closed: rapid.Bool().Draw(rt, "closed")}
		if !o.Closed {
			o.Opens, o.Closes = minutesOf("opens", 0, 1435), minutesOf("closes", 0, 1440)
		}
		if hours.Overrides = append(hours.Overrides, o); hours.Check() != nil {
			hours.Overrides = hours.Overrides[:len(hours.Overrides)-1]
		}
	}
	return hours
}

// TestAvailability_RandomCalendars_TellWhatBookingAccepts compares each slot with what a booking at that time would
// get, on the dates around changes of the clock and on others.
func TestAvailability_RandomCalendars_TellWhatBookingAccepts(t *testing.T) {
	t.Parallel()
	slots := 0
	rapid.Check(t, func(rt *rapid.T) {
		loc := zone(t, rapid.SampledFrom(zones()).Draw(rt, "zone"))
		changes := clockChanges(loc)
		d := civil.Date{Year: 2027, Month: 1, Day: 1}.AddDays(rapid.IntRange(0, 700).Draw(rt, "day"))
		if len(changes) > 0 && rapid.Bool().Draw(rt, "at a change") {
			d = datetime.DateOf(rapid.SampledFrom(changes).Draw(rt, "change"), loc).
				AddDays(rapid.IntRange(-2, 1).Draw(rt, "days from it"))
		}
		m := drawCalendar(rt, loc, d)
		party := rapid.IntRange(1,
			slices.MaxFunc(m.rules.Resources,
				func(a, b Resource) int { return a.Capacity - b.Capacity }).Capacity).Draw(rt, "party")
		a, withoutSlots := newAvailability(m.rules, party, d, m.view()), newAvailability(m.rules, party, d, m.view())
		for days := range 4 {
			day, cut := a.day(d.AddDays(days), &listing{after: interval{from: -1 << 62}, budget: maxPageEntries})
			require.False(rt, cut)
			require.Equal(rt, m.day(d.AddDays(days), party), text(day))
			slots += len(day.Slots)
			if rapid.Bool().Draw(rt, "asked without slots") { // other dates are left out
				less, _ := withoutSlots.day(d.AddDays(days), &listing{daysOnly: true})
				require.Equal(rt, []any{day.Date, day.Available, day.Remaining, 0},
					[]any{less.Date, less.Available, less.Remaining, len(less.Slots)})
			}
		}
	})
	require.Greater(t, slots, 500)
}

// TestFingerprint_PagesThatDiffer_HaveOtherFingerprints changes one thing that a page depends on.
func TestFingerprint_PagesThatDiffer_HaveOtherFingerprints(t *testing.T) {
	t.Parallel()
	differ := 0
	rapid.Check(t, func(rt *rapid.T) {
		d := civil.Date{Year: 2027, Month: 7, Day: 1}
		m := drawCalendar(rt, time.UTC, d)
		page := func() (days, fingerprint string) {
			p := AvailabilityPage{
				times: newAvailability(m.rules, 1, d, m.view()), at: AvailabilityPosition{Date: d}, last: d.AddDays(3),
				to:      d.AddDays(3),
				listing: listing{budget: maxPageEntries},
			}
			fingerprint = p.Fingerprint()
			for day := range p.Days() {
				days += text(day)
			}
			return days, fingerprint
		}
		days, fingerprint := page()
		switch rapid.IntRange(0, 3).Draw(rt, "change") {
		case 0:
			m.now = m.now.Add(time.Duration(rapid.IntRange(1, 7200).Draw(rt, "later")) * time.Second)
		case 1:
			if len(m.occupied) > 0 {
				m.occupied = m.occupied[1:]
			}
		case 2:
			if len(m.occupied) > 0 {
				m.occupied[0].BusyUntil = m.occupied[0].BusyUntil.Add(time.Duration(rapid.IntRange(1, 2000).Draw(rt,
					"longer")) * time.Minute)
			}
		case 3:
			m.bookings[d.AddDays(rapid.IntRange(0, 4).Draw(rt, "one more on"))]++
		}
		daysThen, fingerprintThen := page()
		if days != daysThen {
			differ++
			require.NotEqual(rt, fingerprint, fingerprintThen)
		}
	})
	require.Positive(t, differ)
}

func TestFingerprint_TimePasses_ChangesOnlyWithWhatCanBeBooked(t *testing.T) {
	t.Parallel()
	d := civil.Date{Year: 2027, Month: 7, Day: 1}
	at := func(kind ServiceKind, to civil.Date, now time.Time) string {
		r := slotRules(t, "UTC", 60, 60, Hours{})
		r.Service.Kind = kind
		p := AvailabilityPage{
			times: newAvailability(&r, 1, d, claim.View{Now: now, Busy: make([][]claim.Busy, 1)}),
			at:    AvailabilityPosition{Date: d}, last: to, to: to,
		}
		return p.Fingerprint()
	}
	noon := time.Date(2027, 7, 1, 12, 0, 1, 0, time.UTC)
	require.Equal(t, at(KindSlot, d, noon), at(KindSlot, d, noon.Add(58*time.Second)))
	require.NotEqual(t, at(KindSlot, d, noon), at(KindSlot, d, noon.Add(time.Minute)))
	require.Equal(t, at(KindSlot, d, noon.AddDate(0, 0, 1)), at(KindSlot, d, noon.AddDate(0, 0, 2)),
		"the page's dates are over")
	require.Equal(t, at(KindDate, d.AddDays(9), noon),
		at(KindDate, d.AddDays(9), noon.Add(11*time.Hour)))
	require.NotEqual(t, at(KindDate, d.AddDays(9), noon),
		at(KindDate, d.AddDays(9), noon.Add(12*time.Hour)))
}

// TestTakeUnits_AfterTheCapacityWasLowered_NoMomentHasMoreUnitsThanIt books what takeUnits finds, and counts the units
// in use in each minute.
func TestTakeUnits_AfterTheCapacityWasLowered_NoMomentHasMoreUnitsThanIt(t *testing.T) {
	t.Parallel()
	const end = 60
	booked := 0
	rapid.Check(t, func(rt *rapid.T) {
		number := func(name string, low, high int) int { return rapid.IntRange(low, high).Draw(rt, name) }
		midnight := time.Date(2027, 7, 1, 0, 0, 0, 0, time.UTC)
		res := Resource{ID: uuid.New(), Capacity: number("capacity", 1, 8)}
		var occupied []claim.Claim
		inUse := func(minute int) (n int) {
			taken := make(map[int32]bool)
			for _, o := range occupied {
				if at := midnight.Add(minutes(minute)); at.Before(o.BusyFrom) || !at.Before(o.BusyUntil) {
					continue
				}
				for _, u := range o.Units {
					for i := u.From; i < u.Until; i++ {
						require.False(rt, taken[i], "unit %d is sold twice", i)
						taken[i] = true
					}
				}
			}
			return len(taken)
		}
		book := func() (from, until int, ok bool) {
			from = number("from", 0, end-1)
			until = number("until", from+1, end)
			claims := takeUnits(res, occupied, midnight.Add(minutes(from)), midnight.Add(minutes(until)), midnight,
				number("party", 1, 4))
			owner := uuid.New()
			for i := range claims {
				claims[i].OwnerID = owner
			}
			occupied = append(occupied, claims...)
			return from, until, len(claims) > 0
		}
		for range number("bookings", 0, 10) {
			book()
		}
		res.Capacity = number("lowered", 1, res.Capacity)
		for range number("later bookings", 1, 10) {
			from, until, ok := book()
			for minute := from; ok && minute < until; minute++ {
				require.LessOrEqual(rt, inUse(minute), res.Capacity)
			}
			if ok {
				booked++
			}
		}
	})
	require.Greater(t, booked, 50)
}

func TestUnitCount_UnitsBeyondTheCapacity_CountAsInUse(t *testing.T) {
	t.Parallel()
	c := newUnitCount(4, []claim.Busy{
		{From: 10, Until: 20, Units: claim.UnitRange{From: 2, Until: 3}},
		{From: 10, Until: 20, Units: claim.UnitRange{From: 7, Until: 9}},
		{From: 30, Until: 40, Units: claim.UnitRange{From: 4, Until: 10}},
	})
	require.Equal(t, 1, c.during(10, 20))
	require.Equal(t, 4, c.during(20, 30))
	require.Equal(t, 0, c.during(30, 40), "more units are in use than the capacity")
	require.Equal(t, 4, c.during(40, 50))
}

func TestLastComplete_ResourceWithMoreBookings_EndsBeforeTheDateOfTheLastOne(t *testing.T) {
	t.Parallel()
	r := slotRules(t, "UTC", 60, 60, Hours{})
	r.Service.BufferAfterMinutes = 30
	d := civil.Date{Year: 2027, Month: 7, Day: 1}
	at := func(days, hour, minute int) claim.Busy {
		from := time.Date(2027, 7, 1+days, hour, minute, 0, 0, time.UTC).Unix()
		return claim.Busy{From: from, Until: from + 3600}
	}
	for _, step := range []struct {
		last claim.Busy
		want int
	}{
		{at(5, 12, 0), 4},
		{at(5, 1, 30), 4}, // a slot of 4 days later ends at 01:00, and is busy until 01:30
		{at(5, 1, 29), 3},
		{at(0, 12, 0), -1},
	} {
		view := claim.View{Busy: [][]claim.Busy{{at(0, 0, 0), step.last}, {at(0, 0, 0)}}}
		require.Equal(t, d.AddDays(step.want), r.lastComplete(d.AddDays(9), view, 2))
		require.Equal(t, d.AddDays(9), r.lastComplete(d.AddDays(9), view, 3), "fewer bookings than were asked for")
	}
}

// TestAvailability_YearOfSlots_AllocatesAsOftenAsADay counts allocations, so it doesn't run beside other tests.
func TestAvailability_YearOfSlots_AllocatesAsOftenAsADay(t *testing.T) { //nolint:paralleltest // it counts allocations
	r := slotRules(t, "Europe/Berlin", 60, 60, Hours{})
	d := civil.Date{Year: 2027, Month: 1, Day: 1}
	allocations := func(days int) float64 {
		return testing.AllocsPerRun(10, func() {
			p := AvailabilityPage{
				times: newAvailability(&r, 1, d,
					claim.View{Now: d.In(time.UTC).AddDate(0, 0, -1), Busy: make([][]claim.Busy, 1)}),
				at: AvailabilityPosition{Date: d}, last: d.AddDays(days - 1), to: d.AddDays(days - 1),
				listing: listing{budget: maxPageEntries},
			}
			slots := 0
			for day := range p.Days() {
				slots += len(day.Slots)
			}
			require.InDelta(t, 24*days, slots, 1)
		})
	}
	require.Less(t, allocations(366)-allocations(1), 10.0, "%g for a day", allocations(1))
}
