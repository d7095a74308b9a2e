package booking_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
	"holdfast/internal/timezone"
)

// reschedule moves a booking and returns it.
func reschedule(t testing.TB, s *booking.Service, tn tenant.Tenant, id uuid.UUID,
	m booking.Move,
) (booking.BookingBody, error) {
	t.Helper()
	resp, err := s.Reschedule(t.Context(), tn, request(t, newKey()), id, booking.RescheduleRequest{Move: m}, "")
	if err != nil {
		return booking.BookingBody{}, err
	}
	var body booking.BookingBody
	require.NoError(t, json.Unmarshal(resp.Body, &body))
	return body, nil
}

// booked returns a new confirmed booking.
func (b *testBundle) booked(t testing.TB, service uuid.UUID, when timetable.When,
	with ...func(*booking.CreateRequest)) booking.Booking {
	t.Helper()
	n := newBooking(service, when)
	for _, w := range with {
		w(&n)
	}
	made, _, err := create(t, b.service, b.tenant, newKey(), n)
	require.NoError(t, err)
	return made
}

func ofParty(size int) func(*booking.CreateRequest) {
	return func(n *booking.CreateRequest) { n.PartySize = size }
}

func to(when timetable.When) booking.Move { return booking.Move{When: when} }

// requireStory requires that there is one change of each version of a booking.
func (b *testBundle) requireStory(t testing.TB, id uuid.UUID, types ...string) {
	t.Helper()
	var recorded []string
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT coalesce(array_agg(type ORDER BY version), '{}') FROM changes WHERE subject_id = $1",
		id).Scan(&recorded))
	require.Equal(t, types, recorded)
	require.Equal(t, len(types), b.count(t,
		"SELECT count(DISTINCT version) FROM changes WHERE subject_id = $1 AND version BETWEEN 1 AND $2", id,
		len(types)))
	require.Equal(t, len(types), b.count(t, "SELECT version FROM bookings WHERE booking_id = $1", id))
}

func TestReschedule_ToAnotherTime_FreesTheOldAndTakesTheNew(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	made := b.booked(t, service, slotOn(future(0), 10, 0))
	moved, err := reschedule(t, b.service, b.tenant, made.ID, to(slotOn(future(3), 15, 0)))
	require.NoError(t, err)
	require.Equal(t, future(3).String(), moved.Date)
	require.Equal(t, 15, moved.StartsAt.Hour())
	require.Equal(t, time.Hour, moved.EndsAt.Sub(moved.StartsAt))
	require.EqualValues(t, 2, moved.Version)
	read, err := b.service.Get(t.Context(), b.tenant, made.ID)
	require.NoError(t, err)
	body, err := json.Marshal(read.Body())
	require.NoError(t, err)
	answered, err := json.Marshal(moved)
	require.NoError(t, err)
	require.JSONEq(t, string(answered), string(body), "what is read later looks like what was answered")
	b.requireStory(t, made.ID, "booking.created", "booking.rescheduled")

	_, _, err = create(t, b.service, b.tenant, newKey(), newBooking(service, slotOn(future(3), 15, 0)))
	require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
	b.booked(t, service, slotOn(future(0), 10, 0))
	b.requireNoOverlap(t)
}

func TestReschedule_OfABookingThatIsItsOwnNeighbour_IsNeverInItsOwnWay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	perDay := 1
	resource := b.newResource(t, 2, timetable.Hours{})
	service := b.newService(t, catalog.ServiceSpec{
		Name: "Tour", Spec: timetable.Spec{
			Kind:                timetable.KindSlot,
			ResourceIDs:         []uuid.UUID{resource},
			DurationMinutes:     60,
			SlotIntervalMinutes: 15,
			BufferBeforeMinutes: 30,
			BufferAfterMinutes:  30,
			MaxPerDay:           &perDay,
		},
	})
	made := b.booked(t, service, slotOn(future(0), 10, 0), ofParty(2))
	size := 1
	for i, m := range []booking.Move{
		to(slotOn(future(0), 10, 15)), to(slotOn(future(0), 9, 45)), to(slotOn(future(0), 10, 0)),
		{PartySize: &size, When: slotOn(future(0), 10, 30)},
	} {
		moved, err := reschedule(t, b.service, b.tenant, made.ID, m)
		require.NoError(t, err)
		require.EqualValues(t, 2+i, moved.Version)
	}
	require.Equal(t, 1, b.count(t, `SELECT count(*) FROM bookings b JOIN claims c ON c.owner_id = b.booking_id
		WHERE c.busy_from = b.starts_at - interval '30 minutes' AND upper(c.units) = 2`),
		"a smaller party gives its unit back")
}

func TestReschedule_BookingThatIsOver_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 10)
	for status, code := range map[booking.Status]problem.Code{
		booking.Held: problem.HoldExpired, booking.Expired: problem.HoldExpired,
		booking.Cancelled: problem.InvalidState,
		booking.Completed: problem.InvalidState, booking.NoShow: problem.InvalidState,
	} {
		made := b.hold(t, service, onDate(future(0)))
		_, err := b.sql.Exec(t.Context(),
			`UPDATE bookings SET status = $1, hold_expires_at = now() WHERE booking_id = $2`, status, made.ID)
		require.NoError(t, err)
		_, err = reschedule(t, b.service, b.tenant, made.ID, to(onDate(future(1))))
		require.True(t, problem.Is(err, code), "%s: %v", status, err)
	}
	require.Zero(t, b.count(t, "SELECT count(*) FROM changes WHERE type = 'booking.rescheduled'"))
}

func TestReschedule_Hold_KeepsItsExpiry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	held := b.hold(t, b.newDateService(t, 1), onDate(future(0)))
	moved, err := reschedule(t, b.service, b.tenant, held.ID, to(onDate(future(1))))
	require.NoError(t, err)
	require.Equal(t, booking.Held, moved.Status)
	require.Equal(t, held.HoldExpiresAt, moved.HoldExpiresAt)
	b.expireIn(t, held.ID, 0)
	n, failed := b.expiry(t, 0).run(t.Context())
	require.Empty(t, failed)
	require.Equal(t, 1, n)
	b.requireStory(t, held.ID, "booking.held", "booking.rescheduled", "booking.expired")
}

func TestReschedule_Replayed_GivesTheFirstAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.booked(t, b.newDateService(t, 1), onDate(future(0)))
	key := newKey()
	first, err := b.service.Reschedule(
		t.Context(),
		b.tenant,
		request(t, key, "1"),
		made.ID,
		booking.RescheduleRequest{Move: to(onDate(future(1)))},
		`"1"`,
	)
	require.NoError(t, err)
	_, err = reschedule(t, b.service, b.tenant, made.ID, to(onDate(future(2))))
	require.NoError(t, err)
	other, _ := b.process(t)
	for _, s := range []*booking.Service{b.service, other} {
		again, err := s.Reschedule(
			t.Context(),
			b.tenant,
			request(t, key, "1"),
			made.ID,
			booking.RescheduleRequest{Move: to(onDate(future(1)))},
			`"1"`,
		)
		require.NoError(t, err)
		require.True(t, again.Replayed)
		require.Equal(t, first.Body, again.Body)
		_, err = s.Reschedule(t.Context(), b.tenant, request(t, key, "2"), made.ID,
			booking.RescheduleRequest{Move: to(onDate(future(3)))}, "")
		require.True(t, problem.Is(err, problem.IdempotencyKeyReused), "%v", err)
	}
	b.requireStory(t, made.ID, "booking.created", "booking.rescheduled", "booking.rescheduled")
}

// turnsOf returns the next two changes of a zone's clocks, if it has any, and two midnights.
func turnsOf(loc *time.Location) []time.Time {
	first := testtime.At(0, 0, 0, loc)
	turns := []time.Time{first.AddDate(0, 0, 5), time.Date(first.Year()+1, time.January, 1, 0, 0, 0, 0, loc)}
	for at := first; len(turns) < 4; {
		_, next := at.ZoneBounds()
		if next.IsZero() || next.After(first.AddDate(2, 0, 0)) {
			break
		}
		if !next.After(at) { // on the last day of a leap year ZoneBounds may return an end that is over
			next = at.AddDate(0, 0, 1)
		}
		_, before := at.Zone()
		at = next.In(loc)
		if _, after := at.Zone(); after != before {
			turns = append(turns, at)
		}
	}
	return turns
}

// TestReschedule_OverMidnightAndClockChanges moves a slot of two hours, with half an hour before and after it, around
// midnight and changes of the clock. Each move takes the locks of all dates that it touches; the store refuses a move
// without one of them.
func TestReschedule_OverMidnightAndClockChanges_TakesTheTimeThatIsMeant(t *testing.T) {
	t.Parallel()
	for zone, turns := range map[string]int{"Europe/Berlin": 4, "Australia/Lord_Howe": 4, "Asia/Kathmandu": 2,
		"Pacific/Apia":     2,
		"America/New_York": 4} {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.tenant = b.newTenant(t, zone)
			loc, err := timezone.Load(zone)
			require.NoError(t, err)
			service := b.newService(t, catalog.ServiceSpec{
				Name: "Night tour", Spec: timetable.Spec{
					Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{b.newResource(t, 1, timetable.Hours{})},
					DurationMinutes:     120,
					SlotIntervalMinutes: 30, BufferBeforeMinutes: 30, BufferAfterMinutes: 30,
				},
			})
			made := b.booked(t, service, atTime(testtime.At(2, 12, 0, loc)))
			all := turnsOf(loc)
			require.Len(t, all, turns)
			for _, turn := range all {
				for _, minutes := range []int{-210, -60, -30, 0, 30, 60, 180} {
					want := turn.Add(time.Duration(minutes) * time.Minute)
					start := want.Format(time.RFC3339)
					moved, err := reschedule(t, b.service, b.tenant, made.ID, to(at(start)))
					require.NoError(t, err, start)
					require.True(t, want.Equal(moved.StartsAt), "%s: %s", start, moved.StartsAt)
					require.Equal(t, 2*time.Hour, moved.EndsAt.Sub(moved.StartsAt))
					require.Equal(t, civil.DateOf(want).String(), moved.Date)
				}
			}
		})
	}
}

func TestReschedule_PriceKeptOrQuoted_FollowsTheRequest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	fee := int64(500)
	special, two, three := future(1), 2, 3
	service := b.newService(t, catalog.ServiceSpec{
		Name: "Day", Spec: timetable.Spec{
			Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{b.newResource(t, 10, timetable.Hours{})}, Price: 1000,
			Pricing: timetable.Pricing{
				PricePer:       timetable.PerUnit,
				DepositPercent: 10,
				Rates: []timetable.Rate{{From: &special, To: &special,
					Price: 3000}},
			},
		},
		Terms: catalog.Terms{CancellationPolicy: catalog.CancellationPolicy{NoShow: &catalog.CancellationFee{Amount: &fee}}},
	})
	guests := b.newService(t, catalog.ServiceSpec{
		Name: "Family day", Spec: timetable.Spec{
			Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{b.newResource(t, 10, timetable.Hours{})},
			Pricing: timetable.Pricing{UnitTypes: []timetable.UnitType{{Key: "adult", Name: "Adult", Price: 2500,
				Counts: true},
				{Key: "child", Name: "Child", Price: 1200, Counts: true}}},
		},
	})
	made := b.booked(t, service, onDate(future(0)), ofParty(2))
	for _, step := range []struct {
		name                 string
		m                    booking.Move
		price, deposit, size int
		fee                  bool
		code                 problem.Code
	}{
		{"kept on a dearer date", to(onDate(special)), 2000, 200, 2, true, ""},
		{"quoted at the same place", booking.Move{Price: booking.PriceQuoted}, 6000, 600, 2, true, ""},
		{"kept for a larger party", booking.Move{PartySize: &three}, 6000, 600, 3, true, ""},
		{"quoted for a party and a date", booking.Move{PartySize: &two, When: onDate(future(2)),
			Price: booking.PriceQuoted}, 2000, 200, 2, true,
			""},
		{"kept at a service with unit types", booking.Move{ServiceID: &guests}, 2000, 200, 2, true, ""},
		{"quoted there without a party", booking.Move{Price: booking.PriceQuoted}, 2000, 200, 2, true,
			problem.ValidationFailed},
		{"quoted there", booking.Move{Price: booking.PriceQuoted, Party: map[string]int{"adult": 1, "child": 2}}, 4900,
			0,
			3, false, ""},
		{"another party with the price kept", booking.Move{Party: map[string]int{"adult": 3}}, 4900, 0, 3, false,
			problem.ValidationFailed},
		{"another size with the price kept", booking.Move{PartySize: &two}, 4900, 0, 3, false,
			problem.ValidationFailed},
		{"the same party", booking.Move{Party: map[string]int{"adult": 1, "child": 2}, When: onDate(future(4))}, 4900,
			0, 3,
			false,
			""},
		{"quoted for the party that it has", booking.Move{Price: booking.PriceQuoted, When: onDate(future(5))}, 4900, 0,
			3,
			false, ""},
	} {
		before, err := b.service.Get(t.Context(), b.tenant, made.ID)
		require.NoError(t, err)
		_, err = reschedule(t, b.service, b.tenant, made.ID, step.m)
		if step.code != "" {
			require.True(t, problem.Is(err, step.code), "%s: %v", step.name, err)
		} else {
			require.NoError(t, err, step.name)
		}
		got, err := b.service.Get(t.Context(), b.tenant, made.ID)
		require.NoError(t, err)
		require.EqualValues(t, step.price, got.Price, step.name)
		require.EqualValues(t, step.price, got.Due, step.name)
		require.EqualValues(t, step.deposit, got.Deposit, step.name)
		require.Equal(t, step.size, got.PartySize, step.name)
		require.Equal(t, step.fee, got.CancellationPolicy.NoShow != nil, step.name)
		require.Equal(t, step.code == "", got.Version > before.Version, step.name)
		sum := int64(0)
		for _, item := range got.Items {
			sum += item.Amount
		}
		require.Equal(t, got.Price, sum, step.name)
	}
}

// TestReschedule_BookingThatMovesMeanwhile_IsMovedFromWhereItIs moves the booking between the read that finds it and
// the lock of its date.
func TestReschedule_BookingThatMovesMeanwhile_IsMovedFromWhereItIs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	made := b.booked(t, service, onDate(future(0)))
	release := b.blockDate(t, lock.Date(future(0)))
	done := make(chan error, 1)
	go func() {
		_, err := reschedule(t, b.service, b.tenant, made.ID, to(onDate(future(2))))
		done <- err
	}()
	require.Eventually(t, func() bool { return b.lockWaiters(t) == 1 }, longestWait, time.Millisecond)
	_, err := b.sql.Exec(t.Context(), dbtest.MoveBookings(1, "true"))
	require.NoError(t, err)
	b.syncClaims(t)
	release()
	require.NoError(t, <-done)
	got, err := b.service.Get(t.Context(), b.tenant, made.ID)
	require.NoError(t, err)
	require.Equal(t, future(2), got.Date)
	b.booked(t, service, onDate(future(1)))
}

// TestReschedule_ServiceOrResourceThatChangesMeanwhile_StaysChanged is the same for a change that keeps the time: what
// the request doesn't give is what the booking has under the lock.
func TestReschedule_ServiceOrResourceThatChangesMeanwhile_StaysChanged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.newResource(t, 1, timetable.Hours{}), b.newResource(t, 1, timetable.Hours{})
	tour := catalog.ServiceSpec{Name: "Tour", Spec: timetable.Spec{
		Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{one, two}, DurationMinutes: 60,
		SlotIntervalMinutes: 60,
	}}
	service := b.newService(t, tour)
	tour.DurationMinutes = 120
	long := b.newService(t, tour)
	for _, change := range []struct {
		set               string
		id                uuid.UUID
		service, resource uuid.UUID
		lasts             time.Duration
	}{
		{"service_id", long, long, one, 2 * time.Hour},
		{"resource_id", two, service, two, time.Hour},
	} {
		made := b.booked(t, service, slotOn(future(0), 10, 0))
		release := b.blockDate(t, lock.Date(future(0)))
		type result struct {
			moved booking.BookingBody
			err   error
		}
		done := make(chan result, 1)
		go func() {
			moved, err := reschedule(t, b.service, b.tenant, made.ID, to(slotOn(future(0), 15, 0)))
			done <- result{moved, err}
		}()
		require.Eventually(t, func() bool { return b.lockWaiters(t) == 1 }, longestWait, time.Millisecond)
		_, err := b.sql.Exec(t.Context(), `UPDATE bookings SET `+change.set+` = $1 WHERE booking_id = $2`, change.id,
			made.ID)
		require.NoError(t, err)
		b.syncClaims(t)
		release()
		got := <-done
		require.NoError(t, got.err)
		require.Equal(t, change.service, got.moved.ServiceID)
		require.Equal(t, change.resource, got.moved.ResourceID)
		require.Equal(t, change.lasts, got.moved.EndsAt.Sub(got.moved.StartsAt))
		_, err = b.sql.Exec(t.Context(), `UPDATE bookings SET status = 'cancelled'`)
		require.NoError(t, err)
		b.syncClaims(t)
	}
}

func TestReschedule_IntoAPlaceThatAWriterWithoutLocksTook_IsStoppedByTheConstraint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	made, rival := b.booked(t, service, onDate(future(0))), b.booked(t, service, onDate(future(1)))
	tx, err := b.sql.Begin(t.Context()) // the rival moves in a transaction that hasn't committed when the move looks
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) })
	_, err = tx.Exec(t.Context(), dbtest.MoveBookings(1, "booking_id = $1"), rival.ID)
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), dbtest.SyncClaims)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		_, err := reschedule(t, b.service, b.tenant, made.ID, to(onDate(future(2))))
		done <- err
	}()
	require.Eventually(t, func() bool {
		return b.count(t, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'transactionid' AND datname = current_database()") == 1
	}, longestWait, time.Millisecond)
	require.NoError(t, tx.Commit(t.Context()))
	err = <-done
	require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
	b.requireStory(t, made.ID, "booking.created")
}

func TestRoundTrips_Reschedule_Three(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.booked(t, b.newSlotService(t, 1, 60), slotOn(future(0), 10, 0))
	proxy := dbtest.NewProxy(t, b.url)
	s := dbtest.Open(t, db.Config{URL: proxy.URL, MaxConns: 1})
	bookings := booking.NewService(s)
	for day := range 4 {
		before := proxy.Trips()
		_, err := reschedule(t, bookings, b.tenant, made.ID, to(slotOn(future(1+day), 11, 0)))
		require.NoError(t, err)
		s.WaitForBackground()
		if day > 1 { // statements are prepared and rules are known
			require.Equal(t, 3, proxy.Trips()-before, "where it is, then the locks, then the write")
		}
	}
}
