package booking_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// crowd are clients of two processes, and services of every shape on shared resources.
type crowd struct {
	*testBundle

	processes []process
	dates     []uuid.UUID // services that are sold by the date
	slots     []uuid.UUID
	stays     []uuid.UUID
	resources []uuid.UUID // of which time is blocked
}

// process are the use cases of a server process.
type process struct {
	*booking.Service

	catalog *catalog.Service
}

const (
	crowdDates  = 20
	crowdNights = 6 // of a stay, at most
)

func newCrowd(t testing.TB) crowd {
	t.Helper()
	c := crowd{testBundle: setup(t)}
	other := dbtest.Open(t, db.Config{URL: c.url, MaxConns: 8, LockTimeout: longestWait})
	c.processes = []process{{c.service, c.catalog}, {booking.NewService(other), catalog.NewService(other)}}
	boats, skippers, tables, cabins := c.newResources(t, 3, 6), c.newResources(t, 2, 1), c.newResources(t, 4, 4),
		c.newResources(t, 2, 4)
	c.resources = slices.Concat(boats, skippers, tables, cabins)
	slot := func(o timetable.Occupies, minutes int, needs ...timetable.Need) {
		c.slots = append(c.slots, c.newService(t, catalog.ServiceSpec{
			Name: "Slot", Spec: timetable.Spec{
				Kind: timetable.KindSlot, DurationMinutes: minutes, SlotIntervalMinutes: 30, Occupies: o,
				BufferAfterMinutes: 15,
				Needs:              needs,
			},
		}))
	}
	slot(timetable.OccupiesUnits, 60, timetable.Need{ResourceIDs: boats, Choose: timetable.ChooseInTurn})
	slot(timetable.OccupiesWhole, 120, timetable.Need{ResourceIDs: boats, Choose: timetable.ChooseLeastBooked},
		timetable.Need{ResourceIDs: skippers})
	slot(
		timetable.OccupiesSession,
		60,
		timetable.Need{ResourceIDs: boats},
		timetable.Need{ResourceIDs: skippers, Choose: timetable.ChooseInTurn},
	)
	slot(timetable.OccupiesWhole, 90, timetable.Need{ResourceIDs: tables, Join: true})
	day := func(buffer int, needs ...timetable.Need) {
		c.dates = append(c.dates, c.newService(t, catalog.ServiceSpec{
			Name: "Day", Spec: timetable.Spec{
				Kind: timetable.KindDate, Occupies: timetable.OccupiesWhole, BufferAfterDays: buffer, Needs: needs,
			},
		}))
	}
	day(1, timetable.Need{ResourceIDs: boats}, timetable.Need{ResourceIDs: skippers})
	day(0, timetable.Need{ResourceIDs: cabins})
	stay := func(o timetable.Occupies, before, after int, needs ...timetable.Need) {
		c.stays = append(c.stays, c.newService(t, catalog.ServiceSpec{
			Name: "Stay", Spec: timetable.Spec{
				Kind:             timetable.KindStay,
				CheckIn:          "15:00",
				CheckOut:         "10:00",
				MaxNights:        crowdNights,
				Occupies:         o,
				BufferBeforeDays: before,
				BufferAfterDays:  after,
				Needs:            needs,
			},
		}))
	}
	stay(timetable.OccupiesUnits, 0, 1, timetable.Need{ResourceIDs: cabins, Choose: timetable.ChooseInTurn})
	stay(timetable.OccupiesWhole, 1, 2, timetable.Need{ResourceIDs: cabins})
	stay(timetable.OccupiesUnits, 0, 0, timetable.Need{ResourceIDs: boats}, timetable.Need{ResourceIDs: cabins})
	return c
}

// draw returns a service and a time of it.
func (c crowd) draw(r *rand.Rand) (service uuid.UUID, when timetable.When) {
	day := r.IntN(crowdDates)
	switch r.IntN(8) {
	case 0:
		return c.dates[r.IntN(len(c.dates))], onDate(future(day))
	case 1, 2:
		return c.stays[r.IntN(len(c.stays))], stay(day, day+1+r.IntN(crowdNights))
	}
	return c.slots[r.IntN(len(c.slots))], atTime(testtime.At(day, 8, 30*r.IntN(24), c.tenant.Location))
}

// refusable are the answers that a client of the crowd may get beside success.
var refusable = []problem.Code{
	problem.SlotUnavailable, problem.ValidationFailed, problem.BookingsInTheWay, problem.BlockInTheWay,
}

// crowdClient is a client with its bookings and blocks, as the last answers showed them.
type crowdClient struct {
	crowd

	r        *rand.Rand
	accepted int
	made     []uuid.UUID // bookings
	bookings map[uuid.UUID]booking.BookingBody
	blocked  []uuid.UUID
	blocks   map[uuid.UUID]crowdBlock
}

// crowdBlock is a block with the bookings that stood there when it took its time.
type crowdBlock struct {
	catalog.BlockBody

	standing []uuid.UUID
}

// isAccepted notes the answer to a request.
func (c *crowdClient) isAccepted(t *testing.T, err error) bool {
	t.Helper()
	if err != nil {
		if code := problem.CodeOf(err); !slices.Contains(refusable, code) {
			t.Errorf("refused with %s: %v", code, err)
		}
		return false
	}
	c.accepted++
	return true
}

// learn notes what an answer says of a booking.
func (c *crowdClient) learn(t *testing.T, body booking.BookingBody, err error) {
	t.Helper()
	if !c.isAccepted(t, err) {
		return
	}
	if _, is := c.bookings[body.ID]; !is {
		c.made = append(c.made, body.ID)
	}
	c.bookings[body.ID] = body
}

func (c *crowdClient) learnOf(t *testing.T, body []byte, err error) {
	t.Helper()
	var b booking.BookingBody
	if err == nil {
		err = json.Unmarshal(body, &b)
	}
	c.learn(t, b, err)
}

// learnOfBlock notes what an answer says of a block that took its time.
func (c *crowdClient) learnOfBlock(t *testing.T, b catalog.BlockBody, err error) {
	t.Helper()
	if !c.isAccepted(t, err) {
		return
	}
	if _, is := c.blocks[b.ID]; !is {
		c.blocked = append(c.blocked, b.ID)
	}
	standing := b.Conflicts
	if len(standing) != b.ConflictCount {
		t.Errorf("%d conflicts of %d are named", len(standing), b.ConflictCount)
	}
	b.Conflicts, b.ConflictCount = nil, 0 // only the answer to the change has them
	c.blocks[b.ID] = crowdBlock{b, standing}
}

// retried repeats a request, as its answer asks for, that found the rules of its service changed each time: each block
// changes them.
func retried[T any](request func() (T, error)) (answer T, err error) {
	for range 100 {
		if answer, err = request(); !problem.Is(err, problem.LockTimeout) {
			break
		}
	}
	return answer, err
}

// run makes requests, one after the other.
func (c *crowdClient) run(t *testing.T, requests int) {
	t.Helper()
	for i := range requests {
		s := c.processes[c.r.IntN(len(c.processes))]
		if c.r.IntN(16) == 0 {
			c.block(t, s.catalog)
		} else {
			c.book(t, s, i)
		}
	}
}

// book makes a booking, or changes one of its own.
func (c *crowdClient) book(t *testing.T, s process, i int) {
	t.Helper()
	service, when := c.draw(c.r)
	party := 1 + c.r.IntN(6)
	var mine booking.BookingBody
	if len(c.made) > 0 {
		mine = c.bookings[c.made[c.r.IntN(len(c.made))]]
	}
	open := mine.Status == booking.Held || mine.Status == booking.Confirmed
	switch die := c.r.IntN(10); {
	case die < 4 || !open:
		n := newBooking(service, when)
		n.PartySize = party
		if c.r.IntN(3) == 0 {
			n.HoldMinutes = new(60)
		}
		resp, err := retried(
			func() (idempotency.Outcome, error) {
				return s.Create(t.Context(), c.tenant, request(t, newKey()), n)
			})
		c.learnOf(t, resp.Body, err)
	case die < 6:
		resp, err := retried(func() (idempotency.Outcome, error) {
			return s.Transition(t.Context(), c.tenant, request(t, newKey()), mine.ID, booking.Cancel, "")
		})
		c.learnOf(t, resp.Body, err)
	case die < 8:
		m := booking.Move{When: when, ServiceID: &service, PartySize: &party, AnyResource: c.r.IntN(2) == 0}
		resp, err := retried(func() (idempotency.Outcome, error) {
			return s.Reschedule(t.Context(), c.tenant, request(t, newKey()), mine.ID,
				booking.RescheduleRequest{Move: m}, "")
		})
		c.learnOf(t, resp.Body, err)
	case mine.Status == booking.Held && die == 8:
		resp, err := retried(func() (idempotency.Outcome, error) {
			return s.Extend(t.Context(), c.tenant, request(t, newKey()), mine.ID,
				booking.ExtendRequest{HoldMinutes: 60 + i}, "")
		})
		c.learnOf(t, resp.Body, err)
	default:
		a := booking.AmendRequest{
			Move:    &booking.Move{When: when, ServiceID: &service},
			Details: details(`{"metadata": {"turn": "` + newKey() + `"}}`),
			Confirm: mine.Status == booking.Held,
		}
		got, err := retried(func() (booking.Booking, error) { return s.Amend(t.Context(), c.tenant, mine.ID, a, "") })
		c.learn(t, got.Body(), err)
	}
}

// block makes a block, or moves or archives one of its own.
func (c *crowdClient) block(t *testing.T, s *catalog.Service) {
	t.Helper()
	day, length := c.r.IntN(crowdDates), 1+c.r.IntN(2)
	resource := c.resources[c.r.IntN(len(c.resources))]
	var change catalog.BlockChange
	if c.r.IntN(3) == 0 {
		change = dates(resource, day, day+length-1)
	} else {
		from := 8 + c.r.IntN(12)
		change = c.hours(resource, day, from, from+length)
	}
	change.Force = c.r.IntN(2) == 0
	var mine crowdBlock
	if len(c.blocked) > 0 {
		mine = c.blocks[c.blocked[c.r.IntN(len(c.blocked))]]
	}
	taken := mine.ID != uuid.Nil && mine.ArchivedAt == nil
	switch die := c.r.IntN(10); {
	case die < 4 || !taken:
		made, err := createBlock(t, s, c.testBundle, change)
		c.learnOfBlock(t, made, err)
	case die < 7:
		patch, err := json.Marshal(map[string]any{
			"resource_id": change.ResourceID, "starts_at": change.StartsAt, "ends_at": change.EndsAt,
			"from": change.From, "to": change.To,
			"force": change.Force, "reason": newKey(),
		})
		require.NoError(t, err)
		moved, err := s.ChangeBlock(t.Context(), c.tenant, mine.ID, mergepatch.Of[catalog.BlockChange](string(patch)),
			"")
		standing := mine.standing
		c.learnOfBlock(t, moved.Body(), err)
		if err == nil && moved.ResourceID == mine.ResourceID && encoded(t, moved.Times) == encoded(t, mine.Times) {
			mine = c.blocks[mine.ID]
			mine.standing = standing // it took nothing anew
			c.blocks[mine.ID] = mine
		}
	default:
		resp, err := s.ArchiveBlock(t.Context(), c.tenant, request(t, newKey()), mine.ID,
			catalog.Archiving{Archived: true}, "")
		if c.isAccepted(t, err) {
			require.NoError(t, json.Unmarshal(resp.Body, &mine.BlockBody))
			c.blocks[mine.ID] = mine
		}
	}
}

// requireBlock requires that a block is as the last answer showed it, that its claims are its times, and that no
// booking is in it that wasn't when it took them.
func (c crowd) requireBlock(t *testing.T, want crowdBlock) {
	t.Helper()
	got, err := c.catalog.Block(t.Context(), c.tenant, want.ID)
	require.NoError(t, err)
	require.JSONEq(t, encoded(t, want.BlockBody), encoded(t, got.Body()))
	claims := "SELECT count(*) FROM claims WHERE owner_id = $1"
	if want.ArchivedAt != nil {
		require.Zero(t, c.count(t, claims, want.ID))
		return
	}
	require.Len(t, want.Times, 1)
	at := want.Times[0]
	require.Equal(t, 1, c.count(t, `SELECT count(*) FROM (SELECT range_agg(tstzrange(busy_from, busy_until)) AS during FROM claims
		WHERE owner_id = $1 AND resource_id = $2) AS c WHERE during = tstzmultirange(tstzrange($3, $4))`,
		want.ID, want.ResourceID, at.StartsAt, at.EndsAt), "the block's claims")
	stays := at.StartsAt  // until when a stay may last
	if want.From != nil { // its guest may leave on the first of the block's dates
		stays = stays.In(c.tenant.Location).AddDate(0, 0, 1).Add(-time.Minute)
	}
	require.Zero(t, c.count(t, `SELECT count(*) FROM bookings WHERE status IN ('held', 'confirmed')
		AND $2 = ANY (resource_id || coalesce(other_resource_ids, '{}'))
		AND busy_from < $4 AND busy_until > CASE WHEN nights > 0 THEN $5::timestamptz ELSE $3::timestamptz END
		AND booking_id <> ALL (coalesce($1::uuid[], '{}'))`,
		want.standing, want.ResourceID, at.StartsAt, at.EndsAt, stays), "bookings in the block")
}

// A crowd books, moves, amends, confirms and cancels, over services of every shape that share resources, and blocks
// time of these. Nothing is sold twice, nothing that was answered is lost, and no request waits for another one in a
// circle.
func TestCrowd_ThirtyTwoClientsOverTwentyDates_NothingIsSoldTwiceOrLost(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	seed := testtime.Seed(t)
	clients := make([]*crowdClient, 32)
	var all sync.WaitGroup
	for i := range clients {
		clients[i] = &crowdClient{
			crowd: c, r: rand.New(rand.NewPCG(seed, uint64(i))), bookings: make(map[uuid.UUID]booking.BookingBody),
			blocks: make(map[uuid.UUID]crowdBlock),
		}
		all.Go(func() { clients[i].run(t, testtime.Rounds(40)) })
	}
	all.Wait()
	accepted, bookings, blocks := 0, 0, 0
	for _, client := range clients {
		accepted += client.accepted
		for id, want := range client.bookings {
			got, err := c.service.Get(t.Context(), c.tenant, id)
			require.NoError(t, err)
			require.JSONEq(t, encoded(t, want), encoded(t, got.Body()))
		}
		for _, want := range client.blocks {
			c.requireBlock(t, want)
		}
		bookings, blocks = bookings+len(client.bookings), blocks+len(client.blocks)
	}
	require.Greater(t, accepted, len(clients), "requests that were accepted")
	require.Equal(t, bookings, c.count(t, "SELECT count(*) FROM bookings"))
	require.Equal(t, blocks, c.count(t, "SELECT count(*) FROM blocks"))
	c.requireNoOverlap(t)
	c.requireOneStory(t)
	c.requireNoDeadlock(t)
	require.Positive(t, c.count(t, "SELECT count(*) FROM bookings WHERE session_id IS NOT NULL"))
	require.Positive(t, c.count(t,
		"SELECT count(*) FROM bookings WHERE service_id = $1 AND other_resource_ids IS NOT NULL",
		c.slots[len(c.slots)-1]), "joined tables")
	require.Positive(t, c.count(t, "SELECT count(*) FROM bookings WHERE service_id = ANY ($1)", c.stays), "stays")
	require.Positive(t, c.count(t, "SELECT count(*) FROM changes WHERE type = 'block.updated'"), "blocks that moved")
	require.Positive(t, c.count(t, "SELECT count(*) FROM changes WHERE type = 'block.archived'"),
		"blocks that were archived")
}

// encoded returns what the API shows.
func encoded(t testing.TB, body any) string {
	t.Helper()
	text, err := json.Marshal(body)
	require.NoError(t, err)
	return string(text)
}
