package check_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/tools/torture/check"
	"holdfast/tools/torture/history"
)

// amendedScene is a scene in which a hold was moved, extended, given a note and confirmed in one commit.
type amendedScene struct {
	*movedScene
	amended *history.Operation
	id      string
	former  check.Booking
}

func newAmendedScene() *amendedScene {
	s := &amendedScene{movedScene: newMovedScene()}
	s.id = s.scene.id(s.create("to amend", wanted{service: s.single, date: "2027-06-01", party: 1, hold: 1}))
	s.former = *s.booking(s.id)
	s.amended = s.kept(s.amendAll("all of it", s.id, wanted{service: s.double, date: "2027-06-02", party: 2, hold: 3}))
	s.kept(s.create("into its old date", wanted{service: s.single, date: "2027-06-01", party: 1}))
	other := s.scene.id(s.create("another to amend", wanted{service: s.double, date: "2027-06-01", party: 1, hold: 1}))
	s.kept(s.amendAll("no room", other, wanted{service: s.single, date: "2027-06-01", party: 1, hold: 2}))
	s.amendAll("confirmed already", s.id, wanted{service: s.double, date: "2027-06-03", party: 1})
	s.get(s.id)
	s.get(other)
	return s
}

// told is the event of a type that tells of the amendment.
func (s *amendedScene) told(eventType string) *check.Change {
	return &s.Changes[slices.IndexFunc(s.Changes,
		func(e check.Change) bool { return e.Subject == s.id && e.Type == eventType })]
}

// asks has the amendment have asked for something else.
func (s *amendedScene) asks(old, by string) {
	op := s.op(s.amended)
	op.Request = bytes.Replace(op.Request, []byte(old), []byte(by), 1)
}

func TestCheck_EachBrokenRuleOfAmendments_IsFound(t *testing.T) {
	t.Parallel()
	require.Empty(t, newAmendedScene().check())
	for _, test := range []struct {
		name  string
		rule  string
		wrong func(s *amendedScene)
	}{
		{"a move that nobody asked for", check.RuleAnswer, func(s *amendedScene) {
			s.asks(`"date":"2027-06-02",`, "")
			s.asks(`"service_id":"`+s.double+`",`, "")
		}},
		{"a time that nobody asked for", check.RuleAnswer,
			func(s *amendedScene) { s.asks(`"date":"2027-06-02",`, "") }},
		{"a party that nobody asked for", check.RuleAnswer, func(s *amendedScene) { s.asks(`"party_size":2,`, "") }},
		{"an extension that nobody asked for", check.RuleAnswer,
			func(s *amendedScene) { s.asks(`"hold_minutes":3,`, "") }},
		{"an answer that isn't its last event", check.RuleAnswer, func(s *amendedScene) {
			op := s.op(s.amended)
			op.Response = bytes.Replace(op.Response, []byte(`"due":1000`), []byte(`"due":900`), 1)
		}},
		{"an extension that changes the metadata too", check.RuleChange, func(s *amendedScene) {
			hold := s.scene.id(s.create("yet to extend",
				wanted{service: s.double, date: "2027-06-05", party: 1, hold: 1}))
			s.booking(hold).Metadata = []byte(`{"note":"unasked"}`)
			s.extend("with metadata", hold, 3)
		}},
		{"a note that is refused for the status", check.RuleCalendar, func(s *amendedScene) {
			s.change("cancel", "cancel", s.id)
			op := s.matching(9, func() *history.Operation { return s.amend("refused", s.id) })
			op.IfMatch, op.Code, op.Response = "", "invalid_state", encode(map[string]any{"code": "invalid_state"})
			op.Status = 409
		}},
		{"another party", check.RuleAnswer, func(s *amendedScene) { s.asks(`"party_size":2`, `"party_size":1`) }},
		{"a resource that it wasn't to have", check.RuleAnswer, func(s *amendedScene) {
			s.asks(`"any_resource":true`, `"resource_ids":["`+s.Resources[0].ID+`"]`)
		}},
		{"a confirmation that nobody asked for", check.RuleAnswer,
			func(s *amendedScene) { s.asks(`,"status":"confirmed"`, "") }},
		{"an extension that is too short", check.RuleAnswer,
			func(s *amendedScene) { s.asks(`"hold_minutes":3`, `"hold_minutes":4`) }},
		{"a move without its note", check.RuleChange, func(s *amendedScene) {
			s.told("booking.updated").Type = "booking.rescheduled"
		}},
		{"a note without its move", check.RuleAnswer, func(s *amendedScene) {
			loseAnswer(s.op(s.amended))
			s.asks(`"date":"2027-06-02"`, `"date":"2027-06-04"`)
		}},
		{"a move whose events are written by two commits", check.RuleChange, func(s *amendedScene) {
			s.told("booking.rescheduled").Transaction--
		}},
		{"a confirmation that isn't stored", check.RuleChange,
			func(s *amendedScene) { s.booking(s.id).Status = "held" }},
		{"a place that isn't stored", check.RuleLost,
			func(s *amendedScene) { s.booking(s.id).Resource = s.former.Resource }},
		{"a further resource that nobody asked for", check.RuleLost, func(s *amendedScene) {
			s.booking(s.id).Others = []string{s.Resources[0].ID}
		}},
		{"a refusal, and it happened", check.RuleRefusal, func(s *amendedScene) {
			op := s.op(s.amended)
			op.Status, op.Code, op.Response = 409, "slot_unavailable",
				encode(map[string]any{"code": "slot_unavailable"})
		}},
		{"a refusal although there is room", check.RuleCalendar, func(s *amendedScene) {
			hold := s.scene.id(s.create("with room", wanted{service: s.double, date: "2027-06-05", party: 1, hold: 1}))
			version := s.booking(hold).Version
			op := s.matching(version+1, func() *history.Operation {
				return s.amendAll("room", hold, wanted{service: s.single, date: "2027-06-09", party: 1, hold: 1})
			})
			op.IfMatch, op.Status, op.Code, op.Response = "", 409, "slot_unavailable",
				encode(map[string]any{"code": "slot_unavailable"})
		}},
		{"a refusal of a hold as if it had been confirmed", check.RuleCalendar, func(s *amendedScene) {
			hold := s.scene.id(s.create("still held", wanted{service: s.double, date: "2027-06-05", party: 1, hold: 1}))
			op := s.matching(9, func() *history.Operation {
				return s.amendAll("too late", hold, wanted{service: s.single, date: "2027-06-09", party: 1, hold: 1})
			})
			op.IfMatch, op.Status, op.Code, op.Response = "", 409, "invalid_state",
				encode(map[string]any{"code": "invalid_state"})
		}},
		{"a version that skips one", check.RuleAnswer, func(s *amendedScene) { s.op(s.amended).IfMatch = `"2"` }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newAmendedScene()
			test.wrong(s)
			require.Contains(t, rules(s.check()), test.rule, "%v", s.check())
		})
	}
}

func TestCheck_AmendmentsThatMayBe_AreNoViolation(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		may  func(s *amendedScene)
	}{
		{"one whose answer is lost", func(s *amendedScene) { loseAnswer(s.op(s.amended)) }},
		{"one with its version named", func(s *amendedScene) { s.op(s.amended).IfMatch = `"1"` }},
		{"one that didn't happen", func(s *amendedScene) {
			hold := s.scene.id(s.create("yet to amend",
				wanted{service: s.double, date: "2027-06-05", party: 1, hold: 1}))
			loseAnswer(s.matching(9, func() *history.Operation {
				return s.amendAll("lost", hold, wanted{service: s.single, date: "2027-06-09", party: 1, hold: 1})
			}))
		}},
		{"one that changes the note alone, of a booking that ended", func(s *amendedScene) {
			s.change("cancel", "cancel", s.id)
			s.amend("after its end", s.id)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newAmendedScene()
			test.may(s)
			require.Empty(t, s.check())
		})
	}
}
