// Package event does what must happen at a time: holds expire, reminders go out, webhooks are delivered. A scheduled
// event is a row: it has a kind, a subject, and a time at which it is due. Workers on any number of instances lease
// what is due, and each event goes to one worker, which holds a lease on it.
//
//	recurrence.go   when something is due, as pure functions of dates, settings and time zones
//	event.go        Event, and New, which makes every event that is planned
//	names.go        names of the built-in kinds and types of subjects
//	kind.go         Kind: what the worker must know of the events of one kind
//	flow.go         Flow: how an event is handled: load, check, act
//	result.go       what became of an event, and errors of attempts
//	backoff.go      when a failed event is tried again
//	observer.go, metrics.go, log.go  notices of what happens to events
//	trace.go        the span of an attempt
//	worker.go       Worker: leases, and hands events to their kinds
//	poll.go         when a worker polls for work, and what there is to do
//	leasing.go      how much a worker leases of each kind, and of which tenants
//	leasing_deliveries.go  the same of webhook deliveries: how much of each endpoint
//	renewal.go      renewing the leases of events that take long, and when it is too soon to take events back
//	finish.go       recording what became of events, in batches
//	monitor.go      jobs: expired leases, and work without an event
//	relay.go        the job that plans webhook deliveries of changes, and the events that plan messages
//	retention.go    the jobs that delete old events
//	samples.go      metrics that are counted from the rows
//	scheduled.go    Scheduled: an event as it is stored
//	transition.go   which events can be cancelled and replayed
//	service.go      Service: what a tenant may do with its events
//	operator.go     Operator: what the operator may do with the events of all tenants
//	operations.go      what can be asked of scheduled events
//	representation.go  events as the API and the commands show them
//	sql.go             the statements of a tenant's events
//	sql_leasing.go, sql_leases.go, sql_finish.go  those of workers: leasing due events, renewing and ending leases on
//	                   them, and recording what became of them
//	sql_feed.go        those of the feed of changes: relaying it, and deleting what is old
//	sql_operator.go    those of the operator, of metrics and of retention
//
// Delivery is at least once: a worker that dies after it acted and before its result is recorded leaves the event to
// another worker. An event keeps its id, so that a receiver can tell.
//
// An event goes from pending to processing and to completed. If an attempt fails the event is failed until the next
// attempt is due, and dead after the last one. It is cancelled when it no longer makes sense.
package event
