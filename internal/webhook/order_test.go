package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/change"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/usecase"
	"holdfast/internal/webhook"
)

// recordChangeOf commits one event of each subject.
func (b *testBundle) recordChangeOf(t testing.TB, sequence int64, subjects ...uuid.UUID) {
	t.Helper()
	err := b.store.Write(t.Context(), "write", b.tenant.ID, nil, func(tx *db.WriteTx) func() error {
		return func() error {
			for _, subject := range subjects {
				tx.AddChange(db.Change{
					ID: uuid.Must(uuid.NewV7()), Type: "booking.updated", SubjectType: "booking", SubjectID: subject,
					Version: sequence,
					Data:    []byte(`{}`),
				})
			}
			return nil
		}
	})
	require.NoError(t, err)
}

func newSubjects(n int) []uuid.UUID {
	ids := make([]uuid.UUID, n)
	for i := range ids {
		ids[i] = uuid.New()
	}
	return ids
}

// anotherServer returns the delivery kind of another process on the same database, and its store.
func (b *testBundle) anotherServer(t testing.TB) (*db.DB, event.Kind) {
	t.Helper()
	s := dbtest.Open(t, db.Config{URL: b.url, MaxConns: 8, LockTimeout: time.Minute})
	allowed, err := webhook.ParseNetworks("127.0.0.0/8")
	require.NoError(t, err)
	return s, webhook.NewService(s, change.NewService(s, usecase.TypesOfChanges()), webhook.Config{Allowed: allowed},
		nil).DeliveryKind()
}

func TestDelivery_BurstOnThreeServers_EachSubjectsEventsArriveInOrderAndOneAtATime(t *testing.T) {
	t.Parallel()
	const subjects, events = 40, 6
	b := setup(t)
	var mu sync.Mutex
	var wrong []string
	underWay, last := map[uuid.UUID]int64{}, map[uuid.UUID]int64{}
	rec := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var got change.EventBody
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &got)
		id := got.Subject.ID
		mu.Lock()
		if n := underWay[id]; n != 0 {
			wrong = append(wrong, fmt.Sprintf("%d of %s while %d is under way", got.Sequence, id, n))
		}
		if got.Sequence != last[id]+1 {
			wrong = append(wrong, fmt.Sprintf("%d of %s after %d", got.Sequence, id, last[id]))
		}
		underWay[id], last[id] = got.Sequence, got.Sequence
		mu.Unlock()
		defer func() {
			mu.Lock()
			underWay[id] = 0
			mu.Unlock()
		}()
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(rec.Close)
	b.newEndpoint(t, rec.URL, "*")
	ids := newSubjects(subjects)
	for n := range events {
		b.recordChangeOf(t, int64(n+1), ids...)
	}
	b.relay(t)
	workers := []*event.Worker{b.worker()}
	for range 2 {
		s, kind := b.anotherServer(t)
		workers = append(workers, event.NewWorker(s, event.Config{}, kind))
	}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for _, w := range workers {
		running.Go(func() { w.Run(ctx) })
	}
	defer running.Wait()
	defer stop()
	require.Eventually(t, func() bool {
		var left int
		err := b.sql.QueryRow(t.Context(),
			"SELECT count(*) FROM scheduled_events WHERE status <> 'completed'").Scan(&left)
		return err == nil && left == 0
	}, time.Minute, 20*time.Millisecond)
	mu.Lock()
	defer mu.Unlock()
	require.Empty(t, wrong)
	require.Len(t, last, subjects)
	for _, id := range ids {
		require.Equal(t, int64(events), last[id])
	}
}

// claimDeliveries claims as many deliveries as there are, everywhere and from any time.
func (b *testBundle) claimDeliveries(t testing.TB, of *db.DB) []event.LeasedEvent {
	t.Helper()
	claimed, err := event.LeaseDue(t.Context(), of, uuid.New(), event.LeaseQuery{
		Kind: event.KindWebhookDelivery, Limit: 100, LeaseTime: time.Hour,
		Deliveries: &event.DeliveryLeaseQuery{Everywhere: true, PerEndpoint: 100},
	})
	require.NoError(t, err)
	return claimed[0].Events
}

// sequencesOf returns the positions of deliveries in the order of their subject.
func (b *testBundle) sequencesOf(t testing.TB, claimed ...event.LeasedEvent) []int64 {
	t.Helper()
	list := make([]int64, len(claimed))
	for i, c := range claimed {
		require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT sequence FROM scheduled_events WHERE event_id = $1",
			c.EventID).Scan(&list[i]))
	}
	slices.Sort(list)
	return list
}

func TestClaim_EarlierDeliveryOfTheSubject_IsWaitedForUntilItsFirstAttemptEnds(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"completed", "cancelled", "dead", "failed"} {
		b := setup(t)
		other, _ := b.anotherServer(t)
		e := b.newEndpoint(t, "https://example.com/", "*")
		subject := newSubjects(1)[0]
		for n := range 3 {
			b.recordChangeOf(t, int64(n+1), subject)
		}
		b.relay(t)
		first := b.claimDeliveries(t, b.store)
		require.Equal(t, []int64{1}, b.sequencesOf(t, first...))
		require.Empty(t, b.claimDeliveries(t, b.store), "the first one is under way")
		require.Empty(t, b.claimDeliveries(t, other))

		unfinished, err := event.Finish(t.Context(), b.store, []event.FinishedEvent{
			{Event: first[0], Status: status, Error: "x", DueAt: first[0].LeasedAt.Add(time.Hour), Delivery: true},
		})
		require.NoError(t, err)
		require.Len(t, unfinished.Followers, 1)
		require.Equal(t, e.ID, unfinished.Followers[0].SubjectID)
		second := b.claimDeliveries(t, other)
		require.Equal(t, []int64{2}, b.sequencesOf(t, second...), "after one that is %s", status)

		unfinished, err = event.Finish(t.Context(), other, []event.FinishedEvent{
			{Event: second[0], Status: event.UncountedRetry, DueAt: second[0].LeasedAt.Add(time.Hour), Delivery: true},
		})
		require.NoError(t, err)
		require.Len(t, unfinished.Followers, 1)
		require.Empty(t, b.claimDeliveries(t, other), "the second one was put off and comes first all the same")
	}
}

func TestClaim_OtherSubjectOrEndpoint_IsNotWaitedFor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.newEndpoint(t, "https://example.com/", "*")
	b.newEndpoint(t, "https://example.com/", "*")
	b.recordChangeOf(t, 1, newSubjects(3)...)
	b.relay(t)
	require.Len(t, b.claimDeliveries(t, b.store), 6)
}

func TestClaim_PingBesideAnEarlierDelivery_IsNotWaitedFor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.newEndpoint(t, "https://example.com/", "*")
	b.recordChangeOf(t, 1, e.ID)
	b.relay(t)
	require.Len(t, b.claimDeliveries(t, b.store), 1)
	_, err := b.service.Ping(t.Context(), b.tenant, newRequest(t), e.ID)
	require.NoError(t, err)
	require.Len(t, b.claimDeliveries(t, b.store), 1)
}

func TestClaim_KnownEndpoints_GetTheirFreePermitsAndOthersTheirFirst(t *testing.T) {
	t.Parallel()
	b := setup(t)
	full, busy, fresh := b.newEndpoint(t, "https://example.com/", "*"), b.newEndpoint(t, "https://example.com/", "*"),
		b.newEndpoint(t,
			"https://example.com/", "*")
	b.recordChangeOf(t, 1, newSubjects(20)...)
	b.relay(t)
	known := func(id uuid.UUID, permits int) event.KnownEndpoint {
		return event.KnownEndpoint{EndpointKey: event.EndpointKey{Tenant: b.tenant.ID, Endpoint: id}, Permits: permits}
	}
	claim := func(everywhere bool) map[uuid.UUID]int {
		claimed, err := event.LeaseDue(t.Context(), b.store, uuid.New(), event.LeaseQuery{
			Kind: event.KindWebhookDelivery, Limit: 100, LeaseTime: time.Hour,
			Deliveries: &event.DeliveryLeaseQuery{Everywhere: everywhere, PerEndpoint: 4,
				Known: []event.KnownEndpoint{known(full.ID, 0), known(busy.ID, 3)}},
		})
		require.NoError(t, err)
		require.Zero(t, claimed[0].LastEndpoint)
		counts := map[uuid.UUID]int{}
		for _, c := range claimed[0].Events {
			counts[c.SubjectID]++
		}
		return counts
	}
	require.Equal(t, map[uuid.UUID]int{busy.ID: 3, fresh.ID: 4}, claim(true))
	require.Equal(t, map[uuid.UUID]int{busy.ID: 3}, claim(false))
}

func TestDelivery_EndpointThatDoesNotAnswer_HoldsUpNoOtherAndPutsNothingOff(t *testing.T) {
	t.Parallel()
	b := setup(t)
	release := make(chan struct{})
	blocked := newReceiver(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusNoContent)
	})
	fast := newReceiver(t, nil)
	slow := b.newEndpoint(t, blocked.URL, "booking.created")
	b.newEndpoint(t, fast.URL, "booking.cancelled")
	b.recordChanges(t, "booking.created", 700) // more than a worker makes at a time
	b.relay(t)
	ids := b.recordChanges(t, "booking.cancelled", 700)
	b.relay(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.worker().RunUntilIdle(t.Context())
	}()
	defer func() { <-done }()
	defer close(release)
	var got []string
	for range ids {
		select {
		case id := <-fast.arrived:
			got = append(got, id)
		case <-t.Context().Done():
		case <-time.After(time.Minute):
			require.Fail(t, "the endpoint that doesn't answer holds up the other one")
		}
	}
	require.ElementsMatch(t, texts(ids...), got)
	var waiting, putOff int
	require.NoError(t, b.sql.QueryRow(t.Context(), `
		SELECT count(*) FILTER (WHERE status = 'pending' AND attempts = 0),
			count(*) FILTER (WHERE due_at > created_at + interval '1 second')
		FROM scheduled_events WHERE subject_id = $1`, slow.ID).Scan(&waiting, &putOff))
	require.Equal(t, 700-8, waiting, "all but those under way wait, and can be claimed by another server")
	require.Zero(t, putOff)
}
