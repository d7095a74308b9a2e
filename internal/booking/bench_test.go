package booking_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/idempotency"
	"holdfast/internal/lock"
	"holdfast/internal/postgres"
	"holdfast/internal/store"
	"holdfast/internal/store/storetest"
	"holdfast/internal/tenant"
)

const benchClients = 32

// BenchmarkCreate compares, in alternating rounds on one durable database, what is shipped with the plain
// transaction of six round trips and with the floor: one call of a server-side function that does the same
// statements. All three write the same rows to the same tables, constraints, foreign keys and row-level security
// included; only what is shipped also judges hours, window, lead time and price, finds the customer by email and
// looks for a stored answer.
//
// On a socket everything shares the processors and each statement's work decides; network adds a round trip of a
// millisecond, as between two machines, and the number of round trips decides.
//
// Repeat it with: go test -run '^$' -bench Create -benchtime 5x ./internal/booking
func BenchmarkCreate(b *testing.B) {
	for _, bench := range []struct {
		name  string
		dates int
		delay time.Duration
	}{
		{"OneHotDate/socket", 1, 0},
		{"OneHotDate/network", 1, time.Millisecond},
		{"ManyDates/socket", 3000, 0},
		{"ManyDates/network", 3000, time.Millisecond},
	} {
		b.Run(bench.name, func(b *testing.B) {
			w := newBenchWorld(b, bench.dates, bench.delay)
			ways := []struct {
				name string
				book func(context.Context, benchBooking) error
			}{{"holdfast", w.bookHoldfast}, {"six_trips", w.bookSixTrips}, {"floor", w.bookFloor}}
			for _, way := range ways {
				w.round(b, 500*time.Millisecond, way.book) // plans and caches are warm
			}
			_, err := w.plain.Exec(b.Context(), "VACUUM ANALYZE") // what autovacuum has done in a database that is in use
			require.NoError(b, err)
			rates := make(map[string][]float64)
			for b.Loop() {
				for _, way := range ways {
					rates[way.name] = append(rates[way.name], w.round(b, time.Second, way.book))
				}
			}
			of := func(name string) float64 {
				slices.Sort(rates[name])
				return rates[name][len(rates[name])/2]
			}
			b.ReportMetric(of("holdfast"), "holdfast/s")
			b.ReportMetric(of("six_trips"), "six_trips/s")
			b.ReportMetric(of("floor"), "floor/s")
			b.ReportMetric(of("holdfast")/of("six_trips"), "x_six_trips")
			b.ReportMetric(of("holdfast")/of("floor"), "x_floor")
			b.ReportMetric(0, "ns/op") // a round's length says nothing
		})
	}
}

// benchWorld is some tenants with a service each that sells single minutes of a resource of 1000 units.
type benchWorld struct {
	tenants  []benchTenant
	dates    int
	bookings *booking.Service
	plain    *pgxpool.Pool
}

type benchTenant struct {
	tenant                      tenant.Tenant
	service, resource, customer uuid.UUID
}

type benchBooking struct {
	benchTenant
	start time.Time
}

func newBenchWorld(b *testing.B, dates int, delay time.Duration) *benchWorld {
	b.Helper()
	url := benchDatabase(b)
	require.NoError(b, store.Migrate(b.Context(), url, nil))
	s := storetest.Open(b, store.Config{URL: url, MaxConns: benchClients, Dial: far(delay)})
	gate := idempotency.NewGate(s)
	bundle := &testBundle{url: url, service: booking.NewService(s, gate), tenants: tenant.NewService(s, gate)}
	w := &benchWorld{dates: dates, bookings: bundle.service}
	cfg, err := pgxpool.ParseConfig(url)
	require.NoError(b, err)
	cfg.MaxConns = benchClients
	cfg.ConnConfig.DialFunc = far(delay)
	w.plain, err = pgxpool.NewWithConfig(b.Context(), cfg)
	require.NoError(b, err)
	b.Cleanup(w.plain.Close)
	_, err = w.plain.Exec(b.Context(), floorFunction)
	require.NoError(b, err)
	tenants := 1
	if dates > 1 {
		tenants = 50
	}
	for range tenants {
		bundle.tenant = bundle.newTenant(b, "UTC")
		resource := bundle.newResource(b, 1000, booking.Hours{})
		service := bundle.newOffer(b, booking.Offer{
			Name: "Minute", Kind: booking.KindSlot, ResourceIDs: []uuid.UUID{resource}, DurationMinutes: 1, SlotIntervalMinutes: 1,
		})
		n := newBooking(service, atTime(benchDay(0)))
		n.Customer.Email = "bench@example.com"
		made, _, err := create(b, bundle.service, bundle.tenant, newKey(), n)
		require.NoError(b, err)
		w.tenants = append(w.tenants, benchTenant{bundle.tenant, service, resource, made.Customer.ID})
	}
	return w
}

// far returns a dialer of connections on which an answer takes at least d.
func far(d time.Duration) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil || d == 0 {
			return conn, err
		}
		return &farConn{Conn: conn, delay: d}, nil
	}
}

type farConn struct {
	net.Conn
	delay time.Duration
	sent  atomic.Int64 // when, in nanoseconds; zero once the answer has begun
}

func (c *farConn) Write(p []byte) (int, error) {
	c.sent.Store(time.Now().UnixNano())
	return c.Conn.Write(p)
}

func (c *farConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if sent := c.sent.Swap(0); sent != 0 {
		time.Sleep(time.Until(time.Unix(0, sent).Add(c.delay)))
	}
	return n, err
}

// benchDatabase returns a durable database: on the server of HOLDFAST_TEST_DATABASE_URL, for a measurement over TCP,
// and else on one of its own, over a socket.
func benchDatabase(b *testing.B) string {
	b.Helper()
	if os.Getenv("HOLDFAST_TEST_DATABASE_URL") != "" {
		return storetest.Database(b)
	}
	server, err := postgres.Start(b.Context(), postgres.Config{Dir: b.TempDir()})
	require.NoError(b, err)
	b.Cleanup(func() { _ = server.Stop(context.Background()) })
	return server.URL()
}

func benchDay(n int) time.Time {
	return time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 30+n)
}

// round books for a while with all clients and returns bookings per second.
func (w *benchWorld) round(b *testing.B, d time.Duration, book func(context.Context, benchBooking) error) float64 {
	b.Helper()
	var made atomic.Int64
	var wg sync.WaitGroup
	start := time.Now()
	for range benchClients {
		wg.Go(func() {
			for time.Since(start) < d {
				err := book(b.Context(), benchBooking{
					w.tenants[rand.IntN(len(w.tenants))],
					benchDay(rand.IntN(w.dates)).Add(time.Duration(rand.IntN(1440)) * time.Minute),
				})
				if err != nil {
					b.Error(err)
					return
				}
				made.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(made.Load()) / time.Since(start).Seconds()
}

func (w *benchWorld) bookHoldfast(ctx context.Context, n benchBooking) error {
	start := n.start.Format(time.RFC3339)
	r, err := idempotency.NewRequest([]string{newKey()}, "POST", "/v1/bookings", []byte(start))
	if err != nil {
		return err
	}
	_, err = w.bookings.Create(ctx, n.tenant, r, booking.New{
		ServiceID: n.service, When: booking.When{StartsAt: &start}, PartySize: 1, Metadata: []byte("{}"),
		Customer: &booking.Customer{Email: "bench@example.com", Name: "Ada"},
	}, func(b booking.Booking) (idempotency.Response, error) { return answer(201, b), nil })
	return err
}

const (
	checkSQL = `SELECT coalesce(max(upper(units)), 1) FROM bookings WHERE tenant_id = $1 AND resource_id = $2
		AND busy_from >= $3::timestamptz - interval '1 minute' AND busy_from < $4 AND busy_until > $3 AND status NOT IN ('cancelled', 'expired')`
	bookingSQL = `INSERT INTO bookings (tenant_id, booking_id, service_id, resource_id, customer_id, status, date, starts_at,
		ends_at, time_zone, party_size, units, busy_from, busy_until, price, deposit, currency, metadata, version, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, 'confirmed', $6, $7, $8, 'UTC', 1, $9, $7, $8, 0, 0, 'EUR', '{}', 1, now(), now())`
	keySQL = `INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, body, created_at, expires_at)
		VALUES ($1, $2, $3, 201, '', '', $4, now(), now() + interval '30 days')`
)

func (w *benchWorld) bookSixTrips(ctx context.Context, n benchBooking) error {
	id, end := uuid.New(), n.start.Add(time.Minute)
	y, m, d := n.start.Date()
	keys, err := lock.Calendar(n.tenant.ID, lock.Date{Year: y, Month: m, Day: d})
	if err != nil {
		return err
	}
	conn, err := w.plain.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if err := conn.Conn().PgConn().Exec(ctx, "BEGIN; SET LOCAL ROLE holdfast_app; SET LOCAL lock_timeout = '5s'; "+
		"SET LOCAL holdfast.tenant_id = '"+n.tenant.ID.String()+"'").Close(); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", keys.Keys()[0].ID()); err != nil {
		return err
	}
	var unit int32
	if err := conn.QueryRow(ctx, checkSQL, n.tenant.ID, n.resource, n.start, end).Scan(&unit); err != nil {
		return err
	}
	units := pgtype.Multirange[pgtype.Range[pgtype.Int4]]{{
		Lower: pgtype.Int4{Int32: unit, Valid: true}, Upper: pgtype.Int4{Int32: unit + 1, Valid: true},
		LowerType: pgtype.Inclusive, UpperType: pgtype.Exclusive, Valid: true,
	}}
	if _, err := conn.Exec(ctx, bookingSQL, n.tenant.ID, id, n.service, n.resource, n.customer,
		n.start.Format(time.DateOnly), n.start, end, units); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, keySQL, n.tenant.ID, newKey(), make([]byte, 32), make([]byte, 600)); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "COMMIT")
	return err
}

// floorFunction does what bookSixTrips does, in the server.
var floorFunction = `
CREATE FUNCTION bench_book(lock_key bigint, t uuid, b uuid, s uuid, r uuid, c uuid, starts timestamptz, ends timestamptz, k text,
	fingerprint bytea, body bytea) RETURNS void LANGUAGE plpgsql AS $f$
DECLARE unit int;
BEGIN
	PERFORM set_config('role', 'holdfast_app', true), set_config('lock_timeout', '5s', true), set_config('holdfast.tenant_id', t::text, true);
	PERFORM pg_advisory_xact_lock(lock_key);
	SELECT coalesce(max(upper(units)), 1) INTO unit FROM bookings WHERE tenant_id = t AND resource_id = r
		AND busy_from >= starts - interval '1 minute' AND busy_from < ends AND busy_until > starts AND status NOT IN ('cancelled', 'expired');
	INSERT INTO bookings (tenant_id, booking_id, service_id, resource_id, customer_id, status, date, starts_at,
		ends_at, time_zone, party_size, units, busy_from, busy_until, price, deposit, currency, metadata, version, created_at, updated_at)
		VALUES (t, b, s, r, c, 'confirmed', (starts AT TIME ZONE 'UTC')::date, starts, ends, 'UTC', 1,
			int4multirange(int4range(unit, unit + 1)), starts, ends, 0, 0, 'EUR', '{}', 1, now(), now());
	INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, body, created_at, expires_at)
		VALUES (t, k, fingerprint, 201, '', '', body, now(), now() + interval '30 days');
END $f$`

func (w *benchWorld) bookFloor(ctx context.Context, n benchBooking) error {
	y, m, d := n.start.Date()
	keys, err := lock.Calendar(n.tenant.ID, lock.Date{Year: y, Month: m, Day: d})
	if err != nil {
		return err
	}
	_, err = w.plain.Exec(ctx, "SELECT bench_book($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)", keys.Keys()[0].ID(), n.tenant.ID,
		uuid.New(), n.service, n.resource, n.customer, n.start, n.start.Add(time.Minute), newKey(), make([]byte, 32), make([]byte, 600))
	if err != nil {
		return fmt.Errorf("call the floor: %w", err)
	}
	return nil
}
