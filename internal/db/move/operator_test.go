package move_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// newOperatorEndpoint makes an endpoint of the operator.
func (c cell) newOperatorEndpoint(t testing.TB, url, eventType string) uuid.UUID {
	t.Helper()
	id := uuid.New()
	_, err := c.sql.Exec(t.Context(), `INSERT INTO webhook_endpoints (tenant_id, endpoint_id, url, types, description, status, secret,
		failures,
		version, created_at, updated_at)
		VALUES ($1, $2, $3, ARRAY[$4], '', 'enabled', 's', 0, 1, now() - interval '1 hour', now())`, uuid.Nil, id, url, eventType)
	require.NoError(t, err)
	return id
}

// told returns the events of which an endpoint of the operator is to be told.
func (c cell) told(t testing.TB, endpoint uuid.UUID) (ids []uuid.UUID) {
	t.Helper()
	rows, err := c.sql.Query(t.Context(), `SELECT occurrence::uuid FROM scheduled_events
		WHERE tenant_id = $1 AND subject_id = $2 AND status = 'pending' ORDER BY 1`, uuid.Nil, endpoint)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var id uuid.UUID
		require.NoError(t, rows.Scan(&id))
		ids = append(ids, id)
	}
	require.NoError(t, rows.Err())
	return ids
}

func TestMove_OperatorHasNotBeenTold_TellsTheEndpointOfTheSameURLInTheTarget(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	const url, elsewhere = "https://example.com/operator", "https://example.com/elsewhere"
	source := a.newOperatorEndpoint(t, url, "*")
	all, some, none := b.newOperatorEndpoint(t, url, "*"), b.newOperatorEndpoint(t, url, "payment.*"),
		b.newOperatorEndpoint(t, elsewhere,
			"*")
	tenants := a.newTenants(t, 2)
	a.seen(t)
	_, events := a.feed(t, tenants[0])
	require.Len(t, events, 3)
	require.Len(t, a.told(t, source), 6)
	_, err := a.sql.Exec(t.Context(), `UPDATE scheduled_events SET status = 'completed' WHERE occurrence = $1`,
		events[0].String())
	require.NoError(t, err)

	newMove(a, b, tenants[0]).run(t, stepAhead, stepDelete)
	require.ElementsMatch(t, events[1:], b.told(t, all), "what was delivered isn't delivered again")
	require.Empty(t, b.told(t, some))
	require.Empty(t, b.told(t, none))
	require.Len(t, a.told(t, source), 5, "the operator's own rows don't move")
	var endpoints int
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT count(*) FROM webhook_endpoints WHERE tenant_id = $1",
		uuid.Nil).Scan(&endpoints))
	require.Equal(t, 3, endpoints)
}
