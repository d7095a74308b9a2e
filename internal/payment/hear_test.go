package payment_test

import (
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
)

// webhook is a delivery as the sandbox makes it.
type webhook struct {
	header http.Header
	body   []byte
}

// inbox keeps what the sandbox delivers, for the test to deliver it as it likes.
type inbox struct {
	mu  sync.Mutex
	all []webhook
}

func (b *testBundle) inbox(t testing.TB) *inbox {
	t.Helper()
	i := &inbox{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		i.mu.Lock()
		defer i.mu.Unlock()
		i.all = append(i.all, webhook{r.Header.Clone(), body})
	}))
	t.Cleanup(server.Close)
	b.sandbox.SetWebhook(server.URL)
	return i
}

// wait returns the deliveries once there are n.
func (i *inbox) wait(t testing.TB, n int) (all []webhook) {
	t.Helper()
	require.Eventually(t, func() bool {
		i.mu.Lock()
		defer i.mu.Unlock()
		all = append([]webhook(nil), i.all...)
		return len(all) >= n
	}, patience, poll)
	return all
}

// signed returns a delivery of body that was signed at a time.
func signed(secret string, at time.Time, body []byte) webhook {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
	header := http.Header{}
	header.Set("Sandbox-Signature", fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil))))
	return webhook{header, body}
}

func hear(t testing.TB, s *payment.Service, w webhook) error {
	t.Helper()
	return s.HandleWebhook(t.Context(), "sandbox", w.header, w.body)
}

func TestHear_InAnyOrderAndRepeated_EndsInOnePaymentAndOneRefund(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := b.inbox(t)
	services := []*payment.Service{b.process(t), b.process(t)}
	const bookings = 6
	ids := make([]uuid.UUID, bookings)
	keys := make([]string, bookings)
	for i := range ids {
		ids[i], keys[i] = b.newBooking(t), newKey()
		customer(t, b.waiting(t, services[0], keys[i], ids[i]).ActionURL, map[bool]string{true: "complete", false: "fail"}[i%3 != 2])
		if i%3 == 1 {
			b.setStatus(t, ids[i], "cancelled")
		}
	}
	deliver := func(all []webhook) {
		all = append(all, all...)
		rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		codes := race(len(all), func(i int) error { return hear(t, services[i%2], all[i]) })
		require.Len(t, codes, 1, "%v", codes)
		require.Contains(t, codes, problem.Code(""))
	}
	charges := in.wait(t, bookings)
	deliver(charges)
	require.Equal(t, 2, b.open(t), "the automatic refunds, and nothing else")
	b.settle(t, services...)
	deliver(in.wait(t, bookings+2)) // with the refunds, and late
	require.Zero(t, b.open(t))
	require.Equal(t, moves{captures: 4, captured: 4 * price, refunds: 2, refunded: 2 * price}, b.moved(t))
	require.Equal(t, bookings+2, b.count(t, `SELECT count(*) FROM provider_events`))
	require.Equal(t, bookings+2, b.count(t, `SELECT count(*) FROM payments`))
	for i, id := range ids {
		m := b.money(t, services[0], id)
		want := [][2]int64{{price, 0}, {price, price}, {0, 0}}[i%3]
		require.Equal(t, want, [2]int64{m.Paid, m.Refunded})
		r, err := b.pay(t, services[1], keys[i], id, balance("pm_requires_action"))
		require.NoError(t, err)
		require.True(t, r.Replayed)
		require.Equal(t, []int{201, 201, 402}[i%3], r.Status, "%s", r.Body)
	}
}

func TestHear_BeforeTheCallHasReturned_IsTheAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := b.inbox(t)
	s := b.process(t)
	id, key := b.newBooking(t), newKey()
	require.NoError(t, b.sandbox.Inject(sandbox.Fault{Kind: sandbox.DropAfter, On: sandbox.Charges, Count: 1}))
	r, err := b.pay(t, s, key, id, balance("pm_ok"))
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, r.Status)
	require.NoError(t, hear(t, s, in.wait(t, 1)[0]))
	require.Zero(t, b.open(t))
	r, err = b.pay(t, s, key, id, balance("pm_ok"))
	require.NoError(t, err)
	require.True(t, r.Replayed)
	require.Equal(t, http.StatusCreated, r.Status)
}

func TestHear_WhatTheProviderDidNotSignJustNow_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := b.inbox(t)
	s := b.process(t)
	id := b.newBooking(t)
	customer(t, b.waiting(t, s, newKey(), id).ActionURL, "complete")
	sent := in.wait(t, 1)[0]
	now := time.Now()
	for name, w := range map[string]webhook{
		"another secret":    signed("whsec_other", now, sent.body),
		"no signature":      {http.Header{}, sent.body},
		"six minutes old":   signed(webhookSecret, now.Add(-6*time.Minute), sent.body),
		"of the future":     signed(webhookSecret, now.Add(6*time.Minute), sent.body),
		"another body":      {sent.header, append([]byte(" "), sent.body...)},
		"an empty delivery": {http.Header{}, nil},
	} {
		require.ErrorIs(t, hear(t, s, w), payment.ErrSignature, name)
	}
	require.ErrorIs(t, s.HandleWebhook(t.Context(), "nobody", sent.header, sent.body), payment.ErrSignature)
	require.Zero(t, b.money(t, s, id).Paid)
	require.NoError(t, hear(t, s, signed(webhookSecret, now.Add(-4*time.Minute), sent.body)))
	require.EqualValues(t, price, b.money(t, s, id).Paid)
}

func TestHear_OfPaymentsThatAreNotOurs_ChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	body := fmt.Appendf(nil, `{"id":"evt_1","type":"charge.succeeded","charge":{"id":"ch_1","status":"succeeded","amount":1,"currency":"EUR",`+
		`"reference":{"tenant_id":%q,"id":%q}}}`, b.tenant, uuid.New())
	require.NoError(t, hear(t, s, signed(webhookSecret, time.Now(), body)))
	require.NoError(t, hear(t, s, signed(webhookSecret, time.Now(), []byte(`{"id":"evt_2","type":"customer.born"}`))))
	err := hear(t, s, signed(webhookSecret, time.Now(), []byte(`{"id":`)))
	require.True(t, problem.Is(err, problem.MalformedRequest), "%v", err)
	require.Zero(t, b.count(t, `SELECT count(*) FROM provider_events`))
}

func TestHear_CaptureOfWhatWasAnsweredAsDeclined_IsRefunded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	id := b.newBooking(t)
	r := b.payKnown(t, s, newKey(), id, balance("pm_declined"))
	require.Equal(t, http.StatusPaymentRequired, r.Status)
	list, err := s.List(t.Context(), b.tenant, id, uuid.Nil, 10)
	require.NoError(t, err)
	body := fmt.Appendf(nil, `{"id":"evt_late","type":"charge.succeeded","charge":{"id":"ch_late","status":"succeeded","amount":%d,"currency":%q,`+
		`"reference":{"tenant_id":%q,"id":%q}}}`, list[0].Amount, list[0].Currency, b.tenant, list[0].ID)
	require.NoError(t, hear(t, s, signed(webhookSecret, time.Now(), body)))
	list, err = s.List(t.Context(), b.tenant, id, uuid.Nil, 10)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, payment.StatusSucceeded, list[0].Status)
	require.True(t, list[1].Automatic)
	require.Equal(t, &list[0].ID, list[1].RefundOf)
	require.Equal(t, list[0].Amount, list[1].Amount)
}
