package message_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/event"
	"holdfast/internal/store"
)

// Two zones that never have the same date: they are 24 hours apart.
const (
	farWest = "Pacific/Honolulu"
	farEast = "Pacific/Kiritimati"
)

// moveTo changes a customer's time zone.
func (b *testBundle) moveTo(t testing.TB, customerID uuid.UUID, timeZone string) {
	t.Helper()
	_, err := b.customers.Change(t.Context(), b.tenant, customerID, customer.Change{TimeZone: &timeZone}, "")
	require.NoError(t, err)
}

// requireAnniversaries requires that n anniversaries are pending, each at 9:00 of the first return of its booking's date in a time zone.
func (b *testBundle) requireAnniversaries(t testing.TB, n int, timeZone string) {
	t.Helper()
	loc := zone(t, timeZone)
	planned := b.events(t, event.KindAnniversary)
	require.Len(t, planned, n)
	for _, e := range planned {
		made, err := b.bookings.Get(t.Context(), b.tenant, e.SubjectID)
		require.NoError(t, err)
		on, due := event.NextAnnual(made.Date, event.LocalTime{Hour: 9}, loc, made.EndsAt)
		require.Equal(t, "pending", e.Status)
		require.Equal(t, strconv.Itoa(on.Year), e.Occurrence)
		require.Equal(t, due.UTC(), e.DueAt.UTC())
	}
}

// secondCustomerRun handles the second run of a customer's replan, as if its time had come.
func (b *testBundle) secondCustomerRun(t testing.TB) {
	t.Helper()
	require.Equal(t, "pending", b.only(t, event.KindCustomerReplan).Status)
	b.makeDue(t, event.KindCustomerReplan)
	b.run(t)
	require.Equal(t, "completed", b.only(t, event.KindCustomerReplan).Status)
}

// updatesCustomer has a booking change what is known of its customer.
func updatesCustomer(n *booking.New) { n.UpdateCustomer = true }

func from(email, timeZone string) func(*booking.New) {
	return func(n *booking.New) { n.Customer = &booking.Customer{Name: "Ada", Email: email, TimeZone: &timeZone} }
}

func TestAnniversary_TimeZoneOfItsCustomerChanges_IsGreetedOnItsDateThere(t *testing.T) {
	t.Parallel()
	there := farEast
	ada := booking.Customer{Name: "Ada", Email: "ada@example.com", TimeZone: &there}
	for name, change := range map[string]func(b *testBundle, service uuid.UUID, c booking.CustomerBody){
		"by a change of the customer": func(b *testBundle, _ uuid.UUID, c booking.CustomerBody) { b.moveTo(t, c.ID, farEast) },
		"by a booking": func(b *testBundle, service uuid.UUID, _ booking.CustomerBody) {
			b.book(t, service, inDays(11), from(ada.Email, farEast), updatesCustomer)
		},
		"by a hold": func(b *testBundle, service uuid.UUID, _ booking.CustomerBody) {
			b.book(t, service, inDays(11), held(60), from(ada.Email, farEast), updatesCustomer)
		},
		"by a confirmation": func(b *testBundle, service uuid.UUID, _ booking.CustomerBody) {
			b.confirmFor(t, b.book(t, service, inDays(11), held(60), withoutCustomer).ID, ada)
		},
		"by an update of another booking": func(b *testBundle, service uuid.UUID, _ booking.CustomerBody) {
			b.update(t, b.book(t, service, inDays(11)).ID, booking.Update{CustomerChoice: booking.CustomerChoice{Customer: &ada, UpdateCustomer: true}})
		},
		"by an update of the booking": func(b *testBundle, _ uuid.UUID, _ booking.CustomerBody) {
			b.update(t, b.events(t, event.KindAnniversary)[0].SubjectID, booking.Update{CustomerChoice: booking.CustomerChoice{Customer: &ada, UpdateCustomer: true}})
		},
		"by a merge": func(b *testBundle, service uuid.UUID, c booking.CustomerBody) {
			into := b.book(t, service, inDays(11), from("grace@example.com", farEast)).Customer.ID
			_, err := b.customers.Merge(t.Context(), b.tenant, request(t), c.ID, into, "")
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, `{"greetings": {"anniversary": true}}`)
			service := b.newService(t, nil)
			earlier := b.book(t, service, inDays(10), from(ada.Email, farWest))
			b.requireAnniversaries(t, 1, farWest)
			change(b, service, *earlier.Customer)
			b.run(t)
			planned := b.events(t, event.KindAnniversary)
			b.requireAnniversaries(t, len(planned), farEast)
			b.runAt(t, event.KindAnniversary, planned[0].DueAt)
			require.Equal(t, 1, b.told(t, earlier.ID, "booking.anniversary"))
			b.secondCustomerRun(t)
		})
	}
}

func TestCustomerReplan_ManyBookings_MovesAllAnniversaries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"anniversary": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), from("ada@example.com", farWest))
	b.copies(t, made.ID, 449)
	b.run(t)
	b.secondRun(t)
	b.requireAnniversaries(t, 450, farWest)
	b.moveTo(t, made.Customer.ID, farEast)
	b.run(t)
	b.requireAnniversaries(t, 450, farEast)
	versions := b.versions(t)
	b.secondCustomerRun(t)
	require.Equal(t, versions, b.versions(t), "the second run finds nothing to move")
}

// versions adds up the versions of the anniversaries.
func (b *testBundle) versions(t testing.TB) (sum int) {
	t.Helper()
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT sum(version) FROM scheduled_events WHERE kind = $1", event.KindAnniversary).Scan(&sum))
	return sum
}

func TestCustomerReplan_AnniversaryPlannedMeanwhileForTheZoneBefore_IsMovedByTheSecondRun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"anniversary": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), from("ada@example.com", farWest))
	before := b.only(t, event.KindAnniversary)
	b.moveTo(t, made.Customer.ID, farEast)
	b.run(t)
	b.exec(t, "UPDATE scheduled_events SET due_at = $1, time_zone = $2 WHERE event_id = $3", before.DueAt, farWest, before.EventID)
	b.secondCustomerRun(t)
	b.requireAnniversaries(t, 1, farEast)
}

func TestCustomerReplan_AnniversaryWaitsForAnotherTimeInTheSameZone_IsMoved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"anniversary": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), from("ada@example.com", farEast))
	b.moveTo(t, made.Customer.ID, farWest)
	b.runAt(t, event.KindAnniversary, b.only(t, event.KindAnniversary).DueAt) // before the replan: it waits for 9:00 in the west
	b.moveTo(t, made.Customer.ID, farEast)
	b.run(t)
	b.requireAnniversaries(t, 1, farEast)
}

func TestCustomerReplan_AnniversariesThatHaveEnded_StayEnded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"anniversary": true}}`)
	service := b.newService(t, nil)
	for day := range 5 {
		b.book(t, service, inDays(10+day), from("ada@example.com", farWest))
	}
	want := []string{"pending", "completed", "dead", "cancelled", "pending"}
	all := b.events(t, event.KindAnniversary)
	for i, e := range all {
		b.exec(t, "UPDATE scheduled_events SET status = $1 WHERE event_id = $2", want[i], e.EventID)
	}
	// A cancellation on request that has not committed when the page has read what is planned.
	cancellation := b.begin(t, "UPDATE scheduled_events SET status = 'cancelled', version = version + 1 WHERE event_id = $1", all[4].EventID)
	made, err := b.bookings.Get(t.Context(), b.tenant, all[0].SubjectID)
	require.NoError(t, err)
	b.moveTo(t, made.Customer.ID, farEast)
	var worker sync.WaitGroup
	worker.Go(func() { b.runOnly(t, event.KindCustomerReplan) })
	b.waiting(t, 1)
	require.NoError(t, cancellation.Commit(t.Context()))
	worker.Wait()
	for i, e := range all {
		var status string
		var due time.Time
		require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT status, due_at FROM scheduled_events WHERE event_id = $1", e.EventID).Scan(&status, &due))
		require.Equal(t, i == 0, status == "pending", status)
		require.Equal(t, i == 0, !due.Equal(e.DueAt), "only what is still to be sent moves")
	}
}

func TestCustomerReplan_TimeZoneChangesWhileAPageIsWritten_TheLastOneHolds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"anniversary": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), from("ada@example.com", farWest))
	b.moveTo(t, made.Customer.ID, farEast)
	stuck := b.begin(t, "SELECT FROM bookings WHERE booking_id = $1 FOR UPDATE", made.ID)
	var worker sync.WaitGroup
	worker.Go(func() { b.runOnly(t, event.KindCustomerReplan) })
	b.waiting(t, 1) // the page has read the time zone
	b.moveTo(t, made.Customer.ID, "Asia/Tokyo")
	require.NoError(t, stuck.Rollback(t.Context()))
	worker.Wait()
	b.run(t)
	b.requireAnniversaries(t, 1, "Asia/Tokyo")
}

func TestCustomerReplan_BookingGetsAnotherCustomerMeanwhile_KeepsTheTimeOfThatOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"anniversary": true}}`)
	service := b.newService(t, nil)
	first := b.book(t, service, inDays(10), from("ada@example.com", farWest))
	second := b.book(t, service, inDays(11), from("ada@example.com", farWest))
	b.moveTo(t, first.Customer.ID, farEast)
	stuck := b.begin(t, "SELECT FROM bookings WHERE booking_id = $1 FOR UPDATE", first.ID)
	var worker sync.WaitGroup
	worker.Go(func() { b.runOnly(t, event.KindCustomerReplan) })
	b.waiting(t, 1) // the page has read both bookings, and waits for the first one
	tokyo := "Asia/Tokyo"
	grace := booking.Customer{Name: "Grace", Email: "grace@example.com", TimeZone: &tokyo}
	b.update(t, second.ID, booking.Update{CustomerChoice: booking.CustomerChoice{Customer: &grace}})
	require.NoError(t, stuck.Rollback(t.Context()))
	worker.Wait()
	due := map[uuid.UUID]string{}
	for _, e := range b.events(t, event.KindAnniversary) {
		due[e.SubjectID] = e.DueAt.In(time.UTC).Format(time.DateTime)
	}
	want := map[uuid.UUID]string{}
	for id, timeZone := range map[uuid.UUID]string{first.ID: farEast, second.ID: tokyo} {
		got, err := b.bookings.Get(t.Context(), b.tenant, id)
		require.NoError(t, err)
		_, at := event.NextAnnual(got.Date, event.LocalTime{Hour: 9}, zone(t, timeZone), got.EndsAt)
		want[id] = at.UTC().Format(time.DateTime)
	}
	require.Equal(t, want, due)
}

func TestBirthday_ChangedWhileItsGreetingCompletes_NextYearsIsOnTheNewDate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	b.run(t)
	b.secondRun(t) // of what the settings ask for, which would plan the birthday too
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(2), "ada@example.com", ""))
	first := b.only(t, event.KindBirthday)
	completion := b.begin(t, "UPDATE scheduled_events SET status = 'completed', version = version + 1 WHERE event_id = $1", first.EventID)
	var change sync.WaitGroup
	change.Go(func() { b.changeBirthday(t, made.Customer.ID, born(0).String()) })
	b.waiting(t, 1) // it has seen that this year's greeting hasn't ended, and would move it
	_, err := completion.Exec(t.Context(), `
		INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts, version,
			data, created_at, updated_at)
		SELECT tenant_id, gen_random_uuid(), kind, subject_type, subject_id, (occurrence::int + 1)::text, 'pending', $2, time_zone,
			0, 1, data, created_at, updated_at
		FROM scheduled_events WHERE event_id = $1`, first.EventID, first.DueAt.In(b.tenant.Location).AddDate(1, 0, 0))
	require.NoError(t, err)
	require.NoError(t, completion.Commit(t.Context()))
	change.Wait()
	b.run(t)
	events := b.events(t, event.KindBirthday)
	require.Equal(t, []string{"completed", "pending"}, statuses(events))
	_, due := event.NextAnnual(born(0), event.LocalTime{Hour: 9}, b.tenant.Location, first.DueAt)
	require.Equal(t, due.UTC(), events[1].DueAt.UTC())
}

func TestCustomerReplan_CustomerIsErased_Ends(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.book(t, b.newService(t, nil), inDays(10), from("ada@example.com", farWest))
	b.moveTo(t, made.Customer.ID, farEast)
	_, err := b.customers.Erase(t.Context(), b.tenant, request(t), made.Customer.ID, "")
	require.NoError(t, err)
	require.Equal(t, "cancelled", b.only(t, event.KindCustomerReplan).Status)
	b.makeDue(t, event.KindCustomerReplan)
	b.replay(t, b.only(t, event.KindCustomerReplan).EventID)
	b.run(t)
	require.Equal(t, "The customer was erased.", b.only(t, event.KindCustomerReplan).Reason)
}

func TestBook_CustomerIsNewOrTheSame_PlansNoCustomerReplan(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true, "anniversary": true}}`)
	service := b.newService(t, nil)
	for day := range 2 {
		made := b.book(t, service, inDays(10+day), bornOn(born(0), "ada@example.com", farWest))
		b.moveTo(t, made.Customer.ID, farWest)
	}
	require.Empty(t, b.events(t, event.KindCustomerReplan))
}

func TestCustomerReplan_MovesAnAnniversary_IsNoticedAsPlanned(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"anniversary": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), from("ada@example.com", farWest))
	b.moveTo(t, made.Customer.ID, farEast)
	claimed := b.claim(t, event.KindCustomerReplan)
	var noticed []string
	b.store.ObservePlanned(func(_ uuid.UUID, events []store.NewEvent) {
		for _, e := range events {
			noticed = append(noticed, e.Kind)
		}
	})
	_, err := b.bookings.ReplanCustomer().Handle(t.Context(), claimed)
	require.NoError(t, err)
	require.Equal(t, []string{event.KindAnniversary}, noticed)
}

// claim claims the due event of a kind.
func (b *testBundle) claim(t testing.TB, kind string) event.Event {
	t.Helper()
	var claimed event.Event
	event.NewWorker(b.store, event.Config{}, event.Kind{Name: kind, Handle: func(_ context.Context, e event.Event) (event.Result, error) {
		claimed = e
		return event.Recorded(), nil
	}}).RunUntilIdle(t.Context())
	return claimed
}
