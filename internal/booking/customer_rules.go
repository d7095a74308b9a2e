package booking

import (
	"time"

	"holdfast/internal/problem"
)

// CustomerRules are what a tenant lets the customer of a booking change by the booking's link. A request of the
// tenant's own has none: a nil *CustomerRules refuses nothing. The page of a booking asks them which buttons it shows;
// the use cases ask them again under the locks, at the database's time.
type CustomerRules struct{ MayMove, MayCancel bool }

// CheckMove returns nil if the customer may move the booking at now. paying says that a payment for the booking is
// open. A hold may be moved whatever the tenant says, but not while it is paid for: another time may cost something
// else. A confirmed booking may be moved until it begins, and as long as cancelling it costs nothing: else it could be
// moved away from the fee.
//
// Errors: problem.Forbidden; problem.PaymentInProgress.
func (r *CustomerRules) CheckMove(b Booking, paying bool, now time.Time) error {
	if r == nil {
		return nil
	}
	if err := r.checkChange(b, r.MayMove, paying, now); err != nil || b.Status == Held {
		return err
	}
	if fee, _ := b.CancellationPolicy.CancelFee(b.Price, b.Currency, b.StartsAt, now); fee > 0 {
		return problem.New(problem.Forbidden,
			"To cancel the booking costs a fee by now, so its customer can't move it.")
	}
	return nil
}

// CheckDetails returns nil if the customer may say who the booking is for. paying says that a payment for the booking
// is open. Only a hold's details can be given, and not while it is paid for: the payment is of whoever began it.
//
// Errors: problem.Forbidden; problem.PaymentInProgress.
func (r *CustomerRules) CheckDetails(b Booking, paying bool) error {
	switch {
	case r == nil:
		return nil
	case b.Status != Held:
		return problem.New(problem.Forbidden, "Only the business can change who a booking is for once it is no hold.")
	}
	return checkHold(paying)
}

// CheckCancel returns nil if the customer may cancel the booking at now. paying says that a payment for the booking is
// open. A hold may be given back whatever the tenant says, but not while it is paid for. A confirmed booking may be
// cancelled until it begins.
//
// Errors: problem.Forbidden; problem.PaymentInProgress.
func (r *CustomerRules) CheckCancel(b Booking, paying bool, now time.Time) error {
	if r == nil {
		return nil
	}
	return r.checkChange(b, r.MayCancel, paying, now)
}

// checkChange checks what moves and cancellations have in common.
func (r *CustomerRules) checkChange(b Booking, may, paying bool, now time.Time) error {
	switch {
	case b.Status == Held:
		return checkHold(paying)
	case b.Status != Confirmed || !may:
		return problem.New(problem.Forbidden, "The customer can't change this booking.")
	case !now.Before(b.StartsAt):
		return problem.New(problem.Forbidden, "The booking has begun, so its customer can't change it.")
	}
	return nil
}

// checkHold checks what all changes of a hold have in common.
func checkHold(paying bool) error {
	if paying {
		return problem.New(problem.PaymentInProgress,
			"A payment for the hold is in progress. Wait for its end, or stop it.").
			Retry(time.Second)
	}
	return nil
}

// isPaying reports whether the open payment of a booking, which may be nil, takes money from the customer. A refund
// doesn't.
func isPaying(open *OpenPayment) bool { return open != nil && open.RefundOf == nil }
