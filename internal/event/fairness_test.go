package event_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/event"
)

func TestWorker_BacklogOfOneTenant_DoesNotHoldUpAnother(t *testing.T) {
	t.Parallel()
	const backlog, concurrency, bound = 2000, 20, 200
	for name, tenant := range map[string]uuid.UUID{"first in the order of tenants": {1}, "last": uuid.Max} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.scheduled().overdue(time.Hour).insert(t, backlog)
			one := b.scheduled().ready().of(tenant).insert(t, 1)[0]
			ctx, stop := bounded(t)
			defer stop()
			var before, after atomic.Int64
			var h handled
			kind := h.kind(func(_ context.Context, e event.Event) (event.Result, error) {
				switch {
				case e.ID == one:
					after.Store(before.Load())
					stop()
				default:
					before.Add(1)
				}
				return event.Done(), nil
			})
			kind.Concurrency = concurrency
			event.NewWorker(b.store, event.Config{}, kind).RunUntilIdle(ctx)
			require.Equal(t, "completed", b.stored(t, one)[0].Status)
			t.Logf("handled before: %d", after.Load())
			require.Less(t, after.Load(), int64(bound), "events of the other tenant that were handled before")
		})
	}
}

func TestWorker_BacklogBesideManyTenantsWithLaterEvents_DoesNotHoldUpTheLastTenant(t *testing.T) {
	t.Parallel()
	const backlog, bound = 2000, 500
	b := setup(t)
	b.scheduled().overdue(time.Hour).of(uuid.UUID{1}).insert(t, backlog)
	// A fair lease looks at 500 tenants. None of these has an event that is due.
	later := make([]row, 1200)
	for i := range later {
		later[i] = b.scheduled().of(uuid.UUID{2, byte(i >> 8), byte(i)})
	}
	insertEach(t, later)
	one := b.scheduled().ready().of(uuid.Max).insert(t, 1)[0]
	ctx, stop := bounded(t)
	defer stop()
	before := 0
	var h handled
	kind := h.kind(func(_ context.Context, e event.Event) (event.Result, error) {
		if e.ID == one {
			before = len(h.ids()) - 1
			stop()
		}
		return event.Done(), nil
	})
	kind.Concurrency = 20
	event.NewWorker(b.store, event.Config{}, kind).RunUntilIdle(ctx)
	require.Equal(t, "completed", b.stored(t, one)[0].Status)
	t.Logf("handled before: %d", before)
	require.Less(t, before, bound, "events of the first tenant that were handled before")
}

func TestLeaseDue_FairlyFromMoreTenantsThanItLooksAt_NextClaimGoesOnWithTheFirstItLeftOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tenant := func(i int) uuid.UUID { return uuid.UUID{2, byte(i >> 8), byte(i)} }
	rows := make([]row, 520)
	for i := range rows {
		rows[i] = b.scheduled().of(tenant(i)) // not due
		if i < 100 || i >= 500 {
			rows[i] = rows[i].ready()
		}
	}
	insertEach(t, rows)
	fairly := event.LeaseQuery{Kind: testKind, Limit: 1000, LeaseTime: longLease, Fairly: true, PerTenant: 5}
	leased, err := event.LeaseDue(t.Context(), b.store, uuid.New(), fairly)
	require.NoError(t, err)
	require.Len(t, leased[0].Events, 100)
	require.Equal(t, tenant(499), leased[0].LastTenant)
	fairly.After = leased[0].LastTenant
	leased, err = event.LeaseDue(t.Context(), b.store, uuid.New(), fairly)
	require.NoError(t, err)
	require.Len(t, leased[0].Events, 20)
	require.Zero(t, leased[0].LastTenant, "it looked at all tenants that are left")

	fairly.After, fairly.Limit = uuid.Nil, 1
	b.scheduled().ready().insert(t, 1)
	leased, err = event.LeaseDue(t.Context(), b.store, uuid.New(), fairly)
	require.NoError(t, err)
	require.Len(t, leased[0].Events, 1)
	require.Zero(t, leased[0].LastTenant, "it took all that it might")
}

func TestWorker_BacklogOfAKindWithOnePlace_IsHandledWithoutPolling(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.scheduled().overdue(time.Hour).insert(t, 50)
	ctx, stop := bounded(t)
	defer stop()
	var h handled
	var left atomic.Int64
	left.Store(int64(len(ids)))
	kind := h.kind(func(context.Context, event.Event) (event.Result, error) {
		if left.Add(-1) == 0 {
			stop()
		}
		return event.Done(), nil
	})
	kind.Concurrency = 1
	event.NewWorker(b.store, event.Config{Poll: time.Hour}, kind).Run(ctx)
	require.ElementsMatch(t, ids, h.ids())
}

func TestWorker_BacklogsOfManyTenants_EachTenantIsHandledInTurn(t *testing.T) {
	t.Parallel()
	const tenants, backlog, concurrency = 40, 100, 20
	b := setup(t)
	for range tenants {
		b.scheduled().overdue(time.Hour).of(uuid.New()).insert(t, backlog)
	}
	ctx, stop := bounded(t)
	defer stop()
	var h handled
	kind := h.kind(nil)
	kind.Concurrency = concurrency
	event.NewWorker(b.store, event.Config{Observers: []event.Observer{func(n event.Notice) {
		if n.What == event.NoticeLeased && len(h.ids()) >= tenants*concurrency {
			stop()
		}
	}}}, kind).RunUntilIdle(ctx)
	seen := make(map[uuid.UUID]bool)
	for _, e := range h.events {
		seen[e.TenantID] = true
	}
	require.Len(t, seen, tenants, "of %d events", len(h.events))
}

func TestWorker_EndlessBacklogOfAKind_DoesNotHoldUpAnotherKind(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.scheduled().overdue(time.Hour).insert(t, 100)
	other := b.scheduled().ready()
	other.kind = "test.other"
	id := other.insert(t, 1)[0]
	ctx, stop := bounded(t)
	defer stop()
	var h handled
	endless := h.kind(func(_ context.Context, e event.Event) (event.Result, error) { return event.Again(e.DueAt), nil })
	before := 0
	event.NewWorker(b.store, event.Config{}, endless,
		event.Kind{Name: "test.other", Handle: func(context.Context, event.Event) (event.Result, error) {
			before = len(h.ids())
			stop()
			return event.Done(), nil
		}}).RunUntilIdle(ctx)
	require.Equal(t, "completed", b.stored(t, id)[0].Status)
	require.Less(t, before, 100, "events of the endless kind that were handled before")
}
