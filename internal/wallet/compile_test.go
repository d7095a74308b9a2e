package wallet_test

import (
	"testing"

	"holdfast/internal/db/dbtest"
)

func TestStatements_WithoutTheLockOfTheWallet_DoNotCompile(t *testing.T) {
	t.Parallel()
	dbtest.RequireRefused(t, "./testdata/nolock",
		"in call to db.UnderNothing, Q (type *walletsql.Queries) does not satisfy interface{UnderNothing()}",
		"cannot use new(db.Tx) (value of type *db.Tx) as *db.WalletTx value in argument to statements.On",
		"cannot use new(db.WriteTx) (value of type *db.WriteTx) as *db.WalletTx value in argument to statements.On",
		"new(db.DB).Core().Run undefined (type core.Handle has no field or method Run)",
		"new(db.DB).Core().db undefined (cannot refer to unexported field db)",
		"cannot refer to unexported field keys in struct literal of type db.WalletTx",
		"cannot refer to unexported field tx in struct literal of type db.Queue",
	)
}
