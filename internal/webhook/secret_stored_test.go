package webhook_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/webhook"
)

// tablesWith returns the tables that have a text, also as bytes.
func (b *testBundle) tablesWith(t testing.TB, text string) (found []string) {
	t.Helper()
	rows, err := b.sql.Query(t.Context(),
		"SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename")
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	for _, table := range tables {
		var has bool
		query := "SELECT coalesce(bool_or(position($1 IN t::text) > 0 OR position($2 IN t::text) > 0), false) FROM " +
			pgx.Identifier{table}.Sanitize() + " AS t"
		require.NoError(t, b.sql.QueryRow(t.Context(), query, text, hex.EncodeToString([]byte(text))).Scan(&has))
		if has {
			found = append(found, table)
		}
	}
	return found
}

func TestSecret_MadeAndReplaced_IsStoredWithItsEndpointOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := answering(t, 500)
	create, rotate := newRequest(t), newRequest(t)
	r, err := b.service.Create(t.Context(), b.tenant, create,
		webhook.EndpointRequest{URL: rec.URL, Types: []webhook.EventType{"*"}})
	made := answered[webhook.EndpointWithSecretBody](t, r, err)
	r, err = b.service.RotateSecret(t.Context(), b.tenant, rotate, made.ID)
	rotated := answered[webhook.EndpointWithSecretBody](t, r, err)
	require.NotEqual(t, made.Secret, rotated.Secret)
	_, err = b.service.Ping(t.Context(), b.tenant, newRequest(t), made.ID)
	require.NoError(t, err)
	b.recordChange(t, "booking.created")
	b.run(t) // its attempts are logged
	for _, secret := range []string{made.Secret, rotated.Secret} {
		require.True(t, strings.HasPrefix(secret, "whsec_"))
		require.Equal(t, []string{"webhook_endpoints"}, b.tablesWith(t, strings.TrimPrefix(secret, "whsec_")))
	}
	r, err = b.service.RotateSecret(t.Context(), b.tenant, rotate, made.ID)
	require.Equal(t, webhook.EndpointWithSecretBody{EndpointBody: rotated.EndpointBody},
		answered[webhook.EndpointWithSecretBody](t, r, err))
	require.True(t, r.Replayed)
	require.Contains(t, b.tablesWith(t, create.Key()), "idempotency_keys", "stored responses are looked through")
}
