package main

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/testtime"
)

// reconcileToday runs the command on yesterday to tomorrow and returns what it printed and its exit code.
func reconcileToday(t *testing.T, dir string, flags ...string) (printed string, code int) {
	t.Helper()
	now := testtime.Now().UTC()
	from, to := now.AddDate(0, 0, -1), now.AddDate(0, 0, 1)
	p, code := run(t, dir, nil,
		append([]string{"reconcile", "--from", from.Format(time.DateOnly), "--to", to.Format(time.RFC3339)},
			flags...)...)
	return p.Stdout.String() + p.log(), code
}

func TestReconcile_BesideAServerAndAlone_ReportsADifferenceAndFails(t *testing.T) {
	t.Parallel()
	dir := filledDir(t)
	p := start(t, dir)
	s := newShop(t, p)
	booked := s.mustBook(t, p, "one", slot(0, 0))
	paid, err := p.send(http.MethodPost, "/v1/bookings/"+booked.id()+"/payments", s.key, uuid.NewString(),
		map[string]any{"kind": "balance", "payment_method": "pm_ok"})
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, paid.status, "%s", paid)

	printed, code := reconcileToday(t, dir)
	require.Zero(t, code, printed)
	require.Contains(t, printed, "movements: 1  payments: 1  open: 0  differences: 0\n")

	_, err = dbtest.SQL(t, p.databaseURL(t)).Exec(t.Context(), `UPDATE payments SET amount = 4400`)
	require.NoError(t, err)
	printed, code = reconcileToday(t, dir)
	require.Equal(t, 1, code, printed)
	require.Contains(t, printed, "differences: 1\n")
	require.Regexp(t, `amount +`+s.tenant.String()+` +`+paid.id()+
		` +payment succeeded 44\.00 EUR sandbox ch_\w+ +payment succeeded 45\.00 EUR sandbox ch_\w+\n`, printed)

	t.Run("one tenant, as the API compares it", func(t *testing.T) {
		other := newShop(t, p)
		printed, code := reconcileToday(t, dir, "--tenant", s.tenant.String())
		require.Equal(t, 1, code, printed)
		require.Contains(t, printed, "movements: 1  payments: 1  open: 0  differences: 1\n")
		printed, code = reconcileToday(t, dir, "--tenant", other.tenant.String())
		require.Zero(t, code, printed)
		require.Contains(t, printed, "movements: 0  payments: 0  open: 0  differences: 0\n")
		printed, code = reconcileToday(t, dir, "--tenant", "nobody")
		require.Equal(t, 2, code, printed)

		from, to := testtime.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly), testtime.Now().UTC().AddDate(0, 0,
			1).Format(time.DateOnly)
		command, code := run(t, dir, nil, "reconcile", "--from", from, "--to", to, "--tenant", s.tenant.String(),
			"--json")
		require.Equal(t, 1, code, command.log())
		compared, err := p.send(http.MethodGet,
			"/admin/v1/tenants/"+s.tenant.String()+"/reconciliation?from="+from+"&to="+to,
			testAdminKey, "",
			nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, compared.status, "%s", compared)
		var body map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(compared.body, &body))
		require.JSONEq(t, "[]", string(body["offline"]))
		delete(body, "offline") // no provider has it, so the command doesn't compare it
		bodies, err := json.Marshal(body)
		require.NoError(t, err)
		require.JSONEq(t, command.Stdout.String(), string(bodies))
	})

	p.stop(t)
	alone, code := run(t, dir, nil, "reconcile", "--from", "2020-01-01", "--to", "2090-01-01", "--json")
	require.Equal(t, 1, code, alone.log())
	var document struct {
		From, Until         time.Time
		Movements, Payments int
		Differences         []struct {
			Kind       string
			PaymentID  string `json:"payment_id"`
			Here       struct{ Amount int64 }
			AtProvider struct{ Amount int64 } `json:"at_provider"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(alone.Stdout.String()), &document), alone.Stdout.String())
	require.Equal(t, time.Date(2090, 1, 2, 0, 0, 0, 0, time.UTC), document.Until, "the last day is compared too")
	require.Equal(t, []int{1, 1}, []int{document.Movements, document.Payments})
	require.Len(t, document.Differences, 1)
	d := document.Differences[0]
	require.Equal(t, []any{"amount", paid.id(), int64(4400), int64(4500)},
		[]any{d.Kind, d.PaymentID, d.Here.Amount, d.AtProvider.Amount})
}

func TestServe_CustomerNeverPays_EndsThePaymentAndReconcilesMeanwhile(t *testing.T) {
	t.Parallel()
	dir := filledDir(t)
	p := start(t, dir)
	s := newShop(t, p)
	booking := s.mustBook(t, p, "one", slot(0, 0)).id()
	open, err := s.pay(p, "pay", booking, "pm_requires_action")
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, open.status, "%s", open)
	printed, code := reconcileToday(t, dir)
	require.Zero(t, code, printed)
	require.Contains(t, printed, "movements: 0  payments: 1  open: 1  differences: 0\n")

	sql := dbtest.SQL(t, p.databaseURL(t))
	var a answer
	eventually(t, func() bool { // the payment's time is over
		_, err := sql.Exec(t.Context(),
			"UPDATE payments SET cancel_at = now(), resolve_at = now() WHERE status = 'processing'")
		require.NoError(t, err)
		_, err = sql.Exec(t.Context(),
			"UPDATE scheduled_events SET due_at = now() WHERE kind = $1 AND status IN ('pending', 'failed')",
			event.KindPaymentResolution)
		require.NoError(t, err)
		a, err = s.pay(p, "pay", booking, "pm_requires_action")
		require.NoError(t, err)
		return a.status != http.StatusAccepted && a.outcome() != "409 request_in_progress"
	})
	require.Equal(t, "402 payment_declined", a.outcome())
	require.Contains(t, string(a.body), `"decline_code":"cancelled"`)
	printed, code = reconcileToday(t, dir)
	require.Zero(t, code, printed)
	require.Contains(t, printed, "open: 0")
}

func TestReconcile_EmptyOrUnreadablePeriod_IsRefused(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{
		{"--from", "2026-07-15", "--to", "2026-07-14"},
		{"--from", "2026-07-14T10:00:00Z", "--to", "2026-07-14T10:00:00Z"},
		{"--from", "yesterday", "--to", "2026-07-14"},
		{"--from", "2026-07-14"},
	} {
		p, code := run(t, newDir(t), nil, append([]string{"reconcile"}, flags...)...)
		require.Equal(t, 2, code, flags)
		require.NotEmpty(t, p.log(), flags)
	}
}

func TestReconcile_ProviderDown_ExitsWith2(t *testing.T) {
	t.Parallel()
	period := []string{"reconcile", "--from", "2026-07-01", "--to", "2026-07-31"}
	for name, test := range map[string]struct {
		env     []string
		message string
	}{
		"no provider": {[]string{"HOLDFAST_DATABASE_URL=" + dbtest.Database(t)}, "no payment provider is configured"},
		"no database": {[]string{"HOLDFAST_DATABASE_URL=postgres://127.0.0.1:1/none", "HOLDFAST_PROVIDER=sandbox"},
			"could not compare"},
		"no sandbox": {
			[]string{"HOLDFAST_DATABASE_URL=" + dbtest.Database(t), "HOLDFAST_PROVIDER=sandbox",
				"HOLDFAST_SANDBOX_URL=http://127.0.0.1:1"},
			"read the journal of sandbox",
		},
		"unusable setting": {[]string{"HOLDFAST_PROVIDER=cash"}, "must be one of"},
	} {
		p, code := run(t, newDir(t), test.env, period...)
		require.Equal(t, 2, code, "%s: %s", name, p.log())
		require.Contains(t, p.log(), test.message, name)
	}
}
