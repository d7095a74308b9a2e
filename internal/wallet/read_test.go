package wallet_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/wallet"
)

func TestAsOf_TheTimeOfEachEntry_IsTheWalletAfterIt(t *testing.T) {
	t.Parallel()
	b, id := setupUsed(t)
	hold := *succeeded[wallet.LedgerTransactionBody](t)(b.service.Hold(t.Context(), b.tenant, newRequest(t), id,
		wallet.DebitRequest{Amount: 50})).Entry.HoldID
	succeeded[wallet.LedgerTransactionBody](t)(b.service.Release(t.Context(), b.tenant, newRequest(t), id, hold,
		wallet.Description{}))
	var list []wallet.Entry
	for after := int64(0); ; after = list[len(list)-1].Version {
		page, err := b.service.Entries(t.Context(), b.tenant, id, after, 100)
		require.NoError(t, err)
		if len(page) == 0 {
			break
		}
		list = append(list, page...)
	}
	require.Len(t, list, 302)
	for i, e := range list {
		require.Equal(t, int64(i+1), e.Version)
		if i%20 != 0 && i < 250 {
			continue
		}
		w, err := b.service.AsOf(t.Context(), b.tenant, id, e.OccurredAt)
		require.NoError(t, err)
		require.Equal(t, []int64{e.Version, e.Balance, e.Held}, []int64{w.Version, w.Balance, w.Held})
		if i == 0 {
			_, err = b.service.AsOf(t.Context(), b.tenant, id, e.OccurredAt.Add(-time.Microsecond))
			require.True(t, problem.Is(err, problem.NotFound), "before its first entry there is no wallet")
		}
	}
	last := list[len(list)-1].OccurredAt
	now, err := b.service.AsOf(t.Context(), b.tenant, id, last)
	require.NoError(t, err)
	require.Equal(t, b.get(t, id).Body(), now.Body())
	_, err = b.service.AsOf(t.Context(), b.tenant, id, testtime.Now().Add(time.Hour))
	require.True(t, problem.Is(err, problem.ValidationFailed), "a time to come")
	_, err = b.service.AsOf(t.Context(), b.newTenant(t), id, testtime.Now())
	require.True(t, problem.Is(err, problem.NotFound))

	// Snapshots only save reading: without them, and with a page of entries and more to fold, the wallet is the same.
	_, err = b.sql.Exec(t.Context(), "DELETE FROM wallet_snapshots")
	require.NoError(t, err)
	again, err := b.service.AsOf(t.Context(), b.tenant, id, last)
	require.NoError(t, err)
	require.Equal(t, now.Body(), again.Body())
}

func TestEntries_OfAnotherTenant_AreNotFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.newWallet(t, 10)
	_, err := b.service.Entries(t.Context(), b.newTenant(t), id, 0, 10)
	require.True(t, problem.Is(err, problem.NotFound))
	_, err = b.service.Entries(t.Context(), b.tenant, uuid.New(), 0, 10)
	require.True(t, problem.Is(err, problem.NotFound))
}
