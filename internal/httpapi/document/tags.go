package document

// tags are the groups of operations in the order in which readers see them: a booking first, what it needs, what
// follows from it, and the operator last.
var tags = []struct{ name, description string }{
	{name: "Bookings", description: "Make, hold, confirm, move, change and end bookings, and see what they would cost. " +
		"[A tour](/docs/tour) makes the first one."},
	{name: "Holds", description: "What visitors of a tenant's website do, with a publishable key. " +
		"[Booking on a website](/docs/websites)"},
	{name: "Services", description: "What is sold, and when it is free. [How to model what you sell](/docs/modelling)"},
	{name: "Resources", description: "What serves a booking, such as a room, a person or a boat, and its opening hours."},
	{name: "Closures", description: "Dates and hours on which nothing new can be booked."},
	{name: "Blocks", description: "Time of a resource that is taken without a booking."},
	{name: "Customers",
		description: "Who books: find, change, merge, export and erase them. [Customers](/docs/customers)"},
	{name: "Payments", description: "Payments, refunds, balances and receipts. [Payments](/docs/payments)"},
	{name: "Wallets", description: "Customers' credit and gift cards. [Wallets](/docs/wallets)"},
	{name: "Events", description: "What happened, in order, nothing missed and nothing twice. [Events](/docs/events)"},
	{name: "Webhooks", description: "Endpoints of yours to which events are delivered, and what is delivered. " +
		"[Webhooks](/docs/webhooks)"},
	{name: "Scheduled events",
		description: "What will happen at a time, such as a reminder. [Messages](/docs/messages)"},
	{name: "Settings", description: "The tenant's settings, opening hours and emails."},
	{name: "API keys", description: "The tenant's keys and what they may do. [Scopes](/docs/calling#api-keys-and-scopes)"},
	{name: "Users", description: "People who sign in to the console, and their roles. [The console](/docs/console)"},
	{name: "Administration",
		description: "For the operator of the server, with its admin key: tenants, their keys, and locks."},
}
