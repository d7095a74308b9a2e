package paymenttest

import (
	"iter"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

// Harness creates the providers under test and states what can be tested with them.
type Harness struct {
	// New creates a provider that is used by one test and closed after it.
	New func(t *testing.T) Instance
	// Currency has two decimals and is accepted by the provider.
	Currency string
	// OtherCurrencies are further currencies, such as "JPY" and "KWD".
	OtherCurrencies []string
	Methods         Methods
}

// Methods are the provider's test payment methods.
type Methods struct {
	OK                string
	Declined          string // do not try again
	InsufficientFunds string // may work later
	RefundFails       string // charged; every refund is declined
	RequiresAction    string // waits for Instance.FinishAction
	Slow              string // charged after a while
	TimeoutCharged    string // charged, without a response
	TimeoutNotCharged string // not charged, without a response
	Unusable          string // exists, but can't be charged; empty if the provider has none
	Uncancellable     string // stays Processing; can't be cancelled; empty if the provider has none
}

// Instance is a provider under test.
type Instance struct {
	Provider payment.Provider
	// Unreachable is the same adapter with an address that refuses connections.
	Unreachable payment.Provider
	// WrongKey is the same adapter with an unknown API key.
	WrongKey payment.Provider

	// AdvanceClock moves the provider's clock forward.
	AdvanceClock func(d time.Duration)
	// FailNext makes the provider return 500 for the next order, before or after executing it.
	FailNext func(t *testing.T, executed bool)
	// LimitNext makes the provider reject the next order by rate limit.
	LimitNext func(t *testing.T)
	// FinishAction completes or fails the customer's action of a Processing charge. It reports whether the provider
	// accepted that: it doesn't after the charge has ended.
	FinishAction func(t *testing.T, o payment.Outcome, complete bool) bool
	// PayOnPage tries to pay on the page of a Checkout, with a card that is accepted or declined. It reports whether
	// the page was open.
	PayOnPage func(t *testing.T, o payment.Outcome, accepted bool) bool
	// Onboard gives the provider all that it wants to know of an account, as its owner does by the link.
	Onboard func(t *testing.T, account string, link payment.OnboardingLink)
	// Webhook returns a signed webhook with the event e and the time at. The outcome is Succeeded or Declined.
	Webhook func(t *testing.T, e payment.Event, at time.Time) (http.Header, []byte)
	// UnrelatedWebhook returns a signed webhook, with the time at, that isn't about our payments.
	UnrelatedWebhook func(t *testing.T, at time.Time) (http.Header, []byte)
}

// Run runs the suite on a provider.
func Run(t *testing.T, h Harness) {
	t.Helper()
	for _, suite := range []map[string]func(*testing.T, fixture){
		charges, checkouts, refunds, keys, lookups, cancellations, failures, webhooks, accounts,
	} {
		for name, test := range suite {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, fixture{Harness: h, Instance: h.New(t)})
			})
		}
	}
}

// fixture is the harness and the provider of one test.
type fixture struct {
	Harness
	Instance
}

// deadline is the longest wait for a provider's background work.
const deadline = 20 * time.Second

// pollInterval is the pause between two checks of that work.
const pollInterval = 10 * time.Millisecond

func newReference() payment.Reference {
	return payment.Reference{TenantID: uuid.New(), ID: uuid.Must(uuid.NewV7())}
}

// order returns a new order for a charge.
func (fx fixture) order(method string, amount int64) payment.ChargeOrder {
	return payment.ChargeOrder{
		Reference: newReference(), Key: "charge-" + uuid.NewString(), Amount: amount, Currency: fx.Currency,
		Method: method, Description: "A conformance test",
	}
}

func (fx fixture) refundOrder(chargeID string, amount int64) payment.RefundOrder {
	return payment.RefundOrder{
		Reference: newReference(), Key: "refund-" + uuid.NewString(), ChargeID: chargeID, Amount: amount,
		Currency: fx.Currency,
	}
}

func (fx fixture) charge(t *testing.T, o payment.ChargeOrder) payment.Outcome {
	t.Helper()
	outcome, err := fx.Provider.Charge(t.Context(), o)
	require.NoError(t, err)
	return outcome
}

// mustCharge makes a charge that must succeed.
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

// allTransactions returns the provider's whole journal.
func (fx fixture) allTransactions(t *testing.T) []payment.ProviderTransaction {
	t.Helper()
	return collectTransactions(t,
		fx.Provider.Transactions(t.Context(), time.Unix(0, 0), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)))
}

func collectTransactions(t *testing.T, transactions iter.Seq2[payment.ProviderTransaction, error],
) (all []payment.ProviderTransaction) {
	t.Helper()
	for m, err := range transactions {
		require.NoError(t, err)
		all = append(all, m)
	}
	return all
}

// requireUnknown fails unless the outcome is unknown after err.
func requireUnknown(t *testing.T, err error) {
	t.Helper()
	var notDone *payment.NotDone
	require.Error(t, err)
	require.NotErrorAs(t, err, &notDone, "the outcome must be unknown")
}

// requireNotDone fails unless err means that nothing was charged or refunded. method is the payment method's error;
// empty for none.
func requireNotDone(t *testing.T, err error, tryAgain bool, method payment.MethodError) {
	t.Helper()
	var notDone *payment.NotDone
	require.ErrorAs(t, err, &notDone)
	require.Equal(t, tryAgain, notDone.TryAgain, "%v", err)
	require.Equal(t, method, notDone.Method, "%v", err)
}
