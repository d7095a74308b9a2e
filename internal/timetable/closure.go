package timetable

import (
	"cloud.google.com/go/civil"
	"github.com/google/uuid"
)

// Closure is a period of civil dates in the tenant's time zone, both ends included, on which a resource can't be
// booked, or not at some hours of each date; without a resource it closes all of the tenant's.
type Closure struct {
	ResourceID *uuid.UUID
	From, To   civil.Date
	// Hours are the hours of each date that are closed, by the clock; nil closes whole dates. They end on the date on
	// which they begin.
	Hours *DayInterval
	// Yearly closes the months and days of From to To each year, from From on. 29 February is in leap years only.
	Yearly bool
}

// Closes reports whether the closure keeps a resource from being booked on a whole date.
func (c *Closure) Closes(resource uuid.UUID, d civil.Date) bool {
	return c.Hours == nil && c.touches(resource, d)
}

// closesHours reports whether the closure keeps a resource from being booked at its hours on a date.
func (c *Closure) closesHours(resource uuid.UUID, d civil.Date) bool {
	return c.Hours != nil && c.touches(resource, d)
}

func (c *Closure) touches(resource uuid.UUID, d civil.Date) bool {
	return (c.ResourceID == nil || *c.ResourceID == resource) && c.Has(d)
}

// Has reports whether a date is one of the closure's.
func (c *Closure) Has(d civil.Date) bool {
	if !c.Yearly || d.Before(c.From) {
		return !d.Before(c.From) && !d.After(c.To)
	}
	return eachYear(d, c.From, c.To)
}
