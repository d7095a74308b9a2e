package wallet_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/wallet"
)

func TestDebit_MoreThanThereIs_IsRefusedForGoodAndWritesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.newWallet(t, 100)
	r := newRequest(t)
	require.Equal(t, problem.InsufficientFunds,
		code(t)(b.service.Debit(t.Context(), b.tenant, r, id, wallet.DebitRequest{Amount: 101})))
	require.Equal(t, int64(2), b.get(t, id).Version)
	b.credit(t, id, 100, nil)
	require.Equal(t, problem.InsufficientFunds,
		code(t)(b.service.Debit(t.Context(), b.tenant, r, id, wallet.DebitRequest{Amount: 101})),
		"final for its key")
	got := succeeded[wallet.LedgerTransactionBody](t)(b.service.Debit(t.Context(), b.tenant, newRequest(t), id,
		wallet.DebitRequest{Amount: 101}))
	require.Equal(t, int64(99), got.Available)
	require.Equal(t, int64(4), got.Entry.Version)
}

func TestHold_CapturedInPart_GivesTheRestBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.newWallet(t, 0)
	soon := testtime.Now().Add(time.Hour).Truncate(time.Second)
	b.credit(t, id, 60, &soon)
	b.credit(t, id, 40, nil)
	held := succeeded[wallet.LedgerTransactionBody](t)(b.service.Hold(t.Context(), b.tenant, newRequest(t), id,
		wallet.DebitRequest{Amount: 80}))
	require.Equal(t, int64(20), held.Available)
	require.Empty(t, held.Expiring)
	part := int64(50)
	captured := succeeded[wallet.LedgerTransactionBody](
		t,
	)(
		b.service.Capture(t.Context(), b.tenant, newRequest(t), id, *held.Entry.HoldID,
			wallet.CaptureRequest{Amount: &part}),
	)
	require.Equal(t, int64(50), captured.Available)
	require.Equal(t, []wallet.CreditBatchBody{{Amount: 10, ExpiresAt: soon.UTC()}}, captured.Expiring)
	require.Equal(t, problem.InvalidState,
		code(t)(b.service.Release(t.Context(), b.tenant, newRequest(t), id, *held.Entry.HoldID, wallet.Description{})))
}

func TestTransfer_BetweenWallets_MovesTheAmountWithItsExpiry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from, to := b.newWallet(t, 0), b.newWallet(t, 0)
	soon := testtime.Now().Add(time.Hour).Truncate(time.Second)
	b.credit(t, from, 60, &soon)
	moved := succeeded[wallet.TransferBody](
		t,
	)(
		b.service.Transfer(t.Context(), b.tenant, newRequest(t),
			wallet.TransferRequest{From: from, To: to, Amount: 25}),
	)
	require.Equal(t, int64(35), moved.From.Available)
	require.Equal(t, []wallet.CreditBatchBody{{Amount: 25, ExpiresAt: soon.UTC()}}, moved.To.Expiring)
	require.Equal(t, problem.ValidationFailed,
		code(t)(b.service.Transfer(t.Context(), b.tenant, newRequest(t),
			wallet.TransferRequest{From: from, To: from, Amount: 1})))
}

func TestCredit_ExpiresInAYearOfFiveDigitsInUTC_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.newWallet(t, 0)
	for _, at := range []time.Time{
		time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -60)),
		time.Date(9001, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		got := code(t)(b.service.Credit(t.Context(), b.tenant, newRequest(t), id,
			wallet.CreditRequest{Amount: 7, ExpiresAt: &at}))
		require.Equal(t, problem.ValidationFailed, got, at)
	}
	require.Equal(t, int64(1), b.get(t, id).Version)
}
