package preflight_test

import (
	"context"
	"database/sql"
	"log/slog"
	"testing"

	"github.com/google/uuid"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/db/preflight"
	"holdfast/internal/postgres/pgtest"
	"holdfast/migrations"
)

// migratedTo returns the URL of a database with the migrations up to a version.
func migratedTo(t *testing.T, version int64) string {
	t.Helper()
	url := pgtest.Database(t, nil)
	db, err := sql.Open("pgx", url)
	require.NoError(t, err)
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS)
	require.NoError(t, err)
	_, err = provider.UpTo(t.Context(), version)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	return url
}

func TestMigrate_TwiceAndAtOnce_Works(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	errs := make(chan error)
	for range 3 {
		go func() { errs <- preflight.Migrate(context.Background(), url, nil) }()
	}
	for range 3 {
		require.NoError(t, <-errs)
	}
}

func TestMigrate_KeysThatCouldReadTheCatalog_StillCan(t *testing.T) {
	t.Parallel()
	url := migratedTo(t, 23)

	conn := dbtest.SQL(t, url)
	tenant := uuid.New()
	_, err := conn.Exec(t.Context(), `
		WITH t AS (
			INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at)
			VALUES ($1, 'harbour', 'Harbour', 'UTC', 'EUR', now()))
		INSERT INTO api_keys (tenant_id, api_key_id, prefix, hash, name, scopes, created_at)
		SELECT $1, gen_random_uuid(), left(name, 8), decode(repeat('00', 32), 'hex'), name, scopes::text[], now()
		FROM (VALUES ('reader00', '{read,money}'), ('till0000', '{book}')) AS k (name, scopes)`, tenant)
	require.NoError(t, err)
	require.NoError(t, preflight.Migrate(t.Context(), url, nil))
	for name, want := range map[string][]string{"reader00": {"catalog", "read", "money"}, "till0000": {"book"}} {
		var scopes []string
		require.NoError(t, conn.QueryRow(t.Context(), "SELECT scopes FROM api_keys WHERE name = $1",
			name).Scan(&scopes))
		require.Equal(t, want, scopes, name)
	}
}

func TestMigrate_KeysThatBookAndTakePayments_MayGrantHolds(t *testing.T) {
	t.Parallel()
	url := migratedTo(t, 24)

	conn := dbtest.SQL(t, url)
	tenant := uuid.New()
	_, err := conn.Exec(t.Context(), `
		WITH t AS (
			INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at)
			VALUES ($1, 'harbour', 'Harbour', 'UTC', 'EUR', now()))
		INSERT INTO api_keys (tenant_id, api_key_id, prefix, hash, name, scopes, created_at)
		SELECT $1, gen_random_uuid(), left(name, 8), decode(repeat('00', 32), 'hex'), name, scopes::text[], now()
		FROM (VALUES ('all', '{catalog,read,book,customers,money,admin}'), ('sells', '{book,money}'), ('website', '{catalog}'),
			('till', '{read,book}'), ('admin', '{catalog,admin}')) AS k (name, scopes)`, tenant)
	require.NoError(t, err)
	require.NoError(t, preflight.Migrate(t.Context(), url, nil))
	for name, want := range map[string][]string{
		"all": {"catalog", "hold", "read", "book", "customers", "money", "admin"}, "sells": {"hold", "book", "money"},
		"website": {"catalog"}, "till": {"read", "book"}, "admin": {"catalog", "admin"},
	} {
		var scopes []string
		require.NoError(t, conn.QueryRow(t.Context(), "SELECT scopes FROM api_keys WHERE name = $1",
			name).Scan(&scopes))
		require.Equal(t, want, scopes, name)
	}
}

func TestMigrate_DetailsOfBookings_KeepReferencesAndTheBytesOfMetadata(t *testing.T) {
	t.Parallel()
	url := migratedTo(t, 44)
	conn := dbtest.SQL(t, url)
	tenant, resource, service := uuid.New(), uuid.New(), uuid.New()
	_, err := conn.Exec(t.Context(), `
		WITH t AS (
			INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at)
			VALUES ($1, 'harbour', 'Harbour', 'UTC', 'EUR', now())
		), r AS (
			INSERT INTO resources (tenant_id, resource_id, name, capacity, hours, created_at, updated_at)
			VALUES ($1, $2, 'Boat', 1, '{}', now(), now())
		), s AS (
			INSERT INTO services (tenant_id, service_id, spec, longest_minutes, created_at, updated_at)
			VALUES ($1, $3, '{"name": "Tour", "kind": "slot"}', 60, now(), now())
		)
		INSERT INTO service_resources (tenant_id, service_id, resource_id, position) VALUES ($1, $3, $2, 1)`,
		tenant, resource, service)
	require.NoError(t, err)
	type booking struct {
		metadata            string
		reference, external *string
		details             string
	}
	bookings := map[string]booking{
		"plain": {"{}", nil, nil, `{}`},
		"names": {"{}", new(`Müller "A"`), new("shop-1"), `{"reference":"Müller \"A\"","external_reference":"shop-1"}`},
		"bytes": {`{"b":"<&>",  "a":[1.50,null],"reference":"not its name"}`, nil, new("shop-2"),
			`{"external_reference":"shop-2","metadata":{"b":"<&>",  "a":[1.50,null],"reference":"not its name"}}`},
	}
	for code, b := range bookings {
		_, err := conn.Exec(t.Context(), `
			INSERT INTO bookings (tenant_id, booking_id, service_id, resource_id, status, date, starts_at, ends_at,
				time_zone, party_size, busy_from, busy_until, hold_expires_at, price, deposit, currency, metadata,
				reference, external_reference, unique_reference, code, version, created_at, updated_at)
			VALUES ($1, gen_random_uuid(), $3, $2, 'expired', '2027-07-01', '2027-07-01 10:00Z', '2027-07-01 11:00Z',
				'UTC', 1, '2027-07-01 10:00Z', '2027-07-01 11:00Z', now(), 0, 0, 'EUR', $4, $5, $6, true, $7, 1, now(), now())`,
			tenant, resource, service, b.metadata, b.reference, b.external, code)
		require.NoError(t, err)
	}
	require.NoError(t, preflight.Migrate(t.Context(), url, nil))
	for code, want := range bookings {
		got := booking{metadata: want.metadata}
		require.NoError(t,
			conn.QueryRow(t.Context(),
				"SELECT details::text, reference, external_reference FROM bookings WHERE code = $1",
				code).Scan(&got.details, &got.reference, &got.external))
		require.Equal(t, want, got, code)
	}
	_, err = conn.Exec(t.Context(),
		`UPDATE bookings SET details = '{"reference": "Müller \"A\""}', unique_reference = true
		WHERE code = 'plain'`)
	require.Equal(t, "23505", state(err), "two bookings can't have a reference that is unique")
}

func TestMigrate_TableInUse_IsTriedAgain(t *testing.T) {
	t.Parallel()
	url := migratedTo(t, 10) // 00011 is left

	conn := dbtest.SQL(t, url)
	_, err := conn.Exec(t.Context(),
		"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET lock_timeout = 100', current_database()); END $$")
	require.NoError(t, err)
	using, err := conn.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = using.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = using.Exec(t.Context(), "LOCK TABLE goose_db_version IN SHARE MODE") // each migration writes to it
	require.NoError(t, err)

	tried := make(chan string, 1000)
	migrated := make(chan error, 1)
	go func() {
		migrated <- preflight.Migrate(t.Context(), url, slog.New(slog.NewTextHandler(lines(tried), nil)))
	}()
	select {
	case line := <-tried:
		require.Contains(t, line, "a table to be migrated is in use; trying again")
	case err := <-migrated:
		require.Fail(t, "it didn't wait for the table", err)
	}
	require.NoError(t, using.Commit(t.Context()))
	require.NoError(t, <-migrated)
	_, err = conn.Exec(t.Context(), "SELECT endpoint_id FROM webhook_endpoints")
	require.NoError(t, err)
}

// lines passes on what a logger writes.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}
