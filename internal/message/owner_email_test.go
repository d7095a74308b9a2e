package message_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/email"
	"holdfast/internal/event"
)

const office, till = "office@harbour.example", "till@harbour.example"

// ownerEmails is what settings say of a tenant whose office is told of all changes, and whose till of payments that
// succeed.
const ownerEmails = `"owner_emails": [
	{"email": "` + office + `", "types": ["booking.confirmed", "booking.cancelled", "booking.rescheduled", "payment.succeeded",
		"payment.declined", "payment.refunded"]},
	{"email": "` + till + `", "types": ["payment.succeeded"]}]`

func subjectsOf(emails []email.Message) (list []string) {
	for _, e := range emails {
		subject, _, _ := strings.Cut(e.Subject, ":")
		list = append(list, subject)
	}
	return list
}

func TestOwnerEmail_EachChange_IsToldOnceToEachAddressThatWantsIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+ownerEmails+`, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bookedBy("Ada", "ada@example.com"))
	b.run(t)
	require.Equal(t, []string{"New booking"}, subjectsOf(b.outbox.to(office)))
	paid := b.payBy(t, made.ID, part(1000, "ok"))
	b.refund(t, paid, 400)
	b.run(t)
	require.ElementsMatch(t, []string{"Payment received", "Refund made"}, subjectsOf(b.outbox.to(office)))
	b.payBy(t, made.ID, part(100, "declined"))
	b.run(t)
	require.Empty(t, b.outbox.to(office), "the customer may be trying another card")
	b.afterWait(t)
	require.Equal(t, []string{"Payment declined"}, subjectsOf(b.outbox.to(office)))
	b.reschedule(t, made.ID, to(inDays(11)))
	b.run(t)
	require.Equal(t, []string{"Booking moved"}, subjectsOf(b.outbox.to(office)))
	b.change(t, made.ID, booking.Cancel)
	b.run(t)
	require.Equal(t, []string{"Booking cancelled"}, subjectsOf(b.outbox.to(office)))
	require.Equal(t, []string{"Payment received"}, subjectsOf(b.outbox.to(till)))
	require.Len(t, b.events(t, event.KindOwnerEmail), 7)
}

func TestOwnerEmail_Texts_TellTheEssentialsInTheTenantsZoneAndLanguage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+ownerEmails+`, "booking_page": {"languages": ["de", "en"]}, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bookedBy("Ada\u00a0Lovelace", "ada@example.com"))
	b.payBy(t, made.ID, part(1000, "ok"))
	b.run(t)
	sent := b.outbox.to(till)
	require.Len(t, sent, 1)
	when := inDays(10).Format("2006-01-02")
	require.Equal(t, "Zahlung eingegangen: "+made.Code+", Tour, "+when+" 12:00", sent[0].Subject)
	require.Equal(t, "Zahlung eingegangen\n\nBuchung: "+made.Code+"\nLeistung: Tour\nZeit: "+when+
		" 12:00 – 13:00 (Europe/Berlin)\n"+
		"Personen: 1\nKunde: Ada Lovelace\nBetrag: 10,00 EUR\nZahlungsart: Karte\nPreis: 45,00 EUR\n"+
		"Bezahlt: 10,00 EUR\nNoch zu zahlen: 35,00 EUR\n",
		sent[0].Text)
	require.Empty(t, sent[0].HTML)
	require.Nil(t, sent[0].Invitation)
	require.Equal(t, email.Address{Name: "Harbour", Email: "booking@harbour.example"}, sent[0].From)
	b.outbox.to(office)
	b.reschedule(t, made.ID, to(inDays(11)))
	b.run(t)
	moved := b.outbox.to(office)[0].Text
	require.Contains(t, moved,
		"Zeit: "+inDays(11).Format("2006-01-02")+" 12:00 – 13:00 (Europe/Berlin)\nVorher: "+when+" 12:00 – 13:00")
}

func TestOwnerEmail_LaterChange_EachTellsOfTheBookingAsItWas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+ownerEmails+`, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.reschedule(t, made.ID, to(inDays(11)))
	b.run(t)
	sent := b.outbox.to(office)
	slices.SortFunc(sent, func(x, y email.Message) int { return strings.Compare(y.Subject, x.Subject) })
	require.Equal(t, []string{"New booking", "Booking moved"}, subjectsOf(sent))
	require.Contains(t, sent[0].Text, "When: "+inDays(10).Format("2006-01-02"))
	require.Contains(t, sent[1].Text, "When: "+inDays(11).Format("2006-01-02"))
}

func TestOwnerEmail_Holds_AreToldOnlyOnceConfirmed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+ownerEmails+`, `+sender+`}`)
	service := b.newService(t, nil)
	made := b.book(t, service, inDays(10), held(120))
	abandoned := b.book(t, service, inDays(11), held(120))
	b.reschedule(t, abandoned.ID, to(inDays(12)))
	b.change(t, abandoned.ID, booking.Cancel)
	b.run(t)
	require.Empty(t, b.outbox.to(office))
	b.change(t, made.ID, booking.Confirm)
	b.run(t)
	require.Equal(t, []string{"New booking"}, subjectsOf(b.outbox.to(office)))
}

func TestOwnerEmail_RefundIsDeclined_IsToldAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+ownerEmails+`, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	paid := b.payBy(t, made.ID, part(1000, "ok"))
	b.run(t)
	b.outbox.to(office)
	b.provider.refusing = true
	b.refund(t, paid, 1000)
	b.run(t)
	sent := b.outbox.to(office)
	require.Equal(t, []string{"Refund declined"}, subjectsOf(sent))
	require.Contains(t, sent[0].Text, "Amount: 10.00 EUR")
}

func TestOwnerEmail_DeclinedAndThenPaid_IsNotSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+ownerEmails+`, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.payBy(t, made.ID, part(1000, "declined"))
	b.payBy(t, made.ID, part(1000, "ok"))
	b.afterWait(t)
	require.ElementsMatch(t, []string{"New booking", "Payment received"}, subjectsOf(b.outbox.to(office)))
}

func TestOwnerEmail_DeclinedAndThenCancelled_IsNotSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+ownerEmails+`, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.payBy(t, made.ID, part(1000, "declined"))
	b.change(t, made.ID, booking.Cancel)
	b.afterWait(t)
	require.ElementsMatch(t, []string{"New booking", "Booking cancelled"}, subjectsOf(b.outbox.to(office)))
}

func TestOwnerEmail_AddressIsTakenOutBeforeSending_GetsNothing(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]string{
		"address": `{"owner_emails": [{"email": "` + till + `", "types": ["booking.confirmed"]}]}`,
		"type":    `{"owner_emails": [{"email": "` + office + `", "types": ["booking.cancelled"]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, `{`+ownerEmails+`, `+sender+`}`)
			b.book(t, b.newService(t, nil), inDays(10))
			b.plan(t)
			b.set(t, settings)
			b.run(t)
			require.Equal(t, "The settings no longer ask for this email.", b.only(t, event.KindOwnerEmail).Reason)
			require.Empty(t, b.outbox.to(office))
			require.Empty(t, b.outbox.to(till))
		})
	}
}

func TestOwnerEmail_CustomerIsErased_NothingIsSentAfterwards(t *testing.T) {
	t.Parallel()
	for name, former := range map[string]bool{"the booking's": false, "who had the booking before": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, `{`+ownerEmails+`, `+sender+`}`)
			made := b.book(t, b.newService(t, nil), inDays(10), bookedBy("Ada", "ada@example.com"))
			b.plan(t)
			if former {
				b.give(t, made.ID, "Grace")
			}
			_, err := b.persons.Erase(t.Context(), b.tenant, request(t), made.Customer.ID, "")
			require.NoError(t, err)
			b.run(t)
			require.Equal(t, "The customer was erased.", b.only(t, event.KindOwnerEmail).Reason)
			require.Empty(t, b.outbox.to(office))
			b.change(t, made.ID, booking.Cancel)
			b.run(t)
			for _, e := range b.outbox.to(office) {
				require.NotContains(t, e.Text, "Ada")
			}
		})
	}
}

func TestOwnerEmail_NothingChosen_BookingWritesNoMoreRows(t *testing.T) {
	t.Parallel()
	rows := func(settings string) (n int) {
		b := setup(t)
		b.set(t, settings)
		b.payBy(t, b.book(t, b.newService(t, nil), inDays(10)).ID, part(1000, "ok"))
		b.run(t)
		return len(b.stored(t))
	}
	none := rows(`{` + sender + `}`)
	require.Equal(t, none, rows(`{"owner_emails": [], "payment_emails": {"succeeded": false}, `+sender+`}`))
	require.Equal(t, none+1,
		rows(`{"owner_emails": [{"email": "`+office+`", "types": ["booking.confirmed"]}], `+sender+`}`))
}

func TestOwnerEmail_HostileName_StaysOnItsLine(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+ownerEmails+`, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bookedBy("Ada", "ada@example.com"))
	b.plan(t)
	// No request stores such a name. What is stored isn't trusted either.
	b.exec(t, `UPDATE changes SET data = jsonb_set(data::jsonb, '{customer,name}', $2)::json WHERE subject_id = $1`,
		made.ID,
		`"Ada\r\nAmount: 0.01 EUR\nBcc: all@example.com <script>"`)
	b.run(t)
	sent := b.outbox.to(office)
	require.Len(t, sent, 1)
	require.Contains(t, sent[0].Text, "\nCustomer: Ada Amount: 0.01 EUR Bcc: all@example.com <script>\n")
	require.Empty(t, sent[0].HTML)
}

func TestOwnerEmail_SuspendedTenant_GetsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+ownerEmails+`, `+sender+`}`)
	b.book(t, b.newService(t, nil), inDays(10))
	b.plan(t)
	b.exec(t, "UPDATE tenants SET status = 'suspended', status_since = now()")
	b.run(t)
	require.Equal(t, "The tenant is suspended.", b.only(t, event.KindOwnerEmail).Reason)
}

func TestOwnerEmail_MailServerIsAway_IsSentAgainWithTheSameID(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+ownerEmails+`, `+sender+`}`)
	b.book(t, b.newService(t, nil), inDays(10))
	b.outbox.fail = errors.New("451 try again later")
	b.run(t)
	require.Equal(t, "failed", b.only(t, event.KindOwnerEmail).Status)
	b.outbox.fail = nil
	b.afterWait(t)
	require.Equal(t, b.only(t, event.KindOwnerEmail).EventID, b.outbox.to(office)[0].ID)
}

func TestPaymentAndOwnerEmail_CustomerIsErased_PlannedEmailsEndInItsCommit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+allPaymentEmails+`, `+ownerEmails+`, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.payBy(t, made.ID, part(1000, "ok"))
	b.payBy(t, made.ID, part(1000, "declined"))
	b.plan(t)
	_, err := b.persons.Erase(t.Context(), b.tenant, request(t), made.Customer.ID, "")
	require.NoError(t, err)
	ended := b.stored(t, event.KindPaymentEmail, event.KindOwnerEmail)
	require.Len(t, ended, 2+4)
	for _, e := range ended {
		require.Equal(t, []string{"cancelled", "The customer was erased."}, []string{e.Status, e.Reason})
	}
}

// A server of 0.1.0 that runs beside this one has handlers for other kinds only.
func TestPaymentAndOwnerEmail_WorkerThatDoesNotKnowTheKinds_LeavesThemAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+allPaymentEmails+`, `+ownerEmails+`, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.payBy(t, made.ID, part(1000, "ok"))
	b.plan(t)
	known := slices.DeleteFunc(b.kinds(), func(k event.Kind) bool {
		return k.Name == event.KindPaymentEmail || k.Name == event.KindOwnerEmail
	})
	event.NewWorker(b.store, event.Config{}, known...).RunUntilIdle(t.Context())
	for _, e := range b.stored(t, event.KindPaymentEmail, event.KindOwnerEmail) {
		require.Equal(t, "pending", e.Status)
	}
	b.run(t)
	require.ElementsMatch(t, []string{"New booking", "Payment received"}, subjectsOf(b.outbox.to(office)))
}
