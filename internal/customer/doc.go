// Package customer lists, finds, makes, changes and archives a tenant's customers. Bookings make them too: see package booking. What works over a
// customer and its bookings is in package person.
package customer
