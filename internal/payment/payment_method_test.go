package payment_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/problem"
)

// The test checks the client's response and the operator's log.
func TestPay_ProviderRejects_SeparatesClientAndOperatorErrors(t *testing.T) {
	t.Parallel()
	refused := func(n *payment.NotDone) error { n.Err = errors.New("status 400"); return n }
	for name, test := range map[string]struct {
		err    error
		status int
		code   string
		log    string
		result string // the metric's label
	}{
		"unknown method": {
			refused(&payment.NotDone{Method: payment.UnknownMethod}), http.StatusUnprocessableEntity,
			"unknown_payment_method", "",
			"bad_method",
		},
		"unusable method": {
			refused(&payment.NotDone{Method: payment.UnusableMethod}), http.StatusUnprocessableEntity,
			"unusable_payment_method", "",
			"bad_method",
		},
		"bad API key": {
			refused(&payment.NotDone{}), http.StatusPaymentRequired, "provider_refused",
			"the payment provider refused the order",
			"not_done",
		},
		"an error": {
			errors.New("status 500"), http.StatusAccepted, "", "the payment provider gave no outcome", "unknown",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			f, log, registry := &interceptedProvider{}, &bytes.Buffer{}, prometheus.NewRegistry()
			f.charge = func(context.Context, payment.ChargeOrder) (payment.Outcome, error) {
				return payment.Outcome{}, test.err
			}
			s := b.process(t, withInterceptor(f), func(cfg *payment.Config) {
				cfg.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelInfo}))
				cfg.Metrics = registry
			})
			id, key := b.newBooking(t), newKey()
			r, err := b.pay(t, s, key, id, balance("pm_gone"))
			rows, listErr := s.List(t.Context(), b.tenant, id, [16]byte{}, 1)
			require.NoError(t, listErr)
			if test.status == http.StatusUnprocessableEntity {
				require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
				require.Equal(t, test.code, problem.DocumentOf(err).Errors[0].Code)
				require.Empty(t, rows)
				require.Zero(t, b.count(t, `SELECT (SELECT count(*) FROM idempotency_keys WHERE key = $1) + (SELECT count(*)
					FROM scheduled_events WHERE kind = 'payment.resolution')
					+ (SELECT count(*) FROM changes WHERE type LIKE 'payment.%')`, key))
			} else {
				require.NoError(t, err)
				require.Equal(t, test.status, r.Answer().Status, "%s", r.Body)
				if test.code != "" {
					require.Equal(t, test.code, *rows[0].DeclineCode)
					require.False(t, rows[0].TryAgain)
				}
			}
			if test.log == "" {
				require.Empty(t, log.String())
			} else {
				require.Contains(t, log.String(), `level=WARN msg="`+test.log+`"`)
				require.Contains(t, log.String(), "status ")
			}
			families, err := registry.Gather()
			require.NoError(t, err)
			require.Contains(t, fmt.Sprint(families), `value:"`+test.result+`"`)
		})
	}
}

// The rejection of the second sending says nothing about the first.
func TestPay_MethodRejectedAfterUnknownOutcome_StaysOpenUntilLookedUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, sent := &interceptedProvider{}, 0
	f.charge = func(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
		if sent++; sent > 1 {
			return payment.Outcome{}, &payment.NotDone{Method: payment.UnknownMethod, Err: errors.New("no such method")}
		}
		_, err := f.Provider.Charge(ctx, o)
		require.NoError(t, err)
		return payment.Outcome{}, errors.New("the answer is lost")
	}
	f.find = func(ctx context.Context, ref payment.Reference, id string) (payment.Outcome, error) {
		if sent < 2 {
			return payment.Outcome{}, errors.New("not now")
		}
		return f.Provider.FindCharge(ctx, ref, id)
	}
	s := b.process(t, withLongCallTimeout, withInterceptor(f), func(cfg *payment.Config) { cfg.AbsentAfter = maxWait })
	id, key := b.newBooking(t), newKey()
	for range 2 {
		r, err := b.pay(t, s, key, id, balance("pm_ok"))
		require.NoError(t, err)
		require.Equal(t, http.StatusAccepted, r.Answer().Status, "%s", r.Body)
	}
	b.resolveAll(t, s)
	require.EqualValues(t, price, b.balanceSummary(t, s, id).Paid)
}

// A resolver that was about to look the attempt up, and a client that cancels it, find nothing.
func TestPay_MethodRejectedWhileOthersLook_LeavesNothingAndEndsThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	calling, goOn := make(chan struct{}), make(chan struct{})
	f := &interceptedProvider{}
	f.charge = func(context.Context, payment.ChargeOrder) (payment.Outcome, error) {
		close(calling)
		<-goOn
		return payment.Outcome{}, &payment.NotDone{Method: payment.UnknownMethod, Err: errors.New("no such method")}
	}
	s, other := b.process(t, withLongCallTimeout, withInterceptor(f)), b.process(t)
	id := b.newBooking(t)
	refused := make(chan error, 1)
	go func() {
		_, err := b.pay(t, s, newKey(), id, balance("cash"))
		refused <- err
	}()
	within(t, calling)
	list, err := other.List(t.Context(), b.tenant, id, [16]byte{}, 1)
	require.NoError(t, err)
	require.Len(t, list, 1, "the attempt is written before the provider is called")
	r, err := b.cancel(t, other, newKey(), list[0].ID)
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, r.Answer().Status, "%s", r.Body)
	close(goOn)
	require.True(t, problem.Is(within(t, refused), problem.ValidationFailed))
	require.Zero(t, b.count(t, `SELECT count(*) FROM payments`))
	_, err = b.cancel(t, other, newKey(), list[0].ID)
	require.True(t, problem.Is(err, problem.NotFound), "%v", err)
	b.exec(t, `INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone,
		attempts, version, data,
			created_at, updated_at)
		VALUES ($1, $2, 'payment.resolution', 'payment', $3, '', 'pending', now(), 'UTC', 0, 1, '{}', now(), now())`, b.tenant, newKey(),
		list[0].ID)
	b.work(t, other)
	require.Equal(t, 1, b.count(t,
		`SELECT count(*) FROM scheduled_events WHERE kind = 'payment.resolution' AND status = 'completed'`))
}

// A process that died before it called the provider leaves its attempt; the resolver ends it.
func TestPay_MethodOfADeadProcess_IsEndedByTheResolver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := &interceptedProvider{}
	f.charge = func(context.Context, payment.ChargeOrder) (payment.Outcome, error) { panic("the process dies") }
	s := b.process(t, withInterceptor(f))
	id := b.newBooking(t)
	require.Panics(t, func() { _, _ = b.pay(t, s, newKey(), id, balance("cash")) })
	b.exec(t, `UPDATE payments SET leased_until = now(), resolve_at = now(), last_sent_at = now() - interval '1 hour',
		first_sent_at = now() - interval '1 hour'`)
	b.dueNow(t)
	b.resolveAll(t, b.process(t))
	list, err := s.List(t.Context(), b.tenant, id, [16]byte{}, 2)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, payment.StatusDeclined, list[0].Status)
}
