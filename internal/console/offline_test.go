package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/atom"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
	"holdfast/internal/user"
)

// todayInBerlin is the date there.
func todayInBerlin(t testing.TB) civil.Date {
	t.Helper()
	return civil.DateOf(testtime.Now().In(berlin(t)))
}

// received records an offline payment of an amount for a booking, and returns its id.
func (s *business) received(t testing.TB, booking string, amount int) string {
	t.Helper()
	return s.made(t, "/v1/bookings/"+booking+"/payments", object{
		"kind": "amount", "amount": amount, "offline": object{"method": "cash", "note": "Taken by Ann"},
	})
}

// toHandBack returns a booking of 90 EUR, paid in cash, that was cancelled with a fee of 30 EUR, and the refund that
// waits for a person.
func (s *business) toHandBack(t testing.TB) (booking, refund string) {
	t.Helper()
	booking = s.book(t, s.tour(t, nil), tourAt(t, 0, 10))["id"].(string)
	paid := s.received(t, booking, 9000)
	s.call(t, http.MethodPost, "/v1/bookings/"+booking+"/cancel", s.key, object{"fee": 3000})
	s.exec(t, `INSERT INTO payments (tenant_id, payment_id, booking_id, refund_of, kind, status, amount, currency, method, provider,
			automatic, fence, leased_until, resolve_at, first_sent_at, last_sent_at, created_at, updated_at)
		SELECT tenant_id, gen_random_uuid(), booking_id, payment_id, 'refund', 'processing', 6000, currency, method, provider,
			true, 1, '9000-01-01Z', '9000-01-01Z', now(), now(), now(), now()
		FROM payments WHERE payment_id = $1 AND NOT EXISTS (SELECT FROM payments WHERE refund_of = $1)`, paid)
	return booking, s.text(t, "SELECT payment_id::text FROM payments WHERE refund_of = $1", paid)
}

func TestRecord_OfEachKindAndMethod_IsPaidOnce(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	service := s.tour(t, object{"deposit": 1000})
	p := s.signedIn(t, "ada", user.RoleStaff)
	yesterday := todayInBerlin(t).AddDays(-1).String()
	for i, test := range []struct {
		kind, amount, method, shown string
		minor                       int
	}{
		{"balance", "", "cash", "Cash", 9000}, {"deposit", "", "transfer", "Bank transfer", 1000},
		{"amount", "12,50", "terminal",
			"Card terminal", 1250},
	} {
		booking := s.book(t, service, tourAt(t, i, 10))["id"].(string)
		form := s.at(t, p, "/bookings/"+booking).Follow(t, "Record a payment").Form(t,
			"Record the payment").With("kind", test.kind).
			With("amount", test.amount).With("method", test.method).With("note", " Taken by Ann ").With("at",
			yesterday+"T10:30")
		for range 2 {
			done := form.Submit(t)
			require.Contains(t, done.Text(), "The payment is recorded.")
			require.Contains(t, done.Text(), "Payment · Succeeded · "+test.shown)
		}
		list := s.call(t, http.MethodGet, "/v1/bookings/"+booking+"/payments", s.key, nil)["data"].([]any)
		require.Len(t, list, 1)
		made := list[0].(object)
		require.Equal(t, []any{test.kind, float64(test.minor), test.method, "Taken by Ann", "offline"},
			[]any{made["kind"], made["amount"], made["payment_method"], made["note"], made["provider"]})
		at, err := time.Parse(time.RFC3339, made["received_at"].(string))
		require.NoError(t, err)
		require.Equal(t, yesterday+"T10:30", at.In(berlin(t)).Format("2006-01-02T15:04"), "in the tenant's zone")
		page := s.at(t, p, "/payments/"+made["id"].(string))
		for _, words := range []string{"Received by " + test.shown, "Received at", "Taken by Ann", "Record a refund"} {
			require.Contains(t, page.Text(), words)
		}
		require.Contains(t, page.Follow(t, "Receipt").Text(), "Paid · "+test.shown)
	}
}

func TestRecord_WhatTheAPIRefuses_IsRefusedAndKeptInTheForm(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	booking := s.book(t, s.tour(t, nil), tourAt(t, 0, 10))["id"].(string)
	p := s.signedIn(t, "ada", user.RoleStaff)
	tomorrow := todayInBerlin(t).AddDays(2).String()
	for _, test := range []map[string]string{
		{"note": ""}, {"note": "   "}, {"note": strings.Repeat("ä",
			501)}, {"method": ""}, {"method": "cheque"}, {"kind": ""}, {"kind": "refund"},
		{"kind": "deposit"}, {"amount": "1"}, {"kind": "amount"}, {"kind": "amount", "amount": "90.01"},
		{"kind": "amount", "amount": "0"},
		{"at": "yesterday"}, {"at": tomorrow + "T10:00"}, {"at": "2020-01-01T10:00"},
	} {
		form := s.at(t, p, "/bookings/"+booking+"/record").Form(t, "Record the payment").With("note", "Taken by Ann")
		for name, value := range test {
			form.With(name, value)
		}
		refused := form.Submit(t)
		require.Equal(t, http.StatusUnprocessableEntity, refused.Status, test)
		if _, given := test["note"]; !given {
			require.Contains(t, refused.Raw, "Taken by Ann", "nothing that was typed is lost")
		}
	}
	require.Zero(t, s.count(t, "SELECT count(*) FROM payments"))
	stale := s.at(t, p, "/bookings/"+booking+"/record").Form(t, "Record the payment").With("note", "Taken by Ann")
	s.received(t, booking, 100)
	require.Equal(t, http.StatusPreconditionFailed, stale.Submit(t).Status,
		"somebody has recorded another payment meanwhile")
	s.received(t, booking, 8900)
	require.NotContains(t, s.at(t, p, "/bookings/"+booking).Text(), "Record a payment")
	require.Equal(t, http.StatusUnprocessableEntity, s.at(t, p, "/bookings/"+booking+"/record").Status,
		"nothing is due")
}

func TestRecord_WhileAPaymentHasNoEnd_LeadsToThatPayment(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	booking := s.book(t, s.tour(t, nil), tourAt(t, 0, 10))["id"].(string)
	p := s.at(t, s.signedIn(t, "ada", user.RoleStaff), "/bookings/"+booking+"/record")
	open := s.made(t, "/v1/bookings/"+booking+"/payments", object{"kind": "balance",
		"checkout": object{"return_url": "https://example.com/"}})
	version := s.booking(t, booking)["version"].(float64)
	refused := p.Form(t, "Record the payment").With("note", "Taken by Ann").With("version",
		formatted(version)).Submit(t)
	require.Equal(t, http.StatusConflict, refused.Status)
	require.NotContains(t, refused.Text(), "/v1/")
	require.Equal(t, "/console/harbour/payments/"+open, refused.Follow(t, "The payment").URL.Path)
}

func TestRecord_RefundOfAnOfflinePayment_SaysHowItWasHandedBack(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	booking := s.book(t, s.tour(t, nil), tourAt(t, 0, 10))["id"].(string)
	paid := s.received(t, booking, 9000)
	p := s.at(t, s.signedIn(t, "ada", user.RoleStaff), "/bookings/"+booking)
	form := p.Follow(t, "Record a refund").Form(t, "Record the refund").With("amount", "40")
	require.Equal(t, "cash", form.Values.Get("method"), "as it was received")
	require.Equal(t, http.StatusUnprocessableEntity, form.Submit(t).Status, "without a note")
	form.With("note", "SEPA 17").With("method", "transfer")
	for range 2 {
		require.Contains(t, form.Submit(t).Text(), "Refund · Succeeded · Bank transfer")
	}
	require.Equal(t, 1, s.count(t,
		"SELECT count(*) FROM payments WHERE refund_of = $1 AND amount = 4000 AND note = 'SEPA 17'", paid))
	early := s.at(t, p, "/bookings/"+booking+"/refund/"+paid).Form(t, "Record the refund").With("amount",
		"1").With("note", "x").
		With("at", todayInBerlin(t).AddDays(-1).String()+"T10:00")
	require.Equal(t, http.StatusUnprocessableEntity, early.Submit(t).Status, "before it was received")
}

func TestCancel_PaidInCash_IsNotSaidToBeRefundedByItself(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	booking := s.book(t, s.tour(t, object{
		"cancellation_policy": object{"steps": []object{{"from_minutes": 60, "percent": 50}}},
	}), tourAt(t, 0, 10))["id"].(string)
	p := s.signedIn(t, "ada", user.RoleStaff)
	s.received(t, booking, 9000)
	shown := s.at(t, p, "/bookings/"+booking+"/end/cancel").Text()
	require.NotContains(t, shown, "Refunded automatically")
	require.Contains(t, shown, "Refunded, or to hand back €90")
}

func TestHandBack_OpenRefunds_AreListedUntilTheMoneyWasHandedBack(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	booking, refund := s.toHandBack(t)
	p, reader := s.signedIn(t, "ada", user.RoleStaff), s.signedIn(t, "joan", user.RoleRead)
	for _, path := range []string{"", "/payments"} {
		require.Contains(t, s.at(t, p, path).Text(), "Money to hand back €60 Cash, booking", path)
	}
	require.NotContains(t, s.at(t, p, "?date="+testtime.Date(0).String()).Text(), "Money to hand back",
		"of another day")
	require.NotContains(t, s.at(t, reader, "").Text(), "Money to hand back",
		"as of the API, for those who handle money")
	require.NotContains(t, s.at(t, reader, "/payments/"+refund).Text(), "I have handed it back")
	require.Contains(t, s.at(t, p, "/bookings/"+booking).Text(), "Refund · to hand back")
	ask := s.at(t, p, "").Follow(t, "I have handed it back")
	require.Contains(t, ask.Text(), "To hand back €60")
	form := ask.Form(t, "I have handed it back")
	require.Equal(t, http.StatusUnprocessableEntity, form.Submit(t).Status, "without a note")
	form.With("note", "Handed back by Ann").With("method", "transfer")
	for range 2 {
		done := form.Submit(t)
		require.Contains(t, done.Text(), "It is recorded that the money was handed back.")
	}
	after := s.call(t, http.MethodGet, "/v1/payments/"+refund, s.key, nil)
	require.Equal(t, []any{"succeeded", "transfer", "Handed back by Ann"},
		[]any{after["status"], after["payment_method"], after["note"]})
	for _, path := range []string{"", "/payments"} {
		require.NotContains(t, s.at(t, p, path).Text(), "Money to hand back", path)
	}
	require.Equal(t, http.StatusConflict, s.at(t, p, "/payments/"+refund+"/hand-back").Status, "it is done")
	require.Equal(t, http.StatusConflict, form.With("key", "another").With("version",
		formatted(s.booking(t, booking)["version"].(float64))).
		Submit(t).Status)
}

func TestHandBack_InAnotherVersion_IsRefused(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	booking, refund := s.toHandBack(t)
	form := s.at(t, s.signedIn(t, "ada", user.RoleStaff), "/payments/"+refund+"/hand-back").Form(t,
		"I have handed it back").With("note", "Ann")
	s.call(t, http.MethodPatch, "/v1/bookings/"+booking, s.key, object{"reference": "another"})
	require.Equal(t, http.StatusPreconditionFailed, form.Submit(t).Status)
	require.Equal(t, "processing", s.call(t, http.MethodGet, "/v1/payments/"+refund, s.key, nil)["status"])
}

func TestTill_ShowsTheSumsOfTheTenantsDays(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	booking := s.book(t, s.tour(t, nil), tourAt(t, 0, 10))["id"].(string)
	paid := s.received(t, booking, 9000)
	s.made(t, "/v1/payments/"+paid+"/refunds",
		object{"amount": 1000, "offline": object{"method": "transfer", "note": "Ann"}})
	// the second of July in Berlin
	s.exec(t, "UPDATE payments SET moved_at = '2026-07-01T22:30Z' WHERE provider = 'offline'")
	p := s.signedIn(t, "ada", user.RoleStaff)
	shown := s.at(t, p, "/payments/till?from=2026-07-02&to=2026-07-02")
	require.Contains(t, shown.Text(), "Thu 2 Jul Cash €90 – €90 1")
	require.Contains(t, shown.Text(), "Thu 2 Jul Bank transfer €0 €10 −€10 1")
	for _, query := range []string{"", "?from=2026-07-01", "?from=2026-07-03&to=2026-07-31"} {
		require.Contains(t, s.at(t, p, "/payments/till"+query).Text(), "No such money moved", query)
	}
	for _, query := range []string{"?from=x", "?to=x", "?from=2026-07-02&to=2026-07-01",
		"?from=2026-07-01&to=2026-08-01",
		"?from=0001-01-01"} {
		require.Equal(t, http.StatusUnprocessableEntity, s.at(t, p, "/payments/till"+query).Status, query)
	}
	require.Contains(t, s.at(t, p, "/payments?method=transfer").Text(), "−€10")
	require.NotContains(t, s.at(t, p, "/payments?method=terminal").Text(), "€")
}

func TestAttack_OfflineMoney_OtherRolesOtherTenantsAndOddValues(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	_, refund := s.toHandBack(t)
	booking := s.book(t, s.tour(t, nil), tourAt(t, 1, 10))["id"].(string)
	paid := s.received(t, booking, 100)
	foreign, reader, owner := s.foreigner(t), s.signedIn(t, "joan", user.RoleRead), s.signedIn(t, "ada", user.RoleOwner)
	state := func() int {
		return s.count(t, "SELECT (SELECT count(*) FROM payments) + (SELECT count(*) FROM payments WHERE status = 'succeeded') + "+
			"(SELECT sum(version) FROM bookings)")
	}
	before := state()
	sent := []string{"/bookings/" + booking + "/record", "/bookings/" + booking + "/refund/" + paid,
		"/payments/" + refund + "/hand-back"}
	for _, path := range append(sent, "/payments/till") {
		require.Equal(t, http.StatusForbidden, s.at(t, reader, path).Status, path)
		require.Equal(t, http.StatusOK, s.at(t, owner, path).Status, path)
	}
	for _, path := range sent {
		for p, want := range map[*pagetest.Page]int{reader: http.StatusForbidden, foreign: http.StatusNotFound} {
			form := tokenOf(t, p)
			for name, value := range map[string]string{"version": "1", "kind": "balance", "method": "cash",
				"note": "Eve", "amount": "1"} {
				form.Set(name, value)
			}
			console := s.url + strings.TrimSuffix(p.URL.Path, "/")
			require.Equal(t, want, p.By.Send(t, http.MethodPost, console+path, form).Status, path)
		}
		require.Equal(t, http.StatusNotFound, foreign.By.Open(t, s.url+"/console/island"+path).Status, path)
		form := tokenOf(t, owner)
		form.Set("token", "another")
		require.Equal(t, http.StatusForbidden,
			owner.By.Send(t, http.MethodPost, s.url+"/console/harbour"+path, form).Status, path)
	}
	require.NotContains(t, foreign.By.Open(t, s.url+"/console/island").Text(), "Money to hand back")
	require.Equal(t, before, state())
	for _, path := range sent {
		page := s.at(t, owner, path)
		for _, n := range page.All(atom.Form)[1:] {
			requireForm(t, owner, page.FormOf(t, n), "kind", "method", "amount", "note", "at", "back")
		}
	}
}
