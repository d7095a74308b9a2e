package torture_test

import (
	"slices"
	"testing"

	"holdfast/tools/torture"
	"holdfast/tools/torture/check"
)

// Each layer of wallets hides the defects of the others. dropWalletConstraints drops those of the database: the check
// against a negative amount, the keys of an entry's version, and the index that lets a hold end once.
const dropWalletConstraints = `
	ALTER TABLE wallets DROP CONSTRAINT wallets_available_check, DROP CONSTRAINT wallets_held_check;
	ALTER TABLE wallet_entries DROP CONSTRAINT wallet_entries_pkey;
	DROP INDEX changes_by_version;
	DROP INDEX wallet_entries_end_of_hold;`

// transfer names the statement that writes both entries of a transfer; WalletAppend is a part of its name too.
const transfer = "-- name: WalletAppendTransfer"

// anyVersion has a wallet's row change whatever its version is.
var anyVersion = []rewrite{
	{where: []string{"-- name: WalletAppend"}, old: "AND version = $3::bigint - 1", by: "AND $3::bigint > 0"},
	{where: []string{transfer}, old: "AND version = $7::bigint - 1", by: "AND $7::bigint > 0"},
	{where: []string{transfer}, old: "AND version = $10::bigint - 1", by: "AND $10::bigint > 0"},
}

// ownVersion gives an entry the version that the wallet's row has now, and not the one that the server expects.
var ownVersion = []rewrite{
	{
		where: []string{"-- name: WalletAppend"}, old: "RETURNING wallet_id, balance, held",
		by: "RETURNING wallet_id, balance, held, version",
	},
	{where: []string{"-- name: WalletAppend"}, old: "SELECT $1, $2, $3::bigint,", by: "SELECT $1, $2, c.version,"},
	{where: []string{transfer}, old: "SELECT $1, e.wallet_id, e.version,", by: "SELECT $1, e.wallet_id, c.version,"},
}

func walletDefects() []defect {
	rules := []string{check.RuleWallet}
	return []defect{
		{
			name: "wallets under their locks alone", prepare: dropWalletConstraints, rewrites: anyVersion,
			plant: walletCrowd,
			most:  "transfer",
		},
		{
			// Locks are taken in the order of their keys, each by a statement of its own: the second one finds that
			// there is one.
			name: "only one wallet of a transfer locked", rules: rules, prepare: dropWalletConstraints,
			plant: walletCrowd,
			rewrites: slices.Concat(anyVersion, []rewrite{{
				where: []string{"-- name: TransactionLock"}, old: "pg_catalog.pg_advisory_xact_lock($1::bigint)",
				by: `CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND pid = pg_catalog.pg_backend_pid())
					THEN ''
					ELSE pg_catalog.pg_advisory_xact_lock($1::bigint)::text END`,
			}}),
		},
		{
			// The lock is a part of the statement that reads, whose snapshot is older.
			name: "a wallet's balance read before the lock", rules: rules, prepare: dropWalletConstraints,
			plant: walletCrowd,
			rewrites: slices.Concat(anyVersion, []rewrite{noLock[0], {
				where: []string{"-- name: WalletListByID"}, old: "FROM wallets",
				by: "FROM (SELECT pg_advisory_xact_lock(1) OFFSET 0) AS l, wallets",
			}}),
		},
		{
			name: "an entry appended without its expected version, no lock", rules: rules,
			prepare:  dropWalletConstraints,
			plant:    walletCrowd,
			rewrites: slices.Concat(anyVersion, []rewrite{noLock[0]}, ownVersion), always: true,
		},
	}
}

// walletCrowd has clients use wallets only.
func walletCrowd(_ *testing.T, cfg *torture.Config) {
	cfg.Clients = 24
	cfg.Operations = operations(map[string]int{
		"wallet-credit": 5, "wallet-debit": 5, "wallet-hold": 4, "wallet-capture": 3, "wallet-release": 2,
		"transfer": 8, "wallet-read": 4,
	})
}
