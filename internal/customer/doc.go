// Package customer lists, finds and changes a tenant's customers. Bookings make them: see package booking.
package customer
