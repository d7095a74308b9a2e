// Package edge is what every HTTP request passes, whatever its route.
//
//	server.go      the HTTP server with every limit set
//	listener.go    the listener: at most so many connections
//	malformed.go   problem documents in place of net/http's own responses to what it can't read
//	compress.go    gzip
//	edge.go        the router and its one middleware: request id, log, metrics, panics
//	request.go     what is known of a request: its id, tenant, body and problem
//	drain.go       refusing requests when the server shuts down
//	body.go        reading URL and body strictly
//	problems.go    writing problem documents
//	panic.go       answering panics
//	log.go         the request log
//	metrics.go     the metrics of requests
//	operations.go  /healthz, /readyz and /metrics
//
// A file uses those below it in this list; problems.go and request.go are used by all.
package edge
