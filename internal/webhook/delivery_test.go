package webhook_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"holdfast/internal/event"
	"holdfast/internal/webhook"
)

// verified requires a signature that the specification's library accepts.
func verified(t testing.TB, secret string, r received) {
	t.Helper()
	v, err := standardwebhooks.NewWebhook(secret)
	require.NoError(t, err)
	require.NoError(t, v.Verify(r.body, r.header))
}

func TestDelivery_EventOfTheOutbox_ArrivesSignedAndIsLogged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := newReceiver(t, func(_ int, w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("thanks")) })
	e := b.newEndpoint(t, rec.URL+"/hooks", "booking.*")
	id := b.recordChange(t, "booking.created")
	b.run(t)

	got := rec.requests()
	require.Len(t, got, 1)
	verified(t, e.Secret, got[0])
	require.Equal(t, id.String(), got[0].id())
	var body map[string]any
	require.NoError(t, json.Unmarshal(got[0].body, &body))
	require.Equal(t, []any{id.String(), "booking.created", 1., map[string]any{"name": "Zoë <&> 🚣"}},
		[]any{body["id"], body["type"], body["sequence"], body["data"]})
	require.Equal(t, "booking", body["subject"].(map[string]any)["type"])
	require.Regexp(t, `Z$`, body["occurred_at"])

	d := b.delivery(t, e.ID)
	require.Equal(t, []any{id, "booking.created", "completed", 1, ""},
		[]any{d.EventID, d.Type, string(d.Status), d.Attempts, d.Error})
	require.Nil(t, d.NextAttemptAt)
	require.Len(t, d.Log, 1)
	require.Equal(t, &webhook.ResponseLog{Status: 200, ContentType: "text/plain; charset=utf-8", Body: "thanks"},
		d.Log[0].Response)
	require.Equal(t, string(got[0].body), d.Log[0].Request.Body)
	require.Equal(t, rec.URL+"/hooks", d.Log[0].Request.URL)
	require.Empty(t, d.Log[0].Failure)
}

func TestDelivery_Types_DecideWhichEventsArrive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := newReceiver(t, nil)
	for path, types := range map[string][]webhook.EventType{"/all": {"*"}, "/booking": {"booking.*"},
		"/exact": {"booking.created", "payment.refunded"}} {
		b.newEndpoint(t, rec.URL+path, types...)
	}
	for _, eventType := range []string{"booking.created", "booking.created_twice", "bookings.created",
		"payment.succeeded",
		"payment.refunded"} {
		b.recordChange(t, eventType)
	}
	b.run(t)
	counts := map[string]int{}
	for _, r := range b.logs(t) {
		counts[strings.TrimPrefix(r, rec.URL)]++
	}
	require.Equal(t, map[string]int{"/all": 5, "/booking": 2, "/exact": 2}, counts)
}

// logs returns the URLs of all attempts.
func (b *testBundle) logs(t testing.TB) (urls []string) {
	t.Helper()
	rows, err := b.sql.Query(t.Context(), "SELECT details->'request'->>'url' FROM event_attempts")
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var url string
		require.NoError(t, rows.Scan(&url))
		urls = append(urls, url)
	}
	require.NoError(t, rows.Err())
	return urls
}

func TestDelivery_EventBeforeTheEndpointExisted_IsNotDelivered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := newReceiver(t, nil)
	b.recordChange(t, "booking.created")
	b.newEndpoint(t, rec.URL, "*")
	b.run(t)
	require.Empty(t, rec.requests())
}

func TestDelivery_Response_DecidesWhatFollows(t *testing.T) {
	t.Parallel()
	const soon, hour = 5 * time.Second, time.Hour
	for name, c := range map[string]struct {
		answer     int // 0 closes the connection
		retryAfter string
		status     string
		reason     string
		earliest   time.Duration // when the next attempt is made, after this one
	}{
		"200": {answer: http.StatusOK, status: "completed"},
		"204": {answer: http.StatusNoContent, status: "completed"},
		"299": {answer: 299, status: "completed"},
		"302": {answer: http.StatusFound, status: "failed", reason: "There was no usable response: redirect.",
			earliest: soon},
		"400": {answer: http.StatusBadRequest, status: "failed", reason: "The endpoint answered 400.", earliest: soon},
		"500": {answer: http.StatusInternalServerError, status: "failed", reason: "The endpoint answered 500.",
			earliest: soon},
		"500 with Retry-After": {answer: http.StatusInternalServerError, retryAfter: "3600", status: "failed",
			reason: "The endpoint answered 500.", earliest: soon},
		"429 with Retry-After": {answer: http.StatusTooManyRequests, retryAfter: "3600", status: "failed",
			reason: "The endpoint answered 429.", earliest: hour},
		"503 with Retry-After": {answer: http.StatusServiceUnavailable, retryAfter: "3600", status: "failed",
			reason: "The endpoint answered 503.", earliest: hour},
		"503 with Retry-After 0": {answer: http.StatusServiceUnavailable, retryAfter: "0", status: "failed",
			reason: "The endpoint answered 503.", earliest: soon},
		"410":               {answer: http.StatusGone, status: "dead", reason: "The endpoint answered 410."},
		"closed connection": {status: "failed", reason: "There was no usable response: protocol.", earliest: soon},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			rec := newReceiver(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
				if c.answer == 0 {
					panic(http.ErrAbortHandler)
				}
				if c.retryAfter != "" {
					w.Header().Set("Retry-After", c.retryAfter)
				}
				w.WriteHeader(c.answer)
			})
			e := b.newEndpoint(t, rec.URL, "*")
			b.recordChange(t, "booking.created")
			b.run(t)
			require.Len(t, rec.requests(), 1)
			d := b.delivery(t, e.ID)
			require.EqualValues(t, c.status, d.Status)
			require.Equal(t, c.reason, d.Error)
			require.Len(t, d.Log, 1)
			if c.status == "failed" {
				// Within a second of recording: due_at counts from the end of the exchange.
				require.WithinRange(t, *d.NextAttemptAt, d.Log[0].StartedAt.Add(c.earliest),
					d.UpdatedAt.Add(c.earliest+time.Second))
				require.NotNil(t, b.endpoint(t, e.ID).FailingSince)
			}
		})
	}
}

func TestDelivery_LastAttemptFails_IsDead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := answering(t, 500)
	e := b.newEndpoint(t, rec.URL, "*")
	b.recordChange(t, "booking.created")
	b.relay(t)
	b.exec(t, "UPDATE scheduled_events SET attempts = 9")
	b.run(t)
	d := b.delivery(t, e.ID)
	require.Equal(t, []any{"dead", 10}, []any{string(d.Status), d.Attempts})
	require.Equal(t, "dead", d.Log[0].Status)
}

func TestDelivery_410_EndsTheEndpointAndItsDeliveries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec, other := answering(t, 410), newReceiver(t, nil)
	gone, watching := b.newEndpoint(t, rec.URL, "booking.*"), b.newEndpoint(t, other.URL, "webhook_endpoint.disabled")
	b.recordChange(t, "booking.created")
	b.relay(t)
	later := b.recordChanges(t, "booking.created", 3)
	b.relay(t)
	b.exec(t, "UPDATE scheduled_events SET due_at = now() + interval '1 hour' WHERE occurrence = ANY ($1)",
		texts(later...))
	b.run(t)

	b.letTimePass(t)
	b.run(t)
	e := b.endpoint(t, gone.ID)
	require.Equal(t, []any{webhook.Gone, "The endpoint answered 410.", int64(2)},
		[]any{e.Status, e.DisabledReason, e.Version})
	var statuses []string
	for _, d := range b.deliveries(t, gone.ID) {
		statuses = append(statuses, string(d.Status)+": "+d.Error)
	}
	cancelled := "cancelled: The endpoint is gone."
	require.Equal(t, []string{cancelled, cancelled, cancelled, "dead: The endpoint answered 410."}, statuses)

	got := other.requests()
	require.Len(t, got, 1)
	verified(t, watching.Secret, got[0])
	require.Contains(t, string(got[0].body), `"type":"webhook_endpoint.disabled"`)
	require.Contains(t, string(got[0].body), gone.ID.String())
	require.NotContains(t, string(got[0].body), "whsec_")

	b.recordChange(t, "booking.created")
	b.run(t)
	require.Len(t, rec.requests(), 1, "nothing is sent to an endpoint that is gone")
}

func TestDelivery_NameResolvesToAPrivateAddress_IsBlockedAndTheLogShowsNothing(t *testing.T) {
	t.Parallel()
	e := startTLS(t, answerOK)
	_, resolver := startNameServer(t, addrs("127.0.0.1"))
	b := setupWith(t, webhook.Config{Roots: e.roots(), Resolver: resolver})
	made := b.newEndpoint(t, e.named(t, hookName), "*")
	b.recordChange(t, "booking.created")
	b.run(t)
	d := b.delivery(t, made.ID)
	require.EqualValues(t, "failed", d.Status)
	require.Equal(t, webhook.ReasonBlockedAddress, d.Log[0].Failure)
	require.Nil(t, d.Log[0].Response)
	text, err := json.Marshal(d)
	require.NoError(t, err)
	require.NotContains(t, string(text), "127.0.0.1")
	require.Zero(t, e.opened.Load())
}

func TestDelivery_WorkerDiesBeforeItRecords_ArrivesAgainWithTheSameID(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := newReceiver(t, nil)
	e := b.newEndpoint(t, rec.URL, "*")
	id := b.recordChange(t, "booking.created")
	b.relay(t)
	kind := b.service.DeliveryKind()
	claimed, err := event.LeaseDue(t.Context(), b.store, uuid.New(),
		event.LeaseQuery{Kind: kind.Name, Limit: 1, LeaseTime: time.Hour})
	require.NoError(t, err)
	require.Len(t, claimed[0].Events, 1)
	c := claimed[0].Events[0]
	_, err = kind.Handle(t.Context(), event.Event{
		TenantID:   c.TenantID,
		ID:         c.EventID,
		Kind:       c.Kind,
		Subject:    event.Subject{Type: c.SubjectType, ID: c.SubjectID},
		Occurrence: c.Occurrence,
		Attempt:    int(c.Attempts),
		Data:       c.Data,
		LeasedAt:   c.LeasedAt,
	})
	require.NoError(t, err)
	// The worker dies here. Its lease ends.
	b.exec(t, "UPDATE scheduled_events SET leased_until = now() - interval '1 second'")
	rescued, err := event.Rescue(t.Context(), b.store, 0, 10,
		map[string]event.RescueRule{kind.Name: {MaxAttempts: kind.MaxAttempts}})
	require.NoError(t, err)
	require.Len(t, rescued, 1)
	b.run(t)
	require.Equal(t, texts(id, id), rec.ids())
	first, second := rec.requests()[0], rec.requests()[1]
	require.Equal(t, first.body, second.body)
	verified(t, e.Secret, second)
	require.EqualValues(t, "completed", b.delivery(t, e.ID).Status)
}

func TestDelivery_SlowEndpoint_HasEightAtOnceAndHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	b := setup(t)
	release := make(chan struct{})
	var underWay, most atomic.Int32
	slow := newReceiver(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		for n := underWay.Add(1); ; {
			if highest := most.Load(); n <= highest || most.CompareAndSwap(highest, n) {
				break
			}
		}
		defer underWay.Add(-1)
		select {
		case <-release:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusNoContent)
	})
	fast := newReceiver(t, nil)
	b.newEndpoint(t, slow.URL, "booking.created")
	b.newEndpoint(t, fast.URL, "booking.cancelled")
	b.recordChanges(t, "booking.created", 200)
	b.relay(t)
	ids := b.recordChanges(t, "booking.cancelled", 20)
	b.relay(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.worker().RunUntilIdle(t.Context())
	}()
	var got []string
	for range ids {
		select {
		case id := <-fast.arrived:
			got = append(got, id)
		case <-time.After(time.Minute):
			require.Fail(t, "the slow endpoint holds up the other one")
		}
	}
	require.ElementsMatch(t, texts(ids...), got)
	close(release)
	<-done
	require.LessOrEqual(t, most.Load(), int32(8))
	require.Greater(t, most.Load(), int32(1))
}

func TestDelivery_EndpointDeleted_EndsWhatIsPlanned(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := newReceiver(t, nil)
	e := b.newEndpoint(t, rec.URL, "*")
	b.recordChanges(t, "booking.created", 3)
	b.relay(t)
	require.NoError(t, b.service.Delete(t.Context(), b.tenant, e.ID))
	b.run(t)
	require.Empty(t, rec.requests())
	var n int
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT count(*) FROM scheduled_events WHERE status = 'cancelled' AND last_error = 'The endpoint was deleted.'").Scan(&n))
	require.Equal(t, 3, n)
}

func TestDelivery_EndpointWithAGreatBacklogEnds_EachIsCancelledWhenDue(t *testing.T) {
	t.Parallel()
	const backlog = 3000
	for name, end := range map[string]func(b *testBundle, id uuid.UUID) error{
		"disabled": func(b *testBundle, id uuid.UUID) error {
			_, err := b.service.Change(t.Context(), b.tenant, id, "", webhook.EndpointPatch{Enabled: new(bool)})
			return err
		},
		"deleted": func(b *testBundle, id uuid.UUID) error { return b.service.Delete(t.Context(), b.tenant, id) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			rec := newReceiver(t, nil)
			e := b.newEndpoint(t, rec.URL, "*")
			b.recordChanges(t, "booking.created", backlog)
			b.relay(t)
			count := func(status string) (n int) {
				require.NoError(t, b.sql.QueryRow(t.Context(),
					"SELECT count(*) FROM scheduled_events WHERE status = $1", status).Scan(&n))
				return n
			}
			require.NoError(t, end(b, e.ID))
			require.Equal(t, backlog, count("pending"), "the change of the endpoint changes no delivery")
			b.worker().RunUntilIdle(t.Context())
			require.Equal(t, backlog, count("cancelled"))
			require.Empty(t, rec.requests())
		})
	}
}

func TestDelivery_EndpointDeletedWhileItIsClaimed_IsCancelled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := newReceiver(t, nil)
	e := b.newEndpoint(t, rec.URL, "*")
	b.recordChange(t, "booking.created")
	b.relay(t)
	b.exec(t, "DELETE FROM webhook_endpoints")
	b.run(t)
	require.Empty(t, rec.requests())
	var status string
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT status || ': ' || last_error FROM scheduled_events WHERE subject_id = $1",
		e.ID).Scan(&status))
	require.Equal(t, "cancelled: The endpoint was deleted.", status)
}

func TestDelivery_EventIsNoLongerKept_IsCancelled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := newReceiver(t, nil)
	e := b.newEndpoint(t, rec.URL, "*")
	b.recordChange(t, "booking.created")
	b.relay(t)
	b.exec(t, "DELETE FROM changes")
	b.run(t)
	require.Empty(t, rec.requests())
	d := b.delivery(t, e.ID)
	require.Equal(t, []string{"cancelled", "The event is no longer kept."}, []string{string(d.Status), d.Error})
}
