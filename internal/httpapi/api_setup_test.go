package httpapi_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/change"
	"holdfast/internal/customer"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/httpapi"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/idempotency"
	"holdfast/internal/lockview"
	"holdfast/internal/message"
	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/person"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
	"holdfast/internal/store"
	"holdfast/internal/store/storetest"
	"holdfast/internal/tenant"
	"holdfast/internal/testtime"
	"holdfast/internal/timezone"
	"holdfast/internal/user"
	"holdfast/internal/wallet"
	"holdfast/internal/webhook"
)

const (
	adminKey       = "the-admin-key-of-these-tests"
	sandboxSecret  = "the-sandbox-secret-of-these-tests"
	unsubscribeKey = "the-unsubscribe-key-of-these-tests"
)

// testStreams are limits of the streams of events for which no test has to wait long.
var testStreams = httpapi.StreamLimits{
	PerTenant: 2, Total: 3, Heartbeat: 20 * time.Millisecond, CheckKey: time.Millisecond, Poll: 10 * time.Millisecond,
	WriteTimeout: time.Second,
}

// testingT is what *testing.T and *rapid.T share.
type testingT interface {
	require.TestingT
	Context() context.Context
	Helper()
}

// object is a JSON object as a client sends or reads it.
type object = map[string]any

// apiServer is the whole server but for its command line, on a database of the test's own.
type apiServer struct {
	api      *httpapi.API
	store    *store.Store
	database string
	sandbox  *sandbox.Server
	url      string
	sql      *pgxpool.Pool
	http     *http.Client
	messages *message.Service
	webhooks *webhook.Service // may reach loopback addresses
}

// newServer serves the API until the test ends. configure may change how it reaches its database.
func newServer(t testing.TB, configure ...func(*store.Config)) *apiServer {
	t.Helper()
	database := storetest.Database(t)
	return newServerOn(t, database, storetest.SQL(t, database), admission.Limits{}, configure...)
}

// newLimitedServer serves the API with limits.
func newLimitedServer(t *testing.T, limits admission.Limits) *apiServer {
	t.Helper()
	database := storetest.Database(t)
	return newServerOn(t, database, storetest.SQL(t, database), limits)
}

// another serves the API on the same database as another process would.
func (s *apiServer) another(t *testing.T) *apiServer {
	t.Helper()
	return newServerOn(t, s.database, s.sql, admission.Limits{})
}

// newServerOn serves the API on a database. Unless configure changes that, a change waits a minute for its locks: machines
// are busy.
func newServerOn(t testing.TB, database string, sql *pgxpool.Pool, limits admission.Limits, configure ...func(*store.Config)) *apiServer {
	t.Helper()
	return newServerLoggingTo(t, nil, database, sql, limits, configure...)
}

// newServerLoggingTo is newServerOn with a log.
func newServerLoggingTo(t testing.TB, log *slog.Logger, database string, sql *pgxpool.Pool, limits admission.Limits,
	configure ...func(*store.Config),
) *apiServer {
	t.Helper()
	provider, err := sandbox.Start(sandbox.Config{File: filepath.Join(t.TempDir(), "sandbox.db"), Key: sandboxSecret,
		WebhookSecret: sandboxSecret})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, provider.Close()) })
	return newServerPaidAt(t, provider, log, database, sql, limits, configure...)
}

// newServerPaidAt is newServerLoggingTo with a payment provider that other servers may use, too.
func newServerPaidAt(t testing.TB, provider *sandbox.Server, log *slog.Logger, database string, sql *pgxpool.Pool, limits admission.Limits,
	configure ...func(*store.Config),
) *apiServer {
	t.Helper()
	s := &apiServer{database: database, sql: sql, sandbox: provider}
	registry := prometheus.NewRegistry()
	cfg := store.Config{URL: s.database, MaxConns: 8, Metrics: registry, LockTimeout: time.Minute}
	for _, f := range configure {
		f(&cfg)
	}
	st := storetest.Open(t, cfg)
	allowed, err := webhook.ParseNetworks("127.0.0.0/8")
	require.NoError(t, err)
	feed := change.NewService(st)
	s.webhooks = webhook.NewService(st, feed, webhook.Config{Allowed: allowed}, nil)
	unsubscribing, err := email.NewUnsubscriber([]byte(unsubscribeKey))
	require.NoError(t, err)
	links, err := booking.NewLinks([]byte(unsubscribeKey), "https://booking.example.com")
	require.NoError(t, err)
	bookings, tenantSettings := booking.NewService(st), settings.NewService(st)
	s.messages = message.NewService(st, tenantSettings, unsubscribing, links, true)
	api := httpapi.New(httpapi.Config{AdminKey: adminKey, Limits: limits, Logger: log, Ready: st.Ready, Registry: registry,
		Streams: testStreams, Version: "1.2.3"}, httpapi.Services{
		Guard:    idempotency.NewGuard(st),
		Bookings: bookings, Catalog: catalog.NewService(st), Customers: customer.NewService(st), Persons: person.NewService(st),
		Changes: feed, ScheduledEvents: event.NewService(st),
		Messages: s.messages, Settings: tenantSettings,
		Tenants: tenant.NewService(st), Users: user.NewService(st, user.Config{}), Wallets: wallet.NewService(st), Webhooks: s.webhooks,
		Locks: lockview.NewService(storetest.Open(t, store.Config{URL: database, MaxConns: 1}), slog.New(slog.DiscardHandler)),
		Links: links,
		Payments: payment.NewService(st, payment.Config{
			Provider: sandbox.NewClient(sandbox.ClientConfig{URL: provider.URL(), Key: sandboxSecret, WebhookSecret: sandboxSecret}),
			Bookings: bookings, CallTimeout: 5 * time.Second,
		}),
	})

	s.api, s.store = api, st
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.url = "http://" + l.Addr().String()
	server := edge.NewHTTPServer(api.Edge.Engine(), slog.New(slog.DiscardHandler))
	served := make(chan error, 1)
	go func() { served <- server.Serve(edge.Listener(l)) }()
	transport := &http.Transport{MaxIdleConnsPerHost: 16}
	s.http = &http.Client{
		Transport:     transport,
		Timeout:       5 * time.Minute, // machines are busy
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		require.NoError(t, server.Close())
		require.ErrorIs(t, <-served, http.ErrServerClosed)
	})
	return s
}

// day is a date's availability.
type day struct {
	Date      string `json:"date"`
	Available bool   `json:"available"`
	Remaining int    `json:"remaining"`
	MaxNights *int   `json:"max_nights"`
	Slots     []slot `json:"slots"`
}

type slot struct {
	StartsAt    time.Time   `json:"starts_at"`
	EndsAt      time.Time   `json:"ends_at"`
	Remaining   int         `json:"remaining"`
	ResourceIDs []uuid.UUID `json:"resource_ids"`
}

// starts returns when the date's slots start, in wall-clock time with its offset.
func (d day) starts() []string {
	list := make([]string, len(d.Slots))
	for i, s := range d.Slots {
		list[i] = s.StartsAt.Format("15:04Z07:00")
	}
	return list
}

// clocks is starts without the offsets.
func (d day) clocks() []string {
	list := make([]string, len(d.Slots))
	for i, s := range d.Slots {
		list[i] = s.StartsAt.Format("15:04")
	}
	return list
}

func (c client) availability(t testingT, service uuid.UUID, from, to civil.Date, party int) []day {
	t.Helper()
	a := c.get(t, fmt.Sprintf("/v1/services/%s/availability?from=%s&to=%s&party_size=%d", service, from, to, party))
	require.Equal(t, http.StatusOK, a.status, a.body)
	var page struct{ Data []day }
	a.read(t, &page)
	require.Len(t, page.Data, to.DaysSince(from)+1)
	return page.Data
}

// nights returns the availability of a stay of so many nights on some dates.
func (c client) nights(t testingT, service uuid.UUID, from, to civil.Date, nights, party int) []day {
	t.Helper()
	a := c.get(t, fmt.Sprintf("/v1/services/%s/availability?from=%s&to=%s&nights=%d&party_size=%d", service, from, to, nights, party))
	require.Equal(t, http.StatusOK, a.status, a.body)
	var page struct{ Data []day }
	a.read(t, &page)
	require.Len(t, page.Data, to.DaysSince(from)+1)
	return page.Data
}

// on returns one date's availability for a party of one.
func (c client) on(t testingT, service uuid.UUID, d civil.Date) day {
	t.Helper()
	return c.availability(t, service, d, d, 1)[0]
}

// listed is one page of a list.
type listed struct {
	Data       []object `json:"data"`
	NextCursor string   `json:"next_cursor"`
}

func (c client) list(t testingT, path string) listed {
	t.Helper()
	a := c.get(t, path)
	require.Equal(t, http.StatusOK, a.status, a.body)
	var page listed
	a.read(t, &page)
	require.NotNil(t, page.Data, "an empty list is [] and not null")
	return page
}

// listAll follows the cursors of a list and returns the ids in their order.
func (c client) listAll(t testingT, path string, query url.Values) []string {
	t.Helper()
	ids := []string{}
	for {
		page := c.list(t, path+"?"+query.Encode())
		for _, o := range page.Data {
			id := o["id"].(string)
			require.NotContains(t, ids, id, "listed twice")
			ids = append(ids, id)
		}
		if page.NextCursor == "" {
			return ids
		}
		require.NotEmpty(t, page.Data, "a page that promises another one isn't empty")
		query.Set("cursor", page.NextCursor)
	}
}

// document is a problem document.
type document struct {
	Type   string       `json:"type"`
	Title  string       `json:"title"`
	Status int          `json:"status"`
	Detail string       `json:"detail"`
	Code   problem.Code `json:"code"`
	Errors []struct {
		Field  string `json:"field"`
		Code   string `json:"code"`
		Detail string `json:"detail"`
	} `json:"errors"`
}

// field returns the code of a refused field, empty if it wasn't refused.
func (d document) field(name string) string {
	for _, e := range d.Errors {
		if e.Field == name {
			return e.Code
		}
	}
	return ""
}

func requireProblem(t testingT, a answer, status int, code problem.Code) document {
	t.Helper()
	require.Equal(t, status, a.status, a.body)
	require.Equal(t, "application/problem+json", a.header.Get("Content-Type"))
	require.NotEmpty(t, a.header.Get("Request-Id"))
	var d document
	a.read(t, &d)
	require.Equal(t, code, d.Code, a.body)
	require.Equal(t, status, d.Status)
	require.NotEmpty(t, d.Title)
	require.NotEmpty(t, d.Detail)
	return d
}

// tables returns a digest of all that the database holds, one line a table.
func (s *apiServer) tables(t testingT) string {
	t.Helper()
	digest, err := storetest.Tables(t.Context(), s.sql)
	require.NoError(t, err)
	require.Greater(t, strings.Count(digest, "\n"), 8)
	return digest
}

func (s *apiServer) count(t testingT, query string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, s.sql.QueryRow(t.Context(), query, args...).Scan(&n))
	return n
}

// planMessages passes all changes on, and plans the messages that follow from them or are due within two days, as workers do.
func (s *apiServer) planMessages(t testingT) {
	t.Helper()
	require.Eventually(t, func() bool { // transactions of other tests hold changes up
		_, err := s.store.RelayFeed(t.Context(), 1000)
		require.NoError(t, err)
		return s.count(t, `SELECT count(*) FROM changes c, feed_positions p
			WHERE p.reader = 'relay' AND (c.transaction_id, c.change_id) > (p.transaction_id, p.change_id)`) == 0
	}, soon, 5*time.Millisecond)
	planning := slices.DeleteFunc(s.messages.Kinds(), func(k event.Kind) bool {
		return k.Name != event.KindPlan && k.Name != event.KindPlanAhead
	})
	event.NewWorker(s.store, event.Config{}, planning...).RunUntilIdle(t.Context())
}

// future is a date far enough away for every test. future(0) is a Monday.
func future(days int) civil.Date { return testtime.Date(days) }

// drawsOfRapid sets how often rapid draws and from which seed, before its first test begins: it has one setting for the process.
var drawsOfRapid sync.Once

// checkRandomly is rapid.Check with a fixed seed and few draws, unless the environment or rapid's own flags say otherwise.
func checkRandomly(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	seed := testtime.Seed(t)
	drawsOfRapid.Do(func() {
		given := map[string]bool{}
		flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
		for name, value := range map[string]string{"rapid.checks": strconv.Itoa(testtime.Rounds(8)),
			"rapid.seed": strconv.FormatUint(seed, 10)} {
			if !given[name] {
				require.NoError(t, flag.Set(name, value))
			}
		}
	})
	rapid.Check(t, property)
}

// begun moves a booking more than a year back, so that it has begun.
func (c client) begun(t testingT, booking uuid.UUID) uuid.UUID {
	t.Helper()
	_, err := c.sql.Exec(t.Context(), `UPDATE bookings SET date = date - 400, starts_at = starts_at - interval '400 days',
		ends_at = ends_at - interval '400 days',
		busy_from = busy_from - interval '400 days', busy_until = busy_until - interval '400 days' WHERE booking_id = $1`, booking)
	require.NoError(t, err)
	_, err = c.sql.Exec(t.Context(), storetest.SyncClaims)
	require.NoError(t, err)
	return booking
}

func location(t testingT, name string) *time.Location {
	t.Helper()
	loc, err := timezone.Load(name)
	require.NoError(t, err)
	return loc
}

// at returns a wall-clock time in Berlin.
func at(d civil.Date, hour, minute int) time.Time {
	loc, _ := timezone.Load("Europe/Berlin")
	return time.Date(d.Year, d.Month, d.Day, hour, minute, 0, 0, loc)
}

// nextChange returns the next date, at least ten days from now, on which clocks in loc are put forward or back.
func nextChange(t testingT, loc *time.Location, forward bool) civil.Date {
	t.Helper()
	now := testtime.Now()
	for at := now.AddDate(0, 0, 10); at.Before(now.AddDate(3, 0, 0)); {
		_, change := at.In(loc).ZoneBounds()
		require.False(t, change.IsZero(), "%s has no clock changes", loc)
		_, before := change.Add(-1).In(loc).Zone()
		_, after := change.In(loc).Zone()
		if after > before == forward && after != before {
			return civil.DateOf(change.In(loc))
		}
		at = change.AddDate(0, 0, 1) // on the last day of a leap year ZoneBounds may return an end that is over
	}
	require.Fail(t, "no clock change found", "%s", loc)
	return civil.Date{}
}
