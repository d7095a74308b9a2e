package booking_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// TestBlock_AndABookingAtOnce_ExactlyOneWins forces both orders of a block and a booking of its time, each in a process
// of its own: the second one gets as far as it can while the first one's COMMIT is kept back. The same check must find
// each planted defect.
func TestBlock_AndABookingAtOnce_ExactlyOneWins(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		name       string
		rewrite    func(sql string) string
		constraint bool
		sound      bool
	}{
		{"what is shipped, constraint dropped: the lock alone is enough", nil, false, true},
		{"no lock: the constraint alone is enough", noLock, true, true},
		{"no lock, constraint dropped", noLock, false, false},
		{"a block looks at bookings in the statement that locks, constraint dropped", func(sql string) string {
			if strings.Contains(sql, "-- name: ClaimListInTheWay :many") ||
				strings.Contains(sql, "-- name: ClaimList :many") {
				return strings.Replace(sql, "FROM (", "FROM (SELECT pg_advisory_xact_lock(1) OFFSET 0) AS x, (", 1)
			}
			return noLock(waitAsLongAsItTakes(sql))
		}, false, false},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			resource, service := b.newDesk(t, 1)
			if !v.constraint {
				b.dropConstraint(t)
			}
			var commits [2]*dbtest.CommitGate
			var stores [2]*db.DB
			for i := range stores {
				commits[i] = dbtest.NewCommitGate(t)
				proxy := dbtest.NewProxy(t, b.url,
					func(p *dbtest.Proxy) { p.Rewrite, p.BeforeCommit = v.rewrite, commits[i].Wait })
				stores[i] = dbtest.Open(t, db.Config{URL: proxy.URL, MaxConns: 4, LockTimeout: longestWait})
			}
			blocks, bookings := catalog.NewService(stores[0]), booking.NewService(stores[1])
			tries := []func(days int) error{
				func(days int) error {
					_, err := createBlock(t, blocks, b, b.hours(resource, days, 9, 12))
					return err
				},
				func(days int) error {
					_, _, err := create(t, bookings, b.tenant, newKey(),
						newBooking(service, slotOn(future(days), 10, 0)))
					return err
				},
			}
			winners := 0
			for days := range 4 {
				first := days % 2
				errs := make([]error, 2)
				var both sync.WaitGroup
				// The process that books has the rules in memory as they are: no change of the catalog has it look
				// again.
				_, err := bookings.Availability(t.Context(), b.tenant, service,
					timetable.AvailabilityQuery{From: future(days), To: future(days), PartySize: 1})
				require.NoError(t, err)
				for i := range commits {
					commits[i].Close()
				}
				for turn, i := range []int{first, 1 - first} {
					both.Go(func() { errs[i] = tries[i](days) })
					require.Eventually(t,
						func() bool { return commits[i].Reached() || turn == 1 && b.lockWaiters(t) == 1 }, longestWait,
						time.Millisecond)
				}
				for i := range commits {
					commits[i].Open()
				}
				both.Wait()
				for i, err := range errs {
					switch {
					case err == nil:
						winners++
					case v.constraint:
						require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
					default:
						require.True(t, problem.Is(err,
							[]problem.Code{problem.BookingsInTheWay, problem.SlotUnavailable}[i]), "%v", err)
					}
				}
				if v.sound && !v.constraint {
					require.NoError(t, errs[first], "the first one wins")
				}
			}
			if v.sound {
				require.Equal(t, 4, winners)
				b.requireNoOverlap(t)
				return
			}
			require.Equal(t, 8, winners, "the check didn't find the defect")
			require.Equal(t, 4, b.overlaps(t))
		})
	}
}

// Two blocks of one time, and a block that goes where another one is just being made.
func TestBlock_TwoAtOnce_ExactlyOneWins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource, _ := b.newDesk(t, 1)
	moves := b.block(t, b.hours(resource, 5, 9, 12))
	codes := race(9, func(i int) error {
		if i == 0 {
			_, err := b.patchBlock(t, moves.ID, `{"starts_at": `+quoted(*b.hours(resource, 0, 11, 0).StartsAt)+
				`, "ends_at": `+quoted(*b.hours(resource, 0, 13, 0).StartsAt)+`}`)
			return err
		}
		_, err := createBlock(t, b.catalog, b, forced(b.hours(resource, 0, 9, 12)))
		return err
	})
	require.Equal(t, map[problem.Code]int{"": 1, problem.BlockInTheWay: 8}, codes)
	b.requireNoOverlap(t)
}

func TestBlock_LocksTheDatesBeforeAndAfterAChange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource, _ := b.newDesk(t, 1)
	made := b.block(t, dates(resource, 0, 1))
	_, err := b.patchBlock(t, made.ID, `{"from": "`+future(40).String()+`", "to": "`+future(100).String()+`"}`)
	require.True(t, problem.Is(err, problem.TooManyDates), "62 dates of both together: %v", err)
	for _, days := range []int{0, 1, 7} {
		release := b.blockDate(t, lock.Date(future(days)))
		done := make(chan error, 1)
		go func() {
			_, err := b.patchBlock(t, made.ID, `{"rrule": "FREQ=WEEKLY;COUNT=2"}`)
			done <- err
		}()
		require.Eventually(t, func() bool { return b.lockWaiters(t) == 1 }, longestWait, time.Millisecond, days)
		release()
		require.NoError(t, <-done)
		_, err := b.patchBlock(t, made.ID, `{"rrule": null}`)
		require.NoError(t, err)
	}
}
