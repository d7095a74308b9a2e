package httpapi_test

import (
	"fmt"
	"slices"
	"sort"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/problem"
)

// calendar is a plain model of a tenant's calendar in memory. Each operation is done by the server and by the model, which must agree.
type calendar struct {
	client
	clock     clock
	now       time.Time
	loc       *time.Location
	first     civil.Date // of the dates that are used
	resources []*modelResource
	services  []*modelService
	bookings  []*modelBooking
	blocks    []*modelBlock // that aren't archived
}

const (
	modelDates  = 4 // that are used
	modelNights = 2 // of a stay, at most
)

type modelResource struct {
	id       uuid.UUID
	capacity int
}

type modelService struct {
	id             uuid.UUID
	kind           string
	before, after  time.Duration
	cleaning       int // days after a stay on which nobody else gets the room; its check-out date is the first
	resources      []*modelResource
	price, deposit int64       // the price is for each night of a stay
	times          []modelTime // at which it can be booked, by what availability lists for an empty calendar
}

// modelTime is when a booking takes place. Times that no service offers have no end.
type modelTime struct {
	date       civil.Date
	start, end time.Time
	checkOut   civil.Date // of a stay
	nights     int
}

func (at modelTime) equal(other modelTime) bool {
	return at.start.Equal(other.start) && at.end.Equal(other.end)
}

type modelBooking struct {
	id                           uuid.UUID
	service                      *modelService
	resource                     *modelResource
	time                         modelTime
	units                        []int
	status                       string
	created, expires             time.Time // expires is zero for a booking that was never held
	price, deposit, paid, repaid int64
	lowered                      int64 // by refunds
	version                      int64
	anonymous                    bool // a hold without a customer
	payments                     []*modelPayment
}

type modelBlock struct {
	id          uuid.UUID
	resource    *modelResource
	from, until time.Time
	night       time.Time // the last minute of the first of whole dates, until which stays may last; else the beginning
}

// begins is when the block begins for a service.
func (k *modelBlock) begins(v *modelService) time.Time {
	if v != nil && v.kind == "stay" {
		return k.night
	}
	return k.from
}

type modelPayment struct {
	id     uuid.UUID
	amount int64 // that isn't refunded
}

// modelRefusal is how the server refuses an operation. The zero value is no modelRefusal.
type modelRefusal struct {
	status int
	code   problem.Code
}

var (
	refusedInvalid  = modelRefusal{unprocessable, problem.ValidationFailed}
	refusedWindow   = modelRefusal{unprocessable, problem.OutsideBookingWindow}
	refusedTaken    = modelRefusal{conflict, problem.SlotUnavailable}
	refusedExpired  = modelRefusal{conflict, problem.HoldExpired}
	refusedState    = modelRefusal{conflict, problem.InvalidState}
	refusedOverpaid = modelRefusal{unprocessable, problem.Overpayment}
	refusedBlock    = modelRefusal{conflict, problem.BlockInTheWay}
	refusedBookings = modelRefusal{conflict, problem.BookingsInTheWay}
)

// drawCalendar makes a tenant with two resources and three services, a day and a half before a date.
func drawCalendar(t *rapid.T, s *apiServer, at clock, zone string, date civil.Date) *calendar {
	m := &calendar{clock: at, loc: location(t, zone), first: date.AddDays(-1)}
	m.now = time.Date(date.Year, date.Month, date.Day-2, 12, 0, 0, 0, m.loc)
	m.clock.set(t, m.now)
	m.client = s.newTenant(t, zone)
	for range 2 {
		capacity := rapid.IntRange(1, 3).Draw(t, "capacity")
		m.resources = append(m.resources, &modelResource{m.newResource(t, capacity), capacity})
	}
	m.services = []*modelService{m.drawService(t, "slot", m.resources),
		m.drawService(t, "date", m.resources[:rapid.IntRange(1, 2).Draw(t, "resources")]), m.drawService(t, "stay", m.resources)}
	return m
}

func (m *calendar) drawService(t *rapid.T, kind string, resources []*modelResource) *modelService {
	v := &modelService{
		kind: kind, resources: resources, price: rapid.Int64Range(0, 9999).Draw(t, "price"),
		before: time.Duration(rapid.SampledFrom([]int{0, 15, 90}).Draw(t, "before")) * time.Minute,
		after:  time.Duration(rapid.SampledFrom([]int{0, 20}).Draw(t, "after")) * time.Minute,
	}
	v.deposit = rapid.Int64Range(0, v.price).Draw(t, "deposit")
	with := object{
		"price": v.price, "deposit": v.deposit, "buffer_before_minutes": int(v.before.Minutes()),
		"buffer_after_minutes": int(v.after.Minutes()),
	}
	switch kind {
	case "slot":
		with["duration_minutes"] = rapid.SampledFrom([]int{30, 60, 180, 420}).Draw(t, "duration")
		with["slot_interval_minutes"] = rapid.SampledFrom([]int{30, 90, 240}).Draw(t, "interval")
	case "stay":
		with["check_in"], with["check_out"], with["max_nights"] = "15:00", "10:00", modelNights
		if v.cleaning = rapid.IntRange(0, 2).Draw(t, "cleaning days"); v.cleaning > 0 {
			delete(with, "buffer_after_minutes")
			v.after, with["buffer_after_days"] = 0, v.cleaning
		}
	}
	ids := make([]uuid.UUID, len(resources))
	for i, r := range resources {
		ids[i] = r.id
	}
	v.id = m.newService(t, kind, with, ids...)
	if kind == "stay" {
		v.times = m.stays()
		return v
	}
	for _, d := range m.availability(t, v.id, m.first, m.last(), 1) {
		date, err := civil.ParseDate(d.Date)
		require.NoError(t, err)
		if kind == "date" && d.Available {
			v.times = append(v.times, modelTime{date: date, start: m.midnight(date), end: m.midnight(date.AddDays(1))})
		}
		for _, s := range d.Slots {
			v.times = append(v.times, modelTime{date: date, start: s.StartsAt, end: s.EndsAt})
		}
	}
	return v
}

// stays lists the stays that begin on one of the dates. A date that clocks skip has no night, and no check-in or check-out.
func (m *calendar) stays() (times []modelTime) {
	skipped := func(d civil.Date) bool { return m.midnight(d).Equal(m.midnight(d.AddDays(1))) }
	clock := func(d civil.Date, hour int) time.Time { return time.Date(d.Year, d.Month, d.Day, hour, 0, 0, 0, m.loc) }
	for d := m.first; !d.After(m.last()); d = d.AddDays(1) {
		nights := 0
		for night := d; nights < modelNights && !skipped(d); night = night.AddDays(1) {
			if skipped(night) {
				continue
			}
			nights++
			out := night.AddDays(1)
			if skipped(out) {
				out = out.AddDays(1)
			}
			times = append(times, modelTime{d, clock(d, 15), clock(out, 10), out, nights})
		}
	}
	return times
}

func (m *calendar) last() civil.Date { return m.first.AddDays(modelDates - 1) }

// midnight is the first minute of a date. Of a date that clocks skip it is the first of the next one.
func (m *calendar) midnight(d civil.Date) time.Time {
	earliest := d.In(time.UTC).Add(-15 * time.Hour)
	after := func(minute int) time.Time { return earliest.Add(time.Duration(minute) * time.Minute) }
	return after(sort.Search(30*60, func(i int) bool { return !civil.DateOf(after(i).In(m.loc)).Before(d) }))
}

func (v *modelService) largest() int {
	return slices.MaxFunc(v.resources, func(a, b *modelResource) int { return a.capacity - b.capacity }).capacity
}

// priceAt is what a booking costs, however many come.
func (v *modelService) priceAt(at modelTime) int64 { return v.price * int64(max(at.nights, 1)) }

// busy is when a booking takes its resource.
func (m *calendar) busy(v *modelService, at modelTime) (from, until time.Time) {
	if v.cleaning > 0 {
		return at.start.Add(-v.before), m.midnight(at.checkOut.AddDays(v.cleaning))
	}
	return at.start.Add(-v.before), at.end.Add(v.after)
}

// isBlocked reports whether a block but one takes a resource at a time from bookings of a service, or from another block without one.
func (m *calendar) isBlocked(r *modelResource, v *modelService, from, until time.Time, but *modelBlock) bool {
	return slices.ContainsFunc(m.blocks, func(k *modelBlock) bool {
		return k != but && k.resource == r && k.begins(v).Before(until) && from.Before(k.until)
	})
}

func (b *modelBooking) lapsed(now time.Time) bool {
	return b.status == "held" && !now.Before(b.expires)
}

func (b *modelBooking) takesTime(now time.Time) bool {
	return b.status != "cancelled" && b.status != "expired" && !b.lapsed(now)
}

// due is what is still to pay of an amount of the booking, its price or its deposit.
func (b *modelBooking) due(amount int64, now time.Time) int64 {
	if !b.takesTime(now) {
		return 0
	}
	return max(min(amount, max(b.price-b.lowered, 0))-b.paid+b.repaid, 0)
}

// overpaid is what is kept beyond what the booking owes.
func (b *modelBooking) overpaid(now time.Time) int64 {
	owed := max(b.price-b.lowered, 0)
	if b.status == "cancelled" {
		return 0
	}
	if !b.takesTime(now) {
		owed = 0
	}
	return max(b.paid-b.repaid-owed, 0)
}

// free lists as many units of a resource as are free at each moment beside all bookings but one. Their numbers mean nothing.
func (m *calendar) free(r *modelResource, v *modelService, at modelTime, but *modelBooking) (units []int) {
	from, until := m.busy(v, at)
	if m.isBlocked(r, v, from, until, nil) {
		return nil
	}
	inUse := func(at time.Time) (n int) {
		for _, b := range m.bookings {
			busyFrom, busyUntil := m.busy(b.service, b.time)
			if b != but && b.resource == r && b.takesTime(m.now) && !busyFrom.After(at) && at.Before(busyUntil) {
				n += len(b.units)
			}
		}
		return n
	}
	most := inUse(from)
	for _, b := range m.bookings { // most are in use when some booking begins
		if begins, _ := m.busy(b.service, b.time); from.Before(begins) && begins.Before(until) {
			most = max(most, inUse(begins))
		}
	}
	for u := 1; u <= r.capacity-most; u++ {
		units = append(units, u)
	}
	return units
}

// allocate finds units for a party, or says why there are none. but is a booking that moves away.
func (m *calendar) allocate(v *modelService, wanted *modelResource, at modelTime, party int,
	but *modelBooking,
) (*modelResource, []int, modelRefusal) {
	past := at.start.Before(m.now)
	if v.kind != "slot" {
		past = at.date.Before(civil.DateOf(m.now.In(m.loc)))
	}
	candidates := v.resources
	if wanted != nil {
		candidates = []*modelResource{wanted}
	}
	switch {
	case at.end.IsZero() && v.kind != "slot": // clocks skip it
		return nil, nil, refusedInvalid
	case wanted != nil && !slices.Contains(v.resources, wanted):
		return nil, nil, modelRefusal{404, problem.NotFound}
	case past:
		return nil, nil, refusedWindow
	case at.end.IsZero(), party > v.largest():
		return nil, nil, refusedInvalid
	}
	for _, r := range candidates {
		if free := m.free(r, v, at, but); len(free) >= party {
			return r, free[:party], modelRefusal{}
		}
	}
	return nil, nil, refusedTaken
}

// requireFreeNights requires that availability shows which stays are free in the model, and for how long one can stay.
func (m *calendar) requireFreeNights(t *rapid.T, v *modelService, party int) {
	nights := rapid.IntRange(1, modelNights).Draw(t, "nights")
	most := map[string]int{} // by check-in date
	for _, at := range v.times {
		if _, _, refused := m.allocate(v, nil, at, party, nil); refused == (modelRefusal{}) && most[at.date.String()] == at.nights-1 {
			most[at.date.String()]++
		}
	}
	for _, d := range m.nights(t, v.id, m.first, m.last(), nights, party) {
		require.Equal(t, most[d.Date], *d.MaxNights, "%s, %d units from %s on", m, party, d.Date)
		require.Equal(t, most[d.Date] >= nights, d.Available, "%s, %d units from %s on, %d nights", m, party, d.Date, nights)
	}
}

// requireFree requires that availability shows what is free in the model.
func (m *calendar) requireFree(t *rapid.T, v *modelService, party int) {
	if v.kind == "stay" {
		m.requireFreeNights(t, v, party)
		return
	}
	days := m.availability(t, v.id, m.first, m.last(), party)
	listed := map[int64][]uuid.UUID{}
	for _, d := range days {
		for _, s := range d.Slots {
			listed[s.StartsAt.Unix()] = s.ResourceIDs
		}
	}
	for _, at := range v.times {
		var fits []uuid.UUID
		for _, r := range v.resources {
			if _, _, refused := m.allocate(v, r, at, party, nil); refused == (modelRefusal{}) {
				fits = append(fits, r.id)
			}
		}
		if v.kind == "date" {
			i := slices.IndexFunc(days, func(d day) bool { return d.Date == at.date.String() })
			require.Equal(t, len(fits) > 0, days[i].Available, "%s, %d units at %s", m, party, at.date)
			continue
		}
		require.ElementsMatch(t, fits, listed[at.start.Unix()], "%s, %d units at %s", m, party, at.start)
	}
}

// requireBooking requires that the server shows a booking as it is in the model.
func (m *calendar) requireBooking(t *rapid.T, b *modelBooking) {
	path := "/v1/bookings/" + b.id.String()
	a := m.get(t, path)
	require.Equal(t, 200, a.status, a.body)
	if b.lapsed(m.now) { // the next booking of its time marks it as expired
		if a.text(t, "status") == "expired" {
			b.status, b.version = "expired", b.version+1
		}
	}
	resource := b.resource.id.String()
	a.requireFields(t, fmt.Sprintf(`{"status":%q,"service_id":%q,"resource_id":%q,"date":%q,"party_size":%d,"price":%d,`+
		`"deposit":%d,"due":%d,"overpaid":%d,"version":%d}`,
		b.status, b.service.id, resource, b.time.date, len(b.units), b.price, b.deposit, b.due(b.price,
			m.now), b.overpaid(m.now), b.version))
	if b.time.nights > 0 {
		a.requireFields(t, fmt.Sprintf(`{"nights":%d,"check_out":%q}`, b.time.nights, b.time.checkOut))
	}
	for field, want := range map[string]time.Time{"starts_at": b.time.start, "ends_at": b.time.end} {
		got, err := time.Parse(time.RFC3339, a.text(t, field))
		require.NoError(t, err)
		require.True(t, want.Equal(got), "%s: %s, and %s in the model", field, got, want)
	}
	require.Equal(t, fmt.Sprintf(`"%d"`, b.version), a.header.Get("ETag"))
	m.get(t, path+"/balance").requireFields(t, fmt.Sprintf(`{"total":%d,"paid":%d,"refunded":%d,"due":%d,"deposit_due":%d}`,
		b.price, b.paid, b.repaid, b.due(b.price, m.now), b.due(b.deposit, m.now)))
}

// String shows the model.
func (m *calendar) String() string {
	text := "now " + m.now.String()
	for _, b := range m.bookings {
		text += fmt.Sprintf("\n%s %s %s, units %v of %s, at %s", b.id, b.status, b.service.kind, b.units, b.resource.id, b.time.start)
	}
	for _, k := range m.blocks {
		text += fmt.Sprintf("\nblock of %s, from %s until %s", k.resource.id, k.from, k.until)
	}
	return text
}
