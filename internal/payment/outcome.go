package payment

import (
	"cmp"
	"errors"
	"time"

	"holdfast/internal/store"
)

// finding is what became of one call of the provider.
type finding struct {
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
func (f finding) absent() bool { return f.err == nil && f.outcome.Result == Absent }

// apply returns a payment's row after a finding at now, and whether it changed. What the provider said is true whoever
// asked; that nothing is known, only whoever holds the fence may say.
func (f finding) apply(row store.Payment, pace pace, now time.Time) (store.Payment, bool) {
	var notDone *NotDone
	refused := !f.cancel && errors.As(f.err, &notDone) // the refusal of a cancellation says nothing of the order
	mine := f.webhook || f.fence == row.Fence
	settled := row.Status == string(StatusSucceeded) || row.Status == string(StatusDeclined)
	switch {
	case row.Status == string(StatusSucceeded):
		return row, false
	case f.err == nil && f.outcome.Result == Succeeded:
		return settle(known(row, f.outcome), StatusSucceeded, now), true
	case settled:
		return row, false
	case f.err == nil && f.outcome.Result == Declined:
		row = known(row, f.outcome)
		row.DeclineCode, row.TryAgain = text(f.outcome.DeclineCode), f.outcome.TryAgain
		return settle(row, StatusDeclined, now), true
	case !mine:
		return row, false
	case f.err == nil && f.outcome.Result == Processing:
		row = known(row, f.outcome)
		row.ActionUrl, row.ClientSecret = text(f.outcome.ActionURL), text(f.outcome.ClientSecret)
		pause := pace.processing(row.Looks)
		if f.webhook {
			pause = 0 // something has happened that only asking tells
		}
		return later(row, StatusProcessing, now, pause), true
	case refused && !notDone.TryAgain && row.FirstSentAt.Equal(row.LastSentAt):
		row.DeclineCode = text(cmp.Or(string(notDone.Method), declinedRefused))
		return settle(row, StatusDeclined, now), true
	case refused:
		// It was not carried out this time; an earlier sending may have been.
		return later(row, Status(row.Status), now, pace.unknown(row.Looks)), true
	case f.absent() && now.Sub(row.LastSentAt) >= f.absentAfter:
		row.DeclineCode, row.TryAgain = text(declinedNotDone), true
		if f.cancel {
			row.DeclineCode = text(Cancelled)
		}
		return settle(row, StatusDeclined, now), true
	}
	return later(row, StatusUnknown, now, pace.unknown(row.Looks)), true
}

func known(row store.Payment, o Outcome) store.Payment {
	if o.ProviderID != "" {
		row.ProviderID = &o.ProviderID
	}
	row.ActionUrl, row.ClientSecret, row.DeclineCode, row.TryAgain = nil, nil, nil, false
	return row
}

func settle(row store.Payment, s Status, now time.Time) store.Payment {
	row.Status, row.ResolveAt, row.LeasedUntil = string(s), nil, now
	return row
}

// later ends the lease: a retry may go on at once, and the resolver after a pause.
func later(row store.Payment, s Status, now time.Time, pause time.Duration) store.Payment {
	at := now.Add(pause)
	row.Status, row.ResolveAt, row.LeasedUntil = string(s), &at, now
	return row
}

func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// pace says how long to wait before the next look at an open payment.
type pace struct{ first, most, mostProcessing time.Duration }

func (p pace) unknown(looks int32) time.Duration { return double(p.first, p.most, looks) }

func (p pace) processing(looks int32) time.Duration { return double(p.first, p.mostProcessing, looks) }

func double(first, most time.Duration, times int32) time.Duration {
	for range min(times, 30) {
		if first >= most {
			break
		}
		first *= 2
	}
	return min(first, most)
}
