package check_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/tools/torture/check"
	"holdfast/tools/torture/history"
)

// walletFixture is a fixture with two wallets and some changes of them.
type walletFixture struct {
	*fixture
	a, b                               string
	credited, transferred, kept, taken *history.Operation
	refused, seen                      *history.Operation
	hold                               string
	open                               map[string][]any // holds, by wallet
	lot                                lot              // of the wallet a
}

// lot is credit that expires.
type lot struct {
	amount  int64
	expires time.Time
}

func (l lot) text() string {
	if l.amount == 0 {
		return ""
	}
	return string(encode([]any{map[string]any{"expires_at": l.expires, "amount": l.amount}}))
}

func newWalletFixture() *walletFixture {
	p := &walletFixture{fixture: newFixture(), open: map[string][]any{}}
	p.a, p.b = p.wallet(), p.wallet()
	p.credited = p.move("credited", p.a, "credits", "credited", 500)
	p.transferred = p.transfer("transferred", p.a, p.b, 200)
	p.refused = p.move("refused", p.b, "debits", "debited", 201)
	p.kept = p.move("kept", p.a, "holds", "held", 100)
	p.hold = p.Entries[len(p.Entries)-1].Hold
	p.seen = p.readWallet(p.a)
	p.taken = p.move("taken", p.a, "holds/"+p.hold+"/capture", "captured", 60)
	return p
}

func (p *walletFixture) wallet() string {
	p.transaction++
	w := check.Wallet{Tenant: p.tenant, ID: uuid.NewString()}
	p.Wallets = append(p.Wallets, w)
	p.enter(w.ID, uuid.NewString(), "opened", 0, 0, 0, "", "")
	return w.ID
}

func (p *walletFixture) of(id string) *check.Wallet {
	return &p.Wallets[slices.IndexFunc(p.Wallets, func(w check.Wallet) bool { return w.ID == id })]
}

// enter adds an entry with its event, and returns the wallet after it as an answer shows it.
func (p *walletFixture) enter(id, movement, entry string, amount, balance, held int64, hold, other string,
) map[string]any {
	w := p.of(id)
	w.Balance, w.Held, w.Version, w.WrittenBy = w.Balance+balance, w.Held+held, w.Version+1, p.transaction
	p.Entries = append(p.Entries, check.WalletEntry{
		Tenant:     p.tenant,
		Wallet:     id,
		Movement:   movement,
		Type:       entry,
		Hold:       hold,
		Other:      other,
		Version:    w.Version,
		Amount:     amount,
		Balance:    w.Balance,
		Held:       w.Held,
		WrittenBy:  p.transaction,
		OccurredAt: p.now(),
	})
	body := p.view(id)
	body["entry"] = map[string]any{
		"version": w.Version, "movement_id": movement, "type": entry, "amount": amount, "balance": w.Balance,
		"held":    w.Held,
		"hold_id": hold,
	}
	p.addEvent("wallet."+entry, "wallet", id, w.Version, body)
	return body
}

func (p *walletFixture) view(id string) map[string]any {
	w := p.of(id)
	body := map[string]any{"id": id, "balance": w.Balance, "held": w.Held, "version": w.Version, "holds": p.open[id]}
	if id == p.a && p.lot.amount > 0 {
		body["expiring"] = []any{map[string]any{"expires_at": p.lot.expires, "amount": p.lot.amount}}
	}
	return body
}

func (p *walletFixture) post(movement, from, fromWallet, to, toWallet string, amount int64) {
	p.Postings = append(p.Postings, check.WalletPosting{
		Tenant:     p.tenant,
		Movement:   movement,
		From:       from,
		FromWallet: fromWallet,
		To:         to,
		ToWallet:   toWallet,
		Amount:     amount,
		WrittenBy:  p.transaction,
	})
}

// move changes one wallet.
func (p *walletFixture) move(key, id, part, entry string, amount int64) *history.Operation {
	return p.copied(p.request("POST", "/v1/wallets/"+id+"/"+part, key, map[string]any{"amount": amount}, func() (int,
		string, any) {
		movement := uuid.NewString()
		switch w := p.of(id); {
		case entry == "debited" && amount > w.Balance-w.Held:
			return refuse(422, "insufficient_funds")
		case entry == "credited":
			p.post(movement, "issued", "", "available", id, amount)
			return 201, "", p.enter(id, movement, entry, amount, amount, 0, "", "")
		case entry == "held":
			hold := uuid.NewString()
			p.open[id] = append(p.open[id], map[string]any{"id": hold, "amount": amount})
			p.post(movement, "available", id, "held", id, amount)
			return 201, "", p.enter(id, movement, entry, amount, 0, amount, hold, "")
		case entry == "captured":
			p.open[id] = nil
			p.post(movement, "held", id, "redeemed", "", amount)
			p.post(movement, "held", id, "available", id, 100-amount)
			return 201, "", p.enter(id, movement, entry, amount, -amount, -100, p.hold, "")
		}
		p.post(movement, "available", id, "redeemed", "", amount)
		return 201, "", p.enter(id, movement, entry, amount, -amount, 0, "", "")
	}))
}

// refuseCapture refuses to capture a hold. No key keeps that.
func (p *walletFixture) refuseCapture(id, hold string, amount int64, code string) {
	p.request("POST", "/v1/wallets/"+id+"/holds/"+hold+"/capture", uuid.NewString(), map[string]any{"amount": amount},
		func() (int, string, any) {
			return refuse(422, code)
		})
}

func (p *walletFixture) transfer(key, from, to string, amount int64) *history.Operation {
	return p.copied(p.request("POST", "/v1/transfers", key, map[string]any{"from": from, "to": to, "amount": amount},
		func() (int, string, any) {
			movement := uuid.NewString()
			p.post(movement, "available", from, "available", to, amount)
			p.enter(from, movement, "transferred_out", amount, -amount, 0, "", to)
			p.enter(to, movement, "transferred_in", amount, amount, 0, "", from)
			return 201, "", map[string]any{"movement_id": movement, "amount": amount, "from": p.view(from),
				"to": p.view(to)}
		}))
}

func (p *walletFixture) readWallet(id string) *history.Operation {
	return p.copied(p.request("GET", "/v1/wallets/"+id, "", nil,
		func() (int, string, any) { return 200, "", p.view(id) }))
}

func (*walletFixture) copied(op *history.Operation) *history.Operation {
	c := *op
	return &c
}

// op is the operation in the fixture that a copy was made of.
func (p *walletFixture) op(c *history.Operation) *history.Operation { return &p.ops[c.ID] }

func TestCheck_EachBrokenRuleOfWalletsIsFound(t *testing.T) {
	t.Parallel()
	require.Empty(t, newWalletFixture().check())
	for _, test := range []struct {
		name  string
		rule  string
		wrong func(p *walletFixture)
	}{
		{"a version is left out", check.RuleWallet, func(p *walletFixture) { p.Entries[len(p.Entries)-1].Version++ }},
		{"two entries have a version", check.RuleWallet,
			func(p *walletFixture) { p.Entries[len(p.Entries)-1].Version-- }},
		{"an entry's balance isn't the sum", check.RuleWallet, func(p *walletFixture) { p.Entries[2].Balance++ }},
		{"the row isn't the sum of the entries", check.RuleWallet, func(p *walletFixture) { p.of(p.a).Balance++ }},
		{"the row was written by another transaction", check.RuleWallet,
			func(p *walletFixture) { p.of(p.a).WrittenBy-- }},
		{"a posting is missing", check.RuleWallet, func(p *walletFixture) { p.Postings = p.Postings[1:] }},
		{"a posting was written by another transaction", check.RuleWallet,
			func(p *walletFixture) { p.Postings[0].WrittenBy++ }},
		{"more is spent than there is", check.RuleWallet, func(p *walletFixture) {
			p.of(p.b).Balance += 100
			p.move("more", p.b, "debits", "debited", 300)
			p.of(p.b).Balance -= 100
		}},
		{"a hold ends twice", check.RuleWallet,
			func(p *walletFixture) { p.move("again", p.a, "holds/"+p.hold+"/capture", "captured", 60) }},
		{"a refusal although there is enough", check.RuleWallet,
			func(p *walletFixture) { p.op(p.refused).Request = encode(map[string]any{"amount": 199}) }},
		{"a hold isn't captured although it is open", check.RuleWallet, func(p *walletFixture) {
			p.move("new", p.b, "holds", "held", 100)
			p.refuseCapture(p.b, p.Entries[len(p.Entries)-1].Hold, 100, "invalid_state")
		}},
		{"a hold isn't captured although it is as large", check.RuleWallet, func(p *walletFixture) {
			p.move("new", p.b, "holds", "held", 100)
			p.refuseCapture(p.b, p.Entries[len(p.Entries)-1].Hold, 100, "validation_failed")
		}},
		{"a read is older than an answer before it", check.RuleWallet, func(p *walletFixture) {
			op := p.readWallet(p.a)
			p.op(op).Response, p.op(op).ETag = p.seen.Response, p.seen.ETag
		}},
		{"a read is newer than what there is", check.RuleWallet, func(p *walletFixture) {
			p.op(p.seen).Response = encode(map[string]any{"id": p.a, "balance": 240, "held": 0, "version": 5})
			p.op(p.seen).ETag = `"5"`
		}},
		{"a wallet isn't found", check.RuleWallet, func(p *walletFixture) {
			op := p.op(p.move("lost", p.a, "debits", "debited", 1000))
			op.Status, op.Code = 404, "not_found"
		}},
		{"a change without a request", check.RuleUnasked, func(p *walletFixture) { p.ops = p.ops[1:] }},
		{"an acknowledged change isn't there", check.RuleLost, func(p *walletFixture) {
			p.Entries = slices.DeleteFunc(p.Entries, func(e check.WalletEntry) bool { return e.Type == "captured" })
		}},
		{"a transfer has two entries of one wallet", check.RuleLost, func(p *walletFixture) {
			in := slices.IndexFunc(p.Entries, func(e check.WalletEntry) bool { return e.Type == "transferred_in" })
			p.Entries[in] = p.Entries[in-1]
		}},
		{"an entry and its key were committed apart", check.RuleKey,
			func(p *walletFixture) { p.key("credited").WrittenBy++ }},
		{"one movement has two keys", check.RuleKey, func(p *walletFixture) {
			op := p.copied(p.move("twice", p.a, "credits", "credited", 500))
			p.op(op).Response, p.op(op).ETag = p.credited.Response, p.credited.ETag
			p.key("twice").Body = p.credited.Response
		}},
		{"a transfer between other wallets", check.RuleAnswer, func(p *walletFixture) {
			p.op(p.transferred).Request = encode(map[string]any{"from": p.b, "to": p.a, "amount": 200})
		}},
		{"another amount", check.RuleAnswer,
			func(p *walletFixture) { p.op(p.credited).Request = encode(map[string]any{"amount": 501}) }},
		{"an entry without an event", check.RuleChange,
			func(p *walletFixture) { p.Changes = p.Changes[:len(p.Changes)-1] }},
		{"an event shows another balance", check.RuleChange, func(p *walletFixture) {
			e := &p.Changes[len(p.Changes)-1]
			e.Data = p.Changes[len(p.Changes)-2].Data
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newWalletFixture()
			test.wrong(p)
			rules := []string{}
			for _, v := range p.check() {
				rules = append(rules, v.Rule)
			}
			require.Contains(t, rules, test.rule)
		})
	}
}

func TestCheck_HoldThatHasEndedOrIsTooSmall_IsRightlyNotCaptured(t *testing.T) {
	t.Parallel()
	p := newWalletFixture()
	p.refuseCapture(p.a, p.hold, 60, "invalid_state")
	p.move("new", p.b, "holds", "held", 100)
	p.refuseCapture(p.b, p.Entries[len(p.Entries)-1].Hold, 101, "validation_failed")
	require.Empty(t, p.check())
}

func TestCheck_TransferWithoutAnswer_IsSeenAnyTimeFromItsInvocationOn(t *testing.T) {
	t.Parallel()
	p := newWalletFixture()
	p.op(p.transferred).Status, p.op(p.transferred).Response, p.op(p.transferred).Returned = 0, nil, 0
	p.op(p.transferred).Outcome, p.op(p.transferred).Error = history.Unknown, "no answer"
	require.Empty(t, p.check())

	p.op(p.seen).Invoked, p.op(p.seen).Returned = p.op(p.transferred).Invoked-2*time.Microsecond, p.op(
		p.transferred).Invoked-time.Microsecond
	require.NotEmpty(t, p.check(), "a read shows what was requested after it")
}
