// Package preflight brings a database to the newest schema, and finds out whether Holdfast can serve on it: before a
// server serves, while it does, and when an operator asks.
//
//	preflight.go    all checks in their order: Check, and Diagnose
//	check.go        what a check is, and what it found
//	server.go       checks: which server it is, and that there is one
//	locks.go        checks: that locks exclude, and what was committed under one is seen
//	settings.go     checks: settings of the server
//	schema.go       checks: that the schema is the one of the migrations, and the login fit for it
//	standby.go      check: that a standby can serve reads
//	citus.go        check: that a database with Citus can be used
//	commits.go      what commits wait for: the check, and Ready
//	identity.go     which database it is, and its version
//	migrate.go      migrations
//	searchpath.go   the schema that search_path names
package preflight
