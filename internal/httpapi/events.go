package httpapi

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"holdfast/internal/change"
	"holdfast/internal/httpapi/eventstream"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/payment"
)

// eventPageBody is a page of the feed.
type eventPageBody struct {
	Data       []change.EventBody `json:"data" nullable:"false" doc:"In the order of the feed."`
	NextCursor string             `json:"next_cursor" doc:"Always there, also on an empty page: keep it, and give it as after to read on, at once or later."`
	HasMore    bool               `json:"has_more" doc:"There may be more events already."`
}

type listEventsInput struct {
	FeedInput
	Subject string `query:"subject" format:"uuid" doc:"Only events of the booking or customer with this id."`
}

// query returns what is asked for. A stream goes on after the last event that its client received.
func (in *FeedInput) query(changes *change.Service, stream bool) (q change.Query, err error) {
	q.After, q.Limit = in.After, in.Limit
	if stream && in.LastEventID != "" {
		q.After = in.LastEventID
	}
	if in.Types != "" {
		q.Types, err = changes.ParseTypes("types", strings.Split(in.Types, ",")...)
	}
	return q, err
}

func (a *API) routeEvents() {
	const description = "What happened, in order: each change of a booking, of its money or of a customer is one event. No event is " +
		"missed and none comes " +
		"twice, also while changes are made. An event comes when every transaction that began to write before its own has ended; " +
		"normally that is at once. " +
		"The events of a subject come in the order of their sequence. A page always has a next_cursor. Events are kept for " +
		"HOLDFAST_CHANGE_RETENTION, 400 days by " +
		"default; an older cursor gets 410 cursor_expired.\n\nA request that prefers Accept: text/event-stream to JSON gets a stream of " +
		"server-sent " +
		"events, which goes on with what happens from now on. Its lines are id, the cursor after the event; event, the type; data, the " +
		"event as in a page. Reconnect with " +
		"Last-Event-ID. The stream ends after an hour at the latest, when the server stops, and when the API key is revoked."
	register(a, route{
		op:          change.OpListEvents,
		method:      http.MethodGet,
		path:        "/v1/events",
		tag:         "Events",
		errors:      []int{http.StatusGone, http.StatusUnprocessableEntity},
		summary:     "Read what happened",
		description: description,
		response:    eventsResponse[eventPageBody](a),
	}, func(ctx context.Context, in *listEventsInput) (*huma.StreamResponse, error) {
		call := callOf(ctx)
		q, err := in.query(a.Changes, call.acceptsStream)
		if err == nil {
			q.Subject, err = schema.ParseOptionalID("subject", in.Subject)
		}
		if err != nil {
			return nil, err
		}
		if call.acceptsStream {
			call.stream, err = a.streams.Open(ctx, call.streamClient(), q, a.feedOf(call.tenant.ID))
			return &huma.StreamResponse{Body: func(huma.Context) {}}, err
		}
		found, err := a.Changes.Page(ctx, call.tenant.ID, q)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(c huma.Context) {
			writeEventPage(humagin.Unwrap(c), found,
				change.Event.Body)
		}}, nil
	})
	// What only events show.
	a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[payment.BookingWithPaymentBody](), true, "")
}

// eventsResponse describes both forms of the response.
func eventsResponse[P any](a *API) *huma.Response {
	r := jsonResponse[P](a, http.StatusOK)
	r.Content[eventstream.MediaType] = &huma.MediaType{
		Schema: &huma.Schema{Type: huma.TypeString,
			Description: "Server-sent events: id is the cursor after the event, event its type, data an Event."},
	}
	return r
}

// feedPageBody is a page of a feed whose events are shown as E.
type feedPageBody[E any] struct {
	Data       []E    `json:"data"`
	NextCursor string `json:"next_cursor"`
	HasMore    bool   `json:"has_more"`
}

func writeEventPage[E any](c *gin.Context, found change.Page, show func(change.Event) E) {
	body := feedPageBody[E]{Data: make([]E, 0, len(found.Events)), NextCursor: found.Next, HasMore: found.More}
	for _, e := range found.Events {
		body.Data = append(body.Data, show(e))
	}
	c.Header("Content-Type", "application/json")
	if err := huma.DefaultJSONFormat.Marshal(c.Writer, body); err != nil {
		panic(err) // as huma does; edge.Recover says why
	}
}
