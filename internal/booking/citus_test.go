package booking_test

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// fromNode returns the use cases of a server whose URL names the nodes of Citus in an order of its own.
func (b *testBundle) fromNode(t testing.TB, first int) (*booking.Service, tenant.Tenant) {
	t.Helper()
	u, err := url.Parse(b.url)
	require.NoError(t, err)
	hosts := strings.Split(u.Host, ",")
	first %= len(hosts)
	u.Host = strings.Join(append(append([]string{}, hosts[first:]...), hosts[:first]...), ",")
	s := dbtest.Open(t, db.Config{URL: u.String(), MaxConns: 8, LockTimeout: longestWait})
	tn, err := tenant.NewService(s).Authenticate(t.Context(), b.apiKey)
	require.NoError(t, err)
	return booking.NewService(s), tn
}

func TestCitus_200ClientsOfThreeServersForOneSlot_ExactlyOneWins(t *testing.T) {
	t.Parallel()
	dbtest.CitusNodes(t)
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	const servers = 3
	var services [servers]*booking.Service
	var tenants [servers]tenant.Tenant
	for i := range servers {
		services[i], tenants[i] = b.fromNode(t, i)
	}
	start := future(10).In(time.UTC).Add(12 * time.Hour)
	codes := race(200, func(i int) error {
		_, _, err := create(t, services[i%servers], tenants[i%servers], newKey(), newBooking(service, atTime(start)))
		return err
	})
	require.Equal(t, map[problem.Code]int{"": 1, problem.SlotUnavailable: 199}, codes)
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM bookings"))
	b.requireNoOverlap(t)
}

func TestCitus_SchemaMovesWhileOthersBook_NothingIsLostOrSoldTwice(t *testing.T) {
	t.Parallel()
	nodes := dbtest.CitusNodes(t)
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	const servers, clients = 2, 8
	start := future(10).In(time.UTC)
	var (
		running                sync.WaitGroup
		next, booked, repeated atomic.Int64
		acknowledged           sync.Map
	)
	load, stop := context.WithCancel(t.Context())
	defer stop()
	for i := range clients {
		s, tn := b.fromNode(t, i%servers)
		running.Go(func() {
			for load.Err() == nil {
				slot := start.Add(time.Duration(next.Add(1)/2) * time.Hour) // two clients want each
				for key := newKey(); load.Err() == nil; repeated.Add(1) {
					made, _, err := create(t, s, tn, key, newBooking(service, atTime(slot)))
					if err == nil {
						acknowledged.Store(made.ID, true)
						booked.Add(1)
					}
					if err == nil || problem.Is(err, problem.SlotUnavailable) {
						break
					}
				}
			}
		})
	}
	more := func() {
		had := booked.Load()
		require.Eventually(t, func() bool { return booked.Load() >= had+50 }, 2*longestWait, 5*time.Millisecond)
	}
	more()
	dbtest.MoveCitusSchema(t, nodes, b.url)
	more()
	stop()
	running.Wait()
	t.Logf("%d booked, %d answers that were repeated", booked.Load(), repeated.Load())
	stored := b.bookingIDs(t)
	acknowledged.Range(func(id, _ any) bool {
		require.Contains(t, stored, id)
		return true
	})
	b.requireNoOverlap(t)
}

// bookingIDs returns the ids of the bookings, which any node finds.
func (b *testBundle) bookingIDs(t testing.TB) map[uuid.UUID]bool {
	t.Helper()
	rows, err := b.sql.Query(t.Context(), "SELECT booking_id FROM bookings")
	require.NoError(t, err)
	stored := map[uuid.UUID]bool{}
	for rows.Next() {
		var id uuid.UUID
		require.NoError(t, rows.Scan(&id))
		stored[id] = true
	}
	require.NoError(t, rows.Err())
	return stored
}
