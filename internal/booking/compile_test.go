package booking_test

import (
	"testing"

	"holdfast/internal/db/dbtest"
)

func TestStatements_WithoutTheLocksOfTheirDates_DoNotCompile(t *testing.T) {
	t.Parallel()
	dbtest.RequireRefused(t, "./testdata/nolock",
		"in call to db.UnderNothing, Q (type *datessql.Queries) does not satisfy interface{UnderNothing()}",
		"in call to db.UnderBalance, Q (type *datessql.Queries) does not satisfy interface{UnderBalance()}",
		"cannot use new(db.WriteTx) (value of type *db.WriteTx) as *db.DatesTx value in argument to statements.On",
		"cannot use new(db.WalletTx) (value of type *db.WalletTx) as *db.DatesTx value in argument to statements.On",
		"cannot use new(db.BalanceTx) (value of type *db.BalanceTx) as *db.DatesTx value in argument to statements.On",
		"cannot refer to unexported field keys in struct literal of type db.DatesTx",
	)
}
