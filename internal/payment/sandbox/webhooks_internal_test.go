package sandbox

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/testtime"
)

// quietPeriod is how long a test waits for webhooks that must not come.
const quietPeriod = 100 * time.Millisecond

// receiver stores the webhooks that it receives.
type receiver struct {
	mu         sync.Mutex
	rejectNext int // number of webhooks to reject first
	received   []payment.Event
	problems   []error
}

// listen starts the receiver for the test and returns its URL.
func (r *receiver) listen(t *testing.T) string {
	t.Helper()
	client := NewClient(ClientConfig{WebhookSecret: testSecret})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		e, err := client.Event(request.Header, body, testtime.Now())
		r.mu.Lock()
		defer r.mu.Unlock()
		if err != nil {
			r.problems = append(r.problems, err)
		}
		r.received = append(r.received, e)
		if r.rejectNext > 0 {
			r.rejectNext--
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// await returns the webhooks as soon as there are n.
func (r *receiver) await(t *testing.T, n int) []payment.Event {
	t.Helper()
	require.Eventually(t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.received) >= n
	}, maxWait, pollInterval)
	r.mu.Lock()
	defer r.mu.Unlock()
	require.Empty(t, r.problems)
	return append([]payment.Event(nil), r.received...)
}

// requireNoMore fails if more than n webhooks arrive within the given time.
func (r *receiver) requireNoMore(t *testing.T, n int, within time.Duration) {
	t.Helper()
	require.Never(t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.received) > n
	}, within, pollInterval)
}

func TestWebhooks_FinalOutcomes_AreSent(t *testing.T) {
	t.Parallel()
	var events receiver
	s, client := startServer(t, nil)
	s.SetWebhook(events.listen(t))
	var want []payment.Event
	requireSent := func(isRefund bool, ref payment.Reference, o payment.Outcome) {
		t.Helper()
		want = append(want, payment.Event{Refund: isRefund, Reference: ref, Outcome: o})
		arrived := events.await(t, len(want))
		require.NotEmpty(t, arrived[len(want)-1].ID)
		arrived[len(want)-1].ID = ""
		require.Equal(t, want[len(want)-1], arrived[len(want)-1])
	}
	charge := func(method string) (payment.ChargeOrder, payment.Outcome) {
		o := newOrder(t, method, 500)
		return o, mustCharge(t, client, o)
	}
	ok, paid := charge("pm_ok")
	requireSent(false, ok.Reference, paid)
	poor, refused := charge("pm_insufficient_funds")
	requireSent(false, poor.Reference, refused)
	returned := newRefund(t, paid.ProviderID, 200)
	outcome, err := client.Refund(t.Context(), returned)
	require.NoError(t, err)
	requireSent(true, returned.Reference, outcome)
	returned = newRefund(t, paid.ProviderID, 301)
	outcome, err = client.Refund(t.Context(), returned)
	require.NoError(t, err)
	requireSent(true, returned.Reference, outcome)
	for _, complete := range []bool{true, false} {
		o, waiting := charge("pm_requires_action")
		events.requireNoMore(t, len(want), quietPeriod)
		finishActionInBrowser(t, waiting, complete)
		settled, err := client.FindCharge(t.Context(), o.Reference, "")
		require.NoError(t, err)
		requireSent(false, o.Reference, settled)
	}
	mustCharge(t, client, ok)
	events.requireNoMore(t, len(want), quietPeriod)
}

func TestWebhooks_Rejected_AreSentAgainWithTheSameID(t *testing.T) {
	t.Parallel()
	events := receiver{rejectNext: 3}
	s, client := startServer(t, nil)
	s.SetWebhook(events.listen(t))
	mustCharge(t, client, newOrder(t, "pm_ok", 100))
	for _, e := range events.await(t, 4) {
		require.Equal(t, events.received[0], e)
	}
	events.requireNoMore(t, 4, quietPeriod)
}

func TestWebhooks_Duplicated_ArriveTwiceWithTheSameID(t *testing.T) {
	t.Parallel()
	var events receiver
	s, client := startServer(t, nil)
	s.SetWebhook(events.listen(t))
	require.NoError(t, s.Inject(Fault{Kind: WebhookDuplicate, Count: 1, Delay: 20 * time.Millisecond}))
	mustCharge(t, client, newOrder(t, "pm_ok", 100))
	arrived := events.await(t, 2)
	require.Equal(t, arrived[0], arrived[1])
	mustCharge(t, client, newOrder(t, "pm_ok", 100))
	events.await(t, 3)
	events.requireNoMore(t, 3, quietPeriod)
}

// pending returns the webhooks that are still to be sent, in the order of their times.
func pending(t *testing.T, s *Server) []delivery {
	t.Helper()
	all, err := read(s.journal, func(e entries) ([]delivery, error) {
		all, _, err := e.deliveries(testtime.Now().Add(2*maxFault), 100)
		return all, err
	})
	require.NoError(t, err)
	return all
}

// makeDue makes the webhooks due that are still to be sent.
func makeDue(t *testing.T, s *Server) {
	t.Helper()
	all := pending(t, s)
	require.NoError(t, s.journal.write(func(e entries) error {
		for _, d := range all {
			if err := errors.Join(e.dropDelivery(d), e.putByTime(bucketPending, testtime.Now(), d)); err != nil {
				return err
			}
		}
		return nil
	}))
	s.webhooks.wakeUp()
}

func TestWebhooks_Delayed_AreOvertaken(t *testing.T) {
	t.Parallel()
	const delay = time.Hour
	var events receiver
	s, client := startServer(t, nil)
	s.SetWebhook(events.listen(t))
	require.NoError(t, s.Inject(Fault{Kind: WebhookDelay, Count: 1, Delay: delay}))
	began := testtime.Now()
	late, early := newOrder(t, "pm_ok", 100), newOrder(t, "pm_ok", 100)
	mustCharge(t, client, late)
	mustCharge(t, client, early)
	require.Equal(t, early.Reference, events.await(t, 1)[0].Reference)
	// the early one is done with
	require.Eventually(t, func() bool { return len(pending(t, s)) == 1 }, maxWait, pollInterval)
	next, err := read(s.journal, func(e entries) (time.Time, error) {
		_, next, err := e.deliveries(began, 1)
		return next, err
	})
	require.NoError(t, err)
	require.False(t, next.Before(began.Add(delay)))
	makeDue(t, s)
	require.Equal(t, late.Reference, events.await(t, 2)[1].Reference)
}

func TestWebhooks_Reordered_AllArriveInAnotherOrder(t *testing.T) {
	t.Parallel()
	const n = 20
	var events receiver
	s, client := startServer(t, nil)
	s.SetWebhook(events.listen(t))
	require.NoError(t, s.Inject(Fault{Kind: WebhookReorder, Seed: 1, Delay: time.Hour}))
	var sent, planned, got []payment.Reference
	for range n {
		o := newOrder(t, "pm_ok", 100)
		sent = append(sent, o.Reference)
		mustCharge(t, client, o)
	}
	for _, d := range pending(t, s) {
		var e event
		require.NoError(t, json.Unmarshal(d.Body, &e))
		planned = append(planned, payment.Reference(e.Charge.Reference))
	}
	require.ElementsMatch(t, sent, planned)
	require.NotEqual(t, sent, planned)
	makeDue(t, s)
	for _, e := range events.await(t, n) {
		got = append(got, e.Reference)
	}
	require.ElementsMatch(t, sent, got)
}

func TestWebhooks_ServerDown_ArriveAfterwards(t *testing.T) {
	t.Parallel()
	var events receiver
	s, client := startServer(t, nil)
	s.SetWebhook(events.listen(t))
	require.NoError(t, s.Inject(Fault{Kind: WebhookDelay, Count: 1, Delay: time.Hour}))
	mustCharge(t, client, newOrder(t, "pm_ok", 100))
	require.NoError(t, s.Inject(Fault{Kind: Down, For: time.Hour}))
	makeDue(t, s)
	events.requireNoMore(t, 0, quietPeriod)
	s.ClearFaults()
	events.await(t, 1)
}

func TestRetryDelay_Attempts_DoubleItUpToTheLimit(t *testing.T) {
	t.Parallel()
	for attempts, longest := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 5: 16 * time.Second,
		6:   maxBackoff,
		999: maxBackoff} {
		for range 50 {
			got := retryDelay(time.Second, attempts)
			require.LessOrEqual(t, got, longest)
			require.GreaterOrEqual(t, got, longest/2)
		}
	}
}
