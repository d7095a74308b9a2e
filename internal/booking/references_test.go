package booking_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
)

func TestCreate_CodeInUse_GetsAnotherOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 5, 60)
	s := dbtest.Open(t, db.Config{URL: b.url, MaxConns: 4, LockTimeout: longestWait})
	var mu sync.Mutex
	codes := []string{"BBBBBBBB", "BBBBBBBB", "BBBBBBBB", "CCCCCCCC"}
	b.service = booking.NewService(s)
	b.service.SetCodes(func() string {
		mu.Lock()
		defer mu.Unlock()
		next := codes[0]
		codes = codes[1:]
		return next
	})
	for day := range 2 {
		_, _, err := create(t, b.service, b.tenant, newKey(),
			newBooking(service, atTime(future(day).In(time.UTC).Add(10*time.Hour))))
		require.NoError(t, err)
	}
	require.Empty(t, codes)
	var stored []string
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT array_agg(code ORDER BY date) FROM bookings").Scan(&stored))
	require.Equal(t, []string{"BBBBBBBB", "CCCCCCCC"}, stored)
}

// setUniqueReferences changes the tenant's setting.
func (b *testBundle) setUniqueReferences(t testing.TB, unique bool) {
	t.Helper()
	_, err := b.sql.Exec(t.Context(), `UPDATE tenants SET settings = json_build_object('unique_references', $2::bool),
		catalog_version = catalog_version + 1 WHERE tenant_id = $1`, b.tenant.ID, unique)
	require.NoError(t, err)
}

func TestAmend_References_AreSetAndRemovedUnlessTheyAreTaken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 5, 60)
	var ids []uuid.UUID
	for day := range 2 {
		made, _, err := create(t, b.service, b.tenant, newKey(),
			newBooking(service, atTime(future(day).In(time.UTC).Add(10*time.Hour))))
		require.NoError(t, err)
		ids = append(ids, made.ID)
	}
	set := func(i int, change string, unique bool) error {
		b.setUniqueReferences(t, unique)
		after, err := b.update(t, ids[i], booking.AmendRequest{Details: details(change)})
		if err == nil {
			stored, err := b.service.Get(t.Context(), b.tenant, ids[i])
			require.NoError(t, err)
			require.Equal(t, stored.Body(), after)
		}
		return err
	}
	require.NoError(t, set(0, `{"reference": "A", "external_reference": "B"}`, true))
	require.NoError(t, set(0, `{"reference": "A"}`, true), "the booking itself has it")
	b.requireStory(t, ids[0], "booking.created", "booking.updated")
	require.Equal(t, problem.AlreadyExists, problem.CodeOf(set(1, `{"reference": "A"}`, true)))
	require.Equal(t, problem.AlreadyExists, problem.CodeOf(set(1, `{"external_reference": "B"}`, true)))
	require.NoError(t, set(1, `{"reference": "B", "external_reference": "A"}`, true))
	require.NoError(t, set(0, `{"reference": null}`, true))
	require.NoError(t, set(1, `{"reference": "A"}`, true), "it was removed from the other booking")
	require.NoError(t, set(0, `{"reference": "A"}`, false), "references needn't be unique any more")
	require.Equal(t, problem.ValidationFailed, problem.CodeOf(set(0, `{"reference": " "}`, true)))
	require.Equal(t, 2, b.count(t, "SELECT count(*) FROM bookings WHERE reference = 'A'"))
}

func TestAmend_OneReferenceForSeveralBookingsAtOnce_OneWins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 5, 60)
	ids := make([]uuid.UUID, 8)
	for day := range ids {
		made, _, err := create(t, b.service, b.tenant, newKey(),
			newBooking(service, atTime(future(day).In(time.UTC).Add(10*time.Hour))))
		require.NoError(t, err)
		ids[day] = made.ID
	}
	b.setUniqueReferences(t, true)
	codes := race(len(ids), func(i int) error {
		_, err := b.update(t, ids[i], booking.AmendRequest{Details: details(`{"reference": "A"}`)})
		return err
	})
	require.Equal(t, map[problem.Code]int{"": 1, problem.AlreadyExists: len(ids) - 1}, codes)
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM bookings WHERE reference = 'A'"))
}
