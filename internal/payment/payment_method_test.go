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
			refused(&payment.NotDone{Method: payment.UnknownMethod}), http.StatusUnprocessableEntity, "unknown_payment_method", "", "bad_method",
		},
		"unusable method": {
			refused(&payment.NotDone{Method: payment.UnusableMethod}), http.StatusUnprocessableEntity, "unusable_payment_method", "", "bad_method",
		},
		"bad API key": {
			refused(&payment.NotDone{}), http.StatusPaymentRequired, "provider_refused", "the payment provider refused the order", "not_done",
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
			require.NoError(t, err)
			require.Equal(t, test.status, r.Status, "%s", r.Body)
			row, err := s.List(t.Context(), b.tenant, id, [16]byte{}, 1)
			require.NoError(t, err)
			if test.code != "" {
				require.Equal(t, test.code, *row[0].DeclineCode)
				require.False(t, row[0].TryAgain)
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
		require.Equal(t, http.StatusAccepted, r.Status, "%s", r.Body)
	}
	b.resolveAll(t, s)
	require.EqualValues(t, price, b.balanceSummary(t, s, id).Paid)
}
