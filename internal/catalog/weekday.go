package catalog

import "time"

// Weekdays are the names of the days of the week, as the API spells them, in the order of time.Weekday.
var Weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

func weekdayOf(name string) time.Weekday {
	for i, w := range Weekdays {
		if w == name {
			return time.Weekday(i)
		}
	}
	return -1 // the schema lets no other name through
}
