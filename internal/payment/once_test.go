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

func TestPay_TheSameKeyFiftyTimesAtOnce_OneCapture(t *testing.T) {
	t.Parallel()
	b := setup(t)
	services := [2]*payment.Service{b.process(t, patient), b.process(t, patient)}
	id, key := b.newBooking(t), newKey()
	var mu sync.Mutex
	bodies := make(map[string]int)
	codes := race(50, func(i int) error {
		r, err := b.pay(t, services[i%2], key, id, balance("pm_slow"))
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			bodies[string(r.Body)]++
		}
		return err
	})
	require.Equal(t, 50, codes[""]+codes[problem.RequestInProgress], "%v", codes)
	require.Len(t, bodies, 1, "all who were answered got the same answer")
	require.EqualValues(t, 1, b.moved(t).captures)
	for _, s := range services {
		r, err := b.pay(t, s, key, id, balance("pm_slow"))
		require.NoError(t, err)
		require.Equal(t, http.StatusCreated, r.Status)
		require.Contains(t, bodies, string(r.Body))
	}
	require.EqualValues(t, price, b.money(t, services[0], id).Paid)
}

func TestPay_TwoKeysAtOnceForOneBalance_OneCapture(t *testing.T) {
	t.Parallel()
	b := setup(t)
	services := [2]*payment.Service{b.process(t, patient), b.process(t, patient)}
	for _, method := range []string{"pm_ok", "pm_slow"} {
		before, id := b.moved(t).captures, b.newBooking(t)
		statuses := make([]int, 2)
		codes := race(2, func(i int) error {
			r, err := b.pay(t, services[i], newKey(), id, balance(method))
			statuses[i] = r.Status
			return err
		})
		if codes[problem.PaymentInProgress] == 1 {
			require.ElementsMatch(t, []int{http.StatusCreated, 0}, statuses)
		} else {
			require.ElementsMatch(t, []int{http.StatusCreated, http.StatusUnprocessableEntity}, statuses, "%v", codes)
		}
		require.Equal(t, before+1, b.moved(t).captures)
	}
}

// TestVariants has many clients of several processes pay one booking, with and without what keeps them apart: the check
// must find each defect, and none in what is shipped.
func TestVariants_EachDefectIsCaughtByTheSameCheck(t *testing.T) {
	t.Parallel()
	noLock := func(sql string) string {
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
		index   bool // the unique indexes are there
		sameKey bool
		sound   bool
	}{
		{"what is shipped, one key", nil, true, true, true},
		{"what is shipped, many keys", nil, true, false, true},
		{"the lock alone is enough, many keys", nil, false, false, true},
		{"no lock and no index", noLock, false, false, false},
		{"no claim of the key", noClaim, true, true, false},
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
				services[i] = b.processOn(t, store.Config{URL: proxy.URL, MaxConns: 4}, patient)
			}
			most := int64(0)
			for range 10 {
				id, key := b.newBooking(t), newKey()
				before := b.moved(t).captures
				for range 2 { // what is repeated later counts too
					race(9, func(i int) error {
						mine, order := key, part(100, "pm_slow")
						if !v.sameKey {
							mine, order = newKey(), balance("pm_slow") // one who comes late finds nothing due
						}
						_, err := b.pay(t, services[i%3], mine, id, order)
						return err
					})
					if !v.sameKey {
						break
					}
				}
				most = max(most, b.moved(t).captures-before)
			}
			if v.sound {
				require.EqualValues(t, 1, most)
			} else {
				require.Greater(t, most, int64(1), "the check didn't find the defect")
			}
		})
	}
}

// TestPay_WithoutTheLock has nothing but the index keep two payments from being open at once. A request that read what was due
// before another one's payment succeeded may still pay after it: that money is refunded.
func TestPay_WithoutTheLock_KeepsThePriceAndRefundsTheRest(t *testing.T) {
	t.Parallel()
	const bookings = 10
	b := setup(t, func(cfg *sandbox.Config) { cfg.SlowDelay = 20 * time.Millisecond })
	services := make([]*payment.Service, 3)
	for i := range services {
		proxy := storetest.NewProxy(t, b.url)
		proxy.Rewrite = func(sql string) string {
			return strings.ReplaceAll(sql, "pg_catalog.pg_advisory_xact_lock($1::bigint)", "pg_typeof($1::bigint)")
		}
		services[i] = b.processOn(t, store.Config{URL: proxy.URL, MaxConns: 4}, patient)
	}
	for range bookings {
		id := b.newBooking(t)
		race(9, func(i int) error {
			_, err := b.pay(t, services[i%3], newKey(), id, balance("pm_slow"))
			return err
		})
	}
	b.settle(t, b.process(t))
	m := b.moved(t)
	require.EqualValues(t, bookings*price, m.captured-m.refunded)
	require.Equal(t, m.captures-bookings, m.refunds)
}
