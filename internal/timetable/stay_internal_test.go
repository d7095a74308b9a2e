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

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// stayZones are zones with dates at which their clocks change: by an hour, by half an hour, by a quarter, over the end
// of a date, and over the date line.
var stayZones = map[string][]civil.Date{
	"America/New_York":    {{Year: 2027, Month: 3, Day: 14}, {Year: 2027, Month: 11, Day: 7}},
	"Europe/London":       {{Year: 2027, Month: 3, Day: 28}, {Year: 2027, Month: 10, Day: 31}},
	"Australia/Lord_Howe": {{Year: 2027, Month: 4, Day: 4}, {Year: 2027, Month: 10, Day: 3}},
	"Pacific/Apia":        {{Year: 2011, Month: 12, Day: 30}, {Year: 2012, Month: 4, Day: 1}},
	"Asia/Kathmandu":      {{Year: 1986, Month: 1, Day: 1}, {Year: 2027, Month: 7, Day: 1}},
	"America/Nuuk":        {{Year: 2027, Month: 3, Day: 27}, {Year: 2027, Month: 10, Day: 30}},
}

// drawnStay is a stay service around a date at which clocks change.
type drawnStay struct {
	*calendarModel

	date civil.Date
}

func drawClock(rt *rapid.T, name string, low int) string {
	minute := rapid.IntRange(low, datetime.MinutesPerDay-1).Draw(rt, name)
	return fmt.Sprintf("%02d:%02d", minute/60, minute%60)
}

func drawStay(rt *rapid.T, loc *time.Location, changes []civil.Date) drawnStay {
	number := func(name string, low, high int) int { return rapid.IntRange(low, high).Draw(rt, name) }
	d := rapid.SampledFrom(changes).Draw(rt, "change").AddDays(number("days from it", -4, 1))
	spec := Spec{
		Kind: KindStay, BookingWindowDays: new(number("window", 0, 6)),
		MinLeadMinutes: 5 * number("lead", 0, 500),
		CheckOut:       drawClock(rt, "check-out", 1), MinNights: number("least", 1, 3),
		Occupies: rapid.SampledFrom([]Occupies{OccupiesUnits, OccupiesWhole}).Draw(rt,
			"occupies"),
	}
	spec.CheckIn = drawClock(rt, "check-in", spec.checkOutMinute())
	spec.MaxNights = spec.MinNights + number("more", 0, 4)
	for range number("arrival rules", 0, 2) {
		first := d.AddDays(number("rule from", -2, 6)).String()
		rule := ArrivalRule{MinNights: number("rule's least", 0, 3), MaxNights: number("rule's most", 0, 4),
			NightsMultiple: number("rule's multiple", 0, 3)}
		if rapid.Bool().Draw(rt, "rule of weekdays") {
			rule.Weekdays = []Weekday{weekdays[number("rule on", 0, 6)], weekdays[number("rule on", 0, 6)]}
		} else {
			rule.From = first
		}
		spec.ArrivalRules = append(spec.ArrivalRules, rule)
	}
	spec.NightsMultiple, spec.SellGaps = number("multiple", 0, 2), rapid.Bool().Draw(rt, "gaps")
	for _, day := range weekdays {
		if number("departs", 0, 6) > 0 {
			spec.DepartureWeekdays = append(spec.DepartureWeekdays, day)
		}
	}
	if rapid.Bool().Draw(rt, "in days") {
		spec.BufferBeforeDays, spec.BufferAfterDays = number("days before", 0, 2), number("days after", 0, 2)
	} else {
		spec.BufferBeforeMinutes, spec.BufferAfterMinutes = 30*number("before", 0, 48), 30*number("after", 0, 48)
	}
	if maximum := number("maximum", 0, 3); maximum > 0 {
		spec.MaxPerDay = &maximum
	}
	for _, day := range weekdays {
		if number("arrives", 0, 2) > 0 {
			spec.ArrivalWeekdays = append(spec.ArrivalWeekdays, day)
		}
	}
	r := &Rules{Loc: loc, Service: Service{Spec: spec}}
	for range number("resources", 1, 2) {
		hours := drawHours(rt, d, func(name string, low, high int) int { return 5 * number(name, low/5, high/5) })
		r.SetResources(append(r.Resources, Resource{ID: uuid.New(), Capacity: number("capacity", 1, 2),
			Times: hours.Times()}))
	}
	for range number("closures", 0, 2) {
		from := d.AddDays(number("closed", -1, 8))
		c := Closure{From: from, To: from}
		if rapid.Bool().Draw(rt, "of one") {
			c.ResourceID = &r.Resources[0].ID
		}
		r.Closures = append(r.Closures, c)
	}
	m := &calendarModel{rules: r, bookings: map[civil.Date]int{}}
	m.now = datetime.StartOfDay(d, loc).Add(minutes(number("now", -2000, 1000)))
	for range number("bookings", 0, 6) {
		res := r.Resources[number("booked", 0, len(r.Resources)-1)]
		from := datetime.StartOfDay(d.AddDays(number("from", -2, 9)), loc).Add(minutes(number("from", 0, 1439)))
		until := from.Add(minutes(number("length", 5, 3*1440)))
		if m.occupy(rt, res, from, until, nil) {
			m.bookings[datetime.DateOf(from, loc)]++
		}
	}
	return drawnStay{m, d}
}

// stayOf asks for a stay of so many nights. Dates that clocks skip have none.
func stayOf(loc *time.Location, checkIn civil.Date, nights int) When {
	checkOut := checkIn
	for n := 0; n < nights; {
		if checkOut = checkOut.AddDays(1); datetime.StartOfDay(checkOut.AddDays(-1),
			loc).Before(datetime.StartOfDay(checkOut, loc)) {
			n++
		}
	}
	for !datetime.StartOfDay(checkOut, loc).Before(datetime.StartOfDay(checkOut.AddDays(1), loc)) {
		checkOut = checkOut.AddDays(1)
	}
	return When{CheckIn: &checkIn, CheckOut: &checkOut}
}

// tell is what the plain model says of a date: it tries each stay from there as a booking.
func (m drawnStay) tell(d civil.Date, nights, party int) string {
	day := Day{Date: d, MaxNights: new(int)}
	accepts := func(nights int) (units int, fits bool) {
		at, err := m.rules.BookingTimeOf(stayOf(m.rules.Loc, d, nights))
		if err != nil {
			return 0, false
		}
		for _, res := range m.rules.Resources {
			_, err := m.rules.Allocate(at, []uuid.UUID{res.ID}, party, m.occupied, m.bookings[d], m.now)
			fits = fits || err == nil
			if err != nil && !problem.Is(err, problem.SlotUnavailable) {
				continue
			}
			if most := m.rules.Service.MaxPerDay; most == nil || m.bookings[d] < *most {
				if free := countUnits(res, m.occupied, at.BusyFrom, at.BusyUntil,
					m.now); !m.rules.Service.Occupies.All() ||
					free == res.Capacity {
					units += free
				}
			}
		}
		return units, fits
	}
	day.Remaining, day.Available = accepts(nights)
	for n := 1; n <= 9; n++ {
		if _, fits := accepts(n); fits {
			*day.MaxNights = n
			day.Nights = append(day.Nights, n)
		}
	}
	return fmt.Sprint(text(day), *day.MaxNights, day.Nights)
}

func TestStay_CheckInTooSoonBeforeASkippedDate_FirstDateIsTheOneAfter(t *testing.T) {
	t.Parallel()
	before := civil.Date{Year: 2011, Month: 12, Day: 29}
	r := &Rules{Loc: zone(t, "Pacific/Apia"),
		Service: Service{Spec: Spec{Kind: KindStay, CheckIn: "15:00", CheckOut: "10:00", MinLeadMinutes: 60}}}
	require.Equal(t, before, r.firstDate(datetime.StartOfDay(before, r.Loc).Add(14*time.Hour)))
	require.Equal(t, before.AddDays(2), r.firstDate(datetime.StartOfDay(before, r.Loc).Add(14*time.Hour+time.Minute)),
		"clocks skip 30 December")
}

// TestStayAvailability_RandomCalendars_TellsWhatBookingAccepts tries each stay that begins around a change of the
// clock.
func TestStayAvailability_RandomCalendars_TellsWhatBookingAccepts(t *testing.T) {
	t.Parallel()
	for name, changes := range stayZones {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loc := zone(t, name)
			available, refused := 0, 0
			rapid.Check(t, func(rt *rapid.T) {
				m := drawStay(rt, loc, changes)
				party, nights := rapid.IntRange(1, 2).Draw(rt, "party"), rapid.IntRange(1, 8).Draw(rt, "nights")
				if !slices.ContainsFunc(m.rules.Resources, func(res Resource) bool { return res.Capacity >= party }) {
					party = 1
				}
				a := newAvailability(m.rules, party, m.date, m.view())
				a.length = nights
				for days := range 8 {
					d := m.date.AddDays(days)
					day, cut := a.day(d, &listing{})
					require.False(rt, cut)
					require.Equal(rt, m.tell(d, nights, party), fmt.Sprint(text(day), *day.MaxNights, day.Nights))
					if *day.MaxNights > 0 {
						available++
					} else {
						refused++
					}
				}
			})
			require.Greater(t, available, 30)
			require.Greater(t, refused, 30)
		})
	}
}

// clockOfDate is clockOn minute by minute: the first moment of a date at which clocks show a minute of it or, if there
// is none, a later minute, and otherwise the date's last minute.
func clockOfDate(d civil.Date, minute int, loc *time.Location) time.Time {
	var later, last time.Time
	for at := datetime.StartOfDay(d, loc); at.Before(datetime.StartOfDay(d.AddDays(1), loc)); at = at.Add(time.Minute) {
		at = at.In(loc)
		switch shown := at.Hour()*60 + at.Minute(); {
		case shown == minute:
			return at
		case shown > minute && later.IsZero():
			later = at
		}
		last = at
	}
	if later.IsZero() {
		return last
	}
	return later
}

// TestStayTimes_AroundClockChanges_AreThoseOfTheClock compares each stay with a plain calendar: when it begins and
// ends, how many nights it has, and what it occupies.
func TestStayTimes_AroundClockChanges_AreThoseOfTheClock(t *testing.T) {
	t.Parallel()
	for name, changes := range stayZones {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loc := zone(t, name)
			rapid.Check(t, func(rt *rapid.T) {
				m := drawStay(rt, loc, changes)
				s := &m.rules.Service
				checkIn, checkOut := m.date, m.date.AddDays(rapid.IntRange(1, 6).Draw(rt, "days"))
				at, err := m.rules.BookingTimeOf(When{CheckIn: &checkIn, CheckOut: &checkOut})
				skips := func(d civil.Date) bool {
					return datetime.StartOfDay(d, loc).Equal(datetime.StartOfDay(d.AddDays(1), loc))
				}
				if skips(checkIn) || skips(checkOut) {
					require.True(rt, problem.Is(err, problem.ValidationFailed), "%v", err)
					require.ErrorContains(rt, err, "nonexistent_time")
					return
				}
				require.NoError(rt, err)
				require.Equal(rt, checkIn, at.Date)
				require.Equal(rt, checkIn, datetime.DateOf(at.Start, loc))
				require.Equal(rt, checkOut, datetime.DateOf(at.End, loc))
				require.Equal(rt, clockOfDate(checkIn, s.checkInMinute(), loc), at.Start)
				require.Equal(rt, clockOfDate(checkOut, s.checkOutMinute(), loc), at.End)
				nights := 0
				for d := checkIn; d.Before(checkOut); d = d.AddDays(1) {
					if !skips(d) {
						nights++
					}
				}
				require.Equal(rt, nights, at.Nights)
				from, until := at.Start.Add(-minutes(s.BufferBeforeMinutes)), at.End.Add(minutes(s.BufferAfterMinutes))
				if s.BufferBeforeDays > 0 {
					from = datetime.StartOfDay(checkIn.AddDays(1-s.BufferBeforeDays), loc)
				}
				if s.BufferAfterDays > 0 {
					until = datetime.StartOfDay(checkOut.AddDays(s.BufferAfterDays), loc)
				}
				require.True(rt, from.Equal(at.BusyFrom), "%s %s", from, at.BusyFrom)
				require.True(rt, until.Equal(at.BusyUntil), "%s %s", until, at.BusyUntil)
				require.LessOrEqual(rt, at.BusyUntil.Sub(at.BusyFrom), minutes(s.LongestMinutes())+minutes(6*1440))
				require.Equal(rt, When{CheckIn: &checkIn, CheckOut: &checkOut}, stayKind{}.whenOf(m.rules, at, When{}))
				require.True(rt, stayKind{}.isAt(m.rules, at, at))
			})
		})
	}
}

// TestStay_TheLongest_FitsTheLocks has each service that passes its check sell its longest stay: around changes of the
// clock, and at the bounds of buffers.
func TestStay_TheLongest_FitsTheLocks(t *testing.T) {
	t.Parallel()
	reached := 0
	rapid.Check(t, func(rt *rapid.T) {
		loc := zone(t, rapid.SampledFrom(zones()).Draw(rt, "zone"))
		d := civil.Date{Year: 2027, Month: 1, Day: 1}
		if changes := clockChanges(loc); len(changes) > 0 {
			d = datetime.DateOf(rapid.SampledFrom(changes).Draw(rt, "change"), loc)
		}
		spec := Spec{
			Kind: KindStay, ResourceIDs: []uuid.UUID{uuid.New()}, CheckOut: drawClock(rt, "check-out", 1),
			MaxNights: rapid.IntRange(40, 61).Draw(rt, "nights"),
		}
		spec.CheckIn = drawClock(rt, "check-in", spec.checkOutMinute())
		if rapid.Bool().Draw(rt, "in days") {
			spec.BufferBeforeDays, spec.BufferAfterDays = rapid.IntRange(0, 7).Draw(rt, "before"),
				rapid.IntRange(0, 7).Draw(rt, "after")
		} else {
			spec.BufferBeforeMinutes, spec.BufferAfterMinutes = rapid.SampledFrom([]int{0, 1, 1440}).Draw(rt, "before"),
				rapid.SampledFrom([]int{0, 1, 1440}).Draw(rt, "after")
		}
		spec = spec.WithDefaults()
		for spec.Check() != nil {
			require.ErrorContains(rt, spec.Check(), "max_nights")
			spec.MaxNights--
		}
		r := &Rules{Loc: loc, Service: Service{Spec: spec}}
		checkOut := d.AddDays(rapid.IntRange(-2, spec.MaxNights+2).Draw(rt, "days after"))
		checkIn := checkOut.AddDays(-spec.MaxNights)
		at, err := r.BookingTimeOf(When{CheckIn: &checkIn, CheckOut: &checkOut})
		if err != nil {
			require.ErrorContains(rt, err, "nonexistent_time")
			return
		}
		dates := datetime.DatesIn(at.BusyFrom, at.BusyUntil, loc)
		require.LessOrEqual(rt, len(dates), 62)
		if len(dates) == 62 {
			reached++
		}
		longest := minutes(spec.LongestMinutes())
		require.LessOrEqual(rt, at.BusyUntil.Sub(at.BusyFrom), longest)
		require.LessOrEqual(rt, longest, LongestBusy)
		require.LessOrEqual(rt, at.BusyUntil.Unix(), r.busyUntil(checkIn))
	})
	require.Positive(t, reached)
}

// room returns the rules of a room that is sold by the night.
func room(t *testing.T, zoneName string, spec Spec) *Rules {
	t.Helper()
	spec.Kind, spec.CheckIn, spec.CheckOut, spec.BookingWindowDays = KindStay, "15:00", "10:00", new(3650)
	return &Rules{
		Loc: zone(t, zoneName), Service: Service{Name: "Room", Spec: spec.WithDefaults()},
		Resources: []Resource{{ID: uuid.New(), Capacity: 4, Times: Hours{}.Times()}},
	}
}

func TestStayTime_ClocksSkipADate_HasNoNightThere(t *testing.T) {
	t.Parallel()
	r := room(t, "Pacific/Apia", Spec{Price: 100})
	d := func(day int) *civil.Date { return &civil.Date{Year: 2011, Month: 12, Day: day} }
	at, err := r.BookingTimeOf(When{CheckIn: d(28), CheckOut: d(31)})
	require.NoError(t, err)
	require.Equal(t, 2, at.Nights)
	require.Equal(t, "2011-12-28T15:00:00-10:00 2011-12-31T10:00:00+14:00",
		at.Start.Format(time.RFC3339)+" "+at.End.Format(time.RFC3339))
	q, err := r.Quote(at, Party{Size: 1})
	require.NoError(t, err)
	require.Equal(t, []Item{{
		Name: "Room, 2011-12-28 to 2011-12-29, 2 nights", Nights: 2, From: "2011-12-28", To: "2011-12-29", Quantity: 2,
		UnitPrice: 100,
		Amount:    200,
	}}, q.Items)
	for _, w := range []When{{CheckIn: d(30), CheckOut: d(31)}, {CheckIn: d(29), CheckOut: d(30)}} {
		_, err := r.BookingTimeOf(w)
		require.ErrorContains(t, err, "nonexistent_time")
	}
}

// In Nuuk the clocks skip the last hour of the date in spring, and repeat it in autumn.
func TestStayTime_CheckInInAnHourThatClocksChange_IsTheFirstMomentOfTheDate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ zone, clock, date, want string }{
		// 23:00 doesn't exist, and 00:00 is the next date
		{"America/Nuuk", "23:30", "2027-03-27", "2027-03-27T22:59:00-02:00"},
		{"America/Nuuk", "23:30", "2027-10-30", "2027-10-30T23:30:00-01:00"}, // the first of two
		{"America/New_York", "02:30", "2027-03-14", "2027-03-14T03:00:00-04:00"},
		{"America/New_York", "01:30", "2027-11-07", "2027-11-07T01:30:00-04:00"},
		{"Australia/Lord_Howe", "02:15", "2027-10-03", "2027-10-03T02:30:00+11:00"},
		{"Australia/Lord_Howe", "01:45", "2027-04-04", "2027-04-04T01:45:00+11:00"},
		{"Europe/London", "01:15", "2027-03-28", "2027-03-28T02:00:00+01:00"},
	} {
		r := room(t, test.zone, Spec{})
		r.Service.CheckIn, r.Service.CheckOut = test.clock, "00:30"
		checkIn, err := civil.ParseDate(test.date)
		require.NoError(t, err)
		at, err := r.BookingTimeOf(When{CheckIn: &checkIn, CheckOut: new(checkIn.AddDays(1))})
		require.NoError(t, err)
		require.Equal(t, test.want, at.Start.Format(time.RFC3339), test.zone)
		before, err := r.BookingTimeOf(When{CheckIn: new(checkIn.AddDays(-1)), CheckOut: &checkIn})
		require.NoError(t, err)
		require.False(t, before.BusyUntil.After(at.BusyFrom),
			"the next guest arrives on the date on which the former one leaves")
	}
}

func TestStayQuote_NightsByTheirOwnDates_AreGroupedByPrice(t *testing.T) {
	t.Parallel()
	july := civil.Date{Year: 2027, Month: 7, Day: 1} // a Thursday
	rates := []Rate{
		{From: new(july.AddDays(4)), To: new(july.AddDays(5)), Price: 15000, Deposit: new(int64(99))},
		{Weekdays: []Weekday{"friday", "saturday"}, Price: 12000, Deposit: new(int64(20000)),
			UnitPrices: map[string]int64{"adult": 500}},
	}
	stay := func(r *Rules, nights int, p Party) Quote {
		at, err := r.BookingTimeOf(When{CheckIn: &july, CheckOut: new(july.AddDays(nights))})
		require.NoError(t, err)
		q, err := r.Quote(at, p)
		require.NoError(t, err)
		return q
	}
	item := func(name, unitType, from, to string, nights, quantity int, price int64) Item {
		return Item{
			Name:      name,
			UnitType:  unitType,
			Nights:    nights,
			From:      from,
			To:        to,
			Quantity:  quantity,
			UnitPrice: price,
			Amount:    int64(quantity) * price,
		}
	}
	r := room(
		t,
		"Europe/Berlin",
		Spec{Price: 9000, Deposit: 20000,
			Pricing: Pricing{Rates: rates}},
	)
	require.Equal(t, Quote{2, []Item{
		item("Room, 2027-07-01, 1 night", "", "2027-07-01", "2027-07-01", 1, 1, 9000),
		item("Room, 2027-07-02 to 2027-07-03, 2 nights", "", "2027-07-02", "2027-07-03", 2, 2, 12000),
		item("Room, 2027-07-04, 1 night", "", "2027-07-04", "2027-07-04", 1, 1, 9000),
		item("Room, 2027-07-05 to 2027-07-06, 2 nights", "", "2027-07-05", "2027-07-06", 2, 2, 15000),
		item("Room, 2027-07-07 to 2027-07-08, 2 nights", "", "2027-07-07", "2027-07-08", 2, 2, 9000),
	}, 90000, 20000}, stay(r, 8, Party{Size: 2}))

	perUnit := room(t, "Europe/Berlin", Spec{
		Price:   9000,
		Pricing: Pricing{PricePer: PerUnit, DepositPercent: 10},
	})
	require.Equal(t, Quote{3, []Item{item("Room, 2027-07-01 to 2027-07-04, 4 nights", "", "2027-07-01", "2027-07-04", 4,
		12, 9000)}, 108000,
		10800}, stay(perUnit, 4, Party{Size: 3}))

	guests := []UnitType{{Key: "adult", Name: "Adult", Price: 400, Counts: true},
		{Key: "cot", Name: "Cot", Price: 100}}
	typed := room(
		t,
		"Europe/Berlin",
		Spec{Pricing: Pricing{UnitTypes: guests, Rates: rates[1:]}},
	)
	q := stay(typed, 3, Party{Units: map[string]int{"adult": 2, "cot": 1}})
	require.Equal(t, []Item{
		item("Adult, 2027-07-01, 1 night", "adult", "2027-07-01", "2027-07-01", 1, 2, 400),
		item("Cot, 2027-07-01, 1 night", "cot", "2027-07-01", "2027-07-01", 1, 1, 100),
		item("Room, 2027-07-02 to 2027-07-03, 2 nights", "", "2027-07-02", "2027-07-03", 2, 2, 12000),
		item("Adult, 2027-07-02 to 2027-07-03, 2 nights", "adult", "2027-07-02", "2027-07-03", 2, 4, 500),
		item("Cot, 2027-07-02 to 2027-07-03, 2 nights", "cot", "2027-07-02", "2027-07-03", 2, 2, 100),
	}, q.Items)
	require.Equal(t, map[string]int{"adult": 2, "cot": 1}, PartyByType(q.Items))

	dear := room(
		t,
		"Europe/Berlin",
		Spec{Price: MaxAmount,
			Pricing: Pricing{PricePer: PerUnit}},
	)
	at, err := dear.BookingTimeOf(When{CheckIn: &july, CheckOut: new(july.AddDays(61))})
	require.NoError(t, err)
	_, err = dear.Quote(at, Party{Size: MaxCapacity})
	require.ErrorContains(t, err, "party_size: too_large")
}

func TestStayTime_WhatIsNoStay_IsRefused(t *testing.T) {
	t.Parallel()
	r := room(t, "Europe/Berlin", Spec{})
	d := civil.Date{Year: 2027, Month: 7, Day: 1}
	start := "2027-07-01T15:00:00+02:00"
	for name, test := range map[string]struct {
		when        When
		field, code string
	}{
		"nothing":            {When{}, "check_in", "required"},
		"no check-out":       {When{CheckIn: &d}, "check_out", "required"},
		"a date":             {When{Date: &d}, "date", "not_for_kind"},
		"a start":            {When{StartsAt: &start, CheckIn: &d, CheckOut: &d}, "starts_at", "not_for_kind"},
		"no night":           {When{CheckIn: &d, CheckOut: &d}, "check_out", "not_after_check_in"},
		"a check-out before": {When{CheckIn: &d, CheckOut: new(d.AddDays(-1))}, "check_out", "not_after_check_in"},
		"62 nights":          {When{CheckIn: &d, CheckOut: new(d.AddDays(62))}, "check_out", "too_large"},
		"thousands of nights": {When{CheckIn: &d, CheckOut: &civil.Date{Year: 9000, Month: 1, Day: 1}}, "check_out",
			"too_large"},
		"61 nights, in general": {When{CheckIn: &d, CheckOut: new(d.AddDays(61))}, "", ""},
	} {
		_, err := r.BookingTimeOf(test.when)
		if test.code == "" {
			require.NoError(t, err, name)
			continue
		}
		var refused *problem.Error
		require.ErrorAs(t, err, &refused, name)
		require.Equal(t, problem.ValidationFailed, refused.Code, name)
		require.Equal(t, []string{test.field, test.code}, []string{refused.Fields[0].Name, refused.Fields[0].Code},
			name)
	}
	for _, far := range []civil.Date{{Year: 1899, Month: 12, Day: 31}, {Year: 9001, Month: 1, Day: 1}} {
		_, err := r.BookingTimeOf(When{CheckIn: &far, CheckOut: new(far.AddDays(1))})
		require.True(t, problem.Is(err, problem.OutsideBookingWindow), "%v", err)
	}
}

func TestStay_LeadTime_CountsToTheCheckIn(t *testing.T) {
	t.Parallel()
	for _, lead := range []int{1, 60, 900, 1440, 4000} {
		r := room(t, "Europe/Berlin", Spec{MinLeadMinutes: lead})
		in := civil.Date{Year: 2027, Month: time.March, Day: 28} // clocks go forward
		at, err := r.BookingTimeOf(When{CheckIn: &in, CheckOut: new(in.AddDays(1))})
		require.NoError(t, err)
		last := at.Start.Add(-minutes(lead))
		require.NoError(t, r.checkWindow(at, last), "%d minutes", lead)
		require.True(t, problem.Is(r.checkWindow(at, last.Add(time.Second)), problem.OutsideBookingWindow),
			"%d minutes", lead)
	}
}
