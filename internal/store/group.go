package store

import (
	"context"
	"sync"
	"time"

	"holdfast/internal/lock"
)

// groupSize bounds how many requests share a transaction, and with that for how long it holds its locks.
const groupSize = 64

// groups lets requests of this process share transactions. What a transaction costs by itself, and the commit's flush,
// through which locks are held, is then paid once for all of them: it decides how much one date, or one tenant, can take.
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

// join puts a request in the group of that id, and tells whether it leads it.
func (gs *groups) join(id string, m *member) (g *group, leads bool) {
	gs.mu.Lock()
	defer gs.mu.Unlock()
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
