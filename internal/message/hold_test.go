package message_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/event"
)

func withoutCustomer(n *booking.CreateRequest) { n.Customer = nil }

func (b *testBundle) confirmFor(t testing.TB, id uuid.UUID, c customer.Customer) booking.BookingBody {
	t.Helper()
	resp, err := b.bookings.Confirm(t.Context(), b.tenant, request(t), id,
		booking.AmendRequest{CustomerChoice: booking.CustomerChoice{Customer: &c, UpdateCustomer: true}}, "")
	require.NoError(t, err)
	return bookingIn(t, resp)
}

func TestMessages_HoldWithoutCustomer_NothingIsPlannedUntilItIsConfirmed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`, "reminders": [{"before_minutes": 60}], "follow_up_minutes": 60,
		"greetings": {"birthday": true, "anniversary": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), held(120), withoutCustomer)
	b.run(t)
	require.Empty(t, b.outbox.subjects())
	require.Equal(t, []string{event.KindHoldExpiry}, b.pendingKinds(t))
	// Somebody has an email sent that nobody planned.
	_, err := b.sql.Exec(t.Context(), `INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence,
		status, due_at, time_zone, attempts, version, data, created_at, updated_at)
		VALUES ($1, $2, $3, 'booking', $4, 'booking.held/1', 'pending', now(), 'UTC', 0, 1, '{}', now(), now())`,
		b.tenant.ID, uuid.New(), event.KindEmail, made.ID)
	require.NoError(t, err)
	b.run(t)
	require.Empty(t, b.outbox.subjects())

	birthday := born(0)
	b.confirmFor(t, made.ID, customer.Customer{Email: "grace@example.com", Name: "Grace", Birthday: &birthday})
	require.ElementsMatch(t, []string{
		event.KindBookingReminder, event.KindBookingFollowUp, event.KindBirthday, event.KindEmail,
	}, b.pendingKinds(t))
	b.run(t)
	require.Equal(t, "grace@example.com", b.outbox.last(t).To.Email)
	require.Equal(t, 1, containing(b.outbox.subjects(), "Your booking is confirmed"))
}

// pendingKinds lists the kinds of what is planned.
func (b *testBundle) pendingKinds(t testing.TB) (kinds []string) {
	t.Helper()
	for _, e := range b.events(t) {
		if e.Status == string(event.Pending) {
			kinds = append(kinds, e.Kind)
		}
	}
	return kinds
}

func TestMessages_HoldConfirmedForAnotherCustomer_ThatOneIsToldOfIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), held(120))
	b.run(t)
	require.Equal(t, made.Customer.Email, b.outbox.last(t).To.Email)
	b.confirmFor(t, made.ID, customer.Customer{Email: "grace@example.com", Name: "Grace"})
	b.run(t)
	require.Len(t, b.outbox.subjects(), 2)
	require.Equal(t, "grace@example.com", b.outbox.last(t).To.Email)
	b.change(t, made.ID, booking.Cancel)
	b.run(t)
	require.Equal(t, "grace@example.com", b.outbox.last(t).To.Email)
}
