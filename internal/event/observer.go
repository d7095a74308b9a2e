package event

import (
	"context"
	"time"
)

// What notices say of an event.
const (
	NoticePlanned        = "planned"
	NoticeLeased         = "claimed"
	NoticeCompleted      = "completed"
	NoticeUncountedRetry = "postponed" // pending again, which is no failure
	NoticeFailed         = "failed"
	NoticeDead           = "dead"
	NoticeCancelled      = "cancelled"
	// NoticeRecorded: a transaction of the handler completed, cancelled or moved the event.
	NoticeRecorded = "recorded"
	// NoticeLost: the worker no longer held the event, so that its result was not recorded.
	NoticeLost = "lost"
	// NoticeRescued: the lease of another worker had ended.
	NoticeRescued = "rescued"
)

// Notice says what happened to one event.
type Notice struct {
	What  string
	Event Event
	// Took is how long the attempt took; zero unless it has ended.
	Took time.Duration
	// Err is why the attempt failed, nil if it didn't.
	Err error
	// Reason is why the event was cancelled, empty if it wasn't.
	Reason string

	ids context.Context //nolint:containedctx // has nothing but the ids of the attempt's trace; nil without an attempt
}

// logContext returns the context for the log's line.
func (n Notice) logContext() context.Context {
	if n.ids == nil {
		return context.Background()
	}
	return n.ids
}

// Observer is called with each notice, by several goroutines at once, and must not block.
type Observer func(Notice)
