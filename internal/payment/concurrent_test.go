package payment_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/store/storetest"
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
		require.Equal(t, http.StatusCreated, r.Status)
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
			statuses[i] = r.Status
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

// Many clients of several processes pay one booking, with and without the protections. The check must find each defect, and
// no defect in the released code.
func TestPay_KnownDefect_IsDetected(t *testing.T) {
	t.Parallel()
	noLock := func(sql string) string {
		if strings.Contains(sql, "-- name: BookingLock ") { // a payment begins under it too
			sql = strings.Replace(sql, "FOR NO KEY UPDATE", "", 1)
		}
		return strings.ReplaceAll(sql, "pg_catalog.pg_advisory_xact_lock($1::bigint)", "pg_typeof($1::bigint)")
	}
	noClaim := func(sql string) string {
		if values, isClaim := strings.CutSuffix(sql, ")\n"); isClaim && strings.Contains(sql, "-- name: IdempotencyClaim") {
			return strings.Replace(values, "VALUES (", "SELECT ", 1) + " WHERE false"
		}
		return sql
	}
	for _, v := range []struct {
		name    string
		rewrite func(string) string
		index   bool // the unique index exists
		sameKey bool
		sound   bool
	}{
		{"released code, one key", nil, true, true, true},
		{"released code, many keys", nil, true, false, true},
		{"lock without index, many keys", nil, false, false, true},
		{"no lock and no index", noLock, false, false, false},
		{"key not claimed", noClaim, true, true, false},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, func(cfg *sandbox.Config) { cfg.SlowDelay = 20 * time.Millisecond })
			if !v.index {
				b.exec(t, `DROP INDEX payments_open`)
			}
			services := make([]*payment.Service, 3)
			for i := range services {
				proxy := storetest.NewProxy(t, b.url)
				proxy.Rewrite = v.rewrite
				services[i] = b.processOn(t, store.Config{URL: proxy.URL, MaxConns: 4}, withLongCallTimeout)
			}
			most := int64(0)
			for range 10 {
				id, key := b.newBooking(t), newKey()
				before := b.transferTotals(t).captures
				for range 2 { // repeated requests count too
					runConcurrently(9, func(i int) error {
						ownKey, order := key, part(100, "pm_slow")
						if !v.sameKey {
							ownKey, order = newKey(), balance("pm_slow") // a late request finds nothing due
						}
						_, err := b.pay(t, services[i%3], ownKey, id, order)
						return err
					})
					if !v.sameKey {
						break
					}
				}
				most = max(most, b.transferTotals(t).captures-before)
			}
			if v.sound {
				require.EqualValues(t, 1, most)
			} else {
				require.Greater(t, most, int64(1), "the check must find the defect")
			}
		})
	}
}

// Only the index prevents two open payments. A request that read the balance before another payment succeeded may still pay
// after it; that payment is refunded.
func TestPay_WithoutLock_RefundsOverpayments(t *testing.T) {
	t.Parallel()
	const bookings = 10
	b := setup(t, func(cfg *sandbox.Config) { cfg.SlowDelay = 20 * time.Millisecond })
	services := make([]*payment.Service, 3)
	for i := range services {
		proxy := storetest.NewProxy(t, b.url)
		proxy.Rewrite = func(sql string) string {
			return strings.ReplaceAll(sql, "pg_catalog.pg_advisory_xact_lock($1::bigint)", "pg_typeof($1::bigint)")
		}
		services[i] = b.processOn(t, store.Config{URL: proxy.URL, MaxConns: 4}, withLongCallTimeout)
	}
	for range bookings {
		id := b.newBooking(t)
		runConcurrently(9, func(i int) error {
			_, err := b.pay(t, services[i%3], newKey(), id, balance("pm_slow"))
			return err
		})
	}
	b.resolveAll(t, b.process(t))
	m := b.transferTotals(t)
	require.EqualValues(t, bookings*price, m.captured-m.refunded)
	require.Equal(t, m.captures-bookings, m.refunds)
}
