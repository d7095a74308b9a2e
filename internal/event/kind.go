package event

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// Kind is what a worker must know of the events of one kind. A new kind is a file that makes one, and a line that
// registers it with the worker.
type Kind struct {
	// Name is how rows and the API name the kind.
	Name string
	// Handle makes one attempt. An error means that it failed: see Permanent and RetryAt. It may run several times for
	// one event, also at the same time, if a worker is slower than its lease. It must return soon after its context has
	// ended: until then it takes one of the kind's permits, and Run waits for it.
	Handle func(context.Context, Event) (Result, error)
	// Concurrency is how many events of the kind one worker handles at a time. Default 8.
	Concurrency int
	// PerEndpoint is how many webhook deliveries to one endpoint a worker makes at a time at most; 0 for every other
	// kind. With it, deliveries are leased by endpoint, and those to one endpoint about one subject one after the
	// other.
	PerEndpoint int
	// Timeout bounds one attempt. Default 30 s. The worker renews its lease for longer, by recordMargin.
	Timeout time.Duration
	// MaxAttempts is after how many failed attempts an event is dead. 0 means that it never is.
	MaxAttempts int
	// Backoff is the pause after a failed attempt. Default DefaultBackoff.
	Backoff Backoff

	margin time.Duration // recordMargin, but in tests
}

// CheckKinds returns an error if two kinds have one name, because a worker has one handler of each, or if Kinds leaves
// one out.
func CheckKinds(kinds ...Kind) error {
	registered := make(map[string]bool)
	for _, k := range kinds {
		switch {
		case registered[k.Name]:
			return fmt.Errorf("the kind %q of scheduled events is registered twice", k.Name)
		case !slices.Contains(Kinds(), k.Name):
			return fmt.Errorf("the kind %q of scheduled events is not in internal/event/names.go", k.Name)
		}
		registered[k.Name] = true
	}
	return nil
}

// recordMargin is how much longer than an attempt may take a worker may hold the event: time to record the result.
const recordMargin = 15 * time.Second

func (k Kind) withDefaults() Kind {
	k.Concurrency = cmp.Or(k.Concurrency, 8)
	k.Timeout = cmp.Or(k.Timeout, 30*time.Second)
	k.Backoff = cmp.Or(k.Backoff, DefaultBackoff)
	k.margin = cmp.Or(k.margin, recordMargin)
	return k
}

// longestHold returns for how long a worker may hold an event: it renews the lease until then.
func (k Kind) longestHold() time.Duration { return k.Timeout + k.margin }
