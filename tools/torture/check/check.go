package check

import (
	"cmp"
	"fmt"
	"slices"

	"holdfast/tools/torture/history"
)

// The rules.
const (
	// RuleCalendar: no order of the changes of a calendar explains all answers.
	RuleCalendar = "calendar"
	// RuleClock: the database's times of two changes contradict the order in which clients saw them.
	RuleClock = "clock"
	// RuleUndecided: no order was found and none was excluded in time.
	RuleUndecided = "undecided"
	// RuleLost: a change was acknowledged and isn't there, or not as it was answered.
	RuleLost = "lost"
	// RuleUnasked: something is there that no request explains.
	RuleUnasked = "unasked"
	// RuleOverlap: a unit is sold twice for one time.
	RuleOverlap = "overlap"
	// RuleKey: requests with one idempotency key did more than one thing, or got more than one answer.
	RuleKey = "key"
	// RuleAnswer: an answer doesn't fit its request.
	RuleAnswer = "answer"
	// RuleRefusal: a request was answered that nothing was written, and it was.
	RuleRefusal = "refusal"
	// RuleMoney: our payments and the provider's journal, or payments and prices, don't agree.
	RuleMoney = "money"
	// RuleChange: a change has no record, more than one or another one, or a record shows no change.
	RuleChange = "change"
	// RuleSchedule: a scheduled event was handed to two workers at a time, was completed by a worker that had lost it,
	// or wasn't handled in time.
	RuleSchedule = "schedule"
	// RuleDelivery: an event wasn't delivered to its tenant's endpoint, or something else was.
	RuleDelivery = "delivery"
	// RuleWallet: no order of the changes of wallets explains all answers, or entries, postings and balances don't
	// agree.
	RuleWallet = "wallet"
	// RuleReminder: a reminder was sent twice, of a booking that wasn't confirmed any more, or for a time that it
	// didn't have any more.
	RuleReminder = "reminder"
	// RuleCell: a tenant isn't in the cell that the directory names, or has rows in another one.
	RuleCell = "cell"
	// RuleUnsettled: something was left open.
	RuleUnsettled = "unsettled"
)

// Violation is a rule that was broken.
type Violation struct {
	Rule string
	// Detail is a sentence that says what was broken and by what.
	Detail string
	// Operations are the ids of the operations in the history that show it; empty when the history has none.
	Operations []int64
}

// Check judges a history by the state that it ended in. No operation may be under way any more when the state is read.
// It returns nothing for a run without violations.
func Check(ops []history.Operation, end State) []Violation {
	c := newChecker(ops, end)
	c.keys()
	c.answers()
	c.bookings()
	c.overlaps()
	c.claims()
	c.money()
	c.wallets()
	c.changes()
	c.reminders()
	c.deliveries()
	c.scheduled()
	c.unsettled()
	c.cells()
	c.versions()
	c.calendars()
	for rule, n := range c.count {
		if n > most {
			c.found = append(c.found, Violation{Rule: rule, Detail: fmt.Sprintf("%d more like these", n-most)})
		}
	}
	slices.SortStableFunc(c.found, func(a, b Violation) int { return cmp.Compare(a.Rule, b.Rule) })
	return c.found
}

type checker struct {
	end      State
	requests []*request
	reads    []history.Operation
	found    []Violation
	count    map[string]int // of violations, by rule

	byKey   map[scopedKey]*request
	stored  map[scopedKey]*Key
	booking map[string]*Booking
	payment map[string]*Payment
	// feed are the changes, in the order in which readers see them.
	feed map[subject][]*Change
	// notices are in this order too.
	notices  []notice
	creators map[string]*request // by booking
	stays    map[string][]*stay  // by booking, in order
	// unchanged are requests for what was already so.
	unchanged  map[*request]bool
	amendments map[string]*amendment  // by their note
	movers     map[scopedKey]*request // by tenant and movement of wallets
	paysPart   map[string]bool        // payments by card beside which a wallet held an amount
	services   map[string]*Service
	resource   map[string]*Resource
	clock      clock
}

type scopedKey struct{ tenant, key string }

// most bounds the violations of one rule that are reported in full.
const most = 50

func (c *checker) violate(rule string, ops []int64, format string, args ...any) {
	c.count[rule]++
	if c.count[rule] > most {
		return
	}
	c.found = append(c.found, Violation{Rule: rule, Detail: fmt.Sprintf(format, args...), Operations: ops})
}

func newChecker(ops []history.Operation, end State) *checker {
	c := &checker{
		end:        end,
		byKey:      map[scopedKey]*request{},
		stored:     map[scopedKey]*Key{},
		booking:    map[string]*Booking{},
		payment:    map[string]*Payment{},
		feed:       map[subject][]*Change{},
		creators:   map[string]*request{},
		movers:     map[scopedKey]*request{},
		paysPart:   map[string]bool{},
		stays:      map[string][]*stay{},
		unchanged:  map[*request]bool{},
		amendments: map[string]*amendment{},
		count:      map[string]int{},
		services:   map[string]*Service{},
		resource:   map[string]*Resource{},
	}
	for i := range end.Services {
		c.services[end.Services[i].ID] = &end.Services[i]
	}
	for i := range end.Resources {
		c.resource[end.Resources[i].ID] = &end.Resources[i]
	}
	for i := range end.Bookings {
		c.booking[end.Bookings[i].ID] = &end.Bookings[i]
	}
	for i := range end.Payments {
		c.payment[end.Payments[i].ID] = &end.Payments[i]
	}
	for i := range end.Changes {
		e := &end.Changes[i]
		s := subject{e.SubjectType, e.Tenant, e.Subject}
		if !e.Notice {
			c.feed[s] = append(c.feed[s], e)
			continue
		}
		n := notice{Change: e}
		if before := c.feed[s]; len(before) > 0 {
			n.after = before[len(before)-1]
		}
		c.notices = append(c.notices, n)
	}
	for i := range end.Keys {
		k := &end.Keys[i]
		c.stored[scopedKey{k.Tenant, k.Key}] = k
	}
	c.merge(ops)
	c.findAmendments()
	for _, r := range c.requests {
		if r.changesWallet() && r.happened() {
			id := scopedKey{r.tenant, read[walletAnswer](r.stored.Body).movement()}
			if c.movers[id] == nil {
				c.movers[id] = r
			}
		}
		if r.is("create") && r.happened() {
			if b, ok := c.booking[r.body.ID]; ok && b.Tenant == r.tenant {
				c.creators[b.ID] = r
			}
		}
	}
	c.clock = newClock(c.requests)
	c.findUnchanged()
	c.follow()
	return c
}
