package admission

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// entrant is a request in a bulkhead.
type entrant struct {
	*permit
	gone   context.CancelFunc
	result chan error
}

// enter sends a request into the bulkhead and returns when it is at work, waits or was refused.
func enter(t *testing.T, b *bulkhead, id uuid.UUID) *entrant {
	t.Helper()
	return enterAtCost(t, b, id, 1)
}

// enterAtCost is enter with a request that takes so many permits.
func enterAtCost(t *testing.T, b *bulkhead, id uuid.UUID, cost int) *entrant {
	t.Helper()
	permit, err := b.enqueue(id, cost)
	require.NoError(t, err)
	ctx, gone := context.WithCancel(t.Context())
	e := &entrant{permit: permit, gone: gone, result: make(chan error, 1)}
	go func() { e.result <- permit.acquire(ctx) }()
	synctest.Wait()
	return e
}

func (e *entrant) atWork() bool {
	select {
	case err := <-e.result:
		e.result <- err
		return err == nil
	default:
		return false
	}
}

func (e *entrant) end() {
	e.gone()
	<-e.result //nolint:errcheck // it may have waited until now
	e.leave()
	synctest.Wait()
}

func testBulkhead(working, queued int) *bulkhead {
	return newBulkhead(Limits{MaxWorking: working, MaxQueued: queued, QueueTimeout: time.Second}, 1, 1,
		newMetrics(nil).bulkhead("general"))
}

func newTestAdmission(l Limits) *Admission { return New(l, slog.New(slog.DiscardHandler), nil) }

func requireEmpty(t *testing.T, b *bulkhead) {
	t.Helper()
	require.Empty(t, b.clients, "who has no request is forgotten")
	require.Zero(t, b.queued)
	require.Equal(t, b.maxWorking, b.free, "every permit is free")
	require.Empty(t, b.scheduled)
}

func TestBulkhead_LetsOneTenantHaveHalfOfThePlaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, one, other := testBulkhead(4, 100), uuid.New(), uuid.New()
		storm := []*entrant{enter(t, b, one), enter(t, b, one), enter(t, b, one), enter(t, b, one)}
		require.True(t, storm[0].atWork())
		require.True(t, storm[1].atWork())
		require.False(t, storm[2].atWork())
		require.False(t, storm[3].atWork())
		quiet := enter(t, b, other)
		require.True(t, quiet.atWork(), "somebody else's storm keeps nobody waiting")

		storm[0].end()
		require.True(t, storm[2].atWork(), "first come, first served")
		require.False(t, storm[3].atWork())
		for _, e := range append(storm[1:], quiet) {
			e.end()
		}
		requireEmpty(t, b)
	})
}

func TestAdmission_LetsOneTenantHaveAnEighthOfThePlacesWhileOthersSendRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one, other := uuid.New(), uuid.New()
		requireAtWork := func(most int, b *bulkhead, id uuid.UUID) {
			t.Helper()
			var inside []*entrant
			for range 20 {
				inside = append(inside, enter(t, b, id))
			}
			for i, e := range inside {
				require.Equal(t, i < most, e.atWork(), "%d", i)
			}
			for _, e := range inside {
				e.end()
			}
		}
		a := newTestAdmission(Limits{MaxWorking: 32, MaxQueued: 100})
		requireAtWork(16, a.general, one)
		enter(t, a.general, Unauthenticated).end()
		enter(t, a.general, Providers).end()
		requireAtWork(16, a.general, one) // neither is a tenant
		enter(t, a.general, other).end()
		requireAtWork(4, a.general, one)
		requireAtWork(4, a.general, other)
		requireAtWork(16, a.general, Providers)
		testtime.Advance(activeWindow + 1)
		requireAtWork(16, a.general, one)

		// Payments mostly wait for the provider.
		enter(t, a.payments, other).end()
		requireAtWork(16, a.payments, one)

		small := newTestAdmission(Limits{MaxWorking: 2, MaxQueued: 100})
		enter(t, small.general, other).end()
		requireAtWork(1, small.general, one)
		requireEmpty(t, a.general)
		requireEmpty(t, small.general)
	})
}

func TestAdmission_DearRequests_AreFewAtWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newTestAdmission(Limits{MaxWorking: 64, MaxQueued: 1000})
		b, one, other := a.general, uuid.New(), uuid.New()
		for _, c := range []struct{ cost, alone, besideOthers int }{{1, 32, 8}, {4, 8, 2}, {8, 4, 1}, {1000, 1, 1}} {
			for most, others := range map[int]bool{c.alone: false, c.besideOthers: true} {
				testtime.Advance(activeWindow + 1)
				if others {
					enter(t, b, other).end()
				}
				var inside []*entrant
				for range 40 {
					inside = append(inside, enterAtCost(t, b, one, c.cost))
				}
				for i, e := range inside {
					require.Equal(t, i < most, e.atWork(), "%d at cost %d", i, c.cost)
				}
				for _, e := range inside {
					e.end()
				}
			}
		}
		requireEmpty(t, b)
	})
}

func TestBulkhead_DearRequest_WaitsForItsPermitsAndKeepsNobodyBehindIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, one, other := testBulkhead(8, 100), uuid.New(), uuid.New()
		b.perRound = 4
		var inside []*entrant
		for range 6 {
			inside = append(inside, enter(t, b, uuid.New()))
		}
		dear, behind, quiet := enterAtCost(t, b, one, 4), enter(t, b, one), enter(t, b, other)
		inside[0].end()
		require.False(t, dear.atWork(), "three permits are free, and kept for it")
		require.False(t, quiet.atWork())
		inside[1].end()
		require.True(t, dear.atWork())
		require.False(t, behind.atWork(), "its tenant's share is used up")
		inside[2].end()
		require.True(t, quiet.atWork())
		dear.end()
		require.True(t, behind.atWork())
		for _, e := range append(inside[3:], behind, quiet) {
			e.end()
		}
		requireEmpty(t, b)
	})
}

func TestBulkhead_SeveralTenants_AreServedRoundRobinAndARoundsRequestsTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, one, other := testBulkhead(8, 100), uuid.New(), uuid.New()
		b.perRound = 2
		var inside []*entrant
		for range 8 {
			inside = append(inside, enter(t, b, uuid.New()))
		}
		var storm []*entrant
		for range 5 {
			storm = append(storm, enter(t, b, one))
		}
		quiet := enter(t, b, other)
		require.Equal(t, 6, b.queued)
		requireAtWork := func(n int, other bool) {
			t.Helper()
			for i, e := range storm {
				require.Equal(t, i < n, e.atWork(), "%d", i)
			}
			require.Equal(t, other, quiet.atWork())
		}
		inside[0].end()
		requireAtWork(0, false) // the permit is kept until there is one more
		inside[1].end()
		requireAtWork(2, false)
		inside[2].end()
		requireAtWork(2, true) // the other's round, although more of the storm came before it
		inside[3].end()
		requireAtWork(2, true)
		storm[2].gone()
		synctest.Wait()
		require.ErrorIs(t, <-storm[2].result, context.Canceled)
		storm[2].leave()
		synctest.Wait()
		require.False(t, storm[3].atWork())
		inside[4].end()
		require.True(t, storm[3].atWork())
		require.True(t, storm[4].atWork())
		for _, e := range append(append(inside[5:], quiet, storm[0], storm[1]), storm[3:]...) {
			e.end()
		}
		requireEmpty(t, b)
	})
}

func TestAdmission_Rounds_GroupBookingsNotPayments(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, one := newTestAdmission(Limits{MaxWorking: 32, MaxQueued: 100}), uuid.New()
		for b, most := range map[*bulkhead]int{a.general: permitsPerRound, a.payments: 1} {
			var inside, queued []*entrant
			for range b.maxWorking {
				inside = append(inside, enter(t, b, uuid.New()))
			}
			for range permitsPerRound + 1 {
				queued = append(queued, enter(t, b, one))
			}
			for n := range most {
				require.False(t, queued[0].atWork())
				inside[n].end()
			}
			for i, e := range queued {
				require.Equal(t, i < most, e.atWork(), "%d", i)
			}
			for _, e := range append(inside[most:], queued...) {
				e.end()
			}
			requireEmpty(t, b)
		}
	})
}

func TestBulkhead_QueuedRequestLeaves_TheRoundGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, one := testBulkhead(4, 100), uuid.New()
		b.perRound = 2
		var inside []*entrant
		for range 4 {
			inside = append(inside, enter(t, b, uuid.New()))
		}
		stays, goes := enter(t, b, one), enter(t, b, one)
		inside[0].end()
		require.False(t, stays.atWork())
		goes.end()
		require.True(t, stays.atWork())
		for _, e := range append(inside[1:], stays) {
			e.end()
		}
		requireEmpty(t, b)
	})
}

func TestBulkhead_BoundsAllTenantsTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := testBulkhead(4, 100)
		var inside []*entrant
		for range 4 {
			e := enter(t, b, uuid.New())
			require.True(t, e.atWork())
			inside = append(inside, e)
		}
		last := enter(t, b, uuid.New())
		require.False(t, last.atWork())
		inside[2].end()
		require.True(t, last.atWork())
		for _, e := range []*entrant{inside[0], inside[1], inside[3], last} {
			e.end()
		}
		requireEmpty(t, b)
	})
}

func TestBulkhead_QueueFull_Sheds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, one, two := testBulkhead(4, 4), uuid.New(), uuid.New()
		var inside []*entrant
		for range 4 { // each has two at work and two in the queue
			inside = append(inside, enter(t, b, one), enter(t, b, two))
		}
		for _, id := range []uuid.UUID{one, two, Unauthenticated} {
			_, err := b.enqueue(id, 1)
			require.True(t, problem.Is(err, problem.Overloaded), "%v", err)
			var known *problem.Error
			require.ErrorAs(t, err, &known)
			require.GreaterOrEqual(t, known.RetryAfter, time.Second)
			require.LessOrEqual(t, known.RetryAfter, 3*time.Second)
		}
		quiet := uuid.New()
		first := enter(t, b, quiet)
		require.False(t, first.atWork(), "it waits, but it isn't refused for what others do")
		_, err := b.enqueue(quiet, 1)
		require.True(t, problem.Is(err, problem.Overloaded), "a second one is part of the crowd")
		for _, e := range append(inside, first) {
			e.end()
		}
		requireEmpty(t, b)
	})
}

func TestBulkhead_LetsOneTenantHaveHalfOfTheQueueAndUnauthenticatedClientsAnEighth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for id, most := range map[uuid.UUID]int{uuid.New(): 8, Providers: 8, Unauthenticated: 2} {
			b := testBulkhead(16, 16)
			var inside []*entrant
			for range 2 * most { // as many at work as in the queue
				inside = append(inside, enter(t, b, id))
			}
			require.True(t, inside[most-1].atWork())
			require.False(t, inside[most].atWork())
			_, err := b.enqueue(id, 1)
			require.True(t, problem.Is(err, problem.Overloaded))
			for _, e := range inside {
				e.end()
			}
			requireEmpty(t, b)
		}
	})
}

func TestBulkhead_WaitTooLong_Sheds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, id := testBulkhead(2, 100), uuid.New()
		working, own := enter(t, b, id), enter(t, b, id)
		// the one waits for its tenant, the other for all
		elsewhere, all := enter(t, b, uuid.New()), enter(t, b, uuid.New())
		testtime.Advance(time.Second - time.Nanosecond)
		require.Empty(t, own.result)
		require.Empty(t, all.result)
		testtime.Advance(time.Nanosecond)
		for _, e := range []*entrant{own, all} {
			err := <-e.result
			require.True(t, problem.Is(err, problem.Overloaded), "%v", err)
			e.leave()
		}
		working.end()
		elsewhere.end()
		requireEmpty(t, b)
	})
}

func TestBulkhead_FreesThePlaceOfAClientThatGoesAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, id := testBulkhead(2, 100), uuid.New()
		working, goes, stays := enter(t, b, id), enter(t, b, id), enter(t, b, id)
		goes.gone()
		synctest.Wait()
		require.ErrorIs(t, <-goes.result, context.Canceled)
		goes.leave()
		require.Equal(t, 1, b.queued)
		working.end()
		require.True(t, stays.atWork())
		stays.end()
		requireEmpty(t, b)
	})
}

func TestBulkhead_WaitDeadlineIsOver_NeverWorks(t *testing.T) {
	t.Parallel()
	b := testBulkhead(2, 100)
	permit, err := b.enqueue(uuid.New(), 1)
	require.NoError(t, err)
	ctx, stop := withWaitDeadline(t.Context(), testtime.Now())
	defer stop()
	<-ctx.Done()
	require.ErrorIs(t, permit.acquire(ctx), errOutOfTime)
	permit.leave()
	requireEmpty(t, b)
}

func TestBulkhead_RandomEvents_ReturnsAllPlaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := testBulkhead(4, 16)
		b.perRound, b.activeCost = 2, 2
		tenants := []uuid.UUID{uuid.New(), uuid.New(), uuid.New(), Unauthenticated}
		seed := testtime.Seed(t)
		var all sync.WaitGroup
		for i := range testtime.Rounds(500) {
			all.Go(func() {
				random := rand.New(rand.NewPCG(seed, uint64(i)))
				upTo := func(below time.Duration) time.Duration { return time.Duration(random.Int64N(int64(below))) }
				<-time.After(upTo(5 * time.Second))
				permit, err := b.enqueue(tenants[random.IntN(len(tenants))], 1+random.IntN(4))
				if err != nil {
					return
				}
				defer permit.leave()
				ctx, gone := context.WithTimeout(t.Context(), upTo(3*time.Second))
				defer gone()
				if permit.acquire(ctx) == nil {
					<-time.After(upTo(300 * time.Millisecond))
				}
			})
		}
		all.Wait()
		requireEmpty(t, b)
	})
}

// BenchmarkBulkhead is what a request pays that doesn't have to wait.
func BenchmarkBulkhead(b *testing.B) {
	limited := testBulkhead(64, 1024)
	id := uuid.New()
	b.ReportAllocs()
	for b.Loop() {
		permit, err := limited.enqueue(id, 1)
		if err != nil || permit.acquire(b.Context()) != nil {
			b.Fatal("refused")
		}
		permit.leave()
	}
}

// BenchmarkShed is what a request costs that comes to a full queue.
func BenchmarkShed(b *testing.B) {
	a := newTestAdmission(Limits{MaxWorking: 1, MaxQueued: 1})
	queued, err := a.general.enqueue(Unauthenticated, 1)
	require.NoError(b, err)
	defer queued.leave()
	req := httptest.NewRequest(http.MethodPost, "/", http.NoBody)
	b.ReportAllocs()
	for b.Loop() {
		rec := httptest.NewRecorder()
		c, _ := gin.CreateTestContext(rec)
		c.Request = req
		_, err := a.Admit(c, Request{Client: Unauthenticated, Cost: 1})
		if edge.WriteProblem(c, err); rec.Code != http.StatusServiceUnavailable {
			b.Fatal(rec.Code)
		}
	}
}

func TestBulkhead_PreparedRefusal_EqualsAFreshOne(t *testing.T) {
	t.Parallel()
	for reason, answers := range refusals() {
		require.Len(t, answers, 3, reason)
		for i, prepared := range answers {
			made := problem.DocumentOf(problem.New(problem.Overloaded,
				prepared.Detail).Retry(time.Duration(i+1) * time.Second))
			require.Equal(t, string(made.JSON()), string(prepared.JSON()))
			require.Equal(t, made.GetHeaders(), prepared.GetHeaders())
		}
	}
}
