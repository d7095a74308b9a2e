package dbtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// WarmPooler gives a pooler some backends, so that which one comes next is its choice.
func WarmPooler(t testing.TB, pooled string, backends int) {
	t.Helper()
	for range backends { // each in a transaction, until the test is ready to begin
		conn, err := pgx.Connect(t.Context(), pooled)
		require.NoError(t, err)
		defer func() { require.NoError(t, conn.Close(context.WithoutCancel(t.Context()))) }() //nolint:gocritic // all at the end
		_, err = conn.Exec(t.Context(), "BEGIN")
		require.NoError(t, err)
		defer func() { //nolint:gocritic // before it is closed
			_, err := conn.Exec(t.Context(), "ROLLBACK")
			require.NoError(t, err)
		}()
	}
}
