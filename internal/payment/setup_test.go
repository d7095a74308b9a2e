package payment_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/db/preflight"
	"holdfast/internal/event"
	"holdfast/internal/httpapi/answers"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// The price and deposit of every booking in these tests, in minor units of EUR.
const (
	price   = 10_000
	deposit = 2_500
)

// maxWait is the longest wait for background work on a busy machine, pollInterval the pause between two checks,
// maxPause the longest one of eventually.
const (
	maxWait      = time.Minute
	pollInterval = 10 * time.Millisecond
	maxPause     = 50 * time.Millisecond
)

const webhookSecret = "whsec_test"

// testBundle has a database with one tenant, and a sandbox with its own journal.
type testBundle struct {
	url      string
	sql      *pgxpool.Pool
	events   *db.DB // of the workers
	sandbox  *sandbox.Server
	key      string // of the sandbox's clients
	provider *sandbox.Client
	fixture
	copies atomic.Int64
}

func setup(t testing.TB, change ...func(*sandbox.Config)) *testBundle {
	t.Helper()
	b := new(testBundle)
	b.url, b.fixture = template.Database(t)
	b.sql = dbtest.SQL(t, b.url)
	dbtest.CheckClaims(t, b.sql)
	b.events = dbtest.Open(t, db.Config{URL: b.url, MaxConns: 4})
	cfg := sandbox.Config{
		File: filepath.Join(t.TempDir(), "sandbox.db"), Key: "sk_test", WebhookSecret: webhookSecret,
		WebhookBackoff: 20 * time.Millisecond, SlowDelay: 100 * time.Millisecond,
	}
	for _, c := range change {
		c(&cfg)
	}
	var err error
	b.key = cfg.Key
	b.sandbox, err = sandbox.Start(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.sandbox.Close()) })
	b.provider = sandbox.NewClient(sandbox.ClientConfig{
		URL: b.sandbox.URL(), Key: cfg.Key, WebhookSecret: webhookSecret, KeyLifetime: cfg.KeyLifetime,
	})
	return b
}

// fixture is what each test's database begins with.
type fixture struct {
	tenant    uuid.UUID
	owner     tenant.Tenant // has the id of tenant
	serviceID uuid.UUID     // a date service on one resource of one unit
	template  uuid.UUID     // a cancelled booking that new bookings copy
}

// template makes the tests' databases.
var template = dbtest.Template[fixture]{Fill: fill}

func fill(ctx context.Context, url string) (made fixture, err error) {
	if err := preflight.Migrate(ctx, url, nil); err != nil {
		return made, err
	}
	s, err := db.Open(ctx, db.Config{URL: url, MaxConns: 2, Answers: answers.Answers{}})
	if err != nil {
		return made, err
	}
	defer s.Close()
	if made, err = makeFixture(ctx, s, "test"); err != nil {
		return made, err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return made, err
	}
	defer func() { _ = conn.Close(ctx) }()
	// Cancelled by hand: nothing is to be done for it.
	if _, err = conn.Exec(ctx, "UPDATE bookings SET status = 'cancelled' WHERE booking_id = $1",
		made.template); err == nil {
		_, err = conn.Exec(ctx, dbtest.SyncClaims)
	}
	return made, err
}

func makeFixture(ctx context.Context, s *db.DB, slug string) (f fixture, err error) {
	request := func() idempotency.Request {
		r, requestErr := idempotency.NewRequest([]string{newKey()}, http.MethodPost, "/", nil)
		err = errors.Join(err, requestErr)
		return r
	}
	tenants, catalogs, bookings := tenant.NewService(s), catalog.NewService(s), booking.NewService(s)
	made, err := created[tenant.TenantBody](tenants.Create(ctx, request(), tenant.CreateRequest{
		Slug: slug, Name: "Test", TimeZone: "Europe/Berlin", Currency: "EUR",
	}))
	if err != nil {
		return f, err
	}
	if f.owner, err = tenants.Authenticate(ctx, made.APIKey); err != nil {
		return f, err
	}
	f.tenant = f.owner.ID
	resource, err := created[catalog.ResourceBody](catalogs.CreateResource(ctx, f.owner, request(),
		catalog.Resource{Name: "Boat", Capacity: 1}))
	if err != nil {
		return f, err
	}
	service, err := created[catalog.ServiceBody](catalogs.CreateService(ctx, f.owner, request(), catalog.ServiceSpec{
		Name: "Day", Spec: timetable.Spec{
			Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{resource.ID}, BookingWindowDays: new(3650), Price: price,
			Deposit: deposit,
		},
		Metadata: catalog.Metadata(`{}`),
	}))
	if err != nil {
		return f, err
	}
	f.serviceID = service.ID
	date := testtime.Date(0)
	booked, err := created[booking.BookingBody](bookings.Create(ctx, f.owner, request(), booking.CreateRequest{
		ServiceID: f.serviceID, When: timetable.When{Date: &date}, PartySize: 1,
		Customer: &customer.Customer{Email: "ada@example.com", Name: "Ada"},
	}))
	if err != nil {
		return f, err
	}
	f.template = booked.ID
	return f, err
}

// created returns the body of the response to a request that creates something.
func created[T any](resp idempotency.Outcome, err error) (body T, _ error) {
	if err == nil {
		err = json.Unmarshal(resp.Body, &body)
	}
	return body, err
}

// bodyOf returns a response's body.
func bodyOf[T any](t testing.TB, resp idempotency.Outcome) (body T) {
	t.Helper()
	require.NoError(t, json.Unmarshal(resp.Body, &body))
	return body
}

// newBooking returns a confirmed booking on an unused date.
func (b *testBundle) newBooking(t testing.TB) uuid.UUID {
	t.Helper()
	id, err := uuid.NewV7()
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), dbtest.InsertBookings(`
		SELECT tenant_id, $2::uuid, service_id, resource_id, customer_id, 'confirmed', starts_at + later, ends_at + later,
			time_zone, '{[1,2)}', busy_from + later, busy_until + later, NULL, price, deposit
		FROM bookings, make_interval(days => $3::int) AS later WHERE booking_id = $1`), b.template, id, b.copies.Add(2))
	require.NoError(t, err)
	return id
}

func (b *testBundle) setStatus(t testing.TB, id uuid.UUID, status string) {
	t.Helper()
	b.exec(t, `UPDATE bookings SET status = $2 WHERE booking_id = $1`, id, status)
	b.exec(t, dbtest.SyncClaims)
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

// process returns the use cases of a separate server process: it has its own pool, queues and caches on the same
// database.
func (b *testBundle) process(t testing.TB, change ...func(*payment.Config)) *payment.Service {
	t.Helper()
	return b.processOn(t, db.Config{URL: b.url, MaxConns: 8}, change...)
}

func (b *testBundle) processOn(t testing.TB, on db.Config, change ...func(*payment.Config)) *payment.Service {
	t.Helper()
	cfg := payment.Config{
		Provider:    b.provider,
		CallTimeout: 10 * time.Second, AbsentAfter: 2 * time.Second, ResolveEvery: 10 * time.Millisecond,
	}
	payment.SetLease(&cfg, maxWait, time.Hour) // none ends by itself, and none is renewed that a test has ended
	for _, c := range change {
		c(&cfg)
	}
	s := dbtest.Open(t, on)
	return payment.NewService(s, cfg)
}

// withShortCallTimeout is for tests in which the provider doesn't answer a call: they wait for the timeout.
func withShortCallTimeout(cfg *payment.Config) { cfg.CallTimeout = 2 * time.Second }

// withLongCallTimeout prevents calls from timing out on a busy machine.
func withLongCallTimeout(cfg *payment.Config) { cfg.CallTimeout = maxWait }

func newKey() string { return uuid.NewString() }

func request(t testing.TB, key, content string) idempotency.Request {
	t.Helper()
	r, err := idempotency.NewRequest([]string{key}, http.MethodPost, "/", []byte(content))
	require.NoError(t, err)
	return r
}

func (b *testBundle) pay(t testing.TB, s *payment.Service, key string, id uuid.UUID,
	o payment.PayRequest,
) (idempotency.Outcome, error) {
	t.Helper()
	body, err := json.Marshal(o)
	require.NoError(t, err)
	return s.Pay(t.Context(), b.tenant, request(t, key, id.String()+string(body)), id, o)
}

// payKnown repeats the request until the outcome is known, because on a busy machine the sandbox may take longer than
// CallTimeout.
func (b *testBundle) payKnown(t testing.TB, s *payment.Service, key string, id uuid.UUID,
	o payment.PayRequest) idempotency.Outcome {
	t.Helper()
	var r idempotency.Outcome
	eventually(t, func() bool {
		var err error
		r, err = b.pay(t, s, key, id, o)
		require.NoError(t, err)
		return decode(t, r).Status != string(payment.StatusUnknown)
	})
	return r
}

// refund refunds amount of a payment, which is owed again; 0 refunds all of it.
func (b *testBundle) refund(t testing.TB, s *payment.Service, key string, id uuid.UUID,
	amount int64,
) (idempotency.Outcome, error) {
	t.Helper()
	part := &amount
	if amount == 0 {
		part = nil
	}
	return s.Refund(t.Context(), b.tenant, request(t, key, fmt.Sprint(id, amount)), id,
		payment.RefundRequest{Amount: part, OwedAgain: true})
}

func (b *testBundle) cancel(t testing.TB, s *payment.Service, key string, id uuid.UUID) (idempotency.Outcome, error) {
	t.Helper()
	return s.Cancel(t.Context(), b.tenant, request(t, key, "cancel "+id.String()), id)
}

func balance(method string) payment.PayRequest {
	return payment.PayRequest{Kind: payment.Balance, Method: method}
}

func part(amount int64, method string) payment.PayRequest {
	return payment.PayRequest{Kind: payment.Amount, Amount: &amount, Method: method}
}

// paymentResponse has the members of a payment and of a problem document about one.
type paymentResponse struct {
	ID          uuid.UUID `json:"id"`
	PaymentID   uuid.UUID `json:"payment_id"`
	Status      any       `json:"status"`
	Code        string    `json:"code"`
	DeclineCode string    `json:"decline_code"`
	TryAgain    bool      `json:"try_again"`
	Amount      int64     `json:"amount"`
	ActionURL   string    `json:"action_url"`
}

func decode(t testing.TB, r idempotency.Outcome) paymentResponse {
	t.Helper()
	var v paymentResponse
	require.NoError(t, json.Unmarshal(r.Body, &v))
	return v
}

// mustPay makes a payment that must succeed and returns its id.
func (b *testBundle) mustPay(t testing.TB, s *payment.Service, id uuid.UUID, o payment.PayRequest) uuid.UUID {
	t.Helper()
	r := b.payKnown(t, s, newKey(), id, o)
	require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
	return decode(t, r).ID
}

func (b *testBundle) balanceSummary(t testing.TB, s *payment.Service, id uuid.UUID) payment.BalanceSummary {
	t.Helper()
	m, err := s.BalanceSummary(t.Context(), b.tenant, id)
	require.NoError(t, err)
	return m
}

// transferTotals has the number and sum of the sandbox's captures and refunds.
type transferTotals struct{ captures, refunds, captured, refunded int64 }

func (b *testBundle) transferTotals(t testing.TB) transferTotals {
	t.Helper()
	return totalsAt(t, b.provider)
}

// totalsAt returns those of a provider's account.
func totalsAt(t testing.TB, at payment.Provider) transferTotals {
	t.Helper()
	var m transferTotals
	for v, err := range at.Transactions(t.Context(), time.Time{}, testtime.Now().AddDate(1, 0, 0)) {
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

// worker returns the worker of a service's process. It looks for due events only when it is told to.
func worker(s *payment.Service, events *db.DB) *event.Worker {
	return event.NewWorker(events, event.Config{Poll: maxWait}, s.Resolution(), s.EndedBooking())
}

// work handles the due events of open payments and ended bookings in the service's process.
func (b *testBundle) work(t testing.TB, s *payment.Service) {
	t.Helper()
	worker(s, b.events).RunUntilIdle(t.Context())
}

// resolve is work, and returns on how many payments the process worked. Whoever claims a payment raises its fencing
// token.
func (b *testBundle) resolve(t testing.TB, s *payment.Service) int {
	t.Helper()
	before := b.fences(t)
	b.work(t, s)
	n := 0
	for id, fence := range b.fences(t) {
		if fence != before[id] {
			n++
		}
	}
	return n
}

// fences returns the fencing tokens of all payments.
func (b *testBundle) fences(t testing.TB) map[uuid.UUID]int64 {
	t.Helper()
	rows, err := b.sql.Query(t.Context(), `SELECT payment_id, fence FROM payments`)
	require.NoError(t, err)
	fences := make(map[uuid.UUID]int64)
	var id uuid.UUID
	var fence int64
	_, err = pgx.ForEachRow(rows, []any{&id, &fence}, func() error { fences[id] = fence; return nil })
	require.NoError(t, err)
	return fences
}

// dueNow makes the events of open payments due.
func (b *testBundle) dueNow(t testing.TB) {
	t.Helper()
	b.exec(t, `UPDATE scheduled_events SET due_at = now() WHERE kind = 'payment.resolution' AND status IN ('pending', 'failed')`)
}

// resolveAll runs the services' workers concurrently until no payment is open and no ended booking needs work.
func (b *testBundle) resolveAll(t testing.TB, services ...*payment.Service) {
	t.Helper()
	eventually(t, func() bool {
		var all sync.WaitGroup
		for _, s := range services {
			all.Go(func() { b.work(t, s) })
		}
		all.Wait()
		return b.openCount(t) == 0
	})
}

func (b *testBundle) openCount(t testing.TB) int {
	t.Helper()
	return b.count(t, `SELECT (SELECT count(*) FROM payments WHERE resolve_at IS NOT NULL) + (SELECT count(*) FROM ended_bookings)`)
}

// eventually returns when happened, which it calls in the test's goroutine, returns true.
func eventually(t testing.TB, happened func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), maxWait)
	defer cancel()
	for pause := time.Millisecond; !happened(); pause = min(2*pause, maxPause) {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			require.FailNow(t, "it doesn't happen")
		}
	}
}

// within returns when done is closed or has a value, which it returns.
func within[T any](t testing.TB, done <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-done:
	case <-time.After(maxWait):
		require.FailNow(t, "it doesn't end")
	}
	return value
}

// runConcurrently runs n functions at once and counts the codes of their errors; "" is success.
func runConcurrently(n int, run func(i int) error) map[problem.Code]int {
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
