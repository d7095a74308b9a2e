package payment_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// Two bookings are paid from one wallet at once. Its credit is enough for one of them.
func TestPay_TwoBookingsFromOneWalletConcurrently_ExactlyOneIsPaid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	services := []*payment.Service{b.process(t), b.process(t)}
	for range testtime.Rounds(4) {
		w, ids, statuses := b.newWallet(t, price), []uuid.UUID{b.newBooking(t), b.newBooking(t)}, make([]int, 2)
		runConcurrently(2, func(i int) error {
			r, err := b.pay(t, services[i], newKey(), ids[i], fromWallet(w, ""))
			statuses[i] = r.Answer().Status
			return err
		})
		require.ElementsMatch(t, []int{http.StatusCreated, http.StatusUnprocessableEntity}, statuses)
		b.requireWallet(t, w, 0, 0)
		require.Equal(t, 1, b.count(t, `SELECT count(*) FROM payments WHERE wallet_id = $1`, w))
	}
	b.requireWalletsMatch(t)
}

// The same, with a card that pays what the wallet doesn't have. Both are paid, and the wallet pays its credit once.
func TestPay_TwoBookingsFromOneWalletAndCardsConcurrently_CreditIsSpentOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	services := []*payment.Service{b.process(t, withLongCallTimeout), b.process(t, withLongCallTimeout)}
	for range testtime.Rounds(4) {
		before := b.transferTotals(t).captured
		w, ids := b.newWallet(t, walletCredit), []uuid.UUID{b.newBooking(t), b.newBooking(t)}
		codes := runConcurrently(2, func(i int) error {
			_, err := b.pay(t, services[i], newKey(), ids[i], fromWallet(w, "pm_ok"))
			return err
		})
		require.Equal(t, map[problem.Code]int{"": 2}, codes)
		b.requireWallet(t, w, 0, 0)
		require.EqualValues(t, 2*price-walletCredit, b.transferTotals(t).captured-before)
	}
	b.requireWalletsMatch(t)
}

// The process dies before it called the provider, or after the capture.
func TestPay_WalletAndCardProcessDied_IsTakenOver(t *testing.T) {
	t.Parallel()
	for _, captured := range []bool{false, true} {
		for _, by := range []string{"a repeated request", "the resolver"} {
			t.Run(by+map[bool]string{false: ", before the call", true: ", after the capture"}[captured], func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				f := &interceptedProvider{}
				dead, alive := b.process(t, withShortCallTimeout, withInterceptor(f)),
					b.process(t, withShortCallTimeout)
				f.charge = func(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
					if captured {
						_, err := f.Provider.Charge(ctx, o)
						require.NoError(t, err)
					}
					crash()
					return payment.Outcome{}, nil
				}
				id, w, key := b.newBooking(t), b.newWallet(t, walletCredit), newKey()
				order := fromWallet(w, "pm_ok")
				runUntilCrash(func() (idempotency.Outcome, error) { return b.pay(t, dead, key, id, order) })
				b.requireWallet(t, w, 0, walletCredit)
				b.endLeases(t)
				if by == "the resolver" {
					b.resolveAll(t, alive)
				}
				var r idempotency.Outcome
				for range 2 {
					r = b.payKnown(t, alive, key, id, order)
				}
				charged := captured || by == "a repeated request"
				require.Equal(t, charged, r.Answer().Status == http.StatusCreated, "%s", r.Body)
				b.requireWalletsMatch(t)
				if charged {
					b.requireWallet(t, w, 0, 0)
					require.Equal(t, transferTotals{captures: 1, captured: price - walletCredit}, b.transferTotals(t))
					require.EqualValues(t, price, b.balanceSummary(t, alive, id).Paid)
				} else {
					b.requireWallet(t, w, walletCredit, 0)
					require.Zero(t, b.transferTotals(t))
				}
			})
		}
	}
}

func TestPay_FromWalletSameKeyConcurrently_IsPaidOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	services := []*payment.Service{b.process(t), b.process(t)}
	id, w, key := b.newBooking(t), b.newWallet(t, 2*price), newKey()
	order := payment.PayRequest{Kind: payment.Amount, Amount: new(int64(100)), WalletID: &w}
	codes := runConcurrently(20, func(i int) error {
		_, err := b.pay(t, services[i%2], key, id, order)
		return err
	})
	require.Equal(t, 20, codes[""]+codes[problem.RequestInProgress], "%v", codes)
	b.requireWallet(t, w, 2*price-100, 0)
	b.requireWalletsMatch(t)
}

// A wallet is guarded by its lock, the version of its entries and of its row, and a constraint. Two payments that read
// it before either of them writes spend its credit twice without them. Any one of the guards is enough.
func TestPay_WalletWithoutItsGuards_IsSpentTwice(t *testing.T) {
	t.Parallel()
	const constraint, versions = "the constraint", "the versions"
	rowVersion := regexp.MustCompile(` AND version = \$\d+::bigint - 1`)
	for _, kept := range []string{"the lock", versions, constraint, "none"} {
		t.Run(kept, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			rewrite := func(sql string) string {
				if kept != "the lock" {
					sql = strings.ReplaceAll(sql, "pg_catalog.pg_advisory_xact_lock($1::bigint)",
						"pg_typeof($1::bigint)")
				}
				if kept != versions {
					sql = rowVersion.ReplaceAllString(sql, "")
				}
				return sql
			}
			if kept != versions {
				dbtest.Alter(t, b.url, `ALTER TABLE wallet_entries DROP CONSTRAINT wallet_entries_pkey`)
				dbtest.Alter(t, b.url, `DROP INDEX changes_by_version`)
			}
			if kept != constraint {
				dbtest.Alter(t, b.url, `ALTER TABLE wallets DROP CONSTRAINT wallets_available_check`)
			}
			w := b.newWallet(t, price)
			var gates [2]*gate
			var requests [2]func() error
			for i := range requests {
				var s *payment.Service
				s, gates[i] = b.gatedProcess(t, "PaymentInsertSucceeded", rewrite)
				id := b.newBooking(t)
				requests[i] = func() error {
					_, err := b.pay(t, s, newKey(), id, fromWallet(w, ""))
					return err
				}
			}
			b.overlap(t, gates, requests)
			twice := b.count(t, `SELECT count(*) FROM payments WHERE wallet_id = $1`, w) > 1
			require.Equal(t, kept == "none", twice, "credit was spent twice")
		})
	}
}

// A server that knows no wallets can't complete a payment and leave its part held.
func TestPayments_CompleteWhileTheWalletHoldsItsPart_IsRefusedByTheTable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	open := decode(t, b.payKnown(t, s, newKey(), b.newBooking(t),
		fromWallet(b.newWallet(t, walletCredit), "pm_requires_action")))
	_, err := b.sql.Exec(t.Context(),
		`UPDATE payments SET status = 'succeeded', resolve_at = NULL WHERE payment_id = $1`, open.ID)
	require.ErrorContains(t, err, "payments_wallet_held")
}

func TestPay_WalletAloneCommitIsCutOff_PaysOnceAndCallsNoProvider(t *testing.T) {
	t.Parallel()
	b := setup(t)
	proxy := dbtest.NewProxy(t, b.url)
	var cut atomic.Bool
	proxy.AfterCommit = func() bool { return cut.CompareAndSwap(true, false) }
	s := b.processOn(t, db.Config{URL: proxy.URL, MaxConns: 4}, func(cfg *payment.Config) { cfg.Provider = nil })
	id, w := b.newBooking(t), b.newWallet(t, 1_000_000)
	cut.Store(true)
	r, err := b.pay(t, s, newKey(), id, fromWallet(w, ""))
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
	require.False(t, cut.Load(), "the commit was cut off")
	require.True(t, r.Replayed, "the response that was committed is found; nothing is left to do")
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM payments"))
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM wallet_entries WHERE type = 'paid'"))
}
