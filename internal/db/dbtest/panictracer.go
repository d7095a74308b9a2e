package dbtest

import (
	"context"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// PanicTracer panics with "planted" when a DB sends a batch, while it is Armed.
type PanicTracer struct{ Armed atomic.Bool }

// TraceBatchStart panics while the tracer is armed.
func (p *PanicTracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	if p.Armed.Load() {
		panic("planted")
	}
	return ctx
}

// TraceBatchQuery does nothing.
func (p *PanicTracer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd does nothing.
func (p *PanicTracer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// TraceQueryStart does nothing.
func (p *PanicTracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd does nothing.
func (p *PanicTracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
