// Package db is the door to the database: it alone begins transactions and takes locks, and it gives a connection to
// nobody. A subject keeps its statements in packages that sqlc generates below it, one for each lock, and runs them
// here: UnderWallet opens statements that need the lock of a wallet, and Statements.On takes only a transaction that
// holds it. So a program that runs a statement without its lock doesn't compile.
//
//	db.go            DB: opening a database, and what concerns all of it
//	statements.go    statements of a subject, and queueing them
//	transaction.go   transactions, as a subject sees them
//	group.go         transactions for dates that several requests share
//	read.go          reading without a lock
//	write.go         changing something without an advisory lock
//	worker.go        recording what became of work for several tenants
//	wallets.go       transactions that hold the locks of wallets
//	balance.go       transactions that hold the balance lock of a booking
//	dates.go         transactions that hold the locks of dates
//	core.go          what subjects use of the core: requests, outcomes, changes, events
//	interval.go      a duration as generated code takes it
//	rows.go          rows and parameters of generated code in other types
//	failures.go      what failures of statements mean
//
// The core below this package (internal/core) knows no subject. A transaction of it costs at most two round trips: the
// first batch begins it, makes its settings, takes its locks and reads; the second batch writes and commits.
// Transactions run at READ COMMITTED as the role holdfast_app, which row-level security confines to the transaction's
// tenant.
//
// Locks are taken in one order: advisory locks first, sorted, in the batch that begins the transaction; then rows that
// it reads, in the order that package dbtest watches; and last what a commit writes. Where two orders cross, PostgreSQL
// ends one transaction, and it is run again.
package db
