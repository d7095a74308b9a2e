package httpapi

import (
	"context"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
)

type scheduledEventOutput struct {
	ETag string `header:"ETag"`
	Body event.ScheduledEventDetailsBody
}

type listScheduledEventsInput struct {
	PageInput
	Kind      eventKind `query:"kind" example:"booking.reminder"`
	Status    string    `query:"status" enum:"pending,processing,completed,failed,dead,cancelled"`
	Subject   string    `query:"subject" format:"uuid" doc:"The id of a booking, a customer, a payment or another thing that events are about."`
	DueBefore string    `query:"due_before" maxLength:"40" format:"date-time" example:"2027-07-01T00:00:00Z" doc:"RFC 3339 with an offset; events that are due at it are left out."`
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
		id: "list-scheduled-events", method: http.MethodGet, path: path, scope: tenant.ScopeRead, tag: tag, cost: costOfList, errors: []int{422},
		summary: "List what happens at a time",
		description: "In the order in which events are due; the events of one subject in the order of their kinds. Filters combine. A page of a " +
			"filtered list can be short, or empty, although more follows: next_cursor tells.",
	}, a.listScheduledEvents)

	a.currents[path+"/{id}"] = func(ctx context.Context, id uuid.UUID) (string, any, error) {
		e, attempts, err := a.ScheduledEvents.Get(ctx, callOf(ctx).tenant.ID, id)
		return e.ETag(), e.DetailsBody(attempts), err
	}
	register(a, route{
		id: "get-scheduled-event", method: http.MethodGet, path: path + "/{id}", scope: tenant.ScopeRead, tag: tag, errors: []int{404},
		summary: "Read a scheduled event with its newest attempts",
	}, func(ctx context.Context, in *IDInput) (*scheduledEventOutput, error) {
		e, attempts, err := a.ScheduledEvents.Get(ctx, callOf(ctx).tenant.ID, in.ID)
		if err != nil {
			return nil, err
		}
		return &scheduledEventOutput{ETag: e.ETag(), Body: e.DetailsBody(attempts)}, nil
	})

	registerIdempotent[event.ScheduledEventBody](a, route{
		id: "cancel-scheduled-event", method: http.MethodPost, path: path + "/{id}/cancel", scope: tenant.ScopeAdmin, tag: tag, noBody: true,
		status: http.StatusOK, errors: []int{404, 412}, summary: "Cancel a scheduled event",
		description: "An event that is pending, processing, failed or dead. The worker of an event that is processing can't record a result " +
			"any more, but may have acted. If it is a greeting, the next year's is planned. Events of the kinds booking.hold_expiry, payment.resolution, payment.ended_booking and " +
			"wallet.credit_expiry can't be cancelled: a hold, a payment or expired credit would never end.",
	}, func(ctx context.Context, in *changeInput) (idempotency.Response, error) {
		return a.ScheduledEvents.Cancel(ctx, callOf(ctx).tenant.ID, callOf(ctx).idempotency, in.ID, in.IfMatch)
	})

	registerIdempotent[event.ScheduledEventBody](a, route{
		id: "replay-scheduled-event", method: http.MethodPost, path: path + "/{id}/replay", scope: tenant.ScopeAdmin, tag: tag, noBody: true,
		status: http.StatusOK, errors: []int{404, 412}, summary: "Do a scheduled event again, now",
		description: "An event that is dead, cancelled, completed or failed becomes pending, is due now, and has all of its attempts again, but not a greeting that is completed: nobody is greeted twice in a year. When " +
			"it no longer makes sense, such as a reminder of a cancelled booking, it is cancelled again and last_error says why.",
	}, func(ctx context.Context, in *changeInput) (idempotency.Response, error) {
		return a.ScheduledEvents.Replay(ctx, callOf(ctx).tenant.ID, callOf(ctx).idempotency, in.ID, in.IfMatch)
	})
}

func (in *listScheduledEventsInput) filter() (f event.Filter, err error) {
	f.Limit = in.Limit
	if in.Kind != "" {
		f.Kind = (*string)(&in.Kind)
	}
	if in.Status != "" {
		f.Status = (*event.Status)(&in.Status)
	}
	if f.Subject, err = parseOptionalID("subject", in.Subject); err != nil {
		return f, err
	}
	if in.DueBefore != "" {
		due, err := booking.ParseTime("due_before", in.DueBefore)
		if err != nil {
			return f, err
		}
		f.DueBefore = &due
	}
	parts, err := in.after(2)
	if err != nil || parts == nil {
		return f, err
	}
	position, ok := positionOf(parts[0], parts[1], f.Subject != nil)
	if !ok {
		return f, badCursor()
	}
	f.After = &position
	return f, nil
}

// positionOf reads the parts of a cursor: of a list of one subject a kind and an occurrence, of other lists microseconds and an id.
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
	p.ID, ok = parseID(second)
	return p, ok
}

func cursorOf(p event.Position, ofSubject bool) *string {
	if ofSubject {
		return nextCursor(p.Kind + "|" + base64.RawURLEncoding.EncodeToString([]byte(p.Occurrence)))
	}
	return nextCursor(strconv.FormatInt(p.DueAt.UnixMicro(), 10) + "|" + p.ID.String())
}

func (a *API) listScheduledEvents(ctx context.Context, in *listScheduledEventsInput) (*output[page[event.ScheduledEventBody]], error) {
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	list, next, err := a.ScheduledEvents.List(ctx, callOf(ctx).tenant.ID, f)
	if err != nil {
		return nil, err
	}
	p := page[event.ScheduledEventBody]{Data: make([]event.ScheduledEventBody, len(list))}
	for i, e := range list {
		p.Data[i] = e.Body()
	}
	if next != nil {
		p.NextCursor = cursorOf(*next, f.Subject != nil)
	}
	return &output[page[event.ScheduledEventBody]]{p}, nil
}
