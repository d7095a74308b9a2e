package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"cloud.google.com/go/civil"
	"github.com/danielgtaylor/huma/v2"

	"holdfast/internal/booking"
)

// dayBody is what is free on one date.
type dayBody struct {
	Date      string         `json:"date" format:"date" example:"2027-07-01"`
	Available bool           `json:"available" doc:"Whether the party can be booked on the date."`
	Remaining int            `json:"remaining" doc:"For a date service the units that are free; for a slot service the slots that can still take the party. It counts the whole date, also where the date is continued on another page."`
	Slots     []booking.Slot `json:"slots" nullable:"false" doc:"The slots of the date, taken ones included; empty for a date service and with slots=false."`
}

// availabilityBody is what is free on the dates asked for, a page at a time. It describes what writeAvailability writes.
type availabilityBody struct {
	Data       []dayBody `json:"data" nullable:"false" doc:"In order of the dates. A date with more slots than fit on a page is continued on the next one."`
	NextCursor *string   `json:"next_cursor,omitempty" doc:"Give it as cursor, with the same from, to, party_size and slots, to get the next page; absent on the last one."`
}

type availabilityInput struct {
	IDInput
	CursorInput
	From      string `query:"from" required:"true" format:"date" example:"2027-07-01" doc:"First date."`
	To        string `query:"to" required:"true" format:"date" example:"2027-07-07" doc:"Last date; at most 366 dates in all."`
	PartySize int    `query:"party_size" minimum:"1" maximum:"1000" default:"1"`
	Slots     bool   `query:"slots" default:"true" doc:"false leaves out the slots, which makes the answer small."`
}

func (in *availabilityInput) query() (q booking.AvailabilityQuery, err error) {
	q.PartySize, q.DaysOnly = in.PartySize, !in.Slots
	if q.From, err = booking.ParseDate("from", in.From); err != nil {
		return q, err
	}
	if q.To, err = booking.ParseDate("to", in.To); err != nil {
		return q, err
	}
	parts, err := in.after(2)
	if err != nil || parts == nil {
		return q, err
	}
	q.After = new(booking.AvailabilityPosition)
	if q.After.Date, err = civil.ParseDate(parts[0]); err != nil {
		return q, badCursor()
	}
	if parts[1] != "" {
		if q.After.SlotsAfter, err = time.Parse(time.RFC3339, parts[1]); err != nil {
			return q, badCursor()
		}
	}
	return q, nil
}

func availabilityCursor(at booking.AvailabilityPosition) *string {
	slots := ""
	if !at.SlotsAfter.IsZero() {
		slots = at.SlotsAfter.UTC().Format(time.RFC3339)
	}
	return nextCursor(at.Date.String() + "|" + slots)
}

func (a *API) routeAvailability(path, tag string) {
	register(a, route{
		id: "get-availability", method: http.MethodGet, path: path, tag: tag, cost: costOfAvailability, errors: []int{404, 422},
		summary: "See what is free",
		description: "It takes no lock: what is free here may be taken a moment later, and only a booking decides. " +
			"A page has up to 36,000 slots, each counted once and once more for each resource that is open then; next_cursor continues it. " +
			"Pages are as of different moments.",
		response: jsonResponse[availabilityBody](a, http.StatusOK),
	}, func(ctx context.Context, in *availabilityInput) (*huma.StreamResponse, error) {
		q, err := in.query()
		if err != nil {
			return nil, err
		}
		page, err := a.Bookings.Availability(ctx, callOf(ctx).tenant, in.ID, q)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(c huma.Context) {
			c.SetHeader("Content-Type", "application/json")
			if err := writeAvailability(c.BodyWriter(), page); err != nil {
				panic(err) // as huma does; edge.Recover says why
			}
		}}, nil
	})
}

// writeAvailability writes a page a day at a time: as a whole it would stand in memory twice more.
func writeAvailability(w io.Writer, page booking.AvailabilityPage) error {
	b := bufio.NewWriter(w) // keeps the first error for Flush
	_, _ = b.WriteString(`{"data":[`)
	for i, d := range page.Days {
		if i > 0 {
			_ = b.WriteByte(',')
		}
		day, err := json.Marshal(dayBody{Date: d.Date.String(), Available: d.Available, Remaining: d.Remaining, Slots: d.Slots})
		if err != nil {
			return fmt.Errorf("encode a day: %w", err)
		}
		if _, err := b.Write(day); err != nil {
			return err
		}
	}
	_ = b.WriteByte(']')
	if page.Next != nil {
		_, _ = b.WriteString(`,"next_cursor":"` + *availabilityCursor(*page.Next) + `"`)
	}
	_, _ = b.WriteString("}\n")
	return b.Flush()
}
