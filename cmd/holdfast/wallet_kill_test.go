package main

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment/sandbox"
	"holdfast/internal/testtime"
)

const (
	killWallets   = 6
	killCredit    = 1_000_000 // of each wallet, so that no transfer is refused
	killServers   = 3
	killClients   = 12
	killTransfers = 160 // see testtime.Rounds; docs/wallets.md has the command for more
	killPayments  = 16
	minKillPause  = 40 // answered requests between two kills, at least
	mostKills     = 50 // rounds of kills, about
	declinedEvery = 10 // one card in so many is declined

	retryPause = 10 * time.Millisecond // of a client, before it sends a request again
)

// killLoad is clients that transfer between wallets and pay for bookings from a wallet and a card, while servers are
// killed. A client repeats each request with its key, at the next server, until it has the final answer.
type killLoad struct {
	transfers, payments int

	shop    shop
	wallets []string
	servers [killServers]atomic.Pointer[proc]
	running [killServers]atomic.Int64 // requests that are at each of them
	client  *http.Client

	mu       sync.Mutex
	outcomes map[string]int // of all attempts
	answers  map[string]answer
	failed   error
	// cutOff counts attempts without an answer. replayed counts the requests of them that turned out to be carried out.
	cutOff, replayed int
}

// killRequest is a request under one key.
type killRequest struct {
	key, path string
	body      map[string]any
}

func (l *killLoad) transfer(i int) (r killRequest, from, to string, amount int64) {
	from, to = l.wallets[i%killWallets], l.wallets[(i+1+i/killWallets%(killWallets-1))%killWallets]
	amount = int64(1 + i%97)
	key := fmt.Sprintf("transfer-%d", i)
	return killRequest{key, "/v1/transfers",
		map[string]any{"from": from, "to": to, "amount": amount, "reference": key}}, from, to, amount
}

func (l *killLoad) booking(i int) killRequest {
	key := fmt.Sprintf("booking-%d", i)
	return killRequest{key, "/v1/bookings", l.shop.order(key, slot(i/24, i%24))}
}

func declined(i int) bool { return i%declinedEvery == declinedEvery-1 }

// payment pays for a booking from a wallet and a card.
func (l *killLoad) payment(i int, booking string) killRequest {
	method := "pm_ok"
	if declined(i) {
		method = "pm_declined"
	}
	return killRequest{fmt.Sprintf("payment-%d", i), "/v1/bookings/" + booking + "/payments", map[string]any{
		"kind": "balance", "payment_method": method, "wallet_id": l.wallets[i%killWallets], "wallet_amount": walletPart,
	}}
}

// send sends a request until it has its final answer. It returns false if the answer is another one.
func (l *killLoad) send(client int, r killRequest) (answer, bool) {
	cutOff := false
	limit := time.After(waitLimit)
	for attempt := 0; ; attempt++ {
		select {
		case <-limit:
			l.fail(fmt.Errorf("%s has no final answer after %s", r.key, waitLimit))
			return answer{}, false
		default:
		}
		i := (client + attempt) % killServers
		l.running[i].Add(1)
		a, err := sendTo(l.client, l.servers[i].Load().url, http.MethodPost, r.path, l.shop.key, r.key, r.body)
		l.running[i].Add(-1)
		outcome := a.outcome()
		if err != nil {
			outcome, cutOff = "no answer", true
		}
		l.mu.Lock()
		l.outcomes[outcome]++
		if err != nil {
			l.cutOff++
		}
		l.mu.Unlock()
		switch outcome {
		case "201", "402 payment_declined":
			l.finish(r.key, a, cutOff)
			return a, true
		case "no answer", "202", "409 request_in_progress", "503 database_unavailable", "503 lock_timeout",
			"503 outcome_unknown",
			"503 provider_unavailable":
			<-time.After(retryPause)
		default:
			l.fail(fmt.Errorf("%s was answered %s", r.key, a))
			return a, false
		}
	}
}

// finish keeps a final answer. cutOff says that an earlier attempt got none.
func (l *killLoad) finish(key string, a answer, cutOff bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if cutOff && a.header.Get("Idempotent-Replayed") == "true" {
		l.replayed++
	}
	l.answers[key] = a
}

func (l *killLoad) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed == nil {
		l.failed = err
	}
}

// progress returns how many requests have their final answer, and the first failure.
func (l *killLoad) progress() (answered int, failed error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.answers), l.failed
}

// run has the clients make all transfers and payments. The channel is closed when all are answered, or one failed.
func (l *killLoad) run() <-chan struct{} {
	var next atomic.Int64
	var clients sync.WaitGroup
	for c := range killClients {
		clients.Go(func() {
			for i := int(next.Add(1)) - 1; i < l.transfers; i = int(next.Add(1)) - 1 {
				r, _, _, _ := l.transfer(i)
				if _, ok := l.send(c, r); !ok {
					return
				}
				for n := i * l.payments / l.transfers; n < (i+1)*l.payments/l.transfers; n++ { // at most one
					booked, ok := l.send(c, l.booking(n))
					if !ok {
						return
					}
					if _, ok := l.send(c, l.payment(n, booked.id())); !ok {
						return
					}
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		clients.Wait()
	}()
	return done
}

func TestServe_KilledUnderWalletLoad_EveryTransferAndPaymentHappensOnce(t *testing.T) {
	t.Parallel()
	transfers, payments := testtime.Rounds(killTransfers), testtime.Rounds(killPayments)
	k := newTill(t)
	startOne := func() *proc {
		// An order that a killed server never sent must not count as declined: its key's repeated request sends it.
		return k.startServer(t, k.database, "HOLDFAST_PROVIDER_ABSENT_AFTER=10m", "HOLDFAST_DATABASE_CONNS=8")
	}
	l := &killLoad{
		transfers: transfers, payments: payments, outcomes: make(map[string]int), answers: make(map[string]answer),
		// repeats nothing by itself
		client: &http.Client{Timeout: waitLimit, Transport: &http.Transport{DisableKeepAlives: true}},
	}
	for i := range l.servers {
		l.servers[i].Store(startOne())
	}
	l.shop = newShop(t, l.servers[0].Load())
	for range killWallets {
		l.wallets = append(l.wallets, l.shop.newWallet(t, l.servers[0].Load(), killCredit))
	}
	// so that servers die in the middle of payments too
	k.fault(t, sandbox.Fault{Kind: sandbox.Delay, On: sandbox.Charges, Delay: 30 * time.Millisecond})

	step := max((transfers+2*payments)/mostKills, minKillPause)
	done := l.run()
	kills, rounds := 0, 0
	for last, ended := 0, false; !ended; {
		select {
		case <-done:
			ended = true
			continue
		case <-time.After(poll):
		}
		answered, _ := l.progress()
		if answered < last+step {
			continue
		}
		last = answered
		victims := []int{rounds % killServers}
		if rounds%3 == 2 { // all at once
			victims = []int{0, 1, 2}
		}
		rounds++
		// A victim is stopped first, until a request is at it that it can't answer any more.
		for _, i := range victims {
			require.NoError(t, l.servers[i].Load().Signal(syscall.SIGSTOP))
		}
		eventually(t, func() bool { return l.running[victims[0]].Load() > 0 || closed(done) })
		for _, i := range victims {
			l.servers[i].Load().Kill()
		}
		kills += len(victims)
		for _, i := range victims {
			l.servers[i].Store(startOne())
		}
	}
	_, failed := l.progress()
	require.NoError(t, failed)
	t.Logf("%d transfers and %d payments: %d servers killed, %d attempts without an answer, %d of them carried out; attempts: %v",
		transfers, payments, kills, l.cutOff, l.replayed, l.outcomes)
	require.NotZero(t, kills, "the load ended before the first kill")
	require.NotZero(t, l.cutOff, "a kill hit no request")
	answered, _ := l.progress()
	require.Equal(t, transfers+2*payments, answered)

	l.requireReplayed(t)
	l.requireTransfersOnce(t, k)
	l.requirePaymentsOnce(t, k)
	p, code := run(t, newDir(t), []string{"HOLDFAST_DATABASE_URL=" + k.database}, "wallets", "verify")
	require.Zero(t, code, "%s%s", p.Stdout, p.log())
	require.Contains(t, p.Stdout.String(), "differences: 0")
}

func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// requireReplayed asserts that every key is answered as before.
func (l *killLoad) requireReplayed(t *testing.T) {
	t.Helper()
	var requests []killRequest
	for i := range l.transfers {
		r, _, _, _ := l.transfer(i)
		requests = append(requests, r)
	}
	for i := range l.payments {
		booking := l.booking(i)
		requests = append(requests, booking, l.payment(i, l.answers[booking.key].id()))
	}
	next := atomic.Int64{}
	again := make([]result, len(requests))
	everybody(killClients, func(client int) (answer, error) {
		for i := int(next.Add(1)) - 1; i < len(requests); i = int(next.Add(1)) - 1 {
			p, r := l.servers[client%killServers].Load(), requests[i]
			again[i].answer, again[i].err = sendTo(l.client, p.url, http.MethodPost, r.path, l.shop.key, r.key, r.body)
		}
		return answer{}, nil
	}, nil)
	for i, a := range again {
		first := l.answers[requests[i].key]
		require.NoError(t, a.err)
		require.Equal(t, first.status, a.status, requests[i].key)
		require.Equal(t, string(first.body), string(a.body), requests[i].key)
		require.Equal(t, "true", a.header.Get("Idempotent-Replayed"), requests[i].key)
	}
}

// requireSame asserts that two lists have the same texts, in any order.
func requireSame(t *testing.T, want, got []string) {
	t.Helper()
	slices.Sort(want)
	slices.Sort(got)
	at := func(list []string, i int) string {
		if i < len(list) {
			return list[i]
		}
		return "nothing"
	}
	for i := range max(len(want), len(got)) { // the first difference says more than thousands of lines
		require.Equal(t, at(want, i), at(got, i))
	}
}

// requireTransfersOnce asserts that each transfer has one entry in each of its wallets and one posting, and no other is
// there.
func (l *killLoad) requireTransfersOnce(t *testing.T, k till) {
	t.Helper()
	var entries, postings []string
	for i := range l.transfers {
		r, from, to, amount := l.transfer(i)
		entries = append(entries, fmt.Sprintf("%s transferred_out %s %s %d", r.key, from, to, amount),
			fmt.Sprintf("%s transferred_in %s %s %d", r.key, to, from, amount))
		postings = append(postings, fmt.Sprintf("%s %s %s %d", r.key, from, to, amount))
	}
	requireSame(t, entries, query[string](t, k.database, `
		SELECT concat_ws(' ', coalesce(reference, 'none'), type, wallet_id, other_wallet_id, amount) FROM wallet_entries
			WHERE type LIKE 'transferred%'`))
	requireSame(t, postings, query[string](t, k.database, `
		SELECT concat_ws(' ', e.reference, p.from_wallet, p.to_wallet, p.amount) FROM wallet_postings p
		JOIN wallet_entries e ON e.tenant_id = p.tenant_id AND e.movement_id = p.movement_id AND e.type = 'transferred_out'`))
}

// requirePaymentsOnce asserts that each payment is stored once with its part of the wallet, that the wallets and the
// provider gave each part once, and that the wallets have what the payments left.
func (l *killLoad) requirePaymentsOnce(t *testing.T, k till) {
	t.Helper()
	var rows, entries, bookings []string
	moved := k.movements(t)
	paid := 0
	for i := range l.payments {
		booking := l.answers[l.booking(i).key].id()
		a := l.answers[l.payment(i, booking).key]
		bookings = append(bookings, booking)
		card := fmt.Sprintf("%s sandbox %d", booking, payPrice-walletPart)
		entries = append(entries, fmt.Sprintf("%s held %d", booking, walletPart))
		if declined(i) {
			require.Equal(t, http.StatusPaymentRequired, a.status, "%s", a)
			rows, entries = append(rows, card+" declined"),
				append(entries, fmt.Sprintf("%s released %d", booking, walletPart))
			continue
		}
		paid++
		require.Equal(t, http.StatusCreated, a.status, "%s", a)
		rows = append(rows, card+" succeeded", fmt.Sprintf("%s wallet %d succeeded", booking, walletPart))
		entries = append(entries, fmt.Sprintf("%s captured %d", booking, walletPart))
		require.Contains(t, moved, uuid.MustParse(a.id()))
		require.EqualValues(t, payPrice-walletPart, moved[uuid.MustParse(a.id())].Amount)
	}
	require.Len(t, moved, paid)
	requireSame(t, rows,
		query[string](t, k.database, "SELECT concat_ws(' ', booking_id, provider, amount, status) FROM payments"))
	requireSame(t, entries, query[string](t, k.database,
		"SELECT concat_ws(' ', booking_id, type, amount) FROM wallet_entries WHERE booking_id IS NOT NULL"))
	requireSame(t, bookings, query[string](t, k.database, "SELECT booking_id::text FROM bookings"))
	require.Equal(t, []int64{killWallets*killCredit - int64(paid)*walletPart},
		query[int64](t, k.database, "SELECT sum(balance)::bigint FROM wallets"))
	require.Equal(t, []int64{0}, query[int64](t, k.database, "SELECT sum(held)::bigint FROM wallets"))
}
