package frame

import (
	"net/url"
	"strings"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/datetime"
	"holdfast/internal/operation"
	"holdfast/internal/web"
)

// PageSize is how many rows a list shows.
const PageSize = 50

// DateKey says where a page of a list begins that is in the order of dates: after the row with a date and an id.
func DateKey(date civil.Date, id uuid.UUID) string { return date.String() + "_" + id.String() }

// BookingKey is the DateKey of a booking.
func BookingKey(last booking.Booking) string { return DateKey(last.Date, last.ID) }

// AfterDate returns the row of a dateKey, nothing for the first page. Errors: problem.ValidationFailed,
// problem.NotFound.
func (v *Visit) AfterDate() (date civil.Date, id uuid.UUID, err error) {
	day, text, ok := strings.Cut(v.Query.Get(web.FieldAfter), "_")
	if !ok {
		return date, id, nil
	}
	if date, err = datetime.ParseDate(web.FieldAfter, day); err == nil {
		id, err = web.ParseID(text)
	}
	return date, id, err
}

// CostOfList is the permits of a list, with the row that says that a page follows.
var CostOfList = operation.ListPermits(PageSize + 1)

// DateOf returns a date that a query has, nil without it. Errors: problem.ValidationFailed.
func DateOf(query url.Values, name string) (*civil.Date, error) {
	text := query.Get(name)
	if text == "" {
		return nil, nil
	}
	d, err := datetime.ParseDate(name, text)
	return &d, err
}
