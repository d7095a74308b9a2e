package payment

import (
	"time"
)

// cancelDue reports whether an open payment is to be cancelled at now. Refunds are never cancelled.
func cancelDue(p paymentRow, now time.Time) bool {
	return p.CancelAt != nil && !p.CancelAt.After(now)
}

// resolveInTime moves the next poll of an open payment forward to its cancel time. If that time has passed, the
// resolver polls at once, or after the usual backoff if this call was a cancellation.
func resolveInTime(row *paymentRow, result callResult, now time.Time) {
	if row.ResolveAt == nil || row.CancelAt == nil {
		return
	}
	at := *row.CancelAt
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
