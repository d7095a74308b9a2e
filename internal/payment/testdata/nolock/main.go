// Command nolock is wrong on purpose: it writes a payment without holding the balance lock of its booking. A test
// compiles it and expects to be refused.
package main

import (
	"holdfast/internal/db"
	"holdfast/internal/payment/internal/balancesql"
)

func main() {
	_ = db.UnderNothing(balancesql.New)
	_ = db.UnderWallet(balancesql.New)
	statements := db.UnderBalance(balancesql.New)
	_ = statements.On(new(db.WriteTx))
	_ = statements.On(new(db.WalletTx))
	_ = statements.On(new(db.DatesTx))
}
