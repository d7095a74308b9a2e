package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/bounds"
	"holdfast/internal/etag"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// Resource is a room, person or boat that serves bookings.
type Resource struct {
	ID   uuid.UUID
	Name string
	// Capacity is the number of units that can be taken at the same time, numbered from 1. Bookings from before it was
	// lowered may still have higher units: they count as units in use.
	Capacity int
	// Position orders the tenant's resources where a list asks for that order.
	Position int
	Hours    timetable.Hours
	// ArchivedAt is set for a resource that takes no new bookings.
	ArchivedAt *time.Time
	// Version grows with every change.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Check returns problem.ValidationFailed for a blank or unreadable name, a capacity or position out of bounds, or hours
// that contradict themselves.
func (r Resource) Check() error {
	return cmp.Or(problem.CheckText("name", r.Name),
		bounds.Check("", r.spec()), r.Hours.Check())
}

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

// ETag returns the strong entity tag of the resource's version.
func (r Resource) ETag() string { return etag.Of(r.Version) }

// row returns what is stored of a resource.
func (r Resource) row() (resourceRow, error) {
	hours, err := json.Marshal(r.Hours)
	if err != nil {
		return resourceRow{}, fmt.Errorf("encode a resource's hours: %w", err)
	}
	return resourceRow{
		ResourceID: r.ID, Name: r.Name, Capacity: int32(r.Capacity), Position: int32(r.Position), Hours: hours,
		ArchivedAt: r.ArchivedAt,
	}, nil
}

// resourceFromRow returns the resource of a row. It returns an error for a row that can't be read.
func resourceFromRow(row resourceRow) (Resource, error) {
	res := Resource{
		ID:         row.ResourceID,
		Name:       row.Name,
		Capacity:   int(row.Capacity),
		Position:   int(row.Position),
		ArchivedAt: row.ArchivedAt,
		Version:    row.Version,
		CreatedAt:  row.CreatedAt,
		UpdatedAt:  row.UpdatedAt,
	}
	if err := json.Unmarshal(row.Hours, &res.Hours); err != nil {
		return res, fmt.Errorf("read the hours of resource %s: %w", row.ResourceID, err)
	}
	return res, nil
}

// Open returns the resource for the rules of the timetable. inherited are the tenant's hours.
func (r Resource) Open(inherited *timetable.Times) timetable.Resource {
	return timetable.Resource{ID: r.ID, Capacity: r.Capacity, Times: r.Hours.TimesIn(inherited)}
}

// ResourceBody is a resource.
type ResourceBody struct {
	ID uuid.UUID `json:"id" format:"uuid"`
	ResourceSpec
	Hours timetable.ResourceHoursBody `json:"hours"`
	ArchivedBody
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// JSONSize returns about how many bytes of JSON the unbounded parts of a resource have. A page ends by it.
func (r Resource) JSONSize() int {
	const hours = 64
	n := len(r.Hours.Weekly) + len(r.Hours.Overrides)
	for _, s := range r.Hours.Seasons {
		n += 1 + len(s.Weekly)
	}
	return hours * n
}

// Body returns the resource as the API shows it.
func (r Resource) Body() ResourceBody {
	return ResourceBody{
		ID: r.ID, ResourceSpec: r.spec(), Hours: r.Hours.Body(), ArchivedBody: archivedBody(r.ArchivedAt, r.Version),
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}
}
