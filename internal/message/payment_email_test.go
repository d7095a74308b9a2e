package message_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/message"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
)

// allPaymentEmails is what settings say of a tenant whose customers are told of all payments.
const allPaymentEmails = `"payment_emails": {"succeeded": true, "declined": true, "refunded": true}`

// paymentEmails are the events of emails about payments, as status and reason.
func (b *testBundle) paymentEmails(t testing.TB) (list []string) {
	t.Helper()
	for _, e := range b.events(t, event.KindPaymentEmail) {
		list = append(list, e.Status+" "+e.Reason)
	}
	return list
}

// afterWait sends the emails that tell of declined payments, as if ten minutes had passed, and all others.
func (b *testBundle) afterWait(t testing.TB) {
	t.Helper()
	for _, kind := range []string{event.KindPaymentEmail, event.KindOwnerEmail} {
		b.makeDue(t, kind)
	}
	b.run(t)
}

func TestPaymentEmail_PaymentSucceeds_CustomerGetsOneReceipt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+allPaymentEmails+`, "booking_page": {"enabled": true}, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bookedBy("Ada", "ada@example.com"))
	b.run(t)
	b.outbox.to("ada@example.com") // the confirmation
	b.payBy(t, made.ID, part(1000, "ok"))
	b.run(t)
	b.run(t)
	got := b.outbox.to("ada@example.com")
	require.Len(t, got, 1)
	require.Contains(t, got[0].Subject, "Your payment: 10.00 EUR for Tour")
	require.Contains(t, got[0].Text, "We have received your payment of 10.00 EUR (card).\n")
	require.Contains(t, got[0].Text,
		"\nPrice: 45.00 EUR\nPaid: 10.00 EUR\nStill to pay: 35.00 EUR\nReference: "+made.Code+"\n")
	require.Nil(t, got[0].Invitation)
	require.Equal(t, booking.Link{TenantID: b.tenant.ID, BookingID: made.ID}, b.linkIn(t, got[0]))
	require.Equal(t, b.only(t, event.KindPaymentEmail).EventID, got[0].ID, "of which the Message-ID is made")
}

func TestPaymentEmail_WalletPaysBesideACard_OneReceiptTellsOfBoth(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+allPaymentEmails+`, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bookedBy("Ada", "ada@example.com"))
	b.run(t)
	b.outbox.to("ada@example.com")
	wallet := b.newWallet(t, 1000)
	b.payBy(t, made.ID, payment.PayRequest{Kind: payment.Balance, Method: "ok", WalletID: &wallet})
	b.run(t)
	got := b.outbox.to("ada@example.com")
	require.Len(t, got, 1)
	require.Contains(t, got[0].Text, "45.00 EUR (card and credit).")
	require.Contains(t, got[0].Text, "Paid: 45.00 EUR\nReference:", "nothing is left to pay")
}

func TestPaymentEmail_WalletAlone_ReceiptAndRefundTellOfCredit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+allPaymentEmails+`, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bookedBy("Ada", "ada@example.com"))
	wallet := b.newWallet(t, 9000)
	paid := b.payBy(t, made.ID, payment.PayRequest{Kind: payment.Balance, WalletID: &wallet})
	b.run(t)
	require.Contains(t, b.outbox.last(t).Text, "45.00 EUR (credit).")
	b.refund(t, paid, 500)
	b.run(t)
	require.Contains(t, b.outbox.last(t).Text, "We have returned 5.00 EUR to your credit with us.")
}

func TestPaymentEmail_Refund_TellsWhereItGoes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"payment_emails": {"refunded": true}, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bookedBy("Ada", "ada@example.com"))
	paid := b.payBy(t, made.ID, part(4500, "ok"))
	b.run(t)
	b.outbox.to("ada@example.com")
	b.refund(t, paid, 700)
	b.run(t)
	got := b.outbox.to("ada@example.com")
	require.Len(t, got, 1, "receipts weren't asked for")
	require.Contains(t, got[0].Subject, "Your refund: 7.00 EUR")
	require.Contains(t, got[0].Text, "We have returned 7.00 EUR to the card or account that you paid with.")
	require.Contains(t, got[0].Text, "Refunded: 7.00 EUR\nStill to pay: 7.00 EUR")
}

func TestPaymentEmail_NotAskedFor_PaymentPlansNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.run(t)
	rows := func() (text string) {
		require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT string_agg(kind || version, ' ' ORDER BY kind) FROM scheduled_events
			WHERE kind <> 'payment.resolution'`).Scan(&text))
		return text
	}
	before := rows()
	b.refund(t, b.payBy(t, made.ID, part(1000, "ok")), 500)
	b.payBy(t, made.ID, part(1000, "declined"))
	b.afterWait(t)
	require.Equal(t, before, rows(), "no event was planned or handled")
	require.Len(t, b.outbox.subjects(), 1, "the confirmation")
}

func TestPaymentEmail_AskedForLater_PaymentsBeforeAreNotTold(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.run(t)
	b.payBy(t, made.ID, part(1000, "ok"))
	b.run(t)
	b.set(t, `{`+allPaymentEmails+
		`, "owner_emails": [{"email": "office@harbour.example", "types": ["payment.succeeded"]}]}`)
	b.payBy(t, made.ID, part(700, "ok"))
	b.run(t)
	require.Equal(t, []string{"completed "}, b.paymentEmails(t), "the planner reads both payments")
	require.Len(t, b.events(t, event.KindOwnerEmail), 1)
	require.Contains(t, b.outbox.to(made.Customer.Email)[1].Text, "7.00 EUR")
}

func TestPaymentEmail_SwitchedOffBeforeSending_IsNotSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+allPaymentEmails+`, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.run(t)
	b.refund(t, b.payBy(t, made.ID, part(1000, "ok")), 1000)
	b.plan(t)
	b.set(t, `{"payment_emails": {"succeeded": false}}`)
	b.run(t)
	require.ElementsMatch(t, []string{"cancelled The settings no longer ask for this email.", "completed "},
		b.paymentEmails(t))
	require.Len(t, b.outbox.subjects(), 2, "the confirmation and the refund")
}

func TestPaymentEmail_Declined_IsToldAfterTenMinutes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+allPaymentEmails+`, "booking_page": {"enabled": true}, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bookedBy("Ada", "ada@example.com"))
	b.run(t)
	b.outbox.to("ada@example.com")
	b.payBy(t, made.ID, part(1000, "declined"))
	b.run(t)
	require.Empty(t, b.outbox.to("ada@example.com"), "who is on the page tries another card")
	var wait time.Duration
	require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT s.due_at - c.occurred_at FROM scheduled_events s, changes c
		WHERE s.kind = $1 AND c.type = 'payment.declined'`, event.KindPaymentEmail).Scan(&wait))
	require.Equal(t, 10*time.Minute, wait)
	b.afterWait(t)
	got := b.outbox.to("ada@example.com")
	require.Len(t, got, 1)
	require.Contains(t, got[0].Subject, "Your payment was declined: Tour")
	require.Contains(t, got[0].Text, "Your payment of 10.00 EUR was declined.")
	require.Contains(t, got[0].Text, "Still to pay: 45.00 EUR")
	b.linkIn(t, got[0])
}

func TestPaymentEmail_DeclinedAndThen_IsToldOnlyWhileItMatters(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		then   func(testing.TB, *testBundle, booking.BookingBody)
		reason []string
	}{
		"paid in full": {
			func(t testing.TB, b *testBundle, made booking.BookingBody) {
				t.Helper()
				b.payBy(t, made.ID, part(4500, "ok"))
			},
			[]string{"cancelled Nothing is due.", "completed "},
		},
		"paid in part": {
			func(t testing.TB, b *testBundle, made booking.BookingBody) {
				t.Helper()
				b.payBy(t, made.ID, part(1000, "ok"))
			},
			[]string{"cancelled The booking was paid meanwhile.", "completed "},
		},
		"declined again": {
			func(t testing.TB, b *testBundle, made booking.BookingBody) {
				t.Helper()
				b.payBy(t, made.ID, part(1000, "declined"))
			},
			[]string{"cancelled A later payment was declined, too.", "completed "},
		},
		"being paid": {
			func(t testing.TB, b *testBundle, made booking.BookingBody) {
				t.Helper()
				b.payBy(t, made.ID, part(1000, "slow"))
			},
			[]string{"cancelled Another payment is under way."},
		},
		"cancelled": {
			func(t testing.TB, b *testBundle, made booking.BookingBody) {
				t.Helper()
				b.change(t, made.ID, booking.Cancel)
			},
			[]string{"cancelled Nothing is due."},
		},
		"given to somebody else": {
			func(t testing.TB, b *testBundle, made booking.BookingBody) {
				t.Helper()
				_, err := b.bookings.Amend(t.Context(), b.tenant, made.ID, booking.AmendRequest{
					CustomerChoice: choice("Ben", "ben@example.com"),
				}, "")
				require.NoError(t, err)
			},
			[]string{"cancelled The booking has another contact now."},
		},
		"erased": {
			func(t testing.TB, b *testBundle, made booking.BookingBody) {
				t.Helper()
				_, err := b.persons.Erase(t.Context(), b.tenant, request(t), made.Customer.ID, "")
				require.NoError(t, err)
			},
			[]string{"cancelled The customer was erased."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, `{`+allPaymentEmails+`, `+sender+`}`)
			made := b.book(t, b.newService(t, nil), inDays(10))
			b.run(t)
			b.payBy(t, made.ID, part(1000, "declined"))
			b.plan(t)
			tc.then(t, b, made)
			b.afterWait(t)
			require.ElementsMatch(t, tc.reason, b.paymentEmails(t))
		})
	}
}

func TestPaymentEmail_PaymentThatWasEnded_IsNoDecline(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+allPaymentEmails+
		`, "owner_emails": [{"email": "office@harbour.example", "types": ["payment.declined"]}], `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.payBy(t, made.ID, part(1000, "declined"))
	ended := b.payBy(t, made.ID, part(1000, "slow"))
	resp, err := b.payments.Cancel(t.Context(), b.tenant.ID, request(t), ended)
	require.NoError(t, err)
	require.Equal(t, 200, resp.Answer().Status, "%s", resp.Body)
	require.Equal(t, 2, b.told(t, made.ID, "payment.declined"))
	b.afterWait(t)
	require.Equal(t, []string{"completed "}, b.paymentEmails(t),
		"of the first one, which the end of the second one doesn't supersede")
	require.Len(t, b.events(t, event.KindOwnerEmail), 1)
}

func TestPaymentEmail_DeclineOfAHoldOfMinutes_IsNotTold(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+allPaymentEmails+`, `+sender+`}`)
	service := b.newService(t, nil)
	b.payBy(t, b.book(t, service, inDays(10), held(15)).ID, part(1000, "declined"))
	long := b.book(t, service, inDays(11), held(120))
	b.payBy(t, long.ID, part(1000, "declined"))
	b.plan(t)
	require.Equal(t, long.ID, b.only(t, event.KindPaymentEmail).SubjectID)
	b.exec(t, "UPDATE bookings SET hold_expires_at = now() WHERE booking_id = $1", long.ID)
	b.afterWait(t)
	require.Equal(t, []string{"cancelled The booking is no longer held."}, b.paymentEmails(t))
}

func TestPaymentEmail_RefundIsDeclined_CustomerIsToldNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+allPaymentEmails+`, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	paid := b.payBy(t, made.ID, part(1000, "ok"))
	b.provider.refusing = true
	b.refund(t, paid, 1000)
	require.Equal(t, 1, b.told(t, made.ID, "payment.declined"))
	b.afterWait(t)
	require.Equal(t, []string{"completed "}, b.paymentEmails(t), "the receipt")
}

func TestPaymentEmail_ServerDiesAroundThePlanning_IsSentOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+allPaymentEmails+
		`, "owner_emails": [{"email": "office@harbour.example", "types": ["payment.succeeded"]}], `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.run(t)
	b.payBy(t, made.ID, part(1000, "ok")) // the server dies after the commit: nobody was told

	// Another one plans. It dies at the end of the planning, whose commit came through, and the event is planned again.
	b.plan(t)
	b.exec(t, `UPDATE scheduled_events SET status = 'pending', data = '{"version": 0}', due_at = now() WHERE kind = $1`,
		event.KindPlan)
	b.plan(t)
	require.Equal(t, []string{"pending "}, b.paymentEmails(t))
	first := b.outbox.subjects()

	// A third one takes the email and dies before the mail server has it.
	b.outbox.fail = errors.New("connection reset")
	b.run(t)
	b.outbox.fail = nil
	b.afterWait(t)
	b.afterWait(t)
	require.Len(t, b.outbox.subjects(), len(first)+2, "one for the customer, one for the tenant")
}

func TestPaymentEmail_TemplateOfTheTenant_IsUsedAndKeepsHostileNamesInert(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+allPaymentEmails+`, "email": {"from": {"email": "booking@harbour.example"}, "templates": [
		{"template": "payment.succeeded", "subject": "Ahoy {{customer_name}}",
		"text": "{{payment_amount}} {{payment_method}} {{amount_due}}",
		"html": "<b>{{customer_name}}</b>"}]}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bookedBy(`<img src=x>`, "ada@example.com"))
	b.run(t)
	b.payBy(t, made.ID, part(1000, "ok"))
	b.run(t)
	sent := b.outbox.last(t)
	require.Equal(t, []string{"Ahoy <img src=x>", "10.00 EUR card 35.00 EUR", "<b>&lt;img src=x&gt;</b>"},
		[]string{sent.Subject, sent.Text, sent.HTML})
	_, err := b.messages.Preview(t.Context(), b.tenant.ID,
		message.PreviewRequest{Template: "payment.succeeded", Text: "{{refunded_to}}"})
	require.Equal(t, problem.ValidationFailed, problem.CodeOf(err), "only refunds go somewhere")
}

func TestPreview_EmailOfAPayment_ShowsTheBookingsMoney(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.book(t, b.newService(t, nil), inDays(10))
	for kind, want := range map[email.Kind]string{
		email.PaymentSucceeded: "We have received your payment of 45.00 EUR (card).",
		email.PaymentDeclined:  "Your payment of 45.00 EUR was declined.",
		email.PaymentRefunded:  "We have returned 45.00 EUR to the card or account that you paid with.",
	} {
		c, err := b.messages.Preview(
			t.Context(),
			b.tenant.ID,
			message.PreviewRequest{Template: settings.TemplateKind(kind), BookingID: &made.ID},
		)
		require.NoError(t, err)
		require.Contains(t, c.Text, want)
		c, err = b.messages.Preview(t.Context(), b.tenant.ID,
			message.PreviewRequest{Template: settings.TemplateKind(kind)})
		require.NoError(t, err)
		require.Contains(t, c.Text, "60.00 EUR")
	}
}

func textsOf(list []email.Message) string {
	var b strings.Builder
	for _, m := range list {
		b.WriteString(m.Text)
	}
	return b.String()
}

func TestPaymentEmail_OfflineMoney_IsToldAsItMoved(t *testing.T) {
	t.Parallel()
	for method, words := range map[payment.OfflineMethod][2]string{
		payment.Cash:         {"(cash)", "to you in cash."},
		payment.BankTransfer: {"(bank transfer)", "to your bank account."},
		payment.CardTerminal: {"(card terminal)", "to your card."},
	} {
		t.Run(string(method), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, `{`+allPaymentEmails+`, `+sender+`,
				"owner_emails": [{"email": "office@harbour.example", "types": ["payment.succeeded", "payment.refunded"]}]}`)
			made := b.book(t, b.newService(t, nil), inDays(10), bookedBy("Ada", "ada@example.com"))
			paid := b.payBy(t, made.ID, payment.PayRequest{Kind: payment.Balance,
				Offline: &payment.OfflinePayment{Method: method, Note: "till 2"}})
			b.run(t)
			require.Contains(t, textsOf(b.outbox.to("ada@example.com")), "45.00 EUR "+words[0]+".")
			require.Contains(t, textsOf(b.outbox.to("office@harbour.example")),
				"Method: "+strings.Trim(words[0], "()")+"\n")
			_, err := b.payments.Refund(t.Context(), b.tenant.ID, request(t), paid, payment.RefundRequest{
				Amount: new(int64(1500)), Offline: &payment.OfflineRefund{Method: method, Note: "till 2"},
			})
			require.NoError(t, err)
			b.run(t)
			require.Contains(t, textsOf(b.outbox.to("ada@example.com")), "We have returned 15.00 EUR "+words[1])
		})
	}
}
