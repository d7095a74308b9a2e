package booking

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// ResourceSpec is what a tenant says of a resource: requests give it, the API shows it.
type ResourceSpec struct {
	Name     string `json:"name" minLength:"1" maxLength:"200" example:"Boat 1"`
	Capacity int    `json:"capacity" minimum:"1" maximum:"1000" example:"10" doc:"Units that can be taken at the same time. A lower one is refused if more units are booked at some moment from now on, unless force is true."`
	Position int    `json:"position" required:"false" minimum:"0" maximum:"1000000" example:"1" doc:"Orders the resources in a list with order=position."`
}

func (r Resource) spec() ResourceSpec {
	return ResourceSpec{Name: r.Name, Capacity: r.Capacity, Position: r.Position}
}

// ResourceChange is a ResourceSpec in a change.
type ResourceChange struct {
	ResourceSpec
	Force bool `json:"force,omitempty" doc:"true: change the capacity although bookings stand in the way. They stay."`
}

// ResourceBody is a resource.
type ResourceBody struct {
	ID uuid.UUID `json:"id" format:"uuid"`
	ResourceSpec
	Hours HoursBody `json:"hours"`
	ArchivedBody
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// ArchivedBody is what resources and services have in common.
type ArchivedBody struct {
	ArchivedAt *time.Time `json:"archived_at,omitempty" doc:"Since when it takes no new bookings; absent if it does."`
	Version    int64      `json:"version" example:"1" doc:"Grows with every change; the ETag is its text."`
}

func archivedBody(at *time.Time, version int64) ArchivedBody {
	if at != nil {
		utc := at.UTC()
		at = &utc
	}
	return ArchivedBody{ArchivedAt: at, Version: version}
}

// HoursBody says when a resource is open. Of AlwaysOpen and Weekly a request gives one.
type HoursBody struct {
	AlwaysOpen bool           `json:"always_open,omitempty" doc:"true: open at all times, but for the overrides. Either this or weekly."`
	Weekly     []WeeklyBody   `json:"weekly,omitzero" maxItems:"100" nullable:"false" doc:"An empty list is never open, but for the overrides."`
	Overrides  []OverrideBody `json:"overrides,omitzero" maxItems:"1000" nullable:"false" doc:"Dates with hours of their own, in place of those that would begin on them."`
}

// WeeklyBody is one opening period of each week.
type WeeklyBody struct {
	Weekday string `json:"weekday" enum:"monday,tuesday,wednesday,thursday,friday,saturday,sunday" doc:"The day on which the hours begin."`
	Opens   string `json:"opens" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" example:"09:00" doc:"Wall-clock time in the tenant's time zone."`
	Closes  string `json:"closes" pattern:"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$" example:"18:00" doc:"On the next day if it is before opens, such as 22:00 to 02:00. 24:00 is the end of the day."`
}

// OverrideBody is the hours of one date.
type OverrideBody struct {
	Date   string  `json:"date" format:"date" example:"2027-12-24"`
	Closed bool    `json:"closed,omitempty" doc:"Either this or opens and closes."`
	Opens  *string `json:"opens,omitempty" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" example:"10:00"`
	Closes *string `json:"closes,omitempty" pattern:"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$" example:"14:00"`
}

// Body returns the resource as the API shows it.
func (r Resource) Body() ResourceBody {
	return ResourceBody{
		ID: r.ID, ResourceSpec: r.spec(), Hours: r.Hours.Body(), ArchivedBody: archivedBody(r.ArchivedAt, r.Version),
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}
}

// Body returns the hours as the API shows them.
func (h Hours) Body() HoursBody {
	b := HoursBody{AlwaysOpen: h.Weekly == nil, Overrides: []OverrideBody{}}
	if h.Weekly != nil {
		b.Weekly = []WeeklyBody{}
	}
	for _, w := range h.Weekly {
		b.Weekly = append(b.Weekly, WeeklyBody{Weekday: weekdays[w.Weekday], Opens: clockOf(w.Opens), Closes: clockOf(w.Closes)})
	}
	for _, o := range h.Overrides {
		override := OverrideBody{Date: o.Date.String(), Closed: o.Closed}
		if !o.Closed {
			opens, closes := clockOf(o.Opens), clockOf(o.Closes)
			override.Opens, override.Closes = &opens, &closes
		}
		b.Overrides = append(b.Overrides, override)
	}
	return b
}

// Hours returns the hours that a request gives. A request that says nothing about the weekly hours is refused: it could mean
// always or never. Errors: problem.ValidationFailed.
func (b HoursBody) Hours() (Hours, error) {
	var h Hours
	switch {
	case b.AlwaysOpen && b.Weekly != nil:
		return h, problem.Invalid("always_open", "excluded", "Leave out always_open or weekly: they contradict each other.")
	case !b.AlwaysOpen && b.Weekly == nil:
		return h, problem.Invalid("weekly", "required", "Give weekly, of which an empty list means closed, or always_open: true.")
	case b.Weekly != nil:
		h.Weekly = []WeeklyHours{}
	}
	for _, w := range b.Weekly {
		h.Weekly = append(h.Weekly, WeeklyHours{Weekday: weekdayOf(w.Weekday), Opens: minuteOf(w.Opens), Closes: minuteOf(w.Closes)})
	}
	for i, o := range b.Overrides {
		d, err := datetime.ParseDate(fmt.Sprintf("overrides[%d].date", i), o.Date)
		if err != nil {
			return h, err
		}
		if o.Closed == (o.Opens != nil || o.Closes != nil) || (o.Opens == nil) != (o.Closes == nil) {
			return h, problem.Invalid(fmt.Sprintf("overrides[%d]", i), "invalid", "Give either closed, or opens and closes.")
		}
		override := DateHours{Date: d, Closed: o.Closed}
		if o.Opens != nil {
			override.Opens, override.Closes = minuteOf(*o.Opens), minuteOf(*o.Closes)
		}
		h.Overrides = append(h.Overrides, override)
	}
	return h, nil
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

// ServiceBody is a service.
type ServiceBody struct {
	ID uuid.UUID `json:"id" format:"uuid"`
	ServiceSpec
	Currency string `json:"currency" example:"EUR"`
	ArchivedBody
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Body returns the service as the API shows it.
func (o BookableService) Body() ServiceBody {
	return ServiceBody{
		ID: o.ID, ServiceSpec: o.ServiceSpec, Currency: o.Currency, ArchivedBody: archivedBody(o.ArchivedAt, o.Version),
		CreatedAt: o.CreatedAt.UTC(), UpdatedAt: o.UpdatedAt.UTC(),
	}
}

// ClosureBody is a closure.
type ClosureBody struct {
	ID uuid.UUID `json:"id" format:"uuid"`
	ClosureSpec
	ArchivedAt *time.Time `json:"archived_at,omitempty" doc:"Since when it closes nothing any more; absent if it does."`
	Version    int64      `json:"version" example:"1" doc:"Grows with every change; the ETag is its text."`
	CreatedAt  time.Time  `json:"created_at"`
	UpdatedAt  time.Time  `json:"updated_at"`
}

// Body returns the closure as the API shows it.
func (c Closure) Body() ClosureBody {
	return ClosureBody{
		ID: c.ID, ClosureSpec: c.spec(), ArchivedAt: archivedBody(c.ArchivedAt, c.Version).ArchivedAt, Version: c.Version,
		CreatedAt: c.CreatedAt.UTC(), UpdatedAt: c.UpdatedAt.UTC(),
	}
}
