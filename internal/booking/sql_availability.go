package booking

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/booking/internal/rowsql"
	"holdfast/internal/claim"
	"holdfast/internal/db"
)

// readViews reads what occupies a tenant's resources, without a lock: what it shows may be taken a moment later. It
// returns a view for each query, at least one, in one round trip. Of each resource it reads at most maxBookings, those
// that begin first, and once, for the time from the first query's beginning to the last one's end. except is a booking
// that is left out; nil leaves none out.
func readViews(ctx context.Context, d *db.DB, tenant uuid.UUID, except *uuid.UUID, maxBookings int,
	queries ...claim.ViewQuery,
) ([]claim.View, error) {
	views := make([]claim.View, len(queries))
	all, position := union(queries)
	var row rowsql.AvailabilityViewRow
	var sessions []rowsql.SessionListRow
	err := d.ReadMaybeStale(ctx, "read what is occupied", tenant, func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "read what is occupied", &row, func(q *rowsql.Queries) (rowsql.AvailabilityViewRow,
			error) {
			return q.AvailabilityView(tx.Context(), rowsql.AvailabilityViewParams{
				TenantID:      tx.Tenant(),
				ResourceIds:   all.Resources,
				BegunFrom:     all.From.Add(-all.Longest),
				BusyFrom:      all.From,
				BusyUntil:     all.Until,
				RowLimit:      int32(maxBookings),
				ExceptBooking: except,
			})
		})
		for i, q := range queries {
			if q.CountService != nil {
				queueCounts(tx, *q.CountService, q.FirstDate, q.LastDate, except, &views[i].Counts)
			}
		}
		if len(all.SessionsOf) > 0 {
			db.Query(unlocked.On(tx), "read the sessions", &sessions, func(q *rowsql.Queries) ([]rowsql.SessionListRow,
				error) {
				return q.SessionList(tx.Context(), rowsql.SessionListParams{
					TenantID:      tx.Tenant(),
					ResourceIds:   all.SessionsOf,
					BegunFrom:     all.From.Add(-all.Longest),
					BusyFrom:      all.From,
					BusyUntil:     all.Until,
					RowLimit:      int32(maxBookings),
					ExceptBooking: except,
				})
			})
		}
	})
	busy := busyByResource(row, len(all.Resources))
	seats := db.Convert(sessions, func(s rowsql.SessionListRow) claim.SessionSeats {
		return claim.SessionSeats{
			ID: s.SessionID, From: s.BusyFrom.Unix(), Until: s.BusyUntil.Unix(), FurtherIDs: s.ResourceIds,
			SeatsInUse: int(s.Taken),
		}
	})
	for i, q := range queries {
		view := &views[i]
		view.Now, view.CatalogVersion = row.Now, row.CatalogVersion
		for _, id := range q.Resources {
			view.Busy = append(view.Busy, busy[position[id]])
		}
		if len(q.SessionsOf) > 0 {
			view.Sessions = seats
		}
	}
	return views, err
}

// union returns one query for the resources and times of all, and the position of each resource in it.
func union(queries []claim.ViewQuery) (all claim.ViewQuery, position map[uuid.UUID]int) {
	all, position = queries[0], make(map[uuid.UUID]int)
	all.Resources, all.SessionsOf = nil, nil
	sessionsOf := make(map[uuid.UUID]int)
	for _, q := range queries {
		all.Resources = appendNew(all.Resources, q.Resources, position)
		all.SessionsOf = appendNew(all.SessionsOf, q.SessionsOf, sessionsOf)
		if q.From.Before(all.From) {
			all.From = q.From
		}
		if q.Until.After(all.Until) {
			all.Until = q.Until
		}
		all.Longest = max(all.Longest, q.Longest)
	}
	return all, position
}

// appendNew appends the ids that have no position yet, and gives them theirs.
func appendNew(list, ids []uuid.UUID, position map[uuid.UUID]int) []uuid.UUID {
	for _, id := range ids {
		if _, ok := position[id]; !ok {
			position[id] = len(list)
			list = append(list, id)
		}
	}
	return list
}

// busyByResource returns what occupies each of n resources, in the order of From.
func busyByResource(row rowsql.AvailabilityViewRow, n int) [][]claim.Busy {
	counts := make([]int, n)
	for _, number := range row.Resources {
		counts[number-1]++
	}
	of, all := make([][]claim.Busy, n), make([]claim.Busy, len(row.Resources))
	for i, count := range counts {
		of[i], all = all[:0:count], all[count:]
	}
	for i, number := range row.Resources {
		of[number-1] = append(of[number-1], claim.Busy{
			From: row.BusyFrom[i].Unix(), Until: row.BusyUntil[i].Unix(),
			Units: claim.UnitRange{From: row.UnitsFrom[i], Until: row.UnitsUntil[i]},
		})
	}
	for _, busy := range of {
		slices.SortFunc(busy, func(a, b claim.Busy) int { return cmp.Compare(a.From, b.From) })
	}
	return of
}
