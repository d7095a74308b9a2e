// Package pgtest gives every test a PostgreSQL database of its own, quickly: one ephemeral cluster for the
// test process, one template database that is filled once, and a clone of it for each test.
//
// The cluster starts with the first test that asks for one and ends with the process, however that ends; no
// TestMain is needed. If HOLDFAST_TEST_DATABASE_URL is set, the databases are made on that server instead.
//
//	pgtest.go                a database for a test
//	cluster.go, tempdir_linux.go, tempdir_other.go  the cluster of the process, and where it is
//	machine.go    a directory for a server, as a machine of its own would have it
//	companion.go  programs that some tests need beside PostgreSQL
//	replicas.go, standby.go  standbys
//	pgbouncer.go             a pooler
package pgtest
