package payment

import (
	"cmp"
	"errors"
	"time"
)

// callResult is the result of one provider call or webhook.
type callResult struct {
	outcome Outcome
	err     error
	// fence is the fencing token of the caller. Webhooks have none.
	fence   int64
	webhook bool
	// absentAfter is set by look-ups and cancellations. An order that the provider doesn't know, last sent at least
	// this long ago, was not carried out.
	absentAfter time.Duration
	// cancel: the call was a cancellation.
	cancel bool
}

// methodError returns why the provider refused the payment method of an order that it didn't carry out; empty for any
// other result.
func (result callResult) methodError() MethodError {
	var notDone *NotDone
	if errors.As(result.err, &notDone) {
		return notDone.Method
	}
	return ""
}

// differsFrom reports whether the provider says that it carried out another order than row: another amount or currency.
func (result callResult) differsFrom(row paymentRow) bool {
	o := result.outcome
	return result.err == nil && o.Result == Succeeded && (o.Amount != row.Amount || o.Currency != row.Currency)
}

// absent reports whether the provider doesn't know the order.
func (result callResult) absent() bool { return result.err == nil && result.outcome.Result == Absent }

// apply returns the row after the call result at now, and whether it changed. Success and decline are accepted from
// every caller, but not the success of another amount or currency, which leaves the payment unknown. Results that leave
// the payment open are accepted only from webhooks and from the current holder of the lease.
func (result callResult) apply(row paymentRow, wait backoff, now time.Time) (paymentRow, bool) {
	var notDone *NotDone
	refused := !result.cancel && errors.As(result.err, &notDone) // a refused cancellation says nothing about the order
	holdsLease := result.webhook || result.fence == row.Fence
	final := row.Status == string(StatusSucceeded) || row.Status == string(StatusDeclined)
	switch {
	case row.Status == string(StatusSucceeded):
		return row, false
	case result.differsFrom(row) && (final || !holdsLease):
		return row, false
	case result.differsFrom(row):
		pause := wait.processing(row.Polls)
		if result.webhook {
			pause = 0 // the provider is asked itself
		}
		return keepOpen(row, StatusUnknown, now, pause), true
	case result.err == nil && result.outcome.Result == Succeeded:
		return complete(withProviderData(row, result.outcome), StatusSucceeded, now), true
	case final:
		return row, false
	case result.err == nil && result.outcome.Result == Declined:
		row = withProviderData(row, result.outcome)
		row.DeclineCode, row.TryAgain = optional(result.outcome.DeclineCode), result.outcome.TryAgain
		return complete(row, StatusDeclined, now), true
	case !holdsLease:
		return row, false
	case result.err == nil && result.outcome.Result == Processing && row.Provider == offlineProvider:
		return waitForPerson(row, now), true
	case result.err == nil && result.outcome.Result == Processing:
		row = withProviderData(row, result.outcome)
		row.ActionUrl, row.ClientSecret = optional(result.outcome.ActionURL), optional(result.outcome.ClientSecret)
		pause := wait.processing(row.Polls)
		if result.webhook {
			pause = 0 // poll at once: the webhook doesn't carry the new state
		}
		return keepOpen(row, StatusProcessing, now, pause), true
	case refused && !notDone.TryAgain && row.FirstSentAt.Equal(row.LastSentAt):
		row.DeclineCode = optional(cmp.Or(string(notDone.Method), declinedRefused))
		return complete(row, StatusDeclined, now), true
	case refused:
		// This sending was not carried out, but an earlier one may have been.
		return keepOpen(row, Status(row.Status), now, wait.unknown(row.Polls)), true
	case result.absent() && now.Sub(row.LastSentAt) >= result.absentAfter:
		row.DeclineCode, row.TryAgain = optional(declinedNotDone), true
		if result.cancel {
			row.DeclineCode = optional(Cancelled)
		}
		return complete(row, StatusDeclined, now), true
	}
	return keepOpen(row, StatusUnknown, now, wait.unknown(row.Polls)), true
}

func withProviderData(row paymentRow, outcome Outcome) paymentRow {
	if outcome.ProviderID != "" {
		row.ProviderID = &outcome.ProviderID
	}
	row.ActionUrl, row.ClientSecret, row.DeclineCode, row.TryAgain = nil, nil, nil, false
	return row
}

func complete(row paymentRow, s Status, now time.Time) paymentRow {
	row.Status, row.ResolveAt, row.LeasedUntil = string(s), nil, now
	return row
}

// keepOpen ends the lease of an open payment: a repeated request may continue at once, the resolver after the pause.
func keepOpen(row paymentRow, s Status, now time.Time, pause time.Duration) paymentRow {
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

// waitForPerson keeps an offline refund open until a person completes it: no resolver works on it.
func waitForPerson(row paymentRow, now time.Time) paymentRow {
	row.Status, row.ResolveAt, row.LeasedUntil = string(StatusProcessing), new(farYear()), now
	return row
}

// farYear is when a resolver works on what waits for a person: never.
func farYear() time.Time { return time.Date(maxYear, 1, 1, 0, 0, 0, 0, time.UTC) }
