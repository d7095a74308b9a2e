// Package paymenttest is the conformance suite of payment providers: what an adapter must do for money to move once. It
// runs on every adapter with as much of a provider behind it as there is.
package paymenttest

import (
	"context"
	"iter"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

// Harness makes providers to test and says what can be tested with them.
type Harness struct {
	// New makes a provider that ends with the test and that no other test uses.
	New func(t *testing.T) Instance
	// Currency is one with two decimals that the provider takes.
	Currency string
	// OtherCurrencies are more, such as "JPY" and "KWD".
	OtherCurrencies []string
	Methods         Methods
	// Stateless says that there is only a stand-in behind the adapter, which remembers no orders. Only webhooks and
	// failures are tested then.
	Stateless bool
}

// Methods are the provider's tokens of payment methods that behave in a certain way; empty where there is none. OK must
// be set unless the harness is Stateless.
type Methods struct {
	OK                string
	Declined          string // not worth a second try
	InsufficientFunds string // may work later
	RefundFails       string // charged; every refund is declined
	RequiresAction    string // waits for Instance.Settle
	Slow              string // charged after a while
	TimeoutCharged    string // charged, and no answer comes
	TimeoutNotCharged string // not charged, and no answer comes
	Unusable          string // exists, but can't be charged
	Uncancellable     string // works for days; its charges can't be cancelled
}

// Instance is a provider under test. What is nil can't be done with it, and isn't tested.
type Instance struct {
	Provider payment.Provider
	// Unreachable is the same adapter with nobody at the provider's address.
	Unreachable payment.Provider
	// WrongKey is the same adapter with an API key that the provider doesn't know.
	WrongKey payment.Provider

	// AdvanceClock moves the provider's clock forward.
	AdvanceClock func(d time.Duration)
	// FailNext has the provider answer the next order with a 500, before or after it is executed.
	FailNext func(t *testing.T, executed bool)
	// LimitNext has the provider refuse the next order because there are too many.
	LimitNext func(t *testing.T)
	// FinishAction does what the customer of a Processing charge has to do, or refuses it. It reports whether the provider let it
	// happen: not after the charge has ended.
	FinishAction func(t *testing.T, o payment.Outcome, complete bool) bool
	// Webhook returns a signed webhook of time at that says what e says. Its Outcome is Succeeded or Declined.
	Webhook func(t *testing.T, e payment.Event, at time.Time) (http.Header, []byte)
	// UnrelatedWebhook returns a signed webhook of time at about something that isn't ours.
	UnrelatedWebhook func(t *testing.T, at time.Time) (http.Header, []byte)
}

// Run tests a provider.
func Run(t *testing.T, h Harness) {
	t.Helper()
	suites := []map[string]func(*testing.T, fixture){failures, webhooks}
	if !h.Stateless {
		require.NotEmpty(t, h.Methods.OK)
		suites = append(suites, charges, refunds, keys, lookups, cancellations)
	}
	for _, suite := range suites {
		for name, test := range suite {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, fixture{Harness: h, Instance: h.New(t)})
			})
		}
	}
}

// fixture is what a test works with.
type fixture struct {
	Harness
	Instance
}

// deadline is how long a provider may take to do what it does by itself.
const deadline = 20 * time.Second

// pollInterval is how often it is asked whether it has.
const pollInterval = 10 * time.Millisecond

func requireSupport(t *testing.T, there bool, what string) {
	t.Helper()
	if !there {
		t.Skip("this harness has no " + what)
	}
}

func newReference(t *testing.T) payment.Reference {
	t.Helper()
	return payment.Reference{TenantID: newID(t), ID: newID(t)}
}

func newID(t *testing.T) uuid.UUID {
	t.Helper()
	id, err := uuid.NewV7()
	require.NoError(t, err)
	return id
}

// order returns a new order of a charge.
func (fx fixture) order(t *testing.T, method string, amount int64) payment.ChargeOrder {
	t.Helper()
	return payment.ChargeOrder{
		Reference: newReference(t), Key: "charge-" + newID(t).String(), Amount: amount, Currency: fx.Currency,
		Method: method, Description: "A conformance test",
	}
}

func (fx fixture) refundOrder(t *testing.T, chargeID string, amount int64) payment.RefundOrder {
	t.Helper()
	return payment.RefundOrder{
		Reference: newReference(t), Key: "refund-" + newID(t).String(), ChargeID: chargeID, Amount: amount, Currency: fx.Currency,
	}
}

func (fx fixture) charge(t *testing.T, o payment.ChargeOrder) payment.Outcome {
	t.Helper()
	outcome, err := fx.Provider.Charge(t.Context(), o)
	require.NoError(t, err)
	return outcome
}

// mustCharge makes a charge that succeeds.
func (fx fixture) mustCharge(t *testing.T, o payment.ChargeOrder) payment.Outcome {
	t.Helper()
	outcome := fx.charge(t, o)
	require.Equal(t, payment.Succeeded, outcome.Result)
	require.Equal(t, o.Amount, outcome.Amount)
	require.NotEmpty(t, outcome.ProviderID)
	return outcome
}

func (fx fixture) refund(t *testing.T, o payment.RefundOrder) payment.Outcome {
	t.Helper()
	outcome, err := fx.Provider.Refund(t.Context(), o)
	require.NoError(t, err)
	return outcome
}

func (fx fixture) findCharge(t *testing.T, ref payment.Reference, id string) payment.Outcome {
	t.Helper()
	outcome, err := fx.Provider.FindCharge(t.Context(), ref, id)
	require.NoError(t, err)
	return outcome
}

func (fx fixture) findRefund(t *testing.T, ref payment.Reference, id, chargeID string) payment.Outcome {
	t.Helper()
	outcome, err := fx.Provider.FindRefund(t.Context(), ref, id, chargeID)
	require.NoError(t, err)
	return outcome
}

// allTransactions returns all that moved.
func (fx fixture) allTransactions(t *testing.T) []payment.ProviderTransaction {
	t.Helper()
	return collectTransactions(t, fx.transactions(t.Context(), time.Unix(0, 0), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)))
}

func (fx fixture) transactions(ctx context.Context, from, until time.Time) iter.Seq2[payment.ProviderTransaction, error] {
	return fx.Provider.Transactions(ctx, from, until)
}

func collectTransactions(t *testing.T, movements iter.Seq2[payment.ProviderTransaction, error]) (all []payment.ProviderTransaction) {
	t.Helper()
	for m, err := range movements {
		require.NoError(t, err)
		all = append(all, m)
	}
	return all
}

// requireUnknown fails unless err leaves open whether money moved.
func requireUnknown(t *testing.T, err error) {
	t.Helper()
	var notDone *payment.NotDone
	require.Error(t, err)
	require.NotErrorAs(t, err, &notDone, "nobody can be sure of that")
}

// requireNotDone fails unless err says for certain that no money moved.
func requireNotDone(t *testing.T, err error, tryAgain bool) {
	t.Helper()
	var notDone *payment.NotDone
	require.ErrorAs(t, err, &notDone)
	require.Equal(t, tryAgain, notDone.TryAgain, "%v", err)
}

// requireMethodError fails unless err says that this is wrong with the payment method; empty for any other cause.
func requireMethodError(t *testing.T, err error, want payment.MethodError) {
	t.Helper()
	var notDone *payment.NotDone
	require.ErrorAs(t, err, &notDone)
	require.Equal(t, want, notDone.Method, "%v", err)
}
