package booking

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// errMoved says that a booking is at another time than the one that was locked.
var errMoved = errors.New("booking: moved")

// Change confirms, cancels, completes or marks a booking under the calendar locks of its dates, the same that
// creating one takes: at the moment at which a hold expires, its confirmation and a rival's booking exclude
// each other.
//
// Errors: problem.NotFound, problem.VersionMismatch, problem.HoldExpired, problem.InvalidState; those of
// idempotency.Guard.Begin and of store.Store.Calendar. No refusal writes anything.
func (s *Service) Change(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, c Change, allowed Precondition) (idempotency.Response, error) {
	turn, resp, err := s.guard.Begin(ctx, t.ID, r)
	if turn == nil {
		return resp, err
	}
	defer turn.End()
	for range maxStale {
		row, err := s.store.Booking(ctx, t.ID, id)
		if err != nil {
			return turn.Refuse(ctx, err)
		}
		seen, err := fromRow(&row)
		if err != nil {
			return resp, err
		}
		resp, err = s.changeAt(ctx, t, r, seen, c, allowed)
		if !errors.Is(err, errMoved) {
			return resp, err
		}
	}
	return resp, problem.New(problem.LockTimeout, "The booking keeps moving. Nothing was written.").Retry(time.Second)
}

// changeAt makes a change to a booking that was seen at a time, and returns errMoved if it isn't there any
// more once that time is locked.
func (s *Service) changeAt(ctx context.Context, t tenant.Tenant, r idempotency.Request, seen Booking, c Change, allowed Precondition) (resp idempotency.Response, err error) {
	keys, err := calendarKeys(t.ID, datesOf(seen.busyFrom, seen.busyUntil, seen.Location))
	if err != nil {
		return resp, err
	}
	read := store.CalendarRead{BookRead: store.BookRead{Key: r.Key()}, Booking: &seen.ID}
	err = s.store.Calendar(ctx, keys, read, func(tx *store.CalendarTx, st store.CalendarState) error {
		if st.StoredResponse != nil {
			resp, err = r.Replay(st.StoredResponse)
			return err
		}
		if st.Booking == nil {
			return problem.Missing()
		}
		b, err := fromRow(st.Booking)
		if err != nil {
			return err
		}
		if !b.busyFrom.Equal(seen.busyFrom) || !b.busyUntil.Equal(seen.busyUntil) || b.Date != seen.Date {
			return errMoved
		}
		if err := allowed.check(b.Version); err != nil {
			return err
		}
		status, err := c.after(b.state(), b.StartsAt, st.Now)
		if err != nil {
			return err
		}
		tx.SetBookingStatus(b.ID, b.storedVersion, string(status))
		if status == Cancelled {
			// Of a confirmed booking the tenant decides what is refunded; a hold is given back whole.
			tx.EndBooking(b.ID, b.Status == Held)
		}
		b.Status, b.Version, b.UpdatedAt = status, b.Version+1, st.Now
		b.Due = b.state().Due(b.Price, b.Paid, b.refunded, st.Now)
		if resp, err = b.changed(); err != nil {
			return err
		}
		tx.StoreResponse(r.Record(resp, st.Now))
		return nil
	})
	return resp, err
}
