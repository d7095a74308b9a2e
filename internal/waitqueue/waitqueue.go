// Package waitqueue lets the requests of this process that want the same thing wait for it here, in the order of their
// arrival. A waiting request holds no connection and no lock.
package waitqueue

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Queues are the queues of a process, by key. They are safe for concurrent use.
type Queues[K comparable] struct {
	permits int64 // of each queue
	mu      sync.Mutex
	queues  map[K]*queue
}

type queue struct {
	permits *semaphore.Weighted
	users   int // requests that hold a permit or wait for one
}

// New returns queues, one for each key, with so many permits each: as many requests at a time have the key.
func New[K comparable](permits int64) *Queues[K] {
	return &Queues[K]{permits: permits, queues: make(map[K]*queue)}
}

// Acquire waits for a permit of the queue of each key, in the order of the keys. release gives the permits back. It
// returns ctx's error if ctx ends first, and then holds nothing.
func (q *Queues[K]) Acquire(ctx context.Context, keys ...K) (release func(), err error) {
	acquired := make([]K, 0, len(keys))
	release = func() { q.Release(acquired) }
	for _, k := range keys {
		if err := q.use(k).Acquire(ctx, 1); err != nil {
			q.forget(k)
			release()
			return nil, err
		}
		acquired = append(acquired, k)
	}
	return release, nil
}

// TryAcquire takes a permit of the queue of each key if all the queues are empty, and reports whether it did.
func (q *Queues[K]) TryAcquire(keys []K) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.empty(keys) {
		return false
	}
	for _, k := range keys {
		q.queues[k] = &queue{permits: semaphore.NewWeighted(q.permits), users: 1}
		q.queues[k].permits.TryAcquire(1)
	}
	return true
}

// Empty reports whether no request holds or awaits a permit of the queue of any of the keys.
func (q *Queues[K]) Empty(keys []K) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.empty(keys)
}

// empty is Empty for a caller that holds mu.
func (q *Queues[K]) empty(keys []K) bool {
	return !slices.ContainsFunc(keys, func(k K) bool { return q.queues[k] != nil })
}

func (q *Queues[K]) use(k K) *semaphore.Weighted {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.queues[k] == nil {
		q.queues[k] = &queue{permits: semaphore.NewWeighted(q.permits)}
	}
	q.queues[k].users++
	return q.queues[k].permits
}

// Release gives back a permit of the queue of each key.
func (q *Queues[K]) Release(keys []K) {
	for _, k := range keys {
		q.forget(k).Release(1)
	}
}

// forget ends a request's use of a queue. The last request's end deletes the queue.
func (q *Queues[K]) forget(k K) *semaphore.Weighted {
	q.mu.Lock()
	defer q.mu.Unlock()
	used := q.queues[k]
	if used.users--; used.users == 0 {
		delete(q.queues, k)
	}
	return used.permits
}
