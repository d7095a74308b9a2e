// Package booking sells time: it keeps services, resources, their hours and closures, says what is free, and
// makes and changes bookings so that no unit of a resource is sold twice.
//
// Rules are plain functions over plain values, without a database and without a clock of their own:
//
//	localtime.go      the civil dates of the tenant's time zone, kept while they are in use
//	lengths.go        how long a slot and its buffers last, in minutes, civil days or until closing
//	hours.go          when a resource is open
//	catalog.go, service_spec.go, terms.go  services, resources and closures; what a service says, and what a booking copies of it
//	price.go, cancellation.go  what a booking costs, and what cancelling it costs
//	customer_choice.go, contact.go  who a booking is for, and what it keeps of the customer
//	references.go, reference_change.go  names of bookings
//	states.go, booking.go, balance.go, payment_state.go, payment_in_progress.go  the states of a booking, a booking, what it owes, and how much of it is paid
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
//	retry.go          running a change again that began with what has changed since
//	create.go         making bookings
//	confirm.go, confirm_deposit.go, extend.go  confirming a hold, also by its deposit, and extending it
//	change.go         cancelling and completing bookings
//	reschedule.go, update.go  moving a booking, and changing what doesn't move it
//	conflicts.go      bookings that no longer fit the catalog
//	catalog_changes.go, service_changes.go, resource_changes.go, closure_changes.go  making, changing and archiving the catalog
//
// What happens at a time, and what is told of bookings:
//
//	hold_expiry.go    the event that marks a lapsed hold as expired
//	record.go         the records of bookings' changes
package booking
