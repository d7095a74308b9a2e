package booking

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/claim/occupancy"
	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/problem"
)

// HoldExpiry returns the kind of event that marks a hold as expired when it ends. Without it, a hold whose time nobody
// books would never be refunded.
func (s *Service) HoldExpiry() event.Kind {
	return event.Kind{Name: event.KindHoldExpiry, Handle: event.Flow[Booking]{
		Load:   s.load,
		Checks: []event.Check[Booking]{stillHeld},
		Act: func(ctx context.Context, e event.Event, b Booking) (event.Result, error) {
			lasts, err := s.expireHold(ctx, e.TenantID, b)
			switch {
			case errors.Is(err, errMoved):
				return event.Again(e.LeasedAt), nil // at once, with the booking as it is then
			case err != nil || lasts == nil:
				return event.Done(), err
			}
			return event.Again(*lasts), nil
		},
	}.Handle}
}

// load returns the booking that an event is about.
func (s *Service) load(ctx context.Context, e event.Event) (Booking, error) {
	return s.byID(ctx, e.TenantID, e.Subject.ID)
}

func stillHeld(_ event.Event, b Booking) string {
	if b.Status != Held {
		return "The booking is " + string(b.Status) + "."
	}
	return ""
}

// planHoldExpiry returns the event that ends a hold.
func planHoldExpiry(b Booking) db.NewEvent {
	return event.New(event.KindHoldExpiry, b.Subject(), "", *b.HoldExpiresAt, b.Location)
}

// expireHold marks a hold as expired under the date locks of its dates, and has what was paid on it refunded. It
// returns until when the hold lasts if it isn't over by the database's clock; a booking that isn't held any more stays
// as it is.
//
// Errors: errMoved if it isn't at its time any more; those of Service.dates.
func (s *Service) expireHold(ctx context.Context, tenant uuid.UUID, hold Booking) (lasts *time.Time, err error) {
	err = s.lockAndDecide(ctx, tenant, nil, hold, nil, reads{}, func(tx *datesTx, st state, b Booking) error {
		lasts = nil
		switch {
		case b.Status != Held:
			return nil
		case !b.State().Lapsed(st.Now):
			lasts = b.HoldExpiresAt
			return nil
		}
		queueStatus(tx.DatesTx, b.ID, b.storedVersion, Expired)
		occupancy.Free(tx.DatesTx, b.ID)
		queueEndOfPayments(tx.DatesTx, b.ID, true, true)
		b.become(Expired, st.Now)
		resp, err := b.changed()
		if err != nil {
			return err
		}
		tx.AddChange(b.Record("booking.expired", resp.Body))
		return nil
	})
	return lasts, err
}

// holdsInTheWay are holds past their expiry that stand in a booking's way, and sessions that have no other bookings.
// The holds must be marked as expired first.
type holdsInTheWay []uuid.UUID

func (holdsInTheWay) Error() string { return "booking: holds past their expiry stand in the way" }

// expireAll marks holds that stand in a booking's way as expired. Their histories have no actor: a hold ends by itself.
func (s *Service) expireAll(ctx context.Context, tenant uuid.UUID, holds holdsInTheWay) error {
	ctx = db.WithActor(ctx, db.Actor{})
	for _, id := range holds {
		hold, err := s.byID(ctx, tenant, id)
		switch {
		case err != nil && problem.CodeOf(err) == problem.NotFound:
			err = s.expireSession(ctx, tenant, id)
		case err == nil:
			_, err = s.expireHold(ctx, tenant, hold)
		}
		if err != nil && !errors.Is(err, errMoved) {
			return err
		}
	}
	return nil
}

// expireSession is expireAll for the holds of a session that has no other bookings.
func (s *Service) expireSession(ctx context.Context, tenant, session uuid.UUID) error {
	holds, err := readSession(ctx, s.db, tenant, session)
	if err != nil || len(holds) == 0 { // it ended meanwhile
		return err
	}
	return s.expireAll(ctx, tenant, holds)
}
