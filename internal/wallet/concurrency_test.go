package wallet_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/wallet"
)

func TestCredit_ManyAtOnceByFourProcesses_IsExact(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.newWallet(t, 0)
	processes := b.processes(t, 4)
	credits := testtime.Rounds(200)
	codes := race(t, credits, func(i int) (idempotency.Outcome, error) {
		return processes[i%len(processes)].Credit(t.Context(), b.tenant, newRequest(t), id,
			wallet.CreditRequest{Amount: 100})
	})
	require.Equal(t, map[problem.Code]int{"": credits}, codes)
	got := b.get(t, id)
	require.Equal(t, int64(100*credits), got.Balance)
	require.Equal(t, int64(1+credits), got.Version)
	b.requireSound(t)
}

func TestDebit_TwoOfTheWholeBalanceAtOnce_OneSucceeds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	processes := b.processes(t, 2)
	for range testtime.Rounds(10) {
		id := b.newWallet(t, 100)
		codes := race(t, 2, func(i int) (idempotency.Outcome, error) {
			return processes[i].Debit(t.Context(), b.tenant, newRequest(t), id, wallet.DebitRequest{Amount: 100})
		})
		require.Equal(t, map[problem.Code]int{"": 1, problem.InsufficientFunds: 1}, codes)
		require.Zero(t, b.get(t, id).Balance)
	}
	b.requireSound(t)
}

func TestCreate_SameCustomerAndCurrencyAtOnce_OneSucceeds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	processes := b.processes(t, 4)
	for range 5 {
		customer := b.newCustomer(t)
		codes := race(t, 16, func(i int) (idempotency.Outcome, error) {
			return processes[i%4].Create(t.Context(), b.tenant, newRequest(t),
				wallet.CreateRequest{CustomerID: &customer, Currency: "EUR"})
		})
		require.Equal(t, map[problem.Code]int{"": 1, problem.AlreadyExists: 15}, codes)
		list, err := b.service.List(t.Context(), b.tenant, &customer, uuid.Nil, 10)
		require.NoError(t, err)
		require.Len(t, list, 1)
	}
	b.requireSound(t)
}

func TestDebit_BesideTheFirstCredits_NeverBelowZero(t *testing.T) {
	t.Parallel()
	b := setup(t)
	processes := b.processes(t, 4)
	for range 5 {
		id := b.newWallet(t, 0)
		debited := make([]bool, 32)
		codes := race(t, 32, func(i int) (idempotency.Outcome, error) {
			p, amount := processes[i%4], int64(10)
			if i%2 == 0 {
				return p.Credit(t.Context(), b.tenant, newRequest(t), id, wallet.CreditRequest{Amount: amount})
			}
			r, err := p.Debit(t.Context(), b.tenant, newRequest(t), id, wallet.DebitRequest{Amount: amount})
			debited[i] = err == nil && r.Answer().Status == 201
			return r, err
		})
		require.Equal(t, 32, codes[""]+codes[problem.InsufficientFunds])
		spent := 0
		for _, d := range debited {
			if d {
				spent += 10
			}
		}
		require.Equal(t, int64(160-spent), b.get(t, id).Balance)
	}
	b.requireSound(t)
}

func TestTransfer_BothWaysAndInRings_NeverDeadlock(t *testing.T) {
	t.Parallel()
	b := setup(t)
	processes := b.processes(t, 4)
	const credit = 1_000_000
	ring := make([]uuid.UUID, 5)
	for i := range ring {
		ring[i] = b.newWallet(t, credit)
	}
	move := func(i, from, to int) {
		r, err := processes[i%4].Transfer(
			t.Context(),
			b.tenant,
			newRequest(t),
			wallet.TransferRequest{From: ring[from], To: ring[to], Amount: int64(1 + i%7)},
		)
		require.Empty(t, code(t)(r, err))
	}
	oppositeTransfers := testtime.Rounds(60) // each way
	const clients = 8                        // four each way
	race(t, clients, func(c int) (idempotency.Outcome, error) {
		for i := c / 2; i < oppositeTransfers; i += clients / 2 {
			move(i, c%2, 1-c%2)
		}
		return idempotency.Outcome{Body: []byte("{}")}, nil
	})
	race(t, 10, func(c int) (idempotency.Outcome, error) {
		for i := range oppositeTransfers / 10 {
			if c < 5 {
				move(i, c, (c+1)%5)
			} else {
				move(i, c%5, (c+4)%5)
			}
		}
		return idempotency.Outcome{Body: []byte("{}")}, nil
	})
	total := int64(0)
	for _, id := range ring {
		total += b.get(t, id).Balance
	}
	require.Equal(t, int64(len(ring)*credit), total)
	for _, p := range processes {
		require.Zero(t, p.retries(t), "a deadlock is a retry")
	}
	var deadlocks int
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").Scan(&deadlocks))
	require.Zero(t, deadlocks)
	b.requireSound(t)
}

func TestTransfer_RefusedOrImpossible_WritesNothingButItsAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from, to := b.newWallet(t, 100), b.newWallet(t, 0)
	other := succeeded[wallet.NewWalletBody](
		t,
	)(
		b.service.Create(t.Context(), b.tenant, newRequest(t), wallet.CreateRequest{Currency: "USD"}),
	).ID
	full := b.newWallet(t, wallet.MaxAmount)
	them := *b
	them.tenant = b.newTenant(t)
	theirs := them.newWallet(t, 100)
	for name, c := range map[string]struct {
		from, to uuid.UUID
		amount   int64
		code     problem.Code
		free     bool // the key stays free, so that nothing at all is written
	}{
		"to itself":                  {from, from, 1, problem.ValidationFailed, false},
		"of another currency":        {from, other, 1, problem.ValidationFailed, false},
		"more than there is":         {from, to, 101, problem.InsufficientFunds, false},
		"too great a balance":        {from, full, 1, problem.ValidationFailed, false},
		"to another tenant":          {from, theirs, 1, problem.NotFound, true},
		"from another tenant":        {theirs, from, 1, problem.NotFound, true},
		"to a wallet that isn't any": {from, uuid.New(), 1, problem.NotFound, true},
	} {
		before := b.tables(t)
		r, err := b.service.Transfer(t.Context(), b.tenant, newRequest(t),
			wallet.TransferRequest{From: c.from, To: c.to, Amount: c.amount})
		require.Equal(t, c.code, code(t)(r, err), name)
		after := b.tables(t)
		if !c.free {
			delete(before, "idempotency_keys")
			delete(after, "idempotency_keys")
		}
		require.Equal(t, before, after, name)
	}
	b.requireSound(t)
}

func TestCredit_ExpiredOrTooMuch_WritesNothingButItsAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.newWallet(t, wallet.MaxAmount-5)
	past := b.get(t, id).CreatedAt
	before := b.tables(t)
	require.Equal(t, problem.ValidationFailed,
		code(t)(b.service.Credit(t.Context(), b.tenant, newRequest(t), id,
			wallet.CreditRequest{Amount: 1, ExpiresAt: &past})))
	require.Equal(t, problem.ValidationFailed,
		code(t)(b.service.Credit(t.Context(), b.tenant, newRequest(t), id, wallet.CreditRequest{Amount: 6})))
	require.Equal(t, problem.NotFound,
		code(t)(b.service.Credit(t.Context(), b.tenant, newRequest(t), uuid.New(), wallet.CreditRequest{Amount: 6})))
	after := b.tables(t)
	delete(before, "idempotency_keys")
	delete(after, "idempotency_keys")
	require.Equal(t, before, after)
	require.Equal(t, int64(wallet.MaxAmount), b.credit(t, id, 5, nil).Balance)
	b.requireSound(t)
}

func TestCredit_UnexpectedConstraintFails_IsAnInternalError(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.newWallet(t, 10)
	dbtest.Alter(t, b.url,
		"ALTER TABLE wallet_entries ADD CONSTRAINT none_is_credited CHECK (type <> 'credited') NOT VALID")
	require.Equal(t, problem.Internal,
		code(t)(b.service.Credit(t.Context(), b.tenant, newRequest(t), id, wallet.CreditRequest{Amount: 1})))
	b.requireSound(t)
}

func TestStream_TheServersRole_CannotChangeWhatWasWritten(t *testing.T) {
	t.Parallel()
	b, _ := setupUsed(t)
	statements := []string{"DELETE FROM wallets"}
	for _, table := range []string{"wallet_entries", "wallet_postings", "wallet_snapshots"} {
		statements = append(statements, "DELETE FROM "+table, "TRUNCATE "+table)
	}
	statements = append(statements,
		"UPDATE wallet_entries SET amount = 2", "UPDATE wallet_postings SET amount = 2",
		"UPDATE wallet_snapshots SET balance = 2",
		"UPDATE wallets SET currency = 'USD'")
	for _, statement := range statements {
		require.ErrorContains(t, b.execAsServer(t, statement), "permission denied", statement)
	}
	require.NoError(t, b.execAsServer(t, "UPDATE wallets SET customer_id = NULL"), "a merge of customers moves wallets")
	b.requireSound(t)
}

// execAsServer runs the statement with the rights of the server's role and takes it back.
func (b *testBundle) execAsServer(t testing.TB, statement string) error {
	t.Helper()
	tx, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback(context.Background())) }()
	_, err = tx.Exec(t.Context(), "SELECT set_config('holdfast.tenant_id', $1, true)", b.tenant.ID.String())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "SET LOCAL ROLE holdfast_app")
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), statement)
	return err
}
