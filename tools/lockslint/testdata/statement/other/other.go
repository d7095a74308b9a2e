// Package other is somebody else's.
package other

// Lock is SQL.
const Lock = "SELECT pg_advisory_xact_lock($1)"
