// Package settings keeps what a tenant sends to its customers, and when, and where its visitors book.
//
//   - settings.go: the settings, and their bounds; plain values.
//   - booking_page.go: the page on which people book.
//   - visitor_limits.go: the most that a visitor takes at once.
//   - payment_emails.go: emails that tell customers of payments, and addresses that get emails about changes.
//   - logo.go: the image on that page, and the use cases of it.
//   - operations.go: what can be asked of them.
//   - representation.go: what the API shows of them.
//   - change.go: what a request makes of them.
//   - service.go: the use cases.
//   - sql.go: the statements.
//   - planning.go: the event that plans what the settings ask for.
package settings
