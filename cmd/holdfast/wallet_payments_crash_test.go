package main

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/payment/sandbox"
)

// Part of the price that a wallet pays beside a card.
const walletPart = 1_500

// walletDeathbed is a moment of a payment from a wallet at which its server is killed. write and before are those of
// deathbed.
type walletDeathbed struct {
	name     string
	alone    bool // the wallet pays all
	write    string
	before   bool
	held     int64 // what the wallet holds afterwards
	payments int   // rows that are left
}

var walletDeathbeds = []walletDeathbed{
	{name: "wallet alone, before the payment commits", alone: true, write: "PaymentInsertSucceeded", before: true},
	{name: "wallet alone, after the payment committed", alone: true, write: "PaymentInsertSucceeded", payments: 1},
	{name: "before the attempt commits", write: "PaymentInsert", before: true},
	{name: "after the attempt committed", write: "PaymentInsert", held: walletPart, payments: 1},
	{name: "after the provider captured", held: walletPart, payments: 1},
	{name: "before the result commits", write: "PaymentSet", before: true, held: walletPart, payments: 1},
	{name: "after the result committed and before the answer", write: "PaymentSet", payments: 2},
}

func TestServe_KilledAtAnyMomentOfAPaymentFromAWallet_RetryPaysOnce(t *testing.T) {
	t.Parallel()
	for _, d := range walletDeathbeds {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			d.try(t)
		})
	}
}

func (d walletDeathbed) try(t *testing.T) {
	t.Helper()
	k := newTill(t)
	var running atomic.Pointer[proc]
	kill := func() bool {
		running.Load().Kill()
		return true
	}
	proxy := dbtest.NewProxy(t, k.database, func(proxy *dbtest.Proxy) {
		proxy.Only = func(sql string) bool { return d.write != "" && strings.Contains(sql, "name: "+d.write+" ") }
		if d.before {
			proxy.BeforeCommit = kill
		} else {
			proxy.AfterCommit = kill
		}
	})
	const patient = "HOLDFAST_PROVIDER_ABSENT_AFTER=2m"
	victim := k.startServer(t, proxy.URL, patient, "HOLDFAST_PROVIDER_TIMEOUT=5s")
	running.Store(victim)
	s := newShop(t, victim)
	booking := s.mustBook(t, victim, "booking", slot(0, 10)).id()
	credit := int64(walletPart)
	order := map[string]any{"kind": "balance", "payment_method": "pm_ok"}
	if d.alone {
		credit = payPrice
		delete(order, "payment_method")
	}
	wallet := s.newWallet(t, victim, credit)
	order["wallet_id"] = wallet
	lonely := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // repeats nothing by itself
	pay := func(client *http.Client, p *proc) (answer, error) {
		return sendTo(client, p.url, http.MethodPost, "/v1/bookings/"+booking+"/payments", s.key, "pay", order)
	}
	cutOff := make(chan error, 1)
	if d.write == "" {
		k.fault(t, sandbox.Fault{Kind: sandbox.Delay, On: sandbox.Charges, Count: 1, Delay: time.Hour})
	}
	go func() {
		_, err := pay(lonely, victim)
		cutOff <- err
	}()
	if d.write == "" {
		require.Eventually(t, func() bool { return len(k.movements(t)) == 1 }, waitLimit, poll)
		kill()
	}
	select {
	case err := <-cutOff:
		require.Error(t, err, "the client never learns what became of it")
	case <-time.After(waitLimit):
		require.Fail(t, "the server wasn't killed")
	}
	require.Equal(t, []int64{d.held}, query[int64](t, k.database, "SELECT held FROM wallets"),
		"it died at another moment")
	require.Equal(t, []int{d.payments}, query[int](t, k.database, "SELECT count(*) FROM payments"),
		"it died at another moment")

	heir := k.startServer(t, k.database, patient)
	eventually(t, func() bool {
		a, err := pay(lonely, heir)
		require.NoError(t, err)
		return a.status == http.StatusCreated
	})
	require.EqualValues(t, payPrice, s.paid(t, heir, booking))
	require.Equal(t, []string{"0 0"}, query[string](t, k.database, "SELECT balance || ' ' || held FROM wallets"))
	require.Equal(t, []int64{credit},
		query[int64](t, k.database, "SELECT amount FROM payments WHERE provider = 'wallet' AND status = 'succeeded'"))
	require.Equal(t, []int64{credit},
		query[int64](t, k.database, "SELECT amount FROM wallet_entries WHERE type IN ('paid', 'captured')"))
	moved := k.movements(t)
	if d.alone {
		require.Empty(t, moved)
		return
	}
	require.Len(t, moved, 1)
	for _, m := range moved {
		require.EqualValues(t, payPrice-walletPart, m.Amount)
	}
}

// newWallet returns the id of a wallet with credit.
func (s shop) newWallet(t testing.TB, p *proc, credit int64) string {
	t.Helper()
	a, err := p.send(http.MethodPost, "/v1/wallets", s.key, uuid.NewString(), map[string]any{"currency": "EUR"})
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, a.status, "%s", a)
	id := a.id()
	a, err = p.send(http.MethodPost, "/v1/wallets/"+id+"/credits", s.key, uuid.NewString(),
		map[string]any{"amount": credit})
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, a.status, "%s", a)
	return id
}
