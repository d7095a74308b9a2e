// Package paymenttest is the conformance suite of payment providers: the rules that an adapter must keep so that each
// charge and refund happens once. It runs on every adapter, with as much of the provider as is available.
//
//	harness.go               Run, and what a test has
//	charges.go, checkouts.go, refunds.go, cancellations.go  what is done with money
//	keys.go                  orders that are sent more than once
//	lookups.go, webhooks.go  how a provider tells what became of an order
//	accounts.go              tenants' accounts
//	failures.go, closedport.go  calls that fail
package paymenttest
