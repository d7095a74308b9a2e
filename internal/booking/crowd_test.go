package booking_test

import (
	"encoding/json"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// crowd are clients of two processes, and services of every shape on shared resources.
type crowd struct {
	*testBundle

	processes []*booking.Service
	dates     []uuid.UUID // services that are sold by the date
	slots     []uuid.UUID
}

const crowdDates = 20

func newCrowd(t testing.TB) crowd {
	t.Helper()
	c := crowd{testBundle: setup(t)}
	other, _ := c.process(t)
	c.processes = []*booking.Service{c.service, other}
	boats, skippers, tables := c.newResources(t, 3, 6), c.newResources(t, 2, 1), c.newResources(t, 4, 4)
	slot := func(o catalog.Occupies, minutes int, needs ...catalog.Need) {
		c.slots = append(c.slots, c.newService(t, catalog.ServiceSpec{
			Name: "Slot", Kind: catalog.KindSlot, DurationMinutes: minutes, SlotIntervalMinutes: 30, Occupies: o, BufferAfterMinutes: 15,
			Needs: needs,
		}))
	}
	slot(catalog.OccupiesUnits, 60, catalog.Need{ResourceIDs: boats, Choose: catalog.ChooseInTurn})
	slot(catalog.OccupiesWhole, 120, catalog.Need{ResourceIDs: boats, Choose: catalog.ChooseLeastBooked},
		catalog.Need{ResourceIDs: skippers})
	slot(catalog.OccupiesSession, 60, catalog.Need{ResourceIDs: boats}, catalog.Need{ResourceIDs: skippers, Choose: catalog.ChooseInTurn})
	slot(catalog.OccupiesWhole, 90, catalog.Need{ResourceIDs: tables, Join: true})
	c.dates = []uuid.UUID{c.newService(t, catalog.ServiceSpec{
		Name: "Day", Kind: catalog.KindDate, Occupies: catalog.OccupiesWhole, BufferAfterDays: 1,
		Needs: []catalog.Need{{ResourceIDs: boats}, {ResourceIDs: skippers}},
	})}
	return c
}

// draw returns a service and a time of it.
func (c crowd) draw(r *rand.Rand) (service uuid.UUID, when booking.When) {
	day := r.IntN(crowdDates)
	if r.IntN(8) == 0 {
		return c.dates[r.IntN(len(c.dates))], onDate(future(day))
	}
	return c.slots[r.IntN(len(c.slots))], atTime(testtime.At(day, 8, 30*r.IntN(24), c.tenant.Location))
}

// refusable are the answers that a client of the crowd may get beside success.
var refusable = []problem.Code{problem.SlotUnavailable, problem.ValidationFailed}

// client makes requests, one after the other. It returns its bookings as the last answers showed them.
func (c crowd) client(t *testing.T, r *rand.Rand, requests int, accepted *atomic.Int64) map[uuid.UUID]booking.BookingBody {
	t.Helper()
	var ids []uuid.UUID
	known := make(map[uuid.UUID]booking.BookingBody)
	learn := func(body booking.BookingBody, err error) {
		if err != nil {
			if code := problem.CodeOf(err); code != refusable[0] && code != refusable[1] {
				t.Errorf("refused with %s: %v", code, err)
			}
			return
		}
		accepted.Add(1)
		if _, is := known[body.ID]; !is {
			ids = append(ids, body.ID)
		}
		known[body.ID] = body
	}
	learnOf := func(body []byte, err error) {
		var b booking.BookingBody
		if err == nil {
			err = json.Unmarshal(body, &b)
		}
		learn(b, err)
	}
	for i := range requests {
		s := c.processes[r.IntN(len(c.processes))]
		service, when := c.draw(r)
		party := 1 + r.IntN(6)
		var mine booking.BookingBody
		if len(ids) > 0 {
			mine = known[ids[r.IntN(len(ids))]]
		}
		open := mine.Status == booking.Held || mine.Status == booking.Confirmed
		switch die := r.IntN(10); {
		case die < 4 || !open:
			n := newBooking(service, when)
			n.PartySize = party
			if r.IntN(3) == 0 {
				n.HoldMinutes = new(60)
			}
			resp, err := s.Create(t.Context(), c.tenant, request(t, newKey()), n)
			learnOf(resp.Body, err)
		case die < 6:
			resp, err := s.Change(t.Context(), c.tenant, request(t, newKey()), mine.ID, booking.Cancel, "")
			learnOf(resp.Body, err)
		case die < 8:
			m := booking.Rescheduling{When: when, ServiceID: &service, PartySize: &party, AnyResource: r.IntN(2) == 0}
			resp, err := s.Reschedule(t.Context(), c.tenant, request(t, newKey()), mine.ID, m, "")
			learnOf(resp.Body, err)
		case mine.Status == booking.Held && die == 8:
			resp, err := s.Extend(t.Context(), c.tenant, request(t, newKey()), mine.ID, 60+i, "")
			learnOf(resp.Body, err)
		default:
			a := booking.Amendment{
				Move: &booking.Rescheduling{When: when, ServiceID: &service}, Metadata: json.RawMessage(`{"turn": "` + newKey() + `"}`),
				Confirm: mine.Status == booking.Held,
			}
			got, err := s.Amend(t.Context(), c.tenant, mine.ID, a, "")
			learn(got.Body(), err)
		}
	}
	return known
}

// A crowd books, moves, amends, confirms and cancels, over services of every shape that share resources. Nothing is sold twice, nothing
// that was answered is lost, and no request waits for another one in a circle.
func TestCrowd_ThirtyTwoClientsOverTwentyDates_NothingIsSoldTwiceOrLost(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	seed := testtime.Seed(t)
	const clients = 32
	var accepted atomic.Int64
	var all sync.WaitGroup
	known := make([]map[uuid.UUID]booking.BookingBody, clients)
	for i := range clients {
		all.Go(func() {
			known[i] = c.client(t, rand.New(rand.NewPCG(seed, uint64(i))), testtime.Rounds(40), &accepted)
		})
	}
	all.Wait()
	require.Greater(t, accepted.Load(), int64(clients), "requests that were accepted")
	made := 0
	for _, bookings := range known {
		for id, want := range bookings {
			got, err := c.service.Get(t.Context(), c.tenant, id)
			require.NoError(t, err)
			require.JSONEq(t, encoded(t, want), encoded(t, got.Body()))
			made++
		}
	}
	require.Equal(t, made, c.count(t, "SELECT count(*) FROM bookings"))
	c.requireNoOverlap(t)
	c.requireOneStory(t)
	c.requireNoDeadlock(t)
	require.Positive(t, c.count(t, "SELECT count(*) FROM bookings WHERE session_id IS NOT NULL"))
	require.Positive(t, c.count(t, "SELECT count(*) FROM bookings WHERE service_id = $1 AND other_resource_ids IS NOT NULL",
		c.slots[len(c.slots)-1]), "joined tables")
}

// encoded returns a booking as the API shows it.
func encoded(t testing.TB, b booking.BookingBody) string {
	t.Helper()
	text, err := json.Marshal(b)
	require.NoError(t, err)
	return string(text)
}
