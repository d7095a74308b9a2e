package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/store/internal/core"
	"holdfast/internal/store/internal/dbsqlc"
)

// AvailabilityView is what availability is computed from, as of Now; Counts are read a moment later.
type AvailabilityView struct {
	Now            time.Time
	CatalogVersion int64
	// Busy is what occupies each of the query's resources, in the order of From.
	Busy   [][]Busy
	Counts []DateCount
	// Sessions are those that have seats taken, in the order of their ids.
	Sessions []SessionSeats
}

// Busy is a time [From, Until), in Unix time in seconds, during which a booking occupies some units of a resource, its buffers
// included. Lapsed holds occupy nothing.
type Busy struct {
	From, Until int64
	Units       UnitRange
	resource    int // its index in the query
}

// ViewQuery says what a AvailabilityView is about: what occupies Resources during [From, Until), of each at most MaxBookings, those that
// begin first; and how many bookings CountService has on each date FirstDate to LastDate, both included. A nil CountService counts
// nothing. ExceptBooking is left out; nil leaves none out.
type ViewQuery struct {
	Resources           []uuid.UUID
	Longest             time.Duration // that one booking can occupy any of the resources
	From, Until         time.Time
	MaxBookings         int
	CountService        *uuid.UUID
	ExceptBooking       *uuid.UUID
	SessionsOf          []uuid.UUID // asks for the sessions of these resources
	FirstDate, LastDate civil.Date
}

// View reads what occupies a tenant's resources, without a lock: what it shows may be taken a moment later.
func (s *Store) View(ctx context.Context, tenant uuid.UUID, v ViewQuery) (AvailabilityView, error) {
	var row dbsqlc.AvailabilityViewRow
	var sessions []dbsqlc.SessionListRow
	view := AvailabilityView{Busy: make([][]Busy, len(v.Resources))}
	err := s.db.ReadOnly(ctx, "read what is occupied", tenant, func(t *core.Tx) {
		core.Query(t, "read what is occupied", &row, func(q *dbsqlc.Queries) (dbsqlc.AvailabilityViewRow, error) {
			return q.AvailabilityView(t.Ctx, dbsqlc.AvailabilityViewParams{
				TenantID: tenant, ResourceIds: v.Resources, BegunFrom: v.From.Add(-v.Longest), BusyFrom: v.From, BusyUntil: v.Until,
				RowLimit: int32(v.MaxBookings), ExceptBooking: v.ExceptBooking,
			})
		})
		if v.CountService != nil {
			queueCounts(t, *v.CountService, v.FirstDate, v.LastDate, v.ExceptBooking, &view.Counts)
		}
		if len(v.SessionsOf) > 0 {
			core.Query(t, "read the sessions", &sessions, func(q *dbsqlc.Queries) ([]dbsqlc.SessionListRow, error) {
				return q.SessionList(t.Ctx, dbsqlc.SessionListParams{
					TenantID: tenant, ResourceIds: v.SessionsOf, BegunFrom: v.From.Add(-v.Longest), BusyFrom: v.From, BusyUntil: v.Until,
					RowLimit: int32(v.MaxBookings), ExceptBooking: v.ExceptBooking,
				})
			})
		}
	})
	view.Now, view.CatalogVersion = row.Now, row.CatalogVersion
	for _, s := range sessions {
		view.Sessions = append(view.Sessions, SessionSeats{s.SessionID, s.BusyFrom.Unix(), s.BusyUntil.Unix(), s.ResourceIds, int(s.Taken)})
	}
	busy := make([]Busy, len(row.Resources))
	for i, number := range row.Resources {
		busy[i] = Busy{row.BusyFrom[i].Unix(), row.BusyUntil[i].Unix(), UnitRange{row.UnitsFrom[i], row.UnitsUntil[i]}, int(number - 1)}
	}
	slices.SortFunc(busy, func(a, b Busy) int { return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.From, b.From)) })
	for i := range view.Busy {
		n := 0
		for n < len(busy) && busy[n].resource == i {
			n++
		}
		view.Busy[i], busy = busy[:n], busy[n:]
	}
	return view, err
}
