package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/email"
	"holdfast/internal/event"
)

// erased erases a customer.
func (c client) erased(t testingT, customer uuid.UUID) {
	t.Helper()
	a := c.post(t, customerPath(customer)+"/erase", nil)
	require.Equal(t, http.StatusOK, a.status, a.body)
}

// messagesPlanned lists the kinds of what people are still to receive about a booking, planned or upcoming.
func (c client) messagesPlanned(t testingT, booking uuid.UUID) (kinds []string) {
	t.Helper()
	c.planMessages(t)
	require.NoError(t, c.sql.QueryRow(t.Context(), `SELECT coalesce(array_agg(kind), '{}') FROM scheduled_events
		WHERE subject_id = $1 AND status IN ('pending', 'processing', 'failed', 'dead')
			AND kind IN ('message.email', 'booking.reminder', 'payment.balance_due', 'booking.follow_up', 'booking.anniversary')`,
		booking).Scan(&kinds))
	for _, u := range c.upcoming(t, "subject="+booking.String()) {
		kinds = append(kinds, u.Kind)
	}
	return kinds
}

func TestErase_BookingsThatChangeAfterwards_PlanNoMessageToTheErasedCustomer(t *testing.T) {
	t.Parallel()
	c := setup(t)
	require.Equal(t, http.StatusOK, c.patch(t, "/v1/tenant", object{
		"reminders": []object{{"before_minutes": 120}}, "balance_due": object{"days_before": 3, "at": "09:00"},
		"follow_up_minutes": 60,
		"greetings":         object{"anniversary": true},
		"email":             object{"from": object{"name": "Harbour", "email": "booking@harbour.example"}},
	}).status)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000, "confirm_on_deposit": true},
		c.newResource(t, 9))
	all := []string{"booking.anniversary", "payment.balance_due", "booking.follow_up", "booking.reminder",
		"message.email"}
	ada, grace := object{"name": "Ada", "email": "ada@example.com"},
		object{"name": "Grace", "email": "grace@example.com"}
	cancelled, customer := c.bookFor(t, service, 10, ada)
	moved, _ := c.bookFor(t, service, 11, ada)
	held, _ := c.bookFor(t, service, 12, ada, object{"hold_minutes": 120})
	paid, _ := c.bookFor(t, service, 13, ada, object{"hold_minutes": 120})
	extended, _ := c.bookFor(t, service, 14, ada, object{"hold_minutes": 30})
	kept, _ := c.bookFor(t, service, 15, grace)
	require.ElementsMatch(t, all, c.messagesPlanned(t, cancelled))
	require.Equal(t, []string{"message.email"}, c.messagesPlanned(t, held))

	c.erased(t, customer)
	for _, a := range []answer{
		c.post(t, "/v1/bookings/"+cancelled.String()+"/cancel", nil),
		c.post(t, "/v1/bookings/"+moved.String()+"/reschedule", object{"date": future(20).String()}),
		c.post(t, "/v1/bookings/"+held.String()+"/confirm", nil),
		c.post(t, "/v1/bookings/"+extended.String()+"/extend", object{"hold_minutes": 120}),
	} {
		require.Equal(t, http.StatusOK, a.status, a.body)
	}
	require.Equal(t, http.StatusCreated, c.payWith(t, paid, "pm_ok", 1000).status)
	require.ElementsMatch(t, all, c.messagesPlanned(t, kept))
	sent := make(sentTo, 100)
	senders := email.Senders{Tenants: "mail@platform.example"}
	event.NewWorker(c.store, event.Config{},
		c.messages.Emails(sent, senders, "https://harbour.example")...).RunUntilIdle(t.Context())
	require.Len(t, sent, 1)
	require.Equal(t, "grace@example.com", <-sent)
	for name, id := range map[string]uuid.UUID{"cancelled": cancelled, "moved": moved, "confirmed": held, "paid": paid,
		"extended": extended} {
		require.Empty(t, c.messagesPlanned(t, id), name)
	}
}

// A change waits for the erasure of its booking's customer, which has locked the booking or waits for it first. The
// erasure wins, and the change sees the erased customer: it neither finds it by email nor writes down who it was.
func TestErase_ChangeThatWaitsForTheErasure_WritesNothingOfThePerson(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000}, c.newResource(t, 9))
	renamed := object{"customer": object{"name": "Ada Later", "email": "ada@example.com"}}
	for name, change := range map[string]struct {
		hold   object
		send   func(path string) <-chan answer
		status int
		anew   bool // the change names a person, who becomes a new customer
	}{
		"cancel": {nil, func(path string) <-chan answer { return c.later(t, http.MethodPost, path+"/cancel", nil) },
			http.StatusOK, false},
		"pay": {nil, func(path string) <-chan answer {
			return c.later(t, http.MethodPost, path+"/payments", object{"kind": "deposit", "payment_method": "pm_ok"})
		}, http.StatusCreated, false},
		"change": {nil, func(path string) <-chan answer { return c.later(t, http.MethodPatch, path, renamed) },
			http.StatusOK, true},
		"confirm": {object{"hold_minutes": 60},
			func(path string) <-chan answer { return c.later(t, http.MethodPost, path+"/confirm", nil) }, http.StatusOK,
			false},
		"confirm anew": {object{"hold_minutes": 60},
			func(path string) <-chan answer { return c.later(t, http.MethodPost, path+"/confirm", renamed) },
			http.StatusOK, true},
	} {
		booking, customer := c.bookFor(t, service, 3, object{"name": "Ada", "email": "ada@example.com"}, change.hold)
		unlock := c.lockBooking(t, booking)
		erased := c.later(t, http.MethodPost, customerPath(customer)+"/erase", nil)
		c.blocked(t, 1)
		changed := change.send("/v1/bookings/" + booking.String())
		c.blocked(t, 2)
		unlock()

		a := <-erased
		require.Equal(t, http.StatusOK, a.status, name+a.body)
		b := <-changed
		require.Equal(t, change.status, b.status, name+b.body)
		require.Equal(t, a.body, c.get(t, customerPath(customer)).body, name)
		require.Equal(t, 1, c.count(t,
			"SELECT count(*) FROM customers WHERE customer_id = $1 AND name = 'Erased' AND version = 2",
			customer), name)
		require.Zero(t, c.count(t,
			"SELECT count(*) FROM changes WHERE data::text LIKE '%' || $1::text || '%' AND data::text LIKE '%ada@%'",
			customer), name)
		require.Zero(t, c.count(t, `SELECT count(*) FROM idempotency_keys
			WHERE encode(body, 'escape') LIKE '%' || $1::text || '%' AND encode(body, 'escape') LIKE '%ada@%'`, customer), name)
		now := c.get(t, "/v1/bookings/"+booking.String()).field(t, "customer").(object)
		require.Equal(t, change.anew, now["id"] != customer.String(), name)
		if change.anew {
			c.erased(t, uuid.MustParse(now["id"].(string))) // the email is free for the next case
		}
	}
}

// lockBooking locks a booking's row, as a change of it does, until unlock is called.
func (c client) lockBooking(t testingT, id uuid.UUID) (unlock func()) {
	t.Helper()
	ahead, err := c.sql.Begin(t.Context())
	require.NoError(t, err)
	_, err = ahead.Exec(t.Context(), "SELECT FROM bookings WHERE booking_id = $1 FOR NO KEY UPDATE", id)
	require.NoError(t, err)
	return func() {
		t.Helper()
		require.NoError(t, ahead.Rollback(t.Context()))
	}
}

// blocked waits until n sessions wait for a row.
func (c client) blocked(t testingT, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		return n == c.count(t, `SELECT count(*) FROM pg_stat_activity
			WHERE wait_event_type = 'Lock' AND wait_event IN ('transactionid', 'tuple') AND datname = current_database()`)
	}, 30*time.Second, 10*time.Millisecond)
}
