// Package cell lets one server work for several cells: it knows which tenant is where, sends each request to its cell,
// and moves tenants. With one cell nothing of it runs.
//
// A cell is where a group of tenants lives: a connection to a PostgreSQL database, and a schema in it. Each cell has
// use cases, an API, a worker and a cleanup of its own, and every transaction stays inside one cell. So locks,
// constraints, the order of the feed and the claims of events mean in a cell what they mean where there is only one.
//
// The home cell keeps the directory: a row for each tenant. Servers have a copy of it in memory, which they renew every
// second. The copy may be old: then the cell that a tenant has left refuses the request.
//
//	spec.go       the cells' file: names and database URLs
//	directory.go  the copy of the directory
//	cells.go      the cells of a server, open or not yet, and what the directory lacks of them
//	router.go     which requests go to which cell
//	operator.go   the operator's requests: one tenant's, one cell's, lists over all cells
//	sql.go        the statements of the directory
//	move.go       the move of a tenant, step by step
//	metrics.go    the moves that have begun, for metrics and the warning of /readyz
package cell
