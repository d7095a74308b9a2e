package lock

// Global is a lock whose id is a fixed number and whose scope is the whole database. Ids are appended
// here and in docs/locks-registry.md and never used again for something else.
type Global int64

const (
	// IdempotencyCleanup is the session lock under which one instance at a time deletes expired
	// idempotency keys.
	IdempotencyCleanup Global = 42424242

	// Goose is the session lock that goose's locker takes while it migrates. It is goose's number
	// (lock.DefaultLockID of github.com/pressly/goose/v3), listed so that nothing of ours collides.
	Goose Global = 4097083626
)

// ID returns the bigint that PostgreSQL locks.
func (g Global) ID() int64 { return int64(g) }
