package wallet_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/wallet"
)

func TestVerify_EachDefect_IsFound(t *testing.T) {
	t.Parallel()
	const ofWallet = " WHERE wallet_id = $1"
	for name, c := range map[string]struct {
		statement string
		kinds     []wallet.DifferenceKind
	}{
		"an entry is missing": {"DELETE FROM wallet_entries WHERE wallet_id = $1 AND version = 17",
			[]wallet.DifferenceKind{wallet.BadStream}},
		"the last entry is missing": {"DELETE FROM wallet_entries WHERE wallet_id = $1 AND version = 300",
			[]wallet.DifferenceKind{wallet.BadStream}},
		"an amount": {"UPDATE wallet_entries SET amount = 2 WHERE wallet_id = $1 AND version = 17",
			[]wallet.DifferenceKind{wallet.BadStream}},
		"an entry's balance": {"UPDATE wallet_entries SET balance = balance + 1 WHERE wallet_id = $1 AND version = 17",
			[]wallet.DifferenceKind{wallet.BadStream}},
		"an entry's held": {"UPDATE wallet_entries SET held = 0 WHERE wallet_id = $1 AND version = 17",
			[]wallet.DifferenceKind{wallet.BadStream}},
		"the balance": {"UPDATE wallets SET balance = balance + 1" + ofWallet,
			[]wallet.DifferenceKind{wallet.BadProjection, wallet.BadPostings, wallet.BadSum}},
		"what is held": {"UPDATE wallets SET held = held + 1" + ofWallet,
			[]wallet.DifferenceKind{wallet.BadProjection, wallet.BadPostings}},
		"the batches and holds": {"UPDATE wallets SET state = '{}'" + ofWallet,
			[]wallet.DifferenceKind{wallet.BadProjection}},
		"the version, too low": {"UPDATE wallets SET version = version - 1" + ofWallet,
			[]wallet.DifferenceKind{wallet.BadProjection}},
		"the version, too high": {"UPDATE wallets SET version = version + 1" + ofWallet,
			[]wallet.DifferenceKind{wallet.BadStream}},
		"the wallet's time": {"UPDATE wallets SET updated_at = updated_at + interval '1 s'" + ofWallet,
			[]wallet.DifferenceKind{wallet.BadProjection}},
		"a snapshot's balance": {"UPDATE wallet_snapshots SET balance = 1" + ofWallet,
			[]wallet.DifferenceKind{wallet.BadSnapshot}},
		"a snapshot's batches": {"UPDATE wallet_snapshots SET state = '{}'" + ofWallet,
			[]wallet.DifferenceKind{wallet.BadSnapshot}},
		"a snapshot's time": {"UPDATE wallet_snapshots SET occurred_at = occurred_at + interval '1 s'" + ofWallet,
			[]wallet.DifferenceKind{wallet.BadSnapshot}},
		"an entry's time": {"UPDATE wallet_entries SET occurred_at = occurred_at + interval '1 h' WHERE wallet_id " +
			"= $1 AND version = 17", []wallet.DifferenceKind{wallet.BadStream}},
		"more snapshots than are read at once": {"INSERT INTO wallet_snapshots SELECT tenant_id, wallet_id, v, 1, 0, '{}', now() FROM " +
			"wallets, generate_series(1, 255) AS v" + ofWallet,
			slices.Repeat([]wallet.DifferenceKind{wallet.BadSnapshot}, 255)},
		"a snapshot nobody made": {"INSERT INTO wallet_snapshots SELECT tenant_id, wallet_id, 17, 1, 0, '{}', now() FROM wallets" +
			ofWallet, []wallet.DifferenceKind{wallet.BadSnapshot}},
		"a posting's amount": {"UPDATE wallet_postings SET amount = amount + 1 WHERE from_wallet = $1 AND amount = 30",
			[]wallet.DifferenceKind{wallet.BadPostings}},
		"a posting is missing": {"DELETE FROM wallet_postings WHERE to_wallet = $1 AND amount = 100",
			[]wallet.DifferenceKind{wallet.BadPostings, wallet.BadSum}},
		"a posting nobody made": {"INSERT INTO wallet_postings SELECT tenant_id, wallet_id, 0, 'available', wallet_id, " +
			"'available', gen_random_uuid(), 'EUR', 1, now() FROM wallets" + ofWallet,
			[]wallet.DifferenceKind{wallet.BadPostings, wallet.BadPostings}},
		"a posting's currency": {"UPDATE wallet_postings SET currency = 'USD' WHERE to_wallet = $1 AND amount = 100",
			[]wallet.DifferenceKind{wallet.BadPostings, wallet.BadPostings, wallet.BadSum, wallet.BadSum}},
		"no row": {"DELETE FROM wallets" + ofWallet,
			[]wallet.DifferenceKind{wallet.BadPostings, wallet.BadSum, wallet.BadStream}},
		"a payment that isn't there": {"UPDATE wallet_entries SET type = 'paid', payment_id = gen_random_uuid() WHERE wallet_id = $1 " +
			"AND version = 17", []wallet.DifferenceKind{wallet.BadPayment}},
		"a refund that isn't there": {"UPDATE wallet_entries SET type = 'refunded' WHERE wallet_id = $1 AND version = 2",
			[]wallet.DifferenceKind{wallet.BadPayment}},
		"a hold of an ended payment": {"UPDATE wallets SET state = replace(state::text, '\"amount\":30', " +
			"'\"amount\":30,\"payment\":true')::json" + ofWallet,
			[]wallet.DifferenceKind{wallet.BadProjection, wallet.BadHold}},
		"nothing; it is as it has been": {"UPDATE wallets SET balance = balance" + ofWallet, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, id := setupUsed(t)
			b.newWallet(t, 7)
			before := b.verify(t)
			require.Empty(t, before.Differences)
			require.Equal(t, int64(300+2), before.Entries)
			result, err := b.sql.Exec(t.Context(), c.statement, id)
			require.NoError(t, err)
			require.Positive(t, result.RowsAffected())
			v := b.verify(t)
			var kinds []wallet.DifferenceKind
			for _, f := range v.Differences {
				kinds = append(kinds, f.Kind)
				require.Equal(t, b.tenant.ID, f.TenantID)
			}
			require.Equal(t, c.kinds, kinds, "%v", v.Differences)
			require.Equal(t, len(kinds), v.Found)
		})
	}
}

// TestVerify_BesideWriters_FindsNothing runs the comparison while wallets change.
func TestVerify_BesideWriters_FindsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	wallets := []uuid.UUID{b.newWallet(t, 1000), b.newWallet(t, 1000), b.newWallet(t, 1000)}
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for c := range 4 {
		writers.Go(func() {
			for i := c; ctx.Err() == nil; i++ {
				_ = code(
					t,
				)(
					b.service.Transfer(
						t.Context(),
						b.tenant,
						newRequest(t),
						wallet.TransferRequest{From: wallets[i%3], To: wallets[(i+1+c%2)%3], Amount: 3},
					),
				)
			}
		})
	}
	before := b.verify(t).Entries
	for i := 0; i < 12 || b.verify(t).Entries < before+20; i++ { // until they have written meanwhile
		require.Less(t, i, 1000)
		b.requireSound(t)
	}
	stop()
	writers.Wait()
	b.requireSound(t)
}

func TestRebuild_WrongProjection_IsMadeAgainFromTheEntries(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"balance": "UPDATE wallets SET balance = balance + 500 WHERE wallet_id = $1",
		"state":   "UPDATE wallets SET state = '{}' WHERE wallet_id = $1",
		"broken":  "UPDATE wallets SET state = '[1]' WHERE wallet_id = $1",
		"all":     "UPDATE wallets SET balance = 9, held = 9, version = 3, updated_at = now() WHERE wallet_id = $1",
		"behind":  "UPDATE wallets SET version = version - 1 WHERE wallet_id = $1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, id := setupUsed(t)
			other := b.newWallet(t, 7)
			want, row := b.get(t, id), b.tables(t)["wallets"]
			_, err := b.sql.Exec(t.Context(), statement, id)
			require.NoError(t, err)
			o := wallet.NewOperator(b.store)
			r, err := o.Rebuild(t.Context(), b.tenant.ID.String(), &other)
			require.NoError(t, err)
			require.Equal(t, wallet.Rebuilding{Wallets: 1, Rebuilt: []wallet.Rebuilt{}, Refused: []wallet.Difference{}},
				r)
			r, err = o.Rebuild(t.Context(), "", nil)
			require.NoError(t, err)
			require.Equal(t, 2, r.Wallets)
			require.Empty(t, r.Refused)
			require.Len(t, r.Rebuilt, 1)
			require.Equal(t, wallet.Projection{Version: want.Version, Balance: want.Balance, Held: want.Held},
				r.Rebuilt[0].After)
			require.Equal(t, want, b.get(t, id))
			require.Equal(t, row, b.tables(t)["wallets"])
			b.requireSound(t)
			require.Equal(t, want.Balance+5, b.credit(t, id, 5, nil).Balance, "the wallet goes on")
			r, err = o.Rebuild(t.Context(), "", nil)
			require.NoError(t, err)
			require.Empty(t, r.Rebuilt)
		})
	}
}

func TestRebuild_StreamThatDoesNotFold_IsRefused(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"a gap":      "DELETE FROM wallet_entries WHERE wallet_id = $1 AND version = 17",
		"an amount":  "UPDATE wallet_entries SET amount = 2 WHERE wallet_id = $1 AND version = 17",
		"no entries": "DELETE FROM wallet_entries WHERE wallet_id = $1",
		"last ones": "DELETE FROM wallet_entries e WHERE wallet_id = $1 AND version = (SELECT max(version) FROM wallet_entries WHERE " +
			"wallet_id = e.wallet_id)",
		"ahead": "UPDATE wallets SET version = version + 100 WHERE wallet_id = $1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, id := setupUsed(t)
			_, err := b.sql.Exec(t.Context(), statement, id)
			require.NoError(t, err)
			_, err = b.sql.Exec(t.Context(), "UPDATE wallets SET balance = balance + 500 WHERE wallet_id = $1", id)
			require.NoError(t, err)
			before := b.tables(t)
			r, err := wallet.NewOperator(b.store).Rebuild(t.Context(), "", nil)
			require.NoError(t, err)
			require.Empty(t, r.Rebuilt)
			require.Len(t, r.Refused, 1)
			require.Equal(t, wallet.BadStream, r.Refused[0].Kind)
			require.Equal(t, before, b.tables(t))
		})
	}
}

func TestRebuild_BesideWriters_ChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.newWallet(t, 1000)
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for range 2 {
		writers.Go(func() {
			for ctx.Err() == nil {
				_ = code(t)(b.service.Credit(t.Context(), b.tenant, newRequest(t), id, wallet.CreditRequest{Amount: 3}))
			}
		})
	}
	for range 10 {
		r, err := wallet.NewOperator(b.store).Rebuild(t.Context(), "", nil)
		require.NoError(t, err)
		require.Empty(t, r.Rebuilt)
		require.Empty(t, r.Refused)
	}
	stop()
	writers.Wait()
	b.requireSound(t)
}

func TestVerify_UnknownTenant_IsAnError(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := wallet.NewOperator(b.store).Verify(t.Context(), "nobody")
	require.ErrorContains(t, err, `there is no tenant "nobody"`)
}

// move writes a ledger transaction of a wallet.
func (b *testBundle) move(t testing.TB, id uuid.UUID, act func(m *wallet.LedgerTransaction, w *wallet.Wallet) error) {
	t.Helper()
	keys, err := lock.Wallets(b.tenant.ID, id)
	require.NoError(t, err)
	require.NoError(t, b.store.Wallets(t.Context(), nil, keys, func(tx *db.WalletTx) func() error {
		read := wallet.ReadLocked(tx)
		return func() error {
			wallets, err := read.Wallets()
			if err != nil {
				return err
			}
			m := wallet.NewLedgerTransaction(tx.Now())
			if err := act(m, wallets[0]); err != nil {
				return err
			}
			return m.Write(tx)
		}
	}))
}

// insertPayment writes a payment with a wallet, or the refund of one, without a booking.
// One that is open is a payment by card beside the wallet, which holds the amount.
func (b *testBundle) insertPayment(t testing.TB, id, booking, from uuid.UUID, refundOf *uuid.UUID, amount int64,
	open bool,
) {
	t.Helper()
	tx, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = tx.Exec(t.Context(), "SET LOCAL session_replication_role = replica") // no foreign keys
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `
		INSERT INTO payments (tenant_id, payment_id, booking_id, refund_of, kind, status, amount, currency, method, provider,
			idempotency_key, fence, leased_until,
			resolve_at, first_sent_at, last_sent_at, created_at, updated_at, wallet_id, wallet_amount, wallet_held)
		SELECT $1, $2::uuid, $3, $4::uuid, CASE WHEN $4::uuid IS NULL THEN 'amount' ELSE 'refund' END, CASE WHEN $6::boolean
			THEN 'processing' ELSE 'succeeded' END, $5::bigint, 'EUR', '', CASE WHEN $6 THEN 'sandbox' ELSE 'wallet' END,
			$2::uuid::text, 1, now(), CASE WHEN $6 THEN now() END, now(), now(), now(), now(), $7, CASE WHEN $6 THEN $5::bigint END, $6`,
		b.tenant.ID, id, booking, refundOf, amount, open, from)
	require.NoError(t, err)
	require.NoError(t, tx.Commit(t.Context()))
}

func TestVerify_PaymentsWithWallets_MatchTheirEntries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		statement string
		kinds     []wallet.DifferenceKind
	}{
		"as they are": {"SELECT", nil},
		"another amount": {"UPDATE payments SET amount = amount + 1 WHERE refund_of IS NULL AND amount = 30",
			[]wallet.DifferenceKind{wallet.BadPayment}},
		"another amount of a refund": {"UPDATE payments SET amount = amount + 1 WHERE refund_of IS NOT NULL",
			[]wallet.DifferenceKind{wallet.BadPayment}},
		"another booking": {"UPDATE payments SET booking_id = gen_random_uuid() WHERE refund_of IS NOT NULL",
			[]wallet.DifferenceKind{wallet.BadPayment}},
		"another wallet": {"UPDATE payments SET wallet_id = gen_random_uuid() WHERE refund_of IS NOT NULL",
			[]wallet.DifferenceKind{wallet.BadPayment}},
		"a payment without an entry": {"UPDATE payments SET payment_id = gen_random_uuid() WHERE refund_of IS NOT NULL",
			[]wallet.DifferenceKind{wallet.BadPayment, wallet.BadPayment}},
		"a capture without a payment": {"DELETE FROM payments WHERE amount = 5",
			[]wallet.DifferenceKind{wallet.BadPayment}},
		"an entry without a payment": {"DELETE FROM payments WHERE refund_of IS NOT NULL",
			[]wallet.DifferenceKind{wallet.BadPayment}},
		"a payment that was declined": {"UPDATE payments SET status = 'declined' WHERE refund_of IS NOT NULL",
			[]wallet.DifferenceKind{wallet.BadPayment}},
		"a hold of an ended payment": {
			"UPDATE payments SET status = 'declined', resolve_at = NULL, wallet_held = false WHERE status = 'processing'",
			[]wallet.DifferenceKind{wallet.BadHold},
		},
		"another amount that is held": {"UPDATE payments SET wallet_amount = wallet_amount + 1 WHERE wallet_held",
			[]wallet.DifferenceKind{wallet.BadHold, wallet.BadHold}},
		"a hold of no payment": {"DELETE FROM payments WHERE status = 'processing'",
			[]wallet.DifferenceKind{wallet.BadHold}},
		"a payment with another wallet": {"UPDATE payments SET provider = 'sandbox' WHERE refund_of IS NOT NULL",
			[]wallet.DifferenceKind{wallet.BadPayment}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			id, booking, payment, refund, open := b.newWallet(t, 100), uuid.New(), uuid.New(), uuid.New(), uuid.New()
			b.move(t, id, func(m *wallet.LedgerTransaction,
				w *wallet.Wallet) error {
				return m.Pay(w, 30, booking, payment)
			})
			b.insertPayment(t, payment, booking, id, nil, 30, false)
			b.move(t, id, func(m *wallet.LedgerTransaction,
				w *wallet.Wallet) error {
				return m.Refund(w, 10, booking, refund)
			})
			b.insertPayment(t, refund, booking, id, &payment, 10, false)
			b.move(t, id, func(m *wallet.LedgerTransaction, w *wallet.Wallet) error {
				return m.Hold(w, open, 20, wallet.Entry{BookingID: &booking, PaymentID: &open})
			})
			b.insertPayment(t, open, booking, id, nil, 20, true)
			card, part := uuid.New(), uuid.New()
			b.move(t, id, func(m *wallet.LedgerTransaction, w *wallet.Wallet) error {
				return m.Hold(w, card, 5, wallet.Entry{BookingID: &booking, PaymentID: &card})
			})
			b.move(t, id, func(m *wallet.LedgerTransaction, w *wallet.Wallet) error {
				return m.Capture(w, wallet.Hold{ID: card, Amount: 5}, nil,
					wallet.Entry{BookingID: &booking, PaymentID: &part})
			})
			b.insertPayment(t, part, booking, id, nil, 5, false)
			require.Equal(t, problem.InvalidState,
				code(t)(b.service.Release(t.Context(), b.tenant, newRequest(t), id, open, wallet.Description{})),
				"a payment's hold ends with the payment")
			tx, err := b.sql.Begin(t.Context())
			require.NoError(t, err)
			defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
			for _, statement := range []string{"SET LOCAL session_replication_role = replica", c.statement} {
				_, err = tx.Exec(t.Context(), statement)
				require.NoError(t, err)
			}
			require.NoError(t, tx.Commit(t.Context()))
			var kinds []wallet.DifferenceKind
			for _, f := range b.verify(t).Differences {
				kinds = append(kinds, f.Kind)
			}
			require.Equal(t, c.kinds, kinds)
		})
	}
}
