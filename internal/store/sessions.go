package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/core"
	"holdfast/internal/store/internal/dbsqlc"
)

// Session is one start of a service on one resource, which several bookings share. It claims all units of the resource for as long as a
// booking has seats of it.
type Session struct {
	ID uuid.UUID
	// Opening is what the session takes if nobody is in it yet, without owner and end; empty for a session that exists.
	Opening []Claim
}

// Opens reports whether nobody is in the session yet.
func (s *Session) Opens() bool { return s != nil && len(s.Opening) > 0 }

// id returns the id of a session, nil for none.
func (s *Session) id() *uuid.UUID {
	if s == nil {
		return nil
	}
	return &s.ID
}

// SessionSeats is how many seats of a session are taken, and when it occupies its resource, in Unix time in seconds. FurtherIDs are the
// resources that it has besides.
type SessionSeats struct {
	ID          uuid.UUID
	From, Until int64
	FurtherIDs  []uuid.UUID
	SeatsInUse  int
}

// queue queues that a session takes what it opens with, and lasts until a time, nil for ever. If the session exists, its end moves to that
// time if this is later.
func (s *Session) queue(t *core.Tx, until *time.Time) {
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
			n.Session.queue(t, until)
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
