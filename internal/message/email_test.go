package message_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/customer"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

func TestEmail_BookingIsConfirmedThenCancelled_CalendarEntryIsMadeThenWithdrawn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.run(t)
	confirmed := b.outbox.last(t)
	require.Equal(t, &email.Address{Name: "Harbour", Email: "booking@harbour.example"}, &confirmed.From)
	require.Equal(t, made.Customer.Email, confirmed.To.Email)
	require.Equal(t, made.ID, confirmed.Invitation.BookingID)
	require.Equal(t, int64(1), confirmed.Invitation.Version)
	require.False(t, confirmed.Invitation.Cancelled)
	require.Empty(t, confirmed.Unsubscribe, "nobody unsubscribes from what is told of bookings")

	cancelled := b.change(t, made.ID, booking.Cancel)
	b.run(t)
	withdrawn := b.outbox.last(t)
	require.Equal(t, made.ID, withdrawn.Invitation.BookingID)
	require.Equal(t, cancelled.Version, withdrawn.Invitation.Version)
	require.Greater(t, withdrawn.Invitation.Version, confirmed.Invitation.Version)
	require.True(t, withdrawn.Invitation.Cancelled)
	require.Len(t, b.outbox.subjects(), 2)
}

func TestEmail_HoldOfMinutes_IsToldOnlyOnceItIsConfirmed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	service := b.newService(t, nil)
	made := b.book(t, service, inDays(10), held(30))
	abandoned := b.book(t, service, inDays(11), held(30))
	b.change(t, abandoned.ID, booking.Cancel)
	b.run(t)
	require.Empty(t, b.outbox.subjects())
	b.change(t, made.ID, booking.Confirm)
	b.run(t)
	require.Equal(t, 1, containing(b.outbox.subjects(), "Your booking is confirmed"))
}

func TestEmail_HoldOfHours_IsToldWithItsEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), held(120))
	b.run(t)
	require.Contains(t, b.outbox.last(t).Text, made.HoldExpiresAt.In(b.tenant.Location).Format("15:04"))
	b.change(t, made.ID, booking.Cancel)
	b.run(t)
	require.Contains(t, b.outbox.last(t).Subject, "Your booking is cancelled")
}

func TestEmail_RefusedForGood_IsDeadAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	b.book(t, b.newService(t, nil), inDays(10))
	b.outbox.fail = &email.PermanentError{Code: 550, Err: errors.New("no such mailbox")}
	b.run(t)
	e := b.only(t, event.KindEmail)
	require.Equal(t, "dead", e.Status)
	require.Equal(t, "The mail server refused the email with 550.", e.Reason)
}

func TestEmail_NotTakenForNow_IsSentAgainWithTheSameIDAndDate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}], `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.run(t)
	b.makeDue(t, event.KindBookingReminder)
	b.outbox.fail = errors.New("451 try again later")
	began := testtime.Now()
	b.run(t)
	emails := b.events(t, event.KindEmail)
	require.Equal(t, "failed", emails[1].Status)
	require.Equal(t, "The mail server did not take the email.", emails[1].Reason)
	require.WithinRange(t, emails[1].DueAt, began.Add(30*time.Second), testtime.Now().Add(2*time.Minute))
	b.outbox.fail = nil
	b.makeDue(t, event.KindEmail)
	b.run(t)
	sent := b.outbox.last(t)
	require.Equal(t, emails[1].EventID, sent.ID)
	seconds, nanoseconds := sent.ID.Time().UnixTime()
	require.Equal(t, time.Unix(seconds, nanoseconds).UTC(), sent.Date)
	require.Equal(t, 1, b.told(t, made.ID, "booking.reminder"), "what is sent again is the email alone")
}

func TestEmail_EmailDueAfterStart_IsCancelled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}], `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.run(t)
	b.runAt(t, event.KindBookingReminder, made.StartsAt.Add(-time.Hour))
	b.runAt(t, event.KindEmail, made.StartsAt)
	emails := b.events(t, event.KindEmail)
	require.Equal(t, "cancelled", emails[1].Status)
	require.Equal(t, "The booking has begun.", emails[1].Reason)
	require.Len(t, b.outbox.subjects(), 1)
}

func TestEmail_SenderIsRemoved_IsNotSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	b.book(t, b.newService(t, nil), inDays(10))
	b.plan(t)
	b.set(t, `{"email": {"from": null}}`)
	b.run(t)
	require.Equal(t, "The tenant has no sender of emails.", b.only(t, event.KindEmail).Reason)
}

func TestEmail_TenantIsSuspended_IsNotSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	b.book(t, b.newService(t, nil), inDays(10))
	b.plan(t)
	b.exec(t, "UPDATE tenants SET status = 'suspended', status_since = now()")
	b.run(t)
	require.Equal(t, "The tenant is suspended.", b.only(t, event.KindEmail).Reason)
	require.Empty(t, b.outbox.subjects())
}

func TestEmail_TemplateOfTheTenant_IsUsed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"email": {"from": {"email": "booking@harbour.example"}, "templates": [
		{"template": "booking.confirmed",
		"subject": "Ahoy {{customer_name}}", "text": "{{price}}", "html": "<b>{{customer_name}}</b>"}]}}`)
	b.book(t, b.newService(t, nil), inDays(10), func(n *booking.CreateRequest) { n.Customer.Name = "<Ada>" })
	b.run(t)
	sent := b.outbox.last(t)
	require.Equal(t, []string{"Ahoy <Ada>", "45.00 EUR", "<b>&lt;Ada&gt;</b>"},
		[]string{sent.Subject, sent.Text, sent.HTML})
}

func TestEmail_ReferenceOfTheBooking_IsItsReferenceOrItsCode(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"email": {"from": {"email": "booking@harbour.example"}, "templates": [
		{"template": "booking.confirmed", "subject": "Confirmed", "text": "{{reference}}"}]}}`)
	service, reference := b.newService(t, nil), "Table 4"
	b.book(t, service, inDays(10), func(n *booking.CreateRequest) { n.Reference = &reference })
	b.run(t)
	require.Equal(t, reference, b.outbox.last(t).Text)
	made := b.book(t, service, inDays(11))
	b.run(t)
	require.Equal(t, made.Code, b.outbox.last(t).Text)
}

func TestUnsubscribe_ForgedToken_IsNotFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.messages.Subscription("forged")
	require.Equal(t, problem.NotFound, problem.CodeOf(err))
}

func TestEmail_AddressThatTheOperatorDoesNotList_IsOnlyRepliedTo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.senders = email.Senders{Links: "console@platform.example", Tenants: "mail@platform.example"}
	b.set(t, `{`+sender+`}`)
	b.book(t, b.newService(t, nil), inDays(10))
	b.run(t)
	sent := b.outbox.last(t)
	require.Equal(t, email.Address{Name: "Harbour", Email: "mail@platform.example"}, sent.From)
	require.Equal(t, "booking@harbour.example", sent.ReplyTo.Email)

	b.senders.Tenants = ""
	b.book(t, b.newService(t, nil), inDays(10))
	b.run(t)
	require.Len(t, b.outbox.subjects(), 1, "the server has no sender for the tenant")
}

func TestSettings_AddressOfTheServer_IsRefusedAsSender(t *testing.T) {
	t.Parallel()
	b := setup(t)
	change := func(text string) error {
		_, err := b.settings.Change(t.Context(), b.tenant.ID, mergepatch.Of[settings.Spec](text), "")
		return err
	}
	require.NoError(t, change(`{"email": {"from": {"email": "console@platform.example"}}}`))
	b.settings.SendAs(email.Senders{Links: "console@platform.example"})
	require.NoError(t, change(`{"follow_up_minutes": 60}`),
		"an address of before the upgrade doesn't keep other settings from a change")
	require.True(t, problem.Is(change(`{"email": {"from": {"email": "Console@Platform.example"}}}`),
		problem.ValidationFailed))
	require.NoError(t, change(`{"email": {"from": {"email": "booking@harbour.example"}}}`))
	require.True(t, problem.Is(change(`{"email": {"from": {"email": "console@platform.example"}}}`),
		problem.ValidationFailed))
}

func inLanguage(tag email.Language) func(*booking.CreateRequest) {
	return func(n *booking.CreateRequest) {
		n.Customer = &customer.Customer{Name: "Ada", Email: "ada@example.com", Language: &tag}
	}
}

func TestEmail_LanguageOfTheBooking_IsThatOfTheEmail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"booking_page": {"enabled": true, "address": "Pier 7\nHamburg", "contact": "+49 40 1234"}, `+sender+`}`)
	service := b.newService(t, nil)
	for tag, words := range map[email.Language]string{
		"de": "Ihre Buchung ist bestätigt", "es": "Su reserva está confirmada", "en": "Your booking is confirmed",
	} {
		made := b.book(t, service, inDays(10), inLanguage(tag))
		require.Equal(t, tag, *made.Customer.Language)
		b.run(t)
		sent := b.outbox.to("ada@example.com")
		require.Len(t, sent, 1)
		require.Contains(t, sent[0].Subject, words)
		require.Contains(t, sent[0].Text, "\nPier 7\nHamburg\n+49 40 1234\n")
		require.Equal(t, "Pier 7\nHamburg", sent[0].Invitation.Place)
		require.Contains(t, sent[0].Text, sent[0].Invitation.URL)
		require.NotEmpty(t, sent[0].Invitation.URL)
	}

	b.set(t, `{"booking_page": {"languages": ["de", "en"]}}`)
	b.book(t, service, inDays(10), bookedBy("Ada", "ada@example.com"))
	b.run(t)
	require.Contains(t, b.outbox.to("ada@example.com")[0].Subject, "Ihre Buchung",
		"without a language, the first of the page")

	b.set(t, `{"email": {"templates": [{"template": "booking.confirmed", "subject": "x", "text": "Am {{date}}"}]}}`)
	b.book(t, service, inDays(10), inLanguage("en"))
	b.run(t)
	require.Regexp(t, `^Am [A-Z][a-z]+, \d+\. `, b.outbox.to("ada@example.com")[0].Text,
		"a template of one's own is in one language")
}

func TestEmail_MoveToACheaperTime_TellsCustomerAndOwnerOfTheSurplus(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"owner_emails": [{"email": "office@harbour.example", "types": ["booking.rescheduled"]}], `+sender+`}`)
	service := b.newServiceOf(t, catalog.ServiceSpec{
		Spec: timetable.Spec{Kind: timetable.KindSlot, DurationMinutes: 60,
			Pricing: timetable.Pricing{PricePer: timetable.PerUnit}},
	})
	made := b.book(t, service, inDays(10), bookedBy("Ada", "ada@example.com"),
		func(n *booking.CreateRequest) { n.PartySize = 2 })
	b.payBy(t, made.ID, part(9000, "ok"))
	b.run(t)
	b.outbox.to("ada@example.com")
	move := to(inDays(11))
	move.PartySize, move.Price = new(1), booking.PriceQuoted
	b.reschedule(t, made.ID, move)
	b.run(t)
	require.Contains(t, b.outbox.to("ada@example.com")[0].Text,
		"\nYou have paid 45.00 EUR more than it costs now. Ask us how you get it back.\n")
	require.Contains(t, b.outbox.to("office@harbour.example")[0].Text, "\nPaid too much: 45.00 EUR\n")
}
