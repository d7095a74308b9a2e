package check_test

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/tools/torture/check"
	"holdfast/tools/torture/history"
)

// movedScene is a scene in which a booking has moved to a date and back, a hold has been extended, and a booking has
// got a note.
type movedScene struct {
	*scene
	id, hold    string
	there, back *history.Operation // the moves
}

func newMovedScene() *movedScene {
	s := &movedScene{scene: newScene()}
	s.id = s.scene.id(s.create("to move", wanted{service: s.single, date: "2027-05-01", party: 1}))
	s.there = s.kept(s.reschedule("there", s.id, wanted{service: s.single, date: "2027-05-02", party: 1}))
	s.kept(s.create("into its old time", wanted{service: s.single, date: "2027-05-01", party: 1}))
	s.kept(s.reschedule("no room", s.id, wanted{service: s.single, date: "2027-05-01", party: 1}))
	s.back = s.kept(s.reschedule("away", s.id, wanted{service: s.slots, startsAt: start.AddDate(0, 3, 0), party: 1}))
	s.reschedule("where it is", s.id, wanted{service: s.slots, startsAt: start.AddDate(0, 3, 0), party: 1})
	s.amend("a note", s.id)
	s.hold = s.scene.id(s.create("to extend", wanted{service: s.double, date: "2027-05-01", party: 1, hold: 1}))
	s.sleep(30 * time.Second)
	s.extend("longer", s.hold, 2)
	s.extend("not longer", s.hold, 1)
	s.sleep(time.Minute)
	s.change("in the extension", "confirm", s.hold)
	s.get(s.id)
	return s
}

// stayed is the recorded stay of the booking that moves, by its number from 0 on.
func (s *movedScene) stayed(number int) *check.Stay {
	for i := range s.Stays {
		if s.Stays[i].Booking == s.id {
			if number == 0 {
				return &s.Stays[i]
			}
			number--
		}
	}
	return nil
}

// cheaper moves the booking to a price of 200.
func (s *movedScene) cheaper() *history.Operation {
	return s.reschedule("cheaper", s.id, wanted{service: s.double, date: "2027-05-09", party: 1, price: 200})
}

// overpay pays 500 and moves the booking to a price of 200.
func (s *movedScene) overpay() {
	s.pay("much", s.id, "pm_ok", 500)
	s.cheaper()
}

func TestCheck_EachBrokenRuleOfOverpaidBookings_IsFound(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]func(s *movedScene){
		"no event tells of it": func(s *movedScene) { s.event("booking.overpaid").Type = "booking.updated" },
		"nothing made it so": func(s *movedScene) {
			b := s.booking(s.hold)
			b.Version++
			s.addBookingEvent("booking.overpaid", b)
		},
		"it shows nothing": func(s *movedScene) {
			e := s.event("booking.overpaid")
			e.Data = bytes.Replace(e.Data, []byte(`"overpaid":300`), []byte(`"overpaid":0`), 1)
		},
		"what was paid too much is due again": func(s *movedScene) {
			s.refund("some of it", s.Payments[len(s.Payments)-1].ID, 250)
			e := s.event("payment.refunded")
			for i := range s.Changes {
				if s.Changes[i].Subject == s.id && s.Changes[i].Type == "payment.refunded" {
					e = &s.Changes[i]
				}
			}
			e.Data = bytes.Replace(e.Data, []byte(`"due":0`), []byte(`"due":250`), 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newMovedScene()
			s.overpay()
			require.Empty(t, s.check())
			wrong(s)
			require.NotEmpty(t, s.check())
		})
	}
}

func TestCheck_EachBrokenRuleOfMoves_IsFound(t *testing.T) {
	t.Parallel()
	require.Empty(t, newMovedScene().check())
	for _, test := range []struct {
		name  string
		rule  string
		wrong func(s *movedScene)
	}{
		{"a booking moves to units that are taken", check.RuleCalendar, func(s *movedScene) {
			s.create("rival", wanted{service: s.single, date: "2027-05-03", party: 1})
			s.Resources[0].Capacity = 2
			s.reschedule("double", s.id, wanted{service: s.single, date: "2027-05-03", party: 1})
			s.Resources[0].Capacity = 1
			s.booking(s.id).Units[0].Units = []int{1} // its stay has the same units
		}},
		{"a booking keeps the time that it left", check.RuleCalendar, func(s *movedScene) {
			op := s.create("into its second time", wanted{service: s.single, date: "2027-05-02", party: 1})
			op.Status, op.Code, op.Response = 409, "slot_unavailable",
				encode(map[string]any{"code": "slot_unavailable"})
			s.Changes, s.Bookings = s.Changes[:len(s.Changes)-1], s.Bookings[:len(s.Bookings)-1]
			s.Stays = s.Stays[:len(s.Stays)-1]
			s.forget("into its second time")
		}},
		{"a move is refused although there is room", check.RuleCalendar, func(s *movedScene) {
			op := s.reschedule("room", s.id, wanted{service: s.slots, startsAt: start.AddDate(0, 3, 0), party: 1})
			op.Request = encode(map[string]any{"service_id": s.single, "date": "2027-05-09", "party_size": 1,
				"any_resource": true})
			op.Status, op.Code, op.Response = 409, "slot_unavailable",
				encode(map[string]any{"code": "slot_unavailable"})
			s.forget("room")
		}},
		{"a booking moves after it was cancelled", check.RuleCalendar, func(s *movedScene) {
			s.change("cancel it", "cancel", s.id)
			s.booking(s.id).Status = "confirmed"
			s.reschedule("after the end", s.id, wanted{service: s.single, date: "2027-05-08", party: 1})
		}},
		{"a booking moves in a commit without an event", check.RuleChange,
			func(s *movedScene) { s.stayed(1).Transaction += 1_000 }},
		{"a booking takes its units at another time than its own", check.RuleCalendar, func(s *movedScene) {
			st := s.stayed(1)
			st.BusyFrom, st.BusyUntil = st.BusyFrom.AddDate(-100, 0, 0), st.BusyUntil.AddDate(-100, 0, 0)
		}},
		{"a booking isn't where it moved to", check.RuleLost,
			func(s *movedScene) { s.booking(s.id).Service = s.double }},
		{"a move to another date than was asked for", check.RuleAnswer, func(s *movedScene) {
			s.op(s.there).Request = encode(map[string]any{"service_id": s.single, "date": "2027-05-07",
				"party_size": 1})
		}},
		{"a move that loses its event", check.RuleChange, func(s *movedScene) { s.untell("booking.rescheduled") }},
		{"an event of another type for a move", check.RuleChange,
			func(s *movedScene) { s.event("booking.rescheduled").Type = "booking.updated" }},
		{"a price that was to be kept", check.RuleChange, func(s *movedScene) {
			e := s.event("booking.rescheduled")
			e.Data = bytes.Replace(e.Data, []byte(`"price":1000`), []byte(`"price":900`), 1)
		}},
		{"a price that isn't the service's", check.RuleChange, func(s *movedScene) {
			s.op(s.there).Request = bytes.Replace(s.op(s.there).Request, []byte(`"keep"`), []byte(`"quote"`), 1)
		}},
		{"a read that shows a version at another place", check.RuleAnswer, func(s *movedScene) {
			op := s.get(s.id)
			op.Response = bytes.Replace(op.Response, []byte(s.slots), []byte(s.single), 1)
		}},
		{"a read of a version before one that was answered", check.RuleCalendar, func(s *movedScene) {
			op := s.get(s.id)
			op.Response, op.ETag = s.back.Response, s.back.ETag
		}},
		{"an extension that is shorter than was asked for", check.RuleAnswer, func(s *movedScene) {
			i := slices.IndexFunc(s.ops, func(op history.Operation) bool { return op.Key == "longer" })
			s.ops[i].Request = encode(map[string]any{"hold_minutes": 9})
		}},
		{"a hold lapses although it was extended", check.RuleCalendar, func(s *movedScene) {
			op := s.change("too early", "confirm", s.hold)
			op.Status, op.Code, op.Response = 409, "hold_expired", encode(map[string]any{"code": "hold_expired"})
		}},
		{"a hold ends at another time than its event", check.RuleSchedule, func(s *movedScene) {
			b := s.booking(s.scene.id(s.create("unplanned",
				wanted{service: s.double, date: "2027-05-05", party: 1, hold: 3})))
			s.Scheduled = append(s.Scheduled, check.ScheduledEvent{
				Tenant: s.tenant, Kind: "booking.hold_expiry", Subject: b.ID, Status: "pending", Version: 1,
				DueAt: b.HoldExpiresAt.Add(time.Second),
			})
		}},
		{"a note that was answered and isn't there", check.RuleLost, func(s *movedScene) {
			op := s.amend("lost", s.id)
			s.booking(s.id).Version--
			s.Changes = s.Changes[:len(s.Changes)-1]
			require.Equal(t, 200, op.Status)
		}},
		{"a note that was refused and is there", check.RuleRefusal, func(s *movedScene) {
			op := s.amend("refused", s.id)
			op.Status, op.Code = 412, "version_mismatch"
		}},
		{"a note that nobody asked for", check.RuleChange, func(s *movedScene) {
			s.amend("unasked", s.id)
			s.ops = s.ops[:len(s.ops)-1]
		}},
		{"a note that is overwritten without an event", check.RuleChange,
			func(s *movedScene) { s.booking(s.id).Metadata = []byte(`{"note":"other"}`) }},
		{"a change through an entity tag of another version", check.RuleAnswer, func(s *movedScene) {
			s.amend("through", s.id).IfMatch = `"1"`
		}},
		{"a mismatch although the version was named", check.RuleCalendar, func(s *movedScene) {
			op := s.get(s.id)
			tag := op.ETag
			s.sleep(time.Second)
			s.matching(1, func() *history.Operation { return s.change("mismatch", "cancel", s.id) }).IfMatch = tag
		}},
		{"a mismatch although no version was named", check.RuleAnswer, func(s *movedScene) {
			s.matching(1, func() *history.Operation { return s.change("mismatch", "cancel", s.id) }).IfMatch = ""
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newMovedScene()
			test.wrong(s)
			require.Contains(t, rules(s.check()), test.rule, "%v", s.check())
		})
	}
}

func TestCheck_MovesThatMayBe_AreNoViolation(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		may  func(s *movedScene)
	}{
		{"a move whose answer is lost", func(s *movedScene) {
			loseAnswer(s.reschedule("lost", s.id, wanted{service: s.single, date: "2027-05-06", party: 1}))
		}},
		{"a note whose answer is lost", func(s *movedScene) { loseAnswer(s.amend("lost", s.id)) }},
		{"a note that nobody stored", func(s *movedScene) {
			loseAnswer(s.amend("lost", s.id))
			s.Changes, s.booking(s.id).Version = s.Changes[:len(s.Changes)-1], s.booking(s.id).Version-1
			s.booking(s.id).Metadata = []byte(`{"note":"a note"}`)
		}},
		{"a mismatch while a change is under way", func(s *movedScene) {
			named := s.kept(s.get(s.id)).ETag
			changed := s.kept(s.amend("meanwhile", s.id))
			op := s.matching(1, func() *history.Operation { return s.change("mismatch", "cancel", s.id) })
			op.IfMatch, op.Invoked = named, changed.Invoked
		}},
		{"a move with money on it", func(s *movedScene) {
			s.pay("part", s.id, "pm_ok", 10)
			s.reschedule("with money", s.id, wanted{service: s.single, date: "2027-05-06", party: 1})
		}},
		{"a move to less than was paid, and what follows", func(s *movedScene) {
			s.overpay()
			s.refund("some of it", s.Payments[len(s.Payments)-1].ID, 250)
			s.amend("another note", s.id)
		}},
		{"a move to less than was paid, with its version named", func(s *movedScene) {
			s.pay("much", s.id, "pm_ok", 500)
			version, _ := strconv.ParseInt(strings.Trim(s.get(s.id).ETag, `"`), 10, 64)
			s.matching(version, func() *history.Operation { return s.cheaper() })
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newMovedScene()
			test.may(s)
			require.Empty(t, s.check())
		})
	}
}
