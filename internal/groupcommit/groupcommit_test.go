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

// commit is what a leader does.
type commit func(*groupcommit.Leader[int]) error

// do runs a request: it commits with lead if it leads.
func do(ctx context.Context, groups *groupcommit.Groups[int], key string, value int, lead commit) error {
	leader, err := groups.Join(ctx, key, value)
	if leader == nil {
		return err
	}
	defer leader.Abort()
	return lead(leader)
}

// leadWith starts a leader of the group "key" whose commit runs when begin is closed, and returns once it leads.
func leadWith(ctx context.Context, t *testing.T, groups *groupcommit.Groups[int], begin <-chan struct{}, lead commit,
) <-chan error {
	t.Helper()
	leads, result := make(chan struct{}), make(chan error, 1)
	go func() {
		result <- do(ctx, groups, "key", 0, func(leader *groupcommit.Leader[int]) error {
			close(leads)
			<-begin
			return lead(leader)
		})
	}()
	<-leads
	return result
}

// join starts n requests with the values 1 to n in the group "key", and returns once they have joined. mustLead is the
// commit of a request that leads.
func join(ctx context.Context, t *testing.T, groups *groupcommit.Groups[int], n int, mustLead commit) []<-chan error {
	t.Helper()
	results := make([]<-chan error, n)
	for i := range n {
		result := make(chan error, 1)
		results[i] = result
		before := groups.OpenSize("key")
		go func() { result <- do(ctx, groups, "key", i+1, mustLead) }()
		for groups.OpenSize("key") == before {
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

func mustNotLead(*groupcommit.Leader[int]) error {
	return errors.New("another request must lead")
}

// runAll runs each request of the group with decide, which is given its value.
func runAll(decide func(value int) error) commit {
	return func(leader *groupcommit.Leader[int]) error {
		for _, r := range leader.Close() {
			r.Run(func() error { return decide(r.Value) }, func(any) {})
		}
		return leader.End(nil)
	}
}

func TestJoin_RequestsOfOneKey_ShareACommitAndGetTheirOwnResults(t *testing.T) {
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

func TestJoin_RequestsOfOtherKeys_AreNotShared(t *testing.T) {
	t.Parallel()
	groups, begin := groupcommit.New[int](64), make(chan struct{})
	leader := leadWith(t.Context(), t, groups, begin, runAll(func(int) error { return nil }))
	require.NoError(t, do(t.Context(), groups, "another key", 1, runAll(func(int) error { return nil })))
	close(begin)
	require.NoError(t, <-leader)
}

func TestJoin_AfterTheGroupIsClosed_LeadsANewGroup(t *testing.T) {
	t.Parallel()
	groups, begin, closed, end := groupcommit.New[int](64), make(chan struct{}), make(chan struct{}),
		make(chan struct{})
	close(begin)
	leader := leadWith(t.Context(), t, groups, begin, func(leader *groupcommit.Leader[int]) error {
		require.Len(t, leader.Close(), 1)
		close(closed)
		<-end
		return leader.End(nil)
	})
	<-closed
	require.ErrorIs(t, do(t.Context(), groups, "key", 1, runAll(func(int) error { return errCommit })), errCommit)
	close(end)
	require.NoError(t, <-leader)
}

func TestJoin_FullGroup_IsFollowedByAnother(t *testing.T) {
	t.Parallel()
	groups, begin := groupcommit.New[int](2), make(chan struct{})
	first := leadWith(t.Context(), t, groups, begin,
		runAll(func(value int) error { require.Less(t, value, 2); return nil }))
	second := join(t.Context(), t, groups, 1, mustNotLead)
	third := leadWith(t.Context(), t, groups, begin, func(leader *groupcommit.Leader[int]) error {
		require.Len(t, leader.Close(), 1)
		return leader.End(nil)
	})
	close(begin)
	require.NoError(t, <-first)
	require.NoError(t, <-second[0])
	require.NoError(t, <-third)
}

func TestEnd_CommitFails_EachRequestGetsTheError(t *testing.T) {
	t.Parallel()
	groups, begin := groupcommit.New[int](64), make(chan struct{})
	leader := leadWith(t.Context(), t, groups, begin, func(leader *groupcommit.Leader[int]) error {
		all := leader.Close()
		all[0].Run(func() error { return errors.New("its decision is void") }, func(any) {})
		all[1].Complete(nil)
		return leader.End(errCommit)
	})
	others := join(t.Context(), t, groups, 2, mustNotLead)
	close(begin)
	require.ErrorIs(t, <-leader, errCommit)
	require.NoError(t, <-others[0], "it was complete before")
	require.ErrorIs(t, <-others[1], errCommit)
}

func TestAbort_BeforeTheGroupIsClosed_TheNextRequestLeads(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]commit{
		"error": func(*groupcommit.Leader[int]) error { return errCommit },
		"panic": func(*groupcommit.Leader[int]) error { panic(errCommit) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			groups, begin := groupcommit.New[int](64), make(chan struct{})
			leads, ended := make(chan struct{}), make(chan any, 1)
			go func() {
				defer func() { ended <- recover() }()
				panic(do(t.Context(), groups, "key", 0, func(leader *groupcommit.Leader[int]) error {
					close(leads)
					<-begin
					return leave(leader)
				}))
			}()
			<-leads
			var served []int
			others := join(t.Context(), t, groups, 2,
				runAll(func(value int) error { served = append(served, value); return nil }))
			close(begin)
			require.Equal(t, errCommit, <-ended)
			require.NoError(t, <-others[0])
			require.NoError(t, <-others[1])
			require.Equal(t, []int{1, 2}, served)
		})
	}
}

func TestJoin_ContextEndsWhileTheRequestWaits_LeavesTheGroup(t *testing.T) {
	t.Parallel()
	groups, begin := groupcommit.New[int](64), make(chan struct{})
	leader := leadWith(t.Context(), t, groups, begin,
		runAll(func(value int) error { require.NotEqual(t, 1, value); return nil }))
	ctx, cancel := context.WithCancel(t.Context())
	gone := join(ctx, t, groups, 1, mustNotLead)
	cancel()
	require.ErrorIs(t, <-gone[0], context.Canceled)
	close(begin)
	require.NoError(t, <-leader)
}

func TestJoin_ContextEndsAfterTheGroupWasClosed_WaitsForTheResult(t *testing.T) {
	t.Parallel()
	groups, begin, closed, end := groupcommit.New[int](64), make(chan struct{}), make(chan struct{}),
		make(chan struct{})
	leader := leadWith(t.Context(), t, groups, begin, func(leader *groupcommit.Leader[int]) error {
		leader.Close()
		close(closed)
		<-end
		return leader.End(nil)
	})
	ctx, cancel := context.WithCancel(t.Context())
	joined := join(ctx, t, groups, 1, mustNotLead)
	close(begin)
	<-closed
	cancel()
	close(end)
	require.NoError(t, <-joined[0], "the commit has served it")
	require.NoError(t, <-leader)
}

func TestRun_OfOneRequestPanics_OnlyItsOwnCallPanics(t *testing.T) {
	t.Parallel()
	groups, begin := groupcommit.New[int](64), make(chan struct{})
	const panics = 100
	var reported []any
	leader := leadWith(t.Context(), t, groups, begin, func(leader *groupcommit.Leader[int]) error {
		for _, r := range leader.Close() {
			r.Run(func() error {
				if r.Value == panics {
					panic("planted")
				}
				return nil
			}, func(v any) { reported = append(reported, v) })
		}
		return leader.End(nil)
	})
	panicked := make(chan any, 1)
	before := groups.OpenSize("key")
	go func() {
		defer func() { panicked <- recover() }()
		_ = do(t.Context(), groups, "key", panics, mustNotLead)
	}()
	for groups.OpenSize("key") == before {
		runtime.Gosched()
	}
	other := join(t.Context(), t, groups, 1, mustNotLead)
	close(begin)
	require.Equal(t, "planted", <-panicked)
	require.NoError(t, <-leader)
	require.NoError(t, <-other[0])
	require.Equal(t, []any{"planted"}, reported)
}

func TestAbort_LeaderPanicsAfterClosing_TheOtherRequestsAreAborted(t *testing.T) {
	t.Parallel()
	groups, begin, leads := groupcommit.New[int](64), make(chan struct{}), make(chan struct{})
	panicked := make(chan any, 1)
	go func() {
		defer func() { panicked <- recover() }()
		_ = do(t.Context(), groups, "key", 0, func(leader *groupcommit.Leader[int]) error {
			close(leads)
			<-begin
			leader.Close()[1].Run(func() error { return nil }, func(any) {})
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

func TestJoin_ManyAtOnce_ServesEachOnce(t *testing.T) {
	t.Parallel()
	groups := groupcommit.New[int](8)
	const n = 2000
	var mu sync.Mutex
	served := make(map[int]int)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			err := do(t.Context(), groups, "key", i, func(leader *groupcommit.Leader[int]) error {
				mu.Lock() // as a lock of the database would be held
				defer mu.Unlock()
				requests := leader.Close()
				if len(requests) > 8 {
					return leader.End(errCommit)
				}
				for _, r := range requests {
					r.Run(func() error { served[r.Value]++; return nil }, func(any) {})
				}
				return leader.End(nil)
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
	require.Zero(t, groups.OpenSize("key"))
}
