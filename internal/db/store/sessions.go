package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/db/internal/core"
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
func queueSession(t *core.Tx, s *claim.Session, until *time.Time) {
	if s.Opens() {
		insertClaims(t, ownedBy(s.ID, until, s.Opening), nil, 1)
		return
	}
	core.Exec(t, "extend the session", func(q *dbsqlc.Queries) error {
		return q.SessionExtend(t.Ctx, dbsqlc.SessionExtendParams{TenantID: t.Tenant, SessionID: s.ID, ExpiresAt: until})
	})
}

// queueSessions queues the sessions of bookings, each once. One that a booking opens comes before those that join it.
func queueSessions(t *core.Tx, list []NewBooking) {
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
			queueSession(t, n.Session, until)
			delete(lasts, n.Session.ID)
		}
	}
}

// SessionBookings returns the bookings that have seats of a session; none for an id that isn't a session's.
func (s *Store) SessionBookings(ctx context.Context, tenant, session uuid.UUID) (bookings []uuid.UUID, err error) {
	err = s.db.ReadOnly(ctx, "read the bookings of a session", tenant, func(t *core.Tx) {
		core.Query(t, "read the bookings of a session", &bookings, func(q *dbsqlc.Queries) ([]uuid.UUID, error) {
			return q.SessionBookings(t.Ctx, tenant, &session)
		})
	})
	return bookings, err
}
