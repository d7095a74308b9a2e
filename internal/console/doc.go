// Package console is what the people of a tenant see in a browser: their bookings and what belongs to them. It
// decides nothing about bookings or money. A page reads a form, calls the use case that the API calls, with the
// scopes of the person's role, and shows what has come of it. All forms work without JavaScript; console.js of
// internal/web shows pages beside the list that they were opened from, and the calendar.
//
// Each section is a package: bookings, customers, money, catalog, settings and developers. Sections don't know each
// other. What they share is in frame, the forms of all are in form, and one leads to the pages of another by their
// paths. Here are the sections' start, and signing in.
//
//	console.go        adding the console with its sections to a server
//	entrance.go, sign_in.go, oidc.go  whose console is meant, and signing in and out
//	users.go          who signs in
package console
