package wallet_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/event"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/wallet"
)

// workUntilIdle handles the scheduled events that are due.
func (b *testBundle) workUntilIdle(t testing.TB) {
	t.Helper()
	event.NewWorker(b.store, event.Config{}, b.service.CreditExpiry()).RunUntilIdle(t.Context())
}

// letPass makes a time at which credit expires lie an hour back, wherever it is stored.
func (b *testBundle) letPass(t testing.TB, at time.Time) {
	t.Helper()
	from, to := at.UTC().Format(time.RFC3339Nano),
		testtime.Now().Add(-time.Hour).Truncate(time.Second).UTC().Format(time.RFC3339Nano)
	for _, statement := range []string{
		"UPDATE wallets SET state = replace(state::text, $1, $2)::json",
		"UPDATE wallet_entries SET batches = replace(batches::text, $1, $2)::json",
		"UPDATE scheduled_events SET due_at = $2::text::timestamptz WHERE due_at = $1::text::timestamptz",
	} {
		_, err := b.sql.Exec(t.Context(), statement, from, to)
		require.NoError(t, err)
	}
}

// types returns the types of a wallet's entries.
func (b *testBundle) types(t testing.TB, id uuid.UUID) (list []wallet.Type) {
	t.Helper()
	entries, err := b.service.Entries(t.Context(), b.tenant, id, 0, 100)
	require.NoError(t, err)
	for _, e := range entries {
		list = append(list, e.Type)
	}
	return list
}

// eventStatuses returns the statuses of the scheduled events of a wallet.
func (b *testBundle) eventStatuses(t testing.TB, id uuid.UUID) (list []string) {
	t.Helper()
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT array_agg(status ORDER BY due_at) FROM scheduled_events WHERE subject_id = $1",
		id).Scan(&list))
	return list
}

func in(d time.Duration) *time.Time {
	at := testtime.Now().Add(d).Truncate(time.Second)
	return &at
}

func TestCreditExpiry_ServerWasDownAtTheTime_EndsTheCreditOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.newWallet(t, 40)
	soon, later := in(time.Hour), in(48*time.Hour)
	b.credit(t, id, 60, soon)
	b.credit(t, id, 5, soon)
	b.credit(t, id, 7, later)
	require.Equal(t, []string{"pending", "pending"}, b.eventStatuses(t, id), "credit of one time has one event")
	b.workUntilIdle(t)
	require.Equal(t, int64(112), b.get(t, id).Balance)

	b.letPass(t, *soon)
	require.Equal(t, int64(47), b.get(t, id).Balance, "a read leaves out what has expired")
	require.Equal(t, int64(5), b.get(t, id).Version)
	b.workUntilIdle(t)
	b.workUntilIdle(t)
	got := b.get(t, id)
	require.Equal(t, int64(47), got.Balance)
	require.Equal(t, int64(6), got.Version)
	require.Equal(t, []string{"completed", "pending"}, b.eventStatuses(t, id))
	require.Equal(t, wallet.Expired, b.types(t, id)[5])
	var amount int64
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT sum(amount) FROM wallet_postings WHERE to_account = 'expired'").Scan(&amount))
	require.Equal(t, int64(65), amount)
	b.requireSound(t)
}

func TestDebit_AfterExpiryAndBeforeTheWorker_SpendsNoneOfIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.newWallet(t, 40)
	soon := in(time.Hour)
	b.credit(t, id, 60, soon)
	unexpired := b.get(t, id)
	b.letPass(t, *soon)
	expired := b.get(t, id)
	require.Equal(t, []int64{unexpired.Version, 40}, []int64{expired.Version, expired.Balance})
	require.NotEqual(t, unexpired.ETag(), expired.ETag(), "the body is another")
	before := b.tables(t)
	require.Equal(t, problem.InsufficientFunds,
		code(t)(b.service.Debit(t.Context(), b.tenant, newRequest(t), id, wallet.DebitRequest{Amount: 41})))
	after := b.tables(t)
	delete(before, "idempotency_keys")
	delete(after, "idempotency_keys")
	require.Equal(t, before, after, "a refusal ends no credit either")
	require.Zero(
		t,
		succeeded[wallet.LedgerTransactionBody](t)(b.service.Debit(t.Context(), b.tenant, newRequest(t), id,
			wallet.DebitRequest{Amount: 40})).Available,
	)
	require.Equal(t, []wallet.Type{wallet.Opened, wallet.Credited, wallet.Credited, wallet.Expired, wallet.Debited},
		b.types(t, id))
	b.workUntilIdle(t)
	require.Equal(t, []string{"cancelled"}, b.eventStatuses(t, id), "nothing was left for the worker")
	b.requireSound(t)
}

func TestCreditExpiry_CreditWasSpentBefore_EndsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.newWallet(t, 40)
	soon := in(time.Hour)
	b.credit(t, id, 60, soon)
	succeeded[wallet.LedgerTransactionBody](t)(b.service.Debit(t.Context(), b.tenant, newRequest(t), id,
		wallet.DebitRequest{Amount: 60}))
	b.letPass(t, *soon)
	b.workUntilIdle(t)
	require.Equal(t, int64(40), b.get(t, id).Balance)
	require.Equal(t, []string{"cancelled"}, b.eventStatuses(t, id))
	b.requireSound(t)
}

func TestRelease_AfterTheCreditsTime_EndsTheCredit(t *testing.T) {
	t.Parallel()
	for _, capture := range []bool{false, true} {
		b := setup(t)
		id := b.newWallet(t, 40)
		soon := in(time.Hour)
		b.credit(t, id, 60, soon)
		hold := *succeeded[wallet.LedgerTransactionBody](t)(b.service.Hold(t.Context(), b.tenant, newRequest(t), id,
			wallet.DebitRequest{Amount: 50})).Entry.HoldID
		b.letPass(t, *soon)
		b.workUntilIdle(t)
		require.Equal(t, int64(90), b.get(t, id).Balance, "what is held doesn't expire, the rest did")
		require.Equal(t, int64(50), b.get(t, id).Held)
		part := int64(30)
		var got wallet.LedgerTransactionBody
		if capture {
			got = succeeded[wallet.LedgerTransactionBody](
				t,
			)(
				b.service.Capture(t.Context(), b.tenant, newRequest(t), id, hold, wallet.CaptureRequest{Amount: &part}),
			)
			require.Equal(t, wallet.Captured, got.Entry.Type)
		} else {
			got = succeeded[wallet.LedgerTransactionBody](t)(b.service.Release(t.Context(), b.tenant, newRequest(t), id,
				hold, wallet.Description{}))
			require.Equal(t, wallet.Released, got.Entry.Type)
		}
		require.Equal(t, int64(40), got.Balance)
		require.Zero(t, got.Held)
		require.Equal(t, got.Entry.Version+1, got.Version, "the entry that ends the credit follows")
		b.requireSound(t)
	}
}

func TestTransfer_CreditThatExpires_ExpiresInTheOtherWallet(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from, to := b.newWallet(t, 0), b.newWallet(t, 1)
	soon := in(time.Hour)
	b.credit(t, from, 60, soon)
	succeeded[wallet.TransferBody](
		t,
	)(
		b.service.Transfer(t.Context(), b.tenant, newRequest(t),
			wallet.TransferRequest{From: from, To: to, Amount: 25}),
	)
	b.letPass(t, *soon)
	b.workUntilIdle(t)
	require.Zero(t, b.get(t, from).Balance)
	require.Equal(t, int64(1), b.get(t, to).Balance)
	require.Equal(t, []string{"completed"}, b.eventStatuses(t, to))
	b.requireSound(t)
}

func TestCredit_ExpiresWithinAMicrosecond_EventComesWhenItHasExpired(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.newWallet(t, 0)
	at := in(time.Hour).Add(1999 * time.Nanosecond)
	require.Equal(t, []wallet.CreditBatchBody{{Amount: 1, ExpiresAt: at.Truncate(time.Microsecond).UTC()}},
		b.credit(t, id, 1, &at).Expiring)
	var due time.Time
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT due_at FROM scheduled_events WHERE subject_id = $1",
		id).Scan(&due))
	require.Equal(t, at.Truncate(time.Microsecond).UTC(), due.UTC())
}
