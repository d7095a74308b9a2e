package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// pay asks for a payment of a booking.
func (c client) pay(t testingT, booking uuid.UUID, body object, headers ...string) answer {
	t.Helper()
	return c.post(t, "/v1/bookings/"+booking.String()+"/payments", body, headers...)
}

// payWith asks for an amount of a booking by a test method.
func (c client) payWith(t testingT, booking uuid.UUID, method string, amount int, headers ...string) answer {
	t.Helper()
	return c.pay(t, booking, object{"kind": "amount", "amount": amount, "payment_method": method}, headers...)
}

// refund asks for the refund of a payment.
func (c client) refund(t testingT, payment uuid.UUID, body object, headers ...string) answer {
	t.Helper()
	return c.post(t, "/v1/payments/"+payment.String()+"/refunds", body, headers...)
}

// priced returns a client with a confirmed booking that costs 4500, 1000 of it a deposit.
func priced(t *testing.T) (client, uuid.UUID) {
	t.Helper()
	c := setup(t)
	service := c.newService(t, "slot", object{"price": 4500, "deposit": 1000}, c.newResource(t, 9))
	return c, c.book(t, service, at(future(0), 10, 0)).id(t)
}

func (c client) requireBalance(t testingT, booking uuid.UUID, want string) {
	t.Helper()
	a := c.get(t, "/v1/bookings/"+booking.String()+"/balance")
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.JSONEq(t, want, a.body)
}

func TestPayments_DepositBalanceAndRefunds_AreTakenAndReturned(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	c.requireBalance(t, booking, `{"total":4500,"deposit_due":1000,"paid":0,"refunded":0,"returning":0,"lowered":0,`+
		`"lowered_fee":0,"due":4500,"overpaid":0,"currency":"EUR"}`)

	deposit := c.pay(t, booking, object{"kind": "deposit", "payment_method": "pm_ok"})
	id := c.created(t, deposit)
	require.Equal(t, "/v1/payments/"+id.String(), deposit.header.Get("Location"))
	require.Equal(t, deposit.body, c.get(t, deposit.header.Get("Location")).body,
		"what is read later looks like what was answered")
	for name, want := range map[string]any{
		"booking_id": booking.String(), "kind": "deposit", "status": "succeeded", "amount": 1000., "currency": "EUR",
		"payment_method": "pm_ok", "provider": "sandbox", "automatic": false,
	} {
		require.Equal(t, want, deposit.field(t, name), name)
	}
	require.NotEmpty(t, deposit.text(t, "provider_id"))

	require.EqualValues(t, 500, c.payWith(t, booking, "pm_ok", 500).field(t, "amount"))
	require.EqualValues(t, 3000,
		c.pay(t, booking, object{"kind": "balance", "payment_method": "pm_ok"}).field(t, "amount"))
	c.requireBalance(t, booking, `{"total":4500,"deposit_due":0,"paid":4500,"refunded":0,"returning":0,"lowered":0,`+
		`"lowered_fee":0,"due":0,"overpaid":0,"currency":"EUR"}`)

	part := c.refund(t, id, object{"amount": 300, "owed_again": true})
	require.NotEqual(t, id, c.created(t, part))
	require.Equal(t, id.String(), part.text(t, "refund_of"))
	require.Equal(t, "refund", part.text(t, "kind"))
	require.EqualValues(t, 700, c.refund(t, id, object{"owed_again": true}).field(t, "amount"),
		"without an amount, what is left")
	c.requireBalance(t, booking, `{"total":4500,"deposit_due":0,"paid":4500,"refunded":1000,"returning":0,"lowered":0,`+
		`"lowered_fee":0,"due":1000,"overpaid":0,"currency":"EUR"}`)
	requireProblem(t, c.refund(t, id, object{"amount": 1}), unprocessable, problem.RefundExceedsPayment)
	requireProblem(t, c.refund(t, part.id(t), object{}), conflict, problem.InvalidState)
}

func TestPayments_ListIsPagedInTheOrderOfTheirMaking(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	path := "/v1/bookings/" + booking.String() + "/payments"
	require.Empty(t, c.list(t, path).Data)
	var made []string
	for range 5 {
		made = append(made, c.payWith(t, booking, "pm_ok", 10).text(t, "id"))
	}
	made = append(made, c.refund(t, uuid.MustParse(made[0]), object{}).text(t, "id"))
	for _, limit := range []string{"1", "2", "6", "200"} {
		require.Equal(t, made, c.listAll(t, path, url.Values{"limit": {limit}}), limit)
	}
	for _, query := range []string{"limit=0", "limit=201", "cursor=x", "cursor=AAAA", "colour=red"} {
		requireProblem(t, c.get(t, path+"?"+query), unprocessable, problem.ValidationFailed)
	}
}

func TestPayments_Declined_Is402WithWhatToDoAndIsFinalForItsKey(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	for _, test := range []struct {
		method, code string
		tryAgain     bool
	}{
		{"pm_declined", "generic_decline", false},
		{"pm_insufficient_funds", "insufficient_funds", true},
	} {
		t.Run(test.method, func(t *testing.T) {
			key := uuid.NewString()
			first := c.payWith(t, booking, test.method, 100, "Idempotency-Key", key)
			requireProblem(t, first, http.StatusPaymentRequired, problem.PaymentDeclined)
			require.Equal(t, test.code, first.text(t, "decline_code"))
			require.Equal(t, test.tryAgain, first.field(t, "try_again"))
			payment := "/v1/payments/" + first.text(t, "payment_id")
			require.Equal(t, payment, first.header.Get("Location"))
			read := c.get(t, payment)
			require.Equal(t, "declined", read.text(t, "status"))
			require.Equal(t, test.code, read.text(t, "decline_code"))
			require.Equal(t, test.tryAgain, read.field(t, "try_again"))

			before := c.tables(t)
			again := c.payWith(t, booking, test.method, 100, "Idempotency-Key", key)
			requireProblem(t, again, http.StatusPaymentRequired, problem.PaymentDeclined)
			require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
			require.Equal(t, first.body, again.body)
			require.Equal(t, before, c.tables(t))
		})
	}
	c.requireBalance(t, booking, `{"total":4500,"deposit_due":1000,"paid":0,"refunded":0,"returning":0,"lowered":0,`+
		`"lowered_fee":0,"due":4500,"overpaid":0,"currency":"EUR"}`)
}

func TestPayments_MethodThatDoesNotExist_Is422AndLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	key := uuid.NewString()
	before := c.tables(t)
	for range 2 {
		refused := c.payWith(t, booking, "cash", 100, "Idempotency-Key", key)
		requireProblem(t, refused, unprocessable, problem.ValidationFailed)
		field := refused.field(t, "errors").([]any)[0].(object)
		require.Equal(t, "payment_method", field["field"])
		require.Equal(t, "unknown_payment_method", field["code"])
		require.Empty(t, refused.header.Get("Location"))
		require.Empty(t, refused.header.Get("Idempotent-Replayed"))
		require.NotContains(t, refused.body, "payment_id")
		require.Equal(t, before, c.tables(t), "no payment, event, history, plan or key")
	}
	// the key is free for the corrected request
	c.created(t, c.payWith(t, booking, "pm_ok", 100, "Idempotency-Key", key))
	require.Len(t, c.list(t, "/v1/bookings/"+booking.String()+"/payments").Data, 1)
}

// The wallet's entries say that a part was held and released; they are never deleted.
func TestPayments_MethodThatDoesNotExistBesideAWallet_ReleasesItsPart(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	w := c.wallet(t, 1500)
	refused := c.pay(t, booking, object{"kind": "balance", "wallet_id": w, "payment_method": "cash"})
	requireProblem(t, refused, unprocessable, problem.ValidationFailed)
	c.get(t, "/v1/wallets/"+w.String()).requireFields(t, `{"balance":1500,"held":0,"available":1500}`)
	require.Empty(t, c.list(t, "/v1/bookings/"+booking.String()+"/payments").Data)
	c.get(t, "/v1/bookings/"+booking.String()).requireFields(t, `{"version":1}`)
	c.created(t, c.pay(t, booking, object{"kind": "balance", "wallet_id": w, "payment_method": "pm_ok"}))
}

func TestPayments_AnotherIsOpen_IsNamedWithHowToEndIt(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	paid := c.created(t, c.payWith(t, booking, "pm_ok", 100))
	open := c.processing(t, booking).id(t)
	for _, refused := range []answer{c.payWith(t, booking, "pm_ok", 100), c.refund(t, paid, object{})} {
		requireProblem(t, refused, conflict, problem.PaymentInProgress)
		require.Equal(t, open.String(), refused.text(t, "payment_id"))
		require.Contains(t, refused.text(t, "detail"), "POST /v1/payments/"+open.String()+"/cancel")
	}
	require.Equal(t, http.StatusOK, c.post(t, "/v1/payments/"+open.String()+"/cancel", nil).status)
	c.created(t, c.payWith(t, booking, "pm_ok", 100))

	_, err := c.sql.Exec(t.Context(), `INSERT INTO payments (tenant_id, payment_id, booking_id, refund_of, kind, status, amount, currency,
		method, provider, fence,
			leased_until, resolve_at, first_sent_at, last_sent_at, created_at, updated_at)
		SELECT tenant_id, $2, booking_id, payment_id, 'refund', 'processing', 1, currency, '', provider, 1, now(), now(), now(), now(),
			now(), now()
		FROM payments WHERE payment_id = $1`, paid, uuid.New())
	require.NoError(t, err)
	refused := c.payWith(t, booking, "pm_ok", 100)
	requireProblem(t, refused, conflict, problem.PaymentInProgress)
	require.NotEmpty(t, refused.text(t, "payment_id"))
	require.NotContains(t, refused.text(t, "detail"), "/cancel", "a refund can't be cancelled")
}

func TestPayments_MoreThanIsDue_IsFinalForItsKey(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	payment := c.created(t, c.payWith(t, booking, "pm_ok", 4000))
	for name, ask := range map[string]func(key string) answer{
		"overpayment": func(key string) answer {
			return c.payWith(t, booking, "pm_ok", 501,
				"Idempotency-Key", key)
		},
		"refund_exceeds_payment": func(key string) answer {
			return c.refund(t, payment, object{"amount": 4001},
				"Idempotency-Key", key)
		},
	} {
		first, again := ask(name), ask(name)
		requireProblem(t, first, unprocessable, problem.Code(name))
		requireProblem(t, again, unprocessable, problem.Code(name))
		require.Equal(t, first.body, again.body)
		require.Empty(t, first.header.Get("Idempotent-Replayed"))
		require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	}
	requireProblem(t, c.pay(t, booking, object{"kind": "deposit", "payment_method": "pm_ok"}), unprocessable,
		problem.Overpayment)
	require.Equal(t, 1, c.count(t, "SELECT count(*) FROM payments"), "a refusal is no payment")
}

func TestPayments_NoAnswerInTime_Is202UntilTheEndIsKnown(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	for range 2 { // the second key is another payment
		key := uuid.NewString()
		first := c.payWith(t, booking, "pm_timeout_charged", 100, "Idempotency-Key", key)
		require.Equal(t, http.StatusAccepted, first.status, first.body)
		require.Equal(t, "unknown", first.text(t, "status"))
		require.Equal(t, "/v1/payments/"+first.text(t, "id"), first.header.Get("Location"))
		inTheAir := c.payWith(t, booking, "pm_ok", 100)
		requireProblem(t, inTheAir, conflict, problem.PaymentInProgress)
		require.NotEmpty(t, inTheAir.header.Get("Retry-After"))
		require.Equal(t, http.StatusUnprocessableEntity,
			c.payWith(t, booking, "pm_timeout_charged", 101, "Idempotency-Key", key).status)

		again := c.payWith(t, booking, "pm_timeout_charged", 100, "Idempotency-Key", key)
		require.Equal(t, http.StatusCreated, again.status, again.body)
		require.Empty(t, again.header.Get("Idempotent-Replayed"), "a 202 is not stored")
		require.Equal(t, first.text(t, "id"), again.text(t, "id"))
		replayed := c.payWith(t, booking, "pm_timeout_charged", 100, "Idempotency-Key", key)
		require.Equal(t, "true", replayed.header.Get("Idempotent-Replayed"))
		require.Equal(t, again.body, replayed.body)
	}
	c.requireBalance(t, booking, `{"total":4500,"deposit_due":800,"paid":200,"refunded":0,"returning":0,"lowered":0,`+
		`"lowered_fee":0,"due":4300,"overpaid":0,"currency":"EUR"}`)
}

func TestPayments_CustomerHasToAct_AWebhookTellsTheEnd(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	c.sandbox.SetWebhook(c.url + "/webhooks/sandbox")
	for _, test := range []struct{ outcome, status string }{{"fail", "declined"}, {"complete", "succeeded"}} {
		key := uuid.NewString()
		first := c.payWith(t, booking, "pm_requires_action", 100, "Idempotency-Key", key)
		require.Equal(t, http.StatusAccepted, first.status, first.body)
		require.Equal(t, "processing", first.text(t, "status"))
		done, err := c.http.PostForm(first.text(t, "action_url"), url.Values{"outcome": {test.outcome}})
		require.NoError(t, err)
		require.NoError(t, done.Body.Close())
		require.Eventually(t, func() bool {
			return c.get(t, first.header.Get("Location")).text(t, "status") == test.status
		}, soon, 10*time.Millisecond)
		again := c.payWith(t, booking, "pm_requires_action", 100, "Idempotency-Key", key)
		require.Equal(t, "true", again.header.Get("Idempotent-Replayed"), "the webhook finished the key: %s",
			again.body)
	}
	require.Equal(t, 2, c.count(t, "SELECT count(*) FROM provider_events"))
}

func TestPayments_ProviderIsAway_Is503AndTheKeyStaysFree(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	require.NoError(t, c.sandbox.Close())
	a := c.payWith(t, booking, "pm_ok", 100)
	requireProblem(t, a, http.StatusServiceUnavailable, problem.ProviderUnavailable)
	require.NotEmpty(t, a.header.Get("Retry-After"))
	require.Zero(t, c.count(t, "SELECT count(*) FROM idempotency_keys WHERE status = 503"))
}

func TestPayments_BookingsVersionChangesWithItsMoney(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	path := "/v1/bookings/" + booking.String()
	read := c.get(t, path)
	require.EqualValues(t, 0, read.field(t, "paid"))
	require.EqualValues(t, 4500, read.field(t, "due"))
	payment := c.created(t, c.payWith(t, booking, "pm_ok", 100))
	paid := c.get(t, path)
	require.EqualValues(t, 100, paid.field(t, "paid"))
	require.EqualValues(t, 4400, paid.field(t, "due"))
	c.created(t, c.refund(t, payment, object{"amount": 40, "owed_again": true}))
	refunded := c.get(t, path)
	require.EqualValues(t, 100, refunded.field(t, "paid"), "what was returned was paid before")
	require.EqualValues(t, 4440, refunded.field(t, "due"))
	seen := make(map[string]bool)
	for _, a := range []answer{read, paid, refunded} {
		require.False(t, seen[a.header.Get("ETag")], "two states with one tag")
		seen[a.header.Get("ETag")] = true
	}
	stale := c.post(t, path+"/cancel", nil, "If-Match", paid.header.Get("ETag"))
	requireProblem(t, stale, http.StatusPreconditionFailed, problem.VersionMismatch)
	require.Equal(t, http.StatusOK, c.post(t, path+"/cancel", nil, "If-Match", refunded.header.Get("ETag")).status)
}

func TestPayments_AmountThatDoesNotFitItsKind_IsRefused(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	path := "/v1/bookings/" + booking.String() + "/payments"
	invalid := func(name string, body any, field, reason string) refusal {
		return refusal{
			name:   name,
			method: http.MethodPost,
			path:   path,
			body:   body,
			status: unprocessable,
			code:   problem.ValidationFailed,
			field:  field,
			reason: reason,
		}
	}
	raw := func(amount string) string {
		return `{"kind":"amount","payment_method":"pm_ok","amount":` + amount + "}"
	}
	refusals := []refusal{
		invalid("a deposit with an amount", object{"kind": "deposit", "amount": 1000, "payment_method": "pm_ok"},
			"amount", "invalid"),
		invalid("a balance with an amount", object{"kind": "balance", "amount": 4500, "payment_method": "pm_ok"},
			"amount", "invalid"),
		invalid("an amount without one", object{"kind": "amount", "payment_method": "pm_ok"}, "amount", "invalid"),
		invalid("null", raw("null"), "amount", "wrong_type"),
	}
	for _, amount := range []string{"NaN", "Infinity", "-Infinity", "1e400", "01", "+1", "0x10", "1_000"} {
		refusals = append(refusals, refusal{
			name: amount, method: http.MethodPost, path: path, body: raw(amount),
			status: http.StatusBadRequest, code: problem.MalformedRequest,
		})
	}
	requireRefused(t, c, refusals)
}

func TestWebhooks_WithoutAValidSignature_AreRefusedWhateverTheySay(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	c.created(t, c.payWith(t, booking, "pm_ok", 100))
	event := `{"id":"evt_1","type":"charge.succeeded","charge":{"id":"ch_1","status":"succeeded","amount":1}}`
	valid := "t=1,v1=" + strings.Repeat("00", 32)
	before := c.tables(t)
	for _, path := range []string{"/webhooks/sandbox", "/webhooks/stripe", "/webhooks/nobody", "/webhooks/%ff",
		"/webhooks/..",
		"/webhooks/" + strings.Repeat("a", 5000)} {
		for _, body := range []string{event, "{}", "", "null", "x", strings.Repeat(" ", 64<<10) + event} {
			for _, signature := range []string{"", "t=,v1=", "v1", valid, valid + "," + valid,
				strings.Repeat("t=1,", 1000)} {
				a := c.post(t, path, body, "Sandbox-Signature", signature, "Stripe-Signature", signature,
					"Authorization", "",
					"Idempotency-Key", "")
				require.GreaterOrEqual(t, a.status, http.StatusBadRequest, "%s %q", path, signature)
				require.Less(t, a.status, http.StatusInternalServerError, "%s %q: %s", path, signature, a.body)
				require.True(t, json.Valid([]byte(a.body)), a.body)
				if body == event && !strings.Contains(path, ".") && !strings.Contains(path, "%") {
					requireProblem(t, a, http.StatusUnauthorized, problem.Unauthenticated)
				}
			}
		}
	}
	require.Equal(t, before, c.tables(t))
	require.Equal(t, http.StatusMethodNotAllowed, c.get(t, "/webhooks/sandbox").status)
}
