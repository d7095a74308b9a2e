package httpapi

import (
	"context"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"holdfast/internal/datetime"
	"holdfast/internal/event"
	"holdfast/internal/httpapi/paging"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/idempotency"
	"holdfast/internal/message"
)

type scheduledEventOutput struct {
	ETag string `header:"ETag"`
	Body event.ScheduledEventDetailsBody
}

// scheduledEventPage is a page of the list.
type scheduledEventPage struct {
	Data       []event.ScheduledEventBody `json:"data" nullable:"false"`
	NextCursor *string                    `json:"next_cursor,omitempty" doc:"Give it as cursor to get the next page; absent on the last one."`
	Upcoming   []message.Upcoming         `json:"upcoming,omitempty" nullable:"false" doc:"With subject, on the first page: messages about a booking or a customer that will be planned when they are near, as far as nothing changes until then. They have no id yet, and can't be cancelled."`
}

type listScheduledEventsInput struct {
	paging.Input
	Kind      eventKind    `query:"kind" example:"booking.reminder"`
	Status    event.Status `query:"status"`
	Subject   string       `query:"subject" format:"uuid" doc:"The id of a booking, a customer, a payment or another thing that events are about."`
	DueBefore string       `query:"due_before" maxLength:"40" format:"date-time" example:"2027-07-01T00:00:00Z" doc:"RFC 3339 with an offset; events that are due at it are left out."`
}

// eventKind is the name of a kind of scheduled events.
type eventKind string

// Schema returns the schema.
func (eventKind) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, kind := range event.Kinds() {
		s.Enum = append(s.Enum, kind)
	}
	s.PrecomputeMessages()
	return s
}

func (a *API) routeScheduledEvents() {
	const path, tag = "/v1/scheduled-events", "Scheduled events"

	register(a, route{
		op:      event.OpListScheduledEvents,
		method:  http.MethodGet,
		path:    path,
		tag:     tag,
		errors:  []int{422},
		summary: "List what happens at a time",
		description: "In the order in which events are due; the events of one subject in the order of their kinds. Filters combine. A " +
			"page of a " +
			"filtered list can be short, or empty, although more follows: next_cursor tells. Messages are planned 48 hours ahead; " +
			"with subject, the list also says which will follow.",
	}, a.listScheduledEvents)

	a.currents[path+"/{id}"] = func(ctx context.Context, id uuid.UUID) (string, any, error) {
		e, attempts, err := a.ScheduledEvents.Get(ctx, callOf(ctx).tenant.ID, id)
		return e.ETag(), e.DetailsBody(attempts), err
	}
	register(a, route{
		op: event.OpGetScheduledEvent, method: http.MethodGet, path: path + "/{id}", tag: tag, errors: []int{404},
		summary: "Read a scheduled event with its newest attempts",
	}, func(ctx context.Context, in *IDInput) (*scheduledEventOutput, error) {
		e, attempts, err := a.ScheduledEvents.Get(ctx, callOf(ctx).tenant.ID, in.ID)
		if err != nil {
			return nil, err
		}
		return &scheduledEventOutput{ETag: e.ETag(), Body: e.DetailsBody(attempts)}, nil
	})

	registerIdempotent[event.ScheduledEventBody](a, route{
		op:      event.OpCancelScheduledEvent,
		method:  http.MethodPost,
		path:    path + "/{id}/cancel",
		tag:     tag,
		noBody:  true,
		status:  http.StatusOK,
		errors:  []int{404, 412},
		summary: "Cancel a scheduled event",
		description: "An event that is pending, processing, failed or dead. The worker of an event that is processing can't record a " +
			"result " +
			"any more, but may have acted. It isn't planned again. Events of the kinds booking.hold_expiry, payment.resolution, " +
			"payment.ended_booking, " +
			"wallet.credit_expiry, message.plan and message.plan_ahead can't be cancelled: without them a hold, " +
			"a payment or expired credit would never end, or messages would not be planned.",
	}, func(ctx context.Context, in *changeInput) (idempotency.Outcome, error) {
		return a.ScheduledEvents.Cancel(ctx, callOf(ctx).tenant.ID, callOf(ctx).idempotency, in.ID, in.IfMatch)
	})

	registerIdempotent[event.ScheduledEventBody](a, route{
		op:      event.OpReplayScheduledEvent,
		method:  http.MethodPost,
		path:    path + "/{id}/replay",
		tag:     tag,
		noBody:  true,
		status:  http.StatusOK,
		errors:  []int{404, 412},
		summary: "Do a scheduled event again, now",
		description: "An event that is dead, cancelled, completed or failed becomes pending, is due now, and has all of its attempts " +
			"again, but not a greeting that is completed: nobody is greeted twice in a year. When " +
			"it no longer makes sense, such as a reminder of a cancelled booking, it is cancelled again and last_error says why.",
	}, func(ctx context.Context, in *changeInput) (idempotency.Outcome, error) {
		return a.ScheduledEvents.Replay(ctx, callOf(ctx).tenant.ID, callOf(ctx).idempotency, in.ID, in.IfMatch)
	})
}

func (in *listScheduledEventsInput) filter() (f event.Filter, err error) {
	f.Limit = in.Limit
	if in.Kind != "" {
		f.Kind = (*string)(&in.Kind)
	}
	if in.Status != "" {
		f.Status = &in.Status
	}
	if f.Subject, err = schema.ParseOptionalID("subject", in.Subject); err != nil {
		return f, err
	}
	if in.DueBefore != "" {
		due, err := datetime.ParseTime("due_before", in.DueBefore)
		if err != nil {
			return f, err
		}
		f.DueBefore = &due
	}
	parts, err := in.Parts(2)
	if err != nil || parts == nil {
		return f, err
	}
	position, ok := positionOf(parts[0], parts[1], f.Subject != nil)
	if !ok {
		return f, paging.BadCursor()
	}
	f.After = &position
	return f, nil
}

// positionOf reads the parts of a cursor: of a list of one subject a kind and an occurrence, of other lists
// microseconds and an id.
func positionOf(first, second string, ofSubject bool) (p event.Position, ok bool) {
	if ofSubject {
		occurrence, err := base64.RawURLEncoding.DecodeString(second)
		p.Kind, p.Occurrence = first, string(occurrence)
		text := first + p.Occurrence
		return p, err == nil && utf8.ValidString(text) && !strings.ContainsRune(text, 0)
	}
	micros, err := strconv.ParseInt(first, 10, 64)
	p.DueAt = time.UnixMicro(micros).UTC()
	if err != nil || p.DueAt.Year() < 1 || p.DueAt.Year() > 9999 {
		return p, false
	}
	p.ID, ok = schema.ParseID(second)
	return p, ok
}

func cursorOf(p event.Position, ofSubject bool) *string {
	if ofSubject {
		return paging.NextCursor(p.Kind + "|" + base64.RawURLEncoding.EncodeToString([]byte(p.Occurrence)))
	}
	return paging.NextCursor(strconv.FormatInt(p.DueAt.UnixMicro(), 10) + "|" + p.ID.String())
}

func (a *API) listScheduledEvents(ctx context.Context, in *listScheduledEventsInput,
) (*output[scheduledEventPage], error) {
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	list, next, err := a.ScheduledEvents.List(ctx, callOf(ctx).tenant.ID, f)
	if err != nil {
		return nil, err
	}
	p := scheduledEventPage{Data: make([]event.ScheduledEventBody, len(list))}
	for i, e := range list {
		p.Data[i] = e.Body()
	}
	if next != nil {
		p.NextCursor = cursorOf(*next, f.Subject != nil)
	}
	if f.Subject != nil && f.After == nil && (f.Status == nil || *f.Status == event.Pending) {
		if p.Upcoming, err = a.upcoming(ctx, f); err != nil {
			return nil, err
		}
	}
	return &output[scheduledEventPage]{p}, nil
}

// upcoming returns the messages that will be planned and pass a filter, which has a subject.
func (a *API) upcoming(ctx context.Context, f event.Filter) ([]message.Upcoming, error) {
	list, err := a.Messages.Upcoming(ctx, callOf(ctx).tenant.ID, *f.Subject)
	return slices.DeleteFunc(list, func(u message.Upcoming) bool {
		return f.Kind != nil && u.Kind != *f.Kind || f.DueBefore != nil && !u.DueAt.Before(*f.DueBefore)
	}), err
}
