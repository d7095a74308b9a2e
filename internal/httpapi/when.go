package httpapi

import (
	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
	"holdfast/internal/timetable"
)

// WhenInput says when a booking is to be. It is exported because huma sees embedded structs only if they are.
type WhenInput struct {
	Date            *string `json:"date,omitempty" format:"date" example:"2027-07-01" doc:"For a date service. A booking that moves keeps what isn't given of its time."`
	StartsAt        *string `json:"starts_at,omitempty" maxLength:"40" format:"date-time" example:"2027-07-01T10:00:00+02:00" doc:"For a slot service: RFC 3339 with an offset."`
	DurationMinutes *int    `json:"duration_minutes,omitempty" minimum:"1" maximum:"10080" example:"90" doc:"For a slot service that sells several durations: how long it lasts. A booking that moves keeps its own unless it is given."`
	DurationDays    *int    `json:"duration_days,omitempty" minimum:"1" maximum:"7" doc:"In place of duration_minutes: until the same time of day so many days later."`
	CheckIn         *string `json:"check_in,omitempty" format:"date" example:"2027-07-01" doc:"For a stay: the check-in date. A stay that moves with check_in alone keeps its nights."`
	CheckOut        *string `json:"check_out,omitempty" format:"date" example:"2027-07-04" doc:"For a stay: the check-out date. A stay that changes by check_out alone keeps its arrival."`
}

// when returns the time that is asked for. Errors: problem.ValidationFailed for what is no date.
func (b WhenInput) when() (w timetable.When, err error) {
	w.StartsAt, w.DurationMinutes, w.DurationDays = b.StartsAt, b.DurationMinutes, b.DurationDays
	for _, given := range [...]struct {
		field string
		text  *string
		to    **civil.Date
	}{{"date", b.Date, &w.Date}, {"check_in", b.CheckIn, &w.CheckIn}, {"check_out", b.CheckOut, &w.CheckOut}} {
		if given.text == nil {
			continue
		}
		d, err := datetime.ParseDate(given.field, *given.text)
		if err != nil {
			return w, err
		}
		*given.to = &d
	}
	return w, nil
}
