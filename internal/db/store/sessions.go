package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/db"
	"holdfast/internal/db/internal/dbsqlc"
)

// idOf returns the id of a session, nil for none.
func idOf(s *claim.Session) *uuid.UUID {
	if s == nil {
		return nil
	}
	return &s.ID
}

// queueSession queues that a session takes what it opens with, and lasts until a time, nil for ever. If the session
// exists, its end moves to that time if this is later.
func queueSession(tx db.Transaction, s *claim.Session, until *time.Time) {
	if s.Opens() {
		insertClaims(tx, ownedBy(s.ID, until, s.Opening), nil, 1)
		return
	}
	db.Exec(unlocked.On(tx), "extend the session", func(q *dbsqlc.Queries) error {
		return q.SessionExtend(tx.Context(),
			dbsqlc.SessionExtendParams{TenantID: tx.Tenant(), SessionID: s.ID, ExpiresAt: until})
	})
}

// queueSessions queues the sessions of bookings, each once. One that a booking opens comes before those that join it.
func queueSessions(tx db.Transaction, list []NewBooking) {
	lasts := make(map[uuid.UUID]*time.Time) // until when each session lasts by the bookings of the list; nil for ever
	for _, n := range list {
		if n.Session == nil {
			continue
		}
		until, seen := lasts[n.Session.ID]
		if !seen || n.HoldExpiresAt == nil || until != nil && until.Before(*n.HoldExpiresAt) {
			lasts[n.Session.ID] = n.HoldExpiresAt
		}
	}
	for _, n := range list {
		if n.Session == nil {
			continue
		}
		if until, waits := lasts[n.Session.ID]; waits {
			queueSession(tx, n.Session, until)
			delete(lasts, n.Session.ID)
		}
	}
}

// SessionBookings returns the bookings that have seats of a session; none for an id that isn't a session's.
func (s *Store) SessionBookings(ctx context.Context, tenant, session uuid.UUID) (bookings []uuid.UUID, err error) {
	err = s.DB().Read(ctx, "read the bookings of a session", tenant, func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "read the bookings of a session", &bookings, func(q *dbsqlc.Queries) ([]uuid.UUID, error) {
			return q.SessionBookings(tx.Context(), tx.Tenant(), &session)
		})
	})
	return bookings, err
}
