package booking

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// Extend has a hold last for some minutes from now, under the date locks of its dates: at the moment at which a hold expires, its
// extension and a rival's booking exclude each other. A hold that lasts longer already stays as it is. In all, a hold lasts at most
// MaxHoldMinutes from when it was made. The event of its expiry moves in the same commit.
//
// Errors: problem.ValidationFailed for too many minutes, problem.NotFound, problem.VersionMismatch, problem.HoldExpired, and
// problem.InvalidState for a booking that isn't held; those of store.Request.Response and of store.Store.Dates. No refusal writes
// anything.
func (s *Service) Extend(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, holdMinutes int,
	allowed etag.Precondition,
) (idempotency.Response, error) {
	request := r.Of(t.ID)
	if err := problem.CheckRange("hold_minutes", holdMinutes, 1, MaxHoldMinutes); err != nil {
		return idempotency.Response{}, err
	}
	return request.Response(s.retryWhileMoving(ctx, t.ID, id, func(seen Booking) error {
		return s.extendAt(ctx, request, t, seen, holdMinutes, allowed)
	}))
}

// extendAt extends a hold that was seen at a time. It returns errMoved if it isn't there any more once that time is locked.
func (s *Service) extendAt(ctx context.Context, request *store.Request, t tenant.Tenant, seen Booking, holdMinutes int,
	allowed etag.Precondition,
) error {
	return s.atItsTime(ctx, t.ID, request, store.BookRead{}, seen, func(tx *store.DatesTx, st store.DatesState, b Booking) error {
		if err := allowed.Check("booking", b.Version); err != nil {
			return err
		}
		if err := b.State().checkOpen(st.Now); err != nil {
			return err
		}
		if b.Status != Held {
			return problem.New(problem.InvalidState, "The booking is confirmed, so it has no end to extend.")
		}
		before := b
		until, last := st.Now.Add(minutes(holdMinutes)), b.CreatedAt.Add(minutes(MaxHoldMinutes))
		if until.After(last) {
			return problem.Invalid("hold_minutes", "too_large",
				fmt.Sprintf("A hold lasts at most %d minutes from when it was made.", MaxHoldMinutes))
		}
		if until.After(*b.HoldExpiresAt) {
			b.HoldExpiresAt, b.Version, b.UpdatedAt = &until, b.Version+1, st.Now
			tx.ExtendHold(b.ID, b.storedVersion, until)
			tx.MoveEvent(planHoldExpiry(b))
		}
		resp, err := b.changed()
		if err == nil && b.Version > before.Version {
			tx.AddChange(b.Record(UpdatedEvent, resp.Body))
		}
		return tx.Respond(resp, err)
	})
}
