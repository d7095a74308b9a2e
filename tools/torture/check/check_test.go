package check_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/tools/torture/check"
	"holdfast/tools/torture/history"
)

const day = "2027-04-01"

func TestCheck_EachBrokenRuleIsFound(t *testing.T) {
	t.Parallel()
	require.Empty(t, newScene().check())
	for _, test := range []struct {
		name  string
		rule  string
		wrong func(s *scene)
	}{
		{"a unit is sold twice", check.RuleCalendar, func(s *scene) {
			s.Resources[0].Capacity = 2
			s.create("second", wanted{service: s.single, date: day, party: 1})
			s.Resources[0].Capacity = 1
			s.Bookings[len(s.Bookings)-1].Units[0].Units = []int{1}
		}},
		{"a unit is sold that isn't there", check.RuleCalendar, func(s *scene) { s.Resources[0].Capacity = 0 }},
		{"a booking has fewer units than its party", check.RuleCalendar, func(s *scene) {
			s.booking(s.id(s.heldOne)).Units[0].Units = []int{1}
		}},
		{"a hold is taken over before it ends", check.RuleCalendar, func(s *scene) {
			b := s.booking(s.id(s.over))
			late := b.HoldExpiresAt.Add(time.Hour)
			b.HoldExpiresAt = &late
		}},
		{"a refusal although there is room", check.RuleCalendar, func(s *scene) {
			s.create("full", wanted{service: s.double, date: day, party: 1})
			s.Resources[1].Capacity = 3
		}},
		{"a refusal after what was in the way had gone", check.RuleCalendar, func(s *scene) {
			s.change("gone", "cancel", s.id(s.booked))
			s.sleep(time.Second)
			op := s.create("still taken", wanted{service: s.single, date: "2027-04-02", party: 1})
			op.Request = encode(map[string]any{"service_id": s.single, "date": day, "party_size": 1})
			op.Status, op.Code, op.Response = 409, "slot_unavailable",
				encode(map[string]any{"code": "slot_unavailable"})
			s.Bookings = s.Bookings[:len(s.Bookings)-1]
			s.forget("still taken")
		}},
		{"a confirmation after the hold's end", check.RuleCalendar, func(s *scene) {
			early := s.booking(s.id(s.heldOne)).CreatedAt.Add(time.Millisecond / 2)
			s.booking(s.id(s.heldOne)).HoldExpiresAt = &early
		}},
		{"a confirmation is refused although the hold is alive", check.RuleCalendar, func(s *scene) {
			op := s.create("alive", wanted{service: s.single, date: "2027-04-03", party: 1, hold: 9})
			id := s.id(op)
			op = s.change("dead", "confirm", id)
			op.Status, op.Code, op.Response = 409, "hold_expired", encode(map[string]any{"code": "hold_expired"})
			b := s.booking(id)
			b.Status, b.Version = "held", 1
			s.forget("dead")
		}},
		{"a change is undone", check.RuleCalendar, func(s *scene) { s.booking(s.id(s.heldOne)).Status = "held" }},
		{"a read is older than an answer before it", check.RuleCalendar, func(s *scene) {
			op := s.kept(s.get(s.id(s.heldOne)))
			s.op(op).Response = s.heldOne.Response
		}},
		{"a booking that was made isn't found", check.RuleCalendar, func(s *scene) {
			op := s.get(s.id(s.booked))
			op.Status, op.Code, op.Response = 404, "not_found", encode(map[string]any{"code": "not_found"})
		}},
		{"availability shows what is taken", check.RuleCalendar, func(s *scene) {
			op := s.availability(s.slots, start.AddDate(0, 1, 0).Format(time.DateOnly))
			op.Response = encode(map[string]any{"data": []any{map[string]any{"date": day, "slots": []any{
				map[string]any{"starts_at": start.AddDate(0, 1, 0), "remaining": 1},
			}}}})
		}},
		{"an answer knows of a change and not of an earlier one of its date", check.RuleCalendar, func(s *scene) {
			s.afterAndBefore(23*time.Hour, 22*time.Hour+30*time.Minute)
		}},
		{"two reads disagree on the order", check.RuleCalendar, func(s *scene) {
			op := s.create("flicker", wanted{service: s.single, date: "2027-04-05", party: 1, hold: 9})
			id := s.id(op)
			made := s.kept(op)
			confirmed := s.kept(s.change("flicker on", "confirm", id))
			s.op(confirmed).Invoked, s.op(confirmed).Returned = made.Returned+time.Microsecond,
				made.Returned+time.Minute
			first, second := s.kept(s.get(id)), s.kept(s.get(id))
			s.op(first).Response, s.op(second).Response = confirmed.Response, made.Response
			s.op(first).Invoked, s.op(first).Returned = made.Returned+time.Second, made.Returned+2*time.Second
			s.op(second).Invoked, s.op(second).Returned = made.Returned+3*time.Second, made.Returned+4*time.Second
		}},
		{"the clock went back", check.RuleClock, func(s *scene) {
			s.booking(s.id(s.replaced)).CreatedAt = start
			s.key("replaced").CreatedAt = start
		}},
		{"an acknowledged booking is gone", check.RuleLost, func(s *scene) { s.Bookings = s.Bookings[1:] }},
		{"an acknowledged booking is another one", check.RuleLost, func(s *scene) { s.Bookings[0].Price = 1 }},
		{"an acknowledged booking is gone with its key", check.RuleLost,
			func(s *scene) { s.Bookings = s.Bookings[1:]; s.forget("booked") }},
		{"an answer isn't stored", check.RuleLost, func(s *scene) { s.forget("confirm") }},
		{"a hold is marked expired before its time", check.RuleLost, func(s *scene) {
			id := s.id(s.create("early", wanted{service: s.single, date: "2027-04-04", party: 1, hold: 9}))
			b := s.booking(id)
			b.Status, b.Version = "expired", 2
		}},
		{"a read shows a booking that isn't there", check.RuleLost, func(s *scene) {
			id := uuid.NewString()
			op := s.get(id)
			op.Status, op.Code, op.Response = 200, "", encode(map[string]any{"id": id, "status": "held"})
		}},
		{"a booking without a request", check.RuleUnasked, func(s *scene) {
			b := s.Bookings[0]
			b.ID, b.Date, b.BusyFrom, b.BusyUntil = uuid.NewString(), "2027-05-01", b.BusyFrom.AddDate(0, 1, 0),
				b.BusyUntil.AddDate(0, 1,
					0)
			s.Bookings = append(s.Bookings, b)
		}},
		{"a booking under a key that no client used", check.RuleUnasked,
			func(s *scene) { s.key("booked").Key = "nobody's" }},
		{"a change that no client requested", check.RuleUnasked, func(s *scene) { s.Bookings[0].Version++ }},
		{"the overlap that SQL finds", check.RuleOverlap, func(s *scene) {
			s.Overlaps = [][2]string{{s.Bookings[0].ID, s.Bookings[1].ID}}
		}},
		{"a claim that SQL finds wrong", check.RuleCalendar, func(s *scene) {
			s.WrongClaims = []string{"a claim of x belongs to no booking"}
		}},
		{"a tenant that isn't in one cell alone", check.RuleCell, func(s *scene) {
			s.WrongCells = []string{"the tenant x has 1 rows of bookings in the cell a, and the directory has it in b"}
		}},
		{"two keys with one booking", check.RuleKey, func(s *scene) {
			again := s.create("again", wanted{service: s.single, date: "2027-04-06", party: 1})
			s.Bookings = s.Bookings[:len(s.Bookings)-1]
			again.Response, s.key("again").Body = s.booked.Response, s.booked.Response
		}},
		{"one key with two answers", check.RuleKey, func(s *scene) {
			op := s.create("booked", wanted{service: s.single, date: day, party: 1})
			op.Response = s.replaced.Response
		}},
		{"one key carried out twice", check.RuleKey, func(s *scene) {
			s.create("booked", wanted{service: s.single, date: day, party: 1}).Replayed = false
		}},
		{"a key that is refused after it was answered", check.RuleKey, func(s *scene) {
			op := s.create("booked", wanted{service: s.single, date: day, party: 1})
			op.Status, op.Code = 409, "slot_unavailable"
		}},
		{"a key with the answer of another", check.RuleKey, func(s *scene) {
			op := s.create("booked", wanted{service: s.single, date: day, party: 2})
			op.Replayed = true
		}},
		{"one key with two requests' answers", check.RuleKey, func(s *scene) {
			s.create("booked", wanted{service: s.single, date: day, party: 2})
			s.forget("booked")
		}},
		{"another answer is stored", check.RuleKey, func(s *scene) { s.key("paid").Body = s.back.Response }},
		{"another's booking", check.RuleAnswer, func(s *scene) { s.op(s.booked).Response = s.replaced.Response }},
		{"another party", check.RuleAnswer, func(s *scene) {
			s.op(s.booked).Request = encode(map[string]any{"service_id": s.single, "date": day, "party_size": 7})
		}},
		{"another's booking is read", check.RuleAnswer,
			func(s *scene) { s.get(s.Bookings[0].ID).Response = s.replaced.Response }},
		{"nothing was written, it was said", check.RuleRefusal, func(s *scene) {
			op := s.op(s.booked)
			op.Status, op.Code = 503, "lock_timeout"
		}},
		{"a capture that we don't know", check.RuleMoney, func(s *scene) {
			m := s.Movements[0]
			m.Reference = payment.Reference{TenantID: uuid.MustParse(s.tenant), ID: uuid.New()}
			s.Movements = append(s.Movements, m)
		}},
		{"a capture that the provider doesn't know", check.RuleMoney, func(s *scene) { s.Movements = s.Movements[1:] }},
		{"a capture that happened twice", check.RuleMoney,
			func(s *scene) { s.Movements = append(s.Movements, s.Movements[0]) }},
		{"a capture of another amount", check.RuleMoney, func(s *scene) { s.Movements[0].Amount++ }},
		{"a capture that was answered as declined", check.RuleMoney, func(s *scene) {
			p := s.payment(s.Payments[2].ID)
			p.Status, p.ProviderID = "succeeded", "ch_late"
			s.move(*p)
		}},
		{"a capture of a payment that is declined here", check.RuleMoney, func(s *scene) { s.move(s.Payments[2]) }},
		{"more is returned than was paid", check.RuleMoney,
			func(s *scene) { s.refund("all of it", s.Payments[0].ID, 400) }},
		{"more is paid than the price", check.RuleMoney,
			func(s *scene) { s.pay("more", s.id(s.booked), "pm_ok", 800) }},
		{"a cancelled booking is paid", check.RuleMoney, func(s *scene) {
			s.change("cancel it", "cancel", s.id(s.booked))
			s.create("later", wanted{service: s.single, date: "2027-04-08", party: 1})
			s.create("latest", wanted{service: s.single, date: "2027-04-09", party: 1})
			s.pay("cancelled", s.id(s.booked), "pm_ok", 10)
		}},
		{"an expired hold is paid", check.RuleMoney, func(s *scene) { s.pay("expired", s.id(s.over), "pm_ok", 10) }},
		{"a hold is cancelled and its payment is kept", check.RuleMoney, func(s *scene) {
			id := s.id(s.create("paid hold", wanted{service: s.single, date: "2027-04-10", party: 1, hold: 9}))
			s.pay("deposit", id, "pm_ok", 10)
			s.change("cancel the hold", "cancel", id)
		}},
		{"a hold lapses and its payment is kept", check.RuleMoney, func(s *scene) {
			s.pay("deposit", s.id(s.create("paid hold",
				wanted{service: s.single, date: "2027-04-10", party: 1, hold: 1})), "pm_ok", 10)
			s.sleep(2 * time.Minute)
		}},
		{"a hold lapses and is never marked", check.RuleUnsettled, func(s *scene) {
			s.create("forgotten", wanted{service: s.single, date: "2027-04-10", party: 1, hold: 1})
			s.sleep(2 * time.Minute)
			s.unswept = true
		}},
		{"a key with two payments", check.RuleMoney, func(s *scene) {
			s.pay("twice", s.id(s.booked), "pm_ok", 10)
			s.payment(s.Payments[len(s.Payments)-1].ID).Key = "paid"
		}},
		{"a payment without a request", check.RuleUnasked, func(s *scene) {
			p := s.Payments[0]
			p.ID, p.Key, p.Amount, p.ProviderID = uuid.NewString(), "nobody's", 10, "ch_nobody"
			s.Payments = append(s.Payments, p)
			s.move(p)
		}},
		{"a payment that was answered and isn't there", check.RuleLost, func(s *scene) { s.Payments = s.Payments[:2] }},
		{"a payment answered as succeeded", check.RuleMoney, func(s *scene) {
			s.payment(s.Payments[0].ID).Status = "declined"
			s.Movements = s.Movements[1:]
		}},
		{"a change without an event", check.RuleChange, func(s *scene) { s.untell("booking.confirmed") }},
		{"a payment without an event", check.RuleChange, func(s *scene) { s.untell("payment.succeeded") }},
		{"a decline without an event and a version", check.RuleChange, func(s *scene) {
			s.untell("payment.declined")
			s.Bookings[0].Version--
		}},
		{"a refund that begins without an event and a version", check.RuleChange, func(s *scene) {
			s.untell("payment.refund_started")
			s.Bookings[0].Version--
		}},
		{"a booking without an event", check.RuleChange, func(s *scene) { s.untell("booking.created") }},
		{"a booking with another customer than its events show", check.RuleChange,
			func(s *scene) { s.Bookings[0].Customer = uuid.NewString() }},
		{"a confirmation with a customer is refused for want of one", check.RuleAnswer, func(s *scene) {
			id := s.id(s.heldOne)
			op := s.change("nobody", "confirm", id)
			op.Request, op.Response = []byte(`{"customer":{"email":"a@example.com"}}`),
				[]byte(`{"code":"validation_failed"}`)
			op.Status, op.Code, op.Outcome = 422, "validation_failed", history.Refused
		}},
		{"an event that is there twice", check.RuleChange,
			func(s *scene) { s.Changes = append(s.Changes, *s.event("booking.confirmed")) }},
		{"two events with one version", check.RuleChange, func(s *scene) { s.event("payment.refunded").Sequence-- }},
		{"events in the wrong order", check.RuleChange, func(s *scene) {
			paid, refunded := s.event("payment.succeeded"), s.event("payment.refunded")
			*paid, *refunded = *refunded, *paid
		}},
		{"an event without a change", check.RuleChange, func(s *scene) {
			b := s.booking(s.id(s.heldOne))
			s.addEvent("booking.completed", "booking", b.ID, b.Version+1, s.view(b))
		}},
		{"an event of a booking that isn't there", check.RuleChange,
			func(s *scene) { s.event("booking.created").Subject = uuid.NewString() }},
		{"an event of another change", check.RuleChange,
			func(s *scene) { s.event("booking.confirmed").Type = "booking.cancelled" }},
		{"an event of an unknown type", check.RuleChange,
			func(s *scene) { s.event("booking.confirmed").Type = "booking.moved" }},
		{"an event that shows another state", check.RuleChange, func(s *scene) {
			s.event("booking.confirmed").Data = s.event("booking.held").Data
		}},
		{"an event that shows another sum", check.RuleChange, func(s *scene) {
			e := s.event("payment.succeeded")
			e.Data = bytes.Replace(e.Data, []byte(`"paid":400`), []byte(`"paid":300`), 1)
		}},
		{"an event that shows another amount due", check.RuleChange, func(s *scene) {
			e := s.event("payment.succeeded")
			e.Data = bytes.Replace(e.Data, []byte(`"due":600`), []byte(`"due":700`), 1)
		}},
		{"an event that shows another price", check.RuleChange, func(s *scene) {
			e := s.event("payment.succeeded")
			e.Data = bytes.Replace(e.Data, []byte(`"price":1000`), []byte(`"price":2000`), 1)
		}},
		{"a payment's event that shows when the booking was cancelled", check.RuleChange, func(s *scene) {
			e := s.event("payment.succeeded")
			e.Data = bytes.Replace(e.Data, []byte(`"price":1000`),
				[]byte(`"cancelled_at":"2027-05-01T10:00:00Z","price":1000`), 1)
		}},
		{"an event of another booking's payment", check.RuleChange,
			func(s *scene) { s.payment(s.Payments[0].ID).Booking = s.id(s.heldOne) }},
		{"an event that another transaction wrote", check.RuleChange, func(s *scene) {
			e := s.event("booking.created")
			e.Transaction, e.WrittenBy = e.Transaction+1_000, e.WrittenBy+1_000
			s.Changes = append(slices.Delete(s.Changes, 1, 2), *e)
		}},
		{"an event that hides which transaction wrote it", check.RuleChange,
			func(s *scene) { s.event("booking.created").WrittenBy++ }},
		{"a payment's event that another transaction wrote", check.RuleChange,
			func(s *scene) { s.payment(s.Payments[0].ID).WrittenBy++ }},
		{"a customer without an event", check.RuleChange, func(s *scene) { s.untell("customer.created") }},
		{"a customer's update without an event", check.RuleChange, func(s *scene) { s.Customers[0].Version++ }},
		{"an event that shows another customer", check.RuleChange, func(s *scene) { s.Customers[0].Phone = "1" }},
		{"another entity tag", check.RuleAnswer, func(s *scene) { s.op(s.booked).ETag = `"7"` }},
		{"an event that two workers have", check.RuleSchedule,
			func(s *scene) { s.changed("processing", "processing") }},
		{"an event that is completed twice", check.RuleSchedule,
			func(s *scene) { s.changed("completed", "completed") }},
		{"an event that is completed after it was cancelled", check.RuleSchedule,
			func(s *scene) { s.changed("cancelled", "completed") }},
		{"an event that changes and keeps its version", check.RuleSchedule, func(s *scene) {
			s.changed("pending", "processing")
			s.EventChanges[0].Version--
		}},
		{"an attempt that isn't counted", check.RuleSchedule, func(s *scene) {
			s.changed("pending", "processing")
			s.EventChanges[0].Attempts--
		}},
		{"an event that is dead", check.RuleSchedule, func(s *scene) { s.scheduled("dead") }},
		{"an event that was due and isn't handled", check.RuleSchedule, func(s *scene) { s.scheduled("pending") }},
		{"an event with a worker that is gone", check.RuleSchedule, func(s *scene) { s.scheduled("processing") }},
		{"a hold without an event", check.RuleSchedule, func(s *scene) { s.unplanned = true }},
		{"a reminder after the booking was cancelled", check.RuleReminder, func(s *scene) {
			s.remind(s.booked)
			s.change("before it", "cancel", s.id(s.booked))
			s.lateNotice()
		}},
		{"a reminder after the booking was moved", check.RuleReminder, func(s *scene) {
			s.remind(s.booked)
			s.reschedule("before it", s.id(s.booked), wanted{service: s.single, date: "2027-05-01", party: 1})
			s.lateNotice()
		}},
		{"a reminder of a cancelled booking that tells so", check.RuleReminder, func(s *scene) {
			s.change("before it", "cancel", s.id(s.booked))
			s.remind(s.booked)
		}},
		{"a reminder of an older version", check.RuleReminder, func(s *scene) {
			s.remind(s.booked)
			s.Changes[len(s.Changes)-1].Sequence--
		}},
		{"a reminder before the booking was made", check.RuleReminder, func(s *scene) {
			s.remind(s.booked)
			last := len(s.Changes) - 1
			s.Changes = slices.Insert(s.Changes[:last:last], 0, s.Changes[last])
		}},
		{"a reminder that is sent twice", check.RuleReminder, func(s *scene) {
			s.remind(s.booked)
			s.remind(s.booked)
		}},
		{"a reminder without a notice", check.RuleReminder, func(s *scene) {
			s.remind(s.booked)
			s.Changes = s.Changes[:len(s.Changes)-1]
		}},
		{"a notice without a reminder", check.RuleReminder, func(s *scene) {
			s.remind(s.booked)
			s.EventChanges = nil
		}},
		{"an event that isn't delivered", check.RuleDelivery, func(s *scene) { s.deliver()[0].Accepted = false }},
		{"no delivery of any event", check.RuleDelivery, func(s *scene) { s.Deliveries = []check.Delivery{} }},
		{"a delivery without a right signature", check.RuleDelivery, func(s *scene) { s.deliver()[0].Signed = false }},
		{"a delivery with another id", check.RuleDelivery, func(s *scene) { s.deliver()[0].ID = uuid.NewString() }},
		{"a delivery of another event", check.RuleDelivery, func(s *scene) { d := s.deliver(); d[0].Body = d[1].Body }},
		{"an open payment", check.RuleUnsettled, func(s *scene) { s.Payments[2].Status = "unknown" }},
		{"a payment that its customer abandoned", check.RuleUnsettled, func(s *scene) {
			s.pay("waits", s.id(s.booked), "pm_requires_action", 10)
			s.Payments[len(s.Payments)-1].Status = "processing"
		}},
		{"a key without an answer", check.RuleUnsettled, func(s *scene) { s.key("refused").Status = nil }},
		{"a lock that is held", check.RuleUnsettled, func(s *scene) { s.Left = []string{"session 1 holds a lock"} }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newScene()
			test.wrong(s)
			require.Contains(t, rules(s.check()), test.rule, "%v", s.check())
		})
	}
}

// What must not be taken for a violation.
func TestCheck_WhatMayBe_IsNoViolation(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		may  func(s *scene)
	}{
		{"holds that ended with money on them, which was returned", func(s *scene) {
			cancelled := s.id(s.create("paid hold", wanted{service: s.single, date: "2027-04-10", party: 1, hold: 9}))
			s.pay("first deposit", cancelled, "pm_ok", 10)
			s.change("cancel the hold", "cancel", cancelled)
			s.pay("second deposit",
				s.id(s.create("lapses", wanted{service: s.single, date: "2027-04-11", party: 1, hold: 1})), "pm_ok", 10)
			s.sleep(2 * time.Minute)
			s.giveBack()
		}},
		{"a payment that was declined and succeeded after all, and was returned", func(s *scene) {
			p := s.payment(s.Payments[2].ID)
			p.Status, p.ProviderID = "succeeded", "ch_after_all"
			s.transaction++
			late := *p
			s.Payments = slices.Delete(s.Payments, 2, 3)
			s.complete(late)
			s.transaction++
			s.complete(check.Payment{
				Tenant:     s.tenant,
				ID:         uuid.NewString(),
				Booking:    late.Booking,
				Kind:       "refund",
				Status:     "succeeded",
				Currency:   "EUR",
				RefundOf:   late.ID,
				Amount:     late.Amount,
				Automatic:  true,
				CreatedAt:  s.now(),
				UpdatedAt:  s.now(),
				ProviderID: "re_after_all",
			})
		}},
		{"events that are delivered, some of them twice", func(s *scene) {
			s.expire(s.booking(s.id(s.over)), s.now())
			lost := s.deliver()[0]
			lost.Accepted = false
			s.Deliveries = append(s.Deliveries, lost)
		}},
		{"reminders of a booking before and after it moved, and before it was cancelled", func(s *scene) {
			s.remind(s.booked)
			s.reschedule("moved", s.id(s.booked), wanted{service: s.single, date: "2027-05-01", party: 1})
			s.remind(s.booked)
			s.change("after it", "cancel", s.id(s.booked))
		}},
		{"events that workers handled, lost and were given again", func(s *scene) {
			for _, change := range [][2]string{
				{"pending", "processing"}, {"processing", "failed"}, {"failed", "processing"},
				{"processing", "completed"},
				{"completed", "pending"},
				{"pending", "cancelled"}, {"processing", "cancelled"}, {"processing", "pending"},
			} {
				s.changed(change[0], change[1])
			}
		}},
		{"a confirmed hold that was cancelled, with money on it", func(s *scene) {
			id := s.id(s.create("paid hold", wanted{service: s.single, date: "2027-04-10", party: 1, hold: 9}))
			s.pay("deposit", id, "pm_ok", 10)
			s.change("confirm it", "confirm", id)
			s.change("cancel the booking", "cancel", id)
		}},
		{"an answer that is lost, and the change is there", func(s *scene) {
			loseAnswer(s.create("lost", wanted{service: s.single, date: "2027-04-02", party: 1}))
		}},
		{"an answer that is lost, and the change is not", func(s *scene) {
			op := s.create("never", wanted{service: s.single, date: day, party: 1})
			loseAnswer(op)
		}},
		{"an answer that is lost, repeated in vain, and repeated", func(s *scene) {
			loseAnswer(s.create("lost", wanted{service: s.single, date: "2027-04-02", party: 1}))
			op := s.create("lost", wanted{service: s.single, date: "2027-04-02", party: 1})
			op.Status, op.Code, op.Response, op.Replayed = 409, "request_in_progress", nil, false
			s.create("lost", wanted{service: s.single, date: "2027-04-02", party: 1})
		}},
		{"a refused key that is used again", func(s *scene) {
			s.change("room", "cancel", s.id(s.booked))
			s.create("taken", wanted{service: s.single, date: day, party: 1})
		}},
		{"a key that was used for something else", func(s *scene) {
			op := s.create("booked", wanted{service: s.single, date: "2027-04-02", party: 1})
			op.Status, op.Code, op.Response, op.Replayed = 422, "idempotency_key_reused", nil, false
		}},
		{"a hold that ended and is marked", func(s *scene) {
			b := s.booking(s.id(s.over))
			s.expire(b, b.HoldExpiresAt.Add(time.Second))
		}},
		{"a late capture that was returned", func(s *scene) {
			s.change("cancel it", "cancel", s.id(s.booked))
			s.create("later", wanted{service: s.single, date: "2027-04-08", party: 1})
			s.pay("late", s.id(s.booked), "pm_ok", 10)
			p := s.Payments[len(s.Payments)-1]
			p.RefundOf, p.ID, p.Automatic, p.Kind, p.Key, p.ProviderID = p.ID, uuid.NewString(), true, "refund", "",
				"re_late"
			s.transaction++
			s.complete(p)
		}},
		{"an answer before a commit that takes long, and after the answer to a later change", func(s *scene) {
			first := len(s.ops)
			s.availability(s.single, "2027-04-02")
			s.create("slow", wanted{service: s.single, date: "2027-04-02", party: 1})
			s.create("quick", wanted{service: s.single, date: "2027-04-09", party: 1})
			asked, slow, quick := &s.ops[first], &s.ops[first+1], &s.ops[first+2]
			asked.Invoked, asked.Returned = quick.Returned+time.Millisecond, quick.Returned+2*time.Millisecond
			slow.Returned = asked.Returned + time.Millisecond
			s.sleep(10 * time.Millisecond)
		}},
		{"an answer before a commit that takes long, and after a later change of the next date", func(s *scene) {
			s.afterAndBefore(23*time.Hour, 24*time.Hour+15*time.Minute)
		}},
		{"a confirmation and a rival at the moment of expiry", func(s *scene) {
			at := start.AddDate(0, 2, 0)
			hold := s.kept(s.create("moment", wanted{service: s.slots, startsAt: at, party: 1, hold: 1}))
			s.sleep(time.Minute - 3*time.Millisecond)
			s.change("in time", "confirm", s.id(hold))
			s.sleep(3 * time.Millisecond)
			s.create("rival", wanted{service: s.slots, startsAt: at, party: 1})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newScene()
			test.may(s)
			require.Empty(t, s.check())
		})
	}
}
