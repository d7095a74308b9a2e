package db_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/cell"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/lock"
	"holdfast/internal/tenant/tenanttest"
)

func newTenant(t testing.TB, s *db.DB) uuid.UUID {
	t.Helper()
	id := uuid.New()
	require.NoError(t, tenanttest.Insert(t.Context(), s, id))
	return id
}

func TestRowLevelSecurity_AStatementWithoutItsTenantSeesNothing(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	s := dbtest.Open(t, db.Config{URL: url})
	mine, theirs := newTenant(t, s), newTenant(t, s)
	sql := dbtest.SQL(t, url)
	for _, step := range []struct {
		setting string
		visible int
	}{{"", 0}, {mine.String(), 1}, {theirs.String(), 1}, {uuid.NewString(), 0}} {
		tx, err := sql.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(),
			"SELECT set_config('role', 'holdfast_app', true), set_config('holdfast.tenant_id', $1, true)",
			step.setting)
		require.NoError(t, err)
		var n int
		require.NoError(t, tx.QueryRow(t.Context(), "SELECT count(*) FROM tenants").Scan(&n))
		require.Equal(t, step.visible, n, step.setting)
		_, err = tx.Exec(t.Context(),
			"INSERT INTO resources VALUES ($1, $2, 'x', 1, '{}', now(), now())", uuid.New(), uuid.New())
		require.ErrorContains(t, err, "row-level security")
		require.NoError(t, tx.Rollback(t.Context()))
	}
}

func TestCalendar_OppositeDatesAtOnce_NeverDeadlock(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	stores := []*db.DB{dbtest.Open(t, db.Config{URL: url}), dbtest.Open(t, db.Config{URL: url})}
	tenant := newTenant(t, stores[0])
	dates := []lock.Date{{Year: 2027, Month: 7, Day: 1}, {Year: 2027, Month: 7, Day: 2}, {Year: 2027, Month: 7, Day: 3}}
	errs := make(chan error)
	for i, s := range stores {
		order := dates
		if i == 1 {
			order = []lock.Date{dates[2], dates[1], dates[0]}
		}
		go func() {
			for range 200 {
				keys, err := lock.Dates(tenant, order...)
				if err == nil {
					err = s.Dates(context.Background(), nil, keys, func(tx *db.DatesTx) func() error {
						return func() error {
							tx.EndEvents("test", uuid.New(), "test")
							return nil
						}
					})
				}
				if err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	for range stores {
		require.NoError(t, <-errs)
	}
}

// PostgreSQL compiles plans that seem costly, which takes seconds, unless it is told not to.
func TestTransactions_DatabaseCompilesCostlyPlans_AreNotCompiled(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t) + "&jit=on"
	s, sql := dbtest.Open(t, db.Config{URL: url}), dbtest.SQL(t, url)
	_, err := sql.Exec(t.Context(), `CREATE TABLE seen (by text, jit text);
		CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
		BEGIN
			INSERT INTO seen VALUES (TG_TABLE_NAME, current_setting('jit'));
			RETURN NULL;
		END $$;
		CREATE TRIGGER noted AFTER INSERT ON tenants EXECUTE FUNCTION note();
		CREATE TRIGGER noted AFTER UPDATE ON feed_positions EXECUTE FUNCTION note();
		CREATE TRIGGER noted AFTER INSERT ON cell_directory EXECUTE FUNCTION note();
		INSERT INTO cell_directory (tenant_id, slug, cell) VALUES (gen_random_uuid(), 'first', 'home')`)
	require.NoError(t, err)
	id := newTenant(t, s)
	_, err = event.RelayFeed(t.Context(), s, 1)
	require.NoError(t, err)
	_, err = cell.SlugsOf(s, "home").Reserve(t.Context(), "second", id)
	require.NoError(t, err)
	rows, err := sql.Query(t.Context(), "SELECT by || ' ' || jit FROM seen")
	require.NoError(t, err)
	seen, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.ElementsMatch(t,
		[]string{"cell_directory on", "tenants off", "feed_positions off", "cell_directory off"}, seen,
		"on is that of the test's own session")
}
