package payment_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/store/storetest"
	"holdfast/internal/tenant"
)

// The price and deposit of every booking here, in minor units of EUR.
const (
	price   = 10_000
	deposit = 2_500
)

// patience is how long what happens by itself may take on a busy machine, and poll how often it is looked for.
const (
	patience = time.Minute
	poll     = 10 * time.Millisecond
)

const webhookSecret = "whsec_test"

// testBundle is a database with a tenant, and a sandbox that has a journal of its own.
type testBundle struct {
	url      string
	sql      *pgxpool.Pool
	sandbox  *sandbox.Server
	provider *sandbox.Client
	tenant   uuid.UUID
	owner    tenant.Tenant // whose id is tenant
	offer    uuid.UUID     // a date service on one resource of one unit
	template uuid.UUID     // a cancelled booking that others are copies of
	copies   atomic.Int64
}

func setup(t testing.TB, change ...func(*sandbox.Config)) *testBundle {
	t.Helper()
	b := &testBundle{url: storetest.Database(t)}
	b.sql = storetest.SQL(t, b.url)
	cfg := sandbox.Config{
		File: filepath.Join(t.TempDir(), "sandbox.db"), Key: "sk_test", WebhookSecret: webhookSecret,
		WebhookBackoff: 20 * time.Millisecond, SlowDelay: 100 * time.Millisecond,
	}
	for _, c := range change {
		c(&cfg)
	}
	var err error
	b.sandbox, err = sandbox.Start(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.sandbox.Close()) })
	b.provider = sandbox.NewClient(sandbox.ClientConfig{
		URL: b.sandbox.URL(), Key: cfg.Key, WebhookSecret: webhookSecret, KeyLifetime: cfg.KeyLifetime,
	})
	b.makeTemplate(t)
	return b
}

func (b *testBundle) makeTemplate(t testing.TB) {
	t.Helper()
	s := storetest.Open(t, store.Config{URL: b.url, MaxConns: 2})
	guard := idempotency.NewGuard(s)
	tenants := tenant.NewService(s, guard)
	resp, err := tenants.Create(t.Context(), request(t, newKey(), ""), tenant.New{
		Slug: "test", Name: "Test", TimeZone: "Europe/Berlin", Currency: "EUR",
	})
	require.NoError(t, err)
	b.owner, err = tenants.Authenticate(t.Context(), bodyOf[tenant.TenantBody](t, resp).APIKey)
	require.NoError(t, err)
	b.tenant = b.owner.ID
	bookings := booking.NewService(s, guard)
	resp, err = bookings.CreateResource(t.Context(), b.owner, request(t, newKey(), ""), booking.Resource{Name: "Boat", Capacity: 1})
	require.NoError(t, err)
	resource := bodyOf[booking.ResourceBody](t, resp).ID
	resp, err = bookings.CreateOffer(t.Context(), b.owner, request(t, newKey(), ""), booking.Offer{
		Name: "Day", Kind: booking.KindDate, ResourceIDs: []uuid.UUID{resource}, BookingWindowDays: 3650, Price: price, Deposit: deposit,
		Metadata: json.RawMessage(`{}`),
	})
	require.NoError(t, err)
	b.offer = bodyOf[booking.ServiceBody](t, resp).ID
	date := civil.DateOf(time.Now()).AddDays(30)
	resp, err = bookings.Create(t.Context(), b.owner, request(t, newKey(), ""), booking.New{
		ServiceID: b.offer, When: booking.When{Date: &date}, PartySize: 1, Metadata: json.RawMessage(`{}`),
		Customer: &booking.Customer{Email: "ada@example.com", Name: "Ada"},
	})
	require.NoError(t, err)
	b.template = bodyOf[booking.BookingBody](t, resp).ID
	b.setStatus(t, b.template, "cancelled")
}

// bodyOf returns a response's body.
func bodyOf[T any](t testing.TB, resp idempotency.Response) (body T) {
	t.Helper()
	require.NoError(t, json.Unmarshal(resp.Body, &body))
	return body
}

// newBooking returns a confirmed booking on a date of its own.
func (b *testBundle) newBooking(t testing.TB) uuid.UUID {
	t.Helper()
	id, err := uuid.NewV7()
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), `
		INSERT INTO bookings (tenant_id, booking_id, service_id, resource_id, customer_id, status, date, starts_at, ends_at, time_zone,
			party_size, units, busy_from, busy_until, price, deposit, currency, metadata, version, created_at, updated_at)
		SELECT tenant_id, $2, service_id, resource_id, customer_id, 'confirmed', date + $3::int, starts_at + later, ends_at + later,
			time_zone, party_size, units, busy_from + later, busy_until + later, price, deposit, currency, metadata, 1, now(), now()
		FROM bookings, make_interval(days => $3::int) AS later WHERE booking_id = $1`, b.template, id, b.copies.Add(2))
	require.NoError(t, err)
	return id
}

func (b *testBundle) setStatus(t testing.TB, id uuid.UUID, status string) {
	t.Helper()
	b.exec(t, `UPDATE bookings SET status = $2 WHERE booking_id = $1`, id, status)
}

func (b *testBundle) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := b.sql.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func (b *testBundle) count(t testing.TB, sql string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, b.sql.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

// process returns the use cases as another server process would have them: with a pool, queues and caches of its own on
// the same database.
func (b *testBundle) process(t testing.TB, change ...func(*payment.Config)) *payment.Service {
	t.Helper()
	return b.processOn(t, store.Config{URL: b.url, MaxConns: 8}, change...)
}

func (b *testBundle) processOn(t testing.TB, on store.Config, change ...func(*payment.Config)) *payment.Service {
	t.Helper()
	cfg := payment.Config{
		Provider:    b.provider,
		CallTimeout: 2 * time.Second, AbsentAfter: 2 * time.Second, ResolveEvery: 10 * time.Millisecond,
	}
	for _, c := range change {
		c(&cfg)
	}
	s := storetest.Open(t, on)
	return payment.NewService(s, idempotency.NewGuard(s), cfg)
}

// patient is for providers that must not be given up because the machine is busy.
func patient(cfg *payment.Config) { cfg.CallTimeout = patience }

func newKey() string { return uuid.NewString() }

func request(t testing.TB, key, content string) idempotency.Request {
	t.Helper()
	r, err := idempotency.NewRequest([]string{key}, http.MethodPost, "/", []byte(content))
	require.NoError(t, err)
	return r
}

func (b *testBundle) pay(t testing.TB, s *payment.Service, key string, id uuid.UUID, o payment.Order) (idempotency.Response, error) {
	t.Helper()
	return s.Pay(t.Context(), b.tenant, request(t, key, fmt.Sprint(id, o)), id, o)
}

// payKnown pays as a client does: it repeats the request until the outcome is known, because the sandbox of a busy machine may
// take longer than CallTimeout.
func (b *testBundle) payKnown(t testing.TB, s *payment.Service, key string, id uuid.UUID, o payment.Order) idempotency.Response {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		r, err := b.pay(t, s, key, id, o)
		require.NoError(t, err)
		if read(t, r).Status != string(payment.StatusUnknown) {
			return r
		}
		require.True(t, time.Now().Before(deadline), "the outcome stays unknown: %s", r.Body)
	}
}

// refund returns amount of a payment, all of it if that is 0.
func (b *testBundle) refund(t testing.TB, s *payment.Service, key string, id uuid.UUID, amount int64) (idempotency.Response, error) {
	t.Helper()
	part := &amount
	if amount == 0 {
		part = nil
	}
	return s.Refund(t.Context(), b.tenant, request(t, key, fmt.Sprint(id, amount)), id, part)
}

func (b *testBundle) cancel(t testing.TB, s *payment.Service, key string, id uuid.UUID) (idempotency.Response, error) {
	t.Helper()
	return s.Cancel(t.Context(), b.tenant, request(t, key, "cancel "+id.String()), id)
}

func balance(method string) payment.Order {
	return payment.Order{Kind: payment.Balance, Method: method}
}

func part(amount int64, method string) payment.Order {
	return payment.Order{Kind: payment.Amount, Amount: amount, Method: method}
}

// told is what a response says of a payment; those of declines name it otherwise.
type told struct {
	ID          uuid.UUID `json:"id"`
	PaymentID   uuid.UUID `json:"payment_id"`
	Status      any       `json:"status"`
	Code        string    `json:"code"`
	DeclineCode string    `json:"decline_code"`
	TryAgain    bool      `json:"try_again"`
	Amount      int64     `json:"amount"`
	ActionURL   string    `json:"action_url"`
}

func read(t testing.TB, r idempotency.Response) told {
	t.Helper()
	var v told
	require.NoError(t, json.Unmarshal(r.Body, &v))
	return v
}

// mustPay pays and returns the id of the payment, which succeeds.
func (b *testBundle) mustPay(t testing.TB, s *payment.Service, id uuid.UUID, o payment.Order) uuid.UUID {
	t.Helper()
	r := b.payKnown(t, s, newKey(), id, o)
	require.Equal(t, http.StatusCreated, r.Status, "%s", r.Body)
	return read(t, r).ID
}

func (b *testBundle) money(t testing.TB, s *payment.Service, id uuid.UUID) payment.BalanceSummary {
	t.Helper()
	m, err := s.BalanceSummary(t.Context(), b.tenant, id)
	require.NoError(t, err)
	return m
}

// moves counts the captures and refunds at the sandbox and adds them up.
type moves struct{ captures, refunds, captured, refunded int64 }

func (b *testBundle) moved(t testing.TB) moves {
	t.Helper()
	var m moves
	for v, err := range b.provider.Transactions(t.Context(), time.Time{}.AddDate(2000, 0, 0), time.Now().AddDate(1, 0, 0)) {
		require.NoError(t, err)
		if v.Refund {
			m.refunds++
			m.refunded += v.Amount
		} else {
			m.captures++
			m.captured += v.Amount
		}
	}
	return m
}

// settle has the services resolve, all at once, until nothing is open and no ended booking needs work.
func (b *testBundle) settle(t testing.TB, services ...*payment.Service) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for b.open(t) > 0 {
		require.True(t, time.Now().Before(deadline), "some payments don't settle")
		var all sync.WaitGroup
		for _, s := range services {
			all.Go(func() {
				_, _ = s.ProcessEndedBookings(t.Context())
				_, _ = s.ResolveOnce(t.Context())
			})
		}
		all.Wait()
	}
}

func (b *testBundle) open(t testing.TB) int {
	t.Helper()
	return b.count(t, `SELECT (SELECT count(*) FROM payments WHERE resolve_at IS NOT NULL) + (SELECT count(*) FROM ended_bookings)`)
}

// race runs n functions at once and returns how often each code of an error came; success is "".
func race(n int, run func(i int) error) map[problem.Code]int {
	start := make(chan struct{})
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			errs[i] = run(i)
		})
	}
	close(start)
	all.Wait()
	codes := make(map[problem.Code]int)
	for _, err := range errs {
		code := problem.Code("")
		if err != nil {
			code = problem.CodeOf(err)
		}
		codes[code]++
	}
	return codes
}
