package check_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/tools/torture/check"
)

const (
	firstTenant  = "00000000-0000-0000-0000-00000000000a"
	secondTenant = "00000000-0000-0000-0000-00000000000b"
	insertTenant = `INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at)
		VALUES ($1::uuid, $1::text, 'A', 'UTC', 'EUR', now())`
)

// newCells returns two cells whose directory has the first tenant in the first one and the second tenant in the second
// one.
func newCells(t *testing.T) []check.Database {
	t.Helper()
	cells := []check.Database{{Cell: "one", URL: dbtest.Database(t)}, {Cell: "two", URL: dbtest.Database(t)}}
	for _, c := range cells {
		require.NoError(t, check.Watch(t.Context(), c))
	}
	for tenant, cell := range map[string]string{firstTenant: "one", secondTenant: "two"} {
		_, err := dbtest.SQL(t, cells[0].URL).Exec(t.Context(),
			"INSERT INTO cell_directory (tenant_id, slug, cell) VALUES ($1::uuid, $1::text, $2)", tenant, cell)
		require.NoError(t, err)
	}
	return cells
}

func TestReadAll_TenantsThatAreElsewhere_AreFound(t *testing.T) {
	t.Parallel()
	cells := newCells(t)
	for _, c := range cells {
		_, err := dbtest.SQL(t, c.URL).Exec(t.Context(), insertTenant, firstTenant)
		require.NoError(t, err)
	}
	state, err := check.ReadAll(t.Context(), cells, nil)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{
		"the tenant " + firstTenant + ` has 1 rows of tenants in the cell two, and the directory has it in "one"`,
		"the directory has the tenant " + secondTenant + " in the cell two, and it isn't there",
	}, state.WrongCells)
	require.Equal(t, map[string]string{firstTenant: "UTC"}, state.TimeZones)
}

// The copy of a tenant gives all rows the copy's transaction, and changes another number.
func TestReadAll_TenantThatMoved_KnowsWhichTransactionsWroteItsChanges(t *testing.T) {
	t.Parallel()
	const insertChanges = `
		INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data, transaction_id)
		SELECT $1::uuid, gen_random_uuid(), 'customer.updated', 'customer', $1::uuid, n, false, now(), '{}', $2
		FROM generate_series($3::int, $4::int) AS n`
	cells := newCells(t)
	one, two := dbtest.SQL(t, cells[0].URL), dbtest.SQL(t, cells[1].URL)
	require.NoError(t, pgx.BeginFunc(t.Context(), one, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), insertTenant, secondTenant)
		require.NoError(t, err)
		var id int64
		require.NoError(t, tx.QueryRow(t.Context(), "SELECT pg_current_xact_id()::text::bigint").Scan(&id))
		_, err = tx.Exec(t.Context(), insertChanges, secondTenant, id, 1, 2)
		return err
	}))
	rows, err := one.Query(t.Context(), "SELECT change_id::text FROM changes ORDER BY version")
	require.NoError(t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.NoError(t, pgx.BeginFunc(t.Context(), two, func(tx pgx.Tx) error {
		for _, sql := range []string{
			"SELECT set_config('application_name', 'holdfast move', true), set_config('holdfast.tenant_id', $1::text, true)", insertTenant,
		} {
			_, err := tx.Exec(t.Context(), sql, secondTenant)
			require.NoError(t, err)
		}
		for n, id := range ids {
			_, err := tx.Exec(t.Context(), `
				INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data,
					transaction_id)
				VALUES ($1::uuid, $2::uuid, 'customer.updated', 'customer', $1::uuid, $3, false, now(), '{}', -4611686018427387903)`,
				secondTenant, id, n+1)
			require.NoError(t, err)
		}
		return nil
	}))
	_, err = one.Exec(t.Context(), "DELETE FROM changes")
	require.NoError(t, err)
	_, err = one.Exec(t.Context(), "DELETE FROM tenants")
	require.NoError(t, err)
	_, err = two.Exec(t.Context(), insertChanges, secondTenant, 1, 3, 3)
	require.NoError(t, err)

	state, err := check.ReadAll(t.Context(), cells, nil)
	require.NoError(t, err)
	require.Len(t, state.Changes, 3)
	first, second, third := state.Changes[0], state.Changes[1], state.Changes[2]
	require.Equal(t, first.Transaction, second.Transaction)
	require.Equal(t, first.Transaction, first.WrittenBy)
	require.Positive(t, first.Transaction)
	require.Greater(t, third.Transaction, int64(1<<32), "ids of two cells differ")
	require.NotEqual(t, third.Transaction, third.WrittenBy, "it says that another transaction wrote it")
}
