// Command holdfast is the booking server and the commands around it.
//
//	main.go                 the commands, and the exit status
//	config.go, settings.go  the settings, and their checks
//	secret_files.go, keys.go  secrets that are in files, and keys that the server makes
//
// What the server is made of:
//
//	serve.go               the command that serves
//	wiring.go              the app with its settings
//	database.go            the databases of the cells, also one that the server starts itself
//	mail.go, payments.go   senders of email, and payment providers
//	metrics.go, traces.go  what is measured, and where traces go
//	demo.go                the tenant and the data of a demo
//
// The other commands:
//
//	tenant.go, tenant_changes.go, tenant_list.go  tenants and their API keys; the API's description
//	user.go             the people of a tenant, who sign in to its console
//	events.go, feed.go  scheduled events, and cursors of the feed
//	locks.go, locks_explain.go, locks_watch.go  locks, and what they are for
//	wallets.go, reconcile.go  checks of wallets, and of payments against the provider
//	cells_commands.go   cells, and moves between them
//	doctor.go, healthcheck.go  checks of an installation, and of a running server
//	cleanup.go          deleting expired idempotency keys
//	sandbox.go          the payment provider for development
package main
