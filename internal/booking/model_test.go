package booking_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/booking/plaincalendar"
	"holdfast/internal/catalog"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// Each answer, what is free, what is occupied, the price and what is due are those of a plain calendar, over bookings
// of units, of whole boats, of sessions and of stays on the same boats, with and without skippers, with holds that
// lapse, moves, confirmations and cancellations, and over blocks of boats and skippers that come, move and go. Where
// clocks change, they change meanwhile.
func TestOccupies_AnyMixture_IsWhatAPlainCalendarSays(t *testing.T) {
	t.Parallel()
	zones := []string{"America/New_York", "Europe/London", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu",
		"America/Nuuk"}
	counts := make([]map[string]int, len(zones)) // of answers
	t.Cleanup(func() {
		if t.Failed() {
			return // what failed says more
		}
		for _, what := range []string{"book slot", "book stay", "move slot", "move stay", "block", "repeated block"} {
			for _, answer := range []string{" accepted", " refused"} {
				require.True(t, slices.ContainsFunc(counts,
					func(zone map[string]int) bool { return zone[what+answer] > 0 }), what+answer)
			}
		}
	})
	for i, zone := range zones {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.tenant = b.newTenant(t, zone)
			c := &drawnCalendar{
				Calendar: plaincalendar.Calendar{Loc: b.tenant.Location, Now: testtime.Now(),
					Capacity: make(map[uuid.UUID]int)},
				r:      rand.New(rand.NewPCG(testtime.Seed(t), uint64(i))),
				prices: make(map[*plaincalendar.Booking]int64),
			}
			c.day, c.first = modelDay(c.Loc)
			checkIn := c.first.Add(5 * time.Hour) // clocks show this time and an hour before it once on each date
			c.checkIn = checkIn.Hour()*60 + checkIn.Minute()
			for _, capacity := range []int{4, 6} {
				id := b.newResource(t, capacity, timetable.Hours{})
				c.Resources, c.Capacity[id] = append(c.Resources, id), capacity
			}
			c.Skippers = b.newResources(t, 2, 1)
			slot := func(minutes int, s plaincalendar.Service) drawnService {
				s.Kind = timetable.KindSlot
				return drawnService{s, minutes}
			}
			stay := func(s plaincalendar.Service) drawnService {
				s.Kind = timetable.KindStay
				return drawnService{Service: s}
			}
			for _, s := range []drawnService{
				slot(60, plaincalendar.Service{Occupies: timetable.OccupiesSession, After: 30 * time.Minute, Most: 3}),
				slot(90, plaincalendar.Service{Occupies: timetable.OccupiesSession}),
				slot(120, plaincalendar.Service{Occupies: timetable.OccupiesWhole, Most: 2}),
				slot(60, plaincalendar.Service{Occupies: timetable.OccupiesUnits, After: 15 * time.Minute}),
				slot(60, plaincalendar.Service{Occupies: timetable.OccupiesSession, Skippered: true}),
				slot(90, plaincalendar.Service{Occupies: timetable.OccupiesWhole, Skippered: true}),
				slot(30, plaincalendar.Service{Occupies: timetable.OccupiesUnits, Skippered: true}),
				stay(plaincalendar.Service{Occupies: timetable.OccupiesUnits, AfterDays: 1}),
				stay(plaincalendar.Service{Occupies: timetable.OccupiesWhole, BeforeDays: 1, AfterDays: 2, Most: 1}),
				stay(plaincalendar.Service{Occupies: timetable.OccupiesUnits, Skippered: true}),
			} {
				spec := catalog.ServiceSpec{
					Name: "Tour", Spec: timetable.Spec{
						Kind:                timetable.KindSlot,
						ResourceIDs:         c.Resources,
						Occupies:            s.Occupies,
						DurationMinutes:     s.minutes,
						SlotIntervalMinutes: 30,
						BufferAfterMinutes:  int(s.After.Minutes()),
						Price:               modelPrice,
						Pricing:             timetable.Pricing{PricePer: timetable.PerUnit},
					},
				}
				if s.Stay() {
					clock := func(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }
					spec.Kind, spec.MaxNights = timetable.KindStay, modelNights
					spec.CheckIn, spec.CheckOut = clock(c.checkIn), clock(c.checkIn-60)
					spec.SlotIntervalMinutes, spec.BufferBeforeDays, spec.BufferAfterDays = 0, s.BeforeDays, s.AfterDays
				}
				if s.Skippered {
					spec.ResourceIDs, spec.Needs = nil,
						[]timetable.Need{{ResourceIDs: c.Resources}, {ResourceIDs: c.Skippers}}
				}
				if s.Most > 0 {
					spec.MaxPerDay = &s.Most
				}
				s.ID = b.newService(t, spec)
				c.services = append(c.services, &s)
			}
			counts[i] = make(map[string]int)
			for step := range testtime.Rounds(120) {
				what := b.stepOfPlainCalendar(t, c, counts[i])
				b.requireNoOverlap(t)
				for _, s := range c.services {
					if step%6 == 0 {
						b.requireAvailabilityOf(t, c, s, 1+c.r.IntN(6), what)
					}
				}
			}
			for _, p := range c.Bookings {
				var status booking.Status
				var units int
				var skippers []uuid.UUID
				require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT b.status, b.other_resource_ids, coalesce((
						SELECT sum(upper(r) - lower(r)) FROM claims c,
						unnest(c.units) AS r WHERE c.owner_id = b.booking_id AND c.number = 1), 0)
					FROM bookings b WHERE b.booking_id = $1`, p.ID).Scan(&status, &skippers, &units))
				if !p.Lapsed(c.Now) { // a lapsed hold may or may not be marked yet
					require.Equal(t, p.Status, status)
				}
				if p.Takes(c.Now) && p.Service.Skippered {
					require.Equal(t, []uuid.UUID{p.Skipper}, skippers)
				}
				got, err := b.service.Get(t.Context(), b.tenant, p.ID)
				require.NoError(t, err)
				require.Equal(t, c.prices[p], got.Price)
				require.Equal(t, p.Nights, got.Nights)
				require.True(t, p.Equal(plaincalendar.Time{Start: got.StartsAt, End: got.EndsAt}))
				if p.Takes(c.Now) {
					require.Equal(t, c.prices[p], got.Due)
				}
				if p.Takes(c.Now) && p.Service.Occupies != timetable.OccupiesWhole {
					require.Equal(t, p.Party, units, "%v of %s", p.Start, p.Service.Occupies)
				}
			}
		})
	}
}

// stepOfPlainCalendar makes one random request and requires the plain calendar's answer. It returns what it did.
func (b *testBundle) stepOfPlainCalendar(t *testing.T, c *drawnCalendar, counts map[string]int) (what string) {
	t.Helper()
	r, among := c.r, c.Resources
	var wanted *uuid.UUID
	if r.IntN(3) == 0 {
		wanted = &c.Resources[r.IntN(len(c.Resources))]
		among = []uuid.UUID{*wanted}
	}
	// requireAnswer requires that a request was accepted if refusal is empty, and otherwise refused with it.
	requireAnswer := func(err error, refusal problem.Code) {
		t.Helper()
		kind, _, _ := strings.Cut(what, " of ")
		counts[kind+map[bool]string{true: " accepted", false: " refused"}[refusal == ""]]++
		if refusal == "" {
			require.NoError(t, err, what)
			return
		}
		require.Equal(t, refusal, problem.CodeOf(err), "%s: %v", what, err)
	}
	unavailable := map[bool]problem.Code{false: problem.SlotUnavailable}
	switch die := r.IntN(16); {
	case die < 5:
		s := c.services[r.IntN(len(c.services))]
		p := plaincalendar.Booking{Time: c.drawTime(s), Service: &s.Service, Party: 1 + r.IntN(4),
			Status: booking.Confirmed}
		// such as one seat more of a session
		if like := c.random(booking.Held, booking.Confirmed); like != nil && r.IntN(2) == 0 {
			p.Service, p.Time = like.Service, like.Time
		}
		n := newBooking(p.Service.ID, whenOf(p.Time))
		n.PartySize, n.ResourceIDs = p.Party, one(wanted)
		if r.IntN(3) == 0 {
			p.Status, n.HoldMinutes, p.Expires = booking.Held, new(30), c.Now.Add(time.Hour)
		}
		what = fmt.Sprintf("book %s at %v for %d on %v", p.Service, p.Time, p.Party, wanted)
		found := c.Place(&p, among, nil)
		price := fullPrice(&p)
		quote, err := b.service.Quote(t.Context(), b.tenant, n)
		require.NoError(t, err)
		require.Equal(t, found, quote.Refusal == nil, "%s: %v", what, quote.Refusal)
		require.Equal(t, price, quote.Booking.Due, what)
		made, _, err := create(t, b.service, b.tenant, newKey(), n)
		requireAnswer(err, unavailable[found])
		if found {
			require.Equal(t, p.Resource, made.ResourceID, what)
			p.ID = made.ID
			c.Bookings, c.prices[&p] = append(c.Bookings, &p), price
		}
	case die < 7:
		p := c.random(booking.Held, booking.Confirmed)
		if p == nil {
			return ""
		}
		to, price := *p, c.prices[p]
		s := c.services[slices.IndexFunc(c.services, func(s *drawnService) bool { return &s.Service == p.Service })]
		if r.IntN(3) == 0 {
			s = c.services[r.IntN(len(c.services))]
		}
		to.Service, to.Time, to.Party = &s.Service, c.drawTime(s), 1+r.IntN(4)
		what = fmt.Sprintf("move %s to %s at %v for %d on %v from %v for %d", p.Service, to.Service, to.Time, to.Party,
			wanted,
			p.Time, p.Party)
		m := booking.Move{
			When: whenOf(to.Time), ServiceID: &to.Service.ID, PartySize: &to.Party,
			Resources: booking.Resources{ResourceIDs: one(wanted)}, AnyResource: wanted == nil,
			Price: []booking.PriceRule{booking.PriceKept, booking.PriceQuoted}[r.IntN(2)],
		}
		if to.Service == p.Service && to.Equal(p.Time) && to.Party == p.Party &&
			(wanted == nil || *wanted == p.Resource) {
			_, err := reschedule(t, b.service, b.tenant, p.ID, m)
			require.NoError(t, err, what)
			if m.Price == booking.PriceQuoted {
				c.prices[p] = fullPrice(p)
			}
			return what // it keeps its place
		}
		if wanted != nil { // what the move doesn't name stays
			to.Keeps = p.Skipper
		}
		found := c.Place(&to, among, p)
		to.Keeps = uuid.Nil
		if m.Price == booking.PriceQuoted {
			price = fullPrice(&to)
		}
		quote, err := b.service.QuoteMove(t.Context(), b.tenant, p.ID, m)
		require.NoError(t, err)
		require.Equal(t, found, quote.Refusal == nil, "%s: %v", what, quote.Refusal)
		require.Equal(t, price, quote.Booking.Price, what)
		_, err = reschedule(t, b.service, b.tenant, p.ID, m)
		requireAnswer(err, unavailable[found])
		if found {
			*p, c.prices[p] = to, price
		}
	case die < 9:
		if p := c.random(booking.Held, booking.Confirmed); p != nil {
			what = fmt.Sprintf("cancel %s at %v", p.Service, p.Time)
			_, err := change(t, b.service, b.tenant, p.ID, booking.Cancel)
			require.NoError(t, err)
			p.Status = booking.Cancelled
		}
	case die < 10:
		if p := c.random(booking.Held); p != nil {
			what = fmt.Sprintf("confirm %s at %v", p.Service, p.Time)
			_, err := change(t, b.service, b.tenant, p.ID, booking.Confirm)
			require.NoError(t, err)
			p.Status = booking.Confirmed
		}
	case die < 11:
		if p := c.random(booking.Held); p != nil {
			what = fmt.Sprintf("extend %s at %v", p.Service, p.Time)
			_, err := b.service.Extend(t.Context(), b.tenant, request(t, newKey()), p.ID,
				booking.ExtendRequest{HoldMinutes: 60 + r.IntN(600)}, "")
			require.NoError(t, err)
		}
	case die < 12:
		if p := c.random(booking.Held); p != nil {
			what = fmt.Sprintf("the hold of %s at %v lapses", p.Service, p.Time)
			b.expireIn(t, p.ID, -time.Second)
			b.syncClaims(t)
			p.Expires = c.Now
		}
	case die < 14 || len(c.Blocks) == 0:
		moves := (*plaincalendar.Block)(nil)
		if len(c.Blocks) > 0 && r.IntN(2) == 0 {
			moves = c.Blocks[r.IntN(len(c.Blocks))]
		}
		k, request := c.drawBlock()
		kind := "block"
		if len(k.Times) > 1 {
			kind = "repeated block"
		}
		what = fmt.Sprintf("%s of %s at %v, force %t, moves %t", kind, k.Resource, k.Times, request.Force, moves != nil)
		refusal := problem.Code("")
		switch {
		case moves != nil && moves.Same(&k): // it stays
		case c.BlockInTheWay(&k, moves):
			refusal = problem.BlockInTheWay
		case c.StandIn(&k) && !request.Force:
			refusal = problem.BookingsInTheWay
		}
		if moves == nil {
			made, err := createBlock(t, b.catalog, b, request)
			requireAnswer(err, refusal)
			if refusal == "" {
				k.ID = made.ID
				c.Blocks = append(c.Blocks, &k)
			}
			break
		}
		const patch = `{"resource_id": %q, "starts_at": %s, "ends_at": %s, "from": %s, "to": %s, "rrule": %s,
			"force": %t}`
		_, err := b.patchBlock(t, moves.ID,
			fmt.Sprintf(patch, k.Resource, orNull(request.StartsAt), orNull(request.EndsAt),
				orNull(request.From), orNull(request.To), orNull(request.RRule), request.Force))
		requireAnswer(err, refusal)
		if refusal == "" {
			moves.Resource, moves.Times = k.Resource, k.Times
		}
	default:
		i := r.IntN(len(c.Blocks))
		what = fmt.Sprintf("archive the block at %v", c.Blocks[i].Times)
		require.NoError(t, b.archiveBlock(t, c.Blocks[i].ID, catalog.Archiving{Archived: true}))
		c.Blocks = slices.Delete(c.Blocks, i, i+1)
	}
	return what
}

// requireAvailabilityOf requires that a slot is listed on a resource if, and only if, the plain calendar books it
// there, and that a stay is listed, and the most nights for which one can stay, as the plain calendar says.
func (b *testBundle) requireAvailabilityOf(t *testing.T, c *drawnCalendar, s *drawnService, party int, after string) {
	t.Helper()
	want := func(at plaincalendar.Time) *plaincalendar.Booking {
		return &plaincalendar.Booking{Service: &s.Service, Time: at, Party: party}
	}
	fits := func(at plaincalendar.Time, among ...uuid.UUID) bool { return c.Place(want(at), among, nil) }
	if s.Stay() {
		for nights := 1; nights <= modelNights; nights++ {
			page, err := b.service.Availability(t.Context(), b.tenant, s.ID, timetable.AvailabilityQuery{
				From: c.day.AddDays(-4), To: c.day.AddDays(3), PartySize: party, Nights: &nights,
			})
			require.NoError(t, err)
			for day := range page.Days() {
				most := 0
				for most < modelNights && fits(c.stay(day.Date, most+1), c.Resources...) {
					most++
				}
				require.Equal(t, most, *day.MaxNights, "%s on %s for %d, after: %s", s, day.Date, party, after)
				require.Equal(t, nights <= most, day.Available, "%s on %s, %d nights for %d, after: %s", s, day.Date,
					nights, party,
					after)
			}
		}
		return
	}
	page, err := b.service.Availability(t.Context(), b.tenant, s.ID,
		timetable.AvailabilityQuery{From: c.day, To: c.day, PartySize: party})
	require.NoError(t, err)
	for day := range page.Days() {
		require.NotEmpty(t, day.Slots)
		for _, slot := range day.Slots {
			remaining := 0
			for _, resource := range c.Resources {
				remaining += c.Free(resource, want(c.slot(s, slot.StartsAt)), nil)
				require.Equal(t, fits(c.slot(s, slot.StartsAt), resource), slices.Contains(slot.ResourceIDs, resource),
					"%s at %v for %d, after: %s", s, slot.StartsAt, party, after)
			}
			if s.Occupies == timetable.OccupiesUnits && !s.Skippered {
				require.Equal(t, remaining, slot.Remaining, "%s at %v, after: %s", s, slot.StartsAt, after)
			}
		}
	}
}

func orNull(text *string) string {
	if text == nil {
		return "null"
	}
	return quoted(*text)
}
