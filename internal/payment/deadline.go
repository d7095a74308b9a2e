package payment

import (
	"time"

	"holdfast/internal/store"
)

// cancelAt returns when an open payment is to be cancelled. Rows of earlier versions have no such time: for them it is the
// creation time plus the timeout.
func (s *Service) cancelAt(p store.Payment) time.Time {
	if p.CancelAt != nil {
		return *p.CancelAt
	}
	return p.CreatedAt.Add(s.cfg.Timeout)
}

// cancelDue reports whether an open payment is to be cancelled at now. Refunds are never cancelled.
func (s *Service) cancelDue(p store.Payment, now time.Time) bool {
	return p.RefundOf == nil && !s.cancelAt(p).After(now)
}

// resolveInTime moves the next poll of an open payment forward to its cancel time. If that time has passed, the resolver
// polls at once, or after the usual backoff if this call was a cancellation.
func (s *Service) resolveInTime(row *store.Payment, result callResult, now time.Time) {
	if row.ResolveAt == nil || row.RefundOf != nil {
		return
	}
	at := s.cancelAt(*row)
	if !at.After(now) {
		if result.cancel {
			return
		}
		at = now
	}
	if at.Before(*row.ResolveAt) {
		row.ResolveAt = &at
	}
}
