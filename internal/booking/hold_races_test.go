package booking_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// requireLockWaiters returns when n of the database's sessions wait for advisory locks that the test holds, or that
// other waiters hold. A request that has just tried its locks in vain may wait a moment for the end of that transaction
// of its own: it isn't counted until then.
func (b *testBundle) requireLockWaiters(t testing.TB, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		return b.count(t, `SELECT count(*) FROM pg_locks l
			WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
				AND (SELECT bool_and(a.application_name <> 'holdfast' OR EXISTS (SELECT FROM pg_locks w WHERE w.pid = p AND NOT w.granted))
					FROM unnest(pg_blocking_pids(l.pid)) AS p JOIN pg_stat_activity a ON a.pid = p)`) == n
	}, longestWait, time.Millisecond)
}

// inOrder has requests of different processes get the lock of a date in this order. The test holds the lock until all
// of them wait; then it calls before, and lets go. It returns their errors.
func (b *testBundle) inOrder(t testing.TB, d civil.Date, before func(), requests ...func() error) []error {
	t.Helper()
	release := b.blockDate(t, lock.Date(d))
	errs := make([]error, len(requests))
	var all sync.WaitGroup
	for i, request := range requests {
		all.Go(func() { errs[i] = request() })
		b.requireLockWaiters(t, i+1)
	}
	before()
	release()
	all.Wait()
	return errs
}

// requireOneStory requires that each booking has one event and one entry of its history for each of its versions.
func (b *testBundle) requireOneStory(t testing.TB) {
	t.Helper()
	require.Zero(t, b.count(t,
		`SELECT count(*) FROM bookings b WHERE b.version <> (SELECT count(*) FROM changes c WHERE c.subject_id = b.booking_id)`))
}

// holdRivals are two processes that want the time of holds, and a third one that marks holds as expired.
type holdRivals struct {
	*testBundle

	other  *booking.Service
	expiry expiry
}

func newHoldRivals(t testing.TB) holdRivals {
	t.Helper()
	b := setup(t)
	other, _ := b.process(t)
	return holdRivals{b, other, b.expiry(t, longestWait)}
}

// keepings are the requests of a hold's client that win or lose the time of the hold.
func (r holdRivals) keepings(t testing.TB) map[string]func(held booking.Booking) error {
	t.Helper()
	return map[string]func(held booking.Booking) error{
		"confirm": func(held booking.Booking) error {
			_, err := change(t, r.service, r.tenant, held.ID, booking.Confirm)
			return err
		},
		"confirm if still free": func(held booking.Booking) error {
			_, err := confirmWith(t, r.service, r.tenant, held.ID, ifStillFree)
			return err
		},
		"extend": func(held booking.Booking) error {
			_, err := extend(t, r.service, r.testBundle, held.ID, 30)
			return err
		},
	}
}

// TestHold_ItsClientAndARivalInOrder_OneWins forces both orders in which the hold's client and a rival get the lock of
// the date: while the hold lasts, when it ends while both wait, and after it was marked as expired.
func TestHold_ItsClientAndARivalInOrder_OneWins(t *testing.T) {
	t.Parallel()
	const lasts, ends, marked = "lasts", "ends while both wait", "is marked as expired"
	r := newHoldRivals(t)
	service := r.newDateService(t, 1)
	day := 0
	for name, keep := range r.keepings(t) {
		for _, hold := range []string{lasts, ends, marked} {
			for _, rivalFirst := range []bool{false, true} {
				d := future(day)
				day++
				held := r.hold(t, service, onDate(d))
				if hold == marked {
					r.expireIn(t, held.ID, 0)
					r.expiry.run(t.Context())
				}
				requests := []func() error{
					func() error { return keep(held) },
					func() error {
						_, _, err := create(t, r.other, r.tenant, newKey(), newBooking(service, onDate(d)))
						return err
					},
				}
				client, rival := 0, 1
				if rivalFirst {
					requests[0], requests[1], client, rival = requests[1], requests[0], 1, 0
				}
				errs := r.inOrder(t, d, func() {
					if hold == ends {
						r.expireIn(t, held.ID, 0)
					}
				}, requests...)

				kept, refusal := hold == lasts, problem.HoldExpired
				if name == "confirm if still free" {
					// A rival that finds a hold past its expiry has it marked first, and so lets the client go before
					// it.
					kept, refusal = hold != marked || !rivalFirst, problem.SlotUnavailable
				}
				if kept {
					require.NoError(t, errs[client], "%s, the hold %s, rival first: %t", name, hold, rivalFirst)
					require.True(t, problem.Is(errs[rival], problem.SlotUnavailable),
						"%s, the hold %s, rival first: %t: %v", name, hold,
						rivalFirst, errs[rival])
					continue
				}
				require.NoError(t, errs[rival], "%s, the hold %s, rival first: %t", name, hold, rivalFirst)
				require.True(t, problem.Is(errs[client], refusal), "%s, the hold %s, rival first: %t: %v", name, hold,
					rivalFirst,
					errs[client])
			}
		}
	}
	r.requireNoOverlap(t)
	r.requireOneStory(t)
}

// TestHold_ItsClientAndItsExpiryInOrder_OneWins forces both orders in which the hold's client and the event of the
// hold's end get the lock of the date. The event is due in any case.
func TestHold_ItsClientAndItsExpiryInOrder_OneWins(t *testing.T) {
	t.Parallel()
	r := newHoldRivals(t)
	service := r.newDateService(t, 1)
	day := 0
	for name, keep := range r.keepings(t) {
		for _, lasts := range []bool{true, false} {
			for _, expiryFirst := range []bool{false, true} {
				d := future(day)
				day++
				held := r.hold(t, service, onDate(d))
				_, err := r.sql.Exec(t.Context(),
					"UPDATE scheduled_events SET due_at = now() WHERE subject_id = $1 AND kind = 'booking.hold_expiry'",
					held.ID)
				require.NoError(t, err)
				requests := []func() error{
					func() error { return keep(held) },
					func() error {
						_, failed := r.expiry.run(t.Context())
						for _, err := range failed {
							t.Errorf("expire a hold: %v", err)
						}
						return nil
					},
				}
				client := 0
				if expiryFirst {
					requests[0], requests[1], client = requests[1], requests[0], 1
				}
				errs := r.inOrder(t, d, func() {
					if !lasts {
						r.expireIn(t, held.ID, 0)
					}
				}, requests...)

				want, version := booking.Confirmed, 2
				switch {
				case name == "confirm if still free":
					require.NoError(t, errs[client], "%s, lasts: %t, expiry first: %t", name, lasts, expiryFirst)
					if !lasts && expiryFirst {
						version = 3
					}
				case lasts:
					require.NoError(t, errs[client], "%s, lasts: %t, expiry first: %t", name, lasts, expiryFirst)
					if name == "extend" {
						want = booking.Held
					}
				default:
					require.True(t, problem.Is(errs[client], problem.HoldExpired), "%s, expiry first: %t: %v", name,
						expiryFirst,
						errs[client])
					want = booking.Expired
				}
				got, err := r.service.Get(t.Context(), r.tenant, held.ID)
				require.NoError(t, err)
				require.Equal(t, want, got.Status, "%s, lasts: %t, expiry first: %t", name, lasts, expiryFirst)
				require.EqualValues(t, version, got.Version, "%s, lasts: %t, expiry first: %t", name, lasts,
					expiryFirst)
			}
		}
	}
	r.requireOneStory(t)
}

// TestHold_ItsEndAndAllWhoWantItsTime_OneWinsAtMost lets the client, a rival and the event run freely around the end of
// the hold.
func TestHold_ItsEndAndAllWhoWantItsTime_OneWinsAtMost(t *testing.T) {
	t.Parallel()
	r := newHoldRivals(t)
	service := r.newDateService(t, 1)
	seed := testtime.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	day := 0
	for range testtime.Rounds(12) {
		for name, keep := range r.keepings(t) {
			d := future(day)
			day++
			held := r.hold(t, service, onDate(d))
			r.expireIn(t, held.ID, time.Duration(random.IntN(20))*time.Millisecond)
			var kept, rebooked error
			var all sync.WaitGroup
			all.Go(func() { kept = keep(held) })
			all.Go(func() { _, _, rebooked = create(t, r.other, r.tenant, newKey(), newBooking(service, onDate(d))) })
			all.Go(func() {
				_, failed := r.expiry.run(t.Context())
				for _, err := range failed {
					t.Errorf("expire a hold: %v", err)
				}
			})
			all.Wait()
			require.False(t, kept == nil && rebooked == nil, "%s: both won", name)
			if name == "confirm if still free" {
				require.True(t, kept == nil || rebooked == nil, "%v; %v", kept, rebooked)
				require.True(t, kept == nil || problem.Is(kept, problem.SlotUnavailable), "%v", kept)
			} else {
				require.True(t, kept == nil || problem.Is(kept, problem.HoldExpired), "%s: %v", name, kept)
			}
			require.True(t, rebooked == nil || problem.Is(rebooked, problem.SlotUnavailable), "%v", rebooked)
		}
	}
	r.requireNoOverlap(t)
	r.requireOneStory(t)
}
