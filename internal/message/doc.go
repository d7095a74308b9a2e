// Package message sends what people receive. internal/booking plans and decides; here an event becomes an email.
//
//   - service.go: the use cases, and what they need.
//   - email.go: the kind of event that sends one email.
//   - render.go: the data and the calendar entry of an email.
//   - preview.go: emails as they would read.
//   - unsubscribe.go: customers who want no more greetings.
package message
