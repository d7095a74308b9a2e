// Package console is what the people of a tenant see in a browser: their bookings and what belongs to them. It decides nothing about
// bookings or money. A page reads a form, calls the use case that the API calls, with the scopes of the person's role, and shows what has come
// of it. All forms work without JavaScript; assets/console.js shows pages beside the list that they were opened from, and the calendar.
//
//	console.go        the routes, and what each request passes
//	visit.go          a request: who is signed in, the tenant, the form
//	respond.go        rendering, headers and what a failure looks like
//	words.go          dates, amounts, states and what was done, in words
//	sign_in.go        signing in and out
//	today.go          the bookings of a day
//	bookings.go       finding bookings
//	booking.go        a booking with its money, its history and its messages
//	users.go          who signs in
package console
