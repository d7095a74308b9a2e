package message_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/event"
	"holdfast/internal/timezone"
)

func (b *testBundle) update(t testing.TB, id uuid.UUID, u booking.AmendRequest) booking.BookingBody {
	t.Helper()
	got, err := b.bookings.Amend(t.Context(), b.tenant, id, u, "")
	require.NoError(t, err)
	return got.Body()
}

func TestUpdate_AnotherCustomer_GetsWhatIsStillToBeSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}], "greetings": {"birthday": true, "anniversary": true}, `+sender+
		`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.run(t)
	zone, birthday := "Pacific/Auckland", born(0)
	got := b.update(t, made.ID,
		booking.AmendRequest{CustomerChoice: booking.CustomerChoice{Customer: &customer.Customer{Name: "Grace",
			Email:    "grace@example.com",
			TimeZone: &zone, Birthday: &birthday}}})
	b.run(t)
	confirmation := b.outbox.to("grace@example.com")
	require.Len(t, confirmation, 1)
	confirmed := confirmation[0]
	require.Contains(t, confirmed.Subject, "Your booking is confirmed")
	require.Equal(t, got.Version, confirmed.Invitation.Version)
	b.makeDue(t, event.KindBookingReminder)
	b.run(t)
	require.Equal(t, "grace@example.com", b.outbox.last(t).To.Email)
	require.Contains(t, b.outbox.last(t).Subject, "See you soon")
	require.Len(t, b.outbox.subjects(), 3, "with the confirmation and the withdrawal that the former customer got")

	require.Equal(t, got.Customer.ID, b.only(t, event.KindBirthday).SubjectID)
	auckland, err := timezone.Load(zone)
	require.NoError(t, err)
	b.planUntil(t, made.StartsAt.AddDate(1, 0, 1))
	anniversary := b.only(t, event.KindAnniversary)
	require.Equal(t, "pending", anniversary.Status)
	require.Equal(t, 9, anniversary.DueAt.In(auckland).Hour(), "greetings are due where the customer is")
}

func TestUpdate_AnotherCustomerBeforeTheEmailIsSent_GetsOneConfirmation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.update(t, made.ID, booking.AmendRequest{CustomerChoice: booking.CustomerChoice{
		Customer: &customer.Customer{Name: "Grace", Email: "grace@example.com"},
	}})
	b.run(t)
	require.Len(t, b.outbox.subjects(), 1)
	require.Equal(t, "grace@example.com", b.outbox.last(t).To.Email)
}

func TestUpdate_BookingOfAnErasedCustomer_RemindsTheNewOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}], "follow_up_minutes": 60, "greetings": {"anniversary": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	kinds := []string{event.KindBookingReminder, event.KindBookingFollowUp, event.KindAnniversary}
	b.planUntil(t, made.StartsAt.AddDate(1, 0, 1))
	planned := b.events(t, kinds...)
	_, err := b.persons.Erase(t.Context(), b.tenant, request(t), made.Customer.ID, "")
	require.NoError(t, err)
	require.Equal(t, []string{"cancelled", "cancelled", "cancelled"}, statuses(b.events(t, kinds...)))
	b.update(t, made.ID, booking.AmendRequest{CustomerChoice: booking.CustomerChoice{
		Customer: &customer.Customer{Name: "Grace", Email: "grace@example.com"},
	}})
	require.Equal(t, planned, b.events(t, kinds...))
}

func TestUpdate_SameCustomerOrMetadata_SendsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.run(t)
	b.update(t, made.ID, booking.AmendRequest{Details: details(`{"metadata": {"a": 1}}`)})
	require.EqualValues(t, 3, b.update(t, made.ID,
		booking.AmendRequest{CustomerChoice: booking.CustomerChoice{Customer: &customer.Customer{Name: "Ada Lovelace",
			Email: made.Customer.Email}}}).Version)
	b.run(t)
	require.Len(t, b.outbox.subjects(), 1)
}

func TestUpdate_HoldOfHours_TellsItsNewCustomer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	service := b.newService(t, nil)
	made := b.book(t, service, inDays(10), held(120))
	short := b.book(t, service, inDays(11), held(30))
	b.run(t)
	grace := booking.AmendRequest{CustomerChoice: choice("Grace", "grace@example.com")}
	b.update(t, made.ID, grace)
	b.update(t, short.ID, grace)
	b.run(t)
	require.Len(t, b.outbox.subjects(), 2)
	require.Equal(t, "grace@example.com", b.outbox.last(t).To.Email)
}

func TestExtend_HoldThatBecomesOneOfHours_IsTold(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), held(30))
	extend := func(minutes int) booking.BookingBody {
		resp, err := b.bookings.Extend(t.Context(), b.tenant, request(t), made.ID,
			booking.ExtendRequest{HoldMinutes: minutes}, "")
		require.NoError(t, err)
		return bookingIn(t, resp)
	}
	extend(40)
	b.run(t)
	require.Empty(t, b.outbox.subjects())
	extended := extend(120)
	b.run(t)
	require.Contains(t, b.outbox.last(t).Text, extended.HoldExpiresAt.In(b.tenant.Location).Format("15:04"))
	extend(180)
	b.run(t)
	require.Len(t, b.outbox.subjects(), 1, "it is told once")
}
