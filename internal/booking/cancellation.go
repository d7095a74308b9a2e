package booking

import (
	"time"

	"holdfast/internal/bounds"
	"holdfast/internal/catalog"
	"holdfast/internal/claim/occupancy"
	"holdfast/internal/operation"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

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

// endingAt returns what becomes of the money of a booking that gets a status at now. A hold is given back whole. fee,
// if it isn't nil, counts instead of the policy. Of a confirmed booking without either the tenant decides what is
// refunded.
func (b Booking) endingAt(status Status, fee *int64, now time.Time) Ending {
	switch {
	case b.Status == Held:
		return Ending{Refund: true}
	case fee != nil:
		return Ending{Fee: *fee, FeeSet: true, Refund: true}
	case !b.CancellationPolicy.Given():
		return Ending{}
	case status == NoShow:
		return Ending{Fee: b.CancellationPolicy.NoShowFee(b.Price, b.Currency), Refund: true}
	}
	byPolicy, changesAt := b.CancellationPolicy.CancelFee(b.Price, b.Currency, b.StartsAt, now)
	return Ending{Fee: byPolicy, Refund: true, ChangesAt: changesAt}
}

// NoShowRequest records a customer who doesn't come.
type NoShowRequest struct {
	// Fee is in minor units; nil leaves it to the booking's cancellation policy.
	Fee *int64 `json:"fee,omitempty" minimum:"0" maximum:"9007199254740991" example:"0" doc:"What is kept, or due, of the price instead of what the cancellation policy says, at most the price; 0 waives it. Minor units of the booking's currency. It needs the scope money too."`
}

// checkScopes returns problem.Forbidden for a fee by a key, or a person, without the scope money.
func (r NoShowRequest) checkScopes(t tenant.Tenant) error {
	if r.Fee == nil {
		return nil
	}
	return t.Scopes.RequireFor("fee", operation.ScopeMoney)
}

// CancelRequest cancels a booking.
type CancelRequest struct {
	NoShowRequest
	// ExpectFee is what is kept, or due, of the price once the booking is cancelled, less what refunds have lowered it
	// by, in minor units; nil takes any.
	ExpectFee *int64  `json:"expect_fee,omitempty" minimum:"0" maximum:"9007199254740991" example:"2250" doc:"At this fee, or not at all: the fee of the cancellation quote, in minor units of the booking's currency. For another one by now the answer is 409 price_changed with the fee, and nothing changes."`
	Reason    *string `json:"reason,omitempty" minLength:"1" maxLength:"200" example:"The customer is ill." doc:"Not blank, and without control characters."`
	// ByCustomer are the rules for a cancellation by the booking's link, nil for one by the tenant.
	ByCustomer *CustomerRules `json:"-"`
}

// check returns problem.ValidationFailed for what no booking can be ended with.
func (e CancelRequest) check() error {
	if err := bounds.Check("", e); err != nil || e.Reason == nil {
		return err
	}
	return problem.CheckText("reason", *e.Reason)
}

// checkFor returns problem.ValidationFailed for a fee that the booking can't have: more than its price, or any of a
// hold, which is refunded whole.
func (e CancelRequest) checkFor(b Booking) error {
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

// end queues that a booking gets a status at now, and what becomes of its money. The caller changes the status
// afterwards. Errors: problem.PriceChanged for another fee than is expected.
func (b *Booking) end(tx *datesTx, status Status, t CancelRequest, now time.Time) error {
	end := b.endingAt(status, t.Fee, now)
	owed := State{Status: status, Fee: &end.Fee}.Owed(b.Price, b.Balance, now)
	if err := checkFee(t.ExpectFee, owed); err != nil {
		return err
	}
	queueEnd(tx.DatesTx, endedRow{
		BookingID: b.ID, Version: b.storedVersion, Status: status, Fee: end.Fee, FeeSet: end.FeeSet, Reason: t.Reason,
	})
	switch {
	case status == Cancelled:
		occupancy.Free(tx.DatesTx, b.ID)
		queueEndOfPayments(tx.DatesTx, b.ID, end.Refund, false)
	case end.Refund && owed < max(b.Price, b.Kept()): // otherwise there is nothing beyond the fee, now or later
		queueEndOfPayments(tx.DatesTx, b.ID, true, false)
	}
	b.CancellationFee, b.CancellationFeeSet, b.CancellationReason = end.Fee, end.FeeSet, t.Reason
	return nil
}

// checkFee returns problem.PriceChanged, with the fee, for another one than is expected; nil expects none.
func checkFee(expected *int64, fee int64) error {
	if expected == nil || *expected == fee {
		return nil
	}
	const detail = "To end the booking costs another fee by now; see fee."
	document := problem.DocumentOf(problem.New(problem.PriceChanged, detail))
	document.Fee = &fee
	return document
}

// CancellationAt returns what cancelling a booking at now would cost. Errors: those of cancelling it,
// problem.HoldExpired and problem.InvalidState.
func CancellationAt(row Billing, now time.Time) (Ending, error) {
	b := Booking{
		Status:        Status(row.Status),
		HoldExpiresAt: row.HoldExpiresAt,
		StartsAt:      row.StartsAt,
		Price:         row.Price,
		Currency:      row.Currency,
	}
	var err error
	if b.Terms, err = catalog.TermsOf(row.Terms); err != nil {
		return Ending{}, err
	}
	status, err := Cancel.statusAfter(b.State(), b.StartsAt, now)
	if err != nil {
		return Ending{}, err
	}
	return b.endingAt(status, nil, now), nil
}

// Billing is what a booking's money depends on, as it is stored. Amounts are minor units of Currency.
type Billing struct {
	Status             string
	Price              int64
	Deposit            int64
	Currency           string
	HoldExpiresAt      *time.Time
	StartsAt           time.Time
	Terms              []byte // JSON
	CancellationFee    int64
	CancellationFeeSet bool
}

// StateOf returns what decides about a booking's money.
func StateOf(row Billing) State {
	s := State{Status: Status(row.Status), HoldExpiresAt: row.HoldExpiresAt}
	// what this code wrote can be read; a row that can't counts as one without terms
	terms, _ := catalog.TermsOf(row.Terms)
	return s.withFee(terms.CancellationPolicy.Given() || row.CancellationFeeSet, row.CancellationFee)
}
