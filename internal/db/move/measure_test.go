package move_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/move"
	"holdfast/internal/problem"
)

func TestMeasure_CountsAllRowsAndMovesNothing(t *testing.T) {
	t.Parallel()
	from, to := newCell(t), newCell(t)
	tenant := from.newTenants(t, 1)[0]
	before := from.rows(t, tenant)
	few, err := move.Measure(t.Context(), from.store, to.store, tenant)
	require.NoError(t, err)
	require.Zero(t, few.Measured)
	require.Positive(t, few.RowsPerSecond)
	_, err = from.sql.Exec(t.Context(), `INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice,
		occurred_at, data) SELECT $1, gen_random_uuid(), 'booking.reminder', 'booking', gen_random_uuid(), 1, true, now(), '{}'
		FROM generate_series(1, 3000)`, tenant)
	require.NoError(t, err)
	many, err := move.Measure(t.Context(), from.store, to.store, tenant)
	require.NoError(t, err)
	require.Equal(t, few.Rows+3000, many.Rows)
	require.GreaterOrEqual(t, many.Measured, int64(3000))
	require.Positive(t, many.Pause())
	to.requireNothing(t, tenant)
	m, err := move.Find(t.Context(), from.store, tenant)
	require.NoError(t, err)
	require.Nil(t, m)
	after := from.rows(t, tenant)
	delete(before, "changes")
	delete(after, "changes")
	require.Equal(t, before, after)

	_, err = move.Measure(t.Context(), from.store, to.store, uuid.New())
	require.True(t, problem.Is(err, problem.NotFound), err)
}
