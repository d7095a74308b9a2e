package cell

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/httpapi/edge"
)

// stub answers with its name, the path and query that it sees, and the body.
func stub(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, name+" "+r.URL.RequestURI()+" "+string(body))
	})
}

// bundle is a router with the cells eu1, eu2 and eu3, of which eu3 isn't open, and a tenant in each.
type bundle struct {
	*Router

	directory *source
	tenants   map[string]uuid.UUID
}

func setup(t *testing.T) bundle {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	b := bundle{tenants: map[string]uuid.UUID{"eu1": uuid.New(), "eu2": uuid.New(), "eu3": uuid.New(),
		"gone": uuid.New()}}
	s := new(source)
	b.directory = s
	named := entryOf(b.tenants["eu2"], "eu2", false)
	named.Slug = "slug-eu2"
	s.set(nil, entryOf(b.tenants["eu1"], "eu1", false), named, entryOf(b.tenants["eu3"], "eu3", false),
		entryOf(b.tenants["gone"], "us1", false))
	cells := New([]string{"eu1", "eu2", "eu3"}, log)
	cells.directory = runDirectory(t, s)
	for _, name := range []string{"eu1", "eu2"} {
		cells.byName[name].open.Store(&opened{api: stub(name)})
	}
	front := edge.New(log, nil, nil)
	b.Router = &Router{
		Cells: cells, Front: front, Sources: edge.TenantSources{
			"/v1": edge.FromKey, "/admin/v1": edge.FromAdminRequest, "/operator": edge.FromOperatorPage,
			"/book":    edge.FromSlug,
			"/console": edge.FromSlug, "/booking": edge.FromLink, "/oidc/callback": edge.FromState,
			"/unsubscribe": edge.FromUnsubscribeToken,
			"/webhooks":    edge.FromWebhook,
		},
		Unsubscribed: uuid.Parse, Linked: uuid.Parse,
		Webhook: func(provider string, _ http.Header, body []byte) (uuid.UUID, error) {
			if provider != "sandbox" {
				return uuid.Nil, errors.New("unknown")
			}
			return uuid.ParseBytes(body)
		},
	}
	return b
}

func (b bundle) send(method, target, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

func codeOf(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var document struct{ Code string }
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &document), "%s", w.Body)
	return document.Code
}

func TestRouter_RequestsOfATenant_GoToItsCell(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, name := range []string{"eu1", "eu2"} {
		id := b.tenants[name].String()
		require.Equal(t, name+" /unsubscribe?token="+id+" ", b.send("GET", "/unsubscribe?token="+id, "").Body.String())
		require.Equal(t, name+" /booking/"+id+"/cancel ", b.send("GET", "/booking/"+id+"/cancel", "").Body.String())
		require.Equal(t, name+" /webhooks/sandbox "+id, b.send("POST", "/webhooks/sandbox", id).Body.String(),
			"the body comes whole")
		require.Equal(t, name+" /admin/v1/tenants/"+id+"/api-keys ",
			b.send("GET", "/admin/v1/tenants/"+id+"/api-keys", "").Body.String())
	}
	require.Equal(t, "eu2 /book/slug-eu2/terms ", b.send("GET", "/book/slug-eu2/terms", "").Body.String())
	for _, name := range []string{b.tenants["eu2"].String(), "slug-eu2"} {
		require.Equal(t, "eu2 /v1/bookings ", b.send("GET", "/v1/bookings", "", "Holdfast-Tenant", name).Body.String(),
			"the operator acts for it")
	}
	for what, w := range map[string]*httptest.ResponseRecorder{
		"an operator of nobody":    b.send("GET", "/v1/bookings", "", "Holdfast-Tenant", "nobody"),
		"no key":                   b.send("GET", "/v1/bookings", ""),
		"a key that none can read": b.send("GET", "/v1/bookings", "", "Authorization", "Bearer x"),
		"two keys": b.send("GET", "/v1/bookings", "", "Authorization", "Bearer x", "Authorization",
			"Bearer y"),
		"an unknown tenant":          b.send("GET", "/admin/v1/tenants/"+uuid.NewString(), ""),
		"a token that none can read": b.send("GET", "/unsubscribe", ""),
		"a booking page of nobody":   b.send("GET", "/book/nobody", ""),
		"a link that none can read":  b.send("GET", "/booking/x", ""),
		"a webhook of nobody":        b.send("POST", "/webhooks/sandbox", "x"),
		"an unknown provider":        b.send("POST", "/webhooks/other", uuid.NewString()),
	} {
		require.True(t, strings.HasPrefix(w.Body.String(), "eu1 "), "%s is refused by any cell: %s", what, w.Body)
	}
	require.Equal(t, "body_too_large", codeOf(t, b.send("POST", "/webhooks/sandbox", strings.Repeat("x", 70_000))))
}

func TestRouter_CellThatIsNotOpen_RefusesItsTenantsAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, name := range []string{"eu3", "gone"} {
		w := b.send("GET", "/admin/v1/tenants/"+b.tenants[name].String(), "")
		require.Equal(t, http.StatusServiceUnavailable, w.Code)
		require.Equal(t, "database_unavailable", codeOf(t, w))
		require.Equal(t, "1", w.Header().Get("Retry-After"))
		require.NotEmpty(t, w.Header().Get("Request-Id"))
	}
	require.Equal(t, http.StatusOK, b.send("GET", "/admin/v1/tenants/"+b.tenants["eu2"].String(), "").Code)
}

func TestRouter_RequestOfATenantThatIsBeingMoved_WaitsAndGoesToItsNewCell(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.tenants["eu1"]
	b.directory.set(nil, entryOf(id, "eu1", true))
	require.NoError(t, b.Cells.directory.refreshed(t.Context()))
	answer := make(chan string, 1)
	go func() { answer <- b.send("GET", "/booking/"+id.String(), "").Body.String() }()
	require.Eventually(t, func() bool { return b.heldBack.Load() == 1 }, frozenWait, time.Millisecond)
	b.directory.set(nil, entryOf(id, "eu2", false))
	require.NoError(t, b.Cells.directory.refreshed(t.Context()))
	require.Equal(t, "eu2 /booking/"+id.String()+" ", <-answer)
}

func TestRouter_MoreRequestsAreHeldBackThanMay_AreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.tenants["eu1"]
	b.directory.set(nil, entryOf(id, "eu1", true))
	require.NoError(t, b.Cells.directory.refreshed(t.Context()))
	b.heldBack.Store(maxHeldBack)
	w := b.send("GET", "/booking/"+id.String(), "")
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Equal(t, "tenant_moving", codeOf(t, w))
	require.EqualValues(t, maxHeldBack, b.heldBack.Load(), "it is held back no more")
}

func TestRouter_Operator_NamesTheCell(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.send("GET", "/admin/v1/locks", "", Header, "eu2")
	require.Equal(t, "eu2 /admin/v1/locks ", w.Body.String())
	require.Equal(t, "eu2", w.Header().Get(Header))
	for what, w := range map[string]*httptest.ResponseRecorder{
		"no name":         b.send("GET", "/admin/v1/locks", ""),
		"an unknown name": b.send("GET", "/admin/v1/locks", "", Header, "eu9"),
		"two names":       b.send("GET", "/admin/v1/locks", "", Header, "eu1", Header, "eu2"),
	} {
		require.Equal(t, http.StatusBadRequest, w.Code, what)
		require.Equal(t, "cell_required", codeOf(t, w), what)
		require.Contains(t, w.Body.String(), "eu1, eu2, eu3", what)
	}
}

func TestRouter_NewTenants_AreSpreadByTheirIdempotencyKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	counts := map[string]int{}
	for range 3000 {
		key := uuid.NewString()
		name := b.Cells.cellOfNew(key)
		counts[name]++
		require.Equal(t, name, b.Cells.cellOfNew(key))
	}
	require.Len(t, counts, 3)
	for name, n := range counts {
		require.InDelta(t, 1000, n, 200, name)
	}
	w := b.send("POST", "/admin/v1/tenants", "{}", "Idempotency-Key", "k")
	require.Equal(t, b.Cells.cellOfNew("k"), w.Header().Get(Header))
}

func TestRouter_ListOverCells_GoesOnInTheNextCell(t *testing.T) {
	t.Parallel()
	b := setup(t)
	pages := map[string]string{"": `{"data":[1,2],"next_cursor":"abc"}`, "abc": `{"data":[3]}`}
	for _, name := range []string{"eu1", "eu2"} {
		b.Cells.byName[name].open.Store(&opened{api: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			require.Equal(t, "2", r.URL.Query().Get("limit"))
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, pages[r.URL.Query().Get("cursor")])
		})})
	}
	var seen []string
	target := "/admin/v1/tenants?limit=2"
	for range 4 {
		w := b.send("GET", target, "")
		require.Equal(t, http.StatusOK, w.Code)
		require.Equal(t, "application/json", w.Header().Get("Content-Type"))
		var list struct {
			Data       json.RawMessage
			NextCursor string `json:"next_cursor"`
		}
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &list))
		seen = append(seen, w.Header().Get(Header)+" "+string(list.Data))
		target = "/admin/v1/tenants?limit=2&cursor=" + list.NextCursor
	}
	require.Equal(t, []string{"eu1 [1,2]", "eu1 [3]", "eu2 [1,2]", "eu2 [3]"}, seen)
	w := b.send("GET", target, "")
	require.Equal(t, http.StatusServiceUnavailable, w.Code, "eu3 isn't open")
	for _, cursor := range []string{"x", "eu9.abc", ".abc"} {
		require.Equal(t, http.StatusUnprocessableEntity, b.send("GET", "/admin/v1/tenants?cursor="+cursor, "").Code)
	}
}

func TestRouter_OperatorsConsole_GoesToTheCellOfTheTenantOrTheOneThatIsNamed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	eu2 := b.tenants["eu2"].String()
	for target, want := range map[string]string{
		"/operator": "eu1", "/operator/sign-in": "eu1", "/operator/metrics": "eu1", "/operator/locks": "eu1",
		"/operator/locks?cell=eu2": "eu2", "/operator/tenants?cell=eu2": "eu2", "/operator/locks?cell=eu9": "eu1",
		"/operator/tenants/" + eu2: "eu2", "/operator/tenants/" + eu2 + "/money?cell=eu1": "eu2",
		"/operator/tenants?slug=slug-eu2&cell=eu1": "eu2",
		"/operator/tenants?slug=nobody&cell=eu2":   "eu2", "/operator/tenants/" + uuid.NewString(): "eu1",
		"/operator/tenants/x": "eu1",
	} {
		require.Equal(t, want+" "+target+" ", b.send("GET", target, "").Body.String())
	}
	for _, target := range []string{"/operator/locks?cell=eu3", "/operator/tenants/" + b.tenants["eu3"].String()} {
		w := b.send("GET", target, "")
		require.Equal(t, http.StatusServiceUnavailable, w.Code, "eu3 isn't open")
		require.Equal(t, "database_unavailable", codeOf(t, w))
	}
	require.Equal(t, http.StatusNotFound, b.send("GET", "/operators", "").Code, "the front answers it")
}
