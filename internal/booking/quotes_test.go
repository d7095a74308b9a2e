package booking_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// tables returns a digest of all that the database holds.
func (b *testBundle) tables(t testing.TB) string {
	t.Helper()
	digest, err := dbtest.Tables(t.Context(), b.sql)
	require.NoError(t, err)
	return digest
}

// quoteDraw draws what is quoted and then done.
type quoteDraw struct {
	*testBundle
	*rand.Rand

	services, resources []uuid.UUID
	made                []uuid.UUID
	lapsed              map[uuid.UUID]bool
	outcomes            map[string]int // how often each outcome came
}

func drawFrom[T any](d *quoteDraw, list ...T) T { return list[d.IntN(len(list))] }

func newQuoteDraw(t testing.TB) *quoteDraw {
	t.Helper()
	seed := testtime.Seed(t)
	d := &quoteDraw{testBundle: setup(t), Rand: rand.New(rand.NewPCG(seed, 32)), lapsed: map[uuid.UUID]bool{},
		outcomes: map[string]int{}}
	hours := func(opens, closes int) timetable.Hours {
		h := timetable.Hours{Weekly: []timetable.WeeklyHours{},
			Overrides: []timetable.DateHours{{Date: future(2), Closed: true}}}
		for day := range 7 {
			h.Weekly = append(h.Weekly, timetable.WeeklyHours{Weekday: time.Weekday(day), Opens: opens * 60,
				Closes: closes * 60})
		}
		return h
	}
	always, early, late := d.newResource(t, 1, timetable.Hours{}), d.newResource(t, 3, hours(8, 18)),
		d.newResource(t, 2, hours(10, 20))
	archived := d.newResource(t, 4, timetable.Hours{})
	d.resources = []uuid.UUID{always, early, late, archived, uuid.New()}
	half, fee := 50, int64(700)
	policy := func(c catalog.CancellationFee) catalog.Terms {
		return catalog.Terms{CancellationPolicy: catalog.CancellationPolicy{
			Steps: []catalog.CancellationStep{{FromMinutes: 1440, CancellationFee: c}},
		}}
	}
	units := []timetable.UnitType{{Key: "adult", Name: "Adult", Price: 2500, Counts: true},
		{Key: "infant", Name: "Infant", Price: 100}}
	rate := timetable.Rate{Weekdays: []timetable.Weekday{"tuesday"}, Price: 1900, Deposit: new(int64(600)),
		UnitPrices: map[string]int64{}}
	unitRate := rate
	unitRate.UnitPrices = map[string]int64{"adult": 3001}
	perDay := 3
	dates, slots := timetable.KindDate, timetable.KindSlot
	old := d.newService(t, catalog.ServiceSpec{Name: "Old", Spec: timetable.Spec{
		Kind: dates, ResourceIDs: []uuid.UUID{early}, Price: 100,
	}})
	d.services = []uuid.UUID{
		d.newService(t, catalog.ServiceSpec{
			Name: "Day", Spec: timetable.Spec{Kind: dates, ResourceIDs: []uuid.UUID{always, early}, Price: 3333,
				BufferAfterDays: 1,
				Pricing: timetable.Pricing{PricePer: timetable.PerUnit, DepositPercent: 15,
					Rates: []timetable.Rate{rate}}},
			Terms: policy(catalog.CancellationFee{Percent: &half}),
		}),
		d.newService(t, catalog.ServiceSpec{
			Name: "Tour", Spec: timetable.Spec{
				Kind:                slots,
				ResourceIDs:         []uuid.UUID{early, archived},
				DurationMinutes:     60,
				SlotIntervalMinutes: 30,
				BufferBeforeMinutes: 15,
				BufferAfterMinutes:  15,
				MaxPerDay:           &perDay,
				Price:               4500,
				Deposit:             1000,
			},
		}),
		d.newService(t, catalog.ServiceSpec{
			Name: "Family tour", Spec: timetable.Spec{
				Kind:                slots,
				ResourceIDs:         []uuid.UUID{late, early, archived},
				DurationMinutes:     120,
				SlotIntervalMinutes: 60,
				Price:               500,
				Deposit:             800,
				Pricing:             timetable.Pricing{UnitTypes: units, Rates: []timetable.Rate{unitRate}},
			},
			Terms: policy(catalog.CancellationFee{Amount: &fee}),
		}),
		d.newService(t, catalog.ServiceSpec{
			Name: "Afternoon", Spec: timetable.Spec{
				Kind: slots, ResourceIDs: []uuid.UUID{early, late}, UntilClosing: true, SlotIntervalMinutes: 60,
				Price: 9000,
			},
		}),
		d.newService(t, catalog.ServiceSpec{
			Name: "Family day", Spec: timetable.Spec{
				Kind: dates, ResourceIDs: []uuid.UUID{late}, BookingWindowDays: new(1), MinLeadMinutes: 60,
				Pricing: timetable.Pricing{UnitTypes: units, DepositPercent: 33},
			},
		}),
		old,
	}
	archive := catalog.Archiving{Archived: true}
	_, err := d.catalog.ArchiveResource(t.Context(), d.tenant, request(t, newKey()), archived, archive, "")
	require.NoError(t, err)
	_, err = d.catalog.ArchiveService(t.Context(), d.tenant, request(t, newKey()), old, archive, "")
	require.NoError(t, err)
	_, err = d.catalog.CreateClosure(t.Context(), d.tenant, request(t, newKey()),
		catalog.Closure{Closure: timetable.Closure{From: future(3), To: future(3)}, Reason: "Winter"})
	require.NoError(t, err)
	return d
}

// service draws a service and its number, and rarely one that isn't there.
func (d *quoteDraw) service() (int, uuid.UUID) {
	if d.IntN(40) == 0 {
		return 0, uuid.New()
	}
	i := d.IntN(len(d.services) + 6)
	if i >= len(d.services) {
		i %= 3
	}
	return i, d.services[i]
}

// when draws a time for a service: mostly one that fits its kind.
func (d *quoteDraw) when(service int) timetable.When {
	date := future(drawFrom(d, 0, 0, 1, 1, 7, 8, 9, 2, 3))
	if d.IntN(12) == 0 {
		date = drawFrom(d, future(-400), future(4000), testtime.Tomorrow())
	}
	byDate := service == 0 || service > 3
	if byDate != (d.IntN(15) == 0) {
		return onDate(date)
	}
	if d.IntN(30) == 0 {
		return at("2027-13-01")
	}
	return slotOn(date, 7+d.IntN(13), drawFrom(d, 0, 0, 0, 30, 10))
}

// party draws who comes to a service: mostly as its unit types want it. Nil is one.
func (d *quoteDraw) party(service int) (size *int, units map[string]int) {
	if (service == 2 || service == 4) != (d.IntN(15) == 0) {
		units = map[string]int{"adult": d.IntN(3), "infant": d.IntN(2)}
		if d.IntN(20) == 0 {
			units["dog"] = 1
		}
		return nil, units
	}
	if d.IntN(3) > 0 {
		return new(drawFrom(d, 1, 1, 2, 2, 3, 4, 1001)), nil
	}
	return nil, nil
}

func (d *quoteDraw) resource() *uuid.UUID {
	if d.IntN(4) > 0 {
		return nil
	}
	return new(drawFrom(d, d.resources...))
}

// requireAgree requires that a quote tells what was then done. open says that the booking that moves is held or
// confirmed.
func (d *quoteDraw) requireAgree(t testing.TB, what string, q booking.Quote, quoteErr error, body json.RawMessage,
	err error, open bool,
) {
	t.Helper()
	var refused *problem.Error
	switch {
	case quoteErr != nil:
		require.Error(t, err, "%s: a quote was refused: %v", what, quoteErr)
		if open { // otherwise the state is looked at first
			requireSameRefusal(t, quoteErr, err)
		}
		d.outcomes[what+" has no price: "+string(problem.CodeOf(quoteErr))]++
		return
	case errors.As(err, &refused):
		quote := q.Body()
		require.NotNil(t, quote.Reason, "%s: refused with %v", what, err)
		require.False(t, quote.Available)
		require.Nil(t, quote.ResourceID)
		require.Equal(t, booking.RefusalBody{Code: refused.Code, Detail: refused.Detail, Errors: refused.Fields},
			*quote.Reason)
		sum := int64(0)
		for _, item := range quote.Items {
			sum += item.Amount
		}
		require.Equal(t, sum, quote.Price, "what is refused has its price")
		require.NotZero(t, quote.StartsAt)
		d.outcomes[what+": "+string(refused.Code)]++
		return
	}
	require.NoError(t, err)
	quote := q.Body()
	require.True(t, quote.Available, "%s: %+v", what, quote.Reason)
	require.Nil(t, quote.Reason)
	var made booking.BookingBody
	require.NoError(t, json.Unmarshal(body, &made))
	if made.HoldExpiresAt != nil {
		require.WithinDuration(t, *made.HoldExpiresAt, *quote.HoldExpiresAt, longestWait)
		made.HoldExpiresAt = quote.HoldExpiresAt
	}
	want, err := json.Marshal(booking.QuoteBody{
		Available:     true,
		ServiceID:     made.ServiceID,
		ResourceID:    &made.ResourceID,
		Date:          made.Date,
		StartsAt:      made.StartsAt,
		EndsAt:        made.EndsAt,
		TimeZone:      made.TimeZone,
		PartySize:     made.PartySize,
		HoldExpiresAt: made.HoldExpiresAt,
		Price:         made.Price,
		Deposit:       made.Deposit,
		Due:           made.Due,
		Overpaid:      made.Overpaid,
		Currency:      made.Currency,
		Items:         made.Items,
		Party:         made.Party,
		Terms:         made.Terms,
		Before:        quote.Before,
	})
	require.NoError(t, err)
	got, err := json.Marshal(quote)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(got), what)
	d.outcomes[what]++
}

func requireSameRefusal(t testing.TB, want, got error) {
	t.Helper()
	w, g := problem.DocumentOf(want), problem.DocumentOf(got)
	require.Equal(t, string(w.JSON()), string(g.JSON()))
}

// make quotes a new booking and makes it.
func (d *quoteDraw) make(t testing.TB) {
	t.Helper()
	i, service := d.service()
	n := newBooking(service, d.when(i))
	n.ResourceIDs = one(d.resource())
	size, units := d.party(i)
	if n.Party = units; size != nil {
		n.PartySize = *size
	}
	what := "booking"
	if d.IntN(3) == 0 {
		what, n.HoldMinutes = "hold", new(600) // it ends when the test says so
	}
	q, quoteErr := d.testBundle.service.Quote(t.Context(), d.tenant, n)
	made, resp, err := create(t, d.testBundle.service, d.tenant, newKey(), n)
	d.requireAgree(t, what, q, quoteErr, resp.Body, err, true)
	require.Nil(t, q.Before)
	if err == nil {
		d.made = append(d.made, made.ID)
	}
}

// move quotes a move of a booking and moves it.
func (d *quoteDraw) move(t testing.TB) {
	t.Helper()
	s, id := d.testBundle.service, drawFrom(d, d.made...)
	before, err := s.Get(t.Context(), d.tenant, id)
	require.NoError(t, err)
	if before.Status == booking.Cancelled && d.IntN(4) > 0 {
		return // most of them have ended
	}
	var m booking.Move
	i := max(0, indexOf(d.services, before.ServiceID))
	if d.IntN(3) == 0 {
		var other uuid.UUID
		i, other = d.service()
		m.ServiceID = &other
	}
	if d.IntN(4) > 0 {
		m.When = d.when(i)
	}
	if m.ResourceIDs = one(d.resource()); m.ResourceIDs == nil {
		m.AnyResource = d.IntN(2) == 0
	}
	if d.IntN(2) == 0 {
		m.PartySize, m.Party = d.party(i)
	}
	m.Price = []booking.PriceRule{booking.PriceQuoted, booking.PriceKept}[d.IntN(2)]
	q, quoteErr := s.QuoteMove(t.Context(), d.tenant, id, m)
	resp, err := s.Reschedule(t.Context(), d.tenant, request(t, newKey()), id, booking.RescheduleRequest{Move: m}, "")
	what := "move at the price that it has"
	if m.Price == booking.PriceQuoted {
		what = "move at a new price"
	}
	open := before.Status == booking.Confirmed || before.Status == booking.Held && !d.lapsed[id]
	d.requireAgree(t, what, q, quoteErr, resp.Body, err, open)
	if quoteErr == nil {
		require.Equal(t, booking.QuotedMoneyBody{Price: before.Price, Deposit: before.Deposit, Due: before.Due,
			Overpaid: before.Overpaid},
			*q.Body().Before)
	}
}

func indexOf(list []uuid.UUID, id uuid.UUID) int {
	for i := range list {
		if list[i] == id {
			return i
		}
	}
	return -1
}

// end has a booking end: a hold by itself, another one by a cancellation.
func (d *quoteDraw) end(t testing.TB) {
	t.Helper()
	id := drawFrom(d, d.made...)
	b, err := d.testBundle.service.Get(t.Context(), d.tenant, id)
	require.NoError(t, err)
	switch {
	case b.Status == booking.Held:
		d.expireIn(t, id, 0)
		d.lapsed[id] = true
	case b.Status == booking.Confirmed:
		_, err := change(t, d.testBundle.service, d.tenant, id, booking.Cancel)
		require.NoError(t, err)
	}
}

// reprice changes what a service costs and promises.
func (d *quoteDraw) reprice(t testing.TB) {
	t.Helper()
	change := mergepatch.Of[catalog.ServiceSpec](fmt.Sprintf(`{"price": %d, "confirm_on_deposit": %t}`,
		1000+d.IntN(9000), d.IntN(2) == 0))
	_, err := d.catalog.ChangeService(t.Context(), d.tenant, d.services[d.IntN(3)], change, "")
	require.NoError(t, err)
}

func TestQuote_OfDrawnBookingsAndMoves_IsWhatTheBookingThenHas(t *testing.T) {
	t.Parallel()
	d := newQuoteDraw(t)
	for range testtime.Rounds(1000) {
		switch n := d.IntN(20); {
		case n < 10 || len(d.made) == 0:
			d.make(t)
		case n < 18:
			d.move(t)
		case n < 19:
			d.end(t)
		default:
			d.reprice(t)
		}
	}
	d.requireNoOverlap(t)
	for _, what := range []string{"booking", "hold", "move at a new price", "move at the price that it has"} {
		require.Greater(t, d.outcomes[what], 15, "%s of %v", what, d.outcomes)
	}
	for _, what := range []string{
		"booking: slot_unavailable", "hold: slot_unavailable",
		"booking: outside_opening_hours", "booking: outside_booking_window", "booking: invalid_state",
		"booking: validation_failed",
		"booking has no price: validation_failed", "booking has no price: not_found",
		"move at a new price: slot_unavailable",
		"move at a new price: hold_expired", "move at a new price: invalid_state",
		"move at the price that it has has no price: validation_failed",
	} {
		require.Positive(t, d.outcomes[what], "never drawn: %s of %v", what, d.outcomes)
	}
}

func TestQuote_OfWhatIsFreeTakenLapsedOrMoved_WritesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	lapsed, booked := b.hold(t, service, onDate(future(0))), b.booked(t, service, onDate(future(1)))
	b.expireIn(t, lapsed.ID, 0)
	before := b.tables(t)
	for day, available := range []bool{true, false, true} {
		n := newBooking(service, onDate(future(day)))
		n.HoldMinutes = new(5)
		q, err := b.service.Quote(t.Context(), b.tenant, n)
		require.NoError(t, err)
		require.Equal(t, available, q.Body().Available, day)
		q, err = b.service.QuoteMove(t.Context(), b.tenant, booked.ID, to(onDate(future(day))))
		require.NoError(t, err)
		require.True(t, q.Body().Available, "a lapsed hold and the booking itself aren't in the way")
	}
	require.Equal(t, before, b.tables(t))
}

func TestQuote_AfterTheServiceChangedElsewhere_HasTheNewPrice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	n := newBooking(service, onDate(future(0)))
	price := func() int64 {
		q, err := b.service.Quote(t.Context(), b.tenant, n)
		require.NoError(t, err)
		return q.Booking.Price
	}
	require.Zero(t, price())
	_, err := b.catalog.ChangeService(t.Context(), b.tenant, service,
		mergepatch.Of[catalog.ServiceSpec](`{"price": 4500}`), "")
	require.NoError(t, err)
	require.EqualValues(t, 4500, price(), "the rules in memory are stale")
}
