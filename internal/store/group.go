package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/lock"
)

// groupSize bounds how many requests share a transaction, and with that for how long it holds its locks.
const groupSize = 64

// groups lets requests of this process that wait for the same locks share one transaction: a lock is held through the
// commit's flush, so what is done per holding decides how much one hot date can take.
//
// The first of a group leads: it waits for its turn, for a connection and then for the locks. Once it has a connection
// the group departs, and nobody can join it any more. A leader that gives up before that hands over to the next.
type groups struct {
	mu   sync.Mutex
	open map[string]*group // those that can be joined
}

type group struct {
	id       string
	members  []*member // in the order in which they came; the first leads
	departed bool
}

// member is one request of a group.
type member struct {
	ctx    context.Context
	keys   lock.CalendarKeys
	read   BookRead
	decide func(*BookTx, BookState) error
	asked  time.Time

	lead chan struct{} // tells it to lead
	done chan struct{} // closed when what follows is final

	wrote    bool
	err      error
	panicked any
}

func newMember(ctx context.Context, keys lock.CalendarKeys, read BookRead, decide func(*BookTx, BookState) error, asked time.Time) *member {
	return &member{
		ctx: ctx, keys: keys, read: read, decide: decide, asked: asked, lead: make(chan struct{}, 1), done: make(chan struct{}),
	}
}

// groupID tells locks apart by the tenant as well: keys are hashes, and those of two tenants may be the same.
func groupID(keys lock.CalendarKeys) string {
	tenant := keys.Tenant()
	id := tenant[:]
	for _, k := range keys.Keys() {
		id = binary.BigEndian.AppendUint64(id, uint64(k.ID()))
	}
	return string(id)
}

// join puts a request in the group that waits for its locks, and tells whether it leads it.
func (gs *groups) join(m *member) (g *group, leads bool) {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	id := groupID(m.keys)
	g = gs.open[id]
	if leads = g == nil || len(g.members) == groupSize; leads {
		g = &group{id: id}
		gs.open[id] = g
	}
	g.members = append(g.members, m)
	return g, leads
}

// leave takes a request out of its group, unless that has departed. When the leader leaves, the next one leads.
func (gs *groups) leave(g *group, m *member) (left bool) {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	if g.departed {
		return false
	}
	led := g.members[0] == m
	for i, other := range g.members {
		if other == m {
			g.members = append(g.members[:i:i], g.members[i+1:]...)
			break
		}
	}
	switch {
	case len(g.members) == 0:
		gs.forget(g)
	case led:
		g.members[0].lead <- struct{}{}
	}
	return true
}

// depart closes a group and returns who is in it.
func (gs *groups) depart(g *group) []*member {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	g.departed = true
	gs.forget(g)
	return g.members
}

func (gs *groups) forget(g *group) {
	if gs.open[g.id] == g {
		delete(gs.open, g.id)
	}
}

// errAlone tells a request that the transaction that it shared failed, perhaps for another's reason.
var errAlone = errors.New("store: to be run alone")

// bookTogether runs a request in a transaction that it may share, and in one of its own if that fails.
func (s *Store) bookTogether(ctx context.Context, m *member) error {
	g, leads := s.groups.join(m)
	if !leads {
		select {
		case <-m.lead:
			leads = true
		case <-m.done:
		case <-ctx.Done():
			if s.groups.leave(g, m) {
				return fmt.Errorf("wait for the %s lock: %w", kindCalendar, ctx.Err())
			}
		}
	}
	if leads {
		if err := s.bookGroup(ctx, m, func() []*member { return s.groups.depart(g) }); s.groups.leave(g, m) {
			return err // nobody was booked; the next one leads
		}
	}
	<-m.done
	if m.panicked != nil {
		panic(m.panicked)
	}
	if !errors.Is(m.err, errAlone) {
		return m.err
	}
	alone := newMember(ctx, m.keys, m.read, m.decide, m.asked)
	if err := s.bookGroup(ctx, alone, func() []*member { return []*member{alone} }); err != nil {
		return err
	}
	if alone.panicked != nil {
		panic(alone.panicked)
	}
	return alone.err
}

// bookGroup runs the transaction of the members that depart returns, who are told how it ended for each. It returns what
// ended the transaction, whether or not anybody had departed by then.
func (s *Store) bookGroup(ctx context.Context, leader *member, depart func() []*member) (err error) {
	var shared *sharedBooking
	err = errAlone // if this panics
	defer func() {
		if shared != nil {
			shared.settle(err)
		}
	}()
	err = s.run(ctx, transaction{
		tenant: uuid.UUID(leader.keys.Tenant()),
		kind:   kindCalendar,
		keys:   leader.keys.Keys(),
		asked:  leader.asked,
		until: func() (until time.Time) {
			shared = newSharedBooking(ctx, depart())
			s.metrics.groupSize.Observe(float64(len(shared.members)))
			for _, m := range shared.members {
				if own := s.patience(m.ctx, m.asked); own.After(until) {
					until = own
				}
			}
			return until
		},
		read: func(f *flight) { shared.read(f) },
		now:  func() time.Time { return shared.clock.Now },
		write: func(f *flight) error {
			if !shared.clockFound {
				return fmt.Errorf("store: book: there is no tenant %s", shared.tenant)
			}
			shared.decide(f, func(v any) {
				s.log.Error("panic in a transaction that books", "panic", v, "stack", string(debug.Stack()))
			})
			return nil
		},
	})
	return err
}

// settle tells each member how the transaction ended for it.
func (b *sharedBooking) settle(err error) {
	var lost *lostError
	for _, m := range b.members {
		switch {
		case err == nil:
		case errors.As(err, &lost):
			// Whoever was refused was so because of what others wrote, and has written nothing itself.
			m.err = &lostError{err: lost.err, committing: lost.committing && m.wrote}
		case len(b.members) == 1, sqlState(err) == sqlDeadlockDetected, failedAt(err, "lock "+kindCalendar, sqlLockNotAvailable):
			m.err = err
		default:
			m.err = errAlone
		}
		close(m.done)
	}
}
