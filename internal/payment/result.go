package payment

import (
	"cmp"
	"errors"
	"time"

	"holdfast/internal/store"
)

// callResult is what became of one call of the provider.
type callResult struct {
	outcome Outcome
	err     error
	// fence is that of whoever called; a webhook has none.
	fence   int64
	webhook bool
	// absentAfter is set by a look-up: an order that the provider doesn't know and that was last sent longer ago than this
	// was not carried out.
	absentAfter time.Duration
	// cancel says that the call was to cancel the payment.
	cancel bool
}

// absent reports whether the provider answered that it doesn't know the order.
func (result callResult) absent() bool { return result.err == nil && result.outcome.Result == Absent }

// apply returns a payment's row after a finding at now, and whether it changed. What the provider said is true whoever
// asked; that nothing is known, only whoever holds the fence may say.
func (result callResult) apply(row store.Payment, wait backoff, now time.Time) (store.Payment, bool) {
	var notDone *NotDone
	refused := !result.cancel && errors.As(result.err, &notDone) // the refusal of a cancellation says nothing of the order
	mine := result.webhook || result.fence == row.Fence
	settled := row.Status == string(StatusSucceeded) || row.Status == string(StatusDeclined)
	switch {
	case row.Status == string(StatusSucceeded):
		return row, false
	case result.err == nil && result.outcome.Result == Succeeded:
		return complete(withProviderData(row, result.outcome), StatusSucceeded, now), true
	case settled:
		return row, false
	case result.err == nil && result.outcome.Result == Declined:
		row = withProviderData(row, result.outcome)
		row.DeclineCode, row.TryAgain = optional(result.outcome.DeclineCode), result.outcome.TryAgain
		return complete(row, StatusDeclined, now), true
	case !mine:
		return row, false
	case result.err == nil && result.outcome.Result == Processing:
		row = withProviderData(row, result.outcome)
		row.ActionUrl, row.ClientSecret = optional(result.outcome.ActionURL), optional(result.outcome.ClientSecret)
		pause := wait.processing(row.Looks)
		if result.webhook {
			pause = 0 // something has happened that only asking tells
		}
		return keepOpen(row, StatusProcessing, now, pause), true
	case refused && !notDone.TryAgain && row.FirstSentAt.Equal(row.LastSentAt):
		row.DeclineCode = optional(cmp.Or(string(notDone.Method), declinedRefused))
		return complete(row, StatusDeclined, now), true
	case refused:
		// It was not carried out this time; an earlier sending may have been.
		return keepOpen(row, Status(row.Status), now, wait.unknown(row.Looks)), true
	case result.absent() && now.Sub(row.LastSentAt) >= result.absentAfter:
		row.DeclineCode, row.TryAgain = optional(declinedNotDone), true
		if result.cancel {
			row.DeclineCode = optional(Cancelled)
		}
		return complete(row, StatusDeclined, now), true
	}
	return keepOpen(row, StatusUnknown, now, wait.unknown(row.Looks)), true
}

func withProviderData(row store.Payment, o Outcome) store.Payment {
	if o.ProviderID != "" {
		row.ProviderID = &o.ProviderID
	}
	row.ActionUrl, row.ClientSecret, row.DeclineCode, row.TryAgain = nil, nil, nil, false
	return row
}

func complete(row store.Payment, s Status, now time.Time) store.Payment {
	row.Status, row.ResolveAt, row.LeasedUntil = string(s), nil, now
	return row
}

// keepOpen ends the lease: a retry may go on at once, and the resolver after a pause.
func keepOpen(row store.Payment, s Status, now time.Time, pause time.Duration) store.Payment {
	at := now.Add(pause)
	row.Status, row.ResolveAt, row.LeasedUntil = string(s), &at, now
	return row
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
