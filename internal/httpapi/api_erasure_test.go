package httpapi_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/email"
	"holdfast/internal/problem"
)

// holding returns the columns of all tables, of every type, in which a word stands, with its count of rows.
func (c client) holding(t testingT, word string) map[string]int {
	t.Helper()
	rows, err := c.sql.Query(t.Context(), `SELECT c.relname, a.attname, a.atttypid = 'bytea'::regtype
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped`)
	require.NoError(t, err)
	type column struct {
		table, name string
		bytes       bool
	}
	var columns []column
	for rows.Next() {
		var col column
		require.NoError(t, rows.Scan(&col.table, &col.name, &col.bytes))
		columns = append(columns, col)
	}
	require.NoError(t, rows.Err())
	require.Greater(t, len(columns), 100)
	found := map[string]int{}
	for _, col := range columns {
		text := `"` + col.name + `"::text`
		if col.bytes {
			text = `encode("` + col.name + `", 'escape')`
		}
		n := c.count(t, `SELECT count(*) FROM "`+col.table+`" WHERE position(lower($1) IN lower(`+text+`)) > 0`, word)
		if n > 0 {
			found[col.table+"."+col.name] = n
		}
	}
	return found
}

// echoed makes an endpoint for all events that answers with what it gets, so that attempts record it.
func (c client) echoed(t testing.TB) {
	t.Helper()
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_,
			_ = io.Copy(w, r.Body)
	}))
	t.Cleanup(echo.Close)
	c.created(t, c.post(t, "/v1/webhook-endpoints", object{"url": echo.URL, "types": []any{"*"}}))
}

func TestErase_PersonInEveryField_IsNowhereInTheDatabase(t *testing.T) {
	t.Parallel()
	c := setup(t)
	require.Equal(t, http.StatusOK, c.patch(t, "/v1/tenant", object{
		"greetings": object{"birthday": true, "anniversary": true},
		"email":     object{"from": object{"name": "Harbour", "email": "booking@harbour.example"}},
	}).status)
	c.echoed(t)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000}, c.newResource(t, 9))
	word := "Qzx" + strings.ReplaceAll(uuid.NewString(), "-", "")
	person := object{"name": word + " name", "email": word + "@example.com", "phone": word + "1",
		"time_zone": "Europe/London",
		"birthday":  "1990-12-10"}
	texts := object{}
	for _, name := range booking.NamesOfDetails() {
		texts[name] = word + " " + name
	}
	texts["metadata"] = object{"note": word + " metadata"}
	key := word + "-booking"
	body := object{
		"service_id": service.String(), "date": future(3).String(), "customer": person,
		"metadata":  object{"note": word},
		"reference": word, "external_reference": word,
	}
	first := c.post(t, "/v1/bookings", body, "Idempotency-Key", key)
	made := c.created(t, first)
	customer := uuid.MustParse(first.field(t, "customer").(object)["id"].(string))
	held, _ := c.bookFor(t, service, 4, person, texts, object{"hold_minutes": 60})
	other := object{"name": "Grace Hopper", "email": "grace@example.com"}
	kept, grace := c.bookFor(t, service, 4, other, object{"metadata": object{"note": "stays"}})

	hold := bookingOf(service, future(6), texts, object{"hold_minutes": 60})
	delete(hold, "customer")
	unknown := c.created(t, c.post(t, "/v1/bookings", hold))
	// This response names the person, but no customer yet.
	require.Equal(t, http.StatusOK,
		c.post(t, "/v1/bookings/"+unknown.String()+"/reschedule", object{"date": future(7).String()}).status)
	confirmed := c.post(t, "/v1/bookings/"+unknown.String()+"/confirm", object{"customer": person})
	require.Equal(t, http.StatusOK, confirmed.status, confirmed.body)
	require.Equal(t, customer.String(), confirmed.field(t, "customer").(object)["id"])

	paying := c.payWith(t, made, "pm_ok", 1000, "Idempotency-Key", word+"-payment")
	require.Equal(t, http.StatusCreated, paying.status, paying.body)
	noted := object{"kind": "amount", "amount": 500, "payment_method": "pm_ok", "metadata": object{"note": word}}
	notedKey := uuid.NewString()
	payNoted := func() answer {
		return c.post(t, "/v1/bookings/"+made.String()+"/payments", noted, "Idempotency-Key", notedKey)
	}
	require.Equal(t, http.StatusCreated, payNoted().status)
	require.Equal(t, http.StatusCreated,
		c.refund(t, paying.id(t), object{"amount": 300}, "Idempotency-Key", word+"-refund").status)
	require.Equal(t, http.StatusOK,
		c.post(t, "/v1/bookings/"+held.String()+"/cancel", object{"reason": word + " is ill"}).status)
	wallet := c.created(t, c.post(t, "/v1/wallets", object{"customer_id": customer.String(), "currency": "EUR"}))
	require.Equal(t, http.StatusCreated,
		c.post(t, walletPath(wallet)+"/credits", object{"amount": 500, "reason": word, "reference": word}).status)
	require.Equal(t, http.StatusOK, c.patch(t, customerPath(customer), object{"name": word + " later"}).status)
	_, twin := c.bookFor(t, service, 5, object{"name": word + " twin", "email": word + "-twin@example.com"}, texts)
	require.Equal(t, http.StatusOK, c.merge(t, twin, customer).status)
	paid, bookings := c.count(t, "SELECT sum(amount) FROM payments"), c.count(t, "SELECT count(*) FROM bookings")

	sent := c.sendMessages(t)
	require.Contains(t, sent, strings.ToLower(word)+"@example.com")

	before := c.holding(t, word)
	for _, column := range []string{
		"customers.name", "customers.email", "customers.phone", "bookings.details", "bookings.cancellation_reason",
		"bookings.reference",
		"bookings.external_reference", "changes.data", "payments.metadata", "idempotency_keys.body",
		"wallet_entries.reason",
		"wallet_entries.reference",
		"event_attempts.details",
	} {
		require.Contains(t, before, column, "the search must be able to fail")
	}

	// Keys are the client's own. They stay, because without them a repeated request would book or pay again.
	keys := map[string]int{"idempotency_keys.key": 3, "payments.idempotency_key": 2}
	a := c.post(t, customerPath(customer)+"/erase", nil, "If-Match", `"3"`)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, keys, c.holding(t, word))

	require.NotEmpty(t, a.text(t, "erased_at"))
	read := c.get(t, customerPath(customer))
	require.Equal(t, a.body, read.body)
	require.NotContains(t, read.body, "name")
	require.Equal(t, http.StatusOK, c.get(t, "/v1/bookings/"+made.String()).status)
	require.Equal(t, paid, c.count(t, "SELECT sum(amount) FROM payments"))
	require.Equal(t, bookings, c.count(t, "SELECT count(*) FROM bookings"))
	require.Zero(t, c.count(t,
		"SELECT count(*) FROM scheduled_events WHERE subject_id = $1 AND status IN ('pending', 'failed')", customer))
	for _, path := range []string{customerPath(customer), customerPath(twin), "/v1/bookings/" + made.String(),
		"/v1/bookings/" +
			held.String()} {
		c.history(t, path) // still one entry a version
	}
	require.Equal(t, http.StatusOK, c.get(t, "/v1/events?limit=200").status)

	// A repeated request isn't answered with the person, nor made again.
	requireProblem(t, c.post(t, "/v1/bookings", body, "Idempotency-Key", key), http.StatusGone, problem.Erased)
	requireProblem(t, payNoted(), http.StatusGone, problem.Erased)
	require.Equal(t, keys, c.holding(t, word))
	// Nobody changes the erased customer or books for it; its email is free again.
	requireProblem(t, c.patch(t, customerPath(customer), object{"name": "X"}), http.StatusConflict,
		problem.InvalidState)
	again := without(bookingOf(service, future(5), object{"customer_id": customer.String()}), []any{"customer"})
	requireProblem(t, c.post(t, "/v1/bookings", again), http.StatusNotFound, problem.NotFound)
	_, anew := c.bookFor(t, service, 5, person)
	require.NotEqual(t, customer, anew)
	require.Equal(t, []string{anew.String()}, c.found(t, "email="+word+"@example.com"))

	require.Equal(t, object{"note": "stays"}, c.get(t, "/v1/bookings/"+kept.String()).field(t, "metadata"))
	require.Equal(t, "Grace Hopper", c.get(t, customerPath(grace)).text(t, "name"))
}

// sentTo is a sender that keeps the addresses.
type sentTo chan string

func (s sentTo) Send(_ context.Context, m email.Message) error {
	s <- m.To.Email
	return nil
}

// sendMessages sends the emails and delivers the events that are due, and returns the addresses.
func (c client) sendMessages(t *testing.T) (addresses []string) {
	t.Helper()
	c.planMessages(t)
	sent := make(sentTo, 100)
	c.startWorker(t, c.messages.Emails(sent, email.Senders{Tenants: "mail@platform.example"},
		"https://harbour.example")...)
	require.Eventually(t, func() bool {
		return c.count(t, "SELECT count(*) FROM scheduled_events WHERE kind = 'message.email' AND status IN ('pending', 'processing', "+
			"'failed')") == 0 &&
			c.count(t, "SELECT count(*) FROM scheduled_events WHERE kind = 'webhook.delivery' AND status = 'completed'") ==
				c.count(t, "SELECT count(*) FROM changes WHERE subject_type <> 'webhook_endpoint'")
	}, time.Minute, 20*time.Millisecond)
	for len(sent) > 0 {
		addresses = append(addresses, <-sent)
	}
	return addresses
}
