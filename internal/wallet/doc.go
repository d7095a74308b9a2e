// Package wallet keeps credit that customers pay with: gift cards, prepaid balances, goodwill.
//
// A wallet is a stream of entries. Each entry has the next version, and Wallet.apply says what it does: it is the only
// code that changes a wallet. The row of a wallet is a projection, the wallet as its last entry left it, written in the
// commit of that entry. The same commit writes postings, which are double entry: each takes an amount from one account
// and gives it to another.
//
// A use case runs in one transaction that holds the lock `{tenant}:wallet:{wallet}` of each wallet it changes. It reads
// the wallets, makes entries in a LedgerTransaction, and writes the ledger transaction. Credit that has expired is
// ended first, so that it is never spent, however late its scheduled event comes.
//
// Amounts are minor units of the wallet's currency. Times are UTC, by the database's clock.
package wallet
