package check

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/tools/torture/history"
)

// Wallet is a row of the wallets. Lots is the credit that expires, as JSON, empty for none. WrittenBy is as in Key.
type Wallet struct {
	Tenant, ID, Lots                  string
	Balance, Held, Version, WrittenBy int64
}

// WalletEntry is a change of a wallet, with the balance after it. Lots is the credit that expires of what it adds, or
// what it ends, as JSON. WrittenBy is as in Key.
type WalletEntry struct {
	Tenant, Wallet, Movement, Type            string
	Hold, Other, Booking, Payment, Lots       string // empty for none
	Version, Amount, Balance, Held, WrittenBy int64
	OccurredAt                                time.Time
}

// WalletPosting takes an amount from one account and gives it to another. WrittenBy is as in Key.
type WalletPosting struct {
	Tenant, Movement, From, To string
	FromWallet, ToWallet       string // empty for a tenant's own account
	Amount, WrittenBy          int64
}

func (s *State) readWallets(ctx context.Context, tx pgx.Tx) (err error) {
	if s.Wallets, err = collect[Wallet](ctx, tx, `
		SELECT tenant_id::text AS tenant, wallet_id::text AS id, balance, held, version, xmin::text::bigint AS written_by,
			coalesce(state ->> 'batches', '') AS lots
		FROM wallets ORDER BY tenant_id, wallet_id`); err != nil {
		return err
	}
	if s.Entries, err = collect[WalletEntry](ctx, tx, `
		SELECT tenant_id::text AS tenant, wallet_id::text AS wallet, movement_id::text AS movement, type,
			coalesce(hold_id::text, '') AS hold,
			coalesce(other_wallet_id::text, '') AS other, coalesce(booking_id::text, '') AS booking,
			coalesce(payment_id::text, '') AS payment,
			coalesce(batches::text, '') AS lots, version, amount, balance, held, xmin::text::bigint AS written_by, occurred_at
		FROM wallet_entries ORDER BY tenant_id, wallet_id, version`); err != nil {
		return err
	}
	s.Postings, err = collect[WalletPosting](ctx, tx, `
		SELECT tenant_id::text AS tenant, movement_id::text AS movement, from_account AS "from", to_account AS "to",
			coalesce(from_wallet::text, '') AS from_wallet, coalesce(to_wallet::text, '') AS to_wallet, amount,
			xmin::text::bigint AS written_by
		FROM wallet_postings`)
	return err
}

// walletKinds are the requests that change wallets, with the type of the entry that each makes.
var walletKinds = map[string]string{
	"wallet-credit": "credited", "wallet-debit": "debited", "wallet-hold": "held", "wallet-capture": "captured",
	"wallet-release": "released",
	"transfer":       "transferred_out",
}

// walletAnswer is a wallet in an answer, with the entry that changed it, or a transfer with its two wallets.
type walletAnswer struct {
	ID      string `json:"id"`
	Balance int64  `json:"balance"`
	Held    int64  `json:"held"`
	Version int64  `json:"version"`
	// Expiring is what expires of what is available.
	Expiring []walletLot        `json:"expiring"`
	Holds    []walletAnswerHold `json:"holds"`
	Entry    walletAnswerEntry  `json:"entry"`
	Movement string             `json:"movement_id"`
	Amount   int64              `json:"amount"`
	From     *walletAnswer      `json:"from"`
	To       *walletAnswer      `json:"to"`
	Code     string             `json:"code"`
}

type walletAnswerHold struct {
	ID     string `json:"id"`
	Amount int64  `json:"amount"`
}

type walletAnswerEntry struct {
	Version  int64  `json:"version"`
	Movement string `json:"movement_id"`
	Type     string `json:"type"`
	Amount   int64  `json:"amount"`
	Balance  int64  `json:"balance"`
	Held     int64  `json:"held"`
	Hold     string `json:"hold_id"`
}

// movement is the id of the movement that an answer shows.
func (a walletAnswer) movement() string { return a.Entry.Movement + a.Movement }

// walletRequest is what is read of the requests that change wallets, or pay from one.
type walletRequest struct {
	From         string `json:"from"`
	To           string `json:"to"`
	Amount       *int64 `json:"amount"`
	Wallet       string `json:"wallet_id"`
	WalletAmount *int64 `json:"wallet_amount"`
	Method       string `json:"payment_method"`
}

// hold is the hold in a path, empty without one.
func (r *request) hold() string {
	if parts := strings.Split(r.tries[0].Path, "/"); len(parts) > 6 {
		return parts[5]
	}
	return ""
}

// changesWallet reports whether the request changes a wallet.
func (r *request) changesWallet() bool { return walletKinds[r.kind] != "" }

// walletMismatch says how an answer differs from its request, and is empty if it doesn't.
func (r *request) walletMismatch(op history.Operation) string {
	want, got := read[walletRequest](op.Request), read[walletAnswer](op.Response)
	amount := got.Entry.Amount + got.Amount
	switch {
	case want.Amount != nil && *want.Amount != amount:
		return "another amount"
	case r.is("transfer") && (got.From == nil || got.To == nil || got.From.ID != want.From || got.To.ID != want.To):
		return "other wallets"
	case r.is("transfer"):
		return ""
	case got.ID != r.subject:
		return "another wallet"
	case got.Entry.Type != walletKinds[r.kind]:
		return "another entry"
	case r.hold() != "" && got.Entry.Hold != r.hold():
		return "another hold"
	case !tagged(op):
		return "the entity tag " + op.ETag
	}
	return ""
}

// wallets checks that entries, postings and balances agree with each other and with the requests, and that the answers
// have an order.
func (c *checker) wallets() {
	entries := map[scopedKey][]*WalletEntry{} // by wallet
	movements := map[scopedKey][]*WalletEntry{}
	for i := range c.end.Entries {
		e := &c.end.Entries[i]
		entries[scopedKey{e.Tenant, e.Wallet}] = append(entries[scopedKey{e.Tenant, e.Wallet}], e)
		movements[scopedKey{e.Tenant, e.Movement}] = append(movements[scopedKey{e.Tenant, e.Movement}], e)
		if e.Type == "held" && e.Payment != "" {
			c.paysPart[e.Payment] = true
		}
	}
	for _, list := range movements {
		inTurn(list)
	}
	for _, r := range c.requests {
		for _, op := range r.tries {
			if r.changesWallet() && op.Code == "not_found" { // clients name wallets and holds that exist
				c.violate(RuleWallet, []int64{op.ID}, "%s %s %s was answered not_found", op.Method, op.Path, op.Request)
			}
		}
	}
	for i := range c.end.Wallets {
		w := &c.end.Wallets[i]
		c.walletEntries(w, entries[scopedKey{w.Tenant, w.ID}])
	}
	c.walletPostings(movements)
	c.walletRequests(movements)
	c.walletPayments()
	c.walletSums()
	c.walletAnswers(movements)
}

// walletEntries checks that a wallet's entries are gapless, follow from each other, and add up to the wallet's row.
func (c *checker) walletEntries(w *Wallet, entries []*WalletEntry) {
	var state walletState
	for _, e := range entries {
		if why := state.apply(e); why != "" {
			c.violate(RuleWallet, c.moverOf(e),
				"the entry %d (%s of %d, then %d, of which %d are held) of the wallet %s can't follow: %s",
				e.Version, e.Type,
				e.Amount, e.Balance, e.Held, w.ID, why)
			return
		}
	}
	switch n := len(entries); {
	case state.version != w.Version || n == 0:
		c.violate(RuleWallet, nil, "the wallet %s is at version %d and has %d entries", w.ID, w.Version, n)
	case w.Balance != state.balance || w.Held != state.held || !sameLots(readLots(w.Lots), state.lots):
		c.violate(RuleWallet, nil,
			"the wallet %s has %d, of which %d are held and %s expires, and its entries add up to %+v", w.ID,
			w.Balance, w.Held, w.Lots, state)
	case entries[n-1].WrittenBy != w.WrittenBy:
		c.violate(RuleWallet, nil, "the wallet %s wasn't written in the commit of its entry %d", w.ID, n)
	}
	if late := state.expired(c.end.Now.Add(-longestLapse)); len(late) > 0 {
		c.violate(RuleUnsettled, nil, "%v of the wallet %s has expired, and no entry ends it", late, w.ID)
	}
	for _, h := range state.holds {
		if p := c.payment[h.id]; h.payment && (p == nil || p.Status == succeeded || p.Status == declined) {
			c.violate(RuleMoney, nil, "the wallet %s holds %d for the payment %s, which isn't open", w.ID, h.amount,
				h.id)
		}
	}
}

// moverOf are the operations of the request that made an entry.
func (c *checker) moverOf(e *WalletEntry) []int64 {
	r := c.movers[scopedKey{e.Tenant, e.Movement}]
	if r == nil {
		r = c.payerOf(e)
	}
	if r == nil {
		return nil
	}
	return r.ids()
}

// walletPostings checks that the postings come to the wallets' rows, and that each was written in the commit of its
// movement.
func (c *checker) walletPostings(movements map[scopedKey][]*WalletEntry) {
	type account struct{ tenant, wallet, name string }
	sums := map[account]int64{}
	for _, p := range c.end.Postings {
		sums[account{p.Tenant, p.FromWallet, p.From}] -= p.Amount
		sums[account{p.Tenant, p.ToWallet, p.To}] += p.Amount
		entries := movements[scopedKey{p.Tenant, p.Movement}]
		if len(entries) == 0 || entries[0].WrittenBy != p.WrittenBy {
			c.violate(RuleWallet, nil, "a posting of the movement %s wasn't written in the commit of its entries",
				p.Movement)
		}
	}
	for _, w := range c.end.Wallets {
		available, held := sums[account{w.Tenant, w.ID, "available"}], sums[account{w.Tenant, w.ID, "held"}]
		if available != w.Balance-w.Held || held != w.Held {
			c.violate(RuleWallet, nil,
				"the postings of the wallet %s come to %d available and %d held, and it has %d and %d", w.ID,
				available, held,
				w.Balance-w.Held, w.Held)
		}
	}
}

// walletRequests checks that each request that was carried out made one movement, as it was answered, in the commit of
// its key, and that each movement was requested.
func (c *checker) walletRequests(movements map[scopedKey][]*WalletEntry) {
	for _, r := range c.requests {
		if !r.changesWallet() || !r.happened() {
			continue
		}
		got := read[walletAnswer](r.stored.Body)
		id := scopedKey{r.tenant, got.movement()}
		if other := c.movers[id]; other != r {
			c.violate(RuleKey, append(other.ids(), r.ids()...), "the keys %q and %q have the movement %s in common",
				other.key, r.key,
				id.key)
		}
		want := []WalletEntry{{
			Wallet: r.subject, Type: walletKinds[r.kind], Amount: got.Entry.Amount, Version: got.Entry.Version,
			Hold:    got.Entry.Hold,
			Balance: got.Entry.Balance,
			Held:    got.Entry.Held,
		}}
		if got.From != nil && got.To != nil {
			want = []WalletEntry{
				{Wallet: got.From.ID, Type: "transferred_out", Amount: got.Amount, Version: got.From.Version,
					Other:   got.To.ID,
					Balance: got.From.Balance, Held: got.From.Held},
				{Wallet: got.To.ID, Type: "transferred_in", Amount: got.Amount, Version: got.To.Version,
					Other:   got.From.ID,
					Balance: got.To.Balance, Held: got.To.Held},
			}
		}
		// Credit that had expired ended with the request.
		entries := slices.DeleteFunc(slices.Clone(movements[id]),
			func(e *WalletEntry) bool { return e.Type == "expired" })
		if len(entries) != len(want) {
			c.violate(RuleLost, r.ids(), "the %s with the key %q has %d entries", r.kind, r.key, len(entries))
			continue
		}
		for i, e := range entries { // inTurn: what a transfer takes comes first
			same := *e
			same.Tenant, same.Movement, same.WrittenBy, same.Lots, same.OccurredAt = "", "", 0, "", time.Time{}
			if same != want[i] {
				c.violate(RuleLost, r.ids(), "the %s with the key %q was answered %s, and its entry is %+v", r.kind,
					r.key, r.stored.Body,
					*e)
			}
			if e.WrittenBy != r.stored.WrittenBy {
				c.violate(RuleKey, r.ids(), "the entry %d of the wallet %s wasn't written in the commit of the key %q",
					e.Version, e.Wallet,
					r.key)
			}
		}
	}
	for id, entries := range movements {
		for _, e := range entries {
			// Opening, and expiry, need no request; walletPayments checks those of payments.
			if e.Type != "opened" && e.Type != "expired" && e.Payment == "" && c.movers[id] == nil {
				c.violate(RuleUnasked, nil,
					"the entry %d (%s) of the wallet %s is there, and no stored answer shows it", e.Version, e.Type,
					e.Wallet)
			}
		}
	}
}

// walletSums checks that what a tenant's wallets have is what clients added and spent, less what expired. Transfers and
// holds change nothing of it.
func (c *checker) walletSums() {
	sums := map[string]int64{} // by tenant
	for _, r := range c.requests {
		if !r.changesWallet() || !r.happened() {
			continue
		}
		amount := read[walletAnswer](r.stored.Body).Entry.Amount
		switch r.kind {
		case "wallet-credit":
			sums[r.tenant] += amount
		case "wallet-debit", "wallet-capture":
			sums[r.tenant] -= amount
		}
	}
	for _, p := range c.end.Payments {
		switch {
		case p.Provider != walletProvider || p.Status != succeeded:
		case p.RefundOf != "":
			sums[p.Tenant] += p.Amount
		default:
			sums[p.Tenant] -= p.Amount
		}
	}
	for _, e := range c.end.Entries {
		if e.Type == "expired" {
			sums[e.Tenant] -= e.Amount
		}
	}
	has := map[string]int64{}
	for _, w := range c.end.Wallets {
		has[w.Tenant] += w.Balance
	}
	for tenant, sum := range has {
		if sum != sums[tenant] {
			c.violate(RuleWallet, nil, "the wallets of the tenant %s have %d, and what was added and spent comes to %d",
				tenant, sum,
				sums[tenant])
		}
	}
}

// walletEvents checks that each entry has one change, which shows it and was written in its commit.
func (c *checker) walletEvents() {
	known := map[subject]bool{}
	events := map[subject][]*Change{}
	for _, w := range c.end.Wallets {
		s := subject{"wallet", w.Tenant, w.ID}
		known[s] = true
		if c.inOrder(s, w.Version) {
			events[s] = c.feed[s]
		}
	}
	for i := range c.end.Entries {
		e := &c.end.Entries[i]
		feed := events[subject{"wallet", e.Tenant, e.Wallet}]
		if e.Version < 1 || e.Version > int64(len(feed)) {
			continue
		}
		event := feed[e.Version-1]
		c.writtenBy(event, e.WrittenBy, "the entry", c.moverOf(e))
		want := walletAnswerEntry{
			Version:  e.Version,
			Movement: e.Movement,
			Type:     e.Type,
			Amount:   e.Amount,
			Balance:  e.Balance,
			Held:     e.Held,
			Hold:     e.Hold,
		}
		got := read[walletAnswer](event.Data)
		if event.Type != "wallet."+e.Type || got.ID != e.Wallet || got.Balance != e.Balance || got.Held != e.Held ||
			got.Version != e.Version || got.Entry != want {
			c.violate(RuleChange, c.moverOf(e), "the event %s (%s, %d) of the wallet %s shows %s, and the entry is %+v",
				event.ID,
				event.Type, event.Sequence,
				e.Wallet, event.Data, *e)
		}
	}
	for s := range c.feed {
		if s.kind == "wallet" && !known[s] {
			c.violate(RuleChange, nil, "there are events of the wallet %s, which isn't there", s.id)
		}
	}
}
