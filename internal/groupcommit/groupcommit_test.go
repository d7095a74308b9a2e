package groupcommit_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/groupcommit"
)

var errCommit = errors.New("the commit failed")

// leadWith starts a leader of the group "key" whose commit runs when begin is closed, and returns once it leads.
func leadWith(ctx context.Context, t *testing.T, groups *groupcommit.Groups[int], begin <-chan struct{}, commit groupcommit.Commit[int]) <-chan error {
	t.Helper()
	leads, result := make(chan struct{}), make(chan error, 1)
	go func() {
		result <- groups.Do(ctx, "key", 0, func(leader *groupcommit.Request[int], closeGroup func() []*groupcommit.Request[int]) error {
			close(leads)
			<-begin
			return commit(leader, closeGroup)
		})
	}()
	<-leads
	return result
}

// join starts n requests with the values 1 to n in the group "key", and returns once they have joined. mustLead is the commit
// of a request that leads.
func join(ctx context.Context, t *testing.T, groups *groupcommit.Groups[int], n int, mustLead groupcommit.Commit[int]) []<-chan error {
	t.Helper()
	results := make([]<-chan error, n)
	for i := range n {
		result := make(chan error, 1)
		results[i] = result
		before := groups.Waiting("key")
		go func() { result <- groups.Do(ctx, "key", i+1, mustLead) }()
		for groups.Waiting("key") == before {
			select {
			case err := <-result:
				require.FailNow(t, "the request didn't wait", "%v", err)
			default:
				runtime.Gosched()
			}
		}
	}
	return results
}

func mustNotLead(*groupcommit.Request[int], func() []*groupcommit.Request[int]) error {
	return errors.New("another request must lead")
}

// runAll runs each request of the group with decide, which is given its value.
func runAll(decide func(value int) error) groupcommit.Commit[int] {
	return func(_ *groupcommit.Request[int], closeGroup func() []*groupcommit.Request[int]) error {
		for _, r := range closeGroup() {
			r.Run(func() error { return decide(r.Value) }, func(any) {})
		}
		return nil
	}
}

func TestDo_RequestsOfOneKey_ShareACommitAndGetTheirOwnResults(t *testing.T) {
	t.Parallel()
	groups, begin := groupcommit.New[int](64), make(chan struct{})
	var order []int
	leader := leadWith(t.Context(), t, groups, begin, runAll(func(value int) error {
		if order = append(order, value); value == 2 {
			return errCommit
		}
		return nil
	}))
	others := join(t.Context(), t, groups, 3, mustNotLead)
	close(begin)
	require.NoError(t, <-leader)
	require.NoError(t, <-others[0])
	require.ErrorIs(t, <-others[1], errCommit)
	require.NoError(t, <-others[2])
	require.Equal(t, []int{0, 1, 2, 3}, order, "in the order of their arrival")
}

func TestDo_RequestsOfOtherKeys_AreNotShared(t *testing.T) {
	t.Parallel()
	groups, begin := groupcommit.New[int](64), make(chan struct{})
	leader := leadWith(t.Context(), t, groups, begin, runAll(func(int) error { return nil }))
	require.NoError(t, groups.Do(t.Context(), "another key", 1, runAll(func(int) error { return nil })))
	close(begin)
	require.NoError(t, <-leader)
}

func TestDo_AfterTheGroupIsClosed_LeadsANewGroup(t *testing.T) {
	t.Parallel()
	groups, begin, closed, end := groupcommit.New[int](64), make(chan struct{}), make(chan struct{}), make(chan struct{})
	close(begin)
	leader := leadWith(t.Context(), t, groups, begin, func(_ *groupcommit.Request[int], closeGroup func() []*groupcommit.Request[int]) error {
		require.Len(t, closeGroup(), 1)
		close(closed)
		<-end
		return nil
	})
	<-closed
	require.ErrorIs(t, groups.Do(t.Context(), "key", 1, runAll(func(int) error { return errCommit })), errCommit)
	close(end)
	require.NoError(t, <-leader)
}

func TestDo_FullGroup_IsFollowedByAnother(t *testing.T) {
	t.Parallel()
	groups, begin := groupcommit.New[int](2), make(chan struct{})
	first := leadWith(t.Context(), t, groups, begin, runAll(func(value int) error { require.Less(t, value, 2); return nil }))
	second := join(t.Context(), t, groups, 1, mustNotLead)
	third := leadWith(t.Context(), t, groups, begin, func(_ *groupcommit.Request[int], closeGroup func() []*groupcommit.Request[int]) error {
		require.Len(t, closeGroup(), 1)
		return nil
	})
	close(begin)
	require.NoError(t, <-first)
	require.NoError(t, <-second[0])
	require.NoError(t, <-third)
}

func TestDo_CommitFails_EachRequestGetsTheError(t *testing.T) {
	t.Parallel()
	groups, begin := groupcommit.New[int](64), make(chan struct{})
	leader := leadWith(t.Context(), t, groups, begin, func(_ *groupcommit.Request[int], closeGroup func() []*groupcommit.Request[int]) error {
		all := closeGroup()
		all[0].Run(func() error { return errors.New("its decision is void") }, func(any) {})
		all[1].Complete(nil)
		return errCommit
	})
	others := join(t.Context(), t, groups, 2, mustNotLead)
	close(begin)
	require.ErrorIs(t, <-leader, errCommit)
	require.NoError(t, <-others[0], "it was complete before")
	require.ErrorIs(t, <-others[1], errCommit)
}

func TestDo_LeaderEndsBeforeItClosesTheGroup_TheNextRequestLeads(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]groupcommit.Commit[int]{
		"error": func(*groupcommit.Request[int], func() []*groupcommit.Request[int]) error { return errCommit },
		"panic": func(*groupcommit.Request[int], func() []*groupcommit.Request[int]) error { panic(errCommit) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			groups, begin := groupcommit.New[int](64), make(chan struct{})
			leads, ended := make(chan struct{}), make(chan any, 1)
			go func() {
				defer func() { ended <- recover() }()
				panic(groups.Do(t.Context(), "key", 0, func(r *groupcommit.Request[int], closeGroup func() []*groupcommit.Request[int]) error {
					close(leads)
					<-begin
					return leave(r, closeGroup)
				}))
			}()
			<-leads
			var served []int
			others := join(t.Context(), t, groups, 2, runAll(func(value int) error { served = append(served, value); return nil }))
			close(begin)
			require.Equal(t, errCommit, <-ended)
			require.NoError(t, <-others[0])
			require.NoError(t, <-others[1])
			require.Equal(t, []int{1, 2}, served)
		})
	}
}

func TestDo_ContextEndsWhileTheRequestWaits_LeavesTheGroup(t *testing.T) {
	t.Parallel()
	groups, begin := groupcommit.New[int](64), make(chan struct{})
	leader := leadWith(t.Context(), t, groups, begin, runAll(func(value int) error { require.NotEqual(t, 1, value); return nil }))
	ctx, cancel := context.WithCancel(t.Context())
	gone := join(ctx, t, groups, 1, mustNotLead)
	cancel()
	require.ErrorIs(t, <-gone[0], context.Canceled)
	close(begin)
	require.NoError(t, <-leader)
}

func TestDo_ContextEndsAfterTheGroupWasClosed_WaitsForTheResult(t *testing.T) {
	t.Parallel()
	groups, begin, closed, end := groupcommit.New[int](64), make(chan struct{}), make(chan struct{}), make(chan struct{})
	leader := leadWith(t.Context(), t, groups, begin, func(_ *groupcommit.Request[int], closeGroup func() []*groupcommit.Request[int]) error {
		closeGroup()
		close(closed)
		<-end
		return nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	waits := join(ctx, t, groups, 1, mustNotLead)
	close(begin)
	<-closed
	cancel()
	close(end)
	require.NoError(t, <-waits[0], "the commit has served it")
	require.NoError(t, <-leader)
}

func TestRun_OfOneRequestPanics_OnlyItsOwnCallPanics(t *testing.T) {
	t.Parallel()
	groups, begin := groupcommit.New[int](64), make(chan struct{})
	const panics = 100
	var reported []any
	leader := leadWith(t.Context(), t, groups, begin, func(_ *groupcommit.Request[int], closeGroup func() []*groupcommit.Request[int]) error {
		for _, r := range closeGroup() {
			r.Run(func() error {
				if r.Value == panics {
					panic("planted")
				}
				return nil
			}, func(v any) { reported = append(reported, v) })
		}
		return nil
	})
	panicked := make(chan any, 1)
	before := groups.Waiting("key")
	go func() {
		defer func() { panicked <- recover() }()
		_ = groups.Do(t.Context(), "key", panics, mustNotLead)
	}()
	for groups.Waiting("key") == before {
		runtime.Gosched()
	}
	other := join(t.Context(), t, groups, 1, mustNotLead)
	close(begin)
	require.Equal(t, "planted", <-panicked)
	require.NoError(t, <-leader)
	require.NoError(t, <-other[0])
	require.Equal(t, []any{"planted"}, reported)
}

func TestDo_CommitPanicsInTheMiddle_TheOtherRequestsAreAborted(t *testing.T) {
	t.Parallel()
	groups, begin, leads := groupcommit.New[int](64), make(chan struct{}), make(chan struct{})
	panicked := make(chan any, 1)
	go func() {
		defer func() { panicked <- recover() }()
		_ = groups.Do(t.Context(), "key", 0, func(_ *groupcommit.Request[int], closeGroup func() []*groupcommit.Request[int]) error {
			close(leads)
			<-begin
			closeGroup()[1].Run(func() error { return nil }, func(any) {})
			panic("planted")
		})
	}()
	<-leads
	others := join(t.Context(), t, groups, 2, mustNotLead)
	close(begin)
	require.Equal(t, "planted", <-panicked)
	require.ErrorIs(t, <-others[0], groupcommit.ErrAborted, "nothing says that what it decided was committed")
	require.ErrorIs(t, <-others[1], groupcommit.ErrAborted)
}

func TestDo_ManyAtOnce_ServesEachOnce(t *testing.T) {
	t.Parallel()
	groups := groupcommit.New[int](8)
	const n = 2000
	var mu sync.Mutex
	served := make(map[int]int)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			err := groups.Do(t.Context(), "key", i, func(_ *groupcommit.Request[int], closeGroup func() []*groupcommit.Request[int]) error {
				mu.Lock() // as a lock of the database would be held
				defer mu.Unlock()
				requests := closeGroup()
				if len(requests) > 8 {
					return errCommit
				}
				for _, r := range requests {
					r.Run(func() error { served[r.Value]++; return nil }, func(any) {})
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Len(t, served, n)
	for i, times := range served {
		require.Equal(t, 1, times, i)
	}
	require.Zero(t, groups.Waiting("key"))
}
