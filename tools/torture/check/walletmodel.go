package check

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"holdfast/tools/torture/history"
)

// walletEvent is something that happened to a tenant's wallets at one moment between from and until: a movement, a
// refusal, or a read.
type walletEvent struct {
	what        string
	ids         []int64
	from, until time.Duration
	// entries are those of a movement.
	entries []*WalletEntry
	// step changes the wallets, and returns false if it can't happen when they are as given.
	step func(s []walletState) bool
}

// walletAnswers checks for each tenant that there is an order of what happened to its wallets in which every answer is
// right. A transfer is one event of two wallets.
func (c *checker) walletAnswers(movements map[scopedKey][]*WalletEntry) {
	tenants := map[string][]*Wallet{}
	for i := range c.end.Wallets {
		w := &c.end.Wallets[i]
		tenants[w.Tenant] = append(tenants[w.Tenant], w)
	}
	for tenant, wallets := range tenants {
		number := map[string]int{}
		for i, w := range wallets {
			number[w.ID] = i
		}
		var events []*walletEvent
		for id, entries := range movements {
			if id.tenant == tenant && c.movers[id] == nil && entries[0].Type != "opened" {
				events = append(events, c.ofMovement(entries, number)...)
			}
		}
		for _, r := range c.requests {
			if r.tenant == tenant && (r.changesWallet() || r.is("pay")) {
				events = append(events, c.ofWalletRequest(r, number, movements)...)
				events = append(events, ofEndOfHold(r, number)...)
			}
		}
		for _, op := range c.reads {
			if op.Tenant == tenant {
				events = append(events, c.ofWalletRead(op, number)...)
			}
		}
		narrowMovements(events)
		events = append(events,
			&walletEvent{what: "what is stored at the end", from: atTheEnd, until: atTheEnd, step: func(s []walletState) bool {
				return !slices.ContainsFunc(wallets, func(w *Wallet) bool {
					is := s[number[w.ID]]
					return is.balance != w.Balance || is.held != w.Held || is.version != w.Version
				})
			}})
		c.walletOrder(tenant, len(wallets), events)
	}
}

// narrowMovements bounds each movement by those before and after it: the versions of a wallet show their order.
// Movements without a request have no other bounds. Bounds that contradict each other are left as they are, and no
// order will be found.
func narrowMovements(events []*walletEvent) {
	type placed struct {
		version int64
		event   *walletEvent
	}
	wallets := map[string][]placed{}
	for _, e := range events {
		for _, entry := range e.entries {
			wallets[entry.Wallet] = append(wallets[entry.Wallet], placed{entry.Version, e})
		}
	}
	for _, list := range wallets {
		slices.SortFunc(list, func(a, b placed) int { return cmp.Compare(a.version, b.version) })
		for i := 1; i < len(list); i++ {
			before, e := list[i-1].event, list[i].event
			if e.from < before.from && before.from <= e.until {
				e.from = before.from
			}
			before, e = list[len(list)-1-i].event, list[len(list)-i].event
			if before.until > e.until && e.until >= before.from {
				before.until = e.until
			}
		}
	}
}

// walletOrder has porcupine search for an order.
func (c *checker) walletOrder(tenant string, wallets int, events []*walletEvent) {
	beginning := make([]walletState, wallets)
	for i := range beginning {
		beginning[i].version = 1 // its first entry
	}
	step := func(state []walletState, e *walletEvent) ([]walletState, bool) {
		next := slices.Clone(state)
		return next, e.step(next)
	}
	model := porcupine.Model{
		Init: func() any { return beginning },
		Step: func(state, input, _ any) (bool, any) {
			next, ok := step(state.([]walletState), input.(*walletEvent))
			return ok, next
		},
		Equal: func(a, b any) bool { return slices.EqualFunc(a.([]walletState), b.([]walletState), walletState.equal) },
	}
	operations := make([]porcupine.Operation, len(events))
	for i, e := range events {
		operations[i] = porcupine.Operation{Input: e, Call: int64(e.from), Return: int64(e.until)}
	}
	limit := searchLimit + time.Duration(len(events))*2*time.Millisecond
	result, info := porcupine.CheckOperationsVerbose(model, operations, limit)
	if result == porcupine.Ok {
		return
	}
	placed, state := map[*walletEvent]bool{}, beginning
	for _, op := range longest(info) {
		e := op.Input.(*walletEvent)
		state, _ = step(state, e)
		placed[e] = true
	}
	left := slices.DeleteFunc(slices.Clone(events), func(e *walletEvent) bool { return placed[e] })
	stuck := slices.MinFunc(left, func(a, b *walletEvent) int { return cmp.Compare(a.until, b.until) })
	c.violate(RuleWallet, stuck.ids,
		"no order of the %d events of the wallets of the tenant %s explains %s; the longest has %d of them and then %+v", len(events),
		tenant, stuck.what, len(placed), state)
}

// movement is the event of a movement. shown says whether the wallets after it are as they were answered.
func movement(entries []*WalletEntry, number map[string]int, shown func(s []walletState) bool) *walletEvent {
	e := &walletEvent{until: forever, entries: entries}
	e.step = func(s []walletState) bool {
		var moved []walletLot
		for _, entry := range entries {
			place, known := number[entry.Wallet]
			if !known {
				return false
			}
			w := &s[place]
			switch entry.Type {
			case "transferred_out":
				moved, _ = splitLots(w.lots, entry.Amount)
			case "transferred_in":
				if !sameLots(moved, readLots(entry.Lots)) {
					return false
				}
			}
			if w.apply(entry) != "" {
				return false
			}
		}
		return shown(s)
	}
	return e
}

// ofMovement is a movement that no request for a wallet made: a payment's, a refund's, or the expiry of credit.
func (c *checker) ofMovement(entries []*WalletEntry, number map[string]int) []*walletEvent {
	last := entries[len(entries)-1]
	if _, known := number[last.Wallet]; !known {
		return nil
	}
	e := movement(entries, number, func([]walletState) bool { return true })
	e.what = fmt.Sprintf("the entry %d (%s) of the wallet %s", last.Version, last.Type, last.Wallet)
	// A payment's entries are written before its key has its final answer: its end is stored with the answer.
	for _, entry := range entries {
		r := c.payerOf(entry)
		if r == nil {
			continue
		}
		e.ids, e.from, e.until = r.ids(), r.invoked, r.returned
		if card := c.payment[entry.Payment]; entry.Type == "held" && card != nil {
			most, apply := card.Amount+entry.Amount, e.step
			if want := read[walletRequest](r.tries[0].Request); want.WalletAmount != nil {
				most = min(most, *want.WalletAmount)
			}
			e.step = func(s []walletState) bool {
				return entry.Amount == min(most, s[number[entry.Wallet]].availableAt(entry.OccurredAt)) && apply(s)
			}
		}
	}
	return []*walletEvent{e}
}

// ofEndOfHold are the refusals to end a hold, which no key keeps. Each must be right at some moment between its try and
// the answer.
func ofEndOfHold(r *request, number map[string]int) (events []*walletEvent) {
	place, known := number[r.subject]
	if !known || !r.is("wallet-capture", "wallet-release") {
		return nil
	}
	for _, op := range r.tries {
		if op.Code != "invalid_state" && op.Code != "validation_failed" {
			continue
		}
		want := read[walletRequest](op.Request)
		events = append(events, &walletEvent{
			what: fmt.Sprintf("the %s with the key %q, which was answered %s", r.kind, r.key, op.Response),
			ids:  []int64{op.ID},
			from: op.Invoked, until: op.Returned,
			step: func(s []walletState) bool { return r.refused(s[place], op.Code, want) },
		})
	}
	return events
}

// ofWalletRequest is what became of a request: its movement, or the refusal that its key keeps. If nothing is stored,
// nothing became of it. The movements of payments are in ofMovement.
func (c *checker) ofWalletRequest(r *request, number map[string]int, movements map[scopedKey][]*WalletEntry,
) []*walletEvent {
	if winner, ok := r.winner(); !ok || r.stored == nil || r.stored.Status == nil || !sameRequest(winner, r.tries[0]) {
		return nil
	}
	want, got := read[walletRequest](r.tries[0].Request), read[walletAnswer](r.stored.Body)
	wallets := []string{r.subject}
	switch r.kind {
	case "transfer":
		wallets = []string{want.From, want.To}
	case "pay":
		wallets = []string{want.Wallet}
	}
	places := make([]int, len(wallets))
	for i, id := range wallets {
		place, ok := number[id]
		if !ok {
			return nil
		}
		places[i] = place
	}
	e := &walletEvent{}
	switch {
	case r.is("pay"):
		refused := c.refusedPayment(r, want, got)
		if refused == nil {
			return nil
		}
		e.step = func(s []walletState) bool { return refused(s[places[0]]) }
	case !r.happened():
		e.step = func(s []walletState) bool { return r.refused(s[places[0]], got.Code, want) }
	case r.is("transfer"):
		e = movement(movements[scopedKey{r.tenant, got.movement()}], number, func(s []walletState) bool {
			return got.From != nil && got.To != nil && s[places[0]].shows(got.From) && s[places[1]].shows(got.To)
		})
	default:
		e = movement(movements[scopedKey{r.tenant, got.movement()}], number,
			func(s []walletState) bool { return s[places[0]].shows(&got) })
	}
	e.ids, e.from, e.until = r.ids(), r.invoked, r.returned
	e.what = fmt.Sprintf("the %s with the key %q, which was answered %s", r.kind, r.key, r.stored.Body)
	return []*walletEvent{e}
}

// refused reports whether a request for a wallet is rightly refused with a code.
func (r *request) refused(s walletState, code string, want walletRequest) bool {
	hold := s.hold(r.hold())
	switch {
	case r.is("wallet-debit", "wallet-hold", "transfer"):
		return code == "insufficient_funds" && want.Amount != nil && *want.Amount > s.availableAt(r.stored.CreatedAt)
	case code == "invalid_state":
		return r.is("wallet-capture", "wallet-release") && (hold == nil || hold.payment)
	}
	return code == "validation_failed" && r.is("wallet-capture") && hold != nil && want.Amount != nil &&
		*want.Amount > hold.amount
}

// refusedPayment returns what must be true of the wallet if it paid nothing of a payment: it had too little to pay
// alone, or nothing to pay a part. It is nil if the wallet paid, or if the payment was refused for another reason.
func (c *checker) refusedPayment(r *request, want walletRequest, got walletAnswer) func(walletState) bool {
	if got.Code == "insufficient_funds" {
		amount := c.highestPrice(r.subject) // a deposit or a balance is at most that
		if want.Amount != nil {
			amount = *want.Amount
		}
		return func(s walletState) bool { return want.Method == "" && amount > s.availableAt(r.stored.CreatedAt) }
	}
	for _, p := range c.end.Payments {
		if p.Tenant == r.tenant && p.Key == r.key && p.Provider != walletProvider && !c.paysPart[p.ID] {
			return func(s walletState) bool { return s.availableAt(p.CreatedAt) == 0 }
		}
	}
	return nil
}

// ofWalletRead is a read of a wallet.
func (c *checker) ofWalletRead(op history.Operation, number map[string]int) []*walletEvent {
	kind, subject := route(op.Method, op.Path)
	place, known := number[subject]
	if kind != "wallet" || op.Status != 200 || !known {
		return nil
	}
	got := read[walletAnswer](op.Response)
	return []*walletEvent{{
		what: fmt.Sprintf("the answer %s, tagged %s, to GET %s", op.Response, op.ETag, op.Path), ids: []int64{op.ID},
		from:  op.Invoked,
		until: op.Returned,
		step:  func(s []walletState) bool { return s[place].shownBy(&got, op.ETag) },
	}}
}
