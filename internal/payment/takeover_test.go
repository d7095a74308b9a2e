package payment_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
)

// TestPay_AfterItsProcessDied_IsTakenOver has a process die before the provider was asked, and after it had captured.
func TestPay_AfterItsProcessDied_IsTakenOver(t *testing.T) {
	t.Parallel()
	for _, captured := range []bool{false, true} {
		for _, by := range []string{"a repetition", "the resolver"} {
			t.Run(by+map[bool]string{false: ", before it asked", true: ", after the capture"}[captured], func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				f := &faulty{}
				dead, alive := b.process(t, through(f)), b.process(t)
				f.charge = func(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
					if captured {
						_, err := f.Provider.Charge(ctx, o)
						require.NoError(t, err)
					}
					die()
					return payment.Outcome{}, nil
				}
				id, key := b.newBooking(t), newKey()
				dies(func() (idempotency.Response, error) { return b.pay(t, dead, key, id, balance("pm_ok")) })
				require.Equal(t, 1, b.count(t, `SELECT count(*) FROM payments WHERE status = 'started'`))

				_, err := b.pay(t, alive, key, id, balance("pm_ok"))
				var refusal *problem.Error
				require.ErrorAs(t, err, &refusal)
				require.Equal(t, problem.RequestInProgress, refusal.Code, "its lease runs")
				require.Positive(t, refusal.RetryAfter)
				n, err := alive.ResolveOnce(t.Context())
				require.NoError(t, err)
				require.Zero(t, n, "its lease runs")

				b.endLeases(t)
				if by == "the resolver" {
					b.settle(t, alive)
				}
				r, err := b.pay(t, alive, key, id, balance("pm_ok"))
				require.NoError(t, err)
				charged := captured || by == "a repetition"
				require.Equal(t, charged, r.Status == http.StatusCreated, "%s", r.Body)
				require.Equal(t, !charged, r.Status == http.StatusPaymentRequired, "%s", r.Body)
				require.Equal(t, charged, b.moved(t).captures == 1)
				require.Equal(t, charged, b.money(t, alive, id).Paid == price)
			})
		}
	}
}

// endLeases has all leases end now.
func (b *testBundle) endLeases(t testing.TB) {
	t.Helper()
	b.exec(t, `UPDATE payments SET leased_until = now(), resolve_at = now() WHERE resolve_at IS NOT NULL`)
}

func TestRefund_AfterItsProcessDied_IsTakenOverAndHappensOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := &faulty{}
	dead, alive := b.process(t, through(f)), b.process(t)
	f.refund = func(ctx context.Context, o payment.RefundOrder) (payment.Outcome, error) {
		_, err := f.Provider.Refund(ctx, o)
		require.NoError(t, err)
		die()
		return payment.Outcome{}, nil
	}
	id, key := b.newBooking(t), newKey()
	paid := b.mustPay(t, alive, id, balance("pm_ok"))
	dies(func() (idempotency.Response, error) { return b.refund(t, dead, key, paid, 40) })
	_, err := b.refund(t, alive, newKey(), paid, 40)
	require.True(t, problem.Is(err, problem.PaymentInProgress), "%v", err)
	b.endLeases(t)
	r, err := b.refund(t, alive, key, paid, 40)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, r.Status, "%s", r.Body)
	require.Equal(t, moves{captures: 1, captured: price, refunds: 1, refunded: 40}, b.moved(t))
}

// TestPay_OneWhoWasOnlySlow has a holder come back after another has taken its payment over.
func TestPay_OneWhoWasOnlySlow_DoesNotOverwriteWhatIsNewer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		method string // of the charge
		late   error  // what the slow one hears
		want   payment.Status
	}{
		{"nothing is known, after a capture", "pm_ok", errors.New("timeout"), payment.StatusSucceeded},
		{"nothing is known, after it was said to be processing", "pm_requires_action", errors.New("timeout"), payment.StatusProcessing},
		{"refused, after it was said to be processing", "pm_requires_action", &payment.NotDone{Err: errors.New("bad key")}, payment.StatusProcessing},
		{"the capture that both got", "pm_ok", nil, payment.StatusSucceeded},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			f := &faulty{}
			slow, other := b.process(t, through(f)), b.process(t)
			asked, goOn := make(chan struct{}), make(chan struct{})
			f.charge = func(_ context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
				close(asked)
				<-goOn // whatever its deadline
				if test.late != nil {
					return payment.Outcome{}, test.late
				}
				return f.Provider.Charge(t.Context(), o)
			}
			id, key := b.newBooking(t), newKey()
			done := make(chan error)
			go func() {
				_, err := b.pay(t, slow, key, id, balance(test.method))
				done <- err
			}()
			<-asked
			b.endLeases(t)
			r, err := b.pay(t, other, key, id, balance(test.method))
			require.NoError(t, err)
			before := b.row(t, key)
			close(goOn)
			require.NoError(t, <-done)
			require.Equal(t, before, b.row(t, key), "nothing of it changed")
			require.Contains(t, before, `"`+string(test.want)+`"`)
			again, err := b.pay(t, other, key, id, balance(test.method))
			require.NoError(t, err)
			if test.want == payment.StatusSucceeded {
				require.Equal(t, string(r.Body), string(again.Body))
				require.EqualValues(t, 1, b.moved(t).captures)
			}
		})
	}
}

// row returns the payment of a key, whole.
func (b *testBundle) row(t testing.TB, key string) string {
	t.Helper()
	var text string
	require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT to_json(p) FROM payments p WHERE idempotency_key = $1`, key).Scan(&text))
	return text
}

func TestPay_OneWhoWasOnlySlowAndHeardOfTheCapture_IsBelieved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, blind := &faulty{}, &faulty{}
	slow, other := b.process(t, through(f)), b.process(t, through(blind))
	asked, goOn := make(chan struct{}), make(chan struct{})
	f.charge = func(_ context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
		close(asked)
		<-goOn
		return f.Provider.Charge(t.Context(), o)
	}
	blind.charge = func(context.Context, payment.ChargeOrder) (payment.Outcome, error) {
		return payment.Outcome{}, errors.New("timeout")
	}
	id, key := b.newBooking(t), newKey()
	done := make(chan idempotency.Response)
	go func() {
		r, _ := b.pay(t, slow, key, id, balance("pm_ok"))
		done <- r
	}()
	<-asked
	b.endLeases(t)
	r, err := b.pay(t, other, key, id, balance("pm_ok"))
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, r.Status)
	close(goOn)
	r = <-done
	require.Equal(t, http.StatusCreated, r.Status, "the money moved, and who lost the fence knows")
	again, err := b.pay(t, other, key, id, balance("pm_ok"))
	require.NoError(t, err)
	require.Equal(t, string(r.Body), string(again.Body))
}

func TestResolve_TwoResolvers_NeverHaveOnePaymentAtATime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const payments = 60
	looks := newLooks()
	services := make([]*payment.Service, 3)
	for i := range services {
		f := &faulty{}
		services[i] = b.process(t, patient, through(f))
		f.find = func(ctx context.Context, ref payment.Reference, id string) (payment.Outcome, error) {
			defer looks.enter(t, ref.ID)()
			time.Sleep(time.Millisecond) // a look takes a while
			return f.Provider.FindCharge(ctx, ref, id)
		}
	}
	for range payments {
		_, err := b.pay(t, services[0], newKey(), b.newBooking(t), balance("pm_requires_action"))
		require.NoError(t, err)
	}
	for range 3 {
		b.endLeases(t)
		codes := race(2*len(services), func(i int) error {
			for {
				if n, err := services[i%len(services)].ResolveOnce(t.Context()); err != nil || n == 0 {
					return err
				}
			}
		})
		require.Equal(t, map[problem.Code]int{"": 2 * len(services)}, codes)
	}
	require.GreaterOrEqual(t, looks.total(), 2*payments)
}
