// Command nolock is wrong on purpose: it writes a booking without holding its calendar lock. A test compiles it
// and expects to be refused.
package main

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/lock"
	"holdfast/internal/store"
)

func main() {
	var s *store.Store
	_ = s.InsertBooking(store.NewBooking{}, store.Answer{})
	_ = s.Write(context.Background(), uuid.Nil, store.WriteRead{}, func(tx *store.WriteTx, _ store.WriteState) error {
		return tx.InsertBooking(store.NewBooking{}, store.Answer{})
	})
	_ = s.Calendar(context.Background(), lock.CalendarKeys{}, store.CalendarRead{}, func(tx *store.CalendarTx, _ store.CalendarState) error {
		return tx.InsertBooking(store.NewBooking{}, store.Answer{})
	})
	_ = store.BookTx{tenant: uuid.Nil}
	_ = new(store.BookTx).Exec("INSERT INTO bookings DEFAULT VALUES")
}
