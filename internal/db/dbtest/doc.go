// Package dbtest gives tests a migrated database of their own, and a watch over its locks.
//
//	dbtest.go            a database of its own for a test, and templates of databases
//	owned.go, tables.go  a database of a login that is no superuser, and a digest of all that a database holds
//	bookings.go          statements that write bookings past the program
//	compile.go           programs that the compiler must refuse
//	lockorder.go, roworder.go  tracers that fail a test for a wrong order of locks, and of rows
//	panictracer.go       a tracer that panics
//	gate.go              holding commits back
//	proxy.go             between a DB and its database: counts and changes what passes
//	pooler.go, citus.go  tests behind a pooler, and on Citus
package dbtest
