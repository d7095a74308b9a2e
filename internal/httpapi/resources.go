package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
)

// hoursBody says when a resource is open. Of AlwaysOpen and Weekly a request gives one.
type hoursBody struct {
	AlwaysOpen bool           `json:"always_open,omitempty" doc:"true: open at all times, but for the overrides. Either this or weekly."`
	Weekly     []weeklyBody   `json:"weekly,omitzero" maxItems:"100" nullable:"false" doc:"An empty list is never open, but for the overrides."`
	Overrides  []overrideBody `json:"overrides,omitzero" maxItems:"1000" nullable:"false" doc:"Dates with hours of their own, in place of those that would begin on them."`
}

type weeklyBody struct {
	Weekday string `json:"weekday" enum:"monday,tuesday,wednesday,thursday,friday,saturday,sunday" doc:"The day on which the hours begin."`
	Opens   string `json:"opens" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" example:"09:00" doc:"Wall-clock time in the tenant's time zone."`
	Closes  string `json:"closes" pattern:"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$" example:"18:00" doc:"On the next day if it is before opens, such as 22:00 to 02:00. 24:00 is the end of the day."`
}

type overrideBody struct {
	Date   string  `json:"date" format:"date" example:"2027-12-24"`
	Closed bool    `json:"closed,omitempty" doc:"Either this or opens and closes."`
	Opens  *string `json:"opens,omitempty" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" example:"10:00"`
	Closes *string `json:"closes,omitempty" pattern:"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$" example:"14:00"`
}

// resourceBody is a resource.
type resourceBody struct {
	ID        uuid.UUID `json:"id" format:"uuid"`
	Name      string    `json:"name" example:"Boat 1"`
	Capacity  int       `json:"capacity" example:"10" doc:"Units that can be taken at the same time."`
	Hours     hoursBody `json:"hours"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// newResourceBody asks for a resource.
type newResourceBody struct {
	Name     string `json:"name" minLength:"1" maxLength:"200" example:"Boat 1"`
	Capacity int    `json:"capacity" minimum:"1" maximum:"1000" example:"10"`
}

var weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

func weekdayOf(name string) time.Weekday {
	for i, w := range weekdays {
		if w == name {
			return time.Weekday(i)
		}
	}
	return -1 // the schema lets no other name through
}

// minuteOf reads HH:MM; the schema has checked its form.
func minuteOf(text string) int {
	hours, minutes, _ := strings.Cut(text, ":")
	h, _ := strconv.Atoi(hours)
	m, _ := strconv.Atoi(minutes)
	return h*60 + m
}

func clockOf(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

// hours returns what the body says. Nothing about the weekly hours is refused: it could mean always or never.
func (b hoursBody) hours() (booking.Hours, error) {
	var h booking.Hours
	switch {
	case b.AlwaysOpen && b.Weekly != nil:
		return h, problem.Invalid("always_open", "excluded", "Leave out always_open or weekly: they contradict each other.")
	case !b.AlwaysOpen && b.Weekly == nil:
		return h, problem.Invalid("weekly", "required", "Give weekly, of which an empty list means closed, or always_open: true.")
	case b.Weekly != nil:
		h.Weekly = []booking.WeeklyHours{}
	}
	for _, w := range b.Weekly {
		h.Weekly = append(h.Weekly, booking.WeeklyHours{Weekday: weekdayOf(w.Weekday), Opens: minuteOf(w.Opens), Closes: minuteOf(w.Closes)})
	}
	for i, o := range b.Overrides {
		d, err := parseDate(fmt.Sprintf("overrides[%d].date", i), o.Date)
		if err != nil {
			return h, err
		}
		if o.Closed == (o.Opens != nil || o.Closes != nil) || (o.Opens == nil) != (o.Closes == nil) {
			return h, problem.Invalid(fmt.Sprintf("overrides[%d]", i), "invalid", "Give either closed, or opens and closes.")
		}
		override := booking.DateHours{Date: d, Closed: o.Closed}
		if o.Opens != nil {
			override.Opens, override.Closes = minuteOf(*o.Opens), minuteOf(*o.Closes)
		}
		h.Overrides = append(h.Overrides, override)
	}
	return h, nil
}

func hoursBodyOf(h booking.Hours) hoursBody {
	b := hoursBody{AlwaysOpen: h.Weekly == nil, Overrides: []overrideBody{}}
	if h.Weekly != nil {
		b.Weekly = []weeklyBody{}
	}
	for _, w := range h.Weekly {
		b.Weekly = append(b.Weekly, weeklyBody{Weekday: weekdays[w.Weekday], Opens: clockOf(w.Opens), Closes: clockOf(w.Closes)})
	}
	for _, o := range h.Overrides {
		override := overrideBody{Date: o.Date.String(), Closed: o.Closed}
		if !o.Closed {
			opens, closes := clockOf(o.Opens), clockOf(o.Closes)
			override.Opens, override.Closes = &opens, &closes
		}
		b.Overrides = append(b.Overrides, override)
	}
	return b
}

func resourceBodyOf(r booking.Resource) resourceBody {
	return resourceBody{
		ID: r.ID, Name: r.Name, Capacity: r.Capacity, Hours: hoursBodyOf(r.Hours),
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}
}

func (a *API) routeResources() {
	const path = "/v1/resources"
	tags := []string{"Resources"}
	security := []map[string][]string{{schemeAPIKey: {}}}

	huma.Register(a.huma, idempotent[resourceBody](a, huma.Operation{
		OperationID: "create-resource", Method: http.MethodPost, Path: path, DefaultStatus: http.StatusCreated,
		Summary: "Add a room, person or boat", Tags: tags, Security: security, Errors: []int{400, 401, 409, 413, 415, 422, 503},
	}), func(ctx context.Context, in *struct{ Body newResourceBody }) (*storedOutput, error) {
		r := booking.Resource{Name: in.Body.Name, Capacity: in.Body.Capacity}
		return stored(a.Bookings.CreateResource(ctx, tenantOf(ctx), idempotencyOf(ctx), r, func(r booking.Resource) (idempotency.Response, error) {
			return respond(http.StatusCreated, path+"/"+r.ID.String(), "", resourceBodyOf(r))
		}))
	})

	registerGet(a, huma.Operation{
		OperationID: "get-resource", Path: path + "/{id}", Summary: "Read a resource with its hours", Tags: tags, Security: security,
	}, a.Bookings.Resource, resourceBodyOf)

	registerList(a, huma.Operation{
		OperationID: "list-resources", Path: path, Summary: "List resources", Tags: tags, Security: security,
	}, a.Bookings.Resources, resourceBodyOf, func(found booking.Resource) uuid.UUID { return found.ID }, sizeOfResource)

	huma.Register(a.huma, huma.Operation{
		OperationID: "set-hours", Method: http.MethodPut, Path: path + "/{id}/hours", Summary: "Replace a resource's hours",
		Description: "A resource is always open until it gets hours: `{\"weekly\": []}` closes it, `{\"always_open\": true}` opens it for good. " +
			"Hours may go over midnight, such as 22:00 to 02:00, and belong to the date on which they begin: an override or a closure " +
			"of that date removes them to their end, and the overrides of the next date leave them as they are. A closure of the next date " +
			"ends them at midnight. A slot after midnight is counted from the opening on the evening before, and has the date of its own start. " +
			"A date service asks only whether hours begin on the date. Bookings that were made by the old hours stay.",
		Tags: tags, Security: security, Errors: []int{400, 401, 404, 413, 415, 422, 503},
	}, func(ctx context.Context, in *struct {
		IDInput
		Body hoursBody
	},
	) (*struct{ Body resourceBody }, error) {
		h, err := in.Body.hours()
		if err != nil {
			return nil, err
		}
		r, err := a.Bookings.SetHours(ctx, tenantOf(ctx), in.ID, h)
		if err != nil {
			return nil, err
		}
		return &struct{ Body resourceBody }{resourceBodyOf(r)}, nil
	})
}
