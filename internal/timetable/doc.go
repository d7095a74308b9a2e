// Package timetable has the rules that say when something is open and free, how long it is sold for, what a booking
// needs and what it costs: plain functions over plain values, without a context and without the database.
//
// What is sold, as a tenant says it:
//
//	spec.go, spec_check.go, bounds.go  what a service sells, and its checks
//	kind.go, stay.go, durations.go, occupies.go, needs.go  words of a spec: how it is sold, how long, and what a booking
//	                takes
//	start_times.go, arrival_rules.go, part_of_year.go  when slots start, and for how many nights stays are, by the date
//	pricing.go, prices.go  what a price is made of, and the prices of a date
//	hours.go, hours_representation.go, weekday.go, clock.go  when a resource is open, and what the API shows of it
//	closure.go      when it is closed all the same
//	fits.go         lengths that no opening hours can fit
//	recurrence.go, block_times.go  the rule by which a block repeats, and its times
//	limits.go       the most that a visitor takes
//
// When it can be booked:
//
//	rules.go, service.go, visitor_limits.go  all that decides, and the rules of visitors
//	schedule.go, localtime.go  when a booking is asked for, and civil dates by the clock
//	bookable.go, kind_date.go, kind_slot.go, kind_stay.go  what differs between the kinds
//	length_times.go, opening.go  when a slot ends, what its buffers take, and when a resource is open
//	items.go, quote.go  what a booking costs
//
// What is free then, of what is taken:
//
//	units.go, session.go  units of a resource, and seats of a session
//	candidates.go   the resources of each need, in the order in which they are tried
//	judgement.go    what a party can have at a time; for bookings and for availability
//	allocation.go, allocator.go  which resources and units a booking gets
//	booking.go, reclaim.go  a booking that was made, and a hold that gets its units again
//	availability.go, availability_calendar.go, unavailable.go  what is free on a date, computed date after date
//	availability_page.go, services_page.go, availability_fingerprint.go, availability_json.go  pages of that
package timetable
