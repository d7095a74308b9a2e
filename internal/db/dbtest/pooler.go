package dbtest

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// WarmPooler gives a pooler some backends, so that which one comes next is its choice.
func WarmPooler(t testing.TB, pooled string, backends int) {
	t.Helper()
	var open []*pgx.Conn
	for range backends { // each in a transaction, until all have a backend
		conn, err := pgx.Connect(t.Context(), pooled)
		require.NoError(t, err)
		_, err = conn.Exec(t.Context(), "BEGIN")
		require.NoError(t, err)
		open = append(open, conn)
	}
	for _, conn := range open {
		_, err := conn.Exec(t.Context(), "ROLLBACK")
		require.NoError(t, err)
		require.NoError(t, conn.Close(t.Context()))
	}
}
