package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/google/uuid"

	"holdfast/internal/change"
	"holdfast/internal/httpapi/eventstream"
	"holdfast/internal/httpapi/schema"
)

// operatorEventPageBody is a page of the feed of all tenants.
type operatorEventPageBody struct {
	Data       []change.OperatorEventBody `json:"data" nullable:"false" doc:"In the order of the feed."`
	NextCursor string                     `json:"next_cursor" doc:"Always there, also on an empty page: keep it, and give it as after to read on, at once or later."`
	HasMore    bool                       `json:"has_more" doc:"There may be more events already."`
}

// FeedInput says which part of a feed is read. It is exported because huma sees embedded structs only if they are.
type FeedInput struct {
	After string `query:"after" maxLength:"100" doc:"next_cursor of the page before. Without it, the feed begins with the oldest event that is kept. latest is the end of the feed: the page is empty, and its next_cursor is where the next event will come."`
	Types string `query:"types" maxLength:"1000" doc:"Only events of these types, separated by commas: types, such as payment.succeeded, or beginnings of types, such as booking.*" example:"booking.*,payment.succeeded"`
	Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"How many at most. A page of large events, or of few that pass the filters, has fewer."`

	LastEventID string `header:"Last-Event-ID" maxLength:"100" doc:"For a stream: the id of the last event that was received. It counts instead of after."`
}

type listOperatorEventsInput struct {
	FeedInput
	TenantID string `query:"tenant_id" format:"uuid" doc:"Only events of this tenant."`
}

// feedOf returns the feed of a tenant.
func (a *API) feedOf(tenant uuid.UUID) eventstream.Feed {
	return eventstream.Feed{
		Page: func(ctx context.Context, q change.Query) (change.Page, error) { return a.Changes.Page(ctx, tenant, q) },
		Body: func(e change.Event) any { return e.Body() },
	}
}

// operatorFeed returns the operator's feed: of all tenants, or of one.
func (a *API) operatorFeed(tenant *uuid.UUID) eventstream.Feed {
	f := eventstream.Feed{Page: a.Changes.PageAcross, Body: func(e change.Event) any { return e.OperatorBody() }}
	if tenant != nil {
		f.Page = a.feedOf(*tenant).Page
	}
	return f
}

func (a *API) routeOperatorEvents() {
	register(a, route{
		op:      change.OpListEventsOfAllTenants,
		method:  http.MethodGet,
		path:    "/admin/v1/events",
		key:     adminKey,
		tag:     "Administration",
		errors:  []int{http.StatusGone, http.StatusUnprocessableEntity},
		summary: "Read what happened to all tenants",
		description: "The feed of all tenants in one order, with the same events, cursors and stream as a tenant's feed at /v1/events. A " +
			"cursor stays valid when a tenant is deleted: its events are no longer there.",
		response: eventsResponse[operatorEventPageBody](a),
	}, func(ctx context.Context, in *listOperatorEventsInput) (*huma.StreamResponse, error) {
		call := callOf(ctx)
		q, err := in.query(a.Changes, call.acceptsStream)
		if err != nil {
			return nil, err
		}
		tenant, err := schema.ParseOptionalID("tenant_id", in.TenantID)
		if err != nil {
			return nil, err
		}
		feed := a.operatorFeed(tenant)
		if call.acceptsStream {
			call.stream, err = a.streams.Open(ctx, call.streamClient(), q, feed)
			return &huma.StreamResponse{Body: func(huma.Context) {}}, err
		}
		found, err := feed.Page(ctx, q)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(c huma.Context) {
			writeEventPage(humagin.Unwrap(c), found, change.Event.OperatorBody)
		}}, nil
	})
}
