package db_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
)

// putKey writes an idempotency key: a finished one has a status.
func putKey(t testing.TB, sql *pgxpool.Pool, tenant uuid.UUID, key string, finished bool, life time.Duration) {
	t.Helper()
	_, err := sql.Exec(t.Context(), `
		INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, body, created_at, expires_at)
		VALUES ($1, $2, sha256('x'), CASE WHEN $3 THEN 201 END, '', '', '', now(), now() + $4::interval)`, tenant, key, finished, life)
	require.NoError(t, err)
}

func keysOf(t testing.TB, db interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}) []string {
	t.Helper()
	rows, err := db.Query(t.Context(), "SELECT key FROM idempotency_keys ORDER BY key")
	require.NoError(t, err)
	keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return keys
}

// putAllKinds writes keys of each kind and returns those that the cleanup may delete.
func putAllKinds(t testing.TB, sql *pgxpool.Pool) (dead, all []string) {
	t.Helper()
	tenants := map[string]uuid.UUID{"a": uuid.New(), "b": uuid.New(), "administrators": uuid.Nil}
	for name, tenant := range tenants {
		putKey(t, sql, tenant, name+" dead", true, -time.Second)
		putKey(t, sql, tenant, name+" live", true, time.Hour)
		putKey(t, sql, tenant, name+" unfinished", false, -time.Hour)
		putKey(t, sql, tenant, name+" unfinished, live", false, time.Hour)
		dead = append(dead, name+" dead")
	}
	return dead, keysOf(t, sql)
}

// beginTx begins a transaction that is rolled back if the test doesn't end it.
func beginTx(t testing.TB, sql *pgxpool.Pool) pgx.Tx {
	t.Helper()
	tx, err := sql.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }) // or the pool would wait for it
	return tx
}

// deleteExpired cleans up once, one batch.
func deleteExpired(t testing.TB, s *db.DB, limit int) (deleted int) {
	t.Helper()
	held, err := s.Cleanup(t.Context(), func(c *db.Cleanup) (err error) {
		deleted, err = c.DeleteExpired(t.Context(), limit)
		return err
	})
	require.NoError(t, err)
	require.True(t, held)
	return deleted
}

func TestCleanup_DeletesTheExpiredKeysOfAllTenantsAndNeverAnUnfinishedOrLiveOne(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	s, sql := dbtest.Open(t, db.Config{URL: url}), dbtest.SQL(t, url)
	dead, all := putAllKinds(t, sql)
	require.Equal(t, 2, deleteExpired(t, s, 2), "no more than a batch")
	require.Equal(t, len(dead)-2, deleteExpired(t, s, 100))
	require.Zero(t, deleteExpired(t, s, 100))
	left := keysOf(t, sql)
	require.Len(t, left, len(all)-len(dead))
	for _, key := range left {
		require.False(t, strings.HasSuffix(key, "dead"), key)
	}
}

func TestCleanup_TakesTheOldestFirst(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	s, sql := dbtest.Open(t, db.Config{URL: url}), dbtest.SQL(t, url)
	for age := range 4 { // the youngest comes first in the table
		putKey(t, sql, uuid.New(), fmt.Sprint("dead for hours: ", age), true, -time.Duration(age)*time.Hour)
	}
	require.Equal(t, 3, deleteExpired(t, s, 3))
	require.Equal(t, []string{"dead for hours: 0"}, keysOf(t, sql))
}

func TestCleanup_AKeyThatARequestIsWriting_IsLeftWithoutWaiting(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	s, sql := dbtest.Open(t, db.Config{URL: url}), dbtest.SQL(t, url)
	putKey(t, sql, uuid.New(), "busy", true, -2*time.Hour)
	putKey(t, sql, uuid.New(), "free", true, -time.Hour)
	request := beginTx(t, sql)
	_, err := request.Exec(t.Context(), "DELETE FROM idempotency_keys WHERE key = 'busy'")
	require.NoError(t, err)
	require.Equal(t, 1, deleteExpired(t, s, 100))
	require.NoError(t, request.Rollback(t.Context()))
	require.Equal(t, []string{"busy"}, keysOf(t, sql))
	require.Equal(t, 1, deleteExpired(t, s, 100), "the next time")
}

func TestCleanup_LockHeldElsewhere_DoesNothing(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	s, rival := dbtest.Open(t, db.Config{URL: url}), dbtest.Open(t, db.Config{URL: url})
	tryRival := func() bool {
		held, err := rival.Cleanup(t.Context(), func(*db.Cleanup) error { return nil })
		require.NoError(t, err)
		return held
	}
	held, err := s.Cleanup(t.Context(), func(*db.Cleanup) error {
		held, err := rival.Cleanup(t.Context(), func(*db.Cleanup) error { panic("two at once") })
		require.NoError(t, err)
		require.False(t, held)
		return nil
	})
	require.NoError(t, err)
	require.True(t, held)
	require.True(t, tryRival(), "the lock was released")

	require.Panics(t, func() { _, _ = s.Cleanup(t.Context(), func(*db.Cleanup) error { panic("a defect") }) })
	require.True(t, tryRival(), "also by a panic")
}

func TestCleanup_ASessionThatLostItsLock_DeletesNothing(t *testing.T) {
	t.Parallel()
	proxy := dbtest.NewProxy(t, dbtest.Database(t))
	// What a pooler does that isn't noticed: another backend took the lock.
	proxy.Rewrite = func(sql string) string {
		return strings.ReplaceAll(sql, "pg_catalog.pg_try_advisory_lock($1::bigint)", "($1::bigint IS NOT NULL)")
	}
	s, sql := dbtest.Open(t, db.Config{URL: proxy.URL}), dbtest.SQL(t, proxy.URL)
	_, all := putAllKinds(t, sql)
	held, err := s.Cleanup(t.Context(), func(c *db.Cleanup) error {
		_, err := c.DeleteExpired(t.Context(), 100)
		return err
	})
	require.True(t, held)
	require.ErrorIs(t, err, db.ErrLockLost)
	require.Equal(t, all, keysOf(t, sql))
}

func TestRowLevelSecurity_TheCleanupsRole_SeesOnlyWhatItMayDelete(t *testing.T) {
	t.Parallel()
	sql := dbtest.SQL(t, dbtest.Database(t))
	dead, all := putAllKinds(t, sql)
	as := func(role string) pgx.Tx {
		tx := beginTx(t, sql)
		// A login like that of a server: a member of the role that may read the table.
		_, err := tx.Exec(t.Context(), `CREATE ROLE holdfast_test_login; GRANT holdfast_cleanup TO holdfast_test_login;
			GRANT SELECT ON idempotency_keys TO holdfast_test_login; SET LOCAL ROLE `+role)
		require.NoError(t, err)
		return tx
	}
	cleanup := as("holdfast_cleanup")
	require.ElementsMatch(t, dead, keysOf(t, cleanup))
	tag, err := cleanup.Exec(t.Context(), "DELETE FROM idempotency_keys")
	require.NoError(t, err)
	require.EqualValues(t, len(dead), tag.RowsAffected())
	_, err = cleanup.Exec(t.Context(), "SELECT FROM tenants")
	require.ErrorContains(t, err, "permission denied")
	require.NoError(t, cleanup.Rollback(t.Context()))

	login := as("holdfast_test_login")
	require.Empty(t, keysOf(t, login), "membership alone shows nothing")
	require.NoError(t, login.Rollback(t.Context()))
	require.Equal(t, all, keysOf(t, sql))
}

func TestWrite_UnfinishedKey_DecidesNothing(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	s := dbtest.Open(t, db.Config{URL: url})
	tenant := newTenant(t, s)
	putKey(t, dbtest.SQL(t, url), tenant, "payment", false, -time.Hour) // it has no life to end before it is answered
	fingerprint := sha256.Sum256([]byte("x"))
	request := db.NewRequest(tenant, "payment", fingerprint[:])
	found, err := s.LookUp(t.Context(), request)
	require.NoError(t, err)
	require.False(t, found, "the caller continues an unfinished request")
	err = s.Write(t.Context(), "write", tenant, request, func(*db.WriteTx) func() error {
		return func() error {
			return errors.New("it decided, although the key has a request")
		}
	})
	_, err = request.Outcome(err)
	require.True(t, problem.Is(err, problem.RequestInProgress), "%v", err)
}
