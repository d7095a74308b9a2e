package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
)

// What PostgreSQL says when its disk is full, and when it can't read its disk.
func TestServe_DatabaseIsOutOfResources_IsUnavailableUntilItIsMended(t *testing.T) {
	t.Parallel()
	k := newTill(t)
	p := k.startServer(t, k.database)
	s := newShop(t, p)
	sql := dbtest.SQL(t, k.database)
	for i, state := range []string{"53100", "58030"} {
		_, err := sql.Exec(t.Context(), `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
			$$BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '`+state+`'; END$$`)
		require.NoError(t, err)
		_, err = sql.Exec(t.Context(), "CREATE TRIGGER fail BEFORE INSERT ON bookings EXECUTE FUNCTION fail()")
		require.NoError(t, err)
		refused, err := s.book(p, state, slot(0, i))
		require.NoError(t, err)
		require.Equal(t, "503 database_unavailable", refused.outcome())
		require.NotEmpty(t, refused.header.Get("Retry-After"))
		require.Contains(t, string(refused.body), "disk space")
		_, err = sql.Exec(t.Context(), "DROP FUNCTION fail CASCADE")
		require.NoError(t, err)
		s.mustBook(t, p, state, slot(0, i))
	}
}
