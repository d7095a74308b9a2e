// Package booking sells time: it keeps services, resources, their hours and closures, says what is free, and
// makes and changes bookings so that no unit of a resource is sold twice.
//
// Rules are plain functions over plain values, without a database and without a clock: localtime.go, hours.go,
// schedule.go, units.go, allocation.go, availability.go, states.go and the checks in catalog.go. Use cases are
// methods on Service: create.go, change.go, read.go, catalog_changes.go. Every use case that changes what is
// free on a date runs under that date's calendar lock, and judges by the database's clock, read after the lock
// was granted.
//
// What the API shows of bookings and the catalog is in representation.go and representation_catalog.go, the entity tag and
// If-Match in etag.go. Stored responses and HTTP use the same types.
package booking
