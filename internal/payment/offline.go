package payment

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/bounds"
	"holdfast/internal/db"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
)

// OfflinePayment records money that was received, and that no provider saw.
type OfflinePayment struct {
	Method     OfflineMethod `json:"method" doc:"transfer: to your bank account. terminal: by card, at a terminal of your own." example:"cash"`
	Note       string        `json:"note" minLength:"1" maxLength:"500" doc:"Who took the money, or the number of a receipt. Erased with the customer." example:"Taken by Ann, receipt 4711"`
	ReceivedAt *time.Time    `json:"received_at,omitempty" doc:"When you received it, at most 366 days ago; without it, now." example:"2027-07-01T10:00:00Z"`
}

// OfflineRefund records money that was handed back, and that no provider saw.
type OfflineRefund struct {
	Method     OfflineMethod `json:"method,omitempty" doc:"How it was handed back; without it, as it was received. Required of a payment that wasn't received offline." example:"cash"`
	Note       string        `json:"note" minLength:"1" maxLength:"500" doc:"Who handed the money back, or the number of a receipt. Erased with the customer." example:"Handed back by Ann"`
	ReturnedAt *time.Time    `json:"returned_at,omitempty" doc:"When you handed it back, at most 366 days ago; without it, now." example:"2027-07-02T10:00:00Z"`
}

// The bounds of the time at which offline money moved: how far it may be ahead of the database's clock, and how long
// ago.
const (
	maxOfflineAhead = time.Minute
	maxOfflineAge   = 366 * 24 * time.Hour
)

// checkMoved returns when money moved, now if the request doesn't say it. received is when the money was received
// that a refund returns, nil for payments. field is the field of the request in which the time stands. Errors:
// problem.ValidationFailed.
func checkMoved(moved *time.Time, now time.Time, received *time.Time, field string) (*time.Time, error) {
	if moved == nil {
		return &now, nil
	}
	at := moved.Truncate(time.Microsecond) // as the database keeps it
	switch {
	case at.After(now.Add(maxOfflineAhead)):
		return nil, problem.Invalid(field, "in_future", "Expected a time that has passed.")
	case at.Before(now.Add(-maxOfflineAge)):
		return nil, problem.Invalid(field, "out_of_range", "Expected a time of the last 366 days.")
	case received != nil && at.Before(*received):
		return nil, problem.Invalid(field, "before_payment", "Expected a time at which the money had been received.")
	}
	return &at, nil
}

// received returns p as a payment that was received offline. Errors: problem.ValidationFailed.
func (o OfflinePayment) received(p newPayment, now time.Time) (newPayment, error) {
	at, err := checkMoved(o.ReceivedAt, now, nil, "offline.received_at")
	p.Provider, p.Method, p.Note, p.MovedAt = offlineProvider, string(o.Method), &o.Note, at
	return p, err
}

// returned returns p as the refund of a payment whose money was handed back, whichever way it had come. Errors:
// problem.ValidationFailed.
func (o OfflineRefund) returned(p newPayment, paid *paymentRow, now time.Time) (newPayment, error) {
	received := movedAt(paid.MovedAt, paid.UpdatedAt)
	at, err := checkMoved(o.ReturnedAt, now, &received, "offline.returned_at")
	p.Provider, p.Account, p.WalletID = offlineProvider, nil, nil
	p.Method, p.Note, p.MovedAt = cmp.Or(string(o.Method), paid.Method), &o.Note, at
	return p, err
}

// checkOffline returns problem.ValidationFailed for a refund of an offline payment that doesn't say how the money was
// handed back, for one of another payment without a method, and for an unreadable note.
func checkOffline(paid paymentRow, o *OfflineRefund) error {
	switch offline := paid.Provider == offlineProvider; {
	case offline && o == nil:
		return problem.Invalid(
			"offline",
			"required",
			"The payment was received offline: say how the money was handed back.",
		)
	case o == nil:
		return nil
	case !offline && o.Method == "":
		return problem.Invalid(
			"offline.method",
			"required",
			"The payment wasn't received offline: say how the money was handed back.",
		)
	}
	return problem.CheckText("offline.note", o.Note)
}

// CompleteRequest is a request to complete an open offline refund.
type CompleteRequest struct {
	OfflineRefund
	// Allowed are the versions of the booking that may be changed; the empty one allows each.
	Allowed etag.Precondition `json:"-"`
}

// CompleteRefund records that the money of an open offline refund was handed back. It runs in one transaction under the
// balance lock. Errors: problem.NotFound; problem.InvalidState for any other payment or refund, and for one that has an
// end; problem.VersionMismatch; problem.ValidationFailed for an unreadable note, and a time out of bounds; the errors
// of db.Request.Outcome and db.DB.Balance.
func (s *Service) CompleteRefund(
	ctx context.Context,
	tenantID uuid.UUID,
	r idempotency.Request,
	id uuid.UUID,
	req CompleteRequest,
) (idempotency.Outcome, error) {
	if err := cmp.Or(bounds.Check("", req), problem.CheckText("note", req.Note)); err != nil {
		return idempotency.Outcome{}, err
	}
	request := r.DBRequest(tenantID)
	refund, err := s.row(ctx, tenantID, id)
	if err != nil {
		return idempotency.Outcome{}, err
	}
	var paid paymentRow
	if refund.RefundOf != nil {
		if paid, err = s.row(ctx, tenantID, *refund.RefundOf); err != nil {
			return idempotency.Outcome{}, err
		}
	}
	read := balanceRead{Change: true, Payment: &id}
	var done recorded
	err = s.balance(ctx, request, tenantID, refund.BookingID, nil, read,
		func(tx *db.BalanceTx, st balanceState, _ locked) error {
			done, err = completeRefund(tx, st, paid, req)
			return err
		})
	if err == nil {
		s.report(ctx, done)
	}
	return request.Outcome(err)
}

func completeRefund(tx *db.BalanceTx, st balanceState, paid paymentRow, req CompleteRequest) (recorded, error) {
	if st.Payment == nil || st.Changing == nil {
		return recorded{}, problem.Missing()
	}
	if err := req.Allowed.Check("booking", st.Changing.Version+st.Changing.Movements); err != nil {
		return recorded{}, err
	}
	was := fromRow(*st.Payment)
	switch {
	case was.RefundOf == nil || was.Provider != offlineProvider:
		return recorded{}, problem.New(problem.InvalidState, "Only a refund of an offline payment can be completed.")
	case !was.Open():
		return recorded{}, problem.New(problem.InvalidState, "The refund is complete already.")
	}
	at, err := checkMoved(req.ReturnedAt, st.Now, paid.MovedAt, "returned_at")
	if err != nil {
		return recorded{}, err
	}
	row := complete(*st.Payment, StatusSucceeded, st.Now)
	row.Method, row.Note, row.MovedAt = cmp.Or(string(req.Method), row.Method, paid.Method), &req.Note, at
	row.UpdatedAt = st.Now
	queueCompleted(tx, row)
	p := fromRow(row)
	if err := recordMoney(tx, st, was, p, 0); err != nil {
		return recorded{}, err
	}
	if row.IdempotencyKey != nil { // a server of 0.1.0 began it
		resp, err := p.made()
		if err != nil {
			return recorded{}, err
		}
		tx.FinishKey(*row.IdempotencyKey, resp)
	}
	return recorded{payment: p, changed: true}, tx.Respond(p.completed())
}
