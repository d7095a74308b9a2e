package check_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/tools/torture/check"
	"holdfast/tools/torture/history"
)

// paymentFixture is a walletFixture with a booking that its wallet a pays, and with credit that expires.
type paymentFixture struct {
	*walletFixture
	booking            string
	alone, card, part  check.Payment
	poor, none, before *history.Operation
	expires            time.Time
}

func newPaymentFixture() *paymentFixture {
	p := &paymentFixture{walletFixture: newWalletFixture()}
	p.booking = p.booked()
	p.expires = p.now().Add(time.Minute).Truncate(time.Second)
	p.credit("expiring", 300) // a has 540 with it
	p.alone = p.payFrom("alone", "", 100, 100)
	p.card = p.payFrom("card", "pm_ok", 250, 150)
	p.part = p.Payments[len(p.Payments)-1]
	p.payFrom("declined", "pm_declined", 40, 20)
	p.refundTo("back", p.alone, 30)
	p.poor = p.copied(p.request(http.MethodPost, "/v1/bookings/"+p.booking+"/payments", "poor", p.order("", 1000, 0),
		func() (int, string, any) {
			return refuse(422, "insufficient_funds")
		}))
	p.before = p.readWallet(p.a)
	p.sleep(2 * time.Minute)
	p.expire()
	p.readWallet(p.a)
	p.none = p.move("past", p.b, "debits", "debited", 200)
	return p
}

func (p *paymentFixture) booked() string {
	service := p.service("date", 0, p.resource(1))
	p.create("book", wanted{service: service, date: p.now().AddDate(0, 0, 3).Format(time.DateOnly), party: 1})
	return p.Bookings[0].ID
}

// credit gives the wallet a credit that expires.
func (p *paymentFixture) credit(key string, amount int64) {
	p.request(http.MethodPost, "/v1/wallets/"+p.a+"/credits", key,
		map[string]any{"amount": amount, "expires_at": p.expires},
		func() (int, string, any) {
			movement := uuid.NewString()
			p.post(movement, "issued", "", "available", p.a, amount)
			p.lot = lot{amount, p.expires}
			p.of(p.a).Lots = p.lot.text()
			body := p.enter(p.a, movement, "credited", amount, amount, 0, "", "")
			p.entry().Lots = p.lot.text()
			return 201, "", body
		})
}

// entry is the newest one.
func (p *paymentFixture) entry() *check.WalletEntry { return &p.Entries[len(p.Entries)-1] }

// find returns the first entry of a type.
func (p *paymentFixture) find(entry string) *check.WalletEntry {
	return &p.Entries[slices.IndexFunc(p.Entries, func(e check.WalletEntry) bool { return e.Type == entry })]
}

// spend takes an amount of the credit that expires.
func (p *paymentFixture) spend(amount int64) {
	p.lot.amount -= amount
	p.of(p.a).Lots = p.lot.text()
}

func (p *paymentFixture) order(method string, amount, fromWallet int64) map[string]any {
	body := map[string]any{"kind": "amount", "amount": amount, "wallet_id": p.a}
	if method != "" {
		body["payment_method"], body["wallet_amount"] = method, fromWallet
	}
	return body
}

func (p *paymentFixture) row(key, provider string, amount int64) check.Payment {
	return check.Payment{
		Tenant:    p.tenant,
		ID:        uuid.NewString(),
		Booking:   p.booking,
		Kind:      "amount",
		Status:    "succeeded",
		Currency:  "EUR",
		Provider:  provider,
		Wallet:    p.a,
		Key:       key,
		Amount:    amount,
		CreatedAt: p.now(),
		UpdatedAt: p.now(),
	}
}

// enterPayment adds an entry of a payment.
func (p *paymentFixture) enterPayment(entry string, amount, balance, held int64, hold, payment string) {
	movement := uuid.NewString()
	switch entry {
	case "paid":
		p.post(movement, "available", p.a, "redeemed", "", amount)
	case "held":
		p.post(movement, "available", p.a, "held", p.a, amount)
	case "captured":
		p.post(movement, "held", p.a, "redeemed", "", amount)
	case "released":
		p.post(movement, "held", p.a, "available", p.a, amount)
	case "refunded":
		p.post(movement, "refunds", "", "available", p.a, amount)
	}
	p.enter(p.a, movement, entry, amount, balance, held, hold, "")
	p.entry().Payment, p.entry().Booking = payment, p.booking
}

// payFrom pays from the wallet: alone, or fromWallet with a card for the rest.
func (p *paymentFixture) payFrom(key, method string, amount, fromWallet int64) (row check.Payment) {
	p.request(http.MethodPost, "/v1/bookings/"+p.booking+"/payments", key, p.order(method, amount, fromWallet), func() (int, string, any) {
		p.spend(fromWallet)
		if method == "" {
			row = p.row(key, "wallet", amount)
			p.enterPayment("paid", amount, -amount, 0, "", row.ID)
			p.complete(row)
			return 201, "", paymentBody(row)
		}
		row = p.row(key, "sandbox", amount-fromWallet)
		row.WalletAmount, row.ProviderID, row.Method = fromWallet, "ch_"+key, method
		p.open[p.a] = []any{map[string]any{"id": row.ID, "amount": fromWallet}}
		p.enterPayment("held", fromWallet, 0, fromWallet, row.ID, row.ID)
		p.open[p.a] = nil
		if method != "pm_ok" {
			p.spend(-fromWallet)
			row.Status, row.WalletAmount, row.ProviderID = "declined", 0, ""
			p.enterPayment("released", fromWallet, 0, -fromWallet, row.ID, row.ID)
			p.complete(row)
			return 402, "payment_declined",
				map[string]any{"status": 402, "code": "payment_declined", "payment_id": row.ID}
		}
		part := p.row("", "wallet", fromWallet)
		part.CardPayment = row.ID
		p.enterPayment("captured", fromWallet, -fromWallet, -fromWallet, row.ID, part.ID)
		p.complete(row)
		p.complete(part)
		body := paymentBody(row)
		body["wallet_amount"] = fromWallet
		return 201, "", body
	})
	return row
}

// refundTo gives an amount of a payment back to the wallet.
func (p *paymentFixture) refundTo(key string, of check.Payment, amount int64) {
	p.request(http.MethodPost, "/v1/payments/"+of.ID+"/refunds", key, map[string]any{"amount": amount}, func() (int,
		string, any) {
		row := p.row(key, "wallet", amount)
		row.RefundOf, row.Kind = of.ID, "refund"
		p.enterPayment("refunded", amount, amount, 0, "", row.ID)
		p.complete(row)
		return 201, "", paymentBody(row)
	})
}

// expire ends what has expired.
func (p *paymentFixture) expire() {
	p.transaction++
	movement, amount, lots := uuid.NewString(), p.lot.amount, p.lot.text()
	p.post(movement, "available", p.a, "expired", "", amount)
	p.spend(amount)
	p.enter(p.a, movement, "expired", amount, -amount, 0, "", "")
	p.entry().Lots = lots
}

func TestCheck_EachBrokenRuleOfPaymentsFromWalletsIsFound(t *testing.T) {
	t.Parallel()
	require.Empty(t, newPaymentFixture().check())
	for _, test := range []struct {
		name, rule, detail string
		wrong              func(p *paymentFixture)
	}{
		{"a payment without an entry", check.RuleMoney, "has 0 entries",
			func(p *paymentFixture) { p.find("paid").Payment = uuid.NewString() }},
		{"a payment of another amount than its entry", check.RuleMoney, "has the entry",
			func(p *paymentFixture) { p.payment(p.alone.ID).Amount++ }},
		{"a payment was committed apart from its entry", check.RuleMoney, "wasn't written in the commit of its entry",
			func(p *paymentFixture) { p.payment(p.alone.ID).WrittenBy++ }},
		{"an entry without its payment", check.RuleMoney, "which isn't there", func(p *paymentFixture) {
			p.Payments = slices.DeleteFunc(p.Payments, func(o check.Payment) bool { return o.ID == p.alone.ID })
		}},
		{"an entry of another booking", check.RuleMoney, "of another wallet or booking",
			func(p *paymentFixture) { p.find("paid").Booking = uuid.NewString() }},
		{"the wallet paid although the card was declined", check.RuleMoney, "by card is declined",
			func(p *paymentFixture) { p.payment(p.card.ID).Status = "declined" }},
		{"the wallet didn't pay beside a card that paid", check.RuleMoney, "the wallet paid 0", func(p *paymentFixture) {
			p.Payments = slices.DeleteFunc(p.Payments, func(o check.Payment) bool { return o.ID == p.part.ID })
		}},
		{"the wallet's part was given back and the card's wasn't", check.RuleMoney, "was given back, and 0", func(p *paymentFixture) {
			p.payment(p.card.ID).WalletAmount = 0
		}},
		{"a hold of a payment that is complete", check.RuleMoney, "which isn't open", func(p *paymentFixture) {
			p.enterPayment("held", 10, 0, 10, p.card.ID, p.card.ID)
		}},
		{"the wallet held less than it could", check.RuleWallet, "explains the entry", func(p *paymentFixture) {
			r := p.order("pm_ok", 250, 160)
			p.ops[slices.IndexFunc(p.ops,
				func(o history.Operation) bool { return o.Key == "card" })].Request = encode(r)
		}},
		{"a payment was refused although there was enough", check.RuleWallet, "explains the pay with the key \"poor\"",
			func(p *paymentFixture) { p.op(p.poor).Request = encode(p.order("", 250, 0)) }},
		{"a card paid all although the wallet had credit", check.RuleWallet,
			"explains the pay with the key \"ignored\"",
			func(p *paymentFixture) {
				p.request(http.MethodPost, "/v1/bookings/"+p.booking+"/payments", "ignored", p.order("pm_ok", 10, 10),
					func() (int, string, any) {
						row := p.row("ignored", "sandbox", 10)
						row.ProviderID, row.Method = "ch_ignored", "pm_ok"
						p.complete(row)
						return 201, "", paymentBody(row)
					})
			}},
		{"a refund to a wallet without an entry", check.RuleMoney, "has 0 entries",
			func(p *paymentFixture) { p.find("refunded").Payment = p.alone.ID }},
		{"credit ends before it expires", check.RuleWallet, "and [] has expired",
			func(p *paymentFixture) { p.find("expired").OccurredAt = p.expires.Add(-time.Second) }},
		{"less ends than expires", check.RuleWallet, "it ends",
			func(p *paymentFixture) { p.find("expired").Lots = lot{1, p.expires}.text() }},
		{"credit is spent after it expired", check.RuleWallet, "has expired before",
			func(p *paymentFixture) { p.find("paid").OccurredAt = p.expires }},
		{"the row has other credit that expires than its entries", check.RuleWallet, "its entries add up to", func(p *paymentFixture) {
			p.of(p.a).Lots = lot{1, p.expires}.text()
		}},
		{"credit that expired is still there", check.RuleUnsettled, "no entry ends it", func(p *paymentFixture) {
			p.Entries = slices.DeleteFunc(p.Entries, func(e check.WalletEntry) bool { return e.Type == "expired" })
		}},
		{"a read shows credit that isn't there", check.RuleWallet, "to GET", func(p *paymentFixture) {
			op := p.readWallet(p.a)
			p.op(op).Response, p.op(op).ETag = p.before.Response, p.before.ETag
		}},
		{"credit that expired is stored as a debit", check.RuleWallet, "what was added and spent",
			func(p *paymentFixture) { p.find("expired").Type = "debited" }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPaymentFixture()
			test.wrong(p)
			require.True(t, slices.ContainsFunc(p.check(), func(v check.Violation) bool {
				return v.Rule == test.rule && strings.Contains(v.Detail, test.detail)
			}), "%v", p.check())
		})
	}
}

func TestCheck_BalanceWasMoreThanTheWalletHadBeforeThePriceFell_IsRightlyRefused(t *testing.T) {
	t.Parallel()
	p := newPaymentFixture()
	p.op(p.poor).Request = encode(map[string]any{"kind": "balance", "wallet_id": p.a})
	b := p.Bookings[0]
	p.reschedule("cheaper", p.booking, wanted{
		service: b.Service, date: b.StartsAt.AddDate(0, 0, 1).Format(time.DateOnly), party: 1, price: 200,
	})
	require.EqualValues(t, 200, p.Bookings[0].Price)
	require.Empty(t, p.check())
}

// A server leaves out of a read what has expired by its own clock, which may be wrong.
func TestCheck_ReadLeavesOutCreditThatExpires_IsAccepted(t *testing.T) {
	t.Parallel()
	p := newPaymentFixture()
	body := map[string]any{}
	for k, v := range p.view(p.a) {
		body[k] = v
	}
	body["version"] = p.find("expired").Version - 1
	op := p.op(p.before)
	op.Response, op.ETag = encode(body), fmt.Sprintf(`"%d-1"`, body["version"])
	require.Empty(t, p.check())

	op.ETag = fmt.Sprintf(`"%d"`, body["version"])
	require.NotEmpty(t, p.check(), "the tag is that of the wallet with the credit")
}
