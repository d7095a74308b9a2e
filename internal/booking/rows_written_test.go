package booking_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/mergepatch"
	"holdfast/internal/settings"
)

// rows counts the rows of each table.
func (b *testBundle) rows(t testing.TB) map[string]int {
	t.Helper()
	found, err := b.sql.Query(t.Context(),
		`SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(found, pgx.RowTo[string])
	require.NoError(t, err)
	counts := make(map[string]int, len(tables))
	for _, table := range tables {
		counts[table] = b.count(t, "SELECT count(*) FROM "+pgx.Identifier{table}.Sanitize())
	}
	return counts
}

// A booking plans no messages, whatever the tenant sends: that follows from the change.
func TestCreate_OfAKnownCustomer_WritesFourRows(t *testing.T) {
	t.Parallel()
	b := setup(t)
	everything := mergepatch.Of[settings.Spec](`{
		"reminders": [{"before_minutes": 120}], "balance_due": {"days_before": 3, "at": "09:00"}, "follow_up_minutes": 60,
		"greetings": {"birthday": true, "anniversary": true}, "email": {"from": {"email": "booking@harbour.example"}}}`)
	own := settings.NewService(dbtest.Open(t, db.Config{URL: b.url, MaxConns: 1}))
	_, err := own.Change(t.Context(), b.tenant.ID, everything, "")
	require.NoError(t, err)
	service := b.newDateService(t, 1)
	book := func(day int) {
		n := newBooking(service, onDate(future(day)))
		n.Customer = &customer.Customer{Name: "Ada", Email: "ada@example.com"}
		_, _, err := create(t, b.service, b.tenant, newKey(), n)
		require.NoError(t, err)
	}
	book(0)
	before := b.rows(t)
	book(1)
	more := map[string]int{}
	for table, n := range b.rows(t) {
		if n != before[table] {
			more[table] = n - before[table]
		}
	}
	require.Equal(t, map[string]int{"bookings": 1, "claims": 1, "changes": 1, "idempotency_keys": 1}, more)
}
