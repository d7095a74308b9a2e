package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/httpapi/paging"
	"holdfast/internal/operation"
)

// conflictBody is a booking that doesn't fit, with the reasons.
type conflictBody struct {
	Booking   booking.BookingBody `json:"booking"`
	Conflicts []booking.Conflict  `json:"conflicts" nullable:"false" enum:"over_capacity,resource_archived,service_archived,outside_hours,closed,blocked,not_a_slot" doc:"Every reason."`
}

type conflictsInput struct {
	IDInput
	paging.Input
}

// registerConflicts adds the route that lists the bookings that don't fit a thing, which is called name. of puts its id
// into a query.
func (a *API) registerConflicts(path, tag, name string, of func(*booking.ConflictQuery, *uuid.UUID)) {
	r := conflictsOf(name, path+"/{id}", tag)
	r.errors = append(r.errors, http.StatusNotFound)
	register(a, r, func(ctx context.Context, in *conflictsInput) (*pageOutput[conflictBody], error) {
		var q booking.ConflictQuery
		of(&q, &in.ID)
		return a.listConflicts(ctx, in.Input, q)
	})
}

// conflictsOf is the route that lists the bookings that don't fit what is at a path.
func conflictsOf(name, path, tag string) route {
	return route{
		// A page looks at up to 1,000 bookings, however few it shows.
		op: operation.Operation{
			Name: "list-" + name + "-conflicts", Scope: operation.ScopeRead, Permits: operation.FullPage,
		},
		method:  http.MethodGet,
		path:    path + "/conflicts",
		tag:     tag,
		errors:  []int{422},
		summary: "List the bookings of a " + name + " that no longer fit",
		description: "The held and confirmed bookings that aren't over and that don't fit the resources, services, hours, closures " +
			"and blocks as they are now, " +
			"by date. The list is computed anew with each request. A page may be short, or empty, and still have a next_cursor.",
	}
}

func (a *API) listConflicts(ctx context.Context, in paging.Input, q booking.ConflictQuery,
) (*pageOutput[conflictBody], error) {
	var err error
	if q.AfterDate, q.AfterID, err = afterBooking(in.CursorInput); err != nil {
		return nil, err
	}
	q.Limit = in.Limit
	found, next, err := a.Bookings.Conflicts(ctx, callOf(ctx).tenant, q)
	if err != nil {
		return nil, err
	}
	p, size := paging.Page[conflictBody]{Data: []conflictBody{}}, 0
	for i := range found {
		p.Data = append(p.Data, conflictBody{Booking: found[i].Body(), Conflicts: found[i].Conflicts})
		if size += found[i].JSONSize(); size >= paging.MaxBytes && i < len(found)-1 {
			next = &found[i].Booking
			break
		}
	}
	if next != nil {
		p.NextCursor = paging.NextCursor(bookingCursor(*next))
	}
	return &pageOutput[conflictBody]{p}, nil
}
