// Package store opens a database, and does with all of it what the operator asks for. What it still has is on its way to packages of its
// own.
//
//	core.go                     what callers use of the core
//	store.go                    Store, which the methods of all files are on
//
// Locks are taken in one order: advisory locks first, sorted, in the batch that begins the transaction; then rows that it reads:
// the settings, bookings by id, customers by id; and last what a commit writes, events by subject within each statement. New customers are
// written by email. Where two orders cross, PostgreSQL ends one transaction, and it is run again.
package store
