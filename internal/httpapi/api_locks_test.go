package httpapi_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

func TestLocks_AreForAdministratorsOnly(t *testing.T) {
	t.Parallel()
	c := newServer(t).newTenant(t, "Europe/Berlin")
	requireProblem(t, c.get(t, "/admin/v1/locks", "Authorization", ""), http.StatusUnauthorized,
		problem.Unauthenticated)
	requireProblem(t, c.get(t, "/admin/v1/locks"), http.StatusForbidden, problem.Forbidden)
	a := c.admin().get(t, "/admin/v1/locks")
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, []any{}, a.field(t, "locks"))
	require.Equal(t, []any{}, a.field(t, "longest_wait"))
	require.WithinDuration(t, testtime.Now(), mustTime(t, a.text(t, "at")), time.Minute)
}

func TestLocks_OfATenant_AreToldWithItsNameAndHolder(t *testing.T) {
	t.Parallel()
	c := newServer(t).newTenant(t, "Europe/Berlin")
	keys, err := lock.Dates(c.tenant, lock.Date(future(0)))
	require.NoError(t, err)
	tx, err := c.sql.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	_, err = tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1)", keys.Keys()[0].ID())
	require.NoError(t, err)
	var answer struct {
		Locks []struct {
			Key   string
			Names []struct {
				Name, Pattern string
				TenantID      string `json:"tenant_id"`
			}
			Holders []struct {
				PID   uint32
				Query string
			}
			Waiters []any
		}
	}
	c.admin().get(t, "/admin/v1/locks").read(t, &answer)
	require.Len(t, answer.Locks, 1)
	l := answer.Locks[0]
	require.Equal(t, keys.Keys()[0].Name(), l.Names[0].Name)
	require.Equal(t, "{tenant}:{date}", l.Names[0].Pattern)
	require.Equal(t, c.tenant.String(), l.Names[0].TenantID)
	require.Equal(t, tx.Conn().PgConn().PID(), l.Holders[0].PID)
	require.Contains(t, l.Holders[0].Query, "pg_advisory_xact_lock")
	require.NotNil(t, l.Waiters)
	require.Empty(t, l.Waiters)
}

func mustTime(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return at
}
