package idempotency_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/idempotency"
	"holdfast/internal/store"
	"holdfast/internal/store/storetest"
)

func TestBegin_LookUpPanics_LeavesTheKeyFree(t *testing.T) {
	t.Parallel()
	tracer := new(storetest.PanicTracer)
	guard := idempotency.NewGuard(storetest.Open(t, store.Config{URL: storetest.Database(t), Tracer: tracer}))
	r, err := idempotency.NewRequest([]string{"key"}, "POST", "/", nil)
	require.NoError(t, err)
	scope := uuid.New()
	first, _, err := guard.Begin(t.Context(), scope, r)
	require.NoError(t, err)
	first.End(new(idempotency.Response), new(error))
	tracer.Armed.Store(true)
	require.PanicsWithValue(t, "planted", func() { _, _, _ = guard.Begin(t.Context(), scope, r) })
	tracer.Armed.Store(false)
	again, _, err := guard.Begin(t.Context(), scope, r)
	require.NoError(t, err, "no request has the key's turn")
	again.End(new(idempotency.Response), new(error))
}
