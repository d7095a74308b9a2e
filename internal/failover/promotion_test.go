package failover_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// clients is how many book at once, days how many dates they want.
const clients, days = 12, 30

// ledger is what clients were told, by the key of each request.
type ledger struct {
	mu           sync.Mutex
	acknowledged map[string]uuid.UUID // the booking
	unknown      map[string]int       // the day that was asked for
	refused      map[string]problem.Code
	repeated     int // unknown ones that were repeated during the outage
}

func newLedger() *ledger {
	return &ledger{acknowledged: map[string]uuid.UUID{}, unknown: map[string]int{}, refused: map[string]problem.Code{}}
}

func (l *ledger) counts() (acknowledged, unknown, repeated int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.acknowledged), len(l.unknown), l.repeated
}

// note keeps an answer. A key whose outcome was unknown before stays unknown until it is acknowledged.
func (l *ledger) note(t testing.TB, key string, day int, r result) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	_, before := l.unknown[key]
	switch {
	case r.err == nil:
		delete(l.unknown, key)
		l.acknowledged[key] = bookingIn(t, r.resp)
	case problem.Is(r.err, problem.OutcomeUnknown) || before:
		l.unknown[key] = day
	default:
		l.refused[key] = problem.CodeOf(r.err)
	}
	if before {
		l.repeated++
	}
}

// load has a client book until stop is closed. Of its unknown outcomes it repeats every second one at once.
func (b *testBundle) load(t testing.TB, l *ledger, seed uint64, stop <-chan struct{}) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	for {
		select {
		case <-stop:
			return
		default:
		}
		key, day := uuid.NewString(), random.IntN(days)
		resp, err := b.create(context.WithoutCancel(t.Context()), t, b.process, key, day)
		l.note(t, key, day, result{resp, err})
		if problem.Is(err, problem.OutcomeUnknown) && random.IntN(2) == 0 {
			resp, err = b.create(context.WithoutCancel(t.Context()), t, b.process, key, day)
			l.note(t, key, day, result{resp, err})
		}
	}
}

func TestPromotion_StandbyCutOffAtAnyMoment_KeepsWhatWasAcknowledged(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(testtime.Seed(t), 1))
	b := setup(t, db.Config{CommitTimeout: 700 * time.Millisecond, LockTimeout: 500 * time.Millisecond, MaxConns: 8})
	var acknowledged, unknown, repeated int
	rounds := testtime.Rounds(2)
	for range rounds {
		l := newLedger()
		b.promote(t, l, random)
		a, u, r := l.counts()
		acknowledged, unknown, repeated = acknowledged+a, unknown+u, repeated+r
		b.requireKept(t, l)
	}
	t.Logf("%d promotions: %d acknowledged, %d unknown at the end of the load, %d repeated during the outage", rounds,
		acknowledged,
		unknown, repeated)
}

// promote cuts the standby off under load, lets some commits wait for it, kills the primary, and promotes the standby.
func (b *testBundle) promote(t testing.TB, l *ledger, random *rand.Rand) {
	t.Helper()
	stop := make(chan struct{})
	var all sync.WaitGroup
	defer all.Wait()
	defer close(stop)
	for range clients {
		seed := random.Uint64()
		all.Go(func() { b.load(t, l, seed, stop) })
	}
	reach := func(n int, of func() int) {
		require.Eventually(t, func() bool { return of() >= n }, longestWait, time.Millisecond)
	}
	reach(random.IntN(60), func() int { a, _, _ := l.counts(); return a })
	if random.IntN(2) == 0 {
		require.NoError(t, b.replicas.Standby.Freeze(t.Context()))
	} else {
		b.replicas.Standby.Kill()
	}
	switch random.IntN(4) {
	case 0: // at once
	case 1:
		reach(1+random.IntN(4), func() int {
			return query[int](t, b, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
		})
	case 2: // while clients are told that the outcome is unknown
		reach(1+random.IntN(3), func() int { _, u, _ := l.counts(); return u })
	case 3: // what isn't on the standby is visible, and is asked for again
		reach(1, func() int { _, u, _ := l.counts(); return u })
		stopCancelling := b.keepCancelling(t)
		defer stopCancelling()
		reach(1+random.IntN(3), func() int { _, _, r := l.counts(); return r })
	}
	require.NoError(t, b.replicas.Failover(t.Context()))
	require.NoError(t, b.replicas.AddStandby(t.Context()))
	before, _, _ := l.counts()
	reach(before+1, func() int { a, _, _ := l.counts(); return a }) // the process books on the new primary
}

// keepCancelling ends the waits of commits, again and again, until the primary is gone or stop is called.
func (b *testBundle) keepCancelling(t testing.TB) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	primary, ended := b.replicas.Primary.URL, make(chan struct{})
	go func() {
		defer close(ended)
		conn, err := pgx.Connect(ctx, primary)
		if err != nil {
			return
		}
		defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
		for err == nil {
			_, err = conn.Exec(ctx,
				"SELECT pg_cancel_backend(pid), pg_sleep(0.01) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
		}
	}()
	return func() { cancel(); <-ended }
}

// requireKept checks that what was acknowledged is there, that what was refused isn't, and that unknown outcomes settle
// by their keys.
func (b *testBundle) requireKept(t testing.TB, l *ledger) {
	t.Helper()
	there := make(map[string]int)
	list := func() {
		clear(there)
		conn, err := pgx.Connect(t.Context(), b.replicas.Primary.URL)
		require.NoError(t, err)
		defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
		rows, err := conn.Query(t.Context(),
			`SELECT split_part(c.email, '@', 1), b.booking_id FROM bookings b JOIN customers c USING (tenant_id, customer_id)`)
		require.NoError(t, err)
		var key string
		var id uuid.UUID
		_, err = pgx.ForEachRow(rows, []any{&key, &id}, func() error {
			there[key]++
			if told, ok := l.acknowledged[key]; ok {
				require.Equal(t, told, id, "another booking than the one that was acknowledged")
			}
			return nil
		})
		require.NoError(t, err)
	}
	list()
	for key := range l.acknowledged {
		require.Equal(t, 1, there[key], "acknowledged and lost, or booked twice")
	}
	for key, code := range l.refused {
		require.Zero(t, there[key], "refused with %s and booked", code)
	}
	for key, day := range l.unknown {
		var last error
		require.Eventually(t, func() bool {
			resp, err := b.create(t.Context(), t, b.process, key, day)
			if last = err; err == nil {
				l.acknowledged[key] = bookingIn(t, resp)
			}
			return err == nil
		}, longestWait, poll, "%v", last)
	}
	list()
	for key := range l.acknowledged {
		require.Equal(t, 1, there[key], "settled, and there once")
	}
}
