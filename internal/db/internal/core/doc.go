// Package core is the transaction core: it gives each transaction its tenant, locks, clock, stored response, records of
// changes, two batches and retries. It knows no domain. A transaction costs at most two round trips: the first batch
// begins it, makes its settings, takes its locks and reads; the second batch writes and commits. The transactions of
// package db are small types on Tx. Only internal/db and the packages below it can import it.
//
//	limits.go      time limits that have no setting
//	errors.go      SQLSTATEs, what failures of statements mean, and what callers see of errors
//	uuid.go        how ids are sent to PostgreSQL
//	batch.go       statements that cross the network together
//	metrics.go     the figures of locks, transactions and the pool
//	connection.go  no cancel requests, and warnings at COMMIT: the wait for a standby must not end early unnoticed
//	pooler.go      whether statements are prepared
//	changes.go     the record of a change, and its actor
//	events.go      scheduled events, and the queue of what a commit writes of both
//	wake.go        waking workers and readers of the feed
//	db.go          DB: the pool, its settings, the queues of locks
//	open.go        opening and closing it, and the standby's
//	handle.go      what stands for a DB to packages that must not use it
//	session.go     connections outside of the pool
//	listen.go      waiting to be woken
//	citus.go       which node of Citus a connection is made to, and what is different there
//	restored.go    what the feed of a restored or moved database needs
//	cleanup.go     the cleanup of expired keys, under a session lock
//	outcome.go, request.go  requests that must not happen twice, and what becomes of one that is repeated
//	acquire.go     permits of the queues of locks, and a connection
//	tx.go          one transaction, and what is asked of it
//	send.go        its beginning, its batches, its end
//	lock_kinds.go  which kind of lock wasn't granted, for metrics
//	trace.go       spans of waiting and of batches
//	queue.go       queueing statements
//	responses.go   the idempotency keys of a transaction and the responses stored under them
//	records.go     writing scheduled events and the records of changes
//	commit.go      COMMIT, with the stored responses and the records
//	shared.go      transactions that several requests share
//	retry.go       running a transaction again, and reporting unknown outcomes
//	run.go         the one way of a change: locks, reads, the stored response, the decision, the refusal, the commit
//	stale.go       what a request allows its reads: to be stale by some time
//	lag.go         how stale a standby is, by positions in the write-ahead log
//	standby.go     reading from a standby
//	onetrip.go     transactions of one batch
//	owner.go       transactions of the tables' owner, on a connection of their own
package core
