// Package expiring makes caches whose entries expire. Such a cache does nothing while nobody uses it.
package expiring

import (
	"time"

	"github.com/maypok86/otter/v2"
)

// New returns a cache of at most maximum entries that expire as expiry says. An entry that has expired isn't found any
// more; its memory is free after a later write.
func New[K comparable, V any](maximum int, expiry otter.ExpiryCalculator[K, V]) *otter.Cache[K, V] {
	return otter.Must(&otter.Options[K, V]{MaximumSize: maximum, ExpiryCalculator: expiry,
		Clock: clock{began: time.Now()}})
}

// clock is a clock without ticks. With otter's own clock each cache looks every second for entries that have expired,
// and a server of many cells has many caches.
type clock struct{ began time.Time }

// NowNano returns the nanoseconds since the Unix epoch. It runs by the monotonic clock.
func (c clock) NowNano() int64 { return c.began.Add(time.Since(c.began)).UnixNano() }

// Tick returns no channel, which means no ticks.
func (clock) Tick(time.Duration) <-chan time.Time { return nil }
