package httpapi_test

import (
	"encoding/base64"
	"encoding/csv"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// changedAt moves a payment's last change.
func (c client) changedAt(t testingT, payment string, at time.Time) {
	t.Helper()
	_, err := c.sql.Exec(t.Context(), "UPDATE payments SET updated_at = $1 WHERE payment_id = $2", at, payment)
	require.NoError(t, err)
}

// money is a booking with a deposit, a declined payment, an open one and a refund, all by id, an hour after each other.
type money struct{ booking, deposit, refund, declined, open, elsewhere string }

func newMoney(t testingT, c client, begin time.Time) (m money) {
	t.Helper()
	service := c.newService(t, "slot", object{"price": 4500, "deposit": 1000}, c.newResource(t, 9))
	paid := c.book(t, service, at(future(0), 10, 0),
		object{"reference": "=1+1", "external_reference": "shop \"4711\", again"})
	m.booking = paid.id(t).String()
	pay := func(booking uuid.UUID, kind, method string) string {
		a := c.pay(t, booking, object{"kind": kind, "payment_method": method})
		if a.status == http.StatusPaymentRequired {
			return a.text(t, "payment_id")
		}
		return a.id(t).String()
	}
	m.deposit = pay(paid.id(t), "deposit", "pm_ok")
	m.refund = c.created(t, c.post(t, "/v1/payments/"+m.deposit+"/refunds", object{"amount": 300})).String()
	m.declined = pay(paid.id(t), "balance", "pm_declined")
	m.open = pay(paid.id(t), "balance", "pm_requires_action")
	m.elsewhere = pay(c.book(t, service, at(future(1), 10, 0)).id(t), "balance", "pm_ok")
	for i, id := range []string{m.deposit, m.refund, m.declined, m.open, m.elsewhere} {
		c.changedAt(t, id, begin.Add(time.Duration(i)*time.Hour))
	}
	return m
}

func TestListAllPayments_Filters_ListWhatTheyName(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c, other := s.newTenant(t, "Europe/Berlin"), s.newTenant(t, "Europe/Berlin")
	berlin := location(t, "Europe/Berlin")
	// From 22:30 in Berlin, which is on the same date in UTC: the third payment is on the next date in Berlin only.
	m := newMoney(t, c, time.Date(2026, 7, 1, 22, 30, 0, 0, berlin))
	newMoney(t, other, time.Date(2026, 7, 1, 22, 30, 0, 0, berlin))
	for _, want := range []struct {
		query string
		ids   []string
	}{
		{"", []string{m.deposit, m.refund, m.declined, m.open, m.elsewhere}},
		{"from=2026-07-01&to=2026-07-01", []string{m.deposit, m.refund}},
		{"from=2026-07-02", []string{m.declined, m.open, m.elsewhere}},
		{"to=2026-06-30", nil},
		{"kind=refund", []string{m.refund}},
		{"kind=balance", []string{m.declined, m.open, m.elsewhere}},
		{"kind=balance&status=succeeded", []string{m.elsewhere}},
		{"status=processing", []string{m.open}},
		{"status=declined&from=2026-07-02&to=2026-07-02", []string{m.declined}},
		{"booking_id=" + m.booking, []string{m.deposit, m.refund, m.declined, m.open}},
		{"booking_id=" + m.booking + "&status=succeeded", []string{m.deposit, m.refund}},
		{"booking_id=" + uuid.NewString(), nil},
	} {
		for _, limit := range []string{"1", "2", "50"} {
			query, err := url.ParseQuery(want.query)
			require.NoError(t, err)
			query.Set("limit", limit)
			require.ElementsMatch(t, want.ids, c.listAll(t, "/v1/payments", query), want.query)
		}
	}
	require.Equal(t, []string{m.deposit, m.refund, m.declined, m.open, m.elsewhere},
		c.listAll(t, "/v1/payments", url.Values{"limit": {"2"}}))
	first := c.list(t, "/v1/payments?limit=1").Data[0]
	var shown object
	c.get(t, "/v1/payments/"+m.deposit).ok(t).read(t, &shown)
	booking := c.get(t, "/v1/bookings/"+m.booking).ok(t)
	shown["booking"] = object{"code": booking.text(t, "code"), "reference": "=1+1",
		"external_reference": "shop \"4711\", again"}
	require.Equal(t, shown, first)
}

func TestListAllPayments_BadQuery_IsRefused(t *testing.T) {
	t.Parallel()
	c := setup(t)
	cursor := func(text string) string { return "cursor=" + base64.RawURLEncoding.EncodeToString([]byte(text)) }
	for _, path := range []string{"/v1/payments", "/v1/payments.csv"} {
		for _, query := range []string{
			"from=2026-02-30", "from=0001-01-01", "to=9999-12-31", "kind=gift", "status=done", "booking_id=1",
			"limit=0", "limit=201",
			"cursor=x",
			cursor("x|" + uuid.NewString()), cursor("99999999999999999999|" + uuid.NewString()), cursor("1|x"),
			"customer_id=1",
		} {
			a := c.get(t, path+"?"+query)
			require.Equal(t, http.StatusUnprocessableEntity, a.status, "%s: %s", query, a.body)
			requireProblem(t, a, http.StatusUnprocessableEntity, problem.ValidationFailed)
		}
	}
}

func TestListAllPayments_WithoutTheScopeMoney_IsForbidden(t *testing.T) {
	t.Parallel()
	c := setup(t)
	key := func(scopes ...any) client {
		made := c.post(t, "/v1/api-keys", object{"name": "Till", "scopes": scopes})
		return client{apiServer: c.apiServer, key: made.text(t, "api_key"), tenant: c.tenant}
	}
	reads, accounts := key("read", "book", "admin"), key("money")
	for _, path := range []string{"/v1/payments", "/v1/payments.csv"} {
		requireProblem(t, reads.get(t, path), http.StatusForbidden, problem.Forbidden)
		accounts.get(t, path).ok(t)
	}
}

func TestPaymentsCSV_IsForAccounting(t *testing.T) {
	t.Parallel()
	c := setup(t)
	m := newMoney(t, c, time.Date(2026, 7, 1, 22, 30, 0, 0, location(t, "Europe/Berlin")))
	lines := func(path string) (lines []map[string]string) {
		for path != "" {
			a := c.get(t, path).ok(t)
			require.Equal(t, "text/csv; charset=utf-8", a.header.Get("Content-Type"))
			rows, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
			require.NoError(t, err)
			for _, row := range rows[1:] {
				line := make(map[string]string)
				for i, name := range rows[0] {
					line[name] = row[i]
				}
				lines = append(lines, line)
			}
			path = ""
			if link := a.header.Get("Link"); link != "" {
				path, _, _ = strings.Cut(strings.TrimPrefix(link, "<"), ">")
			}
		}
		return lines
	}
	booking := c.get(t, "/v1/bookings/"+m.booking).ok(t)
	deposit := c.get(t, "/v1/payments/"+m.deposit).ok(t)
	all := lines("/v1/payments.csv?limit=1&to=2026-07-02")
	require.Len(t, all, 3, "what hasn't succeeded is left out")
	require.Equal(t, map[string]string{
		"date": "2026-07-01", "updated_at": "2026-07-01T20:30:00Z", "payment_id": m.deposit, "kind": "deposit",
		"status": "succeeded",
		"amount": "1000", "net_amount": "1000",
		"currency": "EUR", "provider": "sandbox", "provider_id": deposit.text(t, "provider_id"),
		"payment_method": "pm_ok", "refund_of": "",
		"wallet_id": "",
		"automatic": "false", "booking_id": m.booking, "booking_code": booking.text(t, "code"),
		"booking_reference":          "'=1+1",
		"booking_external_reference": "shop \"4711\", again", "moved_at": "", "note": "",
	}, all[0])
	require.Equal(t, []string{"refund", "300", "-300", m.deposit},
		[]string{all[1]["kind"], all[1]["amount"], all[1]["net_amount"], all[1]["refund_of"]})
	require.Equal(t, []string{"2026-07-02", "4500", ""},
		[]string{all[2]["date"], all[2]["amount"], all[2]["booking_reference"]})

	declined := lines("/v1/payments.csv?status=declined")
	require.Len(t, declined, 1)
	require.Equal(t, "0", declined[0]["net_amount"])
}
