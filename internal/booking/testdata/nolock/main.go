// Command nolock is wrong on purpose: it writes a booking without holding the locks of its dates. A test compiles it
// and expects to be refused.
package main

import (
	"holdfast/internal/booking/internal/datessql"
	"holdfast/internal/db"
)

func main() {
	_ = db.UnderNothing(datessql.New)
	_ = db.UnderBalance(datessql.New)
	statements := db.UnderDates(datessql.New)
	_ = statements.On(new(db.WriteTx))
	_ = statements.On(new(db.WalletTx))
	_ = statements.On(new(db.BalanceTx))
	_ = db.DatesTx{keys: nil}
}
