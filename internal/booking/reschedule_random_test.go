package booking_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/problem"
)

// TestReschedule_AmongRandomChangesOfManyClients_SellsNothingTwiceAndTellsEverything has the clients of two processes make, move, update, extend and
// cancel bookings of two services that share their resources, over a few dates and their midnights.
func TestReschedule_AmongRandomChangesOfManyClients_SellsNothingTwiceAndTellsEverything(t *testing.T) {
	t.Parallel()
	const clients, changes, dates = 8, 100, 4
	b := setup(t)
	other, _ := b.process(t)
	resources := []uuid.UUID{b.newResource(t, 2, booking.Hours{}), b.newResource(t, 1, booking.Hours{})}
	tour := booking.BookableService{
		Name: "Tour", Kind: booking.KindSlot, ResourceIDs: resources, DurationMinutes: 180, SlotIntervalMinutes: 180, BufferAfterMinutes: 30, Price: 1000,
	}
	services := []uuid.UUID{b.newService(t, tour)}
	tour.DurationMinutes, tour.BufferBeforeMinutes, tour.ResourceIDs = 360, 60, []uuid.UUID{resources[1], resources[0]}
	services = append(services, b.newService(t, tour))
	expected := map[problem.Code]bool{problem.SlotUnavailable: true, problem.InvalidState: true}
	var mu sync.Mutex
	var known []uuid.UUID
	succeeded := make(map[string]int)

	change := func(r *rand.Rand, s *booking.Service) (name string, err error) {
		mu.Lock()
		id := uuid.Nil
		if len(known) > 0 {
			id = known[r.IntN(len(known))]
		}
		mu.Unlock()
		when := slotOn(future(r.IntN(dates)), 3*r.IntN(8), 0)
		switch n := r.IntN(10); {
		case n < 3 || id == uuid.Nil:
			n := newBooking(services[r.IntN(2)], when)
			if r.IntN(2) == 0 {
				minutes := 60
				n.HoldMinutes = &minutes
			}
			made, _, err := create(t, s, b.tenant, newKey(), n)
			if err == nil {
				mu.Lock()
				known = append(known, made.ID)
				mu.Unlock()
			}
			return "create", err
		case n < 7:
			m := booking.Rescheduling{When: when, AnyResource: r.IntN(2) == 0, Requote: r.IntN(2) == 0}
			if r.IntN(3) == 0 {
				m.ServiceID = &services[r.IntN(2)]
			}
			_, err := reschedule(t, s, b.tenant, id, m)
			return "reschedule", err
		case n < 8:
			_, err := s.Update(t.Context(), b.tenant, id, booking.Update{Metadata: json.RawMessage(fmt.Sprintf(`{"n":%d}`, r.Uint32()))}, "")
			return "update", err
		case n < 9:
			_, err := s.Extend(t.Context(), b.tenant, request(t, newKey()), id, 60+r.IntN(600), "")
			return "extend", err
		}
		_, err = s.Change(t.Context(), b.tenant, request(t, newKey()), id, booking.Cancel, "")
		return "cancel", err
	}
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(client)))
			for range changes {
				name, err := change(r, []*booking.Service{b.service, other}[client%2])
				if err != nil && !expected[problem.CodeOf(err)] {
					t.Errorf("%s: %v", name, err)
				}
				if err == nil {
					mu.Lock()
					succeeded[name]++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	t.Logf("succeeded: %v", succeeded)
	require.Len(t, succeeded, 5)
	b.requireNoOverlap(t)
	b.requireNoDeadlock(t)
	require.Equal(t, succeeded["create"], b.count(t, "SELECT count(*) FROM bookings"), "nothing is lost or doubled")
	for _, told := range []string{
		"SELECT count(DISTINCT o.sequence) FROM outbox_events o WHERE o.subject_id = b.booking_id AND o.sequence BETWEEN 1 AND b.version",
		"SELECT count(DISTINCT h.version) FROM history h WHERE h.subject_id = b.booking_id AND h.version BETWEEN 1 AND b.version",
	} {
		require.Zero(t, b.count(t, "SELECT count(*) FROM bookings b WHERE b.version <> ("+told+")"), told)
	}
	require.Zero(t, b.count(t, `SELECT count(*) FROM (SELECT 1 FROM outbox_events o JOIN bookings b ON b.booking_id = o.subject_id
		GROUP BY b.booking_id, o.sequence HAVING count(*) > 1) AS twice`), "no version is told twice")
	require.Zero(t, b.count(t, `SELECT count(*) FROM bookings b JOIN scheduled_events e ON e.subject_id = b.booking_id AND e.kind = 'booking.hold_expiry'
		WHERE b.status = 'held' AND (e.status <> 'pending' OR e.due_at <> b.hold_expires_at)`), "each hold has its end planned")
}
