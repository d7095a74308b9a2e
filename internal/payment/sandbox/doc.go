// Package sandbox is a payment service provider for development and tests. It charges nothing, and behaves like a real
// one: acknowledged orders survive a kill, idempotency keys are honoured until they expire, webhooks are signed and
// delivered at least once.
//
// Server is the provider: an HTTP API over a journal in one file. Client is its payment.Provider. They share only the
// API, so the server can run in a separate process. Test methods ("pm_declined") determine the outcome of a charge.
// Faults (Server.Inject) make requests and webhooks fail. docs/sandbox.md describes both.
package sandbox
