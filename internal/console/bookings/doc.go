// Package bookings is the section of the console with bookings: those of a day, the calendar, the list, a booking, and
// what is done with it but for its money.
//
//	section.go        the section
//	bookings.go       its routes, and the list
//	today.go          the bookings of a day
//	checklist.go      what an owner does until people can book
//	calendar.go       the calendar
//	booking.go        a booking with its money, its history and its messages
//	new.go, move.go, end.go  making, moving and ending a booking
//	lengths.go        when a slot begins, and how long it lasts
package bookings
