package main

import (
	"fmt"
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

// deathbed is a moment of a payment at which its server is killed, and what it leaves behind.
type deathbed struct {
	name string
	// write is the statement whose transaction commits then, before says on which side of its COMMIT the server dies.
	// No statement: it dies while the provider, which has captured, keeps its answer back.
	write  string
	before bool
	// left is the payment's status in the database, empty for no payment; captured is what the provider has.
	left     string
	captured int
	// another: a server that was there is asked too, and not only one that starts afterwards.
	another bool
}

var deathbeds = []deathbed{
	{name: "before the attempt commits", write: "PaymentInsert", before: true},
	{name: "after the attempt committed", write: "PaymentInsert", left: "started", another: true},
	{name: "after the provider captured", left: "started", captured: 1, another: true},
	{name: "before the result commits", write: "PaymentSet", before: true, left: "started", captured: 1},
	{name: "after the result committed and before the answer", write: "PaymentSet", left: "succeeded", captured: 1},
}

func TestServe_KilledAtAnyMomentOfAPayment_RetryEndsInOneCaptureAndATrueAnswer(t *testing.T) {
	t.Parallel()
	for _, d := range deathbeds {
		t.Run(d.name+", asking a restarted server", func(t *testing.T) {
			t.Parallel()
			d.try(t, true)
		})
		if d.another {
			t.Run(d.name+", asking a server that was there", func(t *testing.T) {
				t.Parallel()
				d.try(t, false)
			})
		}
	}
}

func (d deathbed) try(t *testing.T, restart bool) {
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
	// On a busy machine the provider may answer late, and so may the client come. The order that was never sent must
	// not count as not carried out by then.
	const patient = "HOLDFAST_PROVIDER_ABSENT_AFTER=2m"
	victim := k.startServer(t, proxy.URL, patient, "HOLDFAST_PROVIDER_TIMEOUT=5s")
	running.Store(victim)
	heir := victim
	if !restart {
		heir = k.startServer(t, k.database, patient)
	}
	s := newShop(t, victim)
	booking := s.mustBook(t, victim, "booking", slot(0, 10)).id()
	lonely := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // repeats nothing by itself
	cutOff := make(chan error, 1)
	if d.write == "" {
		k.fault(t, sandbox.Fault{Kind: sandbox.Delay, On: sandbox.Charges, Count: 1, Delay: time.Hour})
	}
	go func() {
		_, err := sendTo(lonely, victim.url, http.MethodPost, "/v1/bookings/"+booking+"/payments", s.key, "pay",
			map[string]any{"kind": "balance", "payment_method": "pm_ok"})
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

	require.Equal(t, d.left, strings.Join(query[string](t, k.database, "SELECT status FROM payments"), " "),
		"it died at another moment")
	require.Len(t, k.movements(t), d.captured, "it died at another moment")
	if restart {
		heir = k.startServer(t, k.database, patient)
	}
	a := s.payUntilFinal(t, heir, "pay", booking, "pm_ok")
	k.requirePaidOnce(t, s, heir, "pay", booking, a)
}

// The server and its sandbox die together, as with `make run`.
func TestServe_KilledWithItsOwnSandbox_BalancesAndJournalAgreeAfterwards(t *testing.T) {
	t.Parallel()
	dir := filledDir(t)
	env := []string{"HOLDFAST_PROVIDER_TIMEOUT=1s", "HOLDFAST_PROVIDER_ABSENT_AFTER=5s"}
	p := start(t, dir, env...)
	s := newShop(t, p)
	methods := []string{"pm_ok", "pm_declined", "pm_timeout_charged", "pm_timeout_not_charged", "pm_ok"}
	bookings := make([]string, len(methods))
	for i := range methods {
		bookings[i] = s.mustBook(t, p, fmt.Sprintf("booking-%d", i), slot(i, 10)).id()
	}
	key := func(i int) string { return fmt.Sprintf("pay-%d", i) }
	acknowledged, err := s.pay(p, key(0), bookings[0], methods[0])
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, acknowledged.status, "%s", acknowledged)
	url := p.databaseURL(t)
	everybody(len(methods), func(i int) (answer, error) { return s.pay(p, key(i), bookings[i], methods[i]) },
		func(<-chan struct{}) {
			eventually(t, func() bool { return query[int](t, url, "SELECT count(*) FROM payments")[0] == len(methods) })
			p.Kill()
		})

	p = start(t, dir, env...)
	url = p.databaseURL(t)
	require.Eventually(t, func() bool {
		return query[int](t, url, "SELECT count(*) FROM payments WHERE resolve_at IS NOT NULL")[0] == 0
	}, settleLimit, 50*time.Millisecond, "all is settled by itself")
	again, err := s.pay(p, key(0), bookings[0], methods[0])
	require.NoError(t, err)
	require.Equal(t, string(acknowledged.body), string(again.body))
	paid := make(map[uuid.UUID]int64)
	for i, method := range methods {
		a, err := s.pay(p, key(i), bookings[i], method)
		require.NoError(t, err)
		require.Contains(t, []string{"201", "402 payment_declined"}, a.outcome())
		if a.status == http.StatusCreated {
			paid[uuid.MustParse(a.id())] = s.paid(t, p, bookings[i])
		} else {
			require.Zero(t, s.paid(t, p, bookings[i]))
		}
	}
	p.stop(t)

	_, client := startSandbox(t, dir) // on the same journal
	journal := make(map[uuid.UUID]int64)
	for id, m := range movements(t, client) {
		journal[id] = m.Amount
	}
	require.Equal(t, paid, journal)
}
