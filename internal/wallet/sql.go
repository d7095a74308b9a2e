package wallet

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/problem"
	"holdfast/internal/wallet/internal/rowsql"
	"holdfast/internal/wallet/internal/walletsql"
)

// The statements of wallets: those that need the wallet's lock, and those that need none.
var (
	underLock = db.UnderWallet(walletsql.New)
	unlocked  = db.UnderNothing(rowsql.New)
)

// Rows of the tables, and what is inserted.
type (
	walletRow   = rowsql.Wallet // as the wallet's last entry left it
	entryRow    = rowsql.WalletEntry
	snapshotRow = rowsql.WalletSnapshot
	newWallet   = walletsql.WalletInsertParams
	posting     = walletsql.WalletPostingInsertParams // takes an amount from one account and gives it to another
)

// What the failures of writing wallets mean. A wallet that isn't at the version before an entry has the statement
// insert null, or an entry that there is.
var (
	otherVersion = []db.Failure{
		{State: db.UniqueViolation, Again: true, Means: versionConflict},
		{State: db.NotNullViolation, Again: true, Means: versionConflict},
	}
	tooLittle = db.Failure{State: db.CheckViolation, Means: func(cause error) error {
		return problem.Wrap(cause, problem.InsufficientFunds, "The wallet has less than that available.")
	}}
	hasWallet = db.Failure{State: db.UniqueViolation, Means: func(cause error) error {
		return problem.Wrap(cause, problem.AlreadyExists, "The customer has a wallet in this currency.")
	}}
	codeTaken = db.Again(db.UniqueViolation) // the next run makes another code
)

func versionConflict(cause error) error {
	return problem.Wrap(cause, problem.VersionConflict,
		"Other changes of the wallet came first, several times. Nothing was written.").
		Retry(time.Second)
}

func missing(error) error { return problem.Missing() }

// LockedRows are the rows of the wallets whose locks a transaction holds.
type LockedRows struct{ rows []walletRow }

// ReadLocked queues the reading of the wallets whose locks the transaction holds. The rows are there when the
// transaction decides.
func ReadLocked(tx *db.WalletTx) *LockedRows {
	read := new(LockedRows)
	ids := tx.Wallets()
	db.Query(unlocked.On(tx), "read the wallets", &read.rows, func(q *rowsql.Queries) ([]walletRow, error) {
		return q.WalletListByID(tx.Context(), tx.Tenant(), ids)
	})
	return read
}

// Wallets returns those of the locked wallets that exist, in no order.
func (r *LockedRows) Wallets() ([]*Wallet, error) {
	list := make([]*Wallet, len(r.rows))
	for i, row := range r.rows {
		w, err := fromRow(row)
		if err != nil {
			return nil, err
		}
		list[i] = &w
	}
	return list, nil
}

// queueEndOfHold queues the reading of the entry that ended a hold, nil if there is none.
func queueEndOfHold(tx *db.WalletTx, wallet, hold uuid.UUID, entry **entryRow) {
	db.Optional(unlocked.On(tx), "read the end of the hold", entry, func(q *rowsql.Queries) (entryRow, error) {
		return q.WalletEntryOfHold(tx.Context(),
			rowsql.WalletEntryOfHoldParams{TenantID: tx.Tenant(), WalletID: wallet, HoldID: hold})
	})
}

// queueWallet queues a wallet without entries.
func queueWallet(tx *db.WalletTx, w newWallet) {
	w.TenantID, w.Now = tx.Tenant(), tx.Now()
	failures := []db.Failure{hasWallet, {State: db.ForeignKeyViolation, Means: missing}}
	if w.CodePrefix != nil {
		failures = codeTaken
	}
	if w.CustomerID != nil {
		customer.Keep(tx, db.Failure{State: db.DivisionByZero, Means: missing}, *w.CustomerID)
	}
	db.Exec(underLock.On(tx), "insert the wallet", func(q *walletsql.Queries) error {
		return q.WalletInsert(tx.Context(), w)
	}, failures...)
}

// queueCode queues another code of a wallet that has one.
func queueCode(tx *db.WalletTx, wallet uuid.UUID, c code) {
	db.Exec(underLock.On(tx), "set the wallet's code", func(q *walletsql.Queries) error {
		return q.WalletSetCode(tx.Context(), walletsql.WalletSetCodeParams{
			TenantID: tx.Tenant(), WalletID: wallet, CodePrefix: c.prefix(), CodeHash: c.hash(),
		})
	}, codeTaken...)
}

// queueEntry queues an entry with what it adds to the balance and to what is held, in minor units, and the state after
// it. If the wallet isn't at the version before the entry's, the transaction fails and is run again. It returns an
// error, which is a defect of the caller, if the wallet's lock isn't held.
func queueEntry(tx *db.WalletTx, e entryRow, balance, held int64, state []byte) error {
	if err := tx.Require(e.WalletID); err != nil {
		return err
	}
	failures := otherVersion
	if balance < held {
		failures = append(slices.Clip(failures), tooLittle)
	}
	db.Exec(underLock.On(tx), "append to the wallet", func(q *walletsql.Queries) error {
		return q.WalletAppend(tx.Context(), walletsql.WalletAppendParams{
			TenantID:      tx.Tenant(),
			WalletID:      e.WalletID,
			Version:       e.Version,
			MovementID:    e.MovementID,
			Type:          e.Type,
			Amount:        e.Amount,
			HoldID:        e.HoldID,
			OtherWalletID: e.OtherWalletID,
			BookingID:     e.BookingID,
			PaymentID:     e.PaymentID,
			Batches:       e.Batches,
			Reason:        e.Reason,
			Reference:     e.Reference,
			Now:           e.OccurredAt,
			BalanceChange: balance,
			HeldChange:    held,
			State:         state,
		})
	}, failures...)
	return nil
}

// queueTransfer queues the two entries of a transfer between two wallets, with the change of both rows. The states are
// the wallets' after it. Otherwise it is as queueEntry.
func queueTransfer(tx *db.WalletTx, out, in entryRow, outState, inState []byte) error {
	if err := errors.Join(tx.Require(out.WalletID), tx.Require(in.WalletID)); err != nil {
		return err
	}
	db.Exec(underLock.On(tx), "append the transfer", func(q *walletsql.Queries) error {
		return q.WalletAppendTransfer(tx.Context(), walletsql.WalletAppendTransferParams{
			TenantID:    tx.Tenant(),
			MovementID:  out.MovementID,
			Amount:      out.Amount,
			Reason:      out.Reason,
			Reference:   out.Reference,
			FromWallet:  out.WalletID,
			FromVersion: out.Version,
			FromTime:    out.OccurredAt,
			FromState:   outState,
			ToWallet:    in.WalletID,
			ToVersion:   in.Version,
			ToTime:      in.OccurredAt,
			ToState:     inState,
			Batches:     in.Batches,
		})
	}, append(slices.Clip(otherVersion), tooLittle)...)
	return nil
}

func queuePosting(tx *db.WalletTx, p posting) {
	p.TenantID, p.Now = tx.Tenant(), tx.Now()
	db.Exec(underLock.On(tx), "insert a posting", func(q *walletsql.Queries) error {
		return q.WalletPostingInsert(tx.Context(), p)
	})
}

// queueSnapshot queues a snapshot of a wallet after an entry.
func queueSnapshot(tx *db.WalletTx, e entryRow, state []byte) {
	db.Exec(underLock.On(tx), "insert a snapshot", func(q *walletsql.Queries) error {
		return q.WalletSnapshotInsert(tx.Context(), walletsql.WalletSnapshotInsertParams{
			TenantID: tx.Tenant(),
			WalletID: e.WalletID,
			Version:  e.Version,
			Balance:  e.Balance,
			Held:     e.Held,
			State:    state,
			Now:      e.OccurredAt,
		})
	})
}

// queueRebuilt queues a wallet's projection anew. It returns an error, which is a defect of the caller, if the wallet's
// lock isn't held.
func queueRebuilt(tx *db.WalletTx, w projectionRow) error {
	if err := tx.Require(w.WalletID); err != nil {
		return err
	}
	db.Exec(underLock.On(tx), "rebuild the wallet", func(q *walletsql.Queries) error {
		return q.WalletRebuild(tx.Context(), walletsql.WalletRebuildParams{
			TenantID:  tx.Tenant(),
			WalletID:  w.WalletID,
			Balance:   w.Balance,
			Held:      w.Held,
			State:     w.State,
			Version:   w.Version,
			UpdatedAt: w.UpdatedAt,
		})
	})
	return nil
}

// readAt runs one query as a tenant, and returns the time by the database's clock.
func readAt[T any](ctx context.Context, d *db.DB, doing string, tenant uuid.UUID,
	run func(*db.Tx, *rowsql.Queries) (T, error),
) (result T, now time.Time, err error) {
	result, err = db.ReadOne(ctx, d, unlocked, doing, tenant, func(tx *db.Tx, q *rowsql.Queries) (T, error) {
		now = tx.Now()
		return run(tx, q)
	})
	return result, now, err
}

// row returns a wallet's row, and the time by the database's clock. Errors, as of all reads here: problem.NotFound,
// problem.DatabaseUnavailable.
func (r reader) row(ctx context.Context, tenant, id uuid.UUID) (walletRow, time.Time, error) {
	return readAt(ctx, r.db, "read a wallet", tenant, func(tx *db.Tx, q *rowsql.Queries) (walletRow, error) {
		return q.WalletGet(tx.Context(), tx.Tenant(), id)
	})
}

// rowOfCode returns the row of the wallet whose code begins with a prefix, and the time. The caller compares the rest.
func (r reader) rowOfCode(ctx context.Context, tenant uuid.UUID, prefix string) (walletRow, time.Time, error) {
	return readAt(ctx, r.db, "read the wallet of a code", tenant, func(tx *db.Tx, q *rowsql.Queries) (walletRow,
		error) {
		return q.WalletGetByPrefix(tx.Context(), tx.Tenant(), prefix)
	})
}

// rows lists a tenant's wallets by id, and returns the time; with a customer, that customer's only.
func (r reader) rows(ctx context.Context, tenant uuid.UUID, customer *uuid.UUID, after uuid.UUID,
	limit int) ([]walletRow, time.Time,
	error,
) {
	return readAt(ctx, r.db, "list wallets", tenant, func(tx *db.Tx, q *rowsql.Queries) ([]walletRow, error) {
		if customer != nil {
			return q.WalletListOfCustomer(tx.Context(), rowsql.WalletListOfCustomerParams{
				TenantID: tx.Tenant(), CustomerID: *customer, After: after, RowLimit: int32(limit),
			})
		}
		return q.WalletList(tx.Context(),
			rowsql.WalletListParams{TenantID: tx.Tenant(), After: after, RowLimit: int32(limit)})
	})
}

// entryRows lists the entries of a wallet after a version and up to another, by version, at most limit of them.
func (r reader) entryRows(ctx context.Context, tenant, wallet uuid.UUID, after, until int64,
	limit int,
) ([]entryRow, error) {
	return db.ReadOne(ctx, r.db, unlocked, "list a wallet's entries", tenant,
		func(tx *db.Tx, q *rowsql.Queries) ([]entryRow, error) {
			return q.WalletEntryList(tx.Context(), rowsql.WalletEntryListParams{
				TenantID: tx.Tenant(), WalletID: wallet, After: after, Until: until, RowLimit: int32(limit),
			})
		})
}

// versionAt returns the version that a wallet had at a time. Errors: problem.NotFound if it had no entry then.
func (r reader) versionAt(ctx context.Context, tenant, wallet uuid.UUID, at time.Time) (int64, error) {
	return db.ReadOne(ctx, r.db, unlocked, "read a wallet's version", tenant,
		func(tx *db.Tx, q *rowsql.Queries) (int64, error) {
			return q.WalletVersionAt(tx.Context(),
				rowsql.WalletVersionAtParams{TenantID: tx.Tenant(), WalletID: wallet, At: at})
		})
}

// snapshot returns the last snapshot of a wallet at or before a version. Errors: problem.NotFound if there is none.
func (r reader) snapshot(ctx context.Context, tenant, wallet uuid.UUID, version int64) (snapshotRow, error) {
	return db.ReadOne(ctx, r.db, unlocked, "read a snapshot of a wallet", tenant,
		func(tx *db.Tx, q *rowsql.Queries) (snapshotRow, error) {
			return q.WalletSnapshotBefore(tx.Context(), rowsql.WalletSnapshotBeforeParams{
				TenantID: tx.Tenant(), WalletID: wallet, Version: version,
			})
		})
}
