package booking_test

import (
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
)

// noLock makes the lock statements do nothing.
func noLock(sql string) string {
	return alwaysGranted(strings.ReplaceAll(sql, "pg_catalog.pg_advisory_xact_lock($1::bigint)",
		"pg_typeof($1::bigint)"))
}

// alwaysGranted has a lock that is tried, and held by somebody else, taken for one that was granted.
func alwaysGranted(sql string) string {
	return strings.ReplaceAll(sql, "pg_catalog.pg_try_advisory_xact_lock($1::bigint)", "$1::bigint IS NOT NULL")
}

// lockTimeout is how a transaction sets how long it waits for a lock.
var lockTimeout = regexp.MustCompile(`set_config\('lock_timeout', (\$\d)::text, true\)`)

// waitAsLongAsItTakes has a transaction wait for its locks without an end. One that requests share waits for a tenth of
// a second; then the statement would begin anew, and could see what the first process has committed meanwhile.
func waitAsLongAsItTakes(sql string) string {
	return lockTimeout.ReplaceAllString(sql, "set_config('lock_timeout', left($1::text, 0) || '0', true)")
}

// TestCreate_PlantedDefect_IsDetected runs the real use case against a database that is made to do something else, with
// the same check as TestCreate_TwoProcessesForOneSlot_ExactlyOneWins: it must find each defect, and none in what is
// shipped. The constraint is dropped where it would hide the defect.
//
// The second process gets as far as it can while the first one's COMMIT is kept back: to its own COMMIT, or to the lock
// that the first one holds.
func TestCreate_PlantedDefect_IsDetected(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		name       string
		rewrite    func(sql string) string
		constraint bool
		sound      bool
	}{
		{"what is shipped, constraint dropped: the lock alone is enough", nil, false, true},
		{"no lock, constraint dropped", noLock, false, false},
		{"no lock: the constraint alone is enough", noLock, true, true},
		{"a tried lock taken for granted, constraint dropped", alwaysGranted, false, false},
		{"lock and check in one statement, constraint dropped", func(sql string) string {
			if strings.Contains(sql, "-- name: ClaimList :many") {
				return strings.Replace(sql, "FROM (", "FROM (SELECT pg_advisory_xact_lock(1) OFFSET 0) AS l, (", 1)
			}
			return noLock(waitAsLongAsItTakes(sql))
		}, false, false},
		{"REPEATABLE READ, constraint dropped", func(sql string) string {
			return strings.ReplaceAll(sql, "isolation level read committed", "isolation level repeatable read")
		}, false, false},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			service := b.newDateService(t, 1)
			if !v.constraint {
				b.dropConstraint(t)
			}
			commits := [2]*dbtest.CommitGate{dbtest.NewCommitGate(t), dbtest.NewCommitGate(t)}
			var processes [2]*booking.Service
			for i := range processes {
				proxy := dbtest.NewProxy(t, b.url,
					func(p *dbtest.Proxy) { p.Rewrite, p.BeforeCommit = v.rewrite, commits[i].Wait })
				s := dbtest.Open(t, db.Config{URL: proxy.URL, MaxConns: 4, LockTimeout: longestWait})
				processes[i] = booking.NewService(s)
			}
			const dates = 3
			winners := 0
			for d := range dates {
				errs := make([]error, 2)
				var both sync.WaitGroup
				for i := range processes {
					commits[i].Close()
				}
				for i, process := range processes {
					both.Go(func() {
						_, _,
							errs[i] = create(t, process, b.tenant, newKey(), newBooking(service, onDate(future(d))))
					})
					require.Eventually(t,
						func() bool { return commits[i].Reached() || i == 1 && b.lockWaiters(t) == 1 }, longestWait,
						time.Millisecond)
				}
				for i := range processes {
					commits[i].Open()
				}
				both.Wait()
				for _, err := range errs {
					if err == nil {
						winners++
					} else {
						require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
					}
				}
			}
			if v.sound {
				require.Equal(t, dates, winners)
				b.requireNoOverlap(t)
				return
			}
			require.Equal(t, dates, b.overlaps(t), "the check didn't find the defect")
			require.Equal(t, 2*dates, winners)
		})
	}
}

// dropConstraint removes the exclusion constraint, so that only the lock is left.
func (b *testBundle) dropConstraint(t testing.TB) {
	t.Helper()
	dbtest.Alter(t, b.url, `
		DO $$ BEGIN EXECUTE 'ALTER TABLE claims DROP CONSTRAINT ' ||
			(SELECT quote_ident(conname) FROM pg_constraint WHERE conrelid = 'claims'::regclass AND contype = 'x'); END $$`)
}
