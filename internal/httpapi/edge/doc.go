// Package edge is what every HTTP request passes, whatever its route.
//
//	server.go      the HTTP server with every limit set
//	listener.go    the listener: at most so many connections, in all and of an address
//	compress.go    gzip
//	operations.go  /healthz, /readyz and /metrics
//	edge.go        the router and its outermost middleware: request id, log, metrics, panics
//	tenant_source.go  groups of routes, and the part of their requests that tells the tenant
//	drain.go       refusing requests when the server shuts down
//	body.go, form.go  reading URL, body and form strictly
//	arrivals.go    how many bodies are on their way, in all and of an address
//	malformed.go   problem documents in place of net/http's own responses to what it can't read
//	framing.go     finding requests with an ambiguous length
//	problems.go    writing problem documents
//	log.go         the request log
//	trace.go       the spans of requests
//	metrics.go     the metrics of requests
//	failing.go     the tenants that get nothing but failures
//	static_text.go texts that stay the same, with their ETag
//	request.go     what is known of a request: its id, tenant, body and problem
package edge
