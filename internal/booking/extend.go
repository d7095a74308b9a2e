package booking

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/claim/occupancy"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Extend has a hold last for some minutes from now, under the date locks of its dates: at the moment at which a hold
// expires, its extension and a rival's booking exclude each other. A hold that lasts longer already stays as it is. In
// all, a hold lasts at most MaxHoldMinutes from when it was made. The event of its expiry moves in the same commit.
//
// Errors: problem.ValidationFailed for too many minutes, problem.NotFound, problem.VersionMismatch,
// problem.HoldExpired, and problem.InvalidState for a booking that isn't held; those of db.Request.Outcome and of
// Service.dates. No refusal writes anything.
func (s *Service) Extend(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, req ExtendRequest,
	allowed etag.Precondition,
) (idempotency.Outcome, error) {
	return s.amendWithKey(ctx, t, r, id, AmendRequest{HoldMinutes: &req.HoldMinutes}, allowed)
}

// paymentMinutes is for how long a hold lasts beyond its first end once its customer has begun to pay on the provider's
// page: providers give a page no less than half an hour.
const paymentMinutes = 35

// EndForPayment returns until when a hold that was made for some minutes lasts if its customer begins to pay on the
// provider's page at now. It counts from when the hold was made, so that no number of payments has it last longer. A
// hold that lasts long enough keeps its end.
func (b Booking) EndForPayment(holdMinutes int, now time.Time) time.Time {
	end, latest := *b.HoldExpiresAt, b.CreatedAt.Add(time.Duration(holdMinutes+paymentMinutes)*time.Minute)
	if end.Sub(now) < time.Duration(paymentMinutes)*time.Minute && latest.After(end) {
		return latest
	}
	return end
}

// ExtendForPayment has a hold last until EndForPayment, once a payment has begun. Errors: those of Extend.
func (s *Service) ExtendForPayment(ctx context.Context, t tenant.Tenant, b Booking, until time.Time) error {
	if !until.After(*b.HoldExpiresAt) {
		return nil
	}
	_, err := s.Amend(ctx, t, b.ID, AmendRequest{holdUntil: &until}, "")
	return err
}

// extend extends a hold that lasts. The claim and the event of a hold that is confirmed as well have no end. Errors:
// problem.ValidationFailed for too many minutes.
func (c *amending) extend() error {
	if !c.extends() {
		return nil
	}
	b := &c.after
	until := c.holdUntil
	if until == nil {
		until = new(c.st.Now.Add(time.Duration(*c.HoldMinutes) * time.Minute))
	}
	if until.After(b.CreatedAt.Add(time.Duration(MaxHoldMinutes) * time.Minute)) {
		return problem.Invalid("hold_minutes", "too_large",
			fmt.Sprintf("A hold lasts at most %d minutes from when it was made.", MaxHoldMinutes))
	}
	if !until.After(*b.HoldExpiresAt) {
		return nil
	}
	b.HoldExpiresAt = until
	if !c.Confirm {
		occupancy.Extend(c.tx.DatesTx, b.ID, *until)
		c.tx.MoveEvent(planHoldExpiry(*b))
	}
	return nil
}
