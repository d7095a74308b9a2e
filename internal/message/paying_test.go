package message_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/wallet"
)

// provider is a payment provider that does what the payment method says: "declined" is declined, "slow" has no outcome
// until it is cancelled, and all others succeed. It refuses refunds if refusing is true.
type provider struct {
	payment.Provider
	refusing bool
}

func (*provider) Name() string               { return "sandbox" }
func (*provider) KeyLifetime() time.Duration { return time.Hour }

func (*provider) Charge(_ context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
	switch o.Method {
	case "declined":
		return payment.Outcome{Result: payment.Declined, ProviderID: o.Key, DeclineCode: "do_not_honor"}, nil
	case "slow":
		return payment.Outcome{Result: payment.Processing, ProviderID: o.Key}, nil
	}
	return payment.Outcome{Result: payment.Succeeded, ProviderID: o.Key, Amount: o.Amount, Currency: o.Currency}, nil
}

func (p *provider) Refund(_ context.Context, o payment.RefundOrder) (payment.Outcome, error) {
	if p.refusing {
		return payment.Outcome{Result: payment.Declined, ProviderID: o.Key, DeclineCode: "expired"}, nil
	}
	return payment.Outcome{Result: payment.Succeeded, ProviderID: o.Key, Amount: o.Amount, Currency: o.Currency}, nil
}

func (*provider) CancelCharge(context.Context, payment.Reference, string) (payment.Outcome, error) {
	return payment.Outcome{Result: payment.Declined, DeclineCode: payment.Cancelled}, nil
}

// payBy pays for a booking, and returns the payment's id.
func (b *testBundle) payBy(t testing.TB, id uuid.UUID, o payment.PayRequest) uuid.UUID {
	t.Helper()
	resp, err := b.payments.Pay(t.Context(), b.tenant.ID, request(t), id, o)
	require.NoError(t, err)
	return paymentIn(t, resp)
}

func paymentIn(t testing.TB, resp idempotency.Outcome) uuid.UUID {
	t.Helper()
	var body struct {
		ID        uuid.UUID `json:"id"`
		PaymentID uuid.UUID `json:"payment_id"` // of a decline
	}
	require.NoError(t, json.Unmarshal(resp.Body, &body))
	if body.ID == uuid.Nil {
		return body.PaymentID
	}
	return body.ID
}

// part is an amount that a payment method pays.
func part(amount int64, method string) payment.PayRequest {
	return payment.PayRequest{Kind: payment.Amount, Amount: &amount, Method: method}
}

// refund returns an amount of a payment, which is owed again.
func (b *testBundle) refund(t testing.TB, id uuid.UUID, amount int64) {
	t.Helper()
	_, err := b.payments.Refund(t.Context(), b.tenant.ID, request(t), id,
		payment.RefundRequest{Amount: &amount, OwedAgain: true})
	require.NoError(t, err)
}

// newWallet returns a wallet with credit.
func (b *testBundle) newWallet(t testing.TB, credit int64) uuid.UUID {
	t.Helper()
	wallets := wallet.NewService(b.store)
	resp, err := wallets.Create(t.Context(), b.tenant, request(t), wallet.CreateRequest{Currency: "EUR"})
	require.NoError(t, err)
	var made wallet.NewWalletBody
	require.NoError(t, json.Unmarshal(resp.Body, &made))
	_, err = wallets.Credit(t.Context(), b.tenant, request(t), made.ID, wallet.CreditRequest{Amount: credit})
	require.NoError(t, err)
	return made.ID
}
