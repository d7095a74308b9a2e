package payment

import (
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/payment/internal/rowsql"
)

// balanceRead says what to read once a booking's balance lock is held. What is left zero is not read.
type balanceRead struct {
	// Payment asks for a payment or refund of the booking, with how much of it was returned.
	Payment *uuid.UUID
	// Provider and Event ask whether a provider's event was processed before.
	Provider, Event string
	// Change asks for the booking as the API shows it, and keeps other transactions from changing it: the transaction
	// takes its next version.
	Change bool
	// Begin keeps other transactions from changing the booking, so that its price is what the payment that begins is
	// judged by.
	Begin bool
	// Ended asks whether the booking ended and its payments need work.
	Ended bool
	// AccountAt is the provider of which the tenant's account is read, empty for none.
	AccountAt string
	// Payments asks for the payments and refunds of the booking that moved money or may have, and for declined
	// automatic refunds.
	Payments bool
}

// balanceState is what was read under the balance lock.
type balanceState struct {
	// Now is the database's clock, read after the lock was granted.
	Now time.Time
	// Booking is nil if there is none of that id.
	Booking *bookingRow
	// Changing is the whole booking, nil if there is none of that id or none was asked for.
	Changing *booking.Row
	// Ended is nil unless the booking ended and its payments need work.
	Ended *endedRow
	// Sum is the booking's money, in minor units of its currency.
	Sum sumRow
	// Account is what is known of the tenant's account at a provider, nil if nothing is, or none was asked for.
	Account *accountRow
	// Begun says that an earlier transaction began the request's key, which has no response yet.
	Begun bool
	// PaymentOfKey is the payment or refund that an earlier request with the same key started, nil if there is none.
	PaymentOfKey *paymentRow
	// Open is the open payment or refund of the booking, nil if there is none.
	Open *booking.OpenPayment
	// Payment is the payment that was asked for, nil if there is none of that id. Refunded is how much of it was
	// refunded, or is in an open refund, in minor units.
	Payment  *paymentRow
	Refunded int64
	// EventFound says that the provider's event was processed before.
	EventFound bool
	// Payments are in the order in which they were made.
	Payments []paymentRow
}

// queueReads queues the reading of a booking's money, and of what read asks for besides.
func queueReads(tx *db.BalanceTx, read balanceRead, st *balanceState) {
	if read.Change || read.Begin {
		booking.QueueLock(tx, tx.Booking())
	}
	if read.Change {
		booking.QueueOptional(tx, tx.Booking(), &st.Changing)
	}
	if read.AccountAt != "" {
		queueAccount(tx, read.AccountAt, &st.Account)
	}
	if read.Ended {
		db.Optional(unlocked.On(tx), "read the ended booking", &st.Ended, func(q *rowsql.Queries) (endedRow, error) {
			return q.EndedBookingGet(tx.Context(), tx.Tenant(), tx.Booking())
		})
	}
	db.Optional(unlocked.On(tx), "read the booking", &st.Booking, func(q *rowsql.Queries) (bookingRow, error) {
		return q.BalanceBooking(tx.Context(), tx.Tenant(), tx.Booking())
	})
	db.Query(unlocked.On(tx), "add up the booking's money", &st.Sum, func(q *rowsql.Queries) (sumRow, error) {
		return q.BalanceSum(tx.Context(), tx.Tenant(), tx.Booking())
	})
	booking.QueueOpenPayment(tx, tx.Booking(), &st.Open)
	if key := tx.Key(); key != nil {
		db.Optional(unlocked.On(tx), "read the payment of the key", &st.PaymentOfKey,
			func(q *rowsql.Queries) (paymentRow, error) {
				return q.PaymentGetByKey(tx.Context(),
					rowsql.PaymentGetByKeyParams{TenantID: tx.Tenant(), BookingID: tx.Booking(), Key: *key})
			})
	}
	if read.Payment != nil {
		db.Optional(unlocked.On(tx), "read the payment", &st.Payment, func(q *rowsql.Queries) (paymentRow, error) {
			return q.PaymentGet(tx.Context(), tx.Tenant(), *read.Payment)
		})
		db.Query(unlocked.On(tx), "add up the payment's refunds", &st.Refunded, func(q *rowsql.Queries) (int64, error) {
			return q.PaymentRefunded(tx.Context(), tx.Tenant(), read.Payment)
		})
	}
	if read.Event != "" {
		db.Query(unlocked.On(tx), "look for the provider's event", &st.EventFound, func(q *rowsql.Queries) (bool,
			error) {
			return q.ProviderEventExists(tx.Context(), rowsql.ProviderEventExistsParams{
				TenantID: tx.Tenant(), Provider: read.Provider, EventID: read.Event,
			})
		})
	}
	if read.Payments {
		db.Query(unlocked.On(tx), "read the payments", &st.Payments, func(q *rowsql.Queries) ([]paymentRow, error) {
			return q.PaymentListNotDeclined(tx.Context(), tx.Tenant(), tx.Booking())
		})
	}
}
