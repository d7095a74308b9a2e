package event

import (
	"context"
	"errors"
	"sync"
	"time"

	"holdfast/internal/db"
)

const atOnce = 1000 // rows that a job looks at in one transaction

// Job is work that a worker repeats beside its kinds. Any number of instances may run it at once.
type Job struct {
	Name string
	// Every is the mean time between two runs; a run that returns true is followed by the next one at once.
	Every time.Duration
	// Woken: a run also follows when a commit wakes this name, when a poll finds work for it, and when the worker
	// begins to listen.
	Woken string
	Run   func(context.Context) (more bool, err error)
}

// runJobs runs the worker's own jobs and those of its configuration until ctx ends.
func (w *Worker) runJobs(ctx context.Context) {
	var running sync.WaitGroup
	for _, j := range w.jobs {
		running.Go(func() { w.repeat(ctx, j) })
	}
	running.Wait()
}

func (w *Worker) repeat(ctx context.Context, j *repeatedJob) {
	for ctx.Err() == nil {
		more, err := j.Run(ctx)
		if err != nil && ctx.Err() == nil {
			w.log.Warn("run a job", "job", j.Name, "error", err)
		}
		if more && err == nil {
			continue
		}
		select {
		case <-j.woken:
		case <-time.After(around(j.Every)):
		case <-ctx.Done():
		}
	}
}

// repeatedJob is a job that can be woken.
type repeatedJob struct {
	Job
	woken chan struct{}
}

// leaseSearch is how far back the worker looks for leases that have ended. Only the job that does so uses it.
type leaseSearch struct {
	// complete is when the last search began that its limit did not cut off. lookBack is when a search next goes back
	// to the oldest lease.
	complete, lookBack time.Time
}

// within returns how long ago leases may have ended that a search looks for: since the search before, with sinceMargin
// for rows that another transaction held then. 0 means any time. As a lease, it doesn't read again what was handled
// before.
func (l *leaseSearch) within(now time.Time) time.Duration {
	if !now.Before(l.lookBack) {
		return 0
	}
	return now.Sub(l.complete) + sinceMargin
}

// searched records a search that began at a time; all says that it found all leases that had ended.
func (l *leaseSearch) searched(within time.Duration, began time.Time, all bool) {
	if !all {
		return // the next search goes on with the same bound
	}
	if l.complete = began; within == 0 {
		l.lookBack = began.Add(lookBackEvery)
	}
}

// rescue takes back the events whose lease has ended.
func (w *Worker) rescue(ctx context.Context) (more bool, err error) {
	if err := w.letOthersRenew(ctx); err != nil {
		return false, err
	}
	rules := make(map[string]RescueRule, len(w.kinds))
	for name, k := range w.kinds {
		rules[name] = RescueRule{MaxAttempts: k.kind.MaxAttempts, LongestPause: k.kind.longestHold()}
	}
	began := time.Now()
	within := w.leases.within(began)
	rescued, err := Rescue(ctx, w.db, within, atOnce, rules)
	if err == nil {
		w.contact.made(time.Now())
	} else {
		w.contact.failed()
	}
	more = len(rescued) == atOnce
	w.leases.searched(within, began, err == nil && !more)
	for _, r := range rescued {
		e := Event{
			TenantID: r.TenantID, ID: r.EventID, Kind: r.Kind, Subject: Subject{Type: r.SubjectType, ID: r.SubjectID},
			Attempt: int(r.Attempts),
		}
		w.notify(Notice{What: NoticeRescued, Event: e})
		if Status(r.Status) == Dead {
			w.notify(Notice{What: NoticeDead, Event: e})
		}
	}
	return more, err
}

// listen passes notifications of due events, of this instance and others, to the worker and its jobs, until ctx ends.
// Without notifications the worker polls.
func (w *Worker) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := w.db.Listen(ctx, func(kinds []string) {
			select {
			case w.woken <- kinds:
			default: // 64 notifications wait already; the next poll finds these events
			}
			w.wakeJobs(kinds) // nil when it begins to listen: earlier notifications may be lost
		})
		switch {
		case errors.Is(err, db.ErrPooled):
			w.log.Info("scheduled events are polled for: the connection leads through a transaction pooler, which loses notifications")
			return
		case err != nil && ctx.Err() == nil:
			w.log.Warn("listen for due events", "error", err)
		}
		select {
		case <-time.After(5 * time.Second):
		case <-ctx.Done():
		}
	}
}
