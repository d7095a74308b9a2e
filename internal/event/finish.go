package event

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/problem"
)

// maxFinished bounds how many results are recorded in one transaction.
const maxFinished = 500

// attempt is one finished attempt and its result.
type attempt struct {
	leased LeasedEvent
	event  Event
	began  time.Time // by this process's clock
	took   time.Duration
	result Result
	err    error
	ids    context.Context //nolint:containedctx // has nothing but the ids of the attempt's trace, for the log
}

// finished returns what is recorded of an attempt, and its notice.
func (a attempt) finished(k Kind) (FinishedEvent, Notice) {
	now := a.event.LeasedAt.Add(a.took) // by the database's clock
	f := FinishedEvent{
		Event:    a.leased,
		Status:   string(Completed),
		DueAt:    now,
		Next:     a.result.next,
		Notices:  a.result.notices,
		BasedOn:  a.result.basedOn,
		Details:  a.result.log,
		Data:     a.result.data,
		Delivery: k.PerEndpoint > 0,
	}
	n := Notice{What: NoticeCompleted, Event: a.event, Took: a.took, Err: a.err, ids: a.ids}
	var failed *AttemptError
	switch {
	case a.err != nil:
		f.Error, f.Status, n.What = reasonOf(a.err), string(Failed), NoticeFailed
		f.Next, f.Notices, f.BasedOn, f.Data, f.LogAttempt = nil, nil, BasedOn{}, nil, true
		permanent := errors.As(a.err, &failed) && failed.Permanent
		switch {
		case permanent, k.MaxAttempts > 0 && a.event.Attempt >= k.MaxAttempts:
			f.Status, n.What = string(Dead), NoticeDead
		case failed != nil && !failed.RetryAt.IsZero():
			f.DueAt = failed.RetryAt
		default:
			f.DueAt = now.Add(k.Backoff.pause(a.event.Attempt))
		}
		if failed != nil {
			f.Details = failed.Log
		}
	case a.result.status == Cancelled:
		f.Status, f.Error, n.What, n.Reason = string(Cancelled), a.result.reason, NoticeCancelled, a.result.reason
	case a.result.status == Pending, a.result.status == UncountedRetry:
		f.Status, f.DueAt, n.What = string(a.result.status), a.result.due, NoticeUncountedRetry
	}
	f.StartedAt = a.event.LeasedAt
	f.LogAttempt = f.LogAttempt || f.Details != nil
	return f, n
}

// recordAll records results until attempts is closed, and sends the attempts on. While one transaction runs, the next
// results gather.
func (w *Worker) recordAll(ctx context.Context, attempts <-chan attempt, recorded chan<- []attempt) {
	for first := range attempts {
		batch := []attempt{first}
		for len(attempts) > 0 && len(batch) < maxFinished {
			batch = append(batch, <-attempts)
		}
		w.record(ctx, batch)
		recorded <- batch
	}
	w.late.Wait()
}

// record records results, and notifies observers. Without a database it tries again for as long as a worker may hold an
// event, or until ctx ends; then the events go to other workers.
func (w *Worker) record(ctx context.Context, batch []attempt) {
	var results []unrecorded
	var longest time.Duration
	newest := make(map[uuid.UUID]int64, len(batch)) // versions of leases
	for _, a := range batch {
		newest[a.event.ID] = max(newest[a.event.ID], a.event.Version)
	}
	for _, a := range batch {
		if a.result.alreadyRecorded && a.err == nil {
			w.held.remove(a.leased)
			w.notify(Notice{What: NoticeRecorded, Event: a.event, Took: a.took, ids: a.ids})
			continue
		}
		kind := w.kinds[a.event.Kind].kind
		f, n := a.finished(kind)
		if a.event.Version < newest[a.event.ID] {
			// This worker lost the event and leased it again. What follows from its two results must not be mixed up in
			// one statement.
			w.held.remove(a.leased)
			w.notifyRecorded([]unrecorded{{f, n}}, Unfinished{Lost: []uuid.UUID{a.event.ID}})
			continue
		}
		results = append(results, unrecorded{f, n})
		longest = max(longest, kind.longestHold())
	}
	w.recordResults(ctx, time.Now().Add(longest), results)
}

// unrecorded is a result that is to be recorded, and its notice.
type unrecorded struct {
	finished FinishedEvent
	notice   Notice
}

// recordResults records results in one transaction, and tries again if the database is away or the outcome unknown:
// then results that had been recorded count as lost. If it fails for another reason, it records each half apart, so
// that a result that can't be recorded costs no other result. A single result whose row another transaction has locked
// is tried again beside the next results. Nothing is tried again after until.
func (w *Worker) recordResults(ctx context.Context, until time.Time, results []unrecorded) {
	if len(results) == 0 {
		return
	}
	finished := make([]FinishedEvent, len(results))
	for i, r := range results {
		finished[i] = r.finished
	}
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		unfinished, err := Finish(context.WithoutCancel(ctx), w.db, finished)
		if err == nil {
			w.followersMu.Lock()
			w.followers = append(w.followers, unfinished.Followers...)
			w.followersMu.Unlock()
			w.letGo(results)
			w.notifyRecorded(results, unfinished)
			return
		}
		w.log.Warn("record the results of scheduled events", "events", len(results), "error", err)
		half := len(results) / 2
		switch {
		case problem.Is(err, problem.DatabaseUnavailable), problem.Is(err, problem.OutcomeUnknown):
		case half > 0:
			w.recordResults(ctx, until, results[:half])
			w.recordResults(ctx, until, results[half:])
			return
		case problem.Is(err, problem.LockTimeout):
			w.late.Go(func() {
				w.retryMu.Lock() // each takes a connection while it waits for its row
				defer w.retryMu.Unlock()
				if waitUntil(ctx, wait, until) {
					w.recordResults(ctx, until, results)
				} else {
					w.letGo(results)
				}
			})
			return
		default:
			e := results[0].notice.Event
			w.log.ErrorContext(results[0].notice.logContext(), "the result of a scheduled event can't be recorded",
				"tenant_id", e.TenantID,
				"event_id", e.ID, "kind", e.Kind, "error", err)
			w.letGo(results) // the event goes to another worker when its lease ends
			return
		}
		if !waitUntil(ctx, wait, until) {
			w.letGo(results)
			return
		}
	}
}

// letGo ends the renewal of the leases of events whose results were recorded, or can't be.
func (w *Worker) letGo(results []unrecorded) {
	leases := make([]LeasedEvent, len(results))
	for i, r := range results {
		leases[i] = r.finished.Event
	}
	w.held.remove(leases...)
}

// notifyRecorded notifies observers of results that were recorded, and of those that were not.
func (w *Worker) notifyRecorded(results []unrecorded, unfinished Unfinished) {
	for _, r := range results {
		switch id := r.finished.Event.EventID; {
		case slices.Contains(unfinished.Lost, id):
			r.notice.What, r.notice.Err = NoticeLost, ErrLeaseLost
			r.finished.Next = nil
		case slices.Contains(unfinished.Outdated, id):
			r.notice.What = NoticeUncountedRetry
			r.finished.Next = nil
		case slices.Contains(unfinished.PlannedAgain, id):
			r.notice.What = NoticeUncountedRetry
		}
		w.notify(r.notice)
		for _, e := range r.finished.Next {
			w.notify(Notice{What: NoticePlanned, Event: fromNew(r.finished.Event.TenantID, e)})
		}
	}
}

// waitUntil waits, and reports whether until is still to come and ctx goes on.
func waitUntil(ctx context.Context, wait time.Duration, until time.Time) bool {
	select {
	case <-time.After(wait):
		return time.Now().Before(until)
	case <-ctx.Done():
		return false
	}
}
