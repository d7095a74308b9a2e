// Package sandbox is a payment service provider for development and tests. It charges nothing, and behaves like a real
// one: acknowledged orders survive a kill, idempotency keys are honoured until they expire, webhooks are signed and
// delivered at least once.
//
// Server is the provider: an HTTP API over a journal in one file. Client is its payment.Provider. They share only the
// API, so the server can run in a separate process. Test methods ("pm_declined") determine the outcome of a charge.
// Faults (Server.Inject) make requests and webhooks fail. docs/sandbox.md describes both.
//
//	server.go, listen.go     Server
//	api.go, response.go, wire.go  the routes of the API, its responses and its types
//	orders.go, validate.go, idempotency.go  charges and refunds, their checks, each once for its key
//	cancel.go, lookups.go    ending an open charge; reading charges and refunds
//	methods.go               the test methods
//	actions.go, checkout.go  the pages that customers see
//	accounts.go              accounts of businesses
//	admin.go, faults.go      faults, and requests that set them
//	webhooks.go, signature.go  webhooks, and what signs them
//	journal.go               the file
//	client.go, client_accounts.go  Client
package sandbox
