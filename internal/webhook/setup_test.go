package webhook_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/change"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
	"holdfast/internal/tenant/tenanttest"
	"holdfast/internal/usecase"
	"holdfast/internal/webhook"
)

// testBundle is a database of its own with one tenant, and a process on it.
type testBundle struct {
	url     string
	sql     *pgxpool.Pool
	store   *db.DB
	service *webhook.Service
	tenant  tenant.Tenant
}

// setup returns a process whose webhooks may reach loopback addresses.
func setup(t testing.TB) *testBundle {
	t.Helper()
	allowed, err := webhook.ParseNetworks("127.0.0.0/8")
	require.NoError(t, err)
	return setupWith(t, webhook.Config{Allowed: allowed})
}

func setupWith(t testing.TB, config webhook.Config) *testBundle {
	t.Helper()
	url := dbtest.Database(t)
	b := &testBundle{url: url, sql: dbtest.SQL(t, url),
		store: dbtest.Open(t, db.Config{URL: url, MaxConns: 8, LockTimeout: time.Minute})}
	b.service = webhook.NewService(b.store, change.NewService(b.store, usecase.TypesOfChanges()), config, nil)
	b.tenant = b.newTenant(t)
	return b
}

func (b *testBundle) newTenant(t testing.TB) tenant.Tenant {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	require.NoError(t, tenanttest.Insert(t.Context(), b.store, id))
	return tenant.Tenant{ID: id}
}

func request(t testing.TB, key string) idempotency.Request {
	t.Helper()
	r, err := idempotency.NewRequest([]string{key}, http.MethodPost, "/", nil)
	require.NoError(t, err)
	return r
}

func newRequest(t testing.TB) idempotency.Request {
	t.Helper()
	return request(t, uuid.NewString())
}

// answered decodes the response of a use case.
func answered[T any](t testing.TB, r idempotency.Outcome, err error) (body T) {
	t.Helper()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(r.Body, &body))
	return body
}

// newEndpoint makes an endpoint.
func (b *testBundle) newEndpoint(t testing.TB, url string, types ...webhook.EventType) webhook.EndpointWithSecretBody {
	t.Helper()
	r, err := b.service.Create(t.Context(), b.tenant, newRequest(t), webhook.EndpointRequest{URL: url, Types: types})
	return answered[webhook.EndpointWithSecretBody](t, r, err)
}

// recordChange commits one event to the outbox and returns its id.
func (b *testBundle) recordChange(t testing.TB, eventType string) uuid.UUID {
	t.Helper()
	return b.recordChanges(t, eventType, 1)[0]
}

func (b *testBundle) recordChanges(t testing.TB, eventType string, n int) []uuid.UUID {
	t.Helper()
	ids := make([]uuid.UUID, n)
	err := b.store.Write(t.Context(), "write", b.tenant.ID, nil, func(tx *db.WriteTx) func() error {
		return func() error {
			for i := range ids {
				ids[i] = uuid.Must(uuid.NewV7())
				tx.AddChange(db.Change{
					ID: ids[i], Type: eventType, SubjectType: "booking", SubjectID: uuid.New(), Version: int64(i + 1),
					Data: []byte(`{"name": "Zoë <&> 🚣"}`),
				})
			}
			return nil
		}
	})
	require.NoError(t, err)
	return ids
}

// relay plans the deliveries of all events that are committed. Transactions of other tests in the same cluster hold the
// relay up.
func (b *testBundle) relay(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool {
		_, err := event.RelayFeed(t.Context(), b.store, 1000)
		var left int
		if err == nil {
			err = b.sql.QueryRow(t.Context(), `
				SELECT count(*) FROM changes o, feed_positions p
				WHERE p.reader = 'relay' AND (o.transaction_id, o.change_id) > (p.transaction_id, p.change_id)`).Scan(&left)
		}
		return err == nil && left == 0
	}, time.Minute, 5*time.Millisecond)
}

// worker returns a worker that makes deliveries.
func (b *testBundle) worker() *event.Worker {
	return event.NewWorker(b.store, event.Config{}, b.service.DeliveryKind())
}

// run relays, and makes the deliveries that are due.
func (b *testBundle) run(t testing.TB) {
	t.Helper()
	b.relay(t)
	b.worker().RunUntilIdle(t.Context())
}

// exec changes rows, such as to let time pass.
func (b *testBundle) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := b.sql.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// letTimePass makes what is planned due.
func (b *testBundle) letTimePass(t testing.TB) {
	t.Helper()
	b.exec(t, "UPDATE scheduled_events SET due_at = now() - interval '1 second' WHERE status IN ('pending', 'failed')")
}

// closeCircuitPause ends the pause of the circuits.
func (b *testBundle) closeCircuitPause(t testing.TB) {
	t.Helper()
	b.exec(t, "UPDATE webhook_endpoints SET open_until = now() - interval '1 second' WHERE open_until IS NOT NULL")
	b.letTimePass(t)
}

func (b *testBundle) endpoint(t testing.TB, id uuid.UUID) webhook.Endpoint {
	t.Helper()
	e, err := b.service.Endpoint(t.Context(), b.tenant, id)
	require.NoError(t, err)
	return e
}

// deliveries lists the deliveries to an endpoint, the newest event first.
func (b *testBundle) deliveries(t testing.TB, endpoint uuid.UUID) []webhook.DeliveryBody {
	t.Helper()
	list, err := b.service.Deliveries(t.Context(), b.tenant, endpoint, uuid.Max, 1000)
	require.NoError(t, err)
	return list
}

// delivery returns the only delivery to an endpoint with its log.
func (b *testBundle) delivery(t testing.TB, endpoint uuid.UUID) webhook.DeliveryWithLogBody {
	t.Helper()
	list := b.deliveries(t, endpoint)
	require.Len(t, list, 1)
	d, err := b.service.Delivery(t.Context(), b.tenant, list[0].ID)
	require.NoError(t, err)
	return d
}

// receiver is a tenant's server on a loopback address. It keeps what it was sent.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	received []received
	arrived  chan string                                         // ids
	answer   func(n int, w http.ResponseWriter, r *http.Request) // n counts from 1; nil answers 204
}

type received struct {
	header http.Header
	body   []byte
}

func (r received) id() string { return r.header.Get("webhook-id") }

// newReceiver starts a server with plain http. answer may be nil.
func newReceiver(t testing.TB, answer func(n int, w http.ResponseWriter, r *http.Request)) *receiver {
	t.Helper()
	rec := &receiver{answer: answer, arrived: make(chan string, 100_000)}
	rec.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		rec.mu.Lock()
		rec.received = append(rec.received, received{header: r.Header, body: body})
		n := len(rec.received)
		rec.mu.Unlock()
		rec.arrived <- r.Header.Get("webhook-id")
		if rec.answer != nil {
			rec.answer(n, w, r)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(rec.Close)
	return rec
}

// answering starts a server that answers each request with a status.
func answering(t testing.TB, status int) *receiver {
	t.Helper()
	return newReceiver(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
}

// answers changes how the server answers from now on.
func (r *receiver) answers(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

func (r *receiver) requests() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received(nil), r.received...)
}

func (r *receiver) ids() []string {
	var ids []string
	for _, got := range r.requests() {
		ids = append(ids, got.id())
	}
	return ids
}

func texts(ids ...uuid.UUID) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = fmt.Sprint(id)
	}
	return list
}
