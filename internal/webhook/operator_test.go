package webhook_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/change"
	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/testtime"
	"holdfast/internal/usecase"
	"holdfast/internal/webhook"
)

// operator returns the bundle as the operator's: its endpoints and deliveries are the operator's, its events those of
// no tenant.
func (b *testBundle) operator() *testBundle {
	operator := *b
	operator.tenant = tenant.Tenant{}
	return &operator
}

// another returns the bundle with another tenant.
func (b *testBundle) another(t testing.TB) *testBundle {
	t.Helper()
	other := *b
	other.tenant = b.newTenant(t)
	return &other
}

// tenantsOf returns, by the ids of the events, the tenants that bodies name.
func tenantsOf(t testing.TB, rec *receiver) map[string]string {
	t.Helper()
	tenants := map[string]string{}
	for _, got := range rec.requests() {
		var body struct {
			ID       string
			TenantID string `json:"tenant_id"`
		}
		require.NoError(t, json.Unmarshal(got.body, &body))
		tenants[body.ID] = body.TenantID
	}
	return tenants
}

func TestOperatorEndpoint_EventsOfAllTenants_ArriveWithTheirTenant(t *testing.T) {
	t.Parallel()
	a := setup(t)
	b, operator := a.another(t), a.operator()
	rec, own := newReceiver(t, nil), newReceiver(t, nil)
	e := operator.newEndpoint(t, rec.URL, "booking.*")
	a.newEndpoint(t, own.URL, "booking.*")
	ofA, ofB := a.recordChange(t, "booking.created"), b.recordChange(t, "booking.cancelled")
	b.recordChange(t, "payment.succeeded")
	a.run(t)
	require.Equal(t, map[string]string{ofA.String(): a.tenant.ID.String(), ofB.String(): b.tenant.ID.String()},
		tenantsOf(t, rec))
	require.Equal(t, map[string]string{ofA.String(): ""}, tenantsOf(t, own), "a tenant's own webhooks are as they were")
	require.NotContains(t, string(own.requests()[0].body), "tenant_id")

	list := operator.deliveries(t, e.ID)
	require.Equal(t, []uuid.UUID{ofB, ofA}, []uuid.UUID{list[0].EventID, list[1].EventID})
	require.Equal(t, []uuid.UUID{b.tenant.ID, a.tenant.ID}, []uuid.UUID{*list[0].TenantID, *list[1].TenantID})
	d, err := a.service.Delivery(t.Context(), operator.tenant, list[0].ID)
	require.NoError(t, err)
	require.Len(t, d.Log, 1)
	require.Equal(t, "completed", d.Log[0].Status)
	require.Equal(t, []any{"", true}, []any{d.Log[0].Request.Body, d.Log[0].Request.Truncated},
		"an erasure doesn't find what the operator's log has of a tenant")
	require.Equal(t, http.StatusNoContent, d.Log[0].Response.Status)
	_, err = a.service.Delivery(t.Context(), a.tenant, list[1].ID)
	require.True(t, problem.Is(err, problem.NotFound), err)
	_, err = a.service.Endpoint(t.Context(), a.tenant, e.ID)
	require.True(t, problem.Is(err, problem.NotFound), err)
}

func TestOperatorEndpoint_AnswerEchoesTheEvent_IsNotKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := newReceiver(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write([]byte("I can't handle ada@example.com"))
	})
	operator := b.operator()
	e := operator.newEndpoint(t, rec.URL, "*")
	b.recordChange(t, "booking.created")
	b.run(t)
	d := operator.delivery(t, e.ID)
	require.EqualValues(t, "failed", d.Status)
	require.Equal(t, http.StatusInternalServerError, d.Log[0].Response.Status)
	var kept int
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT count(*) FROM event_attempts WHERE details::text ~ 'ada@|Zoë'").Scan(&kept))
	require.Zero(t, kept)
}

func TestOperatorEndpoint_EventsOfOneSubject_DoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := newReceiver(t, nil)
	b.operator().newEndpoint(t, rec.URL, "*")
	subject := uuid.New()
	err := b.store.Write(t.Context(), "write", b.tenant.ID, nil, func(tx *db.WriteTx) func() error {
		return func() error {
			for version := range int64(5) {
				tx.AddChange(db.Change{ID: uuid.Must(uuid.NewV7()), Type: "booking.updated", SubjectType: "booking",
					SubjectID: subject,
					Version:   version + 1, Data: []byte(`{}`)})
			}
			return nil
		}
	})
	require.NoError(t, err)
	b.relay(t)
	claimed,
		err := event.LeaseDue(t.Context(), b.store, uuid.New(),
		event.LeaseQuery{Kind: event.KindWebhookDelivery, Limit: 100,
			LeaseTime:  time.Minute,
			Deliveries: &event.DeliveryLeaseQuery{Everywhere: true, PerEndpoint: 8}})
	require.NoError(t, err)
	require.Len(t, claimed[0].Events, 5, "one tenant's many changes of one subject would hold up all tenants' events")
}

func TestOperatorEndpoint_DoesNotAnswer_HoldsUpNoTenantsEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	release := make(chan struct{})
	blocked := newReceiver(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusNoContent)
	})
	fast := newReceiver(t, nil)
	b.operator().newEndpoint(t, blocked.URL, "*")
	b.newEndpoint(t, fast.URL, "*")
	ids := b.recordChanges(t, "booking.created", 700) // more than a worker makes at a time
	b.relay(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.worker().RunUntilIdle(t.Context())
	}()
	defer func() { <-done }()
	defer close(release)
	var got []string
	for range ids {
		got = append(got, testtime.Receive(t, fast.arrived))
	}
	require.ElementsMatch(t, texts(ids...), got)
}

func TestOperatorEndpoint_DownWithABacklog_IsDisabledAndTheOtherEndpointIsTold(t *testing.T) {
	t.Parallel()
	b := setup(t)
	operator := b.operator()
	webhook.LimitBacklog(b.service, 20)
	rec, other, tenants := answering(t, 500), newReceiver(t, nil), answering(t, 500)
	e := operator.newEndpoint(t, rec.URL, "booking.*")
	operator.newEndpoint(t, other.URL, "webhook_endpoint.*")
	own := b.newEndpoint(t, tenants.URL, "booking.*")
	b.fail(t, 5)
	require.Equal(t, webhook.Enabled, operator.endpoint(t, e.ID).Status)
	b.exec(t, "UPDATE scheduled_events SET due_at = now() + interval '1 hour' WHERE status = 'failed'")
	b.recordChanges(t, "booking.created", 30)
	b.relay(t)
	b.exec(t, "UPDATE webhook_endpoints SET open_until = now() - interval '1 second' WHERE open_until IS NOT NULL")
	b.worker().RunUntilIdle(t.Context())
	down := operator.endpoint(t, e.ID)
	require.Equal(t, webhook.Disabled, down.Status)
	require.Contains(t, down.DisabledReason, "20 deliveries or more wait")
	require.Equal(t, webhook.Enabled, b.endpoint(t, own.ID).Status, "a tenant's endpoint has five days")
	b.run(t)
	require.Len(t, other.requests(), 1)
	require.Contains(t, string(other.requests()[0].body), `"type":"webhook_endpoint.disabled"`)
	require.NotContains(t, string(other.requests()[0].body), "tenant_id", "it is of no tenant")
}

func TestOperatorEndpoint_Range_IsDeliveredAgainOfAllTenants(t *testing.T) {
	t.Parallel()
	a := setup(t)
	b, operator := a.another(t), a.operator()
	rec := newReceiver(t, nil)
	early := []uuid.UUID{a.recordChange(t, "booking.created"), b.recordChange(t, "booking.created")}
	a.recordChange(t, "payment.succeeded")
	e := operator.newEndpoint(t, rec.URL, "booking.*")
	a.run(t)
	require.Empty(t, rec.requests())
	replay := func(in webhook.Range) webhook.RangeBody {
		t.Helper()
		r, err := a.service.ReplayRange(t.Context(), operator.tenant, newRequest(t), e.ID, in)
		return answered[webhook.RangeBody](t, r, err)
	}
	require.Equal(t, webhook.RangeBody{Deliveries: 2}, replay(webhook.Range{From: at(testtime.Now().Add(-time.Hour))}))
	a.run(t)
	require.ElementsMatch(t, texts(early...), rec.ids())
	require.Equal(t, a.tenant.ID.String(), tenantsOf(t, rec)[early[0].String()])

	page, err := change.NewService(a.store, usecase.TypesOfChanges()).PageAcross(t.Context(), change.Query{Limit: 1})
	require.NoError(t, err)
	require.Equal(t, webhook.RangeBody{Deliveries: 1}, replay(webhook.Range{After: page.Next}),
		"cursors are those of the feed of all tenants")
	a.run(t)
	require.ElementsMatch(t, texts(early[0], early[1], early[1]), rec.ids())

	list := operator.deliveries(t, e.ID)
	r, err := a.service.Replay(t.Context(), operator.tenant, newRequest(t), list[1].ID)
	require.EqualValues(t, "pending", answered[webhook.DeliveryBody](t, r, err).Status)
	a.run(t)
	require.ElementsMatch(t, texts(early[0], early[0], early[1], early[1]), rec.ids())
}

func TestOperatorEndpoint_Ping_IsOfNoTenant(t *testing.T) {
	t.Parallel()
	b := setup(t)
	operator := b.operator()
	rec := newReceiver(t, nil)
	e := operator.newEndpoint(t, rec.URL, "booking.*")
	r, err := b.service.Ping(t.Context(), operator.tenant, newRequest(t), e.ID)
	require.Equal(t, "/admin/v1/deliveries/"+answered[webhook.DeliveryBody](t, r, err).ID.String(), r.Answer().Location)
	b.run(t)
	require.Len(t, rec.requests(), 1)
	require.Contains(t, string(rec.requests()[0].body), `"type":"webhook.ping"`)
	require.NotContains(t, string(rec.requests()[0].body), "tenant_id")
}

func TestOperatorEndpoint_TenantIsGone_EndsWhatIsPlanned(t *testing.T) {
	t.Parallel()
	b := setup(t)
	operator := b.operator()
	rec := newReceiver(t, nil)
	e := operator.newEndpoint(t, rec.URL, "*")
	b.recordChange(t, "booking.created")
	b.relay(t)
	b.exec(t, "DELETE FROM changes WHERE tenant_id = $1", b.tenant.ID) // as the deletion of the tenant does
	b.worker().RunUntilIdle(t.Context())
	require.Empty(t, rec.requests())
	require.Equal(t, []any{event.Cancelled, "The event is no longer kept."},
		[]any{operator.delivery(t, e.ID).Status, operator.delivery(t,
			e.ID).Error})
	require.Equal(t, webhook.Enabled, operator.endpoint(t, e.ID).Status)
}

func TestOperatorEndpoint_ErasureUnderWay_SendsTheEventAsItIsAfterwards(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := newReceiver(t, nil)
	b.operator().newEndpoint(t, rec.URL, "*")
	id := b.recordChange(t, "customer.updated")
	b.relay(t)
	tx, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `UPDATE changes SET data = '{"erased": true}' WHERE change_id = $1`, id)
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.worker().RunUntilIdle(t.Context())
	}()
	require.Eventually(t, func() bool {
		var waiting int
		err := b.sql.QueryRow(t.Context(),
			"SELECT count(*) FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()").Scan(&waiting)
		return err == nil && waiting > 0
	}, time.Minute, 5*time.Millisecond)
	require.Empty(t, rec.requests())
	require.NoError(t, tx.Commit(t.Context()))
	testtime.Receive(t, done)
	require.Len(t, rec.requests(), 1)
	require.Contains(t, string(rec.requests()[0].body), `"erased":true`)
}

func TestOperatorDeliveries_Old_AreDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	operator := b.operator()
	rec := newReceiver(t, nil)
	e, own := operator.newEndpoint(t, rec.URL, "*"), b.newEndpoint(t, rec.URL, "*")
	b.recordChange(t, "booking.created")
	b.run(t)
	b.exec(t, "UPDATE scheduled_events SET due_at = now() - interval '2 hours', updated_at = now() - interval '2 hours'")
	jobs := event.Retention(b.store, time.Hour, time.Hour)
	for more := true; more; {
		var err error
		more, err = jobs[1].Run(t.Context())
		require.NoError(t, err)
	}
	require.Empty(t, operator.deliveries(t, e.ID))
	require.Empty(t, b.deliveries(t, own.ID), "those of tenants follow")
}
