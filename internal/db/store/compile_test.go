package store_test

import (
	"testing"

	"holdfast/internal/db/store/storetest"
)

func TestBookTx_WithoutTheLock_DoesNotCompile(t *testing.T) {
	t.Parallel()
	storetest.RequireRefused(t, "./testdata/nolock",
		"s.InsertBooking undefined",
		"tx.InsertBooking undefined",
		"new(db.BalanceTx).InsertBooking undefined",
		"cannot refer to unexported field bookings in struct literal",
		"new(store.BookTx).Exec undefined",
	)
}
