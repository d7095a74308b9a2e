package cell

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/tenant"
)

// What a crashed server doesn't have on its disk, it gives again: here transactions that wrote nothing.
func TestDirectory_IdsThatAreGivenAgainAfterACrash_AreNotMissed(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	st, sql := dbtest.Open(t, db.Config{URL: url}), dbtest.SQL(t, url)
	first, second := uuid.New(), uuid.New()
	names := []tenant.Name{{TenantID: first, Slug: "a"}, {TenantID: second, Slug: "b"}}
	require.NoError(t, addToDirectory(t.Context(), st, "one", names))
	entries, since, err := readDirectory(t.Context(), st, directoryBegin)
	require.NoError(t, err)
	require.Len(t, entries, 2)

	var lost int64
	for range 3 {
		require.NoError(t, sql.QueryRow(t.Context(), "SELECT pg_current_xact_id()::text::bigint").Scan(&lost))
	}
	require.Eventually(t, func() bool { // a transaction of another database may run since before the entries were added
		entries, since, err = readDirectory(t.Context(), st, since)
		require.NoError(t, err)
		return len(entries) == 0
	}, time.Minute, 5*time.Millisecond)
	_, err = sql.Exec(t.Context(), "UPDATE cell_directory SET cell = 'two', changed_in = $2 WHERE tenant_id = $1",
		first, lost)
	require.NoError(t, err)
	entries, _, err = readDirectory(t.Context(), st, since)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.Equal(t, first, entries[0].TenantID)
	require.Equal(t, "two", entries[0].Cell)

	// A directory that was restored to a time before is read from its beginning.
	const far = 1 << 40
	_, since, err = readDirectory(t.Context(), st, far)
	require.NoError(t, err)
	require.Equal(t, directoryBegin, since)
}
