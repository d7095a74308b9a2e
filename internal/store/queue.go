package store

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"
)

// queueWidth is how many transactions of this process may be in the database for one line: for a lock, one that holds it
// and one that waits in PostgreSQL, so that the lock passes on without a round trip in between. All others wait in the
// process and hold no connection.
const queueWidth = 2

// queue lets requests for the same thing wait in this process, first come, first served, so that one hot date
// holds a bounded share of the pool and other tenants don't notice.
type queue[K comparable] struct {
	mu    sync.Mutex
	lines map[K]*line
}

type line struct {
	slots *semaphore.Weighted
	users int
}

// enter waits for a place in the line of every key, in the keys' order, and returns what gives the places back. It
// returns ctx's error when ctx ends first, holding nothing.
func (q *queue[K]) enter(ctx context.Context, keys ...K) (leave func(), err error) {
	entered := make([]K, 0, len(keys))
	leave = func() { q.leave(entered) }
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

// claim takes a place in the line of every key, if nobody is in any of them.
func (q *queue[K]) claim(keys []K) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.unused(keys) {
		return false
	}
	for _, k := range keys {
		l := &line{slots: semaphore.NewWeighted(queueWidth), users: 1}
		l.slots.TryAcquire(1)
		q.lines[k] = l
	}
	return true
}

// idle reports whether nobody is in the line of any of the keys.
func (q *queue[K]) idle(keys []K) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.unused(keys)
}

// unused is idle for who holds mu.
func (q *queue[K]) unused(keys []K) bool {
	return !slices.ContainsFunc(keys, func(k K) bool { return q.lines[k] != nil })
}

func (q *queue[K]) line(k K) *semaphore.Weighted {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[k]
	if l == nil {
		l = &line{slots: semaphore.NewWeighted(queueWidth)}
		q.lines[k] = l
	}
	l.users++
	return l.slots
}

// leave gives back a place in the line of every key.
func (q *queue[K]) leave(keys []K) {
	for _, k := range keys {
		q.mu.Lock()
		slots := q.lines[k].slots
		q.mu.Unlock()
		slots.Release(1)
		q.drop(k)
	}
}

// drop forgets a line that nobody uses any more.
func (q *queue[K]) drop(k K) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[k]
	l.users--
	if l.users == 0 {
		delete(q.lines, k)
	}
}
