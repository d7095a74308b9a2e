package payment_test

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// dateKey returns the number of a date's lock.
func (b *testBundle) dateKey(t testing.TB, date civil.Date) int64 {
	t.Helper()
	keys, err := lock.Dates(b.tenant, lock.Date(date))
	require.NoError(t, err)
	return keys.Keys()[0].ID()
}

// lockDate takes the lock of a date as another program would, until unlock is called.
func (b *testBundle) lockDate(t testing.TB, date civil.Date) (unlock func()) {
	t.Helper()
	tx, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) }) // a failed test must not wait for it
	_, err = tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1)", b.dateKey(t, date))
	require.NoError(t, err)
	return func() { require.NoError(t, tx.Rollback(t.Context())) }
}

// waitingForDate returns how many transactions wait for the lock of a date.
func (b *testBundle) waitingForDate(t testing.TB, date civil.Date) int {
	t.Helper()
	return b.count(t, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
		AND (classid::bigint << 32) | objid::bigint = $1
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`, b.dateKey(t, date))
}

// The payment waits for the date of the hold. Meanwhile the hold moves: it is confirmed under the lock of its new date.
func TestConfirmOnDeposit_HoldMovesMeanwhile_IsConfirmedAtItsNewDate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	payments, bookings := b.process(t, withLongCallTimeout), b.bookingProcess(t)
	b.confirmOnDeposit(t, bookings)
	date := testtime.Date(0)
	id := b.holdFor(t, bookings, date, "grace@example.com")
	unlock, unlockNew := b.lockDate(t, date), b.lockDate(t, date.AddDays(7))
	paid := b.begin(t, payments, id, depositBy("pm_ok"))
	eventually(t, func() bool { return b.waitingForDate(t, date) == 1 })
	b.exec(t, dbtest.MoveBookings(7, "booking_id = $1"), id)
	b.exec(t, dbtest.SyncClaims)
	unlock()
	eventually(t, func() bool { return b.waitingForDate(t, date.AddDays(7)) == 1 })
	require.Equal(t, []string{"booking.held"}, b.told(t, id), "it waits for the new date")
	unlockNew()
	require.NoError(t, within(t, paid).err)
	require.Equal(t, []string{"booking.held", "payment.succeeded", "booking.confirmed"}, b.told(t, id))
}

// A date of the hold stays locked. The payment waits for no longer than the lock timeout, and is recorded later.
func TestConfirmOnDeposit_DateStaysLocked_IsRecordedByTheResolver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bookings := b.bookingProcess(t)
	payments := b.processOn(t, db.Config{URL: b.url, MaxConns: 8, LockTimeout: 200 * time.Millisecond})
	b.confirmOnDeposit(t, bookings)
	date := testtime.Date(0)
	id := b.holdFor(t, bookings, date, "grace@example.com")
	unlock := b.lockDate(t, date)
	_, err := b.pay(t, payments, newKey(), id, depositBy("pm_ok"))
	require.True(t, problem.Is(err, problem.OutcomeUnknown), "%v", err)
	require.Equal(t, []string{"booking.held"}, b.told(t, id), "nothing is recorded without the lock")
	unlock()
	b.endLeases(t)
	b.resolveAll(t, payments)
	require.Equal(t, []string{"booking.held", "payment.succeeded", "booking.confirmed"}, b.told(t, id))
	require.EqualValues(t, 1, b.transferTotals(t).captures)
}
