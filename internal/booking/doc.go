// Package booking sells time: it keeps services, resources, their hours and closures, says what is free, and
// makes and changes bookings so that no unit of a resource is sold twice.
//
// Rules are plain functions over plain values, without a database and without a clock of their own:
//
//	localtime.go      the civil dates of the tenant's time zone, kept while they are in use
//	checks.go         dates and numbers within their bounds
//	hours.go          when a resource is open
//	catalog.go        services, resources and closures
//	customer.go, states.go, booking.go  who books, the states of a booking, and a booking
//	etag.go, representation.go, representation_catalog.go  what the API shows, for HTTP and for stored responses
//	schedule.go       when a service can be booked
//	units.go, allocation.go  which units of a resource are free, and which a booking gets
//	availability.go   what is free on a date, computed date after date
//
// Use cases are methods on Service. Every use case that changes what is free on a date runs under that date's calendar lock, and
// judges by the database's clock, read after the lock was granted:
//
//	service.go        Service, and the rules that it keeps in memory
//	read.go, availability_page.go, availability_fingerprint.go  what is there, and what is free
//	create.go, change.go  making and changing bookings
//	catalog_changes.go  making and changing services, resources, hours and closures
//	hold_expiry.go    the event that marks a lapsed hold as expired
//	outbox.go         what the outbox tells of bookings
//
// A file uses those above it.
package booking
