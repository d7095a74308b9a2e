package store

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"
)

// concurrentWaiters is how many transactions of this process may be in the database for one key. For a lock that is one
// transaction that holds it and one that waits in PostgreSQL, so that the lock passes on without a round trip in between. All
// other transactions wait in the process and hold no connection.
const concurrentWaiters = 2

// waiters lets requests for one key wait in this process, in the order of their arrival. A busy date so holds a bounded share
// of the pool, and other tenants don't notice.
type waiters[K comparable] struct {
	mu     sync.Mutex
	queues map[K]*waitQueue
}

type waitQueue struct {
	places *semaphore.Weighted
	users  int // requests that hold a place or wait for one
}

func newWaiters[K comparable]() *waiters[K] { return &waiters[K]{queues: make(map[K]*waitQueue)} }

// acquire waits for a place in the queue of each key, in the order of the keys. release gives the places back. It returns
// ctx's error if ctx ends first, and then holds nothing.
func (w *waiters[K]) acquire(ctx context.Context, keys ...K) (release func(), err error) {
	acquired := make([]K, 0, len(keys))
	release = func() { w.release(acquired) }
	for _, k := range keys {
		if err := w.use(k).Acquire(ctx, 1); err != nil {
			w.forget(k)
			release()
			return nil, err
		}
		acquired = append(acquired, k)
	}
	return release, nil
}

// tryAcquire takes a place in the queue of each key if all the queues are empty.
func (w *waiters[K]) tryAcquire(keys []K) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.emptyLocked(keys) {
		return false
	}
	for _, k := range keys {
		q := &waitQueue{places: semaphore.NewWeighted(concurrentWaiters), users: 1}
		q.places.TryAcquire(1)
		w.queues[k] = q
	}
	return true
}

// empty reports whether no request holds or awaits a place in the queue of any of the keys.
func (w *waiters[K]) empty(keys []K) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.emptyLocked(keys)
}

// emptyLocked is empty for a caller that holds mu.
func (w *waiters[K]) emptyLocked(keys []K) bool {
	return !slices.ContainsFunc(keys, func(k K) bool { return w.queues[k] != nil })
}

func (w *waiters[K]) use(k K) *semaphore.Weighted {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := w.queues[k]
	if q == nil {
		q = &waitQueue{places: semaphore.NewWeighted(concurrentWaiters)}
		w.queues[k] = q
	}
	q.users++
	return q.places
}

// release gives back a place in the queue of each key.
func (w *waiters[K]) release(keys []K) {
	for _, k := range keys {
		w.mu.Lock()
		places := w.queues[k].places
		w.mu.Unlock()
		places.Release(1)
		w.forget(k)
	}
}

// forget deletes the queue of a key that no request uses any more.
func (w *waiters[K]) forget(k K) {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := w.queues[k]
	q.users--
	if q.users == 0 {
		delete(w.queues, k)
	}
}
