// Package pages is what people see of Holdfast in a browser: the page on which they book, and the page of their
// booking. A page decides nothing about bookings or money. It reads a form, calls the use case that the API calls, and
// shows what has come of it. All pages work without JavaScript; assets/app.js only adds to them.
//
//	pages.go          the routes, and what each request passes
//	visit.go          a request: its tenant, its language, its form
//	site.go           what the pages of a tenant are made of, kept for some seconds
//	refuse.go         a form that is refused, and the page that shows it again
//	respond.go        rendering, headers and what a failure looks like
//	language.go, dates.go  texts, dates and amounts in a person's language
//	services.go, terms.go  the services of a tenant, and its terms
//	selection.go, lengths.go  what a person has chosen so far: party, length, month, date
//	calendar.go, calendar_day.go  a month with what is free, and the times of a date
//	limits.go         what visitors can't choose because it is more than they may take at once
//	next_free.go      what to offer in place of what was just taken
//	book.go, own_hold.go  choosing a time, and holding it; the hold that the visitor has already
//	booking.go        the page of a booking
//	details.go, pay.go, cancel.go, move.go, entry.go, receipt.go  what its customer does there
//	logo.go           the tenant's logo
//	assets.go         style sheet, script and icons
package pages
