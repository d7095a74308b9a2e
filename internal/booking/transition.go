package booking

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
)

// End is Transition for a cancellation, or for a customer who doesn't come. Unless end says what it costs, the
// booking's cancellation policy decides at the database's time under the locks. Errors: also problem.ValidationFailed
// for an unreadable reason, or a fee that the booking can't have; problem.Forbidden for a fee without the scope money;
// those of CustomerRules.CheckCancel. With ExpectFee, another fee is problem.PriceChanged.
func (s *Service) End(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, c Transition,
	end CancelRequest,
	allowed etag.Precondition,
) (idempotency.Outcome, error) {
	return s.transition(ctx, t, r, id, c, end, allowed)
}

// Transition confirms, cancels, completes or marks a booking under the date locks of its dates, the same that
// creating one takes: at the moment at which a hold expires, its confirmation and a rival's booking exclude
// each other.
//
// Errors: problem.NotFound, problem.VersionMismatch, problem.HoldExpired, problem.InvalidState; those of
// db.Request.Outcome and of Service.dates. No refusal writes anything.
func (s *Service) Transition(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, c Transition,
	allowed etag.Precondition,
) (idempotency.Outcome, error) {
	if c == Confirm {
		return s.Confirm(ctx, t, r, id, AmendRequest{}, allowed)
	}
	return s.transition(ctx, t, r, id, c, CancelRequest{}, allowed)
}

func (s *Service) transition(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, c Transition,
	end CancelRequest,
	allowed etag.Precondition,
) (idempotency.Outcome, error) {
	request := r.DBRequest(t.ID)
	if err := cmp.Or(end.checkScopes(t), end.check()); err != nil {
		return idempotency.Outcome{}, err
	}
	return request.Outcome(s.retryWhileMoving(ctx, t.ID, id, func(seen Booking) error {
		return s.tryTransition(ctx, t, request, seen, c, end, allowed)
	}))
}

// tryTransition makes a transition of a booking as it was seen. It returns errMoved if the booking isn't at that time
// any more once the time is locked.
func (s *Service) tryTransition(ctx context.Context, t tenant.Tenant, request *db.Request, seen Booking, c Transition,
	end CancelRequest, allowed etag.Precondition,
) error {
	asked := reads{OpenPayment: end.ByCustomer != nil}
	return s.lockAndDecide(ctx, t.ID, request, seen, nil, asked, func(tx *datesTx, st state, b Booking) error {
		if err := allowed.Check("booking", b.Version); err != nil {
			return err
		}
		status, err := c.statusAfter(b.State(), b.StartsAt, st.Now)
		if err != nil {
			return err
		}
		if err := end.ByCustomer.CheckCancel(b, isPaying(st.OpenPayment), st.Now); err != nil {
			return err
		}
		if err := end.checkFor(b); err != nil {
			return err
		}
		tx.EndEvents(bookingChanged, b.ID, b.Status.endedKinds()...)
		if status == Cancelled || status == NoShow {
			if err := b.end(tx, status, end, st.Now); err != nil {
				return err
			}
		} else {
			queueStatus(tx.DatesTx, b.ID, b.storedVersion, status)
		}
		b.become(status, st.Now)
		resp, err := b.changed()
		if err == nil {
			tx.AddChange(b.Record(transitionEvents[c], resp.Body))
		}
		return tx.Respond(resp, err)
	})
}
