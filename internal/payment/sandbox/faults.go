package sandbox

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// FaultKind is a kind of failure.
type FaultKind string

// The faults. Faults of requests apply to charges, refunds, cancellations and look-ups. For a look-up, before and after
// execution are the same.
const (
	// ErrorBefore returns 500 and executes nothing. The idempotency key stays unused.
	ErrorBefore FaultKind = "error_before"
	// ErrorDuring returns 500 and executes nothing, and stores the 500 as the key's result.
	ErrorDuring FaultKind = "error_during"
	// ErrorAfter executes the order, returns 500, and stores the 500 as the key's result.
	ErrorAfter FaultKind = "error_after"
	// DropBefore closes the connection and executes nothing.
	DropBefore FaultKind = "drop_before"
	// DropAfter executes the order and closes the connection without a response. The key's result is the outcome.
	DropAfter FaultKind = "drop_after"
	// Delay returns the response Fault.Delay after the execution.
	Delay FaultKind = "delay"
	// Unavailable returns 503 and executes nothing.
	Unavailable FaultKind = "unavailable"
	// RateLimit returns 429 with Retry-After and executes nothing.
	RateLimit FaultKind = "rate_limit"
	// Down refuses connections and sends no webhooks for Fault.For. It starts at once.
	Down FaultKind = "down"
	// WebhookDuplicate sends an event twice, the second time up to Fault.Delay later.
	WebhookDuplicate FaultKind = "webhook_duplicate"
	// WebhookDelay sends an event Fault.Delay later.
	WebhookDelay FaultKind = "webhook_delay"
	// WebhookReorder sends an event up to Fault.Delay later, at random, so that events change their order.
	WebhookReorder FaultKind = "webhook_reorder"
)

// Target is the kind of request that a fault applies to.
type Target string

// The targets. The empty target stands for all of them.
const (
	Charges Target = "charges"
	Refunds Target = "refunds"
	Lookups Target = "lookups"
	// Cancellations are cancelled charges. They have no idempotency key, so only the response is lost.
	Cancellations Target = "cancellations"
)

// Fault is an injected failure. At most one fault applies to a request or an event: the first injected one that
// matches.
type Fault struct {
	Kind FaultKind `json:"kind"`
	// On limits a fault of requests to one target.
	On Target `json:"on,omitempty"`
	// Count is how many times the fault applies; 0 for no limit.
	Count int `json:"count,omitzero"`
	// Probability is how likely the fault applies to each request, above 0 and up to 1; 0 means 1.
	Probability float64 `json:"probability,omitzero"`
	// Seed makes the fault's random choices repeatable.
	Seed uint64 `json:"seed,omitzero"`
	// Delay is for kind Delay and the webhook faults; at most maxFault.
	Delay time.Duration `json:"-"`
	// For is how long the fault lasts; 0 for no limit. Down needs it.
	For time.Duration `json:"-"`
}

// maxFault is the longest delay or downtime.
const maxFault = time.Hour

var errFault = errors.New("sandbox: not a fault")

func (f Fault) check() error {
	kinds := []FaultKind{
		ErrorBefore, ErrorDuring, ErrorAfter, DropBefore, DropAfter, Delay, Unavailable, RateLimit, Down,
		WebhookDuplicate, WebhookDelay, WebhookReorder,
	}
	switch {
	case !slices.Contains(kinds, f.Kind):
		return fmt.Errorf("%w: its kind must be one of %v", errFault, kinds)
	case !slices.Contains([]Target{"", Charges, Refunds, Lookups, Cancellations}, f.On):
		return fmt.Errorf("%w: it strikes charges, refunds, lookups, cancellations or, left out, all of them", errFault)
	case f.Count < 0, !(f.Probability >= 0 && f.Probability <= 1), f.Delay < 0, f.For < 0:
		return fmt.Errorf("%w: a number is negative, or a probability above 1", errFault)
	case f.Delay > maxFault, f.For > maxFault && f.Kind == Down:
		return fmt.Errorf("%w: nothing is delayed or down for more than %s", errFault, maxFault)
	case f.Kind == Down && f.For == 0:
		return fmt.Errorf("%w: down needs to know for how long", errFault)
	}
	return nil
}

// faults is the list of injected faults.
type faults struct {
	mu     sync.Mutex
	active []*activeFault
}

type activeFault struct {
	Fault
	remaining int // the rest of Count
	random    *rand.Rand
	until     time.Time // zero: no limit
}

func (f *faults) add(fault Fault) {
	random := rand.New(rand.NewPCG(fault.Seed, 0)) //nolint:gosec // repeatable on purpose
	a := &activeFault{Fault: fault, remaining: fault.Count, random: random}
	if fault.For > 0 {
		a.until = time.Now().Add(fault.For)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active = append(f.active, a)
}

func (f *faults) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active = nil
}

// list returns the active faults, with the rest of their Count.
func (f *faults) list() []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expire()
	all := make([]Fault, len(f.active))
	for i, a := range f.active {
		all[i] = a.Fault
		all[i].Count = a.remaining
	}
	return all
}

func (f *faults) expire() {
	now := time.Now()
	f.active = slices.DeleteFunc(f.active, func(a *activeFault) bool {
		return a.Count > 0 && a.remaining == 0 || !a.until.IsZero() && now.After(a.until)
	})
}

// take returns the first matching fault, counts it down, and returns a random part of its delay. Without a match it
// returns the zero Fault.
func (f *faults) take(applies func(Fault) bool) (Fault, time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expire()
	for _, a := range f.active {
		if !applies(a.Fault) || a.Probability > 0 && a.random.Float64() >= a.Probability {
			continue
		}
		if a.Count > 0 {
			a.remaining--
		}
		return a.Fault, time.Duration(a.random.Int64N(int64(a.Delay) + 1))
	}
	return Fault{}, 0
}

func (f *faults) forRequest(on Target) Fault {
	fault, _ := f.take(func(f Fault) bool { return !f.isWebhookFault() && (f.On == "" || f.On == on) })
	return fault
}

// deliveryTimes returns when an event of now is sent: once, or twice if it is duplicated.
func (f *faults) deliveryTimes(now time.Time) []time.Time {
	switch fault, part := f.take(Fault.isWebhookFault); fault.Kind {
	case WebhookDuplicate:
		return []time.Time{now, now.Add(part)}
	case WebhookDelay:
		return []time.Time{now.Add(fault.Delay)}
	case WebhookReorder:
		return []time.Time{now.Add(part)}
	default:
		return []time.Time{now}
	}
}

func (f Fault) isWebhookFault() bool {
	return f.Kind == WebhookDuplicate || f.Kind == WebhookDelay || f.Kind == WebhookReorder
}
