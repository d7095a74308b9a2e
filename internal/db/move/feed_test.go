package move_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/change"
	"holdfast/internal/db/preflight"
	"holdfast/internal/event"
)

const day = 24 * time.Hour

// feed reads a tenant's feed from its beginning.
func (c cell) feed(t testing.TB, tenant uuid.UUID) (p change.FeedPage, ids []uuid.UUID) {
	t.Helper()
	p, err := change.ReadFeed(t.Context(), c.store, tenant, change.FeedQuery{After: change.Begin(), Limit: 100})
	require.NoError(t, err)
	for _, r := range p.Changes {
		ids = append(ids, r.ChangeID)
	}
	return p, ids
}

// seen waits until readers of the feed see all changes, which transactions of other tests hold up, and the relay has
// passed them.
func (c cell) seen(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool {
		_, err := event.RelayFeed(t.Context(), c.store, 10_000)
		require.NoError(t, err)
		var left int
		require.NoError(t, c.sql.QueryRow(t.Context(), `SELECT count(*) FROM changes c JOIN feed_positions p ON p.reader = 'relay'
			WHERE (c.transaction_id, c.change_id) > (p.transaction_id, p.change_id)
			   OR c.transaction_id >= (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint`).Scan(&left))
		return left == 0
	}, time.Minute, 10*time.Millisecond)
}

// grow makes changes older.
func (c cell) grow(t testing.TB, age time.Duration, ids ...uuid.UUID) {
	t.Helper()
	_, err := c.sql.Exec(t.Context(),
		"UPDATE changes SET occurred_at = now() - $1::interval WHERE change_id = ANY ($2)", age, ids)
	require.NoError(t, err)
}

func TestDeleteOldChanges_TenantThatArrived_LosesItsOldOnesAndNobodyElseAny(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenant, other := a.newTenants(t, 1)[0], b.newTenants(t, 1)[0]
	a.seen(t)
	_, before := a.feed(t, tenant)
	require.Len(t, before, 3)
	a.grow(t, 40*day, before[:2]...)
	newMove(a, b, tenant).run(t, stepAhead, stepDelete)
	b.seen(t)
	_, others := b.feed(t, other)
	all, ids := b.feed(t, tenant)
	require.Equal(t, before, ids, "the order is as it was")
	require.Less(t, all.Changes[2].TransactionID, all.End.TransactionID)

	n, _, err := event.DeleteOldChanges(t.Context(), b.store, 30*day, 100)
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
	left, ids := b.feed(t, tenant)
	require.Equal(t, before[2:], ids)
	at := func(i int) change.Position {
		return change.Position{TransactionID: all.Changes[i].TransactionID, ChangeID: all.Changes[i].ChangeID}
	}
	require.Negative(t, at(0).Compare(left.Deleted), "a cursor before what was deleted has expired")
	require.Zero(t, at(1).Compare(left.Deleted))
	_, ids = b.feed(t, other)
	require.Equal(t, others, ids)

	later := b.change(t, tenant)
	b.seen(t)
	b.grow(t, 50*day, append(append(before, others...), later)...)
	require.Eventually(t, func() bool {
		_, _, err := event.DeleteOldChanges(t.Context(), b.store, 30*day, 100)
		require.NoError(t, err)
		_, ids := b.feed(t, tenant)
		_, others := b.feed(t, other)
		return len(ids)+len(others) == 0
	}, time.Minute, 10*time.Millisecond)
	end, _ := b.feed(t, tenant)
	require.Negative(t, at(2).Compare(end.Deleted), "a cursor before a change of here that was deleted has expired")
}

func TestMigrate_DatabaseWasRestored_ExpiresCursorsOfTenantsThatArrivedToo(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenant, other := a.newTenants(t, 1)[0], b.newTenants(t, 1)[0]
	newMove(a, b, tenant).run(t, stepAhead, stepDelete)
	b.seen(t)
	b.change(t, tenant)
	b.seen(t)
	arrived, before := b.feed(t, tenant)
	native, _ := b.feed(t, other)
	require.NotEqual(t, arrived.Epoch, native.Epoch)
	// As if another cluster, whose transaction ids are greater, had written the database.
	const ahead = 1_000_000_000
	_, err := b.sql.Exec(t.Context(), `UPDATE changes SET transaction_id = transaction_id + $1`, ahead)
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), `UPDATE feed_positions SET transaction_id = transaction_id + $1
		WHERE transaction_id > -9223372036854775808`, ahead)
	require.NoError(t, err)
	require.NoError(t, preflight.Migrate(t.Context(), b.url, nil))
	b.seen(t)
	restored, after := b.feed(t, tenant)
	require.Equal(t, before, after)
	require.NotEqual(t, arrived.Epoch, restored.Epoch)
	again, _ := b.feed(t, other)
	require.NotEqual(t, native.Epoch, again.Epoch)
}
