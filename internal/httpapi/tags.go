package httpapi

import "holdfast/internal/httpapi/document"

// tags returns the groups of operations in the order in which readers see them: a booking first, what it needs, what
// follows from it, and the operator last.
func tags() []document.Tag {
	return []document.Tag{
		{Name: "Bookings", Description: "Make, hold, confirm, move, change and end bookings, and see what they would cost. " +
			"[A tour](/docs/tour) makes the first one."},
		{Name: "Holds", Description: "What visitors of a tenant's website do, with a publishable key. " +
			"[Booking on a website](/docs/websites)"},
		{Name: "Services", Description: "What is sold, and when it is free. [How to model what you sell](/docs/modelling)"},
		{Name: "Resources", Description: "What serves a booking, such as a room, a person or a boat, and its opening hours."},
		{Name: "Closures", Description: "Dates and hours on which nothing new can be booked."},
		{Name: "Blocks", Description: "Time of a resource that is taken without a booking."},
		{Name: "Customers", Description: "Who books: find, change, merge, export and erase them. [Customers](/docs/customers)"},
		{Name: "Payments", Description: "Payments, refunds, balances and receipts. [Payments](/docs/payments)"},
		{Name: "Wallets", Description: "Customers' credit and gift cards. [Wallets](/docs/wallets)"},
		{Name: "Events", Description: "What happened, in order, nothing missed and nothing twice. [Events](/docs/events)"},
		{Name: "Webhooks", Description: "Endpoints of yours to which events are delivered, and what is delivered. " +
			"[Webhooks](/docs/webhooks)"},
		{Name: "Scheduled events",
			Description: "What will happen at a time, such as a reminder. [Messages](/docs/messages)"},
		{Name: "Settings", Description: "The tenant's settings, opening hours and emails."},
		{Name: "API keys", Description: "The tenant's keys and what they may do. [Scopes](/docs/calling#api-keys-and-scopes)"},
		{Name: "Users", Description: "People who sign in to the console, and their roles. [The console](/docs/console)"},
		{Name: "Administration",
			Description: "For the operator of the server, with its admin key: tenants, their keys, and locks."},
	}
}
