package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// erased erases a customer.
func (c client) erased(t testingT, customer uuid.UUID) {
	t.Helper()
	a := c.post(t, customerPath(customer)+"/erase", nil)
	require.Equal(t, http.StatusOK, a.status, a.body)
}

// messagesPlanned lists the kinds of what people are still to receive about a booking.
func (c client) messagesPlanned(t testingT, booking uuid.UUID) (kinds []string) {
	t.Helper()
	require.NoError(t, c.sql.QueryRow(t.Context(), `SELECT coalesce(array_agg(kind), '{}') FROM scheduled_events
		WHERE subject_id = $1 AND status IN ('pending', 'processing', 'failed', 'dead')
			AND kind IN ('message.email', 'booking.reminder', 'payment.balance_due', 'booking.follow_up', 'booking.anniversary')`, booking).Scan(&kinds))
	return kinds
}

func TestErase_BookingsThatChangeAfterwards_PlanNoMessageToTheErasedCustomer(t *testing.T) {
	t.Parallel()
	c := setup(t)
	require.Equal(t, http.StatusOK, c.patch(t, "/v1/tenant", object{
		"reminders": []object{{"before_minutes": 120}}, "balance_due": object{"days_before": 3, "at": "09:00"}, "follow_up_minutes": 60,
		"greetings": object{"anniversary": true}, "email": object{"from": object{"name": "Harbour", "email": "booking@harbour.example"}},
	}).status)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000, "confirm_on_deposit": true}, c.newResource(t, 9))
	all := []string{"booking.anniversary", "payment.balance_due", "booking.follow_up", "booking.reminder", "message.email"}
	ada, grace := object{"name": "Ada", "email": "ada@example.com"}, object{"name": "Grace", "email": "grace@example.com"}
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
		c.post(t, "/v1/bookings/"+moved.String()+"/reschedule", object{"date": today(t).AddDays(20).String()}),
		c.post(t, "/v1/bookings/"+held.String()+"/confirm", nil),
		c.post(t, "/v1/bookings/"+extended.String()+"/extend", object{"hold_minutes": 120}),
	} {
		require.Equal(t, http.StatusOK, a.status, a.body)
	}
	require.Equal(t, http.StatusCreated, c.payWith(t, paid, "pm_ok", 1000).status)
	for name, id := range map[string]uuid.UUID{"cancelled": cancelled, "moved": moved, "confirmed": held, "paid": paid, "extended": extended} {
		require.Empty(t, c.messagesPlanned(t, id), name)
	}
	require.ElementsMatch(t, all, c.messagesPlanned(t, kept))
}
