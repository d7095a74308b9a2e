package pages

import (
	"context"
	"time"

	"holdfast/internal/timetable"

	"cloud.google.com/go/civil"
)

// suggestion leads to a time that is free.
type suggestion struct{ Text, URL string }

const (
	// maxSuggestions is how many times are offered in place of one that was taken.
	maxSuggestions = 3
	// suggestionDays is how far ahead they are looked for.
	suggestionDays = 31
)

// nextFree returns the next times that are free from a date on, in place of one that was just taken. starts is the time
// that was taken of a slot service, zero of others.
func (p *Pages) nextFree(ctx context.Context, v *visit, q calendarQuery, from civil.Date, starts time.Time,
) ([]suggestion, error) {
	days, err := p.daysOf(ctx, v, q, from, from.AddDays(suggestionDays-1))
	if err != nil {
		return nil, err
	}
	var found []suggestion
	for d := from; d.Before(from.AddDays(suggestionDays)) && len(found) < maxSuggestions; d = d.AddDays(1) {
		day := days[d]
		switch {
		case !day.Available:
		case !day.HasSlots:
			found = append(found, suggestion{v.date(d), v.dateURL(q, d)})
		default:
			found = append(found, v.nextSlots(q, day, starts, maxSuggestions-len(found))...)
		}
	}
	return found, nil
}

// nextSlots returns free slots of a date after a time, at most so many.
func (v *visit) nextSlots(q calendarQuery, day timetable.Day, after time.Time, most int) (found []suggestion) {
	for _, slot := range day.Slots {
		if slot.Reason == "" && slot.StartsAt.After(after) && len(found) < most {
			at := slot.StartsAt.In(v.tenant.Location)
			found = append(found, suggestion{
				v.moment(at), v.dateURL(q, day.Date),
			})
		}
	}
	return found
}
