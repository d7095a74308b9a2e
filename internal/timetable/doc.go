// Package timetable has the rules that say when something is open, how long it is sold for, what a booking needs and
// what it costs: plain functions over plain values, without a context and without the database.
//
//	spec.go, spec_check.go, bounds.go  what a service sells, and its checks
//	kind.go, stay.go, durations.go, occupies.go, needs.go  words of a spec: how it is sold, how long, and what a booking
//	                takes
//	pricing.go, prices.go  what a price is made of, and the prices of a date
//	hours.go, hours_representation.go, weekday.go, clock.go  when a resource is open, and what the API shows of it
//	fits.go         lengths that no opening hours can fit
//	recurrence.go, block_times.go  the rule by which a block repeats, and its times
package timetable
