// Package console is what the people of a tenant see in a browser: their bookings and what belongs to them. It
// decides nothing about bookings or money. A page reads a form, calls the use case that the API calls, with the
// scopes of the person's role, and shows what has come of it. All forms work without JavaScript; console.js of
// internal/web shows pages beside the list that they were opened from, and the calendar.
//
//	console.go        the routes
//	frame.go, handle.go  what all pages have, and what each request passes
//	visit.go          a request: who is signed in, the tenant, the form
//	list.go, rows.go  pages of a list, and what rows of several lists have
//	find.go           a booking of the path, and customers by a text
//	respond.go        rendering, headers and what a failure looks like
//	words.go, amounts.go, names.go  dates, amounts, states and names, in words
//	entrance.go, sign_in.go, oidc.go  whose console is meant, and signing in and out
//	today.go          the bookings of a day
//	calendar.go       the calendar
//	bookings.go       the list of bookings, and the routes of bookings
//	booking.go        a booking with its money, its history and its messages
//	new.go, move.go, end.go, refund.go  what is done with a booking
//	customers.go, customer.go  the list of customers, and a customer with all that belongs to it
//	customer_form.go, customer_end.go  making, changing, archiving, merging, erasing and exporting customers
//	payments.go, payment.go  the list of payments, a payment and its receipt, and the routes of money
//	wallets.go, wallet.go, transfer.go  wallets and gift cards, their entries, and what changes them
//	account.go        the business's own account at the payment provider
//	reconciliation.go comparing payments with the payment provider, in words
//	offline.go, till.go  money that no provider sees: recording it, handing it back, and its sums by day
//	hand_back.go      money that people have to hand back
//	secret.go         a secret that is shown once
//	reminders.go      the fields of a reminder
//	things.go         the pages of a kind of things: list, new, change, archive
//	catalog.go        what the pages of the catalog and other pages with forms show
//	services.go, service_fields.go  services, with a preview of the weeks that follow
//	resources.go, hours.go, hours_form.go  resources, and their hours and the tenant's
//	closures.go, blocks.go  what is closed, and what is blocked
//	settings.go, settings_fields.go  the tenant's settings
//	logo.go           the tenant's logo
//	keys.go           API keys
//	webhooks.go, deliveries.go, replay.go  webhook endpoints, what was delivered to them, and delivering it again
//	events.go         scheduled events
//	moment.go, lengths.go  fields with a date and a time of day, and with a length
//	form.go, form_view.go  a form that is described by its fields, and makes a document of the API of them
//	links.go          links and tabs
//	users.go          who signs in
package console
