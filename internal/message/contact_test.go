package message_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/mergepatch"
)

func choice(name, address string) booking.CustomerChoice {
	return booking.CustomerChoice{Customer: &customer.Customer{Name: name, Email: address}}
}

func bookedBy(name, address string) func(*booking.CreateRequest) {
	return func(n *booking.CreateRequest) { n.Customer = &customer.Customer{Name: name, Email: address} }
}

// to lists the emails that an address got, the oldest first, and forgets them.
func (m *mailbox) to(address string) (found []email.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent = slices.DeleteFunc(m.sent, func(e email.Message) bool {
		if e.To.Email != address {
			return false
		}
		found = append(found, e)
		return true
	})
	return found
}

// requireWithdrawn asserts that an email takes a booking's entry out of a calendar: see
// TestInvitation_Cancelled_SaysSoInItsMediaType.
func requireWithdrawn(t testing.TB, e email.Message, id uuid.UUID, version int64) {
	t.Helper()
	require.Contains(t, e.Subject, "No longer your booking")
	require.NotNil(t, e.Invitation)
	require.True(t, e.Invitation.Cancelled)
	require.Equal(t, id, e.Invitation.BookingID)
	require.Equal(t, version, e.Invitation.Version)
}

func TestContact_HoldWithAnotherName_EmailsNameTheContactOfTheirBooking(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}], `+sender+`}`)
	service := b.newService(t, nil)
	b.book(t, service, inDays(10), bookedBy("Ada Lovelace", "ada@example.com"))
	b.book(t, service, inDays(10), bookedBy("Mickey Mouse", "ada@example.com"), held(120))
	b.run(t)
	b.makeDue(t, event.KindBookingReminder)
	b.run(t)
	named := map[string]string{}
	for _, e := range b.outbox.to("ada@example.com") {
		named[e.Subject[:12]] = e.To.Name
		require.Contains(t, e.Text, "Hello "+e.To.Name+",")
	}
	require.Equal(t, map[string]string{"Your booking": "Ada Lovelace", "We are holdi": "Mickey Mouse",
		"See you soon": "Ada Lovelace"},
		named)
}

func TestContact_OtherAddressOfOneCustomer_GetsTheMailsOfItsBooking(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}], `+sender+`}`)
	service := b.newService(t, nil)
	made := b.book(t, service, inDays(10), bookedBy("Ada", "ada@example.com"))
	b.run(t)
	address := "lovelace@example.com"
	change := mergepatch.Of[customer.CustomerSpecBody](`{"email": "` + address + `"}`)
	_, err := b.customers.Change(t.Context(), b.tenant, made.Customer.ID, change, "")
	require.NoError(t, err)
	b.makeDue(t, event.KindBookingReminder)
	b.run(t)
	require.Len(t, b.outbox.to("ada@example.com"), 2, "the contact was given for this booking")
	require.Empty(t, b.outbox.to("lovelace@example.com"))

	// The booking gets the contact that is known now.
	changed := b.update(t, made.ID,
		booking.AmendRequest{CustomerChoice: booking.CustomerChoice{CustomerID: &made.Customer.ID}})
	require.Equal(t, made.Customer.ID, changed.Customer.ID)
	b.run(t)
	withdrawn := b.outbox.to("ada@example.com")
	require.Len(t, withdrawn, 1)
	requireWithdrawn(t, withdrawn[0], made.ID, changed.Version)
	confirmed := b.outbox.to("lovelace@example.com")
	require.Len(t, confirmed, 1)
	require.False(t, confirmed[0].Invitation.Cancelled)
	require.Equal(t, changed.Version, confirmed[0].Invitation.Version)
}

func TestContact_ReplacedOnABooking_GetsTheWithdrawalOfItsEntry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bookedBy("Ada", "ada@example.com"))
	b.run(t)
	require.Len(t, b.outbox.to("ada@example.com"), 1)

	renamed := b.update(t, made.ID, booking.AmendRequest{CustomerChoice: choice("Ada Lovelace", "ada@example.com")})
	require.Equal(t, made.Version+1, renamed.Version)
	b.run(t)
	require.Empty(t, b.outbox.subjects(), "the address is the same")

	replaced := b.update(t, made.ID, booking.AmendRequest{CustomerChoice: choice("Grace", "grace@example.com")})
	require.NoError(t, b.customers.Unsubscribe(t.Context(), b.tenant.ID, made.Customer.ID), "it isn't about greetings")
	b.run(t)
	withdrawn := b.outbox.to("ada@example.com")
	require.Len(t, withdrawn, 1)
	requireWithdrawn(t, withdrawn[0], made.ID, replaced.Version)
	require.Equal(t, "Ada Lovelace", withdrawn[0].To.Name)
	require.Contains(t, withdrawn[0].Text, "Hello Ada Lovelace,")
	require.NotContains(t, withdrawn[0].Text, "Grace")
	require.NotContains(t, withdrawn[0].Text, "45.00", "the money is somebody else's")
	require.Len(t, b.outbox.to("grace@example.com"), 1)
	b.run(t)
	require.Empty(t, b.outbox.subjects())
}

func TestContact_ReplacedTwice_EachFormerOneGetsAWithdrawal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bookedBy("Ada", "ada@example.com"))
	b.run(t)
	b.update(t, made.ID, booking.AmendRequest{CustomerChoice: choice("Grace", "grace@example.com")})
	// Grace's confirmation isn't sent yet, so she has no entry.
	last := b.update(t, made.ID, booking.AmendRequest{CustomerChoice: choice("Bob", "bob@example.com")})
	b.run(t)
	require.Len(t, b.outbox.to("ada@example.com"), 2)
	require.Empty(t, b.outbox.to("grace@example.com"))
	require.Len(t, b.outbox.to("bob@example.com"), 1)

	again := b.update(t, made.ID, booking.AmendRequest{CustomerChoice: choice("Ada", "ada@example.com")})
	b.run(t)
	withdrawn := b.outbox.to("bob@example.com")
	require.Len(t, withdrawn, 1)
	requireWithdrawn(t, withdrawn[0], made.ID, again.Version)
	require.Greater(t, again.Version, last.Version)
	require.Len(t, b.outbox.to("ada@example.com"), 1)
}

func TestContact_ThatComesBackBeforeTheWithdrawalIsSent_KeepsItsEntry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bookedBy("Ada", "ada@example.com"))
	b.run(t)
	b.outbox.to("ada@example.com")
	b.update(t, made.ID, booking.AmendRequest{CustomerChoice: choice("Grace", "grace@example.com")})
	back := b.update(t, made.ID, booking.AmendRequest{CustomerChoice: choice("Ada", "ada@example.com")})
	b.run(t)
	sent := b.outbox.to("ada@example.com")
	require.Len(t, sent, 1)
	require.False(t, sent[0].Invitation.Cancelled)
	require.Equal(t, back.Version, sent[0].Invitation.Version)
}

func TestContact_ReplacedWithoutAnEntry_GetsNoWithdrawal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	service := b.newService(t, nil)
	for name, book := range map[string]func() booking.BookingBody{
		"not sent yet": func() booking.BookingBody {
			return b.book(t, service, inDays(10),
				bookedBy("Ada", "ada@example.com"))
		},
		"a hold": func() booking.BookingBody {
			return b.book(t, service, inDays(10), bookedBy("Ada", "ada@example.com"), held(120))
		},
	} {
		made := book()
		if name == "a hold" {
			b.run(t)
			require.Len(t, b.outbox.to("ada@example.com"), 1)
		}
		b.update(t, made.ID, booking.AmendRequest{CustomerChoice: choice("Grace", "grace@example.com")})
		b.run(t)
		require.Empty(t, b.outbox.to("ada@example.com"), name)
		require.Len(t, b.outbox.to("grace@example.com"), 1, name)
	}
}

func TestContact_WithdrawalAfterTheBooking_IsNotSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bookedBy("Ada", "ada@example.com"))
	b.run(t)
	b.outbox.to("ada@example.com")
	b.update(t, made.ID, booking.AmendRequest{CustomerChoice: choice("Grace", "grace@example.com")})
	b.runAt(t, event.KindEmail, made.EndsAt.Add(time.Minute))
	require.Empty(t, b.outbox.subjects())
}

func TestContact_FormerOneWhoIsErased_GetsNoWithdrawalAndIsNowhereInIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bookedBy("Ada", "ada@example.com"))
	b.run(t)
	b.outbox.to("ada@example.com")
	b.update(t, made.ID, booking.AmendRequest{CustomerChoice: choice("Grace", "grace@example.com")})
	_, err := b.persons.Erase(t.Context(), b.tenant, request(t), made.Customer.ID, "")
	require.NoError(t, err)
	b.run(t)
	require.Empty(t, b.outbox.to("ada@example.com"))
	require.Len(t, b.outbox.to("grace@example.com"), 1)
	var found int
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT count(*) FROM scheduled_events s WHERE s::text LIKE '%ada@example.com%'").Scan(&found))
	require.Zero(t, found)
}

func TestContact_AfterAMerge_StaysAsItWasGiven(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}], `+sender+`}`)
	service := b.newService(t, nil)
	ada := b.book(t, service, inDays(10), bookedBy("Ada", "ada@example.com"))
	grace := b.book(t, service, inDays(10), bookedBy("Grace", "grace@example.com"))
	b.run(t)
	b.outbox.to("ada@example.com")
	_, err := b.persons.Merge(t.Context(), b.tenant, request(t), ada.Customer.ID, grace.Customer.ID, "")
	require.NoError(t, err)
	merged, err := b.bookings.Get(t.Context(), b.tenant, ada.ID)
	require.NoError(t, err)
	require.Equal(t, grace.Customer.ID, merged.Customer.ID)
	require.Equal(t, "Ada", merged.Customer.Name)
	require.Equal(t, "ada@example.com", merged.Customer.Email)
	b.makeDue(t, event.KindBookingReminder)
	b.run(t)
	sent := b.outbox.to("ada@example.com")
	require.Len(t, sent, 1, "no withdrawal, and the reminder")
	require.Contains(t, sent[0].Subject, "See you soon")
	require.Equal(t, "Ada", sent[0].To.Name)
}
