package core

import (
	"context"
	"sync/atomic"
	"time"
)

// StaleRead is how old what a request reads may be, and whether it got such a read.
type StaleRead struct {
	within time.Duration
	served atomic.Bool
}

type staleReadKey struct{}

// AllowStale returns a context in which ReadMaybeStale may read from the standby what is as of a moment that lies at
// most within before the read began. The StaleRead tells whether it did.
func AllowStale(ctx context.Context, within time.Duration) (context.Context, *StaleRead) {
	s := &StaleRead{within: within}
	return context.WithValue(ctx, staleReadKey{}, s), s
}

// Served reports whether the standby served a read that counts.
func (s *StaleRead) Served() bool { return s != nil && s.served.Load() }

// Fresh returns a context in which everything is read from the primary, and whether that wasn't so before. What the
// standby has served doesn't count any more: the caller reads it again.
func Fresh(ctx context.Context) (fresh context.Context, changed bool) {
	s := staleReadOf(ctx)
	if s == nil {
		return ctx, false
	}
	s.served.Store(false)
	return context.WithValue(ctx, staleReadKey{}, (*StaleRead)(nil)), true
}

// staleReadOf returns what AllowStale made, nil if stale reads aren't allowed.
func staleReadOf(ctx context.Context) *StaleRead {
	s, _ := ctx.Value(staleReadKey{}).(*StaleRead)
	return s
}
