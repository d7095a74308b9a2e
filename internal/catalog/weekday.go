package catalog

import "time"

var Weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

func weekdayOf(name string) time.Weekday {
	for i, w := range Weekdays {
		if w == name {
			return time.Weekday(i)
		}
	}
	return -1 // the schema lets no other name through
}
