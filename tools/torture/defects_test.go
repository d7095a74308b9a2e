package torture_test

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
	"holdfast/tools/torture"
	"holdfast/tools/torture/check"
	"holdfast/tools/torture/cluster"
	"holdfast/tools/torture/nemesis"
)

// defectSeedsEnv says with how many seeds every defect is planted; without it, those that make test plants are, with
// one.
const defectSeedsEnv = "TORTURE_DEFECT_SEEDS"

// defect is something that is wrong on purpose with what the servers are given or what runs beside them. The servers
// are those that are shipped. Nothing else breaks: faults would only blur what is seen.
type defect struct {
	name string
	// rules are those of the checker that may catch it, none for what is sound.
	rules []string
	// detail is part of the violation that catches it, if rules alone could be broken by something else.
	detail string
	// rewrites are changes of statements; each must be used.
	rewrites []rewrite
	// prepare is SQL that runs before the first request.
	prepare string
	// actor runs beside the clients.
	actor actor
	// plant, if set, changes the run.
	plant func(t *testing.T, cfg *torture.Config)
	// most is the operation of which many must be done if nothing is to be caught; empty is "confirm".
	most string
	// settles says that the defect shows only once everything has settled.
	settles bool
	// always has make test plant it too, and not make soak alone. Package check judges a history with every kind of
	// defect.
	always bool
	// requests is how many must be done at the first try, zero is 300. Each further try does twice as many.
	requests int
}

// actor acts until load ends. Nil does nothing.
type actor func(ctx, load context.Context, c *cluster.Cluster) error

// rewrite replaces a part of the statements that have all of some parts.
type rewrite struct {
	where   []string
	old, by string
	rare    bool // a run may have no such statement
	// on says in which processes, nil is all: see torture.Config.
	on func(process int) bool
}

const dropConstraint = `
	DO $$ BEGIN EXECUTE 'ALTER TABLE claims DROP CONSTRAINT ' ||
		(SELECT quote_ident(conname) FROM pg_constraint WHERE conrelid = 'claims'::regclass AND contype = 'x'); END $$;`

// dropVersionIndex lets two changes of a booking have one version.
const dropVersionIndex = "DROP INDEX changes_by_version"

// noLock makes the locks of requests do nothing; those of the proof at the start are left.
var noLock = []rewrite{
	{where: []string{"-- name: TransactionLock"}, old: "pg_catalog.pg_advisory_xact_lock($1::bigint)",
		by: "pg_typeof($1::bigint)"},
	alwaysGranted,
}

// alwaysGranted takes a lock that is tried, and held by somebody else, for granted.
var alwaysGranted = rewrite{
	where: []string{"-- name: TransactionTryLock"}, old: "pg_catalog.pg_try_advisory_xact_lock($1::bigint)",
	by: "$1::bigint IS NOT NULL",
}

// soldTwice are the rules that a defect of the lock breaks.
var soldTwice = []string{check.RuleCalendar, check.RuleOverlap}

func defects() []defect {
	const unlock = "WHERE (SELECT pg_catalog.pg_advisory_unlock_all())::text IS NOT NULL AND "
	return append(slices.Concat(walletDefects(), moveDefects(), reminderDefects(), shapeDefects(), cellDefects(),
		visitorDefects()), []defect{
		{
			name:     "what is shipped, with workers that lose their events, constraint dropped",
			prepare:  dropConstraint + fastClock,
			rewrites: slices.Concat(fastExpiry, endedLeases), actor: untilHoldsEnd(slowly(takeBack)), plant: slowCrowd,
			settles: true,
		},
		{
			name: "what is shipped, with holds that end with money on them", prepare: fastClock, rewrites: fastExpiry,
			actor: untilHoldsEnd(nil), plant: delivered(payingCrowd), settles: true, always: true,
		},
		{
			name: "a delivery that is completed although the receiver failed", rules: []string{check.RuleDelivery},
			detail: "wasn't delivered",
			rewrites: []rewrite{{
				where: []string{"-- name: EventFinish :many"}, old: "WHEN f.status <> 'uncounted_retry' THEN f.status",
				by: "WHEN e.kind = 'webhook.delivery' AND f.status = 'failed' THEN 'completed' " +
					"WHEN f.status <> 'uncounted_retry' THEN f.status",
			}},
			plant: delivered(cancellingCrowd), settles: true,
		},
		{
			name: "a relay that plans no delivery", rules: []string{check.RuleDelivery}, detail: "wasn't delivered",
			rewrites: []rewrite{{where: []string{"-- name: FeedRelay :"}, old: "w.status = 'enabled'",
				by: "w.status = 'never'"}},
			plant: delivered(cancellingCrowd), settles: true, always: true, requests: 100,
		},
		{
			name: "a relay that passes transactions that still run", rules: []string{check.RuleDelivery},
			detail: "wasn't delivered",
			rewrites: []rewrite{{
				where: []string{"-- name: FeedRelay :"},
				old:   "AND e.transaction_id < (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint", by: "",
			}},
			actor: slowly(nil), plant: delivered(cancellingCrowd), settles: true,
		},
		{
			name: "a hold that ends without a refund", rules: []string{check.RuleMoney}, detail: "hold ended",
			prepare: fastClock, rewrites: append([]rewrite{{
				where: []string{"-- name: EndedBookingInsert"}, old: "OR EXISTS (", by: "OR false AND EXISTS (",
			}}, fastExpiry...),
			actor: untilHoldsEnd(nil), plant: payingCrowd, settles: true, always: true,
		},
		{
			// Changes go to a table of their own, and an actor moves them to the others a little later.
			name: "a change that is written after the commit", rules: []string{check.RuleChange},
			detail: "wasn't written in the commit",
			prepare: `CREATE TABLE late_changes (LIKE changes INCLUDING DEFAULTS);
				GRANT INSERT ON late_changes TO holdfast_app;`,
			rewrites: []rewrite{{where: []string{"-- name: ChangeInsert"}, old: "INSERT INTO changes",
				by: "INSERT INTO late_changes"}},
			actor: recordLate, always: true,
		},
		{
			name: "a change without its record", rules: []string{check.RuleChange}, detail: "has",
			prepare: `CREATE TABLE lost_changes (LIKE changes INCLUDING DEFAULTS); GRANT INSERT ON lost_changes TO holdfast_app;`,
			rewrites: []rewrite{{where: []string{"-- name: ChangeInsert :exec"}, old: "INSERT INTO changes",
				by: "INSERT INTO lost_changes"}},
			always: true,
		},
		{
			name: "a stored response that points at another change", rules: []string{check.RuleKey},
			detail: "is stored",
			rewrites: []rewrite{{where: []string{"-- name: IdempotencyInsert :exec"}, old: "$8, $9,",
				by: "$8, CASE WHEN $9::bigint > 1 THEN 1 ELSE $9 END,"}},
			plant: cancellingCrowd, always: true,
		},
		{
			name: "a declined payment that raises no version", rules: []string{check.RuleChange},
			detail:   "in the order in which readers see them",
			prepare:  dropVersionIndex,
			rewrites: []rewrite{{where: []string{"-- name: BookingRaiseVersion"}, old: "version + 1", by: "version"}},
			plant:    payingCrowd,
		},
		{
			name: "a payment and a change that take one version", rules: []string{check.RuleChange},
			detail:   "in the order in which readers see them",
			prepare:  dropVersionIndex,
			rewrites: []rewrite{{where: []string{"-- name: BookingLock"}, old: "FOR NO KEY UPDATE", by: ""}},
			actor:    slowly(nil), plant: changingPayers,
		},
		{
			name: "a claim without the lock of SKIP LOCKED", rules: []string{check.RuleSchedule},
			detail:   "although another one had it",
			rewrites: []rewrite{{where: []string{"-- name: EventLease"}, old: "FOR UPDATE SKIP LOCKED", by: ""}},
			plant:    cancellingCrowd,
		},
		{
			name: "a completion without the token", rules: []string{check.RuleSchedule},
			detail: "when no worker had it",
			rewrites: append([]rewrite{{
				where: []string{"-- name: EventFinish :many"}, old: "AND e.lease = f.lease AND e.version = f.version",
				by: "",
			}}, endedLeases...),
			actor: slowly(takeBack), plant: cancellingCrowd, always: true,
		},
		{name: "no lock, constraint dropped", rules: soldTwice, prepare: dropConstraint, rewrites: noLock,
			always: true},
		{
			name: "a tried lock taken for granted, constraint dropped", rules: soldTwice, prepare: dropConstraint,
			rewrites: []rewrite{alwaysGranted},
		},
		{
			name: "lock and check in one statement, constraint dropped", rules: soldTwice, prepare: dropConstraint,
			rewrites: append([]rewrite{{
				where: []string{"-- name: ClaimList :many"},
				old:   "FROM (", by: "FROM (SELECT pg_advisory_xact_lock(1) OFFSET 0) AS l, (",
			}}, noLock...),
		},
		{
			name: "a claim that outlives its booking", rules: []string{check.RuleCalendar}, detail: "one too many",
			rewrites: []rewrite{{where: []string{"-- name: ClaimDelete"}, old: "WHERE ", by: "WHERE false AND "}},
			plant:    cancellingCrowd, always: true, requests: 100,
		},
		{
			// Claims go to a table of their own, and an actor moves them to the claims a little later.
			name: "a claim that is written in another commit, constraint dropped", rules: []string{check.RuleCalendar},
			detail: "in another commit than that of its first event",
			prepare: dropConstraint + `
				CREATE TABLE late_claims AS
				SELECT tenant_id, owner_id, number, resource_id, units, busy_from, busy_until, expires_at, session_id FROM claims;
				GRANT INSERT ON late_claims TO holdfast_app;`,
			rewrites: []rewrite{
				{where: []string{"-- name: BookingInsert "}, old: "INSERT INTO claims", by: "INSERT INTO late_claims"},
				{where: []string{"-- name: ClaimInsertMany"}, old: "INSERT INTO claims", by: "INSERT INTO late_claims",
					rare: true},
			},
			actor: claimLate, always: true,
		},
		{
			name: "REPEATABLE READ, constraint dropped", rules: soldTwice, prepare: dropConstraint,
			rewrites: []rewrite{{where: []string{"begin", "read write"}, old: "isolation level read committed",
				by: "isolation level repeatable read"}},
		},
		{
			// The lock is the session's, and given back after the last read.
			name: "unlock before COMMIT, constraint dropped", rules: soldTwice, prepare: dropConstraint,
			rewrites: []rewrite{
				{where: []string{"-- name: TransactionLock"}, old: "pg_advisory_xact_lock", by: "pg_advisory_lock"},
				{where: []string{"-- name: TransactionTryLock"}, old: "pg_try_advisory_xact_lock",
					by: "pg_try_advisory_lock"},
				{where: []string{"-- name: CustomerListByEmail"}, old: "WHERE ", by: unlock},
				{where: []string{"-- name: BookingGet :one"}, old: "WHERE b.", by: unlock + "b."},
				{where: []string{"-- name: BalanceBooking"}, old: "WHERE ", by: unlock},
			},
		},
		{
			// Stored responses go to a table of their own, and an actor moves them to the keys a little later.
			name: "the key is stored after the commit", rules: []string{check.RuleKey, check.RuleUnasked},
			prepare: `CREATE TABLE late_keys (LIKE idempotency_keys INCLUDING DEFAULTS); GRANT INSERT ON late_keys TO holdfast_app;`,
			rewrites: []rewrite{{where: []string{"-- name: IdempotencyInsert"}, old: "INSERT INTO idempotency_keys",
				by: "INSERT INTO late_keys"}},
			actor: storeLate, always: true,
		},
		{
			name: "expiry without the lock", rules: []string{check.RuleCalendar, check.RuleLost, check.RuleUnasked},
			prepare: fastClock, rewrites: fastClockRewrites, actor: slowly(expireHolds), plant: slowCrowd,
		},
		{
			name: "a provider's time-out taken for a failure", rules: []string{check.RuleMoney},
			detail:  "is declined here",
			plant:   impatient,
			settles: true,
		},
	}...)
}

// TestDefects plants defects and wants each to be caught. A checker that finds none of them would be worthless; one
// that finds what isn't there too.
func TestDefects_EachIsCaughtByTheChecker(t *testing.T) {
	t.Parallel()
	if os.Getenv(durationEnv) != "" {
		t.Skip("a long run is asked for")
	}
	seeds, first := uint64(1), testtime.Seed(t)
	text := os.Getenv(defectSeedsEnv)
	if text != "" {
		var err error
		seeds, err = strconv.ParseUint(text, 10, 8)
		require.NoError(t, err)
	}
	binary := build(t)
	// Where a defect is about moments, the scheduler decides whether it strikes. Each try does twice as much as the one
	// before.
	const mostTries = 4
	// Each has a database and servers of its own: more of them under load would only wait for each other.
	const underLoad = 2
	turns := make(chan struct{}, underLoad)
	for _, d := range defects() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			if text == "" && !d.always {
				t.Skip("make soak plants it")
			}
			for n := range seeds {
				for try := 0; ; try++ {
					require.Less(t, try, mostTries, "it wasn't caught")
					turns <- struct{}{}
					loaded := sync.OnceFunc(func() { <-turns })
					if d.run(t, binary, first+n, cmp.Or(d.requests, 300)<<try, loaded) {
						break
					}
				}
			}
		})
	}
}

// run reports whether the defect was caught when so many requests were done, or, for what is sound, that nothing was.
// It calls loaded when the load has ended, at the latest when it returns.
func (d defect) run(t *testing.T, binary string, seed uint64, requests int, loaded func()) bool {
	t.Helper()
	defer loaded()
	const some = 5 // requests of the kind that counts
	most := cmp.Or(d.most, "confirm")
	used := make([]atomic.Int64, len(d.rewrites))
	cfg := torture.Config{
		Seed:     seed,
		Duration: mostLoad,
		Servers:  2,
		Clients:  12,
		Pace:     4 * time.Millisecond,
		Faults:   []nemesis.Fault{},
		Binary:   binary,
		Dir:      t.TempDir(),
		Actor:    d.actor,
		Settle:   time.Second,
	}
	cfg.Rewrite = func(process int, sql string) string {
		for i, r := range d.rewrites {
			if (r.on == nil || r.on(process)) &&
				!slices.ContainsFunc(r.where, func(part string) bool { return !strings.Contains(sql, part) }) &&
				strings.Contains(sql, r.old) {
				used[i].Add(1)
				sql = strings.Replace(sql, r.old, r.by, 1)
			}
		}
		// A server that misses a constraint would refuse to serve.
		return strings.Replace(sql, "WHERE e.line IS NULL OR f.line IS NULL", "WHERE false", 1)
	}
	cfg.Prepare = func(ctx context.Context, databaseURL string) error {
		conn, err := pgx.Connect(ctx, databaseURL)
		if err != nil {
			return err
		}
		_, err = conn.Exec(ctx, d.prepare)
		return errors.Join(err, conn.Close(ctx))
	}
	if d.settles || d.rules == nil { // what is sound must settle, however busy the machine is
		cfg.Settle = mostSettling
	}
	cfg.Enough = func(done map[string]int) bool {
		sum := 0
		for _, n := range done {
			sum += n
		}
		return sum >= requests && (d.rules != nil || done[most] > some)
	}
	if d.plant != nil {
		d.plant(t, &cfg)
	}
	act := cfg.Actor
	cfg.Actor = func(ctx, load context.Context, c *cluster.Cluster) error {
		context.AfterFunc(load, loaded)
		if act == nil {
			return nil
		}
		return act(ctx, load, c)
	}
	var caught time.Duration
	var example check.Violation
	cfg.Check = func(ctx context.Context, e torture.Evidence) ([]torture.Violation, error) {
		found, err := torture.Judge(ctx, e)
		caught, example = d.caught(e, found)
		return found, err
	}
	report, err := torture.Run(t.Context(), cfg)
	require.NoError(t, err)
	for i := range used {
		require.True(t, d.rewrites[i].rare || used[i].Load() > 0, "no statement was like %v with %q",
			d.rewrites[i].where,
			d.rewrites[i].old)
	}
	if d.rules == nil {
		require.Empty(t, report.Violations, "%s", &report)
		require.Greater(t, report.Operations[most].Done, some, "%s", &report)
		return true
	}
	if caught == 0 {
		t.Logf("seed %d: not caught\n%s", seed, &report)
		return false
	}
	t.Logf("seed %d: shown by the history after %s: %d violations, such as %s: %s", seed,
		caught.Round(time.Millisecond),
		len(report.Violations), example.Rule, example.Detail)
	return true
}

// caught returns the run's time at which the history first shows the defect, and how; zero if it doesn't.
func (d defect) caught(e torture.Evidence, found []torture.Violation) (first time.Duration, example check.Violation) {
	returned := make(map[int64]time.Duration)
	for i := range e.Operations {
		returned[e.Operations[i].ID] = max(e.Operations[i].Invoked, e.Operations[i].Returned)
	}
	var last time.Duration
	for _, at := range returned {
		last = max(last, at)
	}
	for _, v := range found {
		if !slices.Contains(d.rules, v.Rule) || !strings.Contains(v.Detail, d.detail) {
			continue
		}
		var at time.Duration
		for _, id := range v.Operations {
			at = max(at, returned[id])
		}
		if at == 0 { // what is there at the end shows it, and no answer
			at = last
		}
		if first == 0 || at < first {
			first, example = at, check.Violation(v)
		}
	}
	return first, example
}
