package httpapi

import (
	"context"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"cloud.google.com/go/civil"
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/datetime"
	"holdfast/internal/httpapi/paging"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// availabilityBuffer is after how many bytes a page is written on. A day is written at once.
const availabilityBuffer = 64 << 10

// availabilityBody is what is free on the dates asked for, a page at a time. It describes what writeAvailability
// writes.
type availabilityBody struct {
	Data       []timetable.DayBody `json:"data" nullable:"false" doc:"In order of the dates. A date with more slots than fit on a page is continued on the next one."`
	NextCursor *string             `json:"next_cursor,omitempty" doc:"Give it as cursor, with the same other parameters, to get the next page; absent on the last one."`
}

// AvailabilityInput is what both routes of availability take. It is exported because huma sees embedded structs only if
// they are.
type AvailabilityInput struct {
	paging.CursorInput
	From      string `query:"from" required:"true" format:"date" example:"2027-07-01" doc:"First date."`
	PartySize int    `query:"party_size" minimum:"1" maximum:"1000" default:"1"`
	Prices    bool   `query:"prices" doc:"true: what the party would pay is told too. Not of services with unit types: their prices are asked by POST /v1/quotes."`
	Slots     bool   `query:"slots" default:"true" doc:"false leaves out the slots, which makes the answer small."`
	Except    string `query:"except_booking" format:"uuid" doc:"A booking that is to move: what it occupies counts as free. An id that isn't a booking changes nothing. It needs the scope read too."`

	IfNoneMatch string `header:"If-None-Match" maxLength:"1000" doc:"The answer is 304, without a body, while it would have this ETag." example:"W/\"1f0c\""`
}

type availabilityInput struct {
	IDInput
	AvailabilityInput
	To      string `query:"to" required:"true" format:"date" example:"2027-07-07" doc:"Last date; at most 366 dates in all."`
	Nights  int    `query:"nights" minimum:"1" maximum:"61" doc:"Of a stay: how many nights are wanted; if absent, the fewest that are sold from each date."`
	Minutes int    `query:"duration_minutes" minimum:"1" maximum:"10080" doc:"Of a slot service that sells several durations: how long a slot is wanted; the shortest if absent."`
	Days    int    `query:"duration_days" minimum:"1" maximum:"7" doc:"In place of duration_minutes."`
}

// Resolve takes every line of If-None-Match.
func (in *AvailabilityInput) Resolve(ctx huma.Context) []error {
	in.IfNoneMatch = strings.Join(humagin.Unwrap(ctx).Request.Header.Values("If-None-Match"), ",")
	return nil
}

// noneMatch reports whether the header If-None-Match asks for a response with this ETag (RFC 9110, section 13.1.2).
func (in *AvailabilityInput) noneMatch(etag string) bool {
	for tag := range strings.SplitSeq(in.IfNoneMatch, ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || strings.TrimPrefix(tag, "W/") == strings.TrimPrefix(etag, "W/") {
			return false
		}
	}
	return true
}

func (in *availabilityInput) query() (q timetable.AvailabilityQuery, err error) {
	if q, err = in.queryUntil(in.To); err != nil {
		return q, err
	}
	for _, given := range []struct {
		n  *int
		to **int
	}{{&in.Nights, &q.Nights}, {&in.Minutes, &q.DurationMinutes}, {&in.Days, &q.DurationDays}} {
		if *given.n != 0 {
			*given.to = given.n
		}
	}
	parts, err := in.Parts(3)
	if err == nil && parts != nil {
		q.After, err = parsePosition(parts)
	}
	return q, err
}

// check returns problem.Forbidden for a key that may not ask about a booking.
func (in *AvailabilityInput) check(t tenant.Tenant) error {
	if in.Except == "" {
		return nil
	}
	return t.Scopes.RequireFor("except_booking", scopeOfMove)
}

// queryUntil returns what is asked for up to a date, but for what only one of the routes takes.
func (in *AvailabilityInput) queryUntil(to string) (q timetable.AvailabilityQuery, err error) {
	q.PartySize, q.DaysOnly, q.Prices = in.PartySize, !in.Slots, in.Prices
	if q.ExceptBooking, err = schema.ParseOptionalID("except_booking", in.Except); err != nil {
		return q, err
	}
	if q.From, err = datetime.ParseDate("from", in.From); err != nil {
		return q, err
	}
	q.To, err = datetime.ParseDate("to", to)
	return q, err
}

// parsePosition reads the parts of a cursor that availabilityCursor made.
func parsePosition(parts []string) (*timetable.AvailabilityPosition, error) {
	at := new(timetable.AvailabilityPosition)
	var err error
	if at.Date, err = civil.ParseDate(parts[0]); err != nil {
		return nil, paging.BadCursor()
	}
	for i, of := range []*time.Time{&at.SlotStart, &at.SlotEnd} {
		if parts[1+i] == "" {
			continue
		}
		if *of, err = time.Parse(time.RFC3339, parts[1+i]); err != nil {
			return nil, paging.BadCursor()
		}
	}
	return at, nil
}

// availabilityCursor returns the parts of a cursor within a service.
func availabilityCursor(at timetable.AvailabilityPosition) string {
	cursor := at.Date.String()
	for _, of := range []time.Time{at.SlotStart, at.SlotEnd} {
		cursor += "|"
		if !of.IsZero() {
			cursor += of.UTC().Format(time.RFC3339)
		}
	}
	return cursor
}

func (a *API) routeAvailability(path, tag string) {
	register(a, route{
		op:         booking.OpGetAvailability,
		method:     http.MethodGet,
		path:       path,
		tag:        tag,
		cost:       costOfAvailability,
		errors:     []int{404, 422},
		validator:  true,
		mayBeStale: true,
		summary:    "See what is free",
		description: "It takes no lock: what is free here may be taken a moment later, and only a booking decides. " +
			"A page has up to 36,000 slots, each counted once and once more for each resource that has a slot then; next_cursor " +
			"continues it. " +
			"Pages are as of different moments.",
		response: jsonResponse[availabilityBody](a, http.StatusOK),
	}, func(ctx context.Context, in *availabilityInput) (*huma.StreamResponse, error) {
		if err := in.check(callOf(ctx).tenant); err != nil {
			return nil, err
		}
		q, err := in.query()
		if err != nil {
			return nil, err
		}
		q.Limited = callOf(ctx).tenant.Scopes.Publishable()
		page, err := a.Bookings.Availability(ctx, callOf(ctx).tenant, in.ID, q)
		if err != nil {
			return nil, err
		}
		return a.availabilityResponse(&in.AvailabilityInput, page, false), nil
	})
}

// availabilityPage is a page of a service or of several.
type availabilityPage interface {
	Days() iter.Seq[timetable.Day]
	Next() *timetable.AvailabilityPosition
	Fingerprint() string
}

func (a *API) availabilityResponse(in *AvailabilityInput, page availabilityPage, byService bool) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(c huma.Context) {
		// weak: the response may be compressed
		etag := `W/"` + a.huma.OpenAPI().Info.Version + "-" + page.Fingerprint() + `"`
		c.SetHeader("ETag", etag)
		c.AppendHeader("Vary", "Prefer") // stale
		// a client may keep it, and asks each time whether it has changed
		c.SetHeader("Cache-Control", "private, no-cache")
		if !in.noneMatch(etag) {
			c.SetStatus(http.StatusNotModified)
			return
		}
		c.SetHeader("Content-Type", "application/json")
		buffer, ok := a.buffers.Get().(*[]byte)
		if !ok {
			buffer = new(make([]byte, 0, 2*availabilityBuffer))
		}
		if err := writeAvailability(c.BodyWriter(), (*buffer)[:0], page, byService); err != nil {
			panic(err) // as huma does; edge.Recover says why
		}
		a.buffers.Put(buffer)
	}}
}

// writeAvailability writes a page while it is computed, a day at a time: its days never stand in memory together.
// byService groups the days by their service. What is to be written stands in b meanwhile.
func writeAvailability(w io.Writer, b []byte, page availabilityPage, byService bool) error {
	b = append(b, `{"data":[`...)
	first, service := true, uuid.Nil
	for day := range page.Days() {
		switch {
		case byService && day.ServiceID != service:
			if !first {
				b = append(b, "]},"...)
			}
			service = day.ServiceID
			b = append(append(append(append(b, `{"service_id":"`...), service.String()...), '"'), `,"data":[`...)
		case !first:
			b = append(b, ',')
		}
		first = false
		b = day.AppendJSON(b)
		if len(b) >= availabilityBuffer {
			if _, err := w.Write(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	if byService && !first {
		b = append(b, "]}"...)
	}
	b = append(b, ']')
	if next := page.Next(); next != nil {
		cursor := availabilityCursor(*next)
		if byService {
			cursor = next.ServiceID.String() + "|" + cursor
		}
		b = append(b, `,"next_cursor":"`+*paging.NextCursor(cursor)+`"`...)
	}
	_, err := w.Write(append(b, "}\n"...))
	return err
}
