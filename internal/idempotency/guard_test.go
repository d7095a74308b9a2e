package idempotency_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/idempotency"
	"holdfast/internal/store"
	"holdfast/internal/store/storetest"
)

// panicTracer panics when a batch is sent, while it is armed.
type panicTracer struct{ armed atomic.Bool }

func (p *panicTracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}
func (p *panicTracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (p *panicTracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	if p.armed.Load() {
		panic("planted")
	}
	return ctx
}
func (p *panicTracer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (p *panicTracer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

func TestBegin_LookUpPanics_LeavesTheKeyFree(t *testing.T) {
	t.Parallel()
	tracer := new(panicTracer)
	guard := idempotency.NewGuard(storetest.Open(t, store.Config{URL: storetest.Database(t), Tracer: tracer}))
	r, err := idempotency.NewRequest([]string{"key"}, "POST", "/", nil)
	require.NoError(t, err)
	scope := uuid.New()
	first, _, err := guard.Begin(t.Context(), scope, r)
	require.NoError(t, err)
	first.End()
	tracer.armed.Store(true)
	require.PanicsWithValue(t, "planted", func() { _, _, _ = guard.Begin(t.Context(), scope, r) })
	tracer.armed.Store(false)
	again, _, err := guard.Begin(t.Context(), scope, r)
	require.NoError(t, err, "no request has the key's turn")
	again.End()
}
