package event

import (
	"math/rand/v2"
	"time"
)

// Backoff is the pause before another attempt. It doubles from First to Longest, and is made longer by up to a quarter
// at random, so that events that failed together aren't tried again together.
type Backoff struct {
	First, Longest time.Duration
}

// DefaultBackoff is the backoff of kinds that have none of their own.
var DefaultBackoff = Backoff{First: 2 * time.Second, Longest: 10 * time.Minute}

// pause returns the pause after a failed attempt; attempts count from 1.
func (b Backoff) pause(attempt int) time.Duration {
	pause := b.First
	for i := 1; i < attempt && pause < b.Longest; i++ {
		pause *= 2
	}
	pause = min(pause, b.Longest)
	return pause + Jitter(pause/4)
}

// Jitter returns a random time from 0 to longest, so that what was put off together isn't done together.
func Jitter(longest time.Duration) time.Duration {
	return rand.N(max(longest, 0) + 1) //nolint:gosec // G404: the jitter of a timer is no secret
}

// around returns a pause from half of mean to one and a half, so that instances that were started together don't stay
// together.
func around(mean time.Duration) time.Duration { return mean/2 + Jitter(mean) }
