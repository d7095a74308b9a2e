package payment_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

func TestPay_SameKeyFiftyConcurrentRequests_CapturesOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	services := [2]*payment.Service{b.process(t, withLongCallTimeout), b.process(t, withLongCallTimeout)}
	id, key := b.newBooking(t), newKey()
	var mu sync.Mutex
	bodies := make(map[string]int)
	codes := runConcurrently(50, func(i int) error {
		r, err := b.pay(t, services[i%2], key, id, balance("pm_slow"))
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			bodies[string(r.Body)]++
		}
		return err
	})
	require.Equal(t, 50, codes[""]+codes[problem.RequestInProgress], "%v", codes)
	require.Len(t, bodies, 1, "all responses must be the same")
	require.EqualValues(t, 1, b.transferTotals(t).captures)
	for _, s := range services {
		r, err := b.pay(t, s, key, id, balance("pm_slow"))
		require.NoError(t, err)
		require.Equal(t, http.StatusCreated, r.Answer().Status)
		require.Contains(t, bodies, string(r.Body))
	}
	require.EqualValues(t, price, b.balanceSummary(t, services[0], id).Paid)
}

func TestPay_TwoKeysConcurrently_CapturesOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	services := [2]*payment.Service{b.process(t, withLongCallTimeout), b.process(t, withLongCallTimeout)}
	for _, method := range []string{"pm_ok", "pm_slow"} {
		before, id := b.transferTotals(t).captures, b.newBooking(t)
		statuses := make([]int, 2)
		codes := runConcurrently(2, func(i int) error {
			r, err := b.pay(t, services[i], newKey(), id, balance(method))
			statuses[i] = r.Answer().Status
			return err
		})
		if codes[problem.PaymentInProgress] == 1 {
			require.ElementsMatch(t, []int{http.StatusCreated, 0}, statuses)
		} else {
			require.ElementsMatch(t, []int{http.StatusCreated, http.StatusUnprocessableEntity}, statuses, "%v", codes)
		}
		require.Equal(t, before+1, b.transferTotals(t).captures)
	}
}

// Locks and row locks keep the payments of a booking apart, an index allows one that is open, and a claim keeps the
// requests of one key apart. These return what the database gets if one of them is missing.
var (
	withoutLocks = func(sql string) string {
		if strings.Contains(sql, "-- name: BookingLock ") { // a payment begins under it too
			sql = strings.Replace(sql, "FOR NO KEY UPDATE", "", 1)
		}
		return strings.ReplaceAll(sql, "pg_catalog.pg_advisory_xact_lock($1::bigint)", "pg_typeof($1::bigint)")
	}
	withoutClaim = func(sql string) string {
		if values, isClaim := strings.CutSuffix(sql, ")\n"); isClaim &&
			strings.Contains(sql, "-- name: IdempotencyBegin") {
			return strings.Replace(values, "VALUES (", "SELECT ", 1) + " WHERE false"
		}
		return sql
	}
)

// Two processes pay one booking. Both read it before either of them writes, if nothing keeps them from it. The check
// must find each defect, and no defect in the released code.
func TestPay_KnownDefect_IsDetected(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		name    string
		rewrite func(string) string
		index   bool // the unique index exists
		sameKey bool
		want    int64 // captures
	}{
		{"released code, one key", nil, true, true, 1},
		{"released code, two keys", nil, true, false, 1},
		{"lock without index, two keys", nil, false, false, 1},
		{"index without lock, two keys", withoutLocks, true, false, 1},
		{"no lock and no index", withoutLocks, false, false, 2},
		{"key not claimed", withoutClaim, true, true, 2},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			if !v.index {
				dbtest.Alter(t, b.url, `DROP INDEX payments_open`)
			}
			id, order := b.newBooking(t), balance("pm_ok")
			keys := [2]string{newKey(), newKey()}
			if v.sameKey {
				keys[1], order = keys[0], part(100, "pm_ok") // something is due afterwards too
			}
			var gates [2]*gate
			var requests [2]func() error
			for i := range requests {
				var s *payment.Service
				s, gates[i] = b.gatedProcess(t, "PaymentInsert", v.rewrite, withLongCallTimeout)
				requests[i] = func() error {
					_, err := b.pay(t, s, keys[i], id, order)
					return err
				}
			}
			b.overlap(t, gates, requests)
			if v.sameKey { // a repeated request counts too
				require.NoError(t, requests[0]())
			}
			require.Equal(t, v.want, b.transferTotals(t).captures)
		})
	}
}

// The same with many clients, in whatever order they come.
func TestPay_ManyClientsOfSeveralProcesses_CaptureOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, func(cfg *sandbox.Config) { cfg.SlowDelay = 20 * time.Millisecond })
	services := make([]*payment.Service, 3)
	for i := range services {
		services[i] = b.process(t, withLongCallTimeout)
	}
	for round := range testtime.Rounds(4) {
		id, key := b.newBooking(t), newKey()
		before := b.transferTotals(t).captures
		runConcurrently(9, func(i int) error {
			ownKey, order := key, part(100, "pm_slow")
			if round%2 == 0 {
				ownKey, order = newKey(), balance("pm_slow") // a late request finds nothing due
			}
			_, err := b.pay(t, services[i%3], ownKey, id, order)
			return err
		})
		require.Equal(t, before+1, b.transferTotals(t).captures)
	}
}

// Only the index prevents two open payments. A request that read the balance before another payment succeeded pays
// after it; that payment is refunded.
func TestPay_WithoutLock_RefundsOverpayments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	late, g := b.gatedProcess(t, "PaymentInsert", withoutLocks, withLongCallTimeout)
	id, done := b.newBooking(t), make(chan error, 1)
	go func() {
		_, err := b.pay(t, late, newKey(), id, balance("pm_ok"))
		done <- err
	}()
	within(t, g.reached)
	proxy := dbtest.NewProxy(t, b.url)
	proxy.Rewrite = withoutLocks
	b.mustPay(t, b.processOn(t, db.Config{URL: proxy.URL, MaxConns: 4}, withLongCallTimeout), id, balance("pm_ok"))
	g.open()
	require.NoError(t, within(t, done))
	b.resolveAll(t, b.process(t))
	require.Equal(t, transferTotals{captures: 2, captured: 2 * price, refunds: 1, refunded: price}, b.transferTotals(t))
}
