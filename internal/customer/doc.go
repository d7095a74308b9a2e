// Package customer lists, finds, changes and erases a tenant's customers. Bookings make them: see package booking.
package customer
