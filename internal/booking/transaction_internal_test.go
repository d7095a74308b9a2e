package booking

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/lock"
	"holdfast/internal/tenant/tenanttest"
)

func TestBooking_OnADateWhoseLockIsNotHeld_IsADefectThatWritesNothing(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, db.Config{URL: dbtest.Database(t)})
	tenant := uuid.New()
	require.NoError(t, tenanttest.Insert(t.Context(), s, tenant))
	keys, err := lock.Dates(tenant, lock.Date{Year: 2027, Month: 7, Day: 1})
	require.NoError(t, err)
	bookings := NewService(s)
	err = bookings.book(t.Context(), nil, keys, reads{}, func(tx *datesTx, _ state) error {
		start := time.Date(2027, 7, 1, 23, 0, 0, 0, time.UTC)
		return tx.insert(newRow{
			BusyFrom: start, BusyUntil: start.Add(2 * time.Hour), Location: time.UTC, // into the second
		})
	})
	require.ErrorContains(t, err, "the lock of 2027-07-02 isn't held")
	require.Error(t, bookings.book(t.Context(), nil, lock.DateKeys{}, reads{}, nil), "a lock over nothing")
	require.Error(t, bookings.dates(t.Context(), nil, lock.DateKeys{}, reads{}, nil), "a lock over nothing")
}
