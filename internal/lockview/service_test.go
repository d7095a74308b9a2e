package lockview_test

import (
	"context"
	"encoding/binary"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/lock"
	"holdfast/internal/lockview"
	"holdfast/internal/testtime"
)

// Two ids whose texts have the same hash: every name of one collides with the same name of the other.
var (
	twin  = uuid.MustParse("01890a5d-ac96-774b-e36d-74a0ac1a1f10")
	twin2 = uuid.MustParse("01890a5d-ac96-774b-86db-708288d9211f")
)

func setup(t *testing.T) (*lockview.Service, *pgxpool.Pool, *strings.Builder) {
	t.Helper()
	url := dbtest.Database(t)
	log := new(strings.Builder)
	s := dbtest.Open(t, db.Config{URL: url, MaxConns: 1})
	locks := lockview.NewService(s, slog.New(slog.NewTextHandler(log, nil)))
	return locks, dbtest.SQL(t, url), log
}

func insertTenant(t *testing.T, sql *pgxpool.Pool, id uuid.UUID, slug string) {
	t.Helper()
	_, err := sql.Exec(t.Context(), `INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at)
		VALUES ($1, $2, 'Test', 'UTC', 'EUR', now())`, id, slug)
	require.NoError(t, err)
}

func dateKey(t *testing.T, tenant uuid.UUID, at time.Time) int64 {
	t.Helper()
	year, month, day := at.Date()
	keys, err := lock.Dates(tenant, lock.Date{Year: year, Month: month, Day: day})
	require.NoError(t, err)
	return keys.Keys()[0].ID()
}

// hold takes locks until the test ends.
func hold(t *testing.T, sql *pgxpool.Pool, ids ...int64) {
	t.Helper()
	tx, err := sql.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	for _, id := range ids {
		_, err := tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1)", id)
		require.NoError(t, err)
	}
}

func TestView_OfACollidingKey_ShowsEveryNameItMayHave(t *testing.T) {
	t.Parallel()
	locks, sql, _ := setup(t)
	insertTenant(t, sql, twin, "first")
	insertTenant(t, sql, twin2, "second")
	now := testtime.Now()
	hold(t, sql, dateKey(t, twin, now))
	v, err := locks.View(t.Context())
	require.NoError(t, err)
	require.Len(t, v.Locks, 1)
	date := now.Format(time.DateOnly)
	require.ElementsMatch(t, []string{twin.String() + ":" + date + " first", twin2.String() + ":" + date + " second"},
		[]string{v.Locks[0].Names[0].Name + " " + v.Locks[0].Names[0].TenantSlug, v.Locks[0].Names[1].Name + " " +
			v.Locks[0].Names[1].TenantSlug})
	require.Contains(t, v.Locks[0].Label(), " or ")
}

func TestView_OfAnUnknownKeyAndOfOtherLocks_ShowsWhatItKnows(t *testing.T) {
	t.Parallel()
	locks, sql, log := setup(t)
	insertTenant(t, sql, twin, "first")
	far := testtime.Now().AddDate(21, 0, 1)
	hold(t, sql, dateKey(t, twin, far), 1<<62)
	tx, err := sql.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	_, err = tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock(-1, 2), pg_advisory_xact_lock_shared(9)")
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "LOCK closures") // no advisory lock
	require.NoError(t, err)
	hold(t, dbtest.SQL(t, dbtest.Database(t)), 12) // another database's

	v, err := locks.View(t.Context())
	require.NoError(t, err)
	var labels []string
	for _, l := range v.Locks {
		require.Empty(t, l.Names)
		require.Equal(t, l.ID() == 9, l.Holders[0].Shared)
		labels = append(labels, l.Label())
	}
	require.ElementsMatch(t,
		[]string{strconv.FormatInt(dateKey(t, twin, far), 10), strconv.Itoa(1 << 62), "9", "(-1, 2)"}, labels)
	require.Empty(t, log.String())
}

func TestView_BeforeTheMigration_ShowsRawKeysAndSaysWhy(t *testing.T) {
	t.Parallel()
	locks, sql, log := setup(t)
	_, err := sql.Exec(t.Context(),
		"DROP POLICY operator ON tenants; REVOKE SELECT (tenant_id, slug) ON tenants FROM holdfast_operator")
	require.NoError(t, err)
	hold(t, sql, 5, lock.Goose.ID())
	v, err := locks.View(t.Context())
	require.NoError(t, err)
	require.Equal(t, "5", v.Locks[0].Label())
	require.Equal(t, "goose", v.Locks[1].Label())
	require.Contains(t, log.String(), "has the database been migrated?")
}

func TestNames_OfManyTenantsAndBookings_AreFoundAndTheNewestBookingsFirst(t *testing.T) {
	t.Parallel()
	locks, sql, _ := setup(t)
	// More tenants than a page has, and the first one with more bookings than are looked at of one tenant.
	tenant := uuid.UUID{15: 1}
	_, err := sql.Exec(t.Context(), `
		INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at)
		SELECT lpad(to_hex(i), 32, '0')::uuid, 't' || i, 'Test', 'UTC', 'EUR', now() FROM generate_series(1, 20500) i`)
	require.NoError(t, err)
	conn, err := sql.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	for _, statement := range []string{
		"SET session_replication_role = replica", // bookings without their services and customers
		dbtest.InsertBookings(`
			SELECT '` + tenant.String() + `'::uuid, lpad(to_hex(i), 32, '0')::uuid, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(),
				'cancelled', now(), now() + interval '1 hour', 'UTC', '{[1,2)}', now(), now() + interval '1 hour', NULL, 0, 0
			FROM generate_series(1, 100) i`),
	} {
		_, err := conn.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	booking := func(n uint64) int64 {
		var id [16]byte
		binary.BigEndian.PutUint64(id[8:], n)
		return lock.Balance(tenant, id).Keys()[0].ID()
	}
	var last uuid.UUID
	binary.BigEndian.PutUint64(last[8:], 20500)
	now := testtime.Now()
	newest, oldest, day := booking(100), booking(1), dateKey(t, last, now.AddDate(19, 0, 0))
	names, err := locks.Names(t.Context(), now, newest, oldest, day, 3)
	require.NoError(t, err)
	require.Equal(t, tenant.String()+":balance:"+uuid.UUID{15: 100}.String(), names[newest][0].Name)
	require.Equal(t, "t1", names[newest][0].TenantSlug)
	require.Equal(t, "t20500", names[day][0].TenantSlug)
	require.Empty(t, names[oldest], "with so many tenants only the newest 48 of each are looked at")
	require.Empty(t, names[3])

	_, err = sql.Exec(t.Context(), "REVOKE SELECT (tenant_id, slug) ON tenants FROM holdfast_operator")
	require.NoError(t, err)
	again, err := locks.Names(t.Context(), now, newest, oldest, day, 3)
	require.NoError(t, err, "neither what was found nor what wasn't is searched for again")
	require.Equal(t, names[newest], again[newest])
	require.Equal(t, names[day], again[day])
}
