package tenant_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// testBundle is a database with one tenant, and the use cases on it.
type testBundle struct {
	url     string
	sql     *pgxpool.Pool
	store   *db.DB
	service *tenant.Service
	key     string        // the tenant's first key
	tenant  tenant.Tenant // authenticated by it
}

func setup(t *testing.T) *testBundle {
	t.Helper()
	b := &testBundle{url: dbtest.Database(t)}
	b.sql = dbtest.SQL(t, b.url)
	b.store = dbtest.Open(t, db.Config{URL: b.url, MaxConns: 8, LockTimeout: time.Minute})
	b.service = tenant.NewService(b.store)
	b.key = b.newTenant(t, "harbour").APIKey
	b.tenant = b.authenticate(t, b.key)
	return b
}

// another returns the use cases as another server process would have them.
func (b *testBundle) another(t *testing.T) *tenant.Service {
	t.Helper()
	s := dbtest.Open(t, db.Config{URL: b.url, MaxConns: 8, LockTimeout: time.Minute})
	return tenant.NewService(s)
}

func (b *testBundle) newTenant(t *testing.T, slug string) tenant.TenantBody {
	t.Helper()
	resp, err := b.service.Create(t.Context(), request(t),
		tenant.CreateRequest{Slug: slug, Name: "Harbour Tours", TimeZone: "Europe/Berlin", Currency: "EUR"})
	require.NoError(t, err)
	return bodyOf[tenant.TenantBody](t, resp)
}

func (b *testBundle) authenticate(t *testing.T, key string) tenant.Tenant {
	t.Helper()
	found, err := b.service.Authenticate(t.Context(), key)
	require.NoError(t, err)
	return found
}

// newKey makes a key on the request of the tenant's first key.
func (b *testBundle) newKey(t *testing.T, scopes ...operation.Scope) tenant.NewAPIKeyBody {
	t.Helper()
	resp, err := b.service.CreateKey(t.Context(), b.tenant, request(t), tenant.KeyRequest{Name: "Till", Scopes: scopes})
	require.NoError(t, err)
	return bodyOf[tenant.NewAPIKeyBody](t, resp)
}

// stored returns a key as it is listed.
func (b *testBundle) stored(t *testing.T, id uuid.UUID) tenant.Key {
	t.Helper()
	k, err := b.service.Key(t.Context(), b.tenant, id)
	require.NoError(t, err)
	return k
}

func request(t *testing.T) idempotency.Request {
	t.Helper()
	r, err := idempotency.NewRequest([]string{uuid.NewString()}, "POST", "/", nil)
	require.NoError(t, err)
	return r
}

func bodyOf[T any](t *testing.T, resp idempotency.Outcome) (body T) {
	t.Helper()
	require.NoError(t, json.Unmarshal(resp.Body, &body))
	return body
}

func requireCode(t *testing.T, code problem.Code, err error) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, code, problem.CodeOf(err), err)
}
