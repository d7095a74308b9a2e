package booking

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
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
	return s.amendOnce(ctx, t, r, id, Amendment{HoldMinutes: &holdMinutes}, allowed)
}

// extend extends a hold that lasts. The claim and the event of a hold that is confirmed as well have no end. Errors:
// problem.ValidationFailed for too many minutes.
func (c *amending) extend() error {
	if c.HoldMinutes == nil {
		return nil
	}
	b := &c.after
	until := c.st.Now.Add(minutes(*c.HoldMinutes))
	if until.After(b.CreatedAt.Add(minutes(MaxHoldMinutes))) {
		return problem.Invalid("hold_minutes", "too_large",
			fmt.Sprintf("A hold lasts at most %d minutes from when it was made.", MaxHoldMinutes))
	}
	if !until.After(*b.HoldExpiresAt) {
		return nil
	}
	b.HoldExpiresAt = &until
	if !c.Confirm {
		c.tx.ExtendClaim(b.ID, until)
		c.tx.MoveEvent(planHoldExpiry(*b))
	}
	return nil
}
