package httpapi_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
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

// TestBookings_RandomChanges_AgreeWithModel does random changes of bookings of dates, slots and stays, and of blocks of
// their resources, around dates on which clocks change, and compares each answer, what is free and what is due with a
// model.
func TestBookings_RandomChanges_AgreeWithModel(t *testing.T) {
	t.Parallel()
	for zone, dates := range map[string][]civil.Date{
		"America/New_York":    {{Year: 2027, Month: 3, Day: 14}, {Year: 2027, Month: 11, Day: 7}},
		"Asia/Kathmandu":      {{Year: 2027, Month: 5, Day: 1}},
		"Australia/Lord_Howe": {{Year: 2027, Month: 4, Day: 4}, {Year: 2027, Month: 10, Day: 3}}, // by half an hour
		"Europe/London":       {{Year: 2027, Month: 3, Day: 28}, {Year: 2027, Month: 10, Day: 31}},
		"Pacific/Apia":        {{Year: 2011, Month: 12, Day: 30}}, // which was skipped
	} {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			s, at := newServerWithClock(t)
			checkRandomly(t, func(t *rapid.T) {
				m := drawCalendar(t, s, at, zone, rapid.SampledFrom(dates).Draw(t, "date"))
				for range rapid.IntRange(12, 24).Draw(t, "steps") {
					m.step(t)
				}
				for _, b := range m.bookings {
					m.requireBooking(t, b)
					entries := m.history(t, "/v1/bookings/"+b.ID.String())
					require.Equal(t, b.version, entries[len(entries)-1].Version, "%s", m)
					require.Len(t, entries, int(b.version), "each version has one entry")
				}
			})
		})
	}
}

// step does one operation, and compares what it leaves.
func (m *calendar) step(t *rapid.T) {
	operations := slices.Repeat([]func(*rapid.T){m.book}, 3)
	operations = append(operations, m.pass, m.block)
	if len(m.Blocks) > 0 {
		operations = append(operations, m.archiveBlock)
	}
	if len(m.bookings) > 0 {
		operations = append(operations, m.block, m.confirm, m.end, m.extend, m.move, m.pay, m.refund, m.update)
	}
	pick(t, "operation", operations)(t)
	v := pick(t, "free of", m.services)
	m.requireFree(t, v, rapid.IntRange(1, m.largest(v)).Draw(t, "for"))
}

// pick draws one of a list. A failure names its number.
func pick[T any](t *rapid.T, what string, list []T) T {
	return list[rapid.IntRange(0, len(list)-1).Draw(t, what)]
}

// pass lets time pass: holds end and bookings begin.
func (m *calendar) pass(t *rapid.T) {
	m.Now = m.Now.Add(time.Duration(rapid.SampledFrom([]int{1, 10, 60, 720, 1440}).Draw(t, "minutes")) * time.Minute)
	m.clock.set(t, m.Now)
}

// do sends a request, now and then twice or with a version that is over, and requires the modelRefusal that is given.
func (m *calendar) do(t *rapid.T, path string, body any, b *modelBooking, refused modelRefusal) answer {
	headers := []string{"Idempotency-Key", uuid.NewString()}
	if b != nil && !b.Lapsed(m.Now) && b.Status != booking.Expired && refused != refusedInvalid {
		switch rapid.IntRange(0, 7).Draw(t, "precondition") {
		case 0:
			stale := m.post(t, path, body, "Idempotency-Key", uuid.NewString(), "If-Match",
				fmt.Sprintf(`"%d"`, b.version+1))
			requireProblem(t, stale, http.StatusPreconditionFailed, problem.VersionMismatch)
		case 1:
			headers = append(headers, "If-Match", fmt.Sprintf(`"%d"`, b.version))
		}
	}
	a := m.post(t, path, body, headers...)
	if rapid.IntRange(0, 7).Draw(t, "again") == 0 {
		again := m.post(t, path, body, headers...)
		require.Equal(t, a.body, again.body)
		require.Equal(t, a.status, again.status)
	}
	if refused != (modelRefusal{}) {
		requireProblem(t, a, refused.status, refused.code)
	} else {
		require.Equal(t, 2, a.status/100, "%s: %s\n%s", path, a.body, m)
	}
	return a
}

func (m *calendar) drawTime(t *rapid.T, v *modelService) plaincalendar.Time {
	at := pick(t, "time", v.times)
	switch rapid.IntRange(0, 19).Draw(t, "odd time") {
	case 0:
		if v.Kind == timetable.KindSlot {
			return plaincalendar.Time{Date: at.Date, Start: at.Start.Add(7 * time.Minute)}
		}
	case 1:
		if skipped := m.first.AddDays(1); v.Kind != timetable.KindSlot &&
			!slices.ContainsFunc(v.times, func(at plaincalendar.Time) bool { return at.Date == skipped }) {
			return plaincalendar.Time{Date: skipped, Start: m.Midnight(skipped), CheckOut: skipped.AddDays(1)}
		}
	}
	return at
}

// when is how a request names a time.
func (v *modelService) when(at plaincalendar.Time) object {
	switch v.Kind {
	case timetable.KindDate:
		return object{"date": at.Date.String()}
	case timetable.KindStay:
		return object{"check_in": at.Date.String(), "check_out": at.CheckOut.String()}
	case timetable.KindSlot:
	}
	return object{"starts_at": at.Start.Format(time.RFC3339)}
}

func (m *calendar) drawResource(t *rapid.T) *uuid.UUID {
	if rapid.IntRange(0, 2).Draw(t, "name a resource") > 0 {
		return nil
	}
	return new(pick(t, "resource", m.Resources))
}

func (m *calendar) book(t *rapid.T) {
	v := pick(t, "service", m.services)
	at, wanted, party := m.drawTime(t, v), m.drawResource(t), rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(t, "party")
	b := &modelBooking{sold: v, created: m.Now, price: v.priceAt(at), deposit: v.deposit, version: 1}
	b.Booking = plaincalendar.Booking{Service: &v.Service, Time: at, Party: party, Status: booking.Confirmed}
	body := bookingOf(v.ID, "", v.when(at), object{"party_size": party})
	if v.Kind != timetable.KindSlot {
		delete(body, "starts_at")
	}
	if wanted != nil {
		body["resource_id"] = wanted
	}
	if rapid.Bool().Draw(t, "hold") {
		minutes := rapid.SampledFrom([]int{1, 10, 61}).Draw(t, "hold minutes")
		body["hold_minutes"] = minutes
		b.Status, b.Expires = booking.Held, m.Now.Add(time.Duration(minutes)*time.Minute)
		if b.anonymous = rapid.IntRange(0, 3).Draw(t, "without a customer") == 0; b.anonymous {
			delete(body, "customer")
		}
	}
	refused := m.allocate(v, &b.Booking, wanted, nil)
	a := m.do(t, "/v1/bookings", body, nil, refused)
	if refused == (modelRefusal{}) {
		b.ID = a.id(t)
		m.bookings, m.Bookings = append(m.bookings, b), append(m.Bookings, &b.Booking)
		m.requireBooking(t, b)
	}
}

func (m *calendar) drawBooking(t *rapid.T) *modelBooking {
	b := pick(t, "booking", m.bookings)
	m.requireBooking(t, b)
	return b
}

func (m *calendar) confirm(t *rapid.T) {
	b := m.drawBooking(t)
	body, over := object{}, b.Status == booking.Expired || b.Lapsed(m.Now)
	if rapid.Bool().Draw(t, "with a customer") {
		body["customer"] = object{"name": "Grace Hopper", "email": "grace@example.com"}
	}
	stillFree := rapid.Bool().Draw(t, "if still free")
	if stillFree {
		body["if_still_free"] = true
	}
	var refused modelRefusal
	free := m.Free(b.Resource, &b.Booking, &b.Booking)
	switch {
	case over && !stillFree:
		refused = refusedExpired
	case !over && b.Status != booking.Held:
		refused = refusedState
	case b.anonymous && body["customer"] == nil:
		refused = refusedInvalid
	case over && (!m.Now.Before(b.End) || free < b.Party):
		refused = refusedTaken
	}
	m.do(t, "/v1/bookings/"+b.ID.String()+"/confirm", body, b, refused)
	if refused == (modelRefusal{}) {
		b.Status, b.version, b.anonymous = booking.Confirmed, b.version+1, false
	}
	m.requireBooking(t, b)
}

// extend has a hold last longer.
func (m *calendar) extend(t *rapid.T) {
	b := m.drawBooking(t)
	const most = 7 * 24 * time.Hour
	minutes := rapid.SampledFrom([]int{1, 30, 120, 10_080}).Draw(t, "hold minutes")
	until := m.Now.Add(time.Duration(minutes) * time.Minute)
	var refused modelRefusal
	switch {
	case b.Status == booking.Expired, b.Lapsed(m.Now):
		refused = refusedExpired
	case b.Status != booking.Held:
		refused = refusedState
	case until.After(b.created.Add(most)):
		refused = refusedInvalid
	}
	m.do(t, "/v1/bookings/"+b.ID.String()+"/extend", object{"hold_minutes": minutes}, b, refused)
	if refused == (modelRefusal{}) && until.After(b.Expires) {
		b.Expires, b.version = until, b.version+1
	}
	m.requireBooking(t, b)
}

// update changes what doesn't move a booking, whatever its status.
func (m *calendar) update(t *rapid.T) {
	b := m.drawBooking(t)
	a := m.patch(t, "/v1/bookings/"+b.ID.String(), object{"reference": uuid.NewString()}, "If-Match",
		fmt.Sprintf(`"%d"`, b.version))
	require.Equal(t, http.StatusOK, a.status, a.body)
	b.version++
	m.requireBooking(t, b)
}

// end cancels a booking, completes it, or marks it as a no-show.
func (m *calendar) end(t *rapid.T) {
	b := m.drawBooking(t)
	how := rapid.SampledFrom([]string{"cancel", "cancel", "complete", "no-show"}).Draw(t, "how")
	var refused modelRefusal
	switch {
	case b.Status == booking.Expired, b.Lapsed(m.Now):
		refused = refusedExpired
	case b.Status == booking.Confirmed && how != "cancel" && !m.Now.Before(b.Start):
	case how == "cancel" && (b.Status == booking.Held || b.Status == booking.Confirmed):
	default:
		refused = refusedState
	}
	m.do(t, "/v1/bookings/"+b.ID.String()+"/"+how, nil, b, refused)
	if refused == (modelRefusal{}) {
		b.Status, b.version = map[string]booking.Status{
			"cancel": booking.Cancelled, "complete": booking.Completed, "no-show": booking.NoShow,
		}[how], b.version+1
	}
	m.requireBooking(t, b)
}

// move reschedules a booking.
func (m *calendar) move(t *rapid.T) {
	b := m.drawBooking(t)
	body, v, at, party, price := object{}, b.sold, b.Time, b.Party,
		rapid.SampledFrom([]string{"", "keep", "quote"}).Draw(t,
			"price")
	if rapid.IntRange(0, 3).Draw(t, "to another service") == 0 {
		v = pick(t, "service", m.services)
		body["service_id"] = v.ID
	}
	if v != b.sold || rapid.IntRange(0, 3).Draw(t, "at another time") > 0 {
		at = m.drawTime(t, v)
		maps.Copy(body, v.when(at))
	}
	if rapid.IntRange(0, 3).Draw(t, "for another party") == 0 {
		party = rapid.IntRange(1, 3).Draw(t, "party")
		body["party_size"] = party
	}
	if price != "" {
		body["price"] = price
	}
	wanted := m.drawResource(t)
	switch {
	case wanted != nil:
		body["resource_id"] = wanted
	case rapid.Bool().Draw(t, "any resource"):
		body["any_resource"] = true
	case slices.Contains(v.resources, b.Resource):
		wanted = new(b.Resource)
	}

	after, stays := *b, v == b.sold && at.Equal(b.Time) && party == b.Party && (wanted == nil || *wanted == b.Resource)
	after.sold, after.Service, after.Time, after.Party = v, &v.Service, at, party
	if price == "quote" {
		after.price, after.deposit = v.priceAt(at), v.deposit
	}
	var refused modelRefusal
	switch skipped := at.End.IsZero() && v.Kind != timetable.KindSlot; {
	case skipped:
		refused = refusedInvalid
	case b.Status == booking.Expired, b.Lapsed(m.Now):
		refused = refusedExpired
	case b.Status != booking.Held && b.Status != booking.Confirmed:
		refused = refusedState
	case !stays:
		refused = m.allocate(v, &after.Booking, wanted, &b.Booking)
	}
	m.do(t, "/v1/bookings/"+b.ID.String()+"/reschedule", body, b, refused)
	if refused == (modelRefusal{}) {
		if !stays && (after.Resource != b.Resource || v != b.sold || !at.Equal(b.Time) || party != b.Party) ||
			after.price != b.price || after.deposit != b.deposit {
			after.version++
			if after.overpaid(m.Now) > b.overpaid(m.Now) { // told of by another event
				after.version++
			}
		}
		*b = after
	}
	m.requireBooking(t, b)
}

func (m *calendar) pay(t *rapid.T) {
	b := m.drawBooking(t)
	body := object{"kind": rapid.SampledFrom([]string{"deposit", "balance", "amount"}).Draw(t, "kind"),
		"payment_method": "pm_ok"}
	due := b.due(b.price, m.Now)
	amount := due
	switch body["kind"] {
	case "deposit":
		amount = b.due(b.deposit, m.Now)
	case "amount":
		amount = rapid.Int64Range(1, max(due, 1)+due/8).Draw(t, "amount")
		body["amount"] = amount
	}
	var refused modelRefusal
	switch {
	case b.Status == booking.Expired, b.Lapsed(m.Now):
		refused = refusedExpired
	case b.Status == booking.Cancelled:
		refused = refusedState
	case amount == 0, amount > due:
		refused = refusedOverpaid
	}
	a := m.do(t, "/v1/bookings/"+b.ID.String()+"/payments", body, nil, refused)
	if refused == (modelRefusal{}) {
		b.payments = append(b.payments, &modelPayment{a.id(t), amount})
		b.paid, b.version = b.paid+amount, b.version+1
	}
	m.requireBooking(t, b)
}

func (m *calendar) refund(t *rapid.T) {
	b := m.drawBooking(t)
	if len(b.payments) == 0 {
		return
	}
	p := pick(t, "payment", b.payments)
	amount := rapid.Int64Range(1, p.amount+p.amount/8+1).Draw(t, "amount")
	var refused modelRefusal
	if amount > p.amount {
		refused = modelRefusal{unprocessable, problem.RefundExceedsPayment}
	}
	owedAgain := rapid.Bool().Draw(t, "owed again")
	overpaid, owed := b.overpaid(m.Now), max(b.price-b.lowered, 0)
	if !b.Takes(m.Now) {
		owed = 0
	}
	m.do(t, "/v1/payments/"+p.id.String()+"/refunds", object{"amount": amount, "owed_again": owedAgain}, nil, refused)
	if refused == (modelRefusal{}) {
		if !owedAgain {
			b.lowered += min(max(amount-overpaid, 0), owed)
		}
		p.amount, b.repaid, b.version = p.amount-amount, b.repaid+amount, b.version+1
	}
	m.requireBooking(t, b)
}

// block takes time of a resource, or has a block take other time.
func (m *calendar) block(t *rapid.T) {
	k, from := plaincalendar.Block{Resource: pick(t, "resource", m.Resources)},
		pick(t, "time", m.services[0].times).Start
	if len(m.bookings) > 0 && rapid.Bool().Draw(t, "where a booking is") {
		b := pick(t, "booking", m.bookings)
		k.Resource, from = b.Resource, b.Start
	}
	body := object{"resource_id": k.Resource, "starts_at": nil, "ends_at": nil, "from": nil, "to": nil}
	force := rapid.Bool().Draw(t, "force")
	if force {
		body["force"] = true
	}
	if rapid.IntRange(0, 2).Draw(t, "whole dates") == 0 {
		first := civil.DateOf(from.In(m.Loc))
		last := first.AddDays(rapid.IntRange(0, 1).Draw(t, "days"))
		k.Times = []plaincalendar.BlockTime{m.BlockDates(first, last)}
		body["from"], body["to"] = first.String(), last.String()
	} else {
		until := from.Add(time.Duration(rapid.SampledFrom([]int{30, 60, 300}).Draw(t, "minutes")) * time.Minute)
		k.Times = []plaincalendar.BlockTime{plaincalendar.BlockHours(from, until)}
		body["starts_at"], body["ends_at"] = from.In(m.Loc).Format(time.RFC3339), until.In(m.Loc).Format(time.RFC3339)
	}
	var moves *plaincalendar.Block
	if len(m.Blocks) > 0 && rapid.Bool().Draw(t, "move a block") {
		moves = pick(t, "block", m.Blocks)
	}
	var refused modelRefusal
	switch {
	case !k.Times[0].From.Before(k.Times[0].Until): // clocks skip it
		refused = refusedInvalid
	case moves != nil && moves.Same(&k): // it stays
	case m.BlockInTheWay(&k, moves):
		refused = refusedBlock
	case !force && m.StandIn(&k):
		refused = refusedBookings
	}
	if moves == nil {
		maps.DeleteFunc(body, func(_ string, value any) bool { return value == nil })
		if a := m.do(t, "/v1/blocks", body, nil, refused); refused == (modelRefusal{}) {
			k.ID = a.id(t)
			m.Blocks = append(m.Blocks, &k)
		}
		return
	}
	a := m.patch(t, "/v1/blocks/"+moves.ID.String(), body)
	if refused != (modelRefusal{}) {
		requireProblem(t, a, refused.status, refused.code)
		return
	}
	require.Equal(t, http.StatusOK, a.status, "%s\n%s", a.body, m)
	moves.Resource, moves.Times = k.Resource, k.Times
}

func (m *calendar) archiveBlock(t *rapid.T) {
	i := rapid.IntRange(0, len(m.Blocks)-1).Draw(t, "block")
	m.do(t, "/v1/blocks/"+m.Blocks[i].ID.String()+"/archive", nil, nil, modelRefusal{})
	m.Blocks = slices.Delete(m.Blocks, i, i+1)
}
