package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func inCash(amount int) object {
	return object{"kind": "amount", "amount": amount, "offline": object{"method": "cash", "note": "=Taken by Ann"}}
}

// openRefund makes an open refund of one minor unit of an offline payment, as the end of its booking does.
func (c client) openRefund(t testingT, paid string) string {
	t.Helper()
	var id string
	require.NoError(t, c.sql.QueryRow(t.Context(), `
		INSERT INTO payments (tenant_id, payment_id, booking_id, refund_of, kind, status, amount, currency, method, provider,
			automatic, fence, leased_until, resolve_at, first_sent_at, last_sent_at, created_at, updated_at)
		SELECT tenant_id, gen_random_uuid(), booking_id, payment_id, 'refund', 'processing', 1, currency, method, provider,
			true, 1, '9000-01-01Z', '9000-01-01Z', now(), now(), now(), now()
		FROM payments WHERE payment_id = $1
		RETURNING payment_id`, paid).Scan(&id))
	return id
}

// listed returns a page of payments.
func (c client) listed(t testingT, path string) (list []object) {
	t.Helper()
	var page struct{ Data []object }
	c.get(t, path).ok(t).read(t, &page)
	return page.Data
}

func TestOffline_FromThePaymentToTheReceipt_ShowsItsMethod(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	paid := f.pay(t, f.booking, inCash(700))
	id := f.created(t, paid).String()
	require.Equal(t, []any{"offline", "cash", "succeeded", "=Taken by Ann"},
		[]any{paid.field(t, "provider"), paid.field(t, "payment_method"),
			paid.field(t, "status"), paid.field(t, "note")})
	require.NotEmpty(t, paid.text(t, "received_at"))
	refund := f.post(t, "/v1/payments/"+id+"/refunds",
		object{"amount": 200, "offline": object{"method": "transfer", "note": "SEPA 17"}})
	f.created(t, refund)
	require.NotEmpty(t, refund.text(t, "returned_at"))

	require.Len(t, f.listed(t, "/v1/payments?method=cash"), 1)
	require.Len(t, f.listed(t, "/v1/payments?method=transfer&kind=refund"), 1)
	require.Empty(t, f.listed(t, "/v1/payments?method=terminal"))
	lines := strings.Split(strings.TrimSpace(f.get(t, "/v1/payments.csv?method=cash").body), "\r\n")
	require.Len(t, lines, 2)
	require.True(t, strings.HasSuffix(lines[0], ",moved_at,note"), lines[0])
	require.True(t, strings.HasSuffix(lines[1], ",'=Taken by Ann"), lines[1])

	receipt := f.get(t, "/v1/payments/"+id+"/receipt")
	require.Equal(t, "cash", receipt.field(t, "payment_method"))
	require.Contains(t, receipt.body, `"payment_method":"transfer"`)
	require.NotContains(t, receipt.body, "Ann", "the note isn't for the customer")
	require.Equal(t, http.StatusOK, f.get(t, "/v1/payments/"+id+"/receipt.pdf").status)

	const today = "2026-07-01"
	_, err := f.sql.Exec(t.Context(), "UPDATE payments SET moved_at = '2026-07-01T10:00Z' WHERE provider = 'offline'")
	require.NoError(t, err)
	day := f.get(t, "/v1/payments/offline?from="+today+"&to="+today)
	require.Equal(t, http.StatusOK, day.status, day.body)
	require.Equal(t, []any{
		object{"date": today, "method": "cash", "currency": "EUR", "received": 700.0, "refunded": 0.0, "payments": 1.0},
		object{"date": today, "method": "transfer", "currency": "EUR", "received": 0.0, "refunded": 200.0,
			"payments": 1.0},
	}, day.field(t, "sums"))
	compared := f.admin().get(t, "/admin/v1/tenants/"+f.tenant.String()+"/reconciliation?from="+today+"&to="+today)
	require.Equal(t, day.field(t, "sums"), compared.field(t, "offline"))
	require.Empty(t, compared.field(t, "differences"))
}

func TestOffline_CancelledWithAFee_LeavesTheRestToHandBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	id := f.created(t, f.pay(t, f.booking, inCash(700))).String()
	require.Equal(t, http.StatusOK, f.post(t, "/v1/bookings/"+f.booking.String()+"/cancel", object{"fee": 300}).status)
	f.work(t)
	balance := f.get(t, "/v1/bookings/"+f.booking.String()+"/balance")
	require.Equal(t, []any{700.0, 0.0, 400.0, 0.0}, []any{balance.field(t, "paid"), balance.field(t, "refunded"),
		balance.field(t, "returning"), balance.field(t, "overpaid")})
	open := f.listed(t, "/v1/payments?kind=refund&status=processing")
	require.Len(t, open, 1)
	require.Equal(t, []any{id, 400.0, "cash", true},
		[]any{open[0]["refund_of"], open[0]["amount"], open[0]["payment_method"],
			open[0]["automatic"]})
	require.NotContains(t, open[0], "returned_at")
	require.NotContains(t, f.get(t, "/v1/payments/"+id+"/receipt").body, "refunded_at", "nobody has handed it back")
	path := "/v1/payments/" + open[0]["id"].(string) + "/complete"
	stale := f.post(t, path, object{"note": "Handed back by Ann"}, "If-Match", `"1"`)
	require.Equal(t, http.StatusPreconditionFailed, stale.status, stale.body)
	require.Contains(t, stale.body, `"current"`)
	done := f.post(t, path, object{"note": "Handed back by Ann"})
	require.Equal(t, http.StatusOK, done.status, done.body)
	require.Equal(t, []any{"succeeded", "cash"}, []any{done.field(t, "status"), done.field(t, "payment_method")})
	require.EqualValues(t, 400, f.get(t, "/v1/bookings/"+f.booking.String()+"/balance").field(t, "refunded"))
}

// A note may name the customer: nothing of it is left.
func TestOffline_CustomerIsErased_NoteIsGone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	const secret = "Miss Lovelace herself"
	key := uuid.NewString()
	send := func() answer {
		return f.post(t, "/v1/bookings/"+f.booking.String()+"/payments", object{
			"kind": "amount", "amount": 700, "offline": object{"method": "cash", "note": secret},
		}, "Idempotency-Key", key)
	}
	id := f.created(t, send()).String()
	f.created(t, f.post(t, "/v1/payments/"+id+"/refunds", object{"amount": 200, "offline": object{"note": secret}}))
	require.Contains(t, f.get(t, "/v1/customers/"+f.customer.String()+"/export").body, secret)
	require.Equal(t, http.StatusOK, f.post(t, "/v1/customers/"+f.customer.String()+"/erase", nil).status)
	for _, path := range []string{"/v1/payments/" + id, "/v1/payments", "/v1/payments.csv", "/v1/events?limit=200",
		"/v1/bookings/" + f.booking.String() + "/history"} {
		require.NotContains(t, f.get(t, path).body, secret, path)
	}
	require.NotContains(t, send().body, secret, "the stored response")
	require.Empty(t, f.holding(t, secret))
	require.Contains(t, f.get(t, "/v1/events?limit=200").body, `"payment_method":"cash"`,
		"the rest of the payment stays")
}

func TestOffline_VisitorsAndKeysWithoutMoney_CannotRecordIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	visitor := f.post(t, f.visitPath()+"/payments", inCash(1))
	require.Equal(t, http.StatusUnprocessableEntity, visitor.status, visitor.body)
	require.Zero(t, f.count(t, "SELECT count(*) FROM payments WHERE provider = 'offline'"))
}
