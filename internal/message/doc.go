// Package message plans and sends what people receive: reminders, notices of balances, follow-ups, greetings, and
// emails that tell of changes.
//
// A message is derived from what is stored. It is planned when it is near, and the checks just before it is sent decide
// by what is so then:
//
//	occurrence.go     which messages there are, and when they are due
//	change_emails.go  which emails tell of a change
//	payment_change.go   what a change of a booking's money says, and which emails it causes
//	checks.go         why a message isn't sent
//	data.go           what messages tell and depend on
//	plan.go           the kind of event that plans what follows from changes of a booking or a customer
//	plan_ahead.go, dates.go  the kind that plans what is due soon of a tenant, and the dates of the bookings that it reads
//	kinds.go          the kinds of messages: each writes a notice and plans an email
//	email.go, render.go  the kinds of events that send one email, its data and its calendar entry
//	payment_email.go  emails to customers about their payments
//	owner_email.go    emails to the tenant itself
//
// Use cases are methods on Service:
//
//	sql.go            the statements of messages
//	service.go        the use cases, and what they need
//	upcoming.go       messages that will be planned
//	preview.go        emails as they would read
//	unsubscribe.go    customers who want no more greetings
package message
