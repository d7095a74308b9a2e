// Package catalog has what can be sold, and when: services, the resources that serve them, their hours, closures and blocks.
//
// Rules are plain functions over plain values:
//
//	bounds.go         bounds of what a tenant may define
//	kind.go, stay.go, durations.go, occupies.go, needs.go, weekday.go, metadata.go  words of services and hours, and the tenant's own data
//	hours.go          when a resource is open
//	pricing.go, cancellation_policy.go  what a price and a cancellation fee are made of
//	terms.go          what a service promises and a booking copies
//	service_spec.go, service_prices.go, service_check.go  what a tenant says of a service, and its checks
//	resource.go, bookable_service.go, closure.go, archived.go, hours_representation.go  resources, services and
//	                  closures, and what the API shows
//	block.go, recurrence.go, block_times.go, block_claims.go  blocks: what is said of one, the rule by which it repeats, its
//	                  times, and what it takes of its resource
//	date_keys.go  the names of the locks of dates
//	in_the_way.go     claims that a change would leave without a place
//	service_hours.go  services that no opening hours can fit
//
// Use cases are methods on Service:
//
//	service.go, record.go  Service, the one way of making a thing, and the records of changes
//	read.go           what is there
//	archiving.go      what archiving means
//	tenant_hours.go   the hours of the tenant, which resources inherit
//	resource_changes.go, service_changes.go, closure_changes.go, block_changes.go  making, changing and archiving
package catalog
