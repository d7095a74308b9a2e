package message_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/event"
	"holdfast/internal/lock"
	"holdfast/internal/store/storetest"
	"holdfast/internal/testtime"
)

// copies adds confirmed bookings of the same customer at the same time.
func (b *testBundle) copies(t testing.TB, of uuid.UUID, n int) {
	t.Helper()
	b.exec(t, storetest.InsertBookings(`
		SELECT tenant_id, gen_random_uuid(), service_id, resource_id, customer_id, 'confirmed', starts_at, ends_at, time_zone,
			int4multirange(int4range(100 + n, 101 + n)), busy_from, busy_until, NULL, price, 0
		FROM bookings, generate_series(1, $2) AS n WHERE booking_id = $1`), of, n)
}

// secondRun handles the replan's second run, as if its time had come.
func (b *testBundle) secondRun(t testing.TB) {
	t.Helper()
	b.makeDue(t, event.KindReplan)
	b.run(t)
	require.Equal(t, "completed", b.only(t, event.KindReplan).Status)
}

// counts counts the events of some kinds by kind, occurrence without the booking's time, and status.
func (b *testBundle) counts(t testing.TB, kinds ...string) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, e := range b.events(t, kinds...) {
		what, _, _ := strings.Cut(e.Occurrence, "/")
		n[what+" "+e.Status]++
	}
	return n
}

// reminders is a change to reminders so many minutes before.
func reminders(minutes ...int) string {
	list := make([]string, len(minutes))
	for i, m := range minutes {
		list[i] = fmt.Sprintf(`{"before_minutes": %d}`, m)
	}
	return `{"reminders": [` + strings.Join(list, ", ") + `]}`
}

// replanWith runs a worker that handles replans by handle, which is given the kind's own handler, until none is due.
func (b *testBundle) replanWith(t testing.TB, handle func(e event.Event, own func() (event.Result, error)) (event.Result, error)) {
	t.Helper()
	kind := b.bookings.Replan()
	own := kind.Handle
	kind.Concurrency = 1
	kind.Handle = func(ctx context.Context, e event.Event) (event.Result, error) {
		return handle(e, func() (event.Result, error) { return own(ctx, e) })
	}
	event.NewWorker(b.store, event.Config{}, kind).RunUntilIdle(t.Context())
}

// waiting waits until so many transactions wait for locks.
func (b *testBundle) waiting(t testing.TB, n int) {
	t.Helper()
	b.eventually(t, n, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()")
}

// eventually waits until a query counts n.
func (b *testBundle) eventually(t testing.TB, n int, query string) {
	t.Helper()
	require.Eventually(t, func() bool {
		var found int
		err := b.sql.QueryRow(t.Context(), query).Scan(&found)
		return err == nil && found == n
	}, time.Minute, time.Millisecond)
}

// begin begins a transaction that holds what sql locks until it is rolled back.
func (b *testBundle) begin(t testing.TB, sql string, args ...any) pgx.Tx {
	t.Helper()
	tx, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	_, err = tx.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
	return tx
}

func TestReplan_TenChangesOverFiftyBookings_LeaveWhatTheLastAsksFor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.copies(t, made.ID, 49)
	change := func(i int) string {
		return fmt.Sprintf(`{"reminders": [{"before_minutes": 30}, {"before_minutes": %d}], "balance_due": {"before_minutes": %d}, "follow_up_minutes": %d}`, 100+i, 200+i, 300+i)
	}
	b.set(t, change(0))
	b.run(t)
	kinds := []string{event.KindBookingReminder, event.KindBalanceDue, event.KindBookingFollowUp}
	first := b.events(t, kinds...)
	require.Len(t, first, 200)
	for i := range 9 {
		b.set(t, change(i+1))
		b.run(t)
	}
	want := map[string]int{"30m pending": 50, "109m pending": 50, "209m pending": 50, "309m pending": 50}
	for i := range 9 {
		for _, from := range []int{100, 200, 300} {
			want[fmt.Sprintf("%dm cancelled", from+i)] = 50
		}
	}
	require.Equal(t, want, b.counts(t, kinds...))
	require.Len(t, b.events(t, event.KindReplan), 1, "ten changes have one replan")
	var unchanged int
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT count(*) FROM scheduled_events WHERE kind = ANY ($1) AND occurrence LIKE '30m/%' AND version = 1", kinds).Scan(&unchanged))
	require.Equal(t, 50, unchanged, "what is still asked for stays as it is")
	for _, e := range b.events(t, kinds...) {
		if e.Status == "cancelled" {
			require.Equal(t, "The settings no longer ask for it.", e.Reason)
		}
	}

	b.secondRun(t)
	require.Equal(t, want, b.counts(t, kinds...), "planning twice plans once")
	b.runAt(t, event.KindBookingReminder, made.StartsAt.Add(-time.Minute))
	var told int
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT count(*) FROM changes WHERE type = 'booking.reminder'").Scan(&told))
	require.Equal(t, 100, told, "what ended isn't sent")
}

func TestReplan_BackToTheFirstSettings_PlansTheirEventsAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const first = `{"reminders": [{"before_minutes": 60}], "balance_due": {"before_minutes": 90}, "follow_up_minutes": 120,
		"greetings": {"birthday": true, "anniversary": true}}`
	b.set(t, first)
	b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "", ""))
	kinds := []string{event.KindBookingReminder, event.KindBalanceDue, event.KindBookingFollowUp, event.KindAnniversary, event.KindBirthday}
	planned := b.events(t, kinds...)
	require.Len(t, planned, 5)
	for range 2 {
		b.set(t, `{"reminders": [], "balance_due": {}, "follow_up_minutes": 0, "greetings": {"birthday": false, "anniversary": false}}`)
		b.run(t)
		for _, e := range b.events(t, kinds...) {
			require.Equal(t, "cancelled", e.Status, e.Kind)
		}
		b.set(t, first)
		b.run(t)
		require.Equal(t, planned, b.events(t, kinds...))
	}
}

func TestReplan_ReplayedAfterItsEnd_PlansWhatIsMissing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.copies(t, b.book(t, b.newService(t, nil), inDays(10)).ID, 249)
	b.set(t, reminders(60))
	b.run(t)
	b.secondRun(t)
	b.exec(t, "DELETE FROM scheduled_events WHERE kind = 'booking.reminder'")
	b.replay(t, b.only(t, event.KindReplan).EventID)
	b.run(t)
	require.Equal(t, map[string]int{"60m pending": 250}, b.counts(t, event.KindBookingReminder))
}

func TestReplan_EventCancelledOnRequest_StaysCancelled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, reminders(60))
	b.book(t, b.newService(t, nil), inDays(10))
	b.cancelEvent(t, b.only(t, event.KindBookingReminder).EventID)
	b.set(t, reminders(30))
	b.run(t)
	b.set(t, reminders(60))
	b.run(t)
	require.Equal(t, map[string]int{"60m cancelled": 1, "30m cancelled": 1}, b.counts(t, event.KindBookingReminder))
}

func TestReplan_ReminderThatIsDueAndStillAskedFor_Stays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, reminders(60))
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.set(t, reminders(60, 30))
	b.runAt(t, event.KindReplan, made.StartsAt.Add(-45*time.Minute))
	require.Equal(t, map[string]int{"60m pending": 1, "30m pending": 1}, b.counts(t, event.KindBookingReminder))
}

func TestReplan_ReminderThatAWorkerHandlesAndIsNotAskedFor_IsNotTold(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, reminders(60))
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.makeDue(t, event.KindBookingReminder)
	reminder := b.bookings.Reminder()
	handle := reminder.Handle
	reminder.Handle = func(ctx context.Context, e event.Event) (event.Result, error) {
		result, err := handle(ctx, e)
		b.set(t, reminders(30))
		b.replanWith(t, func(_ event.Event, own func() (event.Result, error)) (event.Result, error) { return own() })
		return result, err
	}
	event.NewWorker(b.store, event.Config{}, reminder).RunUntilIdle(t.Context())
	require.Zero(t, b.told(t, made.ID, "booking.reminder"))
	require.Equal(t, map[string]int{"60m cancelled": 1, "30m pending": 1}, b.counts(t, event.KindBookingReminder))
}

func TestReplan_GreetingsSwitchedOff_EndsThoseOfEachPage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "", ""))
	b.copies(t, made.ID, 249)
	b.exec(t, `INSERT INTO customers (tenant_id, customer_id, email, name, birthday, created_at)
		SELECT $1, gen_random_uuid(), n || '@example.com', 'Ada', $2, now() FROM generate_series(1, 449) AS n`, b.tenant.ID, born(0).String())
	b.set(t, `{"greetings": {"birthday": true, "anniversary": true}}`)
	b.run(t)
	statuses := func(kind string) map[string]int {
		n := map[string]int{}
		for _, e := range b.events(t, kind) {
			n[e.Status]++
		}
		return n
	}
	for range 2 {
		require.Equal(t, map[string]int{"pending": 450}, statuses(event.KindBirthday))
		require.Equal(t, map[string]int{"pending": 250}, statuses(event.KindAnniversary))
		b.set(t, `{"greetings": {"birthday": false, "anniversary": false}}`)
		b.run(t)
		require.Equal(t, map[string]int{"cancelled": 450}, statuses(event.KindBirthday))
		require.Equal(t, map[string]int{"cancelled": 250}, statuses(event.KindAnniversary))
		b.set(t, `{"greetings": {"birthday": true, "anniversary": true}}`)
		b.run(t)
	}
}

func TestChangeSettings_NothingPlannedChanges_PlansNoReplan(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const same = `{"reminders": [{"before_minutes": 60}, {"days_before": 1, "at": "18:00"}], "balance_due": {"days_before": 7, "at": "09:00"},
		"follow_up_minutes": 60, "greetings": {"birthday": true}}`
	b.set(t, same)
	b.run(t)
	b.secondRun(t)
	for _, change := range []string{
		same,
		`{"reminders": [{"days_before": 1, "at": "18:00"}, {"before_minutes": 60}]}`,
		`{"name": "Other"}`,
		`{` + sender + `}`,
		`{"email": {"templates": [{"template": "booking.reminder", "subject": "Soon", "text": "Soon"}]}}`,
		`{"greetings": {"anniversary": false}}`,
		`{}`,
	} {
		b.set(t, change)
		require.Equal(t, "completed", b.only(t, event.KindReplan).Status, change)
	}
	b.set(t, `{"reminders": []}`)
	require.Equal(t, "pending", b.only(t, event.KindReplan).Status)
}

func TestChangeSettings_ReplanIsPending_AddsNone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 10 {
		b.set(t, reminders(60+i))
	}
	require.Equal(t, "pending", b.only(t, event.KindReplan).Status)
	b.run(t)
	b.set(t, reminders(10))
	replan := b.only(t, event.KindReplan)
	require.Equal(t, "pending", replan.Status)
	require.False(t, replan.DueAt.After(testtime.Now()), "a change doesn't wait for the second run of the one before")
}

func TestReplan_SettingsChangeInTheMiddle_LeavesNoBookingWithTheOlderSettings(t *testing.T) {
	t.Parallel()
	for name, afterPage := range map[string]bool{"before the page is written": false, "after the page is written, before it is recorded": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.copies(t, b.book(t, b.newService(t, nil), inDays(10)).ID, 449)
			b.set(t, reminders(60))
			pages := 0
			b.replanWith(t, func(_ event.Event, own func() (event.Result, error)) (r event.Result, err error) {
				pages++
				if pages == 2 && !afterPage {
					b.set(t, reminders(30))
				}
				r, err = own()
				if pages == 2 && afterPage {
					b.set(t, reminders(30))
				}
				return r, err
			})
			require.Equal(t, 450, b.counts(t, event.KindBookingReminder)["30m pending"])
			require.Zero(t, b.counts(t, event.KindBookingReminder)["60m pending"])
			require.Equal(t, 6, pages, "two of the first run, and the three pages of bookings and the one of customers of the next")
			b.secondRun(t)
		})
	}
}

func TestReplan_PageReadTheOlderSettings_WritesNothingOnceTheyHaveChanged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.book(t, b.newService(t, nil), inDays(10))
	b.set(t, reminders(60))
	// Services are read after the settings.
	stuck := b.begin(t, "LOCK TABLE services IN ACCESS EXCLUSIVE MODE")
	var worker sync.WaitGroup
	worker.Go(func() { b.runOnly(t, event.KindReplan) })
	b.waiting(t, 1)
	b.set(t, reminders(30))
	require.NoError(t, stuck.Rollback(t.Context()))
	worker.Wait()
	require.Equal(t, map[string]int{"30m pending": 1}, b.counts(t, event.KindBookingReminder))
}

func TestReplan_BookingIsCancelledAfterItWasRead_PlansNothingForIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newService(t, nil)
	kept, cancelled := b.book(t, service, inDays(10)), b.book(t, service, inDays(11))
	b.set(t, reminders(60))
	var stuck pgx.Tx
	var worker sync.WaitGroup
	worker.Go(func() {
		b.replanWith(t, func(_ event.Event, own func() (event.Result, error)) (event.Result, error) {
			if stuck == nil { // the page waits for the booking that it locks first
				stuck = b.begin(t, "SELECT FROM bookings WHERE booking_id = $1 FOR UPDATE", kept.ID)
			}
			return own()
		})
	})
	b.waiting(t, 1)
	b.change(t, cancelled.ID, booking.Cancel)
	require.NoError(t, stuck.Rollback(t.Context()))
	worker.Wait()
	require.Equal(t, kept.ID, b.only(t, event.KindBookingReminder).SubjectID)
}

func TestReplan_CustomerIsErasedAfterTheBookingWasRead_PlansNothingForIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newService(t, nil)
	kept, erased := b.book(t, service, inDays(10)), b.book(t, service, inDays(11))
	b.set(t, reminders(60))
	stuck := b.begin(t, "SELECT FROM bookings WHERE booking_id = $1 FOR UPDATE", kept.ID)
	var worker sync.WaitGroup
	worker.Go(func() { b.runOnly(t, event.KindReplan) })
	b.waiting(t, 1) // the page has read both bookings, and waits for the one that it locks first
	_, err := b.customers.Erase(t.Context(), b.tenant, request(t), erased.Customer.ID, "")
	require.NoError(t, err)
	got, err := b.bookings.Get(t.Context(), b.tenant, erased.ID)
	require.NoError(t, err)
	require.EqualValues(t, 1, got.Version, "the booking had nothing to erase")
	require.NoError(t, stuck.Rollback(t.Context()))
	worker.Wait()
	require.Equal(t, kept.ID, b.only(t, event.KindBookingReminder).SubjectID)
}

func TestReplan_BookingIsCancelledWhileItsPageIsWritten_LeavesNothingPlanned(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, reminders(60))
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.set(t, reminders(30))
	stuck := b.begin(t, "SELECT FROM scheduled_events WHERE kind = $1 FOR UPDATE", event.KindBookingReminder)
	var others sync.WaitGroup
	others.Go(func() { b.runOnly(t, event.KindReplan) })
	b.waiting(t, 1) // the page, which ends a reminder
	others.Go(func() { b.change(t, made.ID, booking.Cancel) })
	b.waiting(t, 2)
	require.NoError(t, stuck.Rollback(t.Context()))
	others.Wait()
	require.Equal(t, map[string]int{"60m cancelled": 1, "30m cancelled": 1}, b.counts(t, event.KindBookingReminder))
}

func TestReplan_BookingIsMadeMeanwhile_HasWhatTheSettingsAskFor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newService(t, nil)
	b.copies(t, b.book(t, service, inDays(10)).ID, 249)
	b.set(t, reminders(60))
	b.run(t)
	b.set(t, reminders(60, 30))
	pages := 0
	b.replanWith(t, func(_ event.Event, own func() (event.Result, error)) (event.Result, error) {
		if pages++; pages == 2 {
			b.book(t, service, inDays(9))  // which the run has passed
			b.book(t, service, inDays(11)) // which it comes to
		}
		return own()
	})
	b.secondRun(t)
	require.Equal(t, map[string]int{"60m pending": 252, "30m pending": 252}, b.counts(t, event.KindBookingReminder))
}

func TestReplan_BookingByTheOlderSettingsCommitsAfterTheFirstRun_IsPlannedAnewByTheSecond(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newService(t, nil)
	b.set(t, reminders(60))
	b.run(t)
	b.secondRun(t)
	r, starts := request(t), inDays(10)
	// While another transaction has the date's lock, the booking waits for it in a transaction that may wait long. One that only tries the
	// lock would give up after 100 ms, before this test has changed the settings.
	date, err := lock.Calendar(b.tenant.ID, lock.Date(civil.DateOf(starts.In(b.tenant.Location))))
	require.NoError(t, err)
	holder := b.begin(t, "SELECT pg_advisory_xact_lock($1)", date.Keys()[0].ID())
	// The booking has read the settings when it comes to store its response.
	stuck := b.begin(t, `
		INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, body, created_at, expires_at)
		VALUES ($1, $2, decode(repeat('00', 32), 'hex'), 201, '', '', '', now(), now() + interval '1 day')`, b.tenant.ID, r.Key())
	var customer sync.WaitGroup
	customer.Go(func() { b.bookWith(t, r, service, starts) })
	b.waiting(t, 1)
	require.NoError(t, holder.Rollback(t.Context()))
	b.eventually(t, 1, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'transactionid' AND datname = current_database()")
	b.set(t, reminders(30))
	b.run(t)
	require.Empty(t, b.events(t, event.KindBookingReminder))
	require.NoError(t, stuck.Rollback(t.Context()))
	customer.Wait()
	require.Equal(t, map[string]int{"60m pending": 1}, b.counts(t, event.KindBookingReminder), "the booking was made by the older settings")
	b.secondRun(t)
	require.Equal(t, map[string]int{"60m cancelled": 1, "30m pending": 1}, b.counts(t, event.KindBookingReminder))
}

func TestReplan_CustomerByTheOlderSettingsCommitsAfterTheFirstRun_IsPlannedByTheSecond(t *testing.T) {
	t.Parallel()
	for asked, status := range map[bool]string{true: "pending", false: "cancelled"} {
		t.Run(fmt.Sprintf("greetings %t", asked), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, fmt.Sprintf(`{"greetings": {"birthday": %t, "anniversary": true}}`, !asked))
			b.run(t)
			b.secondRun(t)
			made := b.book(t, b.newService(t, nil), inDays(10))
			commit := b.begin(t, "SELECT FROM customers WHERE customer_id = $1 FOR UPDATE", made.Customer.ID)
			var change sync.WaitGroup
			change.Go(func() { b.changeBirthday(t, made.Customer.ID, born(0).String()) })
			b.waiting(t, 1) // it has read the settings and waits for the customer
			b.set(t, fmt.Sprintf(`{"greetings": {"birthday": %t}}`, asked))
			b.run(t)
			require.NoError(t, commit.Commit(t.Context()))
			change.Wait()
			b.secondRun(t)
			require.Equal(t, status, b.only(t, event.KindBirthday).Status)
		})
	}
}

func TestReplan_TenantWithManyBookings_TakesTurnsWithOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.copies(t, b.book(t, b.newService(t, nil), inDays(10)).ID, 599)
	other := b.newTenant(t)
	b.set(t, reminders(60))
	var order []uuid.UUID
	b.replanWith(t, func(e event.Event, own func() (event.Result, error)) (event.Result, error) {
		if order = append(order, e.TenantID); len(order) == 1 {
			b.exec(t, `INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
					version, data, created_at, updated_at)
				VALUES ($1, gen_random_uuid(), 'tenant.replan', 'tenant', $1, '', 'pending', now(), 'UTC', 0, 1, '{}', now(), now())`, other.ID)
		}
		return own()
	})
	require.Len(t, order, 7, "five pages of one tenant and two of the other")
	require.Less(t, slices.Index(order, other.ID), 3)
	require.Equal(t, map[string]int{"60m pending": 600}, b.counts(t, event.KindBookingReminder))
}

func TestReplan_BookingOfSeveralDaysThatGoesOn_GetsItsFollowUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.book(t, b.newService(t, nil), inDays(10))
	ends := fromNow(1)
	b.exec(t, "UPDATE bookings SET starts_at = $1, ends_at = $2, busy_from = $1, busy_until = $2, date = $3 WHERE booking_id = $4",
		ends.AddDate(0, 0, -7), ends, ends.AddDate(0, 0, -7).Format(time.DateOnly), made.ID)
	b.set(t, `{"follow_up_minutes": 60}`)
	b.run(t)
	require.Equal(t, ends.Add(time.Hour).UTC(), b.only(t, event.KindBookingFollowUp).DueAt.UTC())
}
