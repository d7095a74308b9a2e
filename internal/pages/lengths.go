package pages

import (
	"maps"
	"net/url"
	"strconv"
	"strings"

	"holdfast/internal/catalog"
	"holdfast/internal/timetable"
)

// fieldLength is the field in which a form's list has a length: minutes, or days after a "d".
const fieldLength = "length"

// maxLengths bounds the list of lengths.
const maxLengths = 100

// lengthsOf returns the lengths that a service sells, none for a service with one length.
func lengthsOf(svc *catalog.BookableService) (list []timetable.Length) {
	if !svc.Vary() {
		return nil
	}
	for _, d := range svc.Durations.Durations {
		list = append(list, d.Length)
	}
	if len(list) > 0 {
		return list
	}
	for minutes := svc.Shortest().Minutes; minutes <= svc.MaxDurationMinutes &&
		len(list) < maxLengths; minutes += svc.DurationStepMinutes {
		list = append(list, timetable.Length{Minutes: minutes})
	}
	return list
}

func lengthValue(l timetable.Length) string {
	if l.Days > 0 {
		return "d" + strconv.Itoa(l.Days)
	}
	return strconv.Itoa(l.Minutes)
}

// withLength returns values with a length of a form's list in the fields that a selection has.
func withLength(values url.Values, length string) url.Values {
	values = maps.Clone(values)
	delete(values, fieldMinutes)
	delete(values, fieldDays)
	if days, ok := strings.CutPrefix(length, "d"); ok {
		values.Set(fieldDays, days)
	} else {
		values.Set(fieldMinutes, length)
	}
	return values
}
