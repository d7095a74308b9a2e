// Package catalog has what can be sold, and when: services, the resources that serve them, their hours, closures and
// blocks. Whatever decides about times and prices stands in package timetable.
//
// Rules are plain functions over plain values:
//
//	metadata.go       the tenant's own data
//	cancellation_policy.go  what a cancellation fee is made of
//	terms.go          what a service promises and a booking copies
//	service_spec.go, service_check.go  what a tenant says of a service, and its checks
//	resource.go, bookable_service.go, closure.go, archived.go  resources, services and
//	                  closures, and what the API shows
//	block.go, block_claims.go  blocks: what is said of one, and what it takes of its resource
//	date_keys.go  the names of the locks of dates
//	in_the_way.go     claims that a change would leave without a place
//	service_hours.go  the hours that a service must fit
//	rules.go          what decides when a service can be booked, and whether bookings fit
//	operations.go     what can be asked of the catalog
//
// Use cases are methods on Service:
//
//	service.go, record.go  Service, the one way of making a thing, and the records of changes
//	read.go           what is there
//	archiving.go      what archiving means
//	tenant_hours.go   the hours of the tenant, which resources inherit
//	resource_changes.go, service_changes.go, closure_changes.go, block_changes.go  making, changing and archiving
//
// Statements:
//
//	sql.go, sql_read.go  changes that need no lock of dates, and reads
//	sql_dates.go      closures and blocks
package catalog
