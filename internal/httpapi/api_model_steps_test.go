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

	"holdfast/internal/problem"
)

// TestBookings_RandomChanges_AgreeWithModel does random changes of bookings of dates, slots and stays, and of blocks of their resources,
// around dates on which clocks change, and compares each answer, what is free and what is due with a model.
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
					entries := m.history(t, "/v1/bookings/"+b.id.String())
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
	if len(m.blocks) > 0 {
		operations = append(operations, m.archiveBlock)
	}
	if len(m.bookings) > 0 {
		operations = append(operations, m.block, m.confirm, m.end, m.extend, m.move, m.pay, m.refund, m.update)
	}
	pick(t, "operation", operations)(t)
	v := pick(t, "free of", m.services)
	m.requireFree(t, v, rapid.IntRange(1, v.largest()).Draw(t, "for"))
}

// pick draws one of a list. A failure names its number.
func pick[T any](t *rapid.T, what string, list []T) T {
	return list[rapid.IntRange(0, len(list)-1).Draw(t, what)]
}

// pass lets time pass: holds end and bookings begin.
func (m *calendar) pass(t *rapid.T) {
	m.now = m.now.Add(time.Duration(rapid.SampledFrom([]int{1, 10, 60, 720, 1440}).Draw(t, "minutes")) * time.Minute)
	m.clock.set(t, m.now)
}

// do sends a request, now and then twice or with a version that is over, and requires the modelRefusal that is given.
func (m *calendar) do(t *rapid.T, path string, body any, b *modelBooking, refused modelRefusal) answer {
	headers := []string{"Idempotency-Key", uuid.NewString()}
	if b != nil && !b.lapsed(m.now) && b.status != "expired" && refused != refusedInvalid {
		switch rapid.IntRange(0, 7).Draw(t, "precondition") {
		case 0:
			stale := m.post(t, path, body, "Idempotency-Key", uuid.NewString(), "If-Match", fmt.Sprintf(`"%d"`, b.version+1))
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

func (m *calendar) drawTime(t *rapid.T, v *modelService) modelTime {
	at := pick(t, "time", v.times)
	switch rapid.IntRange(0, 19).Draw(t, "odd time") {
	case 0:
		if v.kind == "slot" {
			return modelTime{date: at.date, start: at.start.Add(7 * time.Minute)}
		}
	case 1:
		if skipped := m.first.AddDays(1); v.kind != "slot" &&
			!slices.ContainsFunc(v.times, func(at modelTime) bool { return at.date == skipped }) {
			return modelTime{date: skipped, start: m.midnight(skipped), checkOut: skipped.AddDays(1)}
		}
	}
	return at
}

// when is how a request names a time.
func (v *modelService) when(at modelTime) object {
	switch v.kind {
	case "date":
		return object{"date": at.date.String()}
	case "stay":
		return object{"check_in": at.date.String(), "check_out": at.checkOut.String()}
	}
	return object{"starts_at": at.start.Format(time.RFC3339)}
}

func (m *calendar) drawResource(t *rapid.T) *modelResource {
	if rapid.IntRange(0, 2).Draw(t, "name a resource") > 0 {
		return nil
	}
	return pick(t, "resource", m.resources)
}

func (m *calendar) book(t *rapid.T) {
	v := pick(t, "service", m.services)
	at, wanted, party := m.drawTime(t, v), m.drawResource(t), rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(t, "party")
	b := &modelBooking{
		service: v, time: at, status: "confirmed", created: m.now, price: v.priceAt(at), deposit: v.deposit, version: 1,
	}
	body := bookingOf(v.id, "", v.when(at), object{"party_size": party})
	if v.kind != "slot" {
		delete(body, "starts_at")
	}
	if wanted != nil {
		body["resource_id"] = wanted.id
	}
	if rapid.Bool().Draw(t, "hold") {
		minutes := rapid.SampledFrom([]int{1, 10, 61}).Draw(t, "hold minutes")
		body["hold_minutes"] = minutes
		b.status, b.expires = "held", m.now.Add(time.Duration(minutes)*time.Minute)
		if b.anonymous = rapid.IntRange(0, 3).Draw(t, "without a customer") == 0; b.anonymous {
			delete(body, "customer")
		}
	}
	var refused modelRefusal
	b.resource, b.units, refused = m.allocate(v, wanted, at, party, nil)
	a := m.do(t, "/v1/bookings", body, nil, refused)
	if refused == (modelRefusal{}) {
		b.id = a.id(t)
		m.bookings = append(m.bookings, b)
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
	body, over := object{}, b.status == "expired" || b.lapsed(m.now)
	if rapid.Bool().Draw(t, "with a customer") {
		body["customer"] = object{"name": "Grace Hopper", "email": "grace@example.com"}
	}
	stillFree := rapid.Bool().Draw(t, "if still free")
	if stillFree {
		body["if_still_free"] = true
	}
	var refused modelRefusal
	free := m.free(b.resource, b.service, b.time, b)
	switch {
	case over && !stillFree:
		refused = refusedExpired
	case !over && b.status != "held":
		refused = refusedState
	case b.anonymous && body["customer"] == nil:
		refused = refusedInvalid
	case over && (!m.now.Before(b.time.end) || len(free) < len(b.units)):
		refused = refusedTaken
	}
	m.do(t, "/v1/bookings/"+b.id.String()+"/confirm", body, b, refused)
	if refused == (modelRefusal{}) {
		if over {
			b.units = free[:len(b.units)]
		}
		b.status, b.version, b.anonymous = "confirmed", b.version+1, false
	}
	m.requireBooking(t, b)
}

// extend has a hold last longer.
func (m *calendar) extend(t *rapid.T) {
	b := m.drawBooking(t)
	const most = 7 * 24 * time.Hour
	minutes := rapid.SampledFrom([]int{1, 30, 120, 10_080}).Draw(t, "hold minutes")
	until := m.now.Add(time.Duration(minutes) * time.Minute)
	var refused modelRefusal
	switch {
	case b.status == "expired", b.lapsed(m.now):
		refused = refusedExpired
	case b.status != "held":
		refused = refusedState
	case until.After(b.created.Add(most)):
		refused = refusedInvalid
	}
	m.do(t, "/v1/bookings/"+b.id.String()+"/extend", object{"hold_minutes": minutes}, b, refused)
	if refused == (modelRefusal{}) && until.After(b.expires) {
		b.expires, b.version = until, b.version+1
	}
	m.requireBooking(t, b)
}

// update changes what doesn't move a booking, whatever its status.
func (m *calendar) update(t *rapid.T) {
	b := m.drawBooking(t)
	a := m.patch(t, "/v1/bookings/"+b.id.String(), object{"reference": uuid.NewString()}, "If-Match", fmt.Sprintf(`"%d"`, b.version))
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
	case b.status == "expired", b.lapsed(m.now):
		refused = refusedExpired
	case b.status == "confirmed" && how != "cancel" && !m.now.Before(b.time.start):
	case how == "cancel" && (b.status == "held" || b.status == "confirmed"):
	default:
		refused = refusedState
	}
	m.do(t, "/v1/bookings/"+b.id.String()+"/"+how, nil, b, refused)
	if refused == (modelRefusal{}) {
		b.status, b.version = map[string]string{"cancel": "cancelled", "complete": "completed", "no-show": "no_show"}[how], b.version+1
	}
	m.requireBooking(t, b)
}

// move reschedules a booking.
func (m *calendar) move(t *rapid.T) {
	b := m.drawBooking(t)
	body, v, at, party, price := object{}, b.service, b.time, len(b.units), rapid.SampledFrom([]string{"", "keep", "quote"}).Draw(t,
		"price")
	if rapid.IntRange(0, 3).Draw(t, "to another service") == 0 {
		v = pick(t, "service", m.services)
		body["service_id"] = v.id
	}
	if v != b.service || rapid.IntRange(0, 3).Draw(t, "at another time") > 0 {
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
		body["resource_id"] = wanted.id
	case rapid.Bool().Draw(t, "any resource"):
		body["any_resource"] = true
	case slices.Contains(v.resources, b.resource):
		wanted = b.resource
	}

	after, stays := *b, v == b.service && at.equal(b.time) && party == len(b.units) && (wanted == nil || wanted == b.resource)
	after.service, after.time = v, at
	if price == "quote" {
		after.price, after.deposit = v.priceAt(at), v.deposit
	}
	var refused modelRefusal
	switch skipped := at.end.IsZero() && v.kind != "slot"; {
	case skipped:
		refused = refusedInvalid
	case b.status == "expired", b.lapsed(m.now):
		refused = refusedExpired
	case b.status != "held" && b.status != "confirmed":
		refused = refusedState
	case !stays:
		after.resource, after.units, refused = m.allocate(v, wanted, at, party, b)
	}
	m.do(t, "/v1/bookings/"+b.id.String()+"/reschedule", body, b, refused)
	if refused == (modelRefusal{}) {
		if !stays && (after.resource != b.resource || v != b.service || !at.equal(b.time) || party != len(b.units)) ||
			after.price != b.price || after.deposit != b.deposit {
			after.version++
			if after.overpaid(m.now) > b.overpaid(m.now) { // told of by another event
				after.version++
			}
		}
		*b = after
	}
	m.requireBooking(t, b)
}

func (m *calendar) pay(t *rapid.T) {
	b := m.drawBooking(t)
	body := object{"kind": rapid.SampledFrom([]string{"deposit", "balance", "amount"}).Draw(t, "kind"), "payment_method": "pm_ok"}
	due := b.due(b.price, m.now)
	amount := due
	switch body["kind"] {
	case "deposit":
		amount = b.due(b.deposit, m.now)
	case "amount":
		amount = rapid.Int64Range(1, max(due, 1)+due/8).Draw(t, "amount")
		body["amount"] = amount
	}
	var refused modelRefusal
	switch {
	case b.status == "expired", b.lapsed(m.now):
		refused = refusedExpired
	case b.status == "cancelled":
		refused = refusedState
	case amount == 0, amount > due:
		refused = refusedOverpaid
	}
	a := m.do(t, "/v1/bookings/"+b.id.String()+"/payments", body, nil, refused)
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
	overpaid, owed := b.overpaid(m.now), max(b.price-b.lowered, 0)
	if !b.takesTime(m.now) {
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
	k := modelBlock{resource: pick(t, "resource", m.resources), from: pick(t, "time", m.services[0].times).start}
	if len(m.bookings) > 0 && rapid.Bool().Draw(t, "where a booking is") {
		b := pick(t, "booking", m.bookings)
		k.resource, k.from = b.resource, b.time.start
	}
	body := object{"resource_id": k.resource.id, "starts_at": nil, "ends_at": nil, "from": nil, "to": nil}
	force := rapid.Bool().Draw(t, "force")
	if force {
		body["force"] = true
	}
	if rapid.IntRange(0, 2).Draw(t, "whole dates") == 0 {
		from := civil.DateOf(k.from.In(m.loc))
		to := from.AddDays(rapid.IntRange(0, 1).Draw(t, "days"))
		k.from, k.until = m.midnight(from), m.midnight(to.AddDays(1))
		k.night = m.midnight(from.AddDays(1)).Add(-time.Minute)
		body["from"], body["to"] = from.String(), to.String()
	} else {
		k.until, k.night = k.from.Add(time.Duration(rapid.SampledFrom([]int{30, 60, 300}).Draw(t, "minutes"))*time.Minute), k.from
		body["starts_at"], body["ends_at"] = k.from.In(m.loc).Format(time.RFC3339), k.until.In(m.loc).Format(time.RFC3339)
	}
	var moves *modelBlock
	if len(m.blocks) > 0 && rapid.Bool().Draw(t, "move a block") {
		moves = pick(t, "block", m.blocks)
	}
	var refused modelRefusal
	switch {
	case !k.from.Before(k.until): // clocks skip it
		refused = refusedInvalid
	case moves != nil && moves.resource == k.resource && moves.from.Equal(k.from) && moves.until.Equal(k.until): // it stays
	case m.isBlocked(k.resource, nil, k.from, k.until, moves):
		refused = refusedBlock
	case !force && m.standIn(&k):
		refused = refusedBookings
	}
	if moves == nil {
		maps.DeleteFunc(body, func(_ string, value any) bool { return value == nil })
		if a := m.do(t, "/v1/blocks", body, nil, refused); refused == (modelRefusal{}) {
			k.id = a.id(t)
			m.blocks = append(m.blocks, &k)
		}
		return
	}
	a := m.patch(t, "/v1/blocks/"+moves.id.String(), body)
	if refused != (modelRefusal{}) {
		requireProblem(t, a, refused.status, refused.code)
		return
	}
	require.Equal(t, http.StatusOK, a.status, "%s\n%s", a.body, m)
	moves.resource, moves.from, moves.until, moves.night = k.resource, k.from, k.until, k.night
}

// standIn reports whether bookings that aren't over are in a block.
func (m *calendar) standIn(k *modelBlock) bool {
	return slices.ContainsFunc(m.bookings, func(b *modelBooking) bool {
		from, until := m.busy(b.service, b.time)
		return b.resource == k.resource && b.takesTime(m.now) && until.After(m.now) && from.Before(k.until) &&
			k.begins(b.service).Before(until)
	})
}

func (m *calendar) archiveBlock(t *rapid.T) {
	i := rapid.IntRange(0, len(m.blocks)-1).Draw(t, "block")
	m.do(t, "/v1/blocks/"+m.blocks[i].id.String()+"/archive", nil, nil, modelRefusal{})
	m.blocks = slices.Delete(m.blocks, i, i+1)
}
