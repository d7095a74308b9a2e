package httpapi_test

import (
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/booking"
	"holdfast/internal/booking/plaincalendar"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// calendar is a plain model of a tenant's calendar and of its money. Each operation is done by the server and by the
// model, which must agree.
type calendar struct {
	plaincalendar.Calendar
	client

	clock    clock
	first    civil.Date // of the dates that are used
	services []*modelService
	bookings []*modelBooking
}

const (
	modelDates  = 4 // that are used
	modelNights = 2 // of a stay, at most
)

type modelService struct {
	plaincalendar.Service

	resources      []uuid.UUID
	price, deposit int64                // the price is for each night of a stay
	times          []plaincalendar.Time // at which it can be booked, by what availability lists for an empty calendar
}

type modelBooking struct {
	plaincalendar.Booking

	sold                         *modelService
	created                      time.Time
	price, deposit, paid, repaid int64
	lowered                      int64 // by refunds
	version                      int64
	anonymous                    bool // a hold without a customer
	payments                     []*modelPayment
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
	m := &calendar{clock: at, first: date.AddDays(-1)}
	m.Loc, m.Capacity = location(t, zone), make(map[uuid.UUID]int)
	m.Now = time.Date(date.Year, date.Month, date.Day-2, 12, 0, 0, 0, m.Loc)
	m.clock.set(t, m.Now)
	m.client = s.newTenant(t, zone)
	for range 2 {
		capacity := rapid.IntRange(1, 3).Draw(t, "capacity")
		id := m.newResource(t, capacity)
		m.Resources, m.Capacity[id] = append(m.Resources, id), capacity
	}
	m.services = []*modelService{m.drawService(t, timetable.KindSlot, m.Resources),
		m.drawService(t, timetable.KindDate, m.Resources[:rapid.IntRange(1, 2).Draw(t, "resources")]),
		m.drawService(t, timetable.KindStay, m.Resources)}
	return m
}

func (m *calendar) drawService(t *rapid.T, kind timetable.ServiceKind, resources []uuid.UUID) *modelService {
	v := &modelService{resources: resources, price: rapid.Int64Range(0, 9999).Draw(t, "price")}
	v.Kind, v.Occupies = kind, timetable.OccupiesUnits
	v.Before = time.Duration(rapid.SampledFrom([]int{0, 15, 90}).Draw(t, "before")) * time.Minute
	v.After = time.Duration(rapid.SampledFrom([]int{0, 20}).Draw(t, "after")) * time.Minute
	v.deposit = rapid.Int64Range(0, v.price).Draw(t, "deposit")
	with := object{
		"price": v.price, "deposit": v.deposit, "buffer_before_minutes": int(v.Before.Minutes()),
		"buffer_after_minutes": int(v.After.Minutes()),
	}
	switch kind {
	case timetable.KindDate:
	case timetable.KindSlot:
		with["duration_minutes"] = rapid.SampledFrom([]int{30, 60, 180, 420}).Draw(t, "duration")
		with["slot_interval_minutes"] = rapid.SampledFrom([]int{30, 90, 240}).Draw(t, "interval")
	case timetable.KindStay:
		with["check_in"], with["check_out"], with["max_nights"] = "15:00", "10:00", modelNights
		if v.AfterDays = rapid.IntRange(0, 2).Draw(t, "cleaning days"); v.AfterDays > 0 {
			delete(with, "buffer_after_minutes")
			v.After, with["buffer_after_days"] = 0, v.AfterDays
		}
	}
	v.ID = m.newService(t, string(kind), with, resources...)
	if kind == timetable.KindStay {
		v.times = m.stays()
		return v
	}
	for _, d := range m.availability(t, v.ID, m.first, m.last(), 1) {
		date, err := civil.ParseDate(d.Date)
		require.NoError(t, err)
		if kind == timetable.KindDate && d.Available {
			v.times = append(v.times,
				plaincalendar.Time{Date: date, Start: m.Midnight(date), End: m.Midnight(date.AddDays(1))})
		}
		for _, s := range d.Slots {
			v.times = append(v.times, plaincalendar.Time{Date: date, Start: s.StartsAt, End: s.EndsAt})
		}
	}
	return v
}

// stays lists the stays that begin on one of the dates. A date that clocks skip has no night, and no check-in or
// check-out.
func (m *calendar) stays() (times []plaincalendar.Time) {
	skipped := func(d civil.Date) bool { return m.Midnight(d).Equal(m.Midnight(d.AddDays(1))) }
	clock := func(d civil.Date, hour int) time.Time { return time.Date(d.Year, d.Month, d.Day, hour, 0, 0, 0, m.Loc) }
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
			times = append(times,
				plaincalendar.Time{Date: d, Start: clock(d, 15), End: clock(out, 10), CheckOut: out, Nights: nights})
		}
	}
	return times
}

func (m *calendar) last() civil.Date { return m.first.AddDays(modelDates - 1) }

func (m *calendar) largest(v *modelService) int {
	most := 0
	for _, id := range v.resources {
		most = max(most, m.Capacity[id])
	}
	return most
}

// priceAt is what a booking costs, however many come.
func (v *modelService) priceAt(at plaincalendar.Time) int64 {
	return v.price * int64(max(at.Nights, 1))
}

// due is what is still to pay of an amount of the booking, its price or its deposit.
func (b *modelBooking) due(amount int64, now time.Time) int64 {
	if !b.Takes(now) {
		return 0
	}
	return max(min(amount, max(b.price-b.lowered, 0))-b.paid+b.repaid, 0)
}

// overpaid is what is kept beyond what the booking owes.
func (b *modelBooking) overpaid(now time.Time) int64 {
	owed := max(b.price-b.lowered, 0)
	if b.Status == booking.Cancelled {
		return 0
	}
	if !b.Takes(now) {
		owed = 0
	}
	return max(b.paid-b.repaid-owed, 0)
}

// allocate gives a booking of a service a resource, or says why there is none. but is a booking that moves away.
func (m *calendar) allocate(v *modelService, want *plaincalendar.Booking, wanted *uuid.UUID,
	but *plaincalendar.Booking,
) modelRefusal {
	past := want.Start.Before(m.Now)
	if v.Kind != timetable.KindSlot {
		past = want.Date.Before(civil.DateOf(m.Now.In(m.Loc)))
	}
	among := v.resources
	if wanted != nil {
		among = []uuid.UUID{*wanted}
	}
	switch {
	case want.End.IsZero() && v.Kind != timetable.KindSlot: // clocks skip it
		return refusedInvalid
	case wanted != nil && !slices.Contains(v.resources, *wanted):
		return modelRefusal{404, problem.NotFound}
	case past:
		return refusedWindow
	case want.End.IsZero(), want.Party > m.largest(v):
		return refusedInvalid
	case !m.Place(want, among, but):
		return refusedTaken
	}
	return modelRefusal{}
}

// isFree reports whether a new booking would get one of a service's resources, or the one that is wanted.
func (m *calendar) isFree(v *modelService, at plaincalendar.Time, party int, wanted *uuid.UUID) bool {
	return m.allocate(v, &plaincalendar.Booking{Service: &v.Service, Time: at, Party: party}, wanted,
		nil) == modelRefusal{}
}

// requireFreeNights requires that availability shows which stays are free in the model, and for how long one can stay.
func (m *calendar) requireFreeNights(t *rapid.T, v *modelService, party int) {
	nights := rapid.IntRange(1, modelNights).Draw(t, "nights")
	most := map[string]int{} // by check-in date
	for _, at := range v.times {
		if m.isFree(v, at, party, nil) && most[at.Date.String()] == at.Nights-1 {
			most[at.Date.String()]++
		}
	}
	for _, d := range m.nights(t, v.ID, m.first, m.last(), nights, party) {
		require.Equal(t, most[d.Date], *d.MaxNights, "%s, %d units from %s on", m, party, d.Date)
		require.Equal(t, most[d.Date] >= nights, d.Available, "%s, %d units from %s on, %d nights", m, party, d.Date,
			nights)
	}
}

// requireFree requires that availability shows what is free in the model.
func (m *calendar) requireFree(t *rapid.T, v *modelService, party int) {
	if v.Stay() {
		m.requireFreeNights(t, v, party)
		return
	}
	days := m.availability(t, v.ID, m.first, m.last(), party)
	listed := map[int64][]uuid.UUID{}
	for _, d := range days {
		for _, s := range d.Slots {
			listed[s.StartsAt.Unix()] = s.ResourceIDs
		}
	}
	for _, at := range v.times {
		var fits []uuid.UUID
		for _, r := range v.resources {
			if m.isFree(v, at, party, &r) {
				fits = append(fits, r)
			}
		}
		if v.Kind == timetable.KindDate {
			i := slices.IndexFunc(days, func(d day) bool { return d.Date == at.Date.String() })
			require.Equal(t, len(fits) > 0, days[i].Available, "%s, %d units at %s", m, party, at.Date)
			continue
		}
		require.ElementsMatch(t, fits, listed[at.Start.Unix()], "%s, %d units at %s", m, party, at.Start)
	}
}

// requireBooking requires that the server shows a booking as it is in the model.
func (m *calendar) requireBooking(t *rapid.T, b *modelBooking) {
	path := "/v1/bookings/" + b.ID.String()
	a := m.get(t, path)
	require.Equal(t, 200, a.status, a.body)
	if b.Lapsed(m.Now) { // the next booking of its time marks it as expired
		if a.text(t, "status") == "expired" {
			b.Status, b.version = booking.Expired, b.version+1
		}
	}
	a.requireFields(t, fmt.Sprintf(`{"status":%q,"service_id":%q,"resource_id":%q,"date":%q,"party_size":%d,"price":%d,`+
		`"deposit":%d,"due":%d,"overpaid":%d,"version":%d}`,
		b.Status, b.Service.ID, b.Resource, b.Date, b.Party, b.price, b.deposit, b.due(b.price,
			m.Now), b.overpaid(m.Now), b.version))
	if b.Nights > 0 {
		a.requireFields(t, fmt.Sprintf(`{"nights":%d,"check_out":%q}`, b.Nights, b.CheckOut))
	}
	for field, want := range map[string]time.Time{"starts_at": b.Start, "ends_at": b.End} {
		got, err := time.Parse(time.RFC3339, a.text(t, field))
		require.NoError(t, err)
		require.True(t, want.Equal(got), "%s: %s, and %s in the model", field, got, want)
	}
	require.Equal(t, fmt.Sprintf(`"%d"`, b.version), a.header.Get("ETag"))
	m.get(t, path+"/balance").requireFields(t,
		fmt.Sprintf(`{"total":%d,"paid":%d,"refunded":%d,"due":%d,"deposit_due":%d}`,
			b.price, b.paid, b.repaid, b.due(b.price, m.Now), b.due(b.deposit, m.Now)))
}

// String shows the model.
func (m *calendar) String() string {
	text := "now " + m.Now.String()
	for _, b := range m.bookings {
		text += fmt.Sprintf("\n%s %s %s, %d units of %s, at %s", b.ID, b.Status, b.Service.Kind, b.Party, b.Resource,
			b.Start)
	}
	for _, k := range m.Blocks {
		text += fmt.Sprintf("\nblock of %s at %s", k.Resource, k.Times)
	}
	return text
}
