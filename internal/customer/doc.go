// Package customer is a tenant's customers: who books. It is below package booking, which makes customers too. What
// works over a customer and its bookings is in package person.
//
// Rules are plain functions over plain values:
//
//	customer.go       a customer, and what is valid of one
//	operations.go     what can be asked of customers
//	representation.go what the API shows
//	details.go        a customer with what a booking doesn't show
//
// Use cases are methods on Service:
//
//	sql.go, sql_booked.go  the statements of customers, and of those whom somebody books for
//	service.go        Service; reading, searching and listing customers
//	record.go         the records of changes
//	create.go, change.go, archive.go, unsubscribe.go  making and changing customers
package customer
