package event

import (
	"slices"

	"holdfast/internal/problem"
)

// Transition is what a caller may do to the state of a scheduled event.
type Transition string

// The transitions.
const (
	// Cancel ends an event that isn't done. A worker that holds it loses its lease; what the worker has sent, it has
	// sent.
	Cancel Transition = "cancel"
	// Replay makes an event that has ended, or that failed, due now, as if it had never been tried. A greeting that is
	// completed can't be replayed.
	Replay Transition = "replay"
)

// statuses returns the statuses of events that can make the transition.
func (c Transition) statuses() []Status {
	if c == Cancel {
		return []Status{Pending, Processing, Failed, Dead}
	}
	return []Status{Dead, Cancelled, Completed, Failed}
}

// check returns problem.InvalidState if events of this kind and status can't make the transition.
func (c Transition) check(kind string, status Status) error {
	switch {
	case c == Cancel && essential(kind):
		return problem.New(problem.InvalidState,
			"Events of the kind "+kind+
				" can't be cancelled: without it a hold, a payment or expired credit would never end, "+
				"or messages would not be planned.")
	case c == Replay && status == Completed && isGreeting(kind):
		return problem.New(problem.InvalidState, "The greeting was sent. Nobody is greeted twice in a year.")
	case slices.Contains(c.statuses(), status):
		return nil
	case c == Cancel:
		return problem.New(problem.InvalidState, "The event is "+string(status)+", and can't be cancelled any more.")
	case status == Processing:
		return problem.New(problem.InvalidState,
			"A worker handles the event at the moment. It can be replayed when the attempt has ended.")
	}
	return problem.New(problem.InvalidState, "The event is "+string(status)+": it is still to come.")
}
