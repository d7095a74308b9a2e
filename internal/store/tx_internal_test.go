package store

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/lock"
	"holdfast/internal/postgres/pgtest"
	"holdfast/internal/store/internal/dbsqlc"
	"holdfast/internal/testtime"
)

func openStore(t *testing.T) *Store {
	t.Helper()
	url := pgtest.Database(t, func(ctx context.Context, url string) error { return Migrate(ctx, url, nil) })
	s, err := Open(t.Context(), Config{URL: url, MaxConns: 8})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// severalKinds returns a booking's balance lock and the locks of two dates, in an order given by flip.
func severalKinds(t *testing.T, tenant, booking uuid.UUID, flip bool) lock.Set {
	t.Helper()
	calendar, err := lock.Calendar(tenant, lock.Date{Year: 2027, Month: time.July, Day: 1}, lock.Date{Year: 2027, Month: time.July, Day: 2})
	require.NoError(t, err)
	all := []lock.Set{lock.Balance(tenant, booking).Set, calendar.Set}
	if flip {
		all[0], all[1] = all[1], all[0]
	}
	set, err := lock.Union(all...)
	require.NoError(t, err)
	return set
}

func TestTx_LocksOfSeveralKinds_AreHeldTogetherUntilItEnds(t *testing.T) {
	t.Parallel()
	s, tenant, booking := openStore(t), uuid.New(), uuid.New()
	locks := severalKinds(t, tenant, booking, false)
	holder, err := s.begin(t.Context(), locks, testtime.Now())
	require.NoError(t, err)
	defer holder.end()
	holder.readClock()
	require.NoError(t, holder.read())
	require.True(t, holder.holds(locks.Keys()))

	try := func() *tx {
		other, err := s.connect(t.Context(), tenant, func() {})
		require.NoError(t, err)
		other.tryLocks(locks, testtime.Now().Add(time.Minute))
		other.readClock()
		require.NoError(t, other.read())
		return other
	}
	refused := try()
	for _, k := range locks.Keys() {
		require.False(t, refused.holds([]lock.Key{k}), k.Name())
	}
	refused.end()
	holder.end()
	s.WaitForRollbacks()
	granted := try()
	require.True(t, granted.holds(locks.Keys()))
	granted.end()
}

func TestTx_ThatOnlyReads_CannotWriteAndLeavesNoSettings(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, func(ctx context.Context, url string) error { return Migrate(ctx, url, nil) })
	s, err := Open(t.Context(), Config{URL: url, MaxConns: 1})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	err = s.readOnly(t.Context(), "write", uuid.New(), func(tx *tx) {
		exec(&tx.batch, "delete", func(q *dbsqlc.Queries) error {
			return q.IdempotencyDeleteExpired(tx.ctx, dbsqlc.IdempotencyDeleteExpiredParams{})
		})
	})
	require.Equal(t, "25006", sqlState(err), "%v", err)
	_, err = s.LookUp(t.Context(), NewRequest(uuid.New(), "key", nil))
	require.NoError(t, err)

	var asLogin bool
	var tenant, readOnly, timeout string
	require.NoError(t, s.pool.QueryRow(t.Context(), `SELECT current_user = session_user, coalesce(current_setting('holdfast.tenant_id', true), ''),
		current_setting('transaction_read_only'), current_setting('statement_timeout')`).Scan(&asLogin, &tenant, &readOnly, &timeout))
	require.True(t, asLogin)
	require.Empty(t, tenant)
	require.Equal(t, "off", readOnly)
	require.Equal(t, "0", timeout)
}

func TestTx_LocksOfSeveralKindsInAnyOrder_NeverDeadlock(t *testing.T) {
	t.Parallel()
	s, tenant, booking := openStore(t), uuid.New(), uuid.New()
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 50 {
				locks := severalKinds(t, tenant, booking, i%2 == 0)
				holder, err := s.begin(t.Context(), locks, testtime.Now())
				if err == nil {
					holder.readClock()
					err = holder.read()
					holder.end()
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
	s, tenant := openStore(t), uuid.New()
	locks := severalKinds(t, tenant, uuid.New(), false)
	holder, err := s.begin(t.Context(), locks, testtime.Now())
	require.NoError(t, err)
	holder.readClock()
	require.NoError(t, holder.read())
	require.NoError(t, holder.commit())
	require.False(t, holder.ended)
	holder.end()
	s.WaitForRollbacks()
	require.Zero(t, s.pool.Stat().AcquiredConns())
	require.True(t, s.waiters.Empty(ids(locks.Keys())), "its places are free")
}
