// Package lockview shows the locks of a database to its operator: advisory ones under their names, with who holds them
// and who waits, and for whatever lock, who keeps whom waiting. What is shown is put together by plain functions;
// Service reads it.
//
//	view.go            the locks under their names
//	chain.go           who keeps whom waiting
//	registry.go        what docs/locks-registry.md says of a lock
//	service.go         Service: the use cases
//	operations.go      what can be asked of locks
//	representation.go  what the API and the commands show
//	sql.go             the statements
package lockview
