package payment_test

import (
	"testing"

	"holdfast/internal/db/dbtest"
)

func TestStatements_WithoutTheBalanceLock_DoNotCompile(t *testing.T) {
	t.Parallel()
	dbtest.RequireRefused(t, "./testdata/nolock",
		"in call to db.UnderNothing, Q (type *balancesql.Queries) does not satisfy interface{UnderNothing()}",
		"in call to db.UnderWallet, Q (type *balancesql.Queries) does not satisfy interface{UnderWallet()}",
		"cannot use new(db.WriteTx) (value of type *db.WriteTx) as *db.BalanceTx value in argument to statements.On",
		"cannot use new(db.WalletTx) (value of type *db.WalletTx) as *db.BalanceTx value in argument to statements.On",
		"cannot use new(db.DatesTx) (value of type *db.DatesTx) as *db.BalanceTx value in argument to statements.On",
	)
}
