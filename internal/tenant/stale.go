package tenant

import (
	"context"
	"time"

	"holdfast/internal/db"
)

// StaleRead is how old what a request reads may be, and whether a standby served it.
type StaleRead = db.StaleRead

// AllowStale returns a context in which lists and availability may be read from a standby, as of a moment that lies at
// most within before the read began. The StaleRead tells whether they were.
func AllowStale(ctx context.Context, within time.Duration) (context.Context, *StaleRead) {
	return db.AllowStale(ctx, within)
}
