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
//
//	wallet.go, code.go     a wallet, and the code of one without a customer
//	entry.go, apply.go     an entry, and what it does to a wallet
//	ledger_transaction.go  the entries and postings of one commit
//	operations.go, requests.go  what can be asked of wallets
//	representation.go      what the API shows
//	service.go, create.go  Service: what changes wallets, and making them
//	read.go, lookup.go     reading wallets, and finding one by its code
//	expiry.go              the event that ends credit that expires
//	record.go              the records of changes
//	operator.go, verify.go, rebuild.go  the operator's checks, and making a projection again
//	sql.go, sql_verify.go  the statements of wallets, and of the checks
package wallet
