package message_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/event"
	"holdfast/internal/mergepatch"
	"holdfast/internal/testtime"
)

// outboxEvent is what the tests need of an event in the outbox.
type outboxEvent struct {
	Type     string
	Sequence int64
	Name     string // of the customer
	Paid     int64
}

// feed lists the events of a subject in the order of the feed.
func (b *testBundle) feed(t testing.TB, subject uuid.UUID) (list []outboxEvent) {
	t.Helper()
	rows, err := b.sql.Query(t.Context(),
		"SELECT type, version, data FROM changes WHERE subject_id = $1 ORDER BY transaction_id, change_id", subject)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var e outboxEvent
		var data []byte
		require.NoError(t, rows.Scan(&e.Type, &e.Sequence, &data))
		var body struct {
			Name     string
			Paid     int64
			Customer struct{ Name string }
		}
		require.NoError(t, json.Unmarshal(data, &body))
		e.Name, e.Paid = body.Customer.Name+body.Name, body.Paid
		list = append(list, e)
	}
	require.NoError(t, rows.Err())
	return list
}

// lastEvent returns the last event of a subject.
func (b *testBundle) lastEvent(t testing.TB, subject uuid.UUID) outboxEvent {
	t.Helper()
	all := b.feed(t, subject)
	require.NotEmpty(t, all)
	return all[len(all)-1]
}

func (b *testBundle) rename(t testing.TB, customerID uuid.UUID, name string) {
	t.Helper()
	_, err := b.customers.Change(t.Context(), b.tenant, customerID,
		mergepatch.Of[customer.CustomerSpecBody](`{"name": "`+name+`"}`), "")
	require.NoError(t, err)
}

func (b *testBundle) give(t testing.TB, id uuid.UUID, name string) {
	t.Helper()
	b.update(t, id, booking.AmendRequest{CustomerChoice: booking.CustomerChoice{Customer: &customer.Customer{Name: name,
		Email: name +
			"@example.com"}}})
}

// pay writes what a payment leaves.
func (b *testBundle) pay(t testing.TB, id uuid.UUID, amount int64) {
	t.Helper()
	b.exec(t, `INSERT INTO payments (tenant_id, payment_id, booking_id, kind, status, amount, currency, method, provider, fence,
		leased_until,
			first_sent_at, last_sent_at, created_at, updated_at)
		VALUES ($1, gen_random_uuid(), $2, 'amount', 'succeeded', $3, 'EUR', 'pm_ok', 'sandbox', 1, now(), now(), now(), now(), now())`,
		b.tenant.ID, id, amount)
}

const allMessages = `{"reminders": [{"before_minutes": 120}], "balance_due": {"before_minutes": 60}, "follow_up_minutes": 60,
	"greetings": {"birthday": true, "anniversary": true}, ` + sender + `}`

func TestNotice_SubjectChangesAfterItWasRead_TellsOfItAsItIs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind   string
		change func(testing.TB, *testBundle, booking.BookingBody)
		// want is the notice; without one, reason is why there is none.
		want   outboxEvent
		reason string
	}{
		"another customer": {
			kind: event.KindBookingReminder, want: outboxEvent{"booking.reminder", 2, "Grace", 0},
			change: func(t testing.TB, b *testBundle,
				made booking.BookingBody) {
				t.Helper()
				b.give(t, made.ID, "Grace")
			},
		},
		"another name, which the booking doesn't take over": {
			kind: event.KindBookingReminder, want: outboxEvent{"booking.reminder", 1, "Ada", 0},
			change: func(t testing.TB, b *testBundle, made booking.BookingBody) {
				t.Helper()
				b.rename(t, made.Customer.ID, "Ada King")
			},
		},
		"a part is paid": {
			kind: event.KindBalanceDue, want: outboxEvent{"payment.balance_due", 2, "Ada", 1000},
			change: func(t testing.TB, b *testBundle, made booking.BookingBody) { t.Helper(); b.pay(t, made.ID, 1000) },
		},
		"all is paid": {
			kind: event.KindBalanceDue, reason: "Nothing is due.",
			change: func(t testing.TB, b *testBundle, made booking.BookingBody) { t.Helper(); b.pay(t, made.ID, 4500) },
		},
		"follow-up, unsubscribed": {kind: event.KindBookingFollowUp, reason: "The customer has unsubscribed.",
			change: unsubscribe},
		"anniversary, unsubscribed": {kind: event.KindAnniversary, reason: "The customer has unsubscribed.",
			change: unsubscribe},
		"birthday, another name": {
			kind: event.KindBirthday, want: outboxEvent{"customer.birthday", 2, "Ada King", 0},
			change: func(t testing.TB, b *testBundle, made booking.BookingBody) {
				t.Helper()
				b.rename(t, made.Customer.ID, "Ada King")
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, allMessages)
			made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "ada@example.com", ""))
			if c.kind == event.KindAnniversary {
				b.planUntil(t, made.StartsAt.AddDate(1, 0, 1))
			}
			subject, at := made.ID, made.StartsAt.Add(-time.Hour)
			switch c.kind {
			case event.KindBookingFollowUp:
				at = made.EndsAt.Add(time.Hour)
			case event.KindBirthday:
				subject = made.Customer.ID
				at = b.events(t, c.kind)[0].DueAt
			case event.KindAnniversary:
				at = b.only(t, c.kind).DueAt
			}
			b.onceAfterRead = func() { c.change(t, b, made) }
			began := testtime.Now()
			b.runAt(t, c.kind, at)
			require.Nil(t, b.onceAfterRead, "the change has come")
			require.Zero(t, b.told(t, subject, c.kind), "nothing is told of what has changed")
			e := b.events(t, c.kind)[0]
			require.Equal(t, "pending", e.Status)
			require.Empty(t, e.Reason)
			require.WithinRange(t, e.DueAt, began.Add(time.Second), testtime.Now().Add(time.Second))

			b.runAt(t, c.kind, at)
			e = b.events(t, c.kind)[0]
			if c.reason != "" {
				require.Equal(t, "cancelled", e.Status)
				require.Equal(t, c.reason, e.Reason)
				require.Zero(t, b.told(t, subject, c.kind))
				return
			}
			require.Equal(t, "completed", e.Status)
			require.Equal(t, 1, b.told(t, subject, c.kind))
			require.Equal(t, c.want, b.lastEvent(t, subject))
		})
	}
}

// TestMessageData_CustomerChangesWhileItIsRead_ShowsOneMoment keeps the second of its statements waiting, which reads
// the service too.
func TestMessageData_CustomerChangesWhileItIsRead_ShowsOneMoment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.book(t, b.newService(t, nil), inDays(10))
	// It prepares the statements, which needs the service's lock too.
	_, _, err := b.messages.CustomerOfBooking(t.Context(), b.tenant.ID, made.ID)
	require.NoError(t, err)
	holder := b.begin(t, "LOCK TABLE services IN ACCESS EXCLUSIVE MODE")
	var reading sync.WaitGroup
	reading.Go(func() {
		birthday, version, err := b.messages.CustomerOfBooking(t.Context(), b.tenant.ID, made.ID)
		// A connection that hasn't prepared the statements waits before it reads anything: then both are of after the
		// change.
		before := birthday == nil && version == 1
		after := birthday != nil && version == 2
		if err != nil || !before && !after {
			t.Errorf("the customer born %v at version %d, %v", birthday, version, err)
		}
	})
	b.waiting(t, 1)
	b.changeBirthday(t, made.Customer.ID, "1990-05-05")
	require.NoError(t, holder.Rollback(t.Context()))
	reading.Wait()
}

// TestNotice_SubjectChangesWhileItIsRecorded_TheChangeComesAfterIt holds the event's row: the worker has locked the
// subject, and waits to record the result.
func TestNotice_SubjectChangesWhileItIsRecorded_TheChangeComesAfterIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind   string
		change func(testing.TB, *testBundle, booking.BookingBody)
		want   []outboxEvent
	}{
		"booking": {
			kind: event.KindBookingReminder,
			change: func(t testing.TB, b *testBundle,
				made booking.BookingBody) {
				t.Helper()
				b.give(t, made.ID, "Grace")
			},
			want: []outboxEvent{{"booking.created", 1, "Ada", 0}, {"booking.reminder", 1, "Ada", 0},
				{"booking.updated", 2, "Grace", 0}},
		},
		"customer": {
			kind: event.KindBirthday,
			change: func(t testing.TB, b *testBundle, made booking.BookingBody) {
				t.Helper()
				b.rename(t, made.Customer.ID, "Ada King")
			},
			want: []outboxEvent{{"customer.created", 1, "Ada", 0}, {"customer.birthday", 1, "Ada", 0},
				{"customer.updated", 2, "Ada King", 0}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, allMessages)
			made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "ada@example.com", ""))
			b.run(t)
			e := b.only(t, c.kind)
			holding := make(chan func(), 1)
			b.onceAfterRead = func() {
				holder := b.begin(t, "SELECT FROM scheduled_events WHERE event_id = $1 FOR UPDATE", e.EventID)
				holding <- func() { require.NoError(t, holder.Rollback(context.WithoutCancel(t.Context()))) }
			}
			var both sync.WaitGroup
			both.Go(func() { b.runAt(t, c.kind, e.DueAt) })
			release := <-holding
			b.waiting(t, 1)
			both.Go(func() { c.change(t, b, made) })
			b.waiting(t, 2)
			release()
			both.Wait()
			require.Equal(t, c.want, b.feed(t, e.SubjectID))
		})
	}
}

// TestNotice_SubjectIsBeingChanged_OthersAreToldAtOnce has notices of two tenants in one batch.
func TestNotice_SubjectIsBeingChanged_OthersAreToldAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, allMessages)
	service := b.newService(t, nil)
	changing, another := b.book(t, service, inDays(10)), b.book(t, service, inDays(11))
	b.tenant = b.newTenant(t)
	b.set(t, allMessages)
	other := b.book(t, b.newService(t, nil), inDays(10))
	b.run(t)
	change := b.begin(t, "UPDATE bookings SET version = version + 1 WHERE booking_id = $1", changing.ID)
	_, err := change.Exec(t.Context(), "UPDATE customers SET version = version + 1 WHERE customer_id = $1",
		another.Customer.ID)
	require.NoError(t, err)
	b.plansNothing = true // the feed waits for the transaction
	b.makeDue(t, event.KindBookingReminder)
	b.run(t)
	require.Equal(t, 1, b.told(t, other.ID, "booking.reminder"))
	for _, e := range b.events(t, event.KindBookingReminder) {
		require.Equal(t, map[uuid.UUID]string{changing.ID: "pending", another.ID: "pending",
			other.ID: "completed"}[e.SubjectID], e.Status)
	}
	require.NoError(t, change.Commit(t.Context()))
	b.plansNothing = false
	b.makeDue(t, event.KindBookingReminder)
	b.run(t)
	require.Equal(t, outboxEvent{"booking.reminder", 2, "Ada", 0}, b.lastEvent(t, changing.ID))
	require.Equal(t, outboxEvent{"booking.reminder", 1, "Ada", 0}, b.lastEvent(t, another.ID))
	require.Equal(t, 1, b.told(t, other.ID, "booking.reminder"))
}

// TestNotice_EventsRowIsLocked_ItsBookingCanBeChanged: whoever holds an event's row must not hold up the bookings of a
// whole batch.
func TestNotice_EventsRowIsLocked_ItsBookingCanBeChanged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, allMessages)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.run(t)
	e := b.only(t, event.KindBookingReminder)
	var holder pgx.Tx
	holding := make(chan struct{})
	b.onceAfterRead = func() {
		holder = b.begin(t, "SELECT FROM scheduled_events WHERE event_id = $1 FOR UPDATE", e.EventID)
		close(holding)
	}
	var worker sync.WaitGroup
	worker.Go(func() { b.runAt(t, event.KindBookingReminder, e.DueAt) })
	<-holding
	b.waiting(t, 1)
	changed := make(chan struct{})
	go func() {
		defer close(changed)
		b.give(t, made.ID, "Grace")
	}()
	select {
	case <-changed:
	case <-time.After(30 * time.Second): // half of the lock timeout
		t.Error("the booking can't be changed")
	}
	require.NoError(t, holder.Rollback(t.Context()))
	worker.Wait()
	<-changed
	b.makeDue(t, event.KindBookingReminder)
	b.run(t)
	require.Equal(t, outboxEvent{"booking.reminder", 2, "Grace", 0}, b.lastEvent(t, made.ID))
}

// TestNotice_CustomersLastEventHasAPlaceAhead_ComesAfterIt: a customer's events may have places ahead of the
// transactions' ids.
func TestNotice_CustomersLastEventHasAPlaceAhead_ComesAfterIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, allMessages)
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "ada@example.com", ""))
	b.exec(t, "UPDATE customers SET event_transaction_id = event_transaction_id + 1000")
	b.exec(t, "UPDATE changes SET transaction_id = transaction_id + 1000 WHERE subject_type = 'customer'")
	b.runAt(t, event.KindBirthday, b.only(t, event.KindBirthday).DueAt)
	b.rename(t, made.Customer.ID, "Ada King")
	require.Equal(t, []outboxEvent{{"customer.created", 1, "Ada", 0}, {"customer.birthday", 1, "Ada", 0},
		{"customer.updated", 2, "Ada King", 0}}, b.feed(t, made.Customer.ID))
}
