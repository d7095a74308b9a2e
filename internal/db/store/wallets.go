package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
)

type (
	// Wallet is a wallet as its last entry left it. State is the credit batches and holds, as JSON.
	Wallet = dbsqlc.Wallet
	// WalletEntry is one change of a wallet.
	WalletEntry = dbsqlc.WalletEntry
	// WalletSnapshot is a wallet as it was at a version.
	WalletSnapshot = dbsqlc.WalletSnapshot
	// WalletPosting takes an amount from one account and gives it to another.
	WalletPosting = dbsqlc.WalletPostingInsertParams
)

// WalletRead says what to read once the wallets' locks are held. What is left zero is not read.
type WalletRead struct {
	// HoldID asks for the entry that ended a hold of the first locked wallet.
	HoldID *uuid.UUID
}

// WalletState is what was read under the wallets' locks.
type WalletState struct {
	// Now is the database's clock, read after the locks were granted.
	Now time.Time
	// Wallets are those of the locked wallets that exist, in no order.
	Wallets []Wallet
	// EndOfHold is the entry that ended the hold, nil if there is none.
	EndOfHold *WalletEntry
}

// WalletTx is a transaction that holds the locks of wallets of one tenant. Only Store.Wallets and Store.BalanceAndWallet make a useful
// one. Its methods queue what is written when the caller's function returns.
type WalletTx struct {
	transaction
	keys lock.WalletKeys
}

// Wallets runs decide in a transaction that holds the lock `{tenant}:wallet:{wallet}` of each wallet of keys. request is what is served,
// nil for a change without a key. What read asks for was read after the locks were granted. When decide returns an error, or queues
// nothing, the transaction is rolled back; otherwise its writes commit together. decide may be run several times and must not have effects
// of its own: it finds what an earlier run wrote by the wallets themselves.
//
// It costs two round trips, one of them when nothing is written. Errors: decide's own; problem.LockTimeout,
// problem.DatabaseUnavailable, problem.RequestInProgress, and problem.VersionConflict when another writer came first in each of several
// attempts, after which nothing was written; problem.InsufficientFunds when the constraint refused a negative balance;
// problem.AlreadyExists for a second wallet of a customer and currency, problem.NotFound for a customer that doesn't exist;
// problem.OutcomeUnknown.
func (s *Store) Wallets(ctx context.Context, request *Request, keys lock.WalletKeys, read WalletRead,
	decide func(*WalletTx, WalletState) error,
) error {
	w := core.Write{Doing: "change the wallets", Request: request, Locks: &keys.Set, Repeatable: true}
	return s.db.Run(ctx, w, func(t *core.Tx, k *core.RequestKey) func() error {
		tx, st := &WalletTx{transaction: newTransaction(t, k), keys: keys}, new(WalletState)
		t.ReadClock()
		tx.queueReads(read, st)
		return func() error {
			st.Now = t.Now
			return decide(tx, *st)
		}
	})
}

// What the failures of writing wallets mean. A wallet that isn't at the version before an entry has the statement insert null, or an entry
// that there is.
var (
	otherVersion = []core.Failure{
		{State: core.UniqueViolation, Again: true, Means: versionConflict},
		{State: core.NotNullViolation, Again: true, Means: versionConflict},
	}
	tooLittle = core.Failure{State: core.CheckViolation, Means: func(cause error) error {
		return problem.Wrap(cause, problem.InsufficientFunds, "The wallet has less than that available.")
	}}
	codeTaken = core.Again(core.UniqueViolation) // the next run makes another code
)

func versionConflict(cause error) error {
	return problem.Wrap(cause, problem.VersionConflict, "Other changes of the wallet came first, several times. Nothing was written.").
		Retry(time.Second)
}

func (tx *WalletTx) queueReads(read WalletRead, st *WalletState) {
	t := tx.t
	ids := make([]uuid.UUID, 0, 2)
	for _, id := range tx.keys.Wallets() {
		ids = append(ids, id)
	}
	core.Query(t, "read the wallets", &st.Wallets, func(q *dbsqlc.Queries) ([]Wallet, error) {
		return q.WalletListByID(t.Ctx, t.Tenant, ids)
	})
	if read.HoldID != nil {
		core.Optional(t, "read the end of the hold", &st.EndOfHold, func(q *dbsqlc.Queries) (WalletEntry, error) {
			return q.WalletEntryOfHold(t.Ctx, dbsqlc.WalletEntryOfHoldParams{TenantID: t.Tenant, WalletID: ids[0], HoldID: *read.HoldID})
		})
	}
}

// NewWallet is a wallet to be made: of a customer, or with a code. CodeHash is the SHA-256 of the code, whose beginning is CodePrefix.
type NewWallet struct {
	WalletID   uuid.UUID
	CustomerID *uuid.UUID
	Currency   string
	CodePrefix string
	CodeHash   []byte
	State      []byte
}

// InsertWallet queues a wallet without entries.
func (tx *WalletTx) InsertWallet(w NewWallet) {
	failures := []core.Failure{
		{State: core.UniqueViolation, Means: func(cause error) error {
			return problem.Wrap(cause, problem.AlreadyExists, "The customer has a wallet in this currency.")
		}},
		{State: core.ForeignKeyViolation, Means: missing},
	}
	if w.CodePrefix != "" {
		failures = codeTaken
	}
	if w.CustomerID != nil {
		keepCustomers(tx.t, core.Failure{State: core.DivisionByZero, Means: missing}, *w.CustomerID)
	}
	core.Exec(tx.t, "insert the wallet", func(q *dbsqlc.Queries) error {
		p := dbsqlc.WalletInsertParams{
			TenantID: tx.t.Tenant, WalletID: w.WalletID, CustomerID: w.CustomerID, Currency: w.Currency, CodeHash: w.CodeHash,
			State: w.State, Now: tx.t.Now,
		}
		if w.CodePrefix != "" {
			p.CodePrefix = &w.CodePrefix
		}
		return q.WalletInsert(tx.t.Ctx, p)
	}, failures...)
}

// SetCode queues another code of a wallet that has one.
func (tx *WalletTx) SetCode(wallet uuid.UUID, prefix string, hash []byte) {
	core.Exec(tx.t, "set the wallet's code", func(q *dbsqlc.Queries) error {
		return q.WalletSetCode(tx.t.Ctx, dbsqlc.WalletSetCodeParams{
			TenantID: tx.t.Tenant, WalletID: wallet, CodePrefix: prefix, CodeHash: hash,
		})
	}, codeTaken...)
}

// WalletChange is what an entry adds to the balance and to what is held, in minor units, and the state after it.
type WalletChange struct {
	Balance, Held int64
	State         []byte
}

// Append queues an entry with the change of the wallet's row. Version is the version that the caller expects the wallet to get: if the
// wallet isn't at the version before, the transaction fails and is run again. Append returns an error, which is a defect of the caller,
// when the wallet's lock isn't held.
func (tx *WalletTx) Append(e WalletEntry, c WalletChange) error {
	if err := tx.requireLock(e.WalletID); err != nil {
		return err
	}
	failures := otherVersion
	if c.Balance < c.Held {
		failures = append(slices.Clip(failures), tooLittle)
	}
	core.Exec(tx.t, "append to the wallet", func(q *dbsqlc.Queries) error {
		return q.WalletAppend(tx.t.Ctx, dbsqlc.WalletAppendParams{
			TenantID: tx.t.Tenant, WalletID: e.WalletID, Version: e.Version, MovementID: e.MovementID, Type: e.Type, Amount: e.Amount,
			HoldID:        e.HoldID,
			OtherWalletID: e.OtherWalletID, BookingID: e.BookingID, PaymentID: e.PaymentID, Batches: e.Batches, Reason: e.Reason,
			Reference: e.Reference,
			Now:       e.OccurredAt, BalanceChange: c.Balance, HeldChange: c.Held, State: c.State,
		})
	}, failures...)
	return nil
}

// AppendTransfer queues the two entries of a transfer between two wallets, with the change of both rows. States are the wallets'
// after it. Otherwise it is as Append.
func (tx *WalletTx) AppendTransfer(out, in WalletEntry, outState, inState []byte) error {
	if err := errors.Join(tx.requireLock(out.WalletID), tx.requireLock(in.WalletID)); err != nil {
		return err
	}
	core.Exec(tx.t, "append the transfer", func(q *dbsqlc.Queries) error {
		return q.WalletAppendTransfer(tx.t.Ctx, dbsqlc.WalletAppendTransferParams{
			TenantID: tx.t.Tenant, MovementID: out.MovementID, Amount: out.Amount, Reason: out.Reason, Reference: out.Reference,
			FromWallet: out.WalletID, FromVersion: out.Version, FromTime: out.OccurredAt, FromState: outState,
			ToWallet: in.WalletID, ToVersion: in.Version, ToTime: in.OccurredAt, ToState: inState, Batches: in.Batches,
		})
	}, append(slices.Clip(otherVersion), tooLittle)...)
	return nil
}

// requireLock returns an error, which is a defect of the caller, when a wallet's lock isn't held.
func (tx *WalletTx) requireLock(wallet uuid.UUID) error {
	if !slices.Contains(tx.keys.Wallets(), [16]byte(wallet)) {
		return fmt.Errorf("change a wallet: the lock of %s isn't held", wallet)
	}
	return nil
}

// InsertPosting queues a posting.
func (tx *WalletTx) InsertPosting(p WalletPosting) {
	p.TenantID, p.Now = tx.t.Tenant, tx.t.Now
	core.Exec(tx.t, "insert a posting", func(q *dbsqlc.Queries) error { return q.WalletPostingInsert(tx.t.Ctx, p) })
}

// InsertSnapshot queues a snapshot of a wallet after an entry.
func (tx *WalletTx) InsertSnapshot(e WalletEntry, state []byte) {
	core.Exec(tx.t, "insert a snapshot", func(q *dbsqlc.Queries) error {
		return q.WalletSnapshotInsert(tx.t.Ctx, dbsqlc.WalletSnapshotInsertParams{
			TenantID: tx.t.Tenant, WalletID: e.WalletID, Version: e.Version, Balance: e.Balance, Held: e.Held, State: state,
			Now: e.OccurredAt,
		})
	})
}
