package payment_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// webhook is a webhook request of the sandbox.
type webhook struct {
	header http.Header
	body   []byte
}

// webhookReceiver stores the sandbox's webhooks. The test delivers them itself.
type webhookReceiver struct {
	mu       sync.Mutex
	received []webhook
}

func (b *testBundle) receiveWebhooks(t testing.TB) *webhookReceiver {
	t.Helper()
	i := &webhookReceiver{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		i.mu.Lock()
		defer i.mu.Unlock()
		i.received = append(i.received, webhook{r.Header.Clone(), body})
	}))
	t.Cleanup(server.Close)
	b.sandbox.SetWebhook(server.URL)
	return i
}

// wait returns the webhooks as soon as there are n.
func (i *webhookReceiver) wait(t testing.TB, n int) (all []webhook) {
	t.Helper()
	require.Eventually(t, func() bool {
		i.mu.Lock()
		defer i.mu.Unlock()
		all = append([]webhook(nil), i.received...)
		return len(all) >= n
	}, maxWait, pollInterval)
	return all
}

// signed returns a webhook with body, signed at the given time.
func signed(secret string, at time.Time, body []byte) webhook {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
	header := http.Header{}
	header.Set("Sandbox-Signature", fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil))))
	return webhook{header, body}
}

func deliver(t testing.TB, s *payment.Service, w webhook) error {
	t.Helper()
	read, err := s.ReadWebhook("sandbox", w.header, w.body)
	if err == nil {
		err = s.HandleWebhook(t.Context(), read)
	}
	return err
}

func TestHandleWebhook_ShuffledAndRepeated_RecordsEachPaymentAndRefundOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := b.receiveWebhooks(t)
	services := []*payment.Service{b.process(t), b.process(t)}
	const bookings = 6
	random := rand.New(rand.NewPCG(testtime.Seed(t), 0))
	ids := make([]uuid.UUID, bookings)
	keys := make([]string, bookings)
	for i := range ids {
		ids[i], keys[i] = b.newBooking(t), newKey()
		finishAction(t, b.payWithAction(t, services[0], keys[i], ids[i]).ActionURL,
			map[bool]string{true: "complete", false: "fail"}[i%3 != 2])
		if i%3 == 1 {
			b.setStatus(t, ids[i], "cancelled")
		}
	}
	deliver := func(all []webhook) {
		all = append(all, all...)
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		codes := runConcurrently(len(all), func(i int) error { return deliver(t, services[i%2], all[i]) })
		require.Len(t, codes, 1, "%v", codes)
		require.Contains(t, codes, problem.Code(""))
	}
	charges := in.wait(t, bookings)
	deliver(charges)
	require.Equal(t, 2, b.openCount(t), "only the automatic refunds may be open")
	b.resolveAll(t, services...)
	deliver(in.wait(t, bookings+2)) // with the refunds, and again
	require.Zero(t, b.openCount(t))
	require.Equal(t, transferTotals{captures: 4, captured: 4 * price, refunds: 2, refunded: 2 * price},
		b.transferTotals(t))
	require.Equal(t, bookings+2, b.count(t, `SELECT count(*) FROM provider_events`))
	require.Equal(t, bookings+2, b.count(t, `SELECT count(*) FROM payments`))
	for i, id := range ids {
		m := b.balanceSummary(t, services[0], id)
		want := [][2]int64{{price, 0}, {price, price}, {0, 0}}[i%3]
		require.Equal(t, want, [2]int64{m.Paid, m.Refunded})
		r, err := b.pay(t, services[1], keys[i], id, balance("pm_requires_action"))
		require.NoError(t, err)
		require.True(t, r.Replayed)
		require.Equal(t, []int{201, 201, 402}[i%3], r.Answer().Status, "%s", r.Body)
	}
}

func TestHandleWebhook_ChargeCallFailed_CompletesThePayment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := b.receiveWebhooks(t)
	s := b.process(t)
	id, key := b.newBooking(t), newKey()
	require.NoError(t, b.sandbox.Inject(sandbox.Fault{Kind: sandbox.DropAfter, On: sandbox.Charges, Count: 1}))
	r, err := b.pay(t, s, key, id, balance("pm_ok"))
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, r.Answer().Status)
	require.NoError(t, deliver(t, s, in.wait(t, 1)[0]))
	require.Zero(t, b.openCount(t))
	r, err = b.pay(t, s, key, id, balance("pm_ok"))
	require.NoError(t, err)
	require.True(t, r.Replayed)
	require.Equal(t, http.StatusCreated, r.Answer().Status)
}

func TestHandleWebhook_SignatureIsInvalidOrOld_IsRejected(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := b.receiveWebhooks(t)
	s := b.process(t)
	id := b.newBooking(t)
	finishAction(t, b.payWithAction(t, s, newKey(), id).ActionURL, "complete")
	sent := in.wait(t, 1)[0]
	now := testtime.Now()
	for name, w := range map[string]webhook{
		"another secret":        signed("whsec_other", now, sent.body),
		"no signature":          {http.Header{}, sent.body},
		"an hour old":           signed(webhookSecret, now.Add(-time.Hour), sent.body),
		"an hour in the future": signed(webhookSecret, now.Add(time.Hour), sent.body),
		"another body":          {sent.header, append([]byte(" "), sent.body...)},
		"empty":                 {http.Header{}, nil},
	} {
		require.ErrorIs(t, deliver(t, s, w), payment.ErrSignature, name)
	}
	_, err := s.ReadWebhook("nobody", sent.header, sent.body)
	require.ErrorIs(t, err, payment.ErrSignature)
	require.Zero(t, b.balanceSummary(t, s, id).Paid)
	require.NoError(t, deliver(t, s, signed(webhookSecret, now.Add(-time.Minute), sent.body)))
	require.EqualValues(t, price, b.balanceSummary(t, s, id).Paid)
}

func TestHandleWebhook_UnknownPayment_ChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	body := fmt.Appendf(nil,
		`{"id":"evt_1","type":"charge.succeeded","charge":{"id":"ch_1","status":"succeeded","amount":1,`+
			`"currency":"EUR","reference":{"tenant_id":%q,"id":%q}}}`, b.tenant, uuid.New())
	require.NoError(t, deliver(t, s, signed(webhookSecret, testtime.Now(), body)))
	require.NoError(t, deliver(t, s,
		signed(webhookSecret, testtime.Now(), []byte(`{"id":"evt_2","type":"customer.born"}`))))
	err := deliver(t, s, signed(webhookSecret, testtime.Now(), []byte(`{"id":`)))
	require.True(t, problem.Is(err, problem.MalformedRequest), "%v", err)
	require.Zero(t, b.count(t, `SELECT count(*) FROM provider_events`))
}

func TestHandleWebhook_CaptureAfterDecline_IsRefunded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	id := b.newBooking(t)
	r := b.payKnown(t, s, newKey(), id, balance("pm_declined"))
	require.Equal(t, http.StatusPaymentRequired, r.Answer().Status)
	list, err := s.List(t.Context(), b.tenant, id, uuid.Nil, 10)
	require.NoError(t, err)
	body := fmt.Appendf(nil,
		`{"id":"evt_late","type":"charge.succeeded","charge":{"id":"ch_late","status":"succeeded","amount":%d,`+
			`"currency":%q,"reference":{"tenant_id":%q,"id":%q}}}`, list[0].Amount, list[0].Currency, b.tenant,
		list[0].ID)
	require.NoError(t, deliver(t, s, signed(webhookSecret, testtime.Now(), body)))
	list, err = s.List(t.Context(), b.tenant, id, uuid.Nil, 10)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, payment.StatusSucceeded, list[0].Status)
	require.True(t, list[1].Automatic)
	require.Equal(t, &list[0].ID, list[1].RefundOf)
	require.Equal(t, list[0].Amount, list[1].Amount)
}

func TestHandleWebhook_OtherAmountOrCurrencyThanOrdered_HasTheProviderAsked(t *testing.T) {
	t.Parallel()
	other := map[string]string{"one cent": `"amount":1,"currency":"EUR"`,
		"yen": fmt.Sprintf(`"amount":%d,"currency":"JPY"`, price)}
	for name, money := range other {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			s := b.process(t)
			booking := b.newBooking(t)
			open := b.payWithAction(t, s, newKey(), booking)
			body := fmt.Appendf(nil,
				`{"id":%q,"type":"charge.succeeded","charge":{"id":"ch_1","status":"succeeded",%s,`+
					`"reference":{"tenant_id":%q,"id":%q}}}`, newKey(), money, b.tenant, open.ID)
			require.NoError(t, deliver(t, s, signed(webhookSecret, testtime.Now(), body)))
			require.Zero(t, b.balanceSummary(t, s, booking).Paid)
			finishAction(t, open.ActionURL, "complete")
			b.resolveAll(t, s)
			require.EqualValues(t, price, b.balanceSummary(t, s, booking).Paid,
				"it is what the provider says when it is asked")
		})
	}
}

func TestPay_ProviderCapturesAnotherAmount_IsAnOpenQuestionInReconciliation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := &interceptedProvider{}
	f.charge = func(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
		o.Amount = 1
		return f.Provider.Charge(ctx, o)
	}
	s := b.process(t, withInterceptor(f))
	booking, from := b.newBooking(t), testtime.Now().Add(-time.Hour)
	r, err := b.pay(t, s, newKey(), booking, balance("pm_ok"))
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, r.Answer().Status, "%s", r.Body)
	b.exec(t, `UPDATE payments SET resolve_at = now()`)
	b.dueNow(t)
	require.Equal(t, 1, b.resolve(t, s), "it is looked up")
	require.Equal(t, payment.StatusUnknown, b.get(t, s, decode(t, r).ID).Status)
	require.Zero(t, b.balanceSummary(t, s, booking).Paid)
	found, err := s.Reconcile(t.Context(), from, from.Add(2*time.Hour))
	require.NoError(t, err)
	require.ElementsMatch(t, []payment.DifferenceKind{payment.DiffStillOpen, payment.DiffAmount},
		differenceKinds(found))
}
