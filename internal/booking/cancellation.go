package booking

import (
	"cmp"
	"fmt"
	"time"

	"holdfast/internal/datetime"
	"holdfast/internal/event"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// maxAmount bounds every amount, in minor units: JSON numbers are exact up to it.
const maxAmount = 1<<53 - 1

// Bounds of a cancellation policy. A step can begin before the longest booking window does.
const (
	maxCancellationSteps = 20
	maxCancelFromMinutes = (maxWindowDays + 10) * datetime.MinutesPerDay
)

// CancellationPolicy says what is kept, or due, of the price of a confirmed booking that is cancelled, or whose customer doesn't come. It is copied to
// the booking when it is made. The zero value is no policy: then the tenant decides what is refunded.
type CancellationPolicy struct {
	Steps  []CancellationStep `json:"steps,omitzero" maxItems:"20" nullable:"false" doc:"In the order of time, so from_minutes falls. Before the first step a cancellation is free. An empty list is free at any time."`
	NoShow *CancellationFee   `json:"no_show,omitempty" doc:"What it costs if the customer doesn't come; the whole price if absent."`
}

// CancellationStep is what a cancellation costs from FromMinutes before the booking starts, until the next step begins.
type CancellationStep struct {
	FromMinutes int `json:"from_minutes" minimum:"0" maximum:"5270400" example:"1440" doc:"The step begins this long before the booking starts."`
	CancellationFee
}

// CancellationFee is a part of the booking's price, or an amount, which counts at most as the price. Exactly one is set.
type CancellationFee struct {
	Percent *int   `json:"percent,omitempty" minimum:"0" maximum:"100" example:"50" doc:"Of the booking's price, rounded half up to a minor unit. Either this or amount."`
	Amount  *int64 `json:"amount,omitempty" minimum:"0" maximum:"9007199254740991" example:"2000" doc:"Minor units of currency; at most the price is kept."`
}

// given reports whether there is a policy.
func (p CancellationPolicy) given() bool { return p.Steps != nil || p.NoShow != nil }

// check returns problem.ValidationFailed for the first field that is out of bounds or out of order.
func (p CancellationPolicy) check() error {
	const field = "cancellation_policy."
	checks := []error{problem.CheckRange(field+"steps", len(p.Steps), 0, maxCancellationSteps)}
	for i, s := range p.Steps {
		step := fmt.Sprintf("%ssteps[%d]", field, i)
		checks = append(checks, problem.CheckRange(step+".from_minutes", s.FromMinutes, 0, maxCancelFromMinutes), s.CancellationFee.check(step))
		if i > 0 && s.FromMinutes >= p.Steps[i-1].FromMinutes {
			checks = append(checks, problem.Invalid(step+".from_minutes", "too_large", "Expected fewer minutes than the step before has."))
		}
	}
	if p.NoShow != nil {
		checks = append(checks, p.NoShow.check(field+"no_show"))
	}
	return cmp.Or(checks...)
}

func (f CancellationFee) check(field string) error {
	switch {
	case f.Percent != nil && f.Amount != nil:
		return problem.Invalid(field+".amount", "excluded", "Leave out percent or amount.")
	case f.Percent != nil:
		return problem.CheckRange(field+".percent", *f.Percent, 0, 100)
	case f.Amount != nil:
		return problem.CheckRange(field+".amount", *f.Amount, 0, maxAmount)
	}
	return problem.Invalid(field, "required", "Give percent or amount.")
}

// of returns the fee of a booking of that price.
func (f CancellationFee) of(price int64) int64 {
	if f.Percent != nil {
		return percentOf(price, *f.Percent)
	}
	return min(*f.Amount, price)
}

// percentOf returns a percentage of an amount, rounded half up to a minor unit.
func percentOf(amount int64, percent int) int64 { return (amount*int64(percent) + 50) / 100 }

// cancelFee returns what a cancellation at now costs, and when the fee changes next, nil if it doesn't.
func (p CancellationPolicy) cancelFee(price int64, startsAt, now time.Time) (fee int64, changesAt *time.Time) {
	for _, s := range p.Steps {
		if from := startsAt.Add(-minutes(s.FromMinutes)); now.Before(from) {
			return fee, &from
		}
		fee = s.of(price)
	}
	return fee, nil
}

func (p CancellationPolicy) noShowFee(price int64) int64 {
	if p.NoShow == nil {
		return price
	}
	return p.NoShow.of(price)
}

// Ending is what becomes of the money of a booking that is cancelled or whose customer doesn't come.
type Ending struct {
	// Fee is what is kept, or due, of the price, in minor units. FeeSet is true if the request set it.
	Fee    int64
	FeeSet bool
	// Refund: what was paid beyond the fee is refunded without being asked for.
	Refund bool
	// ChangesAt is when the fee would change next, nil if it wouldn't.
	ChangesAt *time.Time
}

// endingAt returns what becomes of the money of a booking that gets a status at now. A hold is given back whole. fee, if it isn't nil, counts instead
// of the policy. Of a confirmed booking without either the tenant decides what is refunded.
func (b Booking) endingAt(status Status, fee *int64, now time.Time) Ending {
	switch {
	case b.Status == Held:
		return Ending{Refund: true}
	case fee != nil:
		return Ending{Fee: *fee, FeeSet: true, Refund: true}
	case !b.CancellationPolicy.given():
		return Ending{}
	case status == NoShow:
		return Ending{Fee: b.CancellationPolicy.noShowFee(b.Price), Refund: true}
	}
	byPolicy, changesAt := b.CancellationPolicy.cancelFee(b.Price, b.StartsAt, now)
	return Ending{Fee: byPolicy, Refund: true, ChangesAt: changesAt}
}

// Termination is what a request says of the cancellation of a booking, or of a customer who doesn't come.
type Termination struct {
	// Reason is why a booking is cancelled, nil without one.
	Reason *string
	// Fee is what is kept, or due, of the price, in minor units; nil leaves it to the booking's cancellation policy.
	Fee *int64
}

// check returns problem.ValidationFailed for what no booking can be ended with.
func (e Termination) check() error {
	if e.Fee != nil {
		if err := problem.CheckRange("fee", *e.Fee, 0, maxAmount); err != nil {
			return err
		}
	}
	if e.Reason != nil {
		return tenant.CheckText("reason", *e.Reason)
	}
	return nil
}

// checkFor returns problem.ValidationFailed for a fee that the booking can't have: more than its price, or any of a hold, which is refunded whole.
func (e Termination) checkFor(b Booking) error {
	switch {
	case e.Fee == nil:
		return nil
	case b.Status == Held && *e.Fee > 0:
		return problem.Invalid("fee", "too_large", "A hold costs nothing to cancel.")
	case *e.Fee > b.Price:
		return problem.Invalid("fee", "too_large", "Expected at most the booking's price.")
	}
	return nil
}

// end queues that a booking gets a status at now, and what becomes of its money. The caller changes the status afterwards.
func (b *Booking) end(tx *store.CalendarTx, status Status, t Termination, now time.Time) {
	end := b.endingAt(status, t.Fee, now)
	tx.SetBookingEnded(store.EndingBooking{
		BookingID: b.ID, Version: b.storedVersion, Status: string(status), Fee: end.Fee, FeeSet: end.FeeSet, Reason: t.Reason,
	})
	switch {
	case status == Cancelled:
		tx.FreeBooking(b.ID)
		tx.EndBooking(b.ID, event.KindEndedBooking, end.Refund, false)
	case end.Refund && end.Fee-b.Lowered < max(b.Price, b.Kept()): // otherwise there is nothing beyond the fee, now or later
		tx.EndBooking(b.ID, event.KindEndedBooking, true, false)
	}
	b.CancellationFee, b.CancellationFeeSet, b.CancellationReason = end.Fee, end.FeeSet, t.Reason
}

// CancellationAt returns what cancelling a booking at now would cost. Errors: those of cancelling it, problem.HoldExpired and
// problem.InvalidState.
func CancellationAt(row store.BalanceBooking, now time.Time) (Ending, error) {
	b := Booking{Status: Status(row.Status), HoldExpiresAt: row.HoldExpiresAt, StartsAt: row.StartsAt, Price: row.Price}
	var err error
	if b.Terms, err = termsOf(row.Terms); err != nil {
		return Ending{}, err
	}
	status, err := Cancel.after(b.State(), b.StartsAt, now)
	if err != nil {
		return Ending{}, err
	}
	return b.endingAt(status, nil, now), nil
}

// StateOf returns what decides about a booking's money.
func StateOf(row store.BalanceBooking) State {
	s := State{Status: Status(row.Status), HoldExpiresAt: row.HoldExpiresAt}
	terms, _ := termsOf(row.Terms) // FromRow returns the error for terms that can't be read
	return s.withFee(terms.CancellationPolicy.given() || row.CancellationFeeSet, row.CancellationFee)
}
