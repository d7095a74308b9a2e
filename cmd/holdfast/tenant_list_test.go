package main

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/operation"
	"holdfast/internal/tenant"
)

func TestTenantList_TwoTenants_ShowsBothWithTheirKeys(t *testing.T) {
	t.Parallel()
	b := newEventsBundle(t)
	id := uuid.Must(uuid.NewV7())
	_, err := b.sql.Exec(t.Context(), `
		INSERT INTO api_keys (tenant_id, api_key_id, prefix, hash, name, scopes, created_at, revoked_at)
		VALUES ($1, $2, 'AAAAAAAA', decode(repeat('00', 32), 'hex'), E'Till\n1', '{read,book}', now(), now())`, b.a, id)
	require.NoError(t, err)
	run := func(arguments ...string) (string, int) {
		p, code := run(t, b.dir, []string{"HOLDFAST_DATABASE_URL=" + b.url},
			append([]string{"tenant"}, arguments...)...)
		return p.Stdout.String() + p.log(), code
	}
	printed, code := run("list")
	require.Zero(t, code, printed)
	require.Regexp(t, b.a.String()+` +tenant-a +active +UTC +EUR +\d{4}-\d\d-\d\d .* +A\n`, printed)
	require.Contains(t, printed, b.b.String())
	for _, name := range []string{"tenant-a", b.a.String()} {
		printed, code = run("keys", name)
		require.Zero(t, code, printed)
		require.Regexp(t, id.String()+` +read,book +\d{4}-.* +– +– +\d{4}-.* Till`, printed)
		require.NotContains(t, printed, "Till\n1")
	}
	printed, code = run("keys", "nobody")
	require.Equal(t, 1, code, printed)
	require.Contains(t, printed, `there is no tenant "nobody"`)

	tenants, code := runJSON[[]tenant.OperatorTenantBody](t, b, "tenant", "list", "--json")
	require.Zero(t, code)
	require.Len(t, tenants, 2)
	keys, code := runJSON[[]tenant.APIKeyBody](t, b, "tenant", "keys", "tenant-a", "--json")
	require.Zero(t, code)
	require.Len(t, keys, 1)
	require.Equal(t, []operation.Scope{operation.ScopeRead, operation.ScopeBook}, keys[0].Scopes)
	none, code := runJSON[[]tenant.APIKeyBody](t, b, "tenant", "keys", "tenant-b", "--json")
	require.Zero(t, code)
	require.Empty(t, none)
}
