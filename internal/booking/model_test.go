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
	"holdfast/internal/catalog"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// Each answer, what is free, what is occupied, the price and what is due are those of a plain calendar, over bookings of units, of whole
// boats, of sessions and of stays on the same boats, with and without skippers, with holds that lapse, moves, confirmations and
// cancellations, and over blocks of boats and skippers that come, move and go. Where clocks change, they change meanwhile.
func TestOccupies_AnyMixture_IsWhatAPlainCalendarSays(t *testing.T) {
	t.Parallel()
	zones := []string{"America/New_York", "Europe/London", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu", "America/Nuuk"}
	counts := make([]map[string]int, len(zones)) // of answers
	t.Cleanup(func() {
		for _, what := range []string{"book slot", "book stay", "move slot", "move stay", "block"} {
			for _, answer := range []string{" accepted", " refused"} {
				require.True(t, slices.ContainsFunc(counts, func(zone map[string]int) bool { return zone[what+answer] > 0 }), what+answer)
			}
		}
	})
	for i, zone := range zones {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.tenant = b.newTenant(t, zone)
			r := rand.New(rand.NewPCG(testtime.Seed(t), uint64(i)))
			c := &plainCalendar{capacity: make(map[uuid.UUID]int), loc: b.tenant.Location}
			c.day, c.first = modelDay(c.loc)
			checkIn := c.first.Add(5 * time.Hour) // clocks show this time and an hour before it once on each date
			c.checkIn = checkIn.Hour()*60 + checkIn.Minute()
			for _, capacity := range []int{4, 6} {
				id := b.newResource(t, capacity, timetable.Hours{})
				c.resources, c.capacity[id] = append(c.resources, id), capacity
			}
			c.skippers = b.newResources(t, 2, 1)
			var services []*plainService
			for _, s := range []plainService{
				{occupies: timetable.OccupiesSession, minutes: 60, buffer: 30 * time.Minute, most: 3},
				{occupies: timetable.OccupiesSession, minutes: 90},
				{occupies: timetable.OccupiesWhole, minutes: 120, most: 2},
				{occupies: timetable.OccupiesUnits, minutes: 60, buffer: 15 * time.Minute},
				{occupies: timetable.OccupiesSession, minutes: 60, skippered: true},
				{occupies: timetable.OccupiesWhole, minutes: 90, skippered: true},
				{occupies: timetable.OccupiesUnits, minutes: 30, skippered: true},
				{occupies: timetable.OccupiesUnits, stay: true, after: 1},
				{occupies: timetable.OccupiesWhole, stay: true, before: 1, after: 2, most: 1},
				{occupies: timetable.OccupiesUnits, stay: true, skippered: true},
			} {
				spec := catalog.ServiceSpec{
					Name: "Tour", Spec: timetable.Spec{
						Kind: timetable.KindSlot, ResourceIDs: c.resources, Occupies: s.occupies,
						DurationMinutes:     s.minutes,
						SlotIntervalMinutes: 30, BufferAfterMinutes: int(s.buffer.Minutes()), Price: modelPrice,
						Pricing: timetable.Pricing{PricePer: timetable.PerUnit},
					},
				}
				if s.stay {
					clock := func(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }
					spec.Kind, spec.MaxNights = timetable.KindStay, modelNights
					spec.CheckIn, spec.CheckOut = clock(c.checkIn), clock(c.checkIn-60)
					spec.SlotIntervalMinutes, spec.BufferBeforeDays, spec.BufferAfterDays = 0, s.before, s.after
				}
				if s.skippered {
					spec.ResourceIDs, spec.Needs = nil,
						[]timetable.Need{{ResourceIDs: c.resources}, {ResourceIDs: c.skippers}}
				}
				if s.most > 0 {
					spec.MaxPerDay = &s.most
				}
				s.id = b.newService(t, spec)
				services = append(services, &s)
			}
			counts[i] = make(map[string]int)
			for step := range testtime.Rounds(120) {
				what := b.stepOfPlainCalendar(t, c, r, services, counts[i])
				b.requireNoOverlap(t)
				for _, s := range services {
					if step%6 == 0 {
						b.requireAvailabilityOf(t, c, s, 1+r.IntN(6), what)
					}
				}
			}
			for _, p := range c.bookings {
				var status booking.Status
				var units int
				var skippers []uuid.UUID
				require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT b.status, b.other_resource_ids, coalesce((
						SELECT sum(upper(r) - lower(r)) FROM claims c,
						unnest(c.units) AS r WHERE c.owner_id = b.booking_id AND c.number = 1), 0)
					FROM bookings b WHERE b.booking_id = $1`, p.id).Scan(&status, &skippers, &units))
				if !p.lapsed { // a lapsed hold may or may not be marked yet
					require.Equal(t, p.status, status)
				}
				if p.takes() && p.service.skippered {
					require.Equal(t, []uuid.UUID{p.skipper}, skippers)
				}
				got, err := b.service.Get(t.Context(), b.tenant, p.id)
				require.NoError(t, err)
				require.Equal(t, p.price, got.Price)
				require.Equal(t, p.nights, got.Nights)
				require.True(t, p.equal(plainTime{start: got.StartsAt, end: got.EndsAt}))
				if p.takes() {
					require.Equal(t, p.price, got.Due)
				}
				if p.takes() && p.service.occupies != timetable.OccupiesWhole {
					require.Equal(t, p.party, units, "%v of %s", p.start, p.service.occupies)
				}
			}
		})
	}
}

// stepOfPlainCalendar makes one random request and requires the plain calendar's answer. It returns what it did.
func (b *testBundle) stepOfPlainCalendar(t *testing.T, c *plainCalendar, r *rand.Rand, services []*plainService,
	counts map[string]int,
) (what string) {
	t.Helper()
	among := c.resources
	var wanted *uuid.UUID
	if r.IntN(3) == 0 {
		wanted = &c.resources[r.IntN(len(c.resources))]
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
		p := plainBooking{service: services[r.IntN(len(services))], party: 1 + r.IntN(4), status: booking.Confirmed}
		p.plainTime = c.drawTime(r, p.service)
		if like := c.random(r, booking.Held, booking.Confirmed); like != nil && r.IntN(2) == 0 { // such as one seat more of a session
			p.service, p.plainTime = like.service, like.plainTime
		}
		n := newBooking(p.service.id, p.when())
		n.PartySize, n.ResourceIDs = p.party, one(wanted)
		if r.IntN(3) == 0 {
			p.status, n.HoldMinutes = booking.Held, new(30)
		}
		what = fmt.Sprintf("book %s at %v for %d on %v", p.service, p.plainTime, p.party, wanted)
		found := c.place(&p, among, nil)
		p.price = p.fullPrice()
		quote, err := b.service.Quote(t.Context(), b.tenant, n)
		require.NoError(t, err)
		require.Equal(t, found, quote.Refusal == nil, "%s: %v", what, quote.Refusal)
		require.Equal(t, p.price, quote.Booking.Due, what)
		made, _, err := create(t, b.service, b.tenant, newKey(), n)
		requireAnswer(err, unavailable[found])
		if found {
			require.Equal(t, p.resource, made.ResourceID, what)
			p.id = made.ID
			c.bookings = append(c.bookings, &p)
		}
	case die < 7:
		p := c.random(r, booking.Held, booking.Confirmed)
		if p == nil {
			return ""
		}
		to := *p
		if r.IntN(3) == 0 {
			to.service = services[r.IntN(len(services))]
		}
		to.plainTime, to.party = c.drawTime(r, to.service), 1+r.IntN(4)
		what = fmt.Sprintf("move %s to %s at %v for %d on %v from %v for %d", p.service, to.service, to.plainTime, to.party, wanted,
			p.plainTime, p.party)
		m := booking.Move{
			When: to.when(), ServiceID: &to.service.id, PartySize: &to.party,
			Resources: booking.Resources{ResourceIDs: one(wanted)}, AnyResource: wanted == nil,
			Price: []booking.PriceRule{booking.PriceKept, booking.PriceQuoted}[r.IntN(2)],
		}
		if to.service == p.service && to.equal(p.plainTime) && to.party == p.party && (wanted == nil || *wanted == p.resource) {
			_, err := reschedule(t, b.service, b.tenant, p.id, m)
			require.NoError(t, err, what)
			if m.Price == booking.PriceQuoted {
				p.price = p.fullPrice()
			}
			return what // it keeps its place
		}
		if wanted != nil { // what the move doesn't name stays
			to.keeps = p.skipper
		}
		found := c.place(&to, among, p)
		to.keeps = uuid.Nil
		if m.Price == booking.PriceQuoted {
			to.price = to.fullPrice()
		}
		quote, err := b.service.QuoteMove(t.Context(), b.tenant, p.id, m)
		require.NoError(t, err)
		require.Equal(t, found, quote.Refusal == nil, "%s: %v", what, quote.Refusal)
		require.Equal(t, to.price, quote.Booking.Price, what)
		_, err = reschedule(t, b.service, b.tenant, p.id, m)
		requireAnswer(err, unavailable[found])
		if found {
			*p = to
		}
	case die < 9:
		if p := c.random(r, booking.Held, booking.Confirmed); p != nil {
			what = fmt.Sprintf("cancel %s at %v", p.service, p.plainTime)
			_, err := change(t, b.service, b.tenant, p.id, booking.Cancel)
			require.NoError(t, err)
			p.status = booking.Cancelled
		}
	case die < 10:
		if p := c.random(r, booking.Held); p != nil {
			what = fmt.Sprintf("confirm %s at %v", p.service, p.plainTime)
			_, err := change(t, b.service, b.tenant, p.id, booking.Confirm)
			require.NoError(t, err)
			p.status = booking.Confirmed
		}
	case die < 11:
		if p := c.random(r, booking.Held); p != nil {
			what = fmt.Sprintf("extend %s at %v", p.service, p.plainTime)
			_, err := b.service.Extend(t.Context(), b.tenant, request(t, newKey()), p.id,
				booking.ExtendRequest{HoldMinutes: 60 + r.IntN(600)}, "")
			require.NoError(t, err)
		}
	case die < 12:
		if p := c.random(r, booking.Held); p != nil {
			what = fmt.Sprintf("the hold of %s at %v lapses", p.service, p.plainTime)
			b.expireIn(t, p.id, -time.Second)
			b.syncClaims(t)
			p.lapsed = true
		}
	case die < 14 || len(c.blocks) == 0:
		moves := (*plainBlock)(nil)
		if len(c.blocks) > 0 && r.IntN(2) == 0 {
			moves = c.blocks[r.IntN(len(c.blocks))]
		}
		k, request := c.drawBlock(r)
		what = fmt.Sprintf("block of %s at %v until %v, force %t, moves %t", k.resource, k.from, k.until, request.Force, moves != nil)
		refusal := problem.Code("")
		switch {
		case moves != nil && moves.resource == k.resource && moves.from.Equal(k.from) && moves.until.Equal(k.until): // it stays
		case c.isBlocked(k.resource, k.from, k.until, false, moves):
			refusal = problem.BlockInTheWay
		case c.standIn(k) && !request.Force:
			refusal = problem.BookingsInTheWay
		}
		if moves == nil {
			made, err := createBlock(t, b.catalog, b, request)
			requireAnswer(err, refusal)
			if refusal == "" {
				k.id = made.ID
				c.blocks = append(c.blocks, &k)
			}
			break
		}
		const patch = `{"resource_id": %q, "starts_at": %s, "ends_at": %s, "from": %s, "to": %s, "force": %t}`
		_, err := b.patchBlock(t, moves.id, fmt.Sprintf(patch, k.resource, orNull(request.StartsAt), orNull(request.EndsAt),
			orNull(request.From), orNull(request.To), request.Force))
		requireAnswer(err, refusal)
		if refusal == "" {
			moves.resource, moves.from, moves.until, moves.night = k.resource, k.from, k.until, k.night
		}
	default:
		i := r.IntN(len(c.blocks))
		what = fmt.Sprintf("archive the block at %v until %v", c.blocks[i].from, c.blocks[i].until)
		require.NoError(t, b.archiveBlock(t, c.blocks[i].id, catalog.Archiving{Archived: true}))
		c.blocks = slices.Delete(c.blocks, i, i+1)
	}
	return what
}

// requireAvailabilityOf requires that a slot is listed on a resource if, and only if, the plain calendar books it there, and that a stay is
// listed, and the most nights for which one can stay, as the plain calendar says.
func (b *testBundle) requireAvailabilityOf(t *testing.T, c *plainCalendar, s *plainService, party int, after string) {
	t.Helper()
	fits := func(at plainTime, among ...uuid.UUID) bool {
		return c.place(&plainBooking{service: s, plainTime: at, party: party}, among, nil)
	}
	if s.stay {
		for nights := 1; nights <= modelNights; nights++ {
			page, err := b.service.Availability(t.Context(), b.tenant, s.id, timetable.AvailabilityQuery{
				From: c.day.AddDays(-4), To: c.day.AddDays(3), PartySize: party, Nights: &nights,
			})
			require.NoError(t, err)
			for day := range page.Days() {
				most := 0
				for most < modelNights && fits(c.stay(day.Date, most+1), c.resources...) {
					most++
				}
				require.Equal(t, most, *day.MaxNights, "%s on %s for %d, after: %s", s, day.Date, party, after)
				require.Equal(t, nights <= most, day.Available, "%s on %s, %d nights for %d, after: %s", s, day.Date, nights, party,
					after)
			}
		}
		return
	}
	page, err := b.service.Availability(t.Context(), b.tenant, s.id,
		timetable.AvailabilityQuery{From: c.day, To: c.day, PartySize: party})
	require.NoError(t, err)
	for day := range page.Days() {
		require.NotEmpty(t, day.Slots)
		for _, slot := range day.Slots {
			for _, resource := range c.resources {
				require.Equal(t, fits(c.slot(s, slot.StartsAt), resource), slices.Contains(slot.ResourceIDs, resource),
					"%s at %v for %d, after: %s", s, slot.StartsAt, party, after)
			}
		}
	}
}
