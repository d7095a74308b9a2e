package preflight_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/db/preflight"
	"holdfast/internal/postgres/pgtest"
)

// inTurns are the settings of a PgBouncer that takes the backend that has been idle longest.
var inTurns = map[string]string{"server_round_robin": "1"}

func TestPreflight_ATransactionPoolerBeforeTheSessionLock_IsRefused(t *testing.T) {
	t.Parallel()
	direct := dbtest.Database(t)
	for _, step := range []struct {
		name     string
		settings map[string]string
		backends int
	}{
		{"last one first", nil, 3},
		{"in turns", inTurns, 3},
		{"in turns of two", inTurns, 2},
		{"one backend", map[string]string{"default_pool_size": "1"}, 1},
	} {
		t.Run(step.name, func(t *testing.T) {
			t.Parallel()
			pooled := pgtest.PgBouncer(t, direct, step.settings)
			dbtest.WarmPooler(t, pooled, step.backends)
			const because = "goes through a transaction pooler"
			requireRefused(t, db.Config{URL: pooled}, "session locks", because)
			requireRefused(t, db.Config{URL: direct, DirectURL: pooled}, "session locks", because)
			s := dbtest.Open(t, db.Config{URL: direct, DirectURL: pooled})
			held, err := s.Cleanup(t.Context(), func(*db.Cleanup) error { return nil })
			require.ErrorIs(t, err, db.ErrPooled)
			require.False(t, held)
			require.ErrorContains(t, preflight.Migrate(t.Context(), pooled, nil), because)
		})
	}
}

func TestPreflight_APoolerInSessionMode_IsAccepted(t *testing.T) {
	t.Parallel()
	pooled := pgtest.PgBouncer(t, dbtest.Database(t), map[string]string{"pool_mode": "session"})
	require.NoError(t, preflight.Check(t.Context(), dbtest.Open(t, db.Config{URL: pooled})))
}

func TestPreflight_ATransactionPoolerWithADirectConnection_IsAccepted(t *testing.T) {
	t.Parallel()
	direct := dbtest.Database(t)
	for name, settings := range map[string]map[string]string{"last one first": nil, "in turns": inTurns,
		"two backends": {"default_pool_size": "2"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pooled := pgtest.PgBouncer(t, direct, settings)
			dbtest.WarmPooler(t, pooled, 2)
			s := dbtest.Open(t, db.Config{URL: pooled, DirectURL: direct})
			require.NoError(t, preflight.Check(t.Context(), s))
			require.Contains(t, preflight.Diagnose(t.Context(), s)[0].Meaning, "through a transaction pooler")
		})
	}
}

func TestPreflight_APoolerWithOneBackend_IsRefused(t *testing.T) {
	t.Parallel()
	direct := dbtest.Database(t)
	pooled := pgtest.PgBouncer(t, direct, map[string]string{"default_pool_size": "1"})
	requireRefused(t, db.Config{URL: pooled, DirectURL: direct}, "transaction locks",
		"can't begin while another one is open")
}
