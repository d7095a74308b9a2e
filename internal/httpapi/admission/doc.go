// Package admission decides which requests are worked on, and when, so that the overload of one client leaves the
// server to the others. It knows no routes: what a request costs and which class it has is declared with its route.
//
//	admission.go    the way of a request: addresses, rates, the queue, permits
//	visitors.go     requests and holds of a visitor of a tenant's website, known by the address; what an address sends without a tenant
//	ratelimit.go    token buckets: requests a second of an API key or a visitor
//	bulkhead.go     the queue and the permits to work, shared among clients
//	prefer.go       how long a client is willing to wait (Prefer: wait)
//	metrics.go      what all of that counts
//	limits.go       the bounds
//	description.go  what the OpenAPI document says about it
package admission
