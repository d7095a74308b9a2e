package booking_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
	"holdfast/internal/timezone"
)

// slotOn returns a slot's time on a date in Berlin.
func slotOn(d civil.Date, hour, minute int) timetable.When {
	loc, _ := timezone.Load("Europe/Berlin")
	return atTime(time.Date(d.Year, d.Month, d.Day, hour, minute, 0, 0, loc))
}

func TestCreate_200ClientsForOneSlot_ExactlyOneWins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	codes := race(200, func(int) error {
		_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, slotOn(future(0), 10, 0)))
		return err
	})
	require.Equal(t, map[problem.Code]int{"": 1, problem.SlotUnavailable: 199}, codes)
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM bookings"))
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM customers"), "a refusal leaves no customer behind")
	require.Equal(t, 1, b.count(t,
		"SELECT count(*) FROM idempotency_keys WHERE tenant_id = $1 AND change_subject_id IN (SELECT booking_id FROM bookings)",
		b.tenant.ID))
	require.Equal(t, 3, b.count(t, "SELECT count(*) FROM idempotency_keys WHERE tenant_id = $1", b.tenant.ID),
		"the resource's, the service's and the booking's answers are all that is stored")
}

func TestCreate_TwoProcessesForOneSlot_ExactlyOneWins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, _ := b.process(t)
	service := b.newSlotService(t, 1, 60)
	services := []*booking.Service{b.service, other}
	codes := race(200, func(i int) error {
		_, _, err := create(t, services[i%2], b.tenant, newKey(), newBooking(service, slotOn(future(0), 10, 0)))
		return err
	})
	require.Equal(t, map[problem.Code]int{"": 1, problem.SlotUnavailable: 199}, codes)
	b.requireNoOverlap(t)
}

func TestCreate_PartiesOfOneToFour_FillTheCapacityAndNoRefusalWhileOneFits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 10, 60)
	when := slotOn(future(0), 10, 0)
	sizes := make([]int, 60)
	random := rand.New(rand.NewPCG(testtime.Seed(t), 0))
	for i := range sizes {
		sizes[i] = 1 + random.IntN(4)
	}
	var smallestRefused atomic.Int64
	smallestRefused.Store(100)
	codes := race(len(sizes), func(i int) error {
		n := newBooking(service, when)
		n.PartySize = sizes[i]
		_, _, err := create(t, b.service, b.tenant, newKey(), n)
		for problem.Is(err, problem.SlotUnavailable) {
			was := smallestRefused.Load()
			if int64(sizes[i]) >= was || smallestRefused.CompareAndSwap(was, int64(sizes[i])) {
				break
			}
		}
		return err
	})
	require.Len(t, codes, 2, "%v", codes)
	sold := b.count(t, "SELECT sum(party_size) FROM bookings")
	require.LessOrEqual(t, sold, 10)
	require.Less(t, int64(10-sold), smallestRefused.Load(), "nobody was refused who would have fitted at the end")
	b.requireNoOverlap(t)
}

func TestCreate_AdjacentSlotsBothSucceed_OverlappingOnesNever(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, _ := b.process(t)
	service := b.newSlotService(t, 1, 30)
	_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, slotOn(future(0), 10, 0)))
	require.NoError(t, err)
	_, _, err = create(t, other, b.tenant, newKey(), newBooking(service, slotOn(future(0), 11, 0)))
	require.NoError(t, err, "a slot that begins when the other ends")
	_, _, err = create(t, other, b.tenant, newKey(), newBooking(service, slotOn(future(0), 10, 30)))
	require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
	// Over midnight: the two slots begin on different dates.
	codes := race(2, func(i int) error {
		when := slotOn(future(1), 23, 30)
		if i == 1 {
			when = slotOn(future(2), 0, 0)
		}
		_, _, err := create(t, []*booking.Service{b.service, other}[i], b.tenant, newKey(), newBooking(service, when))
		return err
	})
	require.Equal(t, map[problem.Code]int{"": 1, problem.SlotUnavailable: 1}, codes)
	b.requireNoOverlap(t)
}

func TestCreate_SameDateFromTwoTenants_BothSucceed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, onDate(future(0))))
	require.NoError(t, err)
	b.tenant = b.newTenant(t, "Europe/Berlin")
	service = b.newDateService(t, 1)
	_, _, err = create(t, b.service, b.tenant, newKey(), newBooking(service, onDate(future(0))))
	require.NoError(t, err)
}

func TestCreate_RefusalLeavesTheKeyUsable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	first, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, onDate(future(0))))
	require.NoError(t, err)
	key := newKey()
	n := newBooking(service, onDate(future(0)))
	_, _, err = create(t, b.service, b.tenant, key, n)
	require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
	_, err = change(t, b.service, b.tenant, first.ID, booking.Cancel)
	require.NoError(t, err)
	_, resp, err := create(t, b.service, b.tenant, key, n)
	require.NoError(t, err)
	require.False(t, resp.Replayed)
}

func TestCreate_SameKeyFiftyTimesAtOnceOnTwoProcesses_OneBookingAndOneBody(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, _ := b.process(t)
	service := b.newSlotService(t, 50, 60)
	key, n := newKey(), newBooking(service, slotOn(future(0), 10, 0))
	bodies := make([]string, 50)
	codes := race(50, func(i int) error {
		_, resp, err := create(t, []*booking.Service{b.service, other}[i%2], b.tenant, key, n)
		bodies[i] = string(resp.Body)
		return err
	})
	require.Equal(t, 50, codes[""]+codes[problem.RequestInProgress], "%v", codes)
	seen := make(map[string]bool)
	for _, body := range bodies {
		if body != "" {
			seen[body] = true
		}
	}
	require.Len(t, seen, 1)
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM bookings"))
}

func TestCreate_SameKeyForAnotherRequest_IsRefusedAndTheFirstStays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, _ := b.process(t)
	service := b.newDateService(t, 1)
	key := newKey()
	_, first, err := create(t, b.service, b.tenant, key, newBooking(service, onDate(future(0))))
	require.NoError(t, err)
	for _, s := range []*booking.Service{b.service, other} {
		_, err = s.Create(t.Context(), b.tenant, request(t, key, "another body"),
			newBooking(service, onDate(future(1))))
		require.True(t, problem.Is(err, problem.IdempotencyKeyReused), "%v", err)
	}
	_, again, err := create(t, other, b.tenant, key, newBooking(service, onDate(future(0))))
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, first.Body, again.Body)
}

func TestCreate_SameKeyForTwoDatesAtOnce_OneBooking(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, _ := b.process(t)
	service := b.newDateService(t, 1)
	rounds := testtime.Rounds(8)
	for round := range rounds {
		key := newKey()
		codes := race(2, func(i int) error {
			n := newBooking(service, onDate(future(2*round+i)))
			_, err := []*booking.Service{b.service, other}[i].Create(t.Context(), b.tenant,
				request(t, key, string(rune('a'+i))), n)
			return err
		})
		require.Equal(t, map[problem.Code]int{"": 1, problem.IdempotencyKeyReused: 1}, codes)
	}
	require.Equal(t, rounds, b.count(t, "SELECT count(*) FROM bookings"))
}

func TestRequests_BeyondTheirBounds_AreRefusedWhoeverCalls(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	long := strings.Repeat("x", 101)
	with := func(change func(*booking.CreateRequest)) func() error {
		return func() error {
			n := newBooking(service, onDate(future(0)))
			change(&n)
			_, err := b.service.Create(t.Context(), b.tenant, request(t, newKey()), n)
			return err
		}
	}
	for field, do := range map[string]func() error{
		"party_size":       with(func(n *booking.CreateRequest) { n.PartySize = 1001 }),
		"hold_minutes":     with(func(n *booking.CreateRequest) { n.HoldMinutes = new(booking.MaxHoldMinutes + 1) }),
		"reference":        with(func(n *booking.CreateRequest) { n.Reference = &long }),
		"duration_minutes": with(func(n *booking.CreateRequest) { n.DurationMinutes = new(10_081) }),
		"resource_ids": with(func(n *booking.CreateRequest) {
			n.ResourceID, n.ResourceIDs = new(uuid.New()), []uuid.UUID{uuid.New()}
		}),
		"price": func() error {
			_, err := b.service.QuoteMove(t.Context(), b.tenant, uuid.New(), booking.Move{Price: "half"})
			return err
		},
	} {
		require.Equal(t, field, problem.DocumentOf(do()).Errors[0].Name, field)
	}
	_, err := booking.HoldRequest{ServiceID: service, HoldMinutes: new(61)}.Create(true)
	require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
}

func TestCreate_CustomerIsMatchedByEmail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, _ := b.process(t)
	service := b.newDateService(t, 1)
	ids := make([]uuid.UUID, 10)
	codes := race(10, func(i int) error {
		n := newBooking(service, onDate(future(i)))
		n.Customer = &customer.Customer{Email: "Grace@Example.com", Name: "Grace"}
		made, _, err := create(t, []*booking.Service{b.service, other}[i%2], b.tenant, newKey(), n)
		ids[i] = made.Customer.ID
		return err
	})
	require.Equal(t, map[problem.Code]int{"": 10}, codes)
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM customers WHERE email = 'grace@example.com'"))
	n := newBooking(service, onDate(future(20)))
	n.Customer, n.CustomerID = nil, &ids[0]
	made, _, err := create(t, b.service, b.tenant, newKey(), n)
	require.NoError(t, err)
	require.Equal(t, "Grace", made.Customer.Name)
}

func TestCreate_MaxPerDay_HoldsOverAllSlotsAndResources(t *testing.T) {
	t.Parallel()
	b := setup(t)
	most := 3
	service := b.newService(t, catalog.ServiceSpec{
		Name: "Tour", Spec: timetable.Spec{
			Kind: timetable.KindSlot, DurationMinutes: 30, SlotIntervalMinutes: 30, MaxPerDay: &most,
			ResourceIDs: []uuid.UUID{b.newResource(t, 5, timetable.Hours{}), b.newResource(t, 5, timetable.Hours{})},
		},
	})
	codes := race(30, func(i int) error {
		_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, slotOn(future(0), 8+i/4, 0)))
		return err
	})
	require.Equal(t, map[problem.Code]int{"": 3, problem.SlotUnavailable: 27}, codes)
}

func TestCreate_BuffersKeepTheTimeAroundFree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newService(t, catalog.ServiceSpec{
		Name: "Tour", Spec: timetable.Spec{
			Kind: timetable.KindSlot, DurationMinutes: 60, SlotIntervalMinutes: 15, BufferBeforeMinutes: 15,
			BufferAfterMinutes: 30,
			ResourceIDs:        []uuid.UUID{b.newResource(t, 1, timetable.Hours{})},
		},
	})
	for _, step := range []struct {
		hour, minute int
		free         bool
	}{
		{12, 0, true},   // busy 11:45–13:30
		{13, 30, false}, // its buffer begins at 13:15
		{13, 45, true},
		{10, 30, false}, // its buffer ends at 12:00
		{10, 15, true},
	} {
		_, _, err := create(t, b.service, b.tenant, newKey(),
			newBooking(service, slotOn(future(0), step.hour, step.minute)))
		require.Equal(t, !step.free, problem.Is(err, problem.SlotUnavailable), "%02d:%02d: %v", step.hour, step.minute,
			err)
	}
	page, err := b.service.Availability(t.Context(), b.tenant, service,
		timetable.AvailabilityQuery{From: future(0), To: future(0), PartySize: 1})
	require.NoError(t, err)
	var first, last string // before and after the bookings from 10:15 to 14:45
	for _, slot := range daysOf(page)[0].Slots {
		switch start := slot.StartsAt.Format("15:04"); {
		case slot.Remaining > 0 && start < "10:15":
			first = start
		case slot.Remaining > 0 && last == "":
			last = start
		}
	}
	require.Equal(t, []string{"08:30", "15:30"}, []string{first, last}, "availability knows the buffers")
}

func TestCreate_ExpiredKey_CanBeReused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, _ := b.process(t)
	service := b.newDateService(t, 1)
	key := newKey()
	_, _, err := create(t, b.service, b.tenant, key, newBooking(service, onDate(future(0))))
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), "UPDATE idempotency_keys SET expires_at = now() WHERE key = $1", key)
	require.NoError(t, err)
	for i, s := range []*booking.Service{b.service, other} { // one remembers the key, the other doesn't
		_, err = s.Create(t.Context(), b.tenant, request(t, key, "another body"),
			newBooking(service, onDate(future(1))))
		require.NoError(t, err)
		require.Equal(t, 2, b.count(t, "SELECT count(*) FROM bookings"), "process %d", i)
	}
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM idempotency_keys WHERE key = $1", key))
}

func TestCreate_RulesThatAnotherProcessChanged_DecideAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := catalog.NewService(dbtest.Open(t, db.Config{URL: b.url, MaxConns: 1})) // of another process
	service := b.newDateService(t, 5)
	_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, onDate(future(0)))) // reads the rules
	require.NoError(t, err)
	closed := catalog.Closure{Closure: timetable.Closure{From: future(0), To: future(1)}}
	resp, err := other.CreateClosure(t.Context(), b.tenant, request(t, newKey()), closed)
	require.NoError(t, err)
	var made catalog.ClosureBody
	require.NoError(t, json.Unmarshal(resp.Body, &made))
	_, _, err = create(t, b.service, b.tenant, newKey(), newBooking(service, onDate(future(0))))
	require.True(t, problem.Is(err, problem.OutsideOpeningHours), "%v", err)
	_, err = other.ArchiveClosure(t.Context(), b.tenant, request(t, newKey()), made.ID, true, "")
	require.NoError(t, err)
	_, _, err = create(t, b.service, b.tenant, newKey(), newBooking(service, onDate(future(0))))
	require.NoError(t, err)
}
