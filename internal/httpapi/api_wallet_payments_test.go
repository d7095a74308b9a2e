package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// wallet returns the id of a wallet with credit.
func (c client) wallet(t testingT, credit int) uuid.UUID {
	t.Helper()
	id := c.post(t, "/v1/wallets", object{"currency": "EUR"}).id(t)
	a := c.post(t, "/v1/wallets/"+id.String()+"/credits", object{"amount": credit})
	require.Equal(t, http.StatusCreated, a.status, a.body)
	return id
}

func TestPayments_FromWalletAndCard_AreListedShownAndRefunded(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	w := c.wallet(t, 1500)
	deposit := c.pay(t, booking, object{"kind": "deposit", "wallet_id": w})
	id := c.created(t, deposit)
	require.Equal(t, deposit.body, c.get(t, "/v1/payments/"+id.String()).body)
	for name, want := range map[string]any{"provider": "wallet", "wallet_id": w.String(), "amount": 1000.,
		"status": "succeeded"} {
		require.Equal(t, want, deposit.field(t, name), name)
	}
	rest := c.pay(t, booking,
		object{"kind": "balance", "wallet_id": w, "wallet_amount": 400, "payment_method": "pm_ok"})
	card := c.created(t, rest)
	for name, want := range map[string]any{"provider": "sandbox", "wallet_id": w.String(), "wallet_amount": 400.,
		"amount": 3100.} {
		require.Equal(t, want, rest.field(t, name), name)
	}
	c.requireBalance(t, booking, `{"total":4500,"deposit_due":0,"paid":4500,"refunded":0,"returning":0,"lowered":0,`+
		`"lowered_fee":0,"due":0,"overpaid":0,"currency":"EUR"}`)
	var list struct{ Data []object }
	c.get(t, "/v1/bookings/"+booking.String()+"/payments").read(t, &list)
	require.Len(t, list.Data, 3)
	require.Equal(t, card.String(), list.Data[2]["card_payment_id"])

	receipt := c.get(t, "/v1/payments/"+card.String()+"/receipt")
	require.Equal(t, object{"amount": 400., "formatted_amount": "4.00 EUR"}, receipt.field(t, "wallet"))
	require.Equal(t, true, c.get(t, "/v1/payments/"+id.String()+"/receipt").field(t, "from_wallet"))
	for _, of := range []uuid.UUID{id, card} {
		require.Equal(t, http.StatusOK, c.get(t, "/v1/payments/"+of.String()+"/receipt.pdf").status)
	}

	back := c.refund(t, id, object{"amount": 250})
	c.created(t, back)
	require.Equal(t, "wallet", back.text(t, "provider"))
	require.EqualValues(t, 350, c.get(t, "/v1/wallets/"+w.String()).field(t, "available"))
}

func TestPayments_WalletFieldsThatDontFit_AreRefused(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	w := c.wallet(t, 100)
	for name, test := range map[string]struct {
		body  object
		field string
	}{
		"neither": {object{"kind": "balance"}, "payment_method"},
		"wallet_amount alone": {object{"kind": "balance", "payment_method": "pm_ok", "wallet_amount": 5},
			"wallet_amount"},
		"wallet_amount, no card": {object{"kind": "balance", "wallet_id": w, "wallet_amount": 5}, "wallet_amount"},
		"wallet_amount of zero": {object{"kind": "balance", "wallet_id": w, "wallet_amount": 0,
			"payment_method": "pm_ok"},
			"wallet_amount"},
		"not a wallet's id":       {object{"kind": "balance", "wallet_id": "gift"}, "wallet_id"},
		"an empty payment method": {object{"kind": "balance", "wallet_id": w, "payment_method": ""}, "payment_method"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := c.pay(t, booking, test.body)
			require.Equal(t, http.StatusUnprocessableEntity, a.status, a.body)
			require.Equal(t, string(problem.ValidationFailed), a.text(t, "code"))
			require.Contains(t, a.body, `"`+test.field+`"`)
		})
	}
	require.Equal(t, string(problem.InsufficientFunds),
		c.pay(t, booking, object{"kind": "balance", "wallet_id": w}).text(t, "code"))
	require.Equal(t, http.StatusNotFound, c.pay(t, booking, object{"kind": "balance", "wallet_id": uuid.New()}).status)
}
