// Package booking sells time: it says what is free, and makes and changes bookings so that no unit of a resource is
// sold twice. What is sold, and when, is in the catalog; who a booking is for is a customer.
//
// When a service can be booked, what is free and what it costs is decided by the rules of package timetable. The rules
// that stand here are about a booking that is made:
//
//	operations.go     what can be asked of bookings
//	requests.go       what requests ask for; those that move, amend and end a booking stand beside their rules
//	cancellation.go   what cancelling a booking costs
//	customer_choice.go  who a booking is for, and what it keeps of the customer
//	details.go, references.go  what a booking only carries, and its names
//	link.go, customer_rules.go  the links that lead customers to bookings, and what they may change by them
//	states.go, booking.go, row.go  the states of a booking, a booking, and what is stored of it
//	balance.go        what a booking owes, and how much of it is paid
//	representation.go  what the API shows, for HTTP and for stored responses
//
// Use cases are methods on Service. Every use case that changes what is free on a date runs under that date's date
// lock, and judges by the database's clock, read after the lock was granted:
//
//	service.go, rules.go  Service, and the rules of services that it keeps in memory
//	transaction.go, shared_reads.go  transactions under the locks of dates, and what those read and write that several
//	                  requests share
//	read.go           what is there
//	availability_read.go, availability_services.go  what is free
//	lock_and_decide.go  changing a booking under the locks of the dates at which it was seen
//	retry.go          running a change again that began with what has changed since
//	create.go         making bookings
//	quotes.go, quote_representation.go  what a booking or a move would cost, and what the API shows of that; without a lock
//	reschedule.go, extend.go, confirm.go  the parts of it that move a booking, and that extend and confirm a hold, also
//	                  by its deposit
//	visitors.go       the holds of a website's visitors, and how many a visitor has open
//	transition.go     cancelling and completing bookings
//	amend.go          changing all that a booking has, in one commit
//	conflicts.go      bookings that no longer fit the catalog
//
// What happens at a time, and the records of changes:
//
//	hold_expiry.go    the event that marks a lapsed hold as expired
//	record.go         the records of bookings' changes
//
// Statements:
//
//	sql.go, sql_list.go, sql_availability.go  reading bookings, what a booking is judged by, lists of
//	                  bookings, and what is occupied
//	sql_new.go, sql_change.go  writing new bookings, and changes of one
package booking
