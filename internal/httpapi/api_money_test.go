package httpapi_test

import (
	"net/http"
	"net/url"
	"sync"
	"testing"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/event"
	"holdfast/internal/problem"
)

// work handles the due events of payments.
func (c client) work(t *testing.T) {
	t.Helper()
	event.NewWorker(c.store, event.Config{}, c.api.Payments.Resolution(),
		c.api.Payments.EndedBooking()).RunUntilIdle(t.Context())
}

// resold returns a client with a paid booking of 4500 on dear, and a date on which its service costs 50.
func resold(t *testing.T) (c client, booking uuid.UUID, cheap civil.Date) {
	t.Helper()
	c, cheap = setup(t), future(1)
	service := c.newService(t, "date",
		object{"price": 4500, "deposit": 1000,
			"rates": []object{{"from": cheap.String(), "to": cheap.String(), "price": 50, "deposit": 10}}},
		c.newResource(t, 9))
	return c, c.book(t, service, future(0)).id(t), cheap
}

// requireMoney requires what the booking, its balance and the list say of its money.
func (c client) requireMoney(t testingT, booking uuid.UUID, want string) {
	t.Helper()
	path := "/v1/bookings/" + booking.String()
	c.get(t, path).requireFields(t, want)
	c.get(t, path+"/balance").requireFields(t, want)
	listed := false
	for _, b := range c.list(t, "/v1/bookings").Data {
		if b["id"] == booking.String() {
			listed = true
			var some object
			answer{body: want}.read(t, &some)
			for name, value := range some {
				require.Equal(t, value, b[name], name)
			}
		}
	}
	require.True(t, listed)
}

func TestRefund_OfAPaidBooking_IsNotDueAgainUnlessItIsOwedAgain(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	id := c.created(t, c.payWith(t, booking, "pm_ok", 4500))
	goodwill := c.refund(t, id, object{"amount": 1000})
	goodwill.requireFields(t, `{"kind":"refund","amount":1000,"lowers_owed":1000}`)
	c.requireMoney(t, booking, `{"paid":4500,"refunded":1000,"due":0,"overpaid":0}`)
	c.get(t, "/v1/bookings/"+booking.String()+"/balance").requireFields(t,
		`{"total":4500,"deposit_due":0,"lowered":1000}`)
	require.Len(t, c.list(t, "/v1/bookings?payment_state=paid").Data, 1)
	requireProblem(t, c.payWith(t, booking, "pm_ok", 1), unprocessable, problem.Overpayment)

	c.refund(t, id, object{"amount": 700, "owed_again": true}).requireFields(t, `{"amount":700,"lowers_owed":0}`)
	c.requireMoney(t, booking, `{"paid":4500,"refunded":1700,"due":700,"overpaid":0}`)
	require.Equal(t, http.StatusCreated, c.pay(t, booking, object{"kind": "balance", "payment_method": "pm_ok"}).status)
	c.requireMoney(t, booking, `{"paid":5200,"refunded":1700,"due":0,"overpaid":0}`)

	declined := c.created(t,
		c.payWith(t, c.book(t, c.serviceOf(t, booking), at(future(0), 12, 0)).id(t), "pm_refund_fails", 4500))
	requireProblem(t, c.refund(t, declined, object{"amount": 100}), http.StatusPaymentRequired, problem.PaymentDeclined)
	read := c.get(t, "/v1/payments/"+declined.String())
	c.requireMoney(t, uuid.MustParse(read.text(t, "booking_id")), `{"paid":4500,"refunded":0,"due":0,"overpaid":0}`)
}

// serviceOf returns the service of a booking.
func (c client) serviceOf(t testingT, booking uuid.UUID) uuid.UUID {
	t.Helper()
	return uuid.MustParse(c.get(t, "/v1/bookings/"+booking.String()).text(t, "service_id"))
}

func TestOverpaid_BookingMovedToALowerPrice_IsShownToldFoundAndRefunded(t *testing.T) {
	t.Parallel()
	c, booking, cheap := resold(t)
	first := c.created(t, c.payWith(t, booking, "pm_ok", 500))
	c.created(t, c.payWith(t, booking, "pm_ok", 4000))
	path := "/v1/bookings/" + booking.String()
	moved := c.post(t, path+"/reschedule", object{"date": cheap.String(), "price": "quote"})
	require.Equal(t, http.StatusOK, moved.status, moved.body)
	moved.requireFields(t, `{"price":50,"due":0,"overpaid":4450,"version":5}`)
	require.Equal(t, `"5"`, moved.header.Get("ETag"))
	require.Equal(t, moved.body, c.get(t, path).body)
	c.requireMoney(t, booking, `{"paid":4500,"refunded":0,"due":0,"overpaid":4450}`)

	events := c.allEvents(t, 5, "&subject="+booking.String())
	require.Equal(t, []string{"booking.rescheduled", "booking.overpaid"}, []string{events[3].Type, events[4].Type})
	require.Equal(t, []int64{4, 5}, []int64{events[3].Sequence, events[4].Sequence})
	require.JSONEq(t, moved.body, string(events[4].Data))
	entries := c.history(t, path)
	require.Equal(t, "booking.overpaid", entries[len(entries)-1].Action)

	other := c.book(t, c.serviceOf(t, booking), future(0)).id(t)
	found := func(query string) (ids []string) {
		return c.listAll(t, "/v1/bookings", url.Values{"overpaid": {query}})
	}
	require.Equal(t, []string{booking.String()}, found("true"))
	require.Equal(t, []string{other.String()}, found("false"))
	require.Empty(t, c.list(t, "/v1/bookings?overpaid=true&payment_state=unpaid").Data)
	requireProblem(t, c.get(t, "/v1/bookings?overpaid=yes"), unprocessable, problem.ValidationFailed)

	key := uuid.NewString()
	c.post(t, path+"/refunds", nil, "Idempotency-Key", key).requireFields(t,
		`{"kind":"refund","amount":4000,"lowers_owed":0}`)
	c.requireMoney(t, booking, `{"paid":4500,"refunded":4000,"due":0,"overpaid":450}`)
	replayed := c.post(t, path+"/refunds", nil, "Idempotency-Key", key)
	require.Equal(t, "true", replayed.header.Get("Idempotent-Replayed"))
	c.post(t, path+"/refunds", nil).requireFields(t, `{"refund_of":"`+first.String()+`","amount":450,"lowers_owed":0}`)
	c.requireMoney(t, booking, `{"paid":4500,"refunded":4450,"due":0,"overpaid":0}`)
	requireProblem(t, c.post(t, path+"/refunds", nil), conflict, problem.InvalidState)
	require.Empty(t, found("true"))
	requireProblem(t, c.post(t, "/v1/bookings/"+uuid.NewString()+"/refunds", nil), http.StatusNotFound,
		problem.NotFound)
}

func TestOverpaid_RefundOfTheLatestPaymentIsDeclined_NextRequestTakesAnotherPayment(t *testing.T) {
	t.Parallel()
	c, booking, cheap := resold(t)
	first := c.created(t, c.payWith(t, booking, "pm_ok", 500))
	c.created(t, c.payWith(t, booking, "pm_refund_fails", 4000))
	path := "/v1/bookings/" + booking.String()
	require.Equal(t, http.StatusOK,
		c.post(t, path+"/reschedule", object{"date": cheap.String(), "price": "quote"}).status)
	requireProblem(t, c.post(t, path+"/refunds", nil), http.StatusPaymentRequired, problem.PaymentDeclined)
	c.post(t, path+"/refunds", nil).requireFields(t, `{"refund_of":"`+first.String()+`","amount":500,"lowers_owed":0}`)
	c.requireMoney(t, booking, `{"paid":4500,"refunded":500,"due":0,"overpaid":3950}`)
	requireProblem(t, c.post(t, path+"/refunds", nil), http.StatusPaymentRequired, problem.PaymentDeclined)
}

func TestOverpaid_RefundOfThePayment_ReturnsWhatIsTooMuchFirst(t *testing.T) {
	t.Parallel()
	c, booking, cheap := resold(t)
	id := c.created(t, c.payWith(t, booking, "pm_ok", 4500))
	require.Equal(t, http.StatusOK,
		c.post(t, "/v1/bookings/"+booking.String()+"/reschedule",
			object{"date": cheap.String(), "price": "quote"}).status)
	c.refund(t, id, object{"amount": 4470}).requireFields(t, `{"amount":4470,"lowers_owed":20}`)
	c.requireMoney(t, booking, `{"refunded":4470,"due":0,"overpaid":0}`)
	c.get(t, "/v1/bookings/"+booking.String()+"/balance").requireFields(t, `{"lowered":20}`)
}

func TestOverpaid_RefundWhoseOutcomeIsUnknown_IsTheSameWhenRepeated(t *testing.T) {
	t.Parallel()
	c, booking, cheap := resold(t)
	c.created(t, c.payWith(t, booking, "pm_ok", 500))
	c.created(t, c.payWith(t, booking, "pm_ok", 4000))
	path := "/v1/bookings/" + booking.String()
	require.Equal(t, http.StatusOK,
		c.post(t, path+"/reschedule", object{"date": cheap.String(), "price": "quote"}).status)
	refund := c.post(t, path+"/refunds", nil).id(t)
	// As if the process had died before the provider's answer was recorded.
	_, err := c.sql.Exec(t.Context(), `DELETE FROM changes WHERE type = 'payment.refunded'`)
	require.NoError(t, err)
	_, err = c.sql.Exec(t.Context(),
		`UPDATE payments SET status = 'unknown', resolve_at = now() + interval '1 hour', leased_until = now()
			WHERE payment_id = $1`, refund)
	require.NoError(t, err)
	_, err = c.sql.Exec(t.Context(),
		`UPDATE idempotency_keys SET status = NULL, body = '' WHERE key = (SELECT idempotency_key FROM payments
			WHERE payment_id = $1)`, refund)
	require.NoError(t, err)
	var key string
	require.NoError(t, c.sql.QueryRow(t.Context(), `SELECT idempotency_key FROM payments WHERE payment_id = $1`,
		refund).Scan(&key))
	again := c.post(t, path+"/refunds", nil, "Idempotency-Key", key)
	require.Equal(t, http.StatusCreated, again.status, again.body)
	require.Equal(t, refund, again.id(t))
	c.requireMoney(t, booking, `{"refunded":4000,"overpaid":450}`)
}

func TestOverpaid_FromAWallet_GoesBackToTheWallet(t *testing.T) {
	t.Parallel()
	c, booking, cheap := resold(t)
	w := c.wallet(t, 5000)
	c.created(t, c.pay(t, booking, object{"kind": "balance", "wallet_id": w}))
	path := "/v1/bookings/" + booking.String()
	require.Equal(t, http.StatusOK,
		c.post(t, path+"/reschedule", object{"date": cheap.String(), "price": "quote"}).status)
	c.post(t, path+"/refunds", nil).requireFields(t, `{"provider":"wallet","amount":4450,"lowers_owed":0}`)
	c.get(t, "/v1/wallets/"+w.String()).requireFields(t, `{"available":4950}`)
	c.requireMoney(t, booking, `{"refunded":4450,"due":0,"overpaid":0}`)
}

func TestCancel_WithAFee_KeepsItAndRefundsTheRest(t *testing.T) {
	t.Parallel()
	for name, policy := range map[string]object{
		"no policy":  {},
		"all is due": {"steps": []object{{"from_minutes": 5270400, "percent": 100}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := setup(t)
			service := c.newService(t, "date", object{"price": 4500, "cancellation_policy": policy},
				c.newResource(t, 9))
			for fee, paid := range map[int]int{0: 4500, 1500: 4500, 2000: 500, 4500: 4500} {
				booking := c.book(t, service, future(2)).id(t)
				c.created(t, c.payWith(t, booking, "pm_ok", paid))
				path := "/v1/bookings/" + booking.String()
				cancelled := c.post(t, path+"/cancel", object{"fee": fee, "reason": "Agreed."})
				require.Equal(t, http.StatusOK, cancelled.status, cancelled.body)
				require.EqualValues(t, fee, cancelled.field(t, "cancellation_fee"))
				require.Equal(t, true, cancelled.field(t, "cancellation_fee_set"))
				require.Equal(t, cancelled.body, c.get(t, path).body)
				entries := c.history(t, path)
				last := entries[len(entries)-1]
				require.Equal(t, true, last.After["cancellation_fee_set"])
				require.NotEmpty(t, last.APIKeyID, "who said it")
				c.work(t)
				back := max(paid-fee, 0)
				got := c.get(t, path)
				require.EqualValues(t, back, got.field(t, "refunded"))
				require.EqualValues(t, max(fee-paid, 0), got.field(t, "due"))
				require.EqualValues(t, 0, got.field(t, "overpaid"))
				if fee > paid {
					require.Equal(t, http.StatusCreated,
						c.pay(t, booking, object{"kind": "balance", "payment_method": "pm_ok"}).status)
					c.requireMoney(t, booking, `{"paid":2000,"due":0}`)
				}
			}
		})
	}
}

func TestNoShow_WithAFee_KeepsItAndRefundsTheRest(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	c.created(t, c.payWith(t, booking, "pm_ok", 4500))
	path := "/v1/bookings/" + c.begun(t, booking).String()
	marked := c.post(t, path+"/no-show", object{"fee": 1000})
	require.Equal(t, http.StatusOK, marked.status, marked.body)
	marked.requireFields(t, `{"status":"no_show","cancellation_fee":1000,"cancellation_fee_set":true,"overpaid":3500}`)
	c.work(t)
	c.requireMoney(t, booking, `{"paid":4500,"refunded":3500,"due":0,"overpaid":0}`)
}

func TestCancel_FeeThatMayNotBe_IsRefused(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", object{"price": 4500}, c.newResource(t, 9))
	booking := c.book(t, service, future(2)).id(t)
	path := "/v1/bookings/" + booking.String()
	till, _ := c.withScopes(t, "book", "read")
	refused := till.post(t, path+"/cancel", object{"fee": 0})
	requireProblem(t, refused, http.StatusForbidden, problem.Forbidden)
	require.Contains(t, refused.body, "scope money")
	requireProblem(t, till.post(t, "/v1/bookings/"+booking.String()+"/no-show", object{"fee": 0}), http.StatusForbidden,
		problem.Forbidden)
	for _, fee := range []any{-1, 4501, 1.5, "1", nil} {
		requireProblem(t, c.post(t, path+"/cancel", object{"fee": fee}), unprocessable, problem.ValidationFailed)
	}
	hold := "/v1/bookings/" + c.book(t, service, future(2), object{"hold_minutes": 60}).id(t).String()
	requireProblem(t, c.post(t, hold+"/cancel", object{"fee": 1}), unprocessable, problem.ValidationFailed)
	require.Equal(t, http.StatusOK, c.post(t, hold+"/cancel", object{"fee": 0}).status)
	require.Equal(t, http.StatusOK, till.post(t, path+"/cancel", nil).status)
}

// requireStale requires that a change at another version than the current one is refused and writes nothing, that it
// succeeds at the current one, and that a repetition with its key is answered whatever If-Match says.
func (c client) requireStale(t *testing.T, path string, body any, etag string) {
	t.Helper()
	before := c.tables(t)
	refused := c.post(t, path, body, "If-Match", `"999"`)
	requireProblem(t, refused, http.StatusPreconditionFailed, problem.VersionMismatch)
	require.Equal(t, before, c.tables(t), path)
	require.Equal(t, etag, refused.header.Get("ETag"), path)
	require.Contains(t, refused.body, `"current":{`, path)
	key := uuid.NewString()
	done := c.post(t, path, body, "If-Match", etag, "Idempotency-Key", key)
	require.Equal(t, http.StatusCreated, done.status, "%s: %s", path, done.body)
	again := c.post(t, path, body, "If-Match", etag, "Idempotency-Key", key)
	require.Equal(t, done.body, again.body, path)
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"), path)
}

func TestIfMatch_OfWallets_RefusesAnotherVersion(t *testing.T) {
	t.Parallel()
	c := setup(t)
	w, other := c.wallet(t, 5000), c.wallet(t, 100)
	path := "/v1/wallets/" + w.String()
	etag := func() string { return c.get(t, path).header.Get("ETag") }
	c.requireStale(t, path+"/credits", object{"amount": 10}, etag())
	c.requireStale(t, path+"/debits", object{"amount": 10}, etag())
	c.requireStale(t, path+"/holds", object{"amount": 10}, etag())
	hold := func() string {
		return path + "/holds/" + c.post(t, path+"/holds", object{"amount": 10}).field(t,
			"entry").(object)["hold_id"].(string)
	}
	toCapture, toRelease := hold(), hold()
	c.requireStale(t, toCapture+"/capture", object{}, etag())
	c.requireStale(t, toRelease+"/release", object{}, etag())
	c.requireStale(t, "/v1/transfers", object{"from": w, "to": other, "amount": 10}, etag())
}

func TestIfMatch_OfPayments_IsTheBookingsVersion(t *testing.T) {
	t.Parallel()
	c, booking, cheap := resold(t)
	path := "/v1/bookings/" + booking.String()
	etag := func() string { return c.get(t, path).header.Get("ETag") }
	w := c.wallet(t, 100)
	c.requireStale(t, path+"/payments", object{"kind": "amount", "amount": 4400, "payment_method": "pm_ok"}, etag())
	c.requireStale(t, path+"/payments", object{"kind": "amount", "amount": 100, "wallet_id": w}, etag())
	payments := c.list(t, path+"/payments").Data
	for _, p := range payments {
		c.requireStale(t, "/v1/payments/"+p["id"].(string)+"/refunds", object{"amount": 50}, etag())
	}
	require.Equal(t, http.StatusOK,
		c.post(t, path+"/reschedule", object{"date": cheap.String(), "price": "quote"}).status)
	c.requireStale(t, path+"/refunds", nil, etag())
}

// Of changes at once that name one version, one is made.
func TestIfMatch_DebitsAtOnce_OneMovesCredit(t *testing.T) {
	t.Parallel()
	c := setup(t)
	w := c.wallet(t, 5000)
	path := "/v1/wallets/" + w.String()
	etag := c.get(t, path).header.Get("ETag")
	statuses := make([]int, 8)
	var all sync.WaitGroup
	for i := range statuses {
		all.Go(func() { statuses[i] = c.post(t, path+"/debits", object{"amount": 10}, "If-Match", etag).status })
	}
	all.Wait()
	counts := map[int]int{}
	for _, s := range statuses {
		counts[s]++
	}
	require.Equal(t, map[int]int{http.StatusCreated: 1, http.StatusPreconditionFailed: 7}, counts)
	c.get(t, path).requireFields(t, `{"balance":4990}`)
}
