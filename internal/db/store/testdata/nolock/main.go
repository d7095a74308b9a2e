// Command nolock is wrong on purpose: it writes a booking without holding its date lock. A test compiles it
// and expects to be refused.
package main

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/db/store"
)

func main() {
	var s *store.Store
	_ = s.InsertBooking(store.NewBooking{})
	_ = s.Write(context.Background(), uuid.Nil, store.WriteRead{}, func(tx *store.WriteTx, _ store.WriteState) error {
		return tx.InsertBooking(store.NewBooking{})
	})
	_ = new(db.BalanceTx).InsertBooking(store.NewBooking{})
	_ = store.BookTx{bookings: nil}
	_ = new(store.BookTx).Exec("INSERT INTO bookings DEFAULT VALUES")
}
