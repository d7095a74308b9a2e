package core_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/db/preflight"
	"holdfast/internal/lock"
	"holdfast/internal/postgres/pgtest"
	"holdfast/internal/testtime"
)

// testTenant is a tenant of each database that open returns: a lock's statement reads the row of its tenant.
var testTenant = uuid.MustParse("01890a5d-ac96-774b-bcce-b302099a8057")

func open(t *testing.T, maxConns int) *core.DB {
	t.Helper()
	url := pgtest.Database(t, func(ctx context.Context, url string) error { return preflight.Migrate(ctx, url, nil) })
	db, err := core.Open(t.Context(), core.Config{URL: url, MaxConns: maxConns}, nil)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	_, err = db.Pool().Exec(t.Context(), `INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at)
		VALUES ($1, 'test', 'Test', 'UTC', 'EUR', now())`, testTenant)
	require.NoError(t, err)
	return db
}

// severalKinds returns a booking's balance lock and the locks of two dates, in an order given by flip.
func severalKinds(t *testing.T, tenant, booking uuid.UUID, flip bool) lock.Set {
	t.Helper()
	days, err := lock.Dates(tenant, lock.Date{Year: 2027, Month: time.July, Day: 1},
		lock.Date{Year: 2027, Month: time.July, Day: 2})
	require.NoError(t, err)
	all := []lock.Set{lock.Balance(tenant, booking).Set, days.Set}
	if flip {
		all[0], all[1] = all[1], all[0]
	}
	set, err := lock.Union(all...)
	require.NoError(t, err)
	return set
}

func TestTx_LocksOfSeveralKinds_AreHeldTogetherUntilItEnds(t *testing.T) {
	t.Parallel()
	db, tenant, booking := open(t, 8), testTenant, uuid.New()
	locks := severalKinds(t, tenant, booking, false)
	holder, err := db.Begin(t.Context(), locks, testtime.Now())
	require.NoError(t, err)
	defer holder.End()
	holder.ReadClock()
	require.NoError(t, holder.Read())
	require.True(t, holder.Holds(locks.Keys()))

	try := func() *core.Tx {
		other, err := db.Connect(t.Context(), tenant)
		require.NoError(t, err)
		other.TryLocks(locks)
		other.ReadClock()
		require.NoError(t, other.Read())
		return other
	}
	refused := try()
	for _, k := range locks.Keys() {
		require.False(t, refused.Holds([]lock.Key{k}), k.Name())
	}
	refused.End()
	holder.End()
	db.WaitForBackground()
	granted := try()
	require.True(t, granted.Holds(locks.Keys()))
	granted.End()
}

func TestTx_LockOfATenantThatIsMissing_IsAnErrorAndNotALockThatNobodyHolds(t *testing.T) {
	t.Parallel()
	db, tenant := open(t, 8), uuid.New()
	locks := severalKinds(t, tenant, uuid.New(), false)
	waits, err := db.Begin(t.Context(), locks, testtime.Now())
	require.NoError(t, err)
	defer waits.End()
	waits.ReadClock()
	require.ErrorContains(t, waits.Read(), "the tenant is missing")

	tries, err := db.Connect(t.Context(), tenant)
	require.NoError(t, err)
	defer tries.End()
	tries.TryLocks(locks)
	tries.ReadClock()
	require.ErrorContains(t, tries.Read(), "the tenant is missing")
}

func TestTx_ThatOnlyReads_CannotWriteAndLeavesNoSettings(t *testing.T) {
	t.Parallel()
	db := open(t, 1)
	err := db.ReadOnly(t.Context(), "write", uuid.New(), func(tx *core.Tx) {
		core.Exec(tx, "delete", func(q *dbsqlc.Queries) error {
			return q.IdempotencyDeleteExpired(tx.Ctx, dbsqlc.IdempotencyDeleteExpiredParams{})
		})
	})
	require.Equal(t, "25006", core.StateOf(err), "%v", err)
	_, err = db.LookUp(t.Context(), core.NewRequest(uuid.New(), "key", nil))
	require.NoError(t, err)

	var asLogin bool
	var tenant, readOnly, timeout string
	require.NoError(t, db.Pool().QueryRow(t.Context(), `SELECT current_user = session_user,
		coalesce(current_setting('holdfast.tenant_id', true), ''),
		current_setting('transaction_read_only'), current_setting('statement_timeout')`).Scan(&asLogin, &tenant, &readOnly, &timeout))
	require.True(t, asLogin)
	require.Empty(t, tenant)
	require.Equal(t, "off", readOnly)
	require.Equal(t, "15s", timeout, "what the connection has from its start")
}

func TestTx_LocksOfSeveralKindsInAnyOrder_NeverDeadlock(t *testing.T) {
	t.Parallel()
	db, tenant, booking := open(t, 8), testTenant, uuid.New()
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 50 {
				locks := severalKinds(t, tenant, booking, i%2 == 0)
				holder, err := db.Begin(t.Context(), locks, testtime.Now())
				if err == nil {
					holder.ReadClock()
					err = holder.Read()
					holder.End()
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func TestTx_NothingQueuedAfterTheRead_IsRolledBackInTheBackground(t *testing.T) {
	t.Parallel()
	db, tenant := open(t, 8), testTenant
	locks := severalKinds(t, tenant, uuid.New(), false)
	holder, err := db.Begin(t.Context(), locks, testtime.Now())
	require.NoError(t, err)
	holder.ReadClock()
	require.NoError(t, holder.Read())
	require.NoError(t, holder.Commit())
	require.Equal(t, int32(1), db.Pool().Stat().AcquiredConns(), "End rolls back")
	holder.End()
	db.WaitForBackground()
	require.Zero(t, db.Pool().Stat().AcquiredConns())
	require.True(t, db.QueuesEmpty(locks), "its permits are given back")
}
