package store

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"

	"holdfast/internal/lock"
)

// queueWidth is how many transactions of this process may be in the database for one lock: one that holds it
// and one that waits in PostgreSQL, so that the lock passes on without a round trip in between. All others
// wait in the process and hold no connection.
const queueWidth = 2

// queue lets requests for the same lock wait in this process, first come, first served, so that one hot date
// holds a bounded share of the pool and other tenants don't notice.
type queue struct {
	mu    sync.Mutex
	lines map[int64]*line
}

type line struct {
	slots *semaphore.Weighted
	users int
}

// enter waits for a place for every key, in the keys' order, and returns what gives the places back. It
// returns ctx's error when ctx ends first, holding nothing.
func (q *queue) enter(ctx context.Context, keys []lock.Key) (leave func(), err error) {
	entered := make([]lock.Key, 0, len(keys))
	leave = func() {
		for _, k := range entered {
			q.leave(k)
		}
	}
	for _, k := range keys {
		if err := q.line(k).Acquire(ctx, 1); err != nil {
			q.drop(k)
			leave()
			return nil, err
		}
		entered = append(entered, k)
	}
	return leave, nil
}

func (q *queue) line(k lock.Key) *semaphore.Weighted {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[k.ID()]
	if l == nil {
		l = &line{slots: semaphore.NewWeighted(queueWidth)}
		q.lines[k.ID()] = l
	}
	l.users++
	return l.slots
}

func (q *queue) leave(k lock.Key) {
	q.mu.Lock()
	slots := q.lines[k.ID()].slots
	q.mu.Unlock()
	slots.Release(1)
	q.drop(k)
}

// drop forgets a line that nobody uses any more.
func (q *queue) drop(k lock.Key) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[k.ID()]
	l.users--
	if l.users == 0 {
		delete(q.lines, k.ID())
	}
}
