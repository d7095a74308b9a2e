package httpapi_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/app/apptest"
	"holdfast/internal/booking"
	"holdfast/internal/db/move"
	"holdfast/internal/event"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/problem"
	"holdfast/internal/wallet"
)

// otherCell serves the API on another database, with the same payment provider.
func (s *apiServer) otherCell(t *testing.T) *apiServer {
	t.Helper()
	return serveAPI(t, apptest.Options{Provider: s.sandbox}, admission.Limits{})
}

// moveTo moves the client's tenant to another server's database, up to where its rows are deleted, and returns a client
// of it there.
func (c client) moveTo(t *testing.T, to *apiServer) client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	m := move.Move{ID: uuid.New(), Tenant: c.tenant, FromCell: "cell", ToCell: "other"}
	_, err := move.CopyAhead(ctx, c.store, to.store, m)
	require.NoError(t, err)
	require.NoError(t, move.Begin(ctx, c.store, m))
	require.NoError(t, move.Freeze(ctx, c.store, m, func(ctx context.Context) error {
		_, err := event.RelayFeed(ctx, c.store, 1000)
		return err
	}))
	_, err = move.HandOver(ctx, c.store, to.store, m)
	require.NoError(t, err)
	require.NoError(t, move.Finish(ctx, c.store, to.store, m))
	return client{apiServer: to, key: c.key, tenant: c.tenant}
}

// allOfFeed reads the feed from its beginning, once readers see all of it.
func (c client) allOfFeed(t *testing.T) (ids []uuid.UUID, cursor string) {
	t.Helper()
	require.Eventually(t, func() bool {
		return c.count(t, `SELECT count(*) FROM changes
			WHERE transaction_id >= (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint`) == 0
	}, soon, time.Millisecond)
	for more := true; more; {
		p := c.events(t, "limit=200&after="+cursor)
		for _, e := range p.Data {
			ids = append(ids, e.ID)
		}
		cursor, more = p.NextCursor, p.HasMore
	}
	return ids, cursor
}

func TestMove_BusyTenant_GoesOnInTheOtherDatabase(t *testing.T) {
	t.Parallel()
	var delivered sync.Map // how often each event arrived
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		n, _ := delivered.LoadOrStore(r.Header.Get("webhook-id"), new(atomic.Int32))
		n.(*atomic.Int32).Add(1)
	}))
	t.Cleanup(receiver.Close)
	a := newServer(t)
	b := a.otherCell(t)
	c := a.newTenant(t, "Europe/Berlin")
	newFixture(t, c)
	c.newServiceOfEachKind(t)
	service := c.newService(t, "slot", object{"price": 4500, "deposit": 1000}, c.newResource(t, 9))
	c.created(t, c.post(t, "/v1/webhook-endpoints", object{"url": receiver.URL, "types": []any{"booking.*"}}))
	key := uuid.NewString()
	request := bookingOf(service, at(future(3), 10, 0))
	made := c.post(t, "/v1/bookings", request, "Idempotency-Key", key)
	require.Equal(t, http.StatusCreated, made.status, made.body)
	hold := c.book(t, service, at(future(3), 12, 0), object{"hold_minutes": 60}).id(t)
	payment := uuid.NewString()
	open := c.payWith(t, made.id(t), "pm_timeout_charged", 1000, "Idempotency-Key", payment)
	require.Equal(t, http.StatusAccepted, open.status, open.body)
	ids, cursor := c.allOfFeed(t)

	moved := c.moveTo(t, b)
	for _, path := range []string{"/v1/bookings", "/v1/tenant", "/v1/events"} {
		requireProblem(t, c.get(t, path), http.StatusServiceUnavailable, problem.TenantMoved)
	}
	requireProblem(t, c.post(t, "/v1/bookings", request, "Idempotency-Key", key), http.StatusServiceUnavailable,
		problem.TenantMoved)
	require.Zero(t, c.count(t,
		"SELECT count(*) FROM scheduled_events WHERE kind = 'webhook.delivery' AND status = 'completed'"))

	replayed := moved.post(t, "/v1/bookings", request, "Idempotency-Key", key)
	require.Equal(t, made.body, replayed.body)
	require.Equal(t, "true", replayed.header.Get("Idempotent-Replayed"))
	requireProblem(t, moved.get(t, "/v1/events?after="+cursor), http.StatusGone, problem.CursorExpired)
	there, next := moved.allOfFeed(t)
	require.Equal(t, ids, there, "the feed has the same events in the same order")
	verified, err := wallet.NewOperator(b.store).Verify(t.Context(), c.tenant.String())
	require.NoError(t, err)
	require.NotZero(t, verified.Wallets)
	require.Empty(t, verified.Differences)

	_, err = b.sql.Exec(t.Context(),
		"UPDATE bookings SET hold_expires_at = now() - interval '1 minute' WHERE booking_id = $1", hold)
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(),
		"UPDATE payments SET resolve_at = now(), leased_until = now() WHERE status = 'unknown'")
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(),
		"UPDATE scheduled_events SET due_at = now() WHERE status = 'pending' AND kind IN ($1, $2)",
		event.KindHoldExpiry, event.KindPaymentResolution)
	require.NoError(t, err)
	b.startWorker(t, booking.NewService(b.store).HoldExpiry(), b.api.Payments.Resolution(),
		b.api.Payments.EndedBooking())
	require.Eventually(t, func() bool {
		return moved.get(t, "/v1/bookings/"+hold.String()).text(t, "status") == "expired" &&
			moved.get(t, "/v1/payments/"+open.text(t, "id")).text(t, "status") == "succeeded"
	}, time.Minute, 10*time.Millisecond)
	moved.get(t, "/v1/bookings/"+made.id(t).String()+"/balance").requireFields(t, `{"paid":1000,"due":3500}`)
	settled := moved.payWith(t, made.id(t), "pm_timeout_charged", 1000, "Idempotency-Key", payment)
	require.Equal(t, http.StatusCreated, settled.status, settled.body)
	require.Equal(t, open.text(t, "id"), settled.text(t, "id"))

	// What had been planned in the source was delivered once, and so is what follows here.
	var deliveries int
	require.Eventually(t, func() bool {
		deliveries = b.count(t, `SELECT count(*) FROM scheduled_events s JOIN webhook_endpoints w ON w.endpoint_id = s.subject_id
			WHERE s.kind = 'webhook.delivery' AND w.url LIKE 'http://127%'`)
		return b.count(t, `SELECT count(*) FROM scheduled_events s JOIN webhook_endpoints w ON w.endpoint_id = s.subject_id
			WHERE s.kind = 'webhook.delivery' AND w.url LIKE 'http://127%' AND s.status <> 'completed'`) == 0 &&
			b.count(t, "SELECT count(*) FROM changes WHERE type = 'booking.expired'") == 1
	}, time.Minute, 10*time.Millisecond)
	events := 0
	delivered.Range(func(id, n any) bool {
		events++
		require.EqualValues(t, 1, n.(*atomic.Int32).Load(), id)
		return true
	})
	require.Equal(t, deliveries, events)
	more := moved.events(t, "limit=200&after="+next)
	require.NotEmpty(t, more.Data)
	for _, e := range more.Data {
		require.NotContains(t, ids, e.ID)
	}
}

func TestMove_ClientsBookMeanwhile_NothingAcknowledgedIsLost(t *testing.T) {
	t.Parallel()
	const clients = 3
	a := newServer(t)
	b := a.otherCell(t)
	c, other := a.newTenant(t, "Europe/Berlin"), a.newTenant(t, "Europe/Berlin")
	service := c.newService(t, "slot", nil, c.newResource(t, 1000))
	others := other.newService(t, "slot", nil, other.newResource(t, 1000))
	there, when := client{apiServer: b, key: c.key, tenant: c.tenant}, at(future(3), 10, 0)
	stop := make(chan struct{})
	var all sync.WaitGroup
	var acknowledged [clients][]uuid.UUID
	var fenced, before, after atomic.Int32
	for i := range clients {
		all.Go(func() {
			via, key := c, uuid.NewString()
			for {
				got := via.post(t, "/v1/bookings", bookingOf(service, when), "Idempotency-Key", key)
				switch {
				case got.status == http.StatusCreated:
					acknowledged[i] = append(acknowledged[i], got.id(t))
					key = uuid.NewString()
					if via.apiServer == a {
						before.Add(1)
					} else {
						after.Add(1)
					}
				case strings.Contains(got.body, `"tenant_moving"`):
					fenced.Add(1)
				case strings.Contains(got.body, `"tenant_moved"`):
					via = there // with the same key
				default:
					t.Errorf("%d %s", got.status, got.body)
					return
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	all.Go(func() { // the other tenant notices nothing
		for {
			select {
			case <-stop:
				return
			default:
				other.book(t, others, when)
			}
		}
	})
	require.Eventually(t, func() bool { return before.Load() >= 3*clients }, time.Minute, time.Millisecond)
	c.moveTo(t, b)
	require.Eventually(t, func() bool { return after.Load() >= 3*clients }, time.Minute, time.Millisecond)
	close(stop)
	all.Wait()
	require.NotZero(t, fenced.Load(), "requests met the fence")
	for _, ids := range acknowledged {
		for _, id := range ids {
			require.Equal(t, 1, b.count(t, "SELECT count(*) FROM bookings WHERE booking_id = '"+id.String()+"'"), id)
		}
	}
	require.Equal(t, int(before.Load()+after.Load()), b.count(t, "SELECT count(*) FROM bookings"))
	require.LessOrEqual(t, a.count(t, "SELECT count(*) FROM bookings WHERE tenant_id = '"+c.tenant.String()+"'"),
		int(before.Load())+clients)
	require.Zero(t, b.count(t, "SELECT count(*) FROM bookings WHERE tenant_id = '"+other.tenant.String()+"'"))
	requireProblem(t, c.get(t, "/v1/bookings"), http.StatusServiceUnavailable, problem.TenantMoved)
}
