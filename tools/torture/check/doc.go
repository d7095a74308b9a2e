// Package check judges a torture run. It compares the history, which clients kept outside of the program, with what is
// there at the end, which it reads past the program from PostgreSQL and from the payment provider's journal.
//
// What clients saw and what is stored must agree with one order of all changes of a calendar in which every answer is
// right (linearizability, decided by porcupine). The order of the changes is known: each carries the database's time,
// read under the date's lock. So is which of the requests without an answer happened: their key is stored with the
// change. Both are claims of the program, and checked: an order that contradicts what clients saw, a change without its
// key or a key without its change is a violation.
//
// The rules are sound for a database whose clock doesn't go back: a program that keeps its contract has no violation.
//
//	check.go  Check, and the rules
//	state.go, cells.go, schedule.go  what is there at the end, also after moves between cells, and what events became
//	request.go, keys.go, answers.go  requests with their answers, what is stored of them, and whether they agree
//
// The order of a calendar's changes:
//
//	calendar.go, events.go, stays.go  a calendar, its events, and the stays that they are about
//	partition.go           which events and reads can touch each other
//	order.go, clock.go     the search for an order, and what clients' clocks say of it
//	reads.go, versions.go  what reads saw, and which versions
//
// The other rules:
//
//	bookings.go, claims.go  bookings that overlap, and the time that they take
//	bookingevents.go, changes.go, amendments.go  the records of changes, and what amendments changed
//	money.go                what is charged and refunded, against the provider's journal
//	wallets.go, walletstate.go, walletmodel.go, walletpayments.go  wallets, their entries, and what they paid
//	deliveries.go, reminders.go  webhooks and reminders
//	visitors.go             what visitors of a website are told
package check
