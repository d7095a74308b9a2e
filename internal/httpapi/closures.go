package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
)

// newClosureBody asks for a closure.
type newClosureBody struct {
	ResourceID *uuid.UUID `json:"resource_id,omitempty" format:"uuid" doc:"Without it, all of the tenant's resources close."`
	From       string     `json:"from" format:"date" example:"2027-12-24" doc:"First closed date."`
	To         string     `json:"to" format:"date" example:"2027-12-26" doc:"Last closed date; at most 62 dates in all."`
	Reason     string     `json:"reason,omitempty" maxLength:"500" example:"Winter maintenance"`
}

// changedClosureBody changes a closure. What is absent stays.
type changedClosureBody struct {
	ResourceID   *uuid.UUID `json:"resource_id,omitempty" format:"uuid"`
	AllResources bool       `json:"all_resources,omitempty" doc:"true: all of the tenant's resources close. Either this or resource_id."`
	From         *string    `json:"from,omitempty" format:"date" example:"2027-12-24"`
	To           *string    `json:"to,omitempty" format:"date" example:"2027-12-26" doc:"At most 62 dates, those before the change included."`
	Reason       *string    `json:"reason,omitempty" maxLength:"500" example:"Winter maintenance"`
}

func (b changedClosureBody) change() (c booking.ClosureChange, err error) {
	c = booking.ClosureChange{ResourceID: b.ResourceID, AllResources: b.AllResources, Reason: b.Reason}
	if b.From != nil {
		if c.From, err = parseOptionalDate("from", *b.From); err != nil {
			return c, err
		}
	}
	if b.To != nil {
		c.To, err = parseOptionalDate("to", *b.To)
	}
	return c, err
}

type changeClosureInput struct {
	IDInput
	IfMatchInput
	Body changedClosureBody
}

func (a *API) routeClosures() {
	const path, tag = "/v1/closures", "Closures"

	registerIdempotent[booking.ClosureBody](a, route{
		id: "create-closure", method: http.MethodPost, path: path, scope: tenant.ScopeAdmin, tag: tag, status: http.StatusCreated, errors: []int{404},
		summary: "Close dates", description: "Bookings that were made before stay.",
	}, func(ctx context.Context, in *struct{ Body newClosureBody }) (response idempotency.Response, err error) {
		c := booking.Closure{ResourceID: in.Body.ResourceID, Reason: in.Body.Reason}
		if c.From, err = booking.ParseDate("from", in.Body.From); err != nil {
			return response, err
		}
		if c.To, err = booking.ParseDate("to", in.Body.To); err != nil {
			return response, err
		}
		return a.Bookings.CreateClosure(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, c)
	})

	registerGetVersioned(a, route{id: "get-closure", path: path + "/{id}", tag: tag, summary: "Read a closure"}, a.Bookings.Closure)

	register(a, route{
		id: "list-closures", method: http.MethodGet, path: path, scope: tenant.ScopeRead, tag: tag, cost: costOfList, errors: []int{422}, summary: "List closures",
	}, a.listClosures)

	register(a, route{
		id: "change-closure", method: http.MethodPatch, path: path + "/{id}", scope: tenant.ScopeAdmin, tag: tag, errors: []int{404, 412}, summary: "Change a closure",
		description: "What isn't given stays as it is. Bookings that were made before stay. A change to what is already so keeps the version.",
	}, func(ctx context.Context, in *changeClosureInput) (*versioned[booking.ClosureBody], error) {
		c, err := in.Body.change()
		if err != nil {
			return nil, err
		}
		return versionedOf(a.Bookings.ChangeClosure(ctx, callOf(ctx).tenant, in.ID, c, booking.Precondition(in.IfMatch)))
	})

	registerUnconditionalArchive[booking.ClosureBody](a, path, tag, "closure", route{
		summary: "Open closed dates again", scope: tenant.ScopeAdmin, errors: []int{404, 412},
		description: "The closure closes nothing any more, and is in no list without archived=true.",
	}, route{
		summary: "Close the dates of an archived closure again", scope: tenant.ScopeAdmin, errors: []int{404, 412},
		description: "Bookings that were made before stay.",
	}, a.Bookings.ArchiveClosure)
}

type listClosuresInput struct {
	PageInput
	ArchivedInput
}

func (a *API) listClosures(ctx context.Context, in *listClosuresInput) (*output[page[booking.ClosureBody]], error) {
	after, err := in.afterID()
	if err != nil {
		return nil, err
	}
	id := func(c booking.Closure) uuid.UUID { return c.ID }
	rows, n, err := readPage(in.Limit, sizeOfClosure, func(last *booking.Closure, limit int) ([]booking.Closure, error) {
		if last != nil {
			after = id(*last)
		}
		return a.Bookings.Closures(ctx, callOf(ctx).tenant, booking.ListQuery{Archived: in.Archived, After: after, Limit: limit})
	})
	if err != nil {
		return nil, err
	}
	return &output[page[booking.ClosureBody]]{pageOf(rows, n, booking.Closure.Body, func(c booking.Closure) string { return c.ID.String() })}, nil
}
