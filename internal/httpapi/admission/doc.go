// Package admission decides which requests are worked on, and when, so that the overload of one client leaves the server to
// the others. It knows no routes: what a request costs and which class it has is declared with its route.
//
//	admission.go    the way of a request through the files below
//	ratelimit.go    requests a second of an API key
//	prefer.go       how long a client is willing to wait (Prefer: wait)
//	bulkhead.go     the queue and the places at work, shared among clients
//	workers.go      the goroutines that work
//	metrics.go      what all of that counts
//	description.go  what the OpenAPI document says about it
package admission
