// Package sandbox is a payment service provider for development and tests. It moves no money, and it keeps its word like
// a real one: what it acknowledged survives a kill, idempotency keys are honoured until they expire, webhooks are signed
// and delivered at least once.
//
// Server is the provider: an HTTP API over a journal in one file. Client is the payment.Provider that talks to it. The
// two share nothing but the API, so that a server can run in a process of its own. Test methods ("pm_declined") choose
// what happens to a charge, faults (Server.Inject) what happens to requests and webhooks. docs/sandbox.md describes
// them all.
package sandbox
