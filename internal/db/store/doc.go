// Package store opens a database, and does with all of it what the operator asks for. What it still has is on its way to packages of its
// own.
//
//	core.go                     what callers use of the core
//	store.go                    Store, which the methods of all files are on
//	feed.go                     the relay of the feed, and deleting what is old
//	directory.go                the directory of the cells
//
// Work of the operator:
//
//	locks.go                    reads of all tenants
//	tenantnamed.go              a tenant by its slug or id
//	preflight_check.go          what a check of a database is
//	preflight_server.go, preflight_locks.go, preflight_settings.go  checks: which server it is, that locks exclude, its settings
//	preflight_schema.go         checks: that the schema is the one of the migrations, and the login fit for it
//	preflight_standby.go        check: that a standby can serve reads
//	preflight_citus.go          check: that a database with Citus can be used
//	commits.go                  what commits wait for: the check, and Ready
//	preflight.go                all checks, before serving and on request
//	schema.go                   the schema of a cell
//	migrate.go                  migrations
//	moves.go, movewait.go       the steps of moving a tenant to another database, and what they wait for
//	moveplace.go, movemeasure.go  where a database is, and how long a move would take
//	movetables.go, moverows.go    the statements of the tables that go with a tenant, reading their rows, and deleting
//	                  what it left
//	movecopy.go                   the copy, while the tenant is served
//	movehandover.go, movedelta.go what came since the copy, and the commit that hands the tenant over
//
// Locks are taken in one order: advisory locks first, sorted, in the batch that begins the transaction; then rows that it reads:
// the settings, bookings by id, customers by id; and last what a commit writes, events by subject within each statement. New customers are
// written by email. Where two orders cross, PostgreSQL ends one transaction, and it is run again.
package store
