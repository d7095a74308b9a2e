package message_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/message"
	"holdfast/internal/payment"
	"holdfast/internal/person"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
	"holdfast/internal/timezone"
)

const publicURL = "https://book.example"

// testBundle is a database with one tenant in Berlin, and the use cases on it.
type testBundle struct {
	sql           *pgxpool.Pool
	store         *db.DB
	bookings      *booking.Service
	catalog       *catalog.Service
	customers     *customer.Service
	persons       *person.Service
	settings      *settings.Service
	messages      *message.Service
	payments      *payment.Service
	provider      provider
	unsubscribing *email.Unsubscriber
	tenant        tenant.Tenant
	outbox        mailbox
	senders       email.Senders
	links         *booking.Links
	planningAt    time.Time // when messages are planned, as far as the tests' planner knows; it is moved by planUntil
	plansNothing  bool      // while a test holds a transaction for which the feed waits
	onceAfterRead func()    // runAt calls it once, after an event was handled and before its result is recorded
}

func setup(t testing.TB) *testBundle {
	t.Helper()
	url := dbtest.Database(t)
	own := dbtest.Open(t, db.Config{URL: url, MaxConns: 8, LockTimeout: time.Minute})
	b := &testBundle{sql: dbtest.SQL(t, url), store: own}
	b.bookings, b.settings, b.planningAt = booking.NewService(b.store), settings.NewService(b.store), inDays(10)
	b.catalog, b.customers, b.persons = catalog.NewService(b.store), customer.NewService(b.store),
		person.NewService(b.store)
	var err error
	b.unsubscribing, err = email.NewUnsubscriber(make([]byte, 32))
	require.NoError(t, err)
	b.links, err = booking.NewLinks(make([]byte, 32), publicURL)
	require.NoError(t, err)
	b.payments = payment.NewService(b.store, payment.Config{Provider: &b.provider, CallTimeout: time.Minute})
	b.messages = message.NewService(b.store, b.settings, b.unsubscribing, b.links, true)
	b.senders = email.Senders{Domains: []email.SenderDomain{{Domain: "harbour.example"}}}
	b.tenant = b.newTenant(t)
	return b
}

// newTenant returns another tenant in Berlin.
func (b *testBundle) newTenant(t testing.TB) tenant.Tenant {
	t.Helper()
	tenants := tenant.NewService(b.store)
	resp, err := tenants.Create(t.Context(), request(t),
		tenant.CreateRequest{Slug: "t-" + uuid.NewString(), Name: "Harbour", TimeZone: "Europe/Berlin",
			Currency: "EUR"})
	require.NoError(t, err)
	var made tenant.TenantBody
	require.NoError(t, json.Unmarshal(resp.Body, &made))
	authenticated, err := tenants.Authenticate(t.Context(), made.APIKey)
	require.NoError(t, err)
	return authenticated
}

func request(t testing.TB) idempotency.Request {
	t.Helper()
	r, err := idempotency.NewRequest([]string{uuid.NewString()}, http.MethodPost, "/", nil)
	require.NoError(t, err)
	return r
}

// set changes the tenant's settings; change is JSON as a client sends it.
func (b *testBundle) set(t testing.TB, change string) settings.Tenant {
	t.Helper()
	changed, err := b.settings.Change(t.Context(), b.tenant.ID, mergepatch.Of[settings.Spec](change), "")
	require.NoError(t, err)
	return changed
}

// sender is what settings say of a tenant that sends emails.
const sender = `"email": {"from": {"name": "Harbour", "email": "booking@harbour.example"}}`

// newService returns a service that is sold by the hour, at all times, at a price.
func (b *testBundle) newService(t testing.TB, reminders []settings.ReminderBody) uuid.UUID {
	t.Helper()
	return b.newServiceOf(t, catalog.ServiceSpec{Spec: timetable.Spec{Kind: timetable.KindSlot, DurationMinutes: 60},
		Reminders: reminders})
}

// newServiceOf returns a service on a resource of its own, at a price.
func (b *testBundle) newServiceOf(t testing.TB, spec catalog.ServiceSpec) uuid.UUID {
	t.Helper()
	resp, err := b.catalog.CreateResource(t.Context(), b.tenant, request(t),
		catalog.Resource{Name: "Boat", Capacity: 1000})
	require.NoError(t, err)
	var resource catalog.ResourceBody
	require.NoError(t, json.Unmarshal(resp.Body, &resource))
	spec.Name, spec.ResourceIDs, spec.BookingWindowDays, spec.Price = "Tour", []uuid.UUID{resource.ID}, new(3650), 4500
	resp, err = b.catalog.CreateService(t.Context(), b.tenant, request(t), spec)
	require.NoError(t, err)
	var service catalog.ServiceBody
	require.NoError(t, json.Unmarshal(resp.Body, &service))
	return service.ID
}

func (b *testBundle) book(t testing.TB, service uuid.UUID, starts time.Time,
	with ...func(*booking.CreateRequest),
) booking.BookingBody {
	t.Helper()
	return b.bookWith(t, request(t), service, starts, with...)
}

func (b *testBundle) bookWith(t testing.TB, r idempotency.Request, service uuid.UUID, starts time.Time,
	with ...func(*booking.CreateRequest),
) booking.BookingBody {
	t.Helper()
	at := starts.Format(time.RFC3339)
	n := booking.CreateRequest{
		ServiceID: service, When: timetable.When{StartsAt: &at}, PartySize: 1,
		Customer: &customer.Customer{Email: uuid.NewString()[:8] + "@example.com", Name: "Ada"},
	}
	for _, w := range with {
		w(&n)
	}
	resp, err := b.bookings.Create(t.Context(), b.tenant, r, n)
	require.NoError(t, err)
	return bookingIn(t, resp)
}

func held(minutes int) func(*booking.CreateRequest) {
	return func(n *booking.CreateRequest) { n.HoldMinutes = &minutes }
}

func (b *testBundle) change(t testing.TB, id uuid.UUID, c booking.Transition) booking.BookingBody {
	t.Helper()
	resp, err := b.bookings.Transition(t.Context(), b.tenant, request(t), id, c, "")
	require.NoError(t, err)
	return bookingIn(t, resp)
}

func bookingIn(t testing.TB, resp idempotency.Outcome) (body booking.BookingBody) {
	t.Helper()
	require.NoError(t, json.Unmarshal(resp.Body, &body))
	return body
}

// inDays is noon, where the tenant is, some days after the first of the tests' dates.
func inDays(days int) time.Time { return testtime.At(days, 12, 0, berlin()) }

// fromNow is a full hour in some days from now, for what is compared with the database's clock.
func fromNow(days int) time.Time { return testtime.Now().Truncate(time.Hour).AddDate(0, 0, days) }

// berlin is where the tenant is.
var berlin = sync.OnceValue(func() *time.Location {
	loc, err := timezone.Load("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	return loc
})

// born is a date of birth that next returns on the first of the tests' dates, or some days after it. That is weeks
// ahead, and in no February.
func born(days int) civil.Date {
	on := testtime.Date(days)
	return date(1990, on.Month, on.Day)
}

// planned is what is stored of an event.
type planned struct {
	EventID    uuid.UUID
	Kind       string
	SubjectID  uuid.UUID
	Occurrence string
	Status     string
	DueAt      time.Time
	Reason     string
}

// planning are the kinds of the events that plan messages.
var planning = []string{event.KindPlan, event.KindPlanAhead}

// plan plans the messages that are due until two days after planningAt, as if it were that time.
func (b *testBundle) plan(t testing.TB) {
	t.Helper()
	if b.plansNothing {
		return
	}
	b.relay(t)
	b.runPlanner(t)
}

// planUntil plans the messages that are due until a time.
func (b *testBundle) planUntil(t testing.TB, until time.Time) {
	t.Helper()
	b.planningAt = until.AddDate(0, 0, -2)
	b.exec(t, "UPDATE scheduled_events SET due_at = now() WHERE kind = $1", event.KindPlanAhead)
	b.plan(t)
}

// relay passes all changes of the tenant to what follows from them. A transaction of another test may hold them up for
// a moment.
func (b *testBundle) relay(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool {
		for more := true; more; {
			var err error
			more, err = event.Relay(b.store).Run(t.Context())
			require.NoError(t, err)
		}
		var left int
		require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT count(*) FROM changes c, feed_positions p
			WHERE p.reader = 'relay' AND (c.transaction_id, c.change_id) > (p.transaction_id, p.change_id)`).Scan(&left))
		return left == 0
	}, time.Minute, time.Millisecond)
}

// runPlanner handles the events that plan messages and are due, as if it were planningAt.
func (b *testBundle) runPlanner(t testing.TB) {
	t.Helper()
	for _, k := range b.messages.Kinds() {
		if !slices.Contains(planning, k.Name) {
			continue
		}
		handle := k.Handle
		k.Handle = func(ctx context.Context, e event.Event) (event.Result, error) {
			e.LeasedAt = b.planningAt
			return handle(ctx, e)
		}
		for b.unplanned(t, k.Name) {
			// The next page of a run is due at planningAt.
			b.exec(t, "UPDATE scheduled_events SET due_at = now() WHERE kind = $1 AND data::text LIKE '%\"until\"%'",
				k.Name)
			event.NewWorker(b.store, event.Config{}, k).RunUntilIdle(t.Context())
		}
	}
	b.exec(t, "UPDATE scheduled_events SET due_at = now() WHERE kind = ANY ($1) AND status = 'pending' AND due_at = $2",
		[]string{event.KindEmail, event.KindPaymentEmail, event.KindOwnerEmail}, b.planningAt)
}

// unplanned reports whether events that plan messages are due or in the middle of a run.
func (b *testBundle) unplanned(t testing.TB, kind string) (found bool) {
	t.Helper()
	require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM scheduled_events
		WHERE kind = $1 AND status IN ('pending', 'failed') AND (due_at <= now() OR data::text LIKE '%"until"%'))`, kind).Scan(&found))
	return found
}

// events plans the tenant's messages, and lists its events of some kinds in the order in which they are due. Without
// kinds it lists all but those that plan.
func (b *testBundle) events(t testing.TB, kinds ...string) []planned {
	t.Helper()
	b.plan(t)
	return b.stored(t, kinds...)
}

// stored lists the events as they are.
func (b *testBundle) stored(t testing.TB, kinds ...string) []planned {
	t.Helper()
	rows, err := b.sql.Query(t.Context(), `
		SELECT event_id, kind, subject_id, occurrence, status, due_at, coalesce(last_error, '') AS reason
		FROM scheduled_events WHERE tenant_id = $1 AND (kind = ANY ($2) OR cardinality($2) = 0 AND kind <> ALL ($3))
		ORDER BY due_at, event_id`,
		b.tenant.ID, append([]string{}, kinds...), planning)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[planned])
	require.NoError(t, err)
	return found
}

// only returns the one event of a kind.
func (b *testBundle) only(t testing.TB, kind string) planned {
	t.Helper()
	found := b.events(t, kind)
	require.Len(t, found, 1)
	return found[0]
}

// told lists the types of the outbox's events about a subject, with their sequence.
func (b *testBundle) told(t testing.TB, subject uuid.UUID, eventType string) int {
	t.Helper()
	var n int
	require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT count(*) FROM changes WHERE subject_id = $1 AND type = $2`,
		subject,
		eventType).Scan(&n))
	return n
}

// makeDue makes the pending events of a kind due now.
func (b *testBundle) makeDue(t testing.TB, kind string) {
	t.Helper()
	b.plan(t)
	_, err := b.sql.Exec(t.Context(),
		`UPDATE scheduled_events SET due_at = now() WHERE kind = $1 AND status IN ('pending', 'failed')`,
		kind)
	require.NoError(t, err)
}

// kinds are the kinds of messages, with emails going to the mailbox.
func (b *testBundle) kinds() []event.Kind {
	kinds := slices.DeleteFunc(b.messages.Kinds(), func(k event.Kind) bool { return slices.Contains(planning, k.Name) })
	return append(kinds, b.messages.Emails(&b.outbox, b.senders, publicURL)...)
}

// kind returns one of the kinds.
func (b *testBundle) kind(t testing.TB, name string) event.Kind {
	t.Helper()
	i := slices.IndexFunc(b.kinds(), func(k event.Kind) bool { return k.Name == name })
	require.GreaterOrEqual(t, i, 0)
	return b.kinds()[i]
}

// run handles the events that are due with real workers, each kind by itself. What one kind writes would postpone what
// another one does with the same booking.
func (b *testBundle) run(t testing.TB) {
	t.Helper()
	for {
		b.plan(t)
		var due []string
		err := b.sql.QueryRow(t.Context(), `SELECT coalesce(array_agg(DISTINCT kind), '{}') FROM scheduled_events
			WHERE status IN ('pending', 'failed') AND due_at <= now()`).Scan(&due)
		if err != nil {
			if t.Context().Err() == nil { // the test may have ended while this ran beside it
				t.Error(err)
			}
			return
		}
		idle := true
		for _, k := range b.kinds() {
			if slices.Contains(due, k.Name) {
				idle = false
				event.NewWorker(b.store, event.Config{}, k).RunUntilIdle(t.Context())
			}
		}
		if idle {
			return
		}
	}
}

// runAt handles the pending events of a kind as if they were claimed at a time.
func (b *testBundle) runAt(t testing.TB, kind string, at time.Time) {
	t.Helper()
	b.makeDue(t, kind)
	b.claimedAt(t, kind, at)
}

// claimedAt handles the events of a kind that are due as if they were claimed at a time.
func (b *testBundle) claimedAt(t testing.TB, kind string, at time.Time) {
	t.Helper()
	var traveling []event.Kind
	for _, k := range b.kinds() {
		if k.Name == kind {
			handle := k.Handle
			k.Handle = func(ctx context.Context, e event.Event) (event.Result, error) {
				e.LeasedAt = at
				result, err := handle(ctx, e)
				if then := b.onceAfterRead; then != nil {
					b.onceAfterRead = nil
					then()
				}
				return result, err
			}
			traveling = append(traveling, k)
		}
	}
	event.NewWorker(b.store, event.Config{}, traveling...).RunUntilIdle(t.Context())
}

// waiting waits until so many transactions wait for locks.
func (b *testBundle) waiting(t testing.TB, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		var found int
		err := b.sql.QueryRow(t.Context(),
			"SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()").Scan(&found)
		return err == nil && found == n
	}, time.Minute, time.Millisecond)
}

// begin begins a transaction that holds what sql locks until it is rolled back.
func (b *testBundle) begin(t testing.TB, sql string, args ...any) pgx.Tx {
	t.Helper()
	tx, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	_, err = tx.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
	return tx
}

// runAll handles the pending messages one after the other, each as if it were claimed when it is due, and the emails of
// each.
func (b *testBundle) runAll(t testing.TB) {
	t.Helper()
	for _, e := range b.events(t) {
		if e.Status != "pending" || e.Kind == event.KindEmail || e.Kind == event.KindHoldExpiry {
			continue
		}
		b.runOneAt(t, e, e.DueAt)
		b.runAt(t, event.KindEmail, e.DueAt)
	}
}

// runOneAt handles an event as if it were claimed at a time. Its due time stays.
func (b *testBundle) runOneAt(t testing.TB, e planned, at time.Time) {
	t.Helper()
	b.exec(t, "UPDATE scheduled_events SET due_at = now() WHERE event_id = $1", e.EventID)
	b.claimedAt(t, e.Kind, at)
	b.exec(t, "UPDATE scheduled_events SET due_at = $1 WHERE event_id = $2 AND status IN ('completed', 'cancelled')",
		e.DueAt, e.EventID)
}

// mailbox is a Sender that keeps emails.
type mailbox struct {
	mu   sync.Mutex
	sent []email.Message
	fail error
}

func (m *mailbox) Send(_ context.Context, e email.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	m.sent = append(m.sent, e)
	return nil
}

// subjects lists the subjects of the emails that were sent.
func (m *mailbox) subjects() (list []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.sent {
		list = append(list, e.Subject)
	}
	return list
}

// last returns the email that was sent last.
func (m *mailbox) last(t testing.TB) email.Message {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	require.NotEmpty(t, m.sent)
	return m.sent[len(m.sent)-1]
}

// containing counts the texts that contain a part.
func containing(texts []string, part string) int {
	return len(slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return !strings.Contains(s, part) }))
}

func date(year int, month time.Month, day int) civil.Date {
	return civil.Date{Year: year, Month: month, Day: day}
}
