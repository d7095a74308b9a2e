package message_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/mergepatch"
	"holdfast/internal/testtime"
)

// copies adds confirmed bookings of the same customer at the same time.
func (b *testBundle) copies(t testing.TB, of uuid.UUID, n int) {
	t.Helper()
	b.exec(t, dbtest.InsertBookings(`
		SELECT tenant_id, gen_random_uuid(), service_id, resource_id, customer_id, 'confirmed', starts_at, ends_at, time_zone,
			int4multirange(int4range(100 + n, 101 + n)), busy_from, busy_until, NULL, price, 0
		FROM bookings, generate_series(1, $2) AS n WHERE booking_id = $1`), of, n)
}

// occurrences counts the events of a kind by occurrence, without the time of the booking.
func occurrences(events []planned) map[string]int {
	n := map[string]int{}
	for _, e := range events {
		what, _, _ := strings.Cut(e.Occurrence, "/")
		n[what]++
	}
	return n
}

func TestPlanAhead_ManyBookingsAndCustomers_ArePlannedOnceInPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service, past := b.newService(t, nil), born(0)
	var made booking.BookingBody
	for range 3 {
		made = b.book(t, service, inDays(10), bornOn(past, "", ""))
	}
	cancelled := b.book(t, service, inDays(10))
	b.change(t, cancelled.ID, booking.Cancel)
	b.copies(t, made.ID, 450) // more than two pages of bookings and of customers
	b.exec(t, `INSERT INTO customers (tenant_id, customer_id, email, name, birthday, created_at)
		SELECT $1, gen_random_uuid(), n || '@example.com', 'Ada', $2, now() FROM generate_series(1, 450) AS n`, b.tenant.ID, past.String())

	b.set(t, `{"reminders": [{"before_minutes": 120}], "greetings": {"birthday": true}}`)
	for range 2 {
		require.Len(t, b.events(t, event.KindBookingReminder), 453)
		require.Len(t, b.events(t, event.KindBirthday), 453)
		b.set(t, `{"follow_up_minutes": 60}`) // begins anew
		b.set(t, `{"follow_up_minutes": 0}`)
	}
	require.Equal(t, "pending", b.stored(t, event.KindPlanAhead)[0].Status, "it goes on each day")
}

func TestPlanAhead_NextDay_PlansOnlyWhatTheDayBeforeLeftOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}]}`)
	service := b.newService(t, nil)
	for day := range 8 {
		b.book(t, service, inDays(10+day))
	}
	for day := range 6 {
		b.planningAt = inDays(8 + day)
		b.exec(t, "UPDATE scheduled_events SET due_at = now() WHERE kind = $1", event.KindPlanAhead)
		b.runPlanner(t) // without the relay: it alone finds the bookings
		planned := b.stored(t, event.KindBookingReminder)
		require.Len(t, planned, day+1)
		require.Equal(t, inDays(10+day).Add(-2*time.Hour).UTC(), planned[day].DueAt.UTC())
	}
}

func TestPlanAhead_BookingsOfSeveralYears_EachHasItsAnniversary(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.copies(t, made.ID, 3)
	b.exec(t, `UPDATE bookings b SET date = b.date - interval '1 year' * o.n, starts_at = starts_at - interval '1 year' * o.n,
			ends_at = ends_at - interval '1 year' * o.n,
			busy_from = busy_from - interval '1 year' * o.n, busy_until = busy_until - interval '1 year' * o.n
		FROM (SELECT booking_id, row_number() OVER (ORDER BY booking_id) AS n FROM bookings) AS o WHERE o.booking_id = b.booking_id`)
	b.set(t, `{"greetings": {"anniversary": true}}`)
	planned := b.events(t, event.KindAnniversary)
	require.Len(t, planned, 4)
	for _, e := range planned {
		require.Equal(t, strconv.Itoa(testtime.Date(10).Year), e.Occurrence)
	}
}

func TestPlanAhead_BookingOfManyDaysThatGoesOn_GetsItsFollowUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.exec(t, `UPDATE bookings SET date = date - 300, last_date = date, starts_at = starts_at - interval '300 days',
		busy_from = busy_from - interval '300 days'`)
	b.set(t, `{"follow_up_minutes": 60}`)
	require.Equal(t, made.EndsAt.Add(time.Hour).UTC(), b.only(t, event.KindBookingFollowUp).DueAt.UTC())
}

func TestChangeSettings_RemindersChange_OnlyWhatIsAskedForIsSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}, {"before_minutes": 60}]}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	require.Len(t, b.events(t, event.KindBookingReminder), 2)
	b.set(t, `{"reminders": [{"before_minutes": 60}, {"before_minutes": 30}]}`)
	require.Equal(t, map[string]int{"120m": 1, "60m": 1, "30m": 1}, occurrences(b.events(t, event.KindBookingReminder)))
	b.runAll(t)
	require.Equal(t, 2, b.told(t, made.ID, "booking.reminder"))
	for _, e := range b.events(t, event.KindBookingReminder) {
		if strings.HasPrefix(e.Occurrence, "120m") {
			require.Equal(t, "cancelled", e.Status)
			require.Equal(t, "The settings no longer ask for this reminder.", e.Reason)
		}
	}
}

func TestChangeSettings_BackAndForth_SendsEachReminderOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}]}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	for range 3 {
		b.set(t, `{"reminders": []}`)
		b.plan(t)
		b.set(t, `{"reminders": [{"before_minutes": 120}]}`)
		b.plan(t)
	}
	b.runAll(t)
	b.runAll(t)
	require.Equal(t, 1, b.told(t, made.ID, "booking.reminder"))
}

func TestChangeSettings_ReminderCancelledOnRequest_StaysCancelled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}]}`)
	b.book(t, b.newService(t, nil), inDays(10))
	b.cancelEvent(t, b.only(t, event.KindBookingReminder).EventID)
	b.set(t, `{"reminders": [{"before_minutes": 120}, {"before_minutes": 60}]}`)
	require.Equal(t, map[string]int{"120m": 1, "60m": 1}, occurrences(b.events(t, event.KindBookingReminder)))
	for _, e := range b.events(t, event.KindBookingReminder) {
		require.Equal(t, strings.HasPrefix(e.Occurrence, "120m"), e.Status == "cancelled")
	}
}

func TestChangeSettings_NothingPlannedChanges_PlansNothingAnew(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}, {"before_minutes": 60}], `+sender+`}`)
	b.plan(t)
	version := func() (v int64) {
		require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT version FROM scheduled_events WHERE kind = $1",
			event.KindPlanAhead).Scan(&v))
		return v
	}
	before := version()
	for _, change := range []string{
		`{"name": "Another"}`, `{"unique_references": true}`, `{"email": {"from": {"email": "other@harbour.example"}}}`,
		`{"reminders": [{"before_minutes": 60}, {"before_minutes": 120}]}`,
	} {
		b.set(t, change)
		require.Equal(t, before, version(), change)
	}
	b.set(t, `{"reminders": []}`)
	require.Greater(t, version(), before)
}

func TestChangeService_OwnReminders_ArePlanned(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}]}`)
	service := b.newService(t, nil)
	made := b.book(t, service, inDays(10))
	b.plan(t)
	change := mergepatch.Of[catalog.ServiceSpec](`{"reminders": [{"before_minutes": 30}]}`)
	_, err := b.catalog.ChangeService(t.Context(), b.tenant, service, change, "")
	require.NoError(t, err)
	require.Equal(t, map[string]int{"120m": 1, "30m": 1}, occurrences(b.events(t, event.KindBookingReminder)))
	b.runAll(t)
	require.Equal(t, 1, b.told(t, made.ID, "booking.reminder"))
}

// planAheadWith runs a worker that handles the event that plans ahead by handle, which is given the kind's own handler,
// until it isn't due.
func (b *testBundle) planAheadWith(t testing.TB, handle func(e event.Event, own func() (event.Result,
	error)) (event.Result, error),
) {
	t.Helper()
	for _, k := range b.messages.Kinds() {
		if k.Name != event.KindPlanAhead {
			continue
		}
		own := k.Handle
		k.Handle = func(ctx context.Context, e event.Event) (event.Result, error) {
			e.LeasedAt = b.planningAt
			return handle(e, func() (event.Result, error) { return own(ctx, e) })
		}
		event.NewWorker(b.store, event.Config{}, k).RunUntilIdle(t.Context())
	}
}

func TestPlanAhead_SettingsChangeAfterAPageWasRead_WritesNothingByTheOlderOnes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.book(t, b.newService(t, nil), inDays(10))
	b.set(t, `{"reminders": [{"before_minutes": 120}]}`)
	handled := 0
	b.planAheadWith(t, func(_ event.Event, own func() (event.Result, error)) (event.Result, error) {
		result, err := own()
		if handled++; handled == 1 {
			b.set(t, `{"reminders": [{"before_minutes": 60}]}`)
		}
		return result, err
	})
	require.Equal(t, 2, handled)
	require.Equal(t, map[string]int{"60m": 1}, occurrences(b.stored(t, event.KindBookingReminder)))
}

// The three moments of a change: before a run reads the booking, after it has read it, and after the run. Each time
// what is sent is what is so when it is due.
func TestPlanAhead_BookingChangesAroundARun_WhatIsSentIsWhatIsSo(t *testing.T) {
	t.Parallel()
	changes := map[string]struct {
		do   func(t testing.TB, b *testBundle, id uuid.UUID)
		told int
	}{
		"cancelled": {do: func(t testing.TB, b *testBundle,
			id uuid.UUID) {
			t.Helper()
			b.change(t, id, booking.Cancel)
		}},
		"moved": {told: 1, do: func(t testing.TB, b *testBundle, id uuid.UUID) {
			t.Helper()
			b.reschedule(t, id, to(inDays(11)))
		}},
		"of another customer": {told: 1,
			do: func(t testing.TB, b *testBundle, id uuid.UUID) { t.Helper(); b.give(t, id, "Grace") }},
		"erased": {do: func(t testing.TB, b *testBundle, id uuid.UUID) {
			t.Helper()
			made, err := b.bookings.Get(t.Context(), b.tenant, id)
			require.NoError(t, err)
			_, err = b.persons.Erase(t.Context(), b.tenant, request(t), made.Customer.ID, "")
			require.NoError(t, err)
		}},
		"booked": {told: 1, do: func(testing.TB, *testBundle, uuid.UUID) {}},
	}
	for name, c := range changes {
		for _, when := range []string{"before", "during", "after"} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				service := b.newService(t, nil)
				var made booking.BookingBody
				change := func() {
					if name == "booked" {
						made = b.book(t, service, inDays(10))
					}
					c.do(t, b, made.ID)
				}
				if name != "booked" {
					made = b.book(t, service, inDays(10))
				}
				b.set(t, `{"reminders": [{"before_minutes": 120}]}`)
				if when == "before" {
					change()
				}
				b.planAheadWith(t, func(_ event.Event, own func() (event.Result, error)) (event.Result, error) {
					result, err := own()
					if when == "during" {
						change()
					}
					return result, err
				})
				if when == "after" {
					change()
				}
				b.runAll(t)
				b.runAll(t)
				require.Equal(t, c.told, b.told(t, made.ID, "booking.reminder"))
				for _, e := range b.events(t, event.KindBookingReminder) {
					require.Contains(t, []string{"completed", "cancelled"}, e.Status)
				}
			})
		}
	}
}

// Under row-level security few conditions reach an index: the day of a birthday is a column for that reason.
func TestPlanAhead_ManyCustomers_BirthdaysAreReadThroughTheirIndex(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.exec(t, `INSERT INTO customers (tenant_id, customer_id, email, name, birthday, created_at)
		SELECT $1, gen_random_uuid(), n || '@example.com', 'Ada', date '1980-01-01' + n % 10000, now()
		FROM generate_series(1, 20000) AS n`, b.tenant.ID)
	b.exec(t, "ANALYZE customers")
	b.set(t, `{"greetings": {"birthday": true}}`)
	require.NotEmpty(t, b.events(t, event.KindBirthday))
	require.Eventually(t, func() bool { // statistics come a moment later
		var scans int
		require.NoError(t, b.sql.QueryRow(t.Context(),
			"SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'customers_by_birthday'").Scan(&scans))
		return scans > 0
	}, time.Minute, 50*time.Millisecond)
}
