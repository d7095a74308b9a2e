package event_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/testtime"
)

// crowd is some workers of several processes and due events. Each worker first freezes with an event; its lease ends,
// and at last it reports that the event is dead, which must change nothing.
type crowd struct {
	leased   map[uuid.UUID]int // leases of each event, without those of frozen workers
	late     int               // reports of frozen workers that were recorded
	lost     int               // reports of other workers that were not recorded
	statuses map[string]int    // of the stored events
	versions map[int64]int     // of the stored events
}

const (
	workers   = 40
	processes = 5
)

// dueEvents are ten for each worker, for whom there is more than one lease then.
var dueEvents = testtime.Rounds(400)

// runCrowd lets the crowd lease from a database of its own. rewrite, if any, changes statements on their way to the
// database.
func runCrowd(t *testing.T, rewrite func(sql string) string) crowd {
	t.Helper()
	b := setup(t)
	url := b.url
	if rewrite != nil {
		url = dbtest.NewProxy(t, b.url, func(p *dbtest.Proxy) { p.Rewrite = rewrite }).URL
	}
	var stores [processes]*db.DB
	for i := range stores {
		stores[i] = dbtest.Open(t, db.Config{URL: url, MaxConns: 8})
	}
	ctx, cancel := context.WithTimeout(t.Context(), longestWait)
	defer cancel()
	ids := b.scheduled().ready().insert(t, dueEvents)

	frozen := make([]event.LeasedEvent, workers)
	c := crowd{leased: make(map[uuid.UUID]int), statuses: make(map[string]int), versions: make(map[int64]int)}
	var mu sync.Mutex
	var freezing, working sync.WaitGroup
	for i := range workers {
		freezing.Go(func() {
			for frozen[i].EventID == uuid.Nil && ctx.Err() == nil {
				// A lease that ends at once.
				leased, err := event.LeaseDue(ctx, stores[i%processes], uuid.New(),
					event.LeaseQuery{Kind: testKind, Limit: 1})
				if err == nil && len(leased[0].Events) == 1 {
					frozen[i] = leased[0].Events[0]
				}
			}
		})
	}
	freezing.Wait()
	var completed atomic.Int64
	for i := range workers {
		working.Go(func() {
			s := stores[i%processes]
			for completed.Load() < int64(dueEvents) && ctx.Err() == nil {
				leased, err := event.LeaseDue(ctx, s, uuid.New(),
					event.LeaseQuery{Kind: testKind, Limit: 1 + i%7, LeaseTime: longLease})
				events := leased[0].Events
				if err != nil || len(events) == 0 {
					continue
				}
				mu.Lock()
				for _, e := range events {
					c.leased[e.EventID]++
				}
				mu.Unlock()
				finished := make([]event.FinishedEvent, len(events))
				for j, e := range events {
					finished[j] = event.FinishedEvent{Event: e, Status: "completed"}
				}
				unfinished, err := event.Finish(ctx, s, finished)
				if err == nil {
					completed.Add(int64(len(finished) - len(unfinished.Lost)))
					mu.Lock()
					c.lost += len(unfinished.Lost)
					mu.Unlock()
				}
			}
		})
	}
	working.Go(func() {
		for completed.Load() < int64(dueEvents) && ctx.Err() == nil {
			_, _ = event.Rescue(ctx, b.store, 0, dueEvents, map[string]event.RescueRule{testKind: {}})
		}
	})
	working.Wait()
	require.NoError(t, ctx.Err(), "%d events are completed", completed.Load())
	for _, e := range frozen {
		unfinished, err := event.Finish(ctx, stores[0], []event.FinishedEvent{{Event: e, Status: "dead"}})
		require.NoError(t, err)
		c.late += 1 - len(unfinished.Lost)
	}
	for _, e := range b.stored(t, ids...) {
		c.statuses[e.Status]++
		c.versions[e.Version]++
	}
	return c
}

// wrong returns what is wrong with what a crowd did.
func (c crowd) wrong() (wrong []string) {
	twice := 0
	for _, n := range c.leased {
		if n > 1 {
			twice++
		}
	}
	for what, is := range map[string]bool{
		"events were missed":               len(c.leased) != dueEvents,
		"events went to two workers":       twice > 0,
		"an event isn't completed":         c.statuses["completed"] != dueEvents,
		"a frozen worker's report counted": c.late > 0,
		"a holder's report was lost":       c.lost > 0,
		// Planned, leased, completed; where a worker froze, leased and rescued before.
		"versions differ": c.versions[3] != dueEvents-workers || c.versions[5] != workers,
	} {
		if is {
			wrong = append(wrong, what)
		}
	}
	return wrong
}

func TestLeaseDue_ManyWorkersAtOnce_EachEventIsCompletedOnce(t *testing.T) {
	t.Parallel()
	c := runCrowd(t, nil)
	require.Empty(t, c.wrong(), "%+v", c)
}

// TestLeaseDue_PlantedDefects_AreCaught shows that the test before this one can fail.
func TestLeaseDue_PlantedDefects_AreCaught(t *testing.T) {
	t.Parallel()
	for _, d := range []struct{ name, statement, old, by, want string }{
		{"no row lock", "-- name: EventLease ", "FOR UPDATE SKIP LOCKED", "", "events went to two workers"},
		{"no token", "-- name: EventFinish ", "AND e.lease = f.lease AND e.version = f.version", "",
			"a frozen worker's report counted"},
	} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			var planted atomic.Bool
			c := runCrowd(t, func(sql string) string {
				if !strings.HasPrefix(sql, d.statement) || !strings.Contains(sql, d.old) {
					return sql
				}
				planted.Store(true)
				return strings.Replace(sql, d.old, d.by, 1)
			})
			require.True(t, planted.Load())
			require.Contains(t, c.wrong(), d.want)
		})
	}
}

func TestLeaseDue_ThreeWorkersOfFiveAtOnce_GetAllTenEventsAndNoneTwice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	stores := []*db.DB{b.store, b.anotherStore(t), b.anotherStore(t)}
	for range testtime.Rounds(10) {
		ids := b.scheduled().ready().insert(t, 10)
		leases := make([][]event.Leased, len(stores))
		errs := make([]error, len(stores))
		start := make(chan struct{})
		var all sync.WaitGroup
		for i, s := range stores {
			all.Go(func() {
				<-start
				lease := event.LeaseQuery{Kind: testKind, Limit: 5, LeaseTime: longLease}
				leases[i], errs[i] = event.LeaseDue(t.Context(), s, uuid.New(), lease)
			})
		}
		close(start)
		all.Wait()
		require.NoError(t, errors.Join(errs...))
		var got []uuid.UUID
		for _, leased := range leases {
			require.LessOrEqual(t, len(leased[0].Events), 5)
			for _, e := range leased[0].Events {
				got = append(got, e.EventID)
			}
		}
		require.ElementsMatch(t, ids, got)
		for _, e := range b.stored(t, ids...) {
			require.Equal(t, stored{EventID: e.EventID, Status: "processing", DueAt: e.DueAt, Attempts: 1, Version: 2,
				Leased: true}, e)
		}
	}
}
