package store_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

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

func TestRead_ThatPanics_GivesItsConnectionBack(t *testing.T) {
	t.Parallel()
	tracer := new(panicTracer)
	s := storetest.Open(t, store.Config{URL: storetest.Database(t), MaxConns: 2, Tracer: tracer})
	for name, read := range map[string]func() error{
		"as a tenant":    func() error { _, err := s.Resources(t.Context(), uuid.New(), store.Page{Limit: 1}); return err },
		"as the login":   func() error { _, err := s.LockTable(t.Context()); return err },
		"of all tenants": func() error { _, err := s.LapsedHolds(t.Context(), 1); return err },
	} {
		tracer.armed.Store(true)
		for range 3 { // more often than there are connections
			require.PanicsWithValue(t, "planted", func() { _ = read() }, name)
		}
		tracer.armed.Store(false)
		require.NoError(t, read(), name)
	}
}
