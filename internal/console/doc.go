// Package console is what the people of a tenant see in a browser: their bookings and what belongs to them. It decides nothing about
// bookings or money. A page reads a form, calls the use case that the API calls, with the scopes of the person's role, and shows what has come
// of it. All forms work without JavaScript; assets/console.js shows pages beside the list that they were opened from, and the calendar.
//
//	console.go        the routes, and what each request passes
//	visit.go          a request: who is signed in, the tenant, the form
//	respond.go        rendering, headers and what a failure looks like
//	words.go, amounts.go, names.go  dates, amounts, states and names, in words
//	entrance.go, sign_in.go, oidc.go  whose console is meant, and signing in and out
//	today.go          the bookings of a day
//	calendar.go, blocking.go  the calendar, and blocking time on it
//	bookings.go       finding bookings, and the routes of bookings
//	booking.go        a booking with its money, its history and its messages
//	new.go, move.go, end.go, refund.go  what is done with a booking
//	customers.go, customer.go  finding customers, and a customer with all that belongs to it
//	customer_form.go, customer_end.go  making, changing, archiving, merging, erasing and exporting customers
//	payments.go, payment.go  finding payments, a payment and its receipt, and the routes of money
//	wallets.go, wallet.go, transfer.go  wallets and gift cards, their entries, and what changes them
//	account.go        the business's own account at the payment provider
//	reconciliation.go comparing payments with the payment provider, in words
//	offline.go, till.go  money that no provider sees: recording it, handing it back, and its sums by day
//	outcome.go        stored refusals, bounds of texts and pages of lists
//	catalog.go, services.go, service_fields.go, resources.go  the catalog, its services and its resources
//	hours.go, hours_form.go, closures.go, blocks.go  when nothing can be booked
//	settings.go, settings_fields.go  the settings, and how emails read
//	keys.go, webhooks.go, deliveries.go, replay.go, events.go  API keys, webhooks and scheduled events
//	form.go, form_view.go, links.go  forms of documents of the API, and the pages of a section
//	users.go          who signs in
package console
