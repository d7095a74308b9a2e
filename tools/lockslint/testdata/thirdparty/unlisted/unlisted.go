// Package unlisted is somebody else's.
package unlisted

// Up takes a lock.
func Up() string { return "SELECT pg_advisory_lock(1)" }
