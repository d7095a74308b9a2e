package stripe_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/testtime"
)

func entry(id, kind string, at time.Time, source object) object {
	// The bank account's currency differs from the customer's.
	return object{
		"id": id, "object": "balance_transaction", "type": kind, "created": at.Unix(), "amount": 1, "currency": "gbp",
		"source": source,
	}
}

func capturedCharge(ref payment.Reference, changes object) object {
	charge := object{
		"id": "ch_1", "object": "charge", "status": "succeeded", "amount": 900000, "amount_captured": 900000,
		"currency":       "isk",
		"payment_intent": "pi_1", "metadata": object{"tenant_id": ref.TenantID, "payment_id": ref.ID},
	}
	for k, v := range changes {
		charge[k] = v
	}
	return charge
}

func TestTransactions_MixedJournal_ReturnsOurSuccessesOldestFirst(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	from := time.Date(2026, 3, 1, 0, 0, 0, 1, time.UTC)
	until := from.Add(30 * time.Hour)
	charge, refund := b.order.Reference, payment.Reference{TenantID: b.order.Reference.TenantID, ID: uuid.New()}
	b.stripe.responses = map[string][]scriptedResponse{journal: {
		// The first day, newest first, on two pages.
		{body: page(true,
			entry("txn_6", "refund", from.Add(3*time.Hour), refunded(refund, "succeeded", object{"currency": "eur"})),
			entry("txn_5", "payout", from.Add(2*time.Hour), object{"id": "po_1", "object": "payout"}),
		)},
		{body: page(false,
			entry("txn_4", "refund", from.Add(2*time.Hour), refunded(refund, "failed", nil)),
			entry("txn_3", "charge", from.Add(2*time.Hour), capturedCharge(charge, object{"metadata": object{}})),
			entry("txn_2", "payment", from.Add(2*time.Hour), capturedCharge(charge, object{"status": "failed"})),
			entry("txn_1", "charge", from.Add(time.Hour), capturedCharge(charge, nil)),
		)},
		// The second day.
		{body: page(false, entry("txn_7", "payment", from.Add(25*time.Hour),
			capturedCharge(charge, object{"payment_intent": "pi_2"})))},
	}}

	movements, err := collectTransactions(t.Context(), b.provider, from, until)
	require.NoError(t, err)
	require.Equal(t, []payment.ProviderTransaction{
		{Reference: charge, ProviderID: "pi_1", Amount: 9000, Currency: "ISK",
			At: from.Add(time.Hour).Truncate(time.Second)},
		{Refund: true, Reference: refund, ProviderID: "re_1", Amount: 4500, Currency: "EUR",
			At: from.Add(3 * time.Hour).Truncate(time.Second)},
		{Reference: charge, ProviderID: "pi_2", Amount: 9000, Currency: "ISK",
			At: from.Add(25 * time.Hour).Truncate(time.Second)},
	}, movements)

	// The intervals have no gap and no overlap, and the bounds are exact.
	second := func(at time.Time) string {
		return strconv.FormatInt(at.Truncate(time.Second).Add(time.Second).Unix(), 10)
	}
	first, last := b.stripe.requests[0].form, b.stripe.requests[2].form
	require.Equal(t, second(from), first.Get("created[gte]"))
	require.Equal(t, first.Get("created[lt]"), last.Get("created[gte]"))
	require.Equal(t, second(until), last.Get("created[lt]"))
	require.Equal(t, "data.source", first.Get("expand[0]"))
	require.Equal(t, "txn_5", b.stripe.requests[1].form.Get("starting_after"))
}

func TestTransactions_LongEmptyPeriod_UsesFewRequests(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]scriptedResponse{journal: {{body: page(false)}}})
	movements, err := collectTransactions(t.Context(), b.provider, time.Time{},
		time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	require.Empty(t, movements)
	require.Less(t, len(b.stripe.calls()), 50)
	for i := range b.stripe.requests[1:] {
		require.Equal(t, b.stripe.requests[i].form.Get("created[lt]"), b.stripe.requests[i+1].form.Get("created[gte]"))
	}
}

func TestTransactions_PageFails_EndsWithAnError(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	now := testtime.Now()
	b.stripe.responses = map[string][]scriptedResponse{journal: {
		{body: page(true, entry("txn_1", "charge", now, capturedCharge(b.order.Reference, nil)))}, {disconnect: true},
	}}
	movements, err := collectTransactions(t.Context(), b.provider, now.Add(-time.Hour), now)
	require.Error(t, err)
	require.Empty(t, movements)
}

func TestTransactions_CallerStopsEarly_RequestsNoMorePages(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	from := testtime.Now()
	b.stripe.responses = map[string][]scriptedResponse{journal: {{body: page(false,
		entry("txn_1", "charge", from, capturedCharge(b.order.Reference, nil)))}}}
	for _, err := range b.provider.Transactions(t.Context(), from, from.Add(240*time.Hour)) {
		require.NoError(t, err)
		break
	}
	require.Len(t, b.stripe.calls(), 1)
}
