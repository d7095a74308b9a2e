package webhook

import (
	"time"

	"holdfast/internal/event"
)

// pauses follow the failed attempts of a delivery. With the last one, attempts reach over three days. Each is made
// longer by up to a tenth at random.
var pauses = [...]time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour,
	20 * time.Hour,
	24 * time.Hour,
}

const maxAttempts = len(pauses) + 1

// pause returns how long to wait after a failed attempt, which counts from 1. asked is what the endpoint asked for: the
// pause is never shorter.
func pause(attempt int, asked time.Duration) time.Duration {
	p := pauses[min(max(attempt, 1), len(pauses))-1]
	return max(p+event.Jitter(p/10), asked)
}
