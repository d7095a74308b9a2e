// Command nolock is wrong on purpose: it changes a wallet without holding its lock. A test compiles it and expects to
// be refused.
package main

import (
	"holdfast/internal/db"
	"holdfast/internal/wallet/internal/walletsql"
)

func main() {
	_ = db.UnderNothing(walletsql.New)
	statements := db.UnderWallet(walletsql.New)
	_ = statements.On(new(db.Tx))
	_ = statements.On(new(db.WriteTx))
	_ = db.WalletTx{keys: nil}
	new(db.DB).Core().Run(nil)
	_ = new(db.DB).Core().db
	db.Exec(db.Queue[*walletsql.Queries]{tx: nil}, "rebuild", func(q *walletsql.Queries) error { return nil })
}
