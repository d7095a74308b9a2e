package httpapi_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/app"
	"holdfast/internal/app/apptest"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/httpapi"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/httpapi/eventstream"
	"holdfast/internal/message"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timezone"
	"holdfast/internal/webhook"
)

const (
	adminKey       = apptest.AdminKey
	sandboxSecret  = apptest.SandboxSecret
	unsubscribeKey = apptest.LinkKey
)

// testStreams are limits of the streams of events for which no test has to wait long.
var testStreams = eventstream.Limits{
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
	store    *db.DB
	database string
	sandbox  *sandbox.Server
	url      string
	sql      *pgxpool.Pool
	http     *http.Client
	messages *message.Service
	webhooks *webhook.Service // may reach loopback addresses
}

// newServer serves the API until the test ends. configure may change how it reaches its database.
func newServer(t testing.TB, configure ...func(*db.Config)) *apiServer {
	t.Helper()
	return serveAPI(t, apptest.Options{Connect: func(c *db.Config) {
		for _, f := range configure {
			f(c)
		}
	}}, admission.Limits{})
}

// newLimitedServer serves the API with limits.
func newLimitedServer(t *testing.T, limits admission.Limits) *apiServer {
	t.Helper()
	return serveAPI(t, apptest.Options{}, limits)
}

// another serves the API on the same database as another process would.
func (s *apiServer) another(t *testing.T) *apiServer {
	t.Helper()
	return serveAPI(t, apptest.Options{Database: s.database}, admission.Limits{})
}

// serveAPI serves the API with limits. Its links begin with another address, and its webhooks may reach loopback
// addresses.
func serveAPI(t testing.TB, o apptest.Options, limits admission.Limits) *apiServer {
	t.Helper()
	allowed, err := webhook.ParseNetworks("127.0.0.0/8")
	require.NoError(t, err)
	o.Configure = func(c *app.Config) {
		c.PublicURL, c.Limits, c.Streams = "https://booking.example.com", limits, testStreams
		c.Webhooks.Allowed = allowed
		c.Payments.CallTimeout = 5 * time.Second
	}
	served := apptest.Serve(t, o)
	transport := &http.Transport{MaxIdleConnsPerHost: 16}
	t.Cleanup(transport.CloseIdleConnections)
	return &apiServer{
		api:      served.API,
		store:    served.DB(),
		database: served.Database,
		sandbox:  served.Sandbox,
		url:      served.URL,
		sql:      served.SQL,
		messages: served.Messages,
		webhooks: served.Webhooks,
		http: &http.Client{
			Transport:     transport,
			Timeout:       5 * time.Minute, // machines are busy
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
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
	a := c.get(t, fmt.Sprintf("/v1/services/%s/availability?from=%s&to=%s&nights=%d&party_size=%d", service, from, to,
		nights, party))
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

// problemDocument is a problem document.
type problemDocument struct {
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
func (d problemDocument) field(name string) string {
	for _, e := range d.Errors {
		if e.Field == name {
			return e.Code
		}
	}
	return ""
}

func requireProblem(t testingT, a answer, status int, code problem.Code) problemDocument {
	t.Helper()
	require.Equal(t, status, a.status, a.body)
	require.Equal(t, "application/problem+json", a.header.Get("Content-Type"))
	require.NotEmpty(t, a.header.Get("Request-Id"))
	var d problemDocument
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
	digest, err := dbtest.Tables(t.Context(), s.sql)
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

// planMessages passes all changes on, and plans the messages that follow from them or are due within two days, as
// workers do.
func (s *apiServer) planMessages(t testingT) {
	t.Helper()
	require.Eventually(t, func() bool { // transactions of other tests hold changes up
		_, err := event.RelayFeed(t.Context(), s.store, 1000)
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

// drawsOfRapid sets how often rapid draws and from which seed, before its first test begins: it has one setting for the
// process.
var drawsOfRapid sync.Once

// checkRandomly is rapid.Check with a fixed seed and few draws, unless the environment or rapid's own flags say
// otherwise.
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
	_, err = c.sql.Exec(t.Context(), dbtest.SyncClaims)
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
