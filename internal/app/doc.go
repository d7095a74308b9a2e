// Package app wires a server: it makes every use case of a database once, serves the API, the pages and the consoles
// with them, and does their work in the background. The command serve and all tests of whole servers use it.
//
//	server.go  a server of one cell or of several: opening, announcing its end, closing
//	cells.go   several cells, which are opened in the background
//	app.go     what serves the tenants of one database
//	work.go    its work in the background
//	edges.go   the end of a server's HTTP edges
package app
