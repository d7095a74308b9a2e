package stripe_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

func TestRefund_Order_IsSentWithKeyAndReference(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	b.stripe.responses = map[string][]scriptedResponse{giveBack: {{body: refunded(b.refund.Reference, "succeeded",
		nil)}}}

	outcome, err := b.provider.Refund(t.Context(), b.refund)
	require.NoError(t, err)
	require.Equal(t, payment.Outcome{Result: payment.Succeeded, ProviderID: "re_1", Amount: 4500, Currency: "EUR"},
		outcome)

	require.Equal(t, []string{giveBack}, b.stripe.calls())
	sent := b.stripe.requests[0]
	require.Equal(t, "key-2", sent.header.Get("Idempotency-Key"))
	require.Equal(t, "4500", sent.form.Get("amount"))
	require.Equal(t, "pi_1", sent.form.Get("payment_intent"))
	require.Equal(t, b.refund.Reference.TenantID.String(), sent.form.Get("metadata[tenant_id]"))
	require.Equal(t, b.refund.Reference.ID.String(), sent.form.Get("metadata[refund_id]"))
}

func TestRefund_StripesResponse_IsMapped(t *testing.T) {
	t.Parallel()
	ref := payment.Reference{TenantID: uuid.New(), ID: uuid.Must(uuid.NewV7())}
	for name, test := range map[string]struct {
		answer scriptedResponse
		want   payment.Outcome
	}{
		"pending": {scriptedResponse{body: refunded(ref, "pending", nil)},
			payment.Outcome{Result: payment.Processing, ProviderID: "re_1"}},
		"requires action": {scriptedResponse{body: refunded(ref, "requires_action", nil)},
			payment.Outcome{Result: payment.Processing, ProviderID: "re_1"}},
		"failed": {
			scriptedResponse{body: refunded(ref, "failed", object{"failure_reason": "lost_or_stolen_card"})},
			payment.Outcome{Result: payment.Declined, ProviderID: "re_1", DeclineCode: "lost_or_stolen_card"},
		},
		"our balance is empty": {
			scriptedResponse{body: refunded(ref, "failed", object{"failure_reason": "insufficient_funds"})},
			payment.Outcome{Result: payment.Declined, ProviderID: "re_1", DeclineCode: "insufficient_funds",
				TryAgain: true},
		},
		"cancelled": {
			scriptedResponse{body: refunded(ref, "canceled", nil)},
			payment.Outcome{Result: payment.Declined, ProviderID: "re_1", DeclineCode: "canceled"},
		},
		"already refunded": {
			scriptedResponse{status: http.StatusBadRequest,
				body: apiError("invalid_request_error", "charge_already_refunded", nil)},
			payment.Outcome{Result: payment.Declined, DeclineCode: "charge_already_refunded"},
		},
		"more than is left": {
			scriptedResponse{status: http.StatusBadRequest,
				body: apiError("invalid_request_error", "", object{"param": "amount"})},
			payment.Outcome{Result: payment.Declined, DeclineCode: "amount_too_large"},
		},
		"our balance is too low": {
			scriptedResponse{status: http.StatusBadRequest,
				body: apiError("invalid_request_error", "balance_insufficient", nil)},
			payment.Outcome{Result: payment.Declined, DeclineCode: "balance_insufficient", TryAgain: true},
		},
	} {
		b := setup(t, map[string][]scriptedResponse{giveBack: {test.answer}})
		outcome, err := b.provider.Refund(t.Context(), b.refund)
		require.NoError(t, err, name)
		require.Equal(t, test.want, outcome, name)
	}
}

func TestRefund_ReplayedResponse_IsLookedUpAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	ref := b.refund.Reference
	b.stripe.responses = map[string][]scriptedResponse{
		giveBack:  {{replayed: true, body: refunded(ref, "pending", nil)}},
		refundGet: {{body: refunded(ref, "failed", object{"failure_reason": "expired_or_canceled_card"})}},
	}
	outcome, err := b.provider.Refund(t.Context(), b.refund)
	require.NoError(t, err)
	require.Equal(t, payment.Declined, outcome.Result)
	require.Equal(t, "expired_or_canceled_card", outcome.DeclineCode)
}

func TestFindRefund_WithoutID_SearchesTheChargesRefunds(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	ref := b.refund.Reference
	other := refunded(payment.Reference{TenantID: ref.TenantID, ID: uuid.New()}, "succeeded", object{"id": "re_9"})
	b.stripe.responses = map[string][]scriptedResponse{refunds: {{body: page(false, other,
		refunded(ref, "succeeded", nil))}}}

	outcome, err := b.provider.FindRefund(t.Context(), ref, "", "pi_1")
	require.NoError(t, err)
	require.Equal(t, payment.Outcome{Result: payment.Succeeded, ProviderID: "re_1", Amount: 4500, Currency: "EUR"},
		outcome)
	require.Equal(t, "pi_1", b.stripe.requests[0].form.Get("payment_intent"))

	b.stripe.responses = map[string][]scriptedResponse{refunds: {{body: page(false, other)}}}
	outcome, err = b.provider.FindRefund(t.Context(), ref, "", "pi_1")
	require.NoError(t, err)
	require.Equal(t, payment.Outcome{Result: payment.Absent}, outcome)

	b.stripe.responses = map[string][]scriptedResponse{refunds: {{status: http.StatusInternalServerError,
		body: apiError("api_error", "", nil)}}}
	_, err = b.provider.FindRefund(t.Context(), ref, "", "pi_1")
	require.Error(t, err, "a failed call isn't Absent")
	_, err = b.provider.FindRefund(t.Context(), ref, "", "")
	require.Error(t, err)
}
