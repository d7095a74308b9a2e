package main

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// claimTimer measures how long the database takes for the claims of a store: a store.Config has it as its tracer.
type claimTimer struct {
	mu              sync.Mutex
	workers, fairly []time.Duration
}

type claimStart struct {
	at     time.Time
	fairly bool
}

type claimStartKey struct{}

// take returns what was measured since it was last called: claims from a time on, and claims by tenants.
func (c *claimTimer) take() (workers, fairly []time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	workers, fairly = c.workers, c.fairly
	c.workers, c.fairly = nil, nil
	return workers, fairly
}

// TraceQueryStart and TraceQueryEnd measure nothing: claims are sent in batches.
func (c *claimTimer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd does nothing.
func (c *claimTimer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart notes when a claim begins.
func (c *claimTimer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	for _, q := range data.Batch.QueuedQueries {
		if strings.HasPrefix(q.SQL, "-- name: EventClaim") {
			return context.WithValue(ctx, claimStartKey{}, claimStart{time.Now(), strings.HasPrefix(q.SQL, "-- name: EventClaimFairly")})
		}
	}
	return ctx
}

// TraceBatchQuery does nothing.
func (c *claimTimer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd notes how long a claim took.
func (c *claimTimer) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchEndData) {
	start, ok := ctx.Value(claimStartKey{}).(claimStart)
	if !ok {
		return
	}
	took := time.Since(start.at)
	c.mu.Lock()
	defer c.mu.Unlock()
	if start.fairly {
		c.fairly = append(c.fairly, took)
	} else {
		c.workers = append(c.workers, took)
	}
}
