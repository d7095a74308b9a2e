package event

import (
	"context"
	"slices"
	"time"
)

// started is when this process started: another moment of the second than that of other servers.
var started = time.Now()

// untilPoll returns the time from now until workers poll for work by themselves: at most every. All workers of a
// process poll at the same moments, so that a server of many idle cells wakes once and not for each of them.
func untilPoll(now time.Time, every time.Duration) time.Duration {
	return every - now.Sub(started)%every
}

// polls is when the worker polled for work. Only its loop uses it.
type polls struct {
	// last is when the last poll began that found all there was. lookBack is when everything is looked through again.
	last, lookBack time.Time
}

// poll returns the names of the kinds and jobs that have something to do; nil means all of them. One poll costs a small
// part of what leasing each kind and running each job costs. Like a lease, it leaves out what became due long ago. So
// it returns nil every lookBackEvery. It also returns nil when it can't read, and the leases then log why.
func (w *Worker) poll(ctx context.Context) []string {
	began := time.Now()
	if began.Before(w.polls.lookBack) {
		names, err := pollWork(ctx, w.db, began.Sub(w.polls.last)+sinceMargin, w.order)
		if err == nil {
			w.contact.made(time.Now())
			w.polls.last = began
			return names
		}
		w.contact.failed()
		return nil // the next poll goes as far back as this one
	}
	w.polls = polls{last: began, lookBack: began.Add(lookBackEvery)}
	return nil
}

// wake has the kinds and jobs of these names do their work; nil means all of them.
func (w *Worker) wake(names []string) {
	w.markDue(names)
	w.wakeJobs(names)
}

// wakeJobs has the jobs of these names run; nil means each that can be woken.
func (w *Worker) wakeJobs(names []string) {
	for _, j := range w.jobs {
		if j.Woken != "" && (names == nil || slices.Contains(names, j.Woken)) {
			select {
			case j.woken <- struct{}{}:
			default:
			}
		}
	}
}
