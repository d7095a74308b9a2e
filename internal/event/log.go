package event

import (
	"errors"
	"log/slog"
)

// logNotices returns an observer that logs. Events that go as they should are logged at the level debug.
func logNotices(log *slog.Logger) Observer {
	return func(n Notice) {
		level := slog.LevelDebug
		switch n.What {
		case NoticeFailed, NoticeLost, NoticeRescued:
			level = slog.LevelWarn
		case NoticeDead:
			level = slog.LevelError
			var failed *AttemptError
			if errors.As(n.Err, &failed) {
				level = slog.LevelWarn // a receiver's failure, which the tenant sees in the event's attempts
			}
		}
		ctx := n.logContext()
		if !log.Enabled(ctx, level) {
			return
		}
		attributes := []any{
			"what", n.What, "kind", n.Event.Kind, "event", n.Event.ID, "tenant", n.Event.TenantID, "subject_type",
			n.Event.Subject.Type,
			"subject", n.Event.Subject.ID, "attempt", n.Event.Attempt,
		}
		if n.Err != nil {
			attributes = append(attributes, "error", n.Err)
		}
		if n.Reason != "" {
			attributes = append(attributes, "reason", n.Reason)
		}
		log.Log(ctx, level, "scheduled event", attributes...)
	}
}
