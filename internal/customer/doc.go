// Package customer lists, finds, changes, archives, merges, exports and erases a tenant's customers. Bookings make them too: see package booking.
package customer
