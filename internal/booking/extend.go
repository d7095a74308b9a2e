package booking

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// Extend has a hold last for some minutes from now, under the calendar locks of its dates: at the moment at which a hold expires, its extension and
// a rival's booking exclude each other. A hold that lasts longer already stays as it is. In all, a hold lasts at most MaxHoldMinutes from when it
// was made. The event of its expiry moves in the same commit.
//
// Errors: problem.ValidationFailed for too many minutes, problem.NotFound, problem.VersionMismatch, problem.HoldExpired, and problem.InvalidState for
// a booking that isn't held; those of idempotency.Guard.Begin and of store.Store.Calendar. No refusal writes anything.
func (s *Service) Extend(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, holdMinutes int, allowed Precondition,
) (resp idempotency.Response, err error) {
	turn, resp, err := s.guard.Begin(ctx, t.ID, r)
	if turn == nil {
		return resp, err
	}
	defer turn.End(&resp, &err)
	refuse := func(err error) (idempotency.Response, error) { return turn.Refuse(ctx, err) }
	if err := problem.CheckRange("hold_minutes", holdMinutes, 1, MaxHoldMinutes); err != nil {
		return refuse(err)
	}
	return s.retryWhileChanging(ctx, t, id, nil, refuse, func(seen Booking, rs *rules) (idempotency.Response, error) {
		return s.extendBy(ctx, turn, t, seen, holdMinutes, allowed, rs)
	})
}

// extendBy extends a hold that was seen at a time. It returns errMoved if it isn't there any more once that time is locked, and errStaleRules if rs
// aren't its service's rules any more.
func (s *Service) extendBy(ctx context.Context, r *idempotency.Turn, t tenant.Tenant, seen Booking, holdMinutes int, allowed Precondition,
	rs *rules,
) (resp idempotency.Response, err error) {
	err = s.atItsTime(ctx, t.ID, store.BookRead{Key: r.Key()}, seen, func(tx *store.CalendarTx, st store.CalendarState, b Booking) error {
		if err := allowed.Check("booking", b.Version); err != nil {
			return err
		}
		if err := b.State().checkOpen(st.Now); err != nil {
			return err
		}
		if b.Status != Held {
			return problem.New(problem.InvalidState, "The booking is confirmed, so it has no end to extend.")
		}
		if st.CatalogVersion != rs.version {
			return errStaleRules
		}
		before := b
		until, last := st.Now.Add(minutes(holdMinutes)), b.CreatedAt.Add(minutes(MaxHoldMinutes))
		if until.After(last) {
			return problem.Invalid("hold_minutes", "too_large", fmt.Sprintf("A hold lasts at most %d minutes from when it was made.", MaxHoldMinutes))
		}
		if until.After(*b.HoldExpiresAt) {
			b.HoldExpiresAt, b.Version, b.UpdatedAt = &until, b.Version+1, st.Now
			tx.ExtendHold(b.ID, b.storedVersion, until)
			tx.MoveEvent(planHoldExpiry(b))
		}
		if resp, err = b.changed(); err != nil {
			return err
		}
		if b.Version > before.Version {
			tx.AddChange(b.Record(UpdatedEvent, resp.Body))
		}
		tx.StoreResponse(r.Record(resp, st.Now))
		return nil
	})
	return resp, err
}
