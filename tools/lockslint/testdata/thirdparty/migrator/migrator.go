// Package migrator is somebody else's.
package migrator

// DefaultLockID is its lock.
const DefaultLockID int64 = 77

// Up takes it.
func Up() string { return "SELECT pg_advisory_lock($1)" }
