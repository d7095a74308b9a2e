// Package email makes emails and sends them. It knows no database and no bookings: plain values go in, emails come out.
//
//   - address.go: a mailbox, checked and made safe for a header.
//   - fold.go: how addresses are compared.
//   - senders.go: from which addresses a server sends, for itself and for tenants.
//   - message.go: an email and its bytes (RFC 5322, MIME).
//   - calendar.go: the calendar entry of a booking (iCalendar, RFC 5545 and 5546).
//   - kind.go: the kinds of email that Holdfast sends, and which of them can be unsubscribed from.
//   - variables.go: the data of an email, and the variables that a template may name.
//   - template.go: checks, renders and previews the templates that tenants write.
//   - defaults.go: the templates of tenants who wrote none.
//   - words.go, words_de.go, words_es.go: the words of emails to customers, by language.
//   - owner.go, owner_words.go: emails to the tenant itself, which have no template, and their words.
//   - sender.go: the port that sends, and the error that says that a retry is useless.
//   - smtp.go: sends by SMTP.
//   - directory.go: keeps the emails as files instead.
//   - unsubscribe.go: the tokens of unsubscribe links.
package email
