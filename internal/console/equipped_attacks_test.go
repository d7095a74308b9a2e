package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/atom"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
	"holdfast/internal/user"
)

func TestAttack_TextsOfTheCatalogAndOfDevelopers_AreShownAsText(t *testing.T) {
	t.Parallel()
	e := equip(t, hostile)
	p := e.signedIn(t, "ada", user.RoleOwner)
	inline := regexp.MustCompile(`<script(?:>| [^>]*>[^<])|<[^>]*\son[a-z]+=|<[^>]*style=`)
	for _, path := range e.pages() {
		shown := e.at(t, p, path)
		require.Equal(t, http.StatusOK, shown.Status, "%s: %s", path, shown.Text())
		require.NotContains(t, shown.Raw, "<script>alert", path)
		require.NotContains(t, shown.Raw, "<img", path)
		require.NotRegexp(t, inline, strings.ReplaceAll(shown.Raw, "onerror", ""), path)
		require.Contains(t, shown.Header.Get("Content-Security-Policy"), "script-src 'self';", path)
	}
	for _, path := range []string{
		"/services/" + e.service, "/resources/" + e.resource, "/closures", "/blocks", "/api-keys",
		"/webhooks/" + e.endpoint,
		"/scheduled-events",
	} {
		require.Contains(t, e.at(t, p, path).Text(), hostile, path)
	}
	preview := e.at(t, p, "/email-preview").Form(t, "Show it").With("template", "booking.reminder").With("html",
		strings.ReplaceAll(hostile, "{{7*7}}", "")).Submit(t)
	require.Equal(t, http.StatusOK, preview.Status, preview.Text())
	require.NotContains(t, preview.Raw, "<script>alert")
}

func TestRoles_OwnersChangeTheCatalog_AndOthersLookAtIt(t *testing.T) {
	t.Parallel()
	e := equip(t, "Lisbon")
	owner, staff, reader := e.signedIn(t, "ada", user.RoleOwner), e.signedIn(t, "grace", user.RoleStaff),
		e.signedIn(t, "joan", user.RoleRead)
	for _, path := range e.pages() {
		require.Equal(t, http.StatusOK, e.at(t, owner, path).Status, path)
		first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		looks := !strings.HasSuffix(path, "/new") && !strings.Contains(path, "/new?") &&
			!strings.HasSuffix(path, "/change") &&
			!strings.HasSuffix(path, "/archive") && path != "/hours" && !strings.HasSuffix(path, "/hours")
		want := http.StatusForbidden
		if first, _, _ = strings.Cut(first, "?"); looks &&
			(first == "services" || first == "resources" || first == "closures" || first == "blocks") {
			want = http.StatusOK
		}
		for _, other := range []*pagetest.Page{staff, reader} {
			shown := e.at(t, other, path)
			require.Equal(t, want, shown.Status, path)
			for _, words := range []string{"Change", "Save", "Archive it", "Add"} {
				for _, n := range append(shown.All(atom.Button), shown.All(atom.A)...) {
					require.NotEqual(t, words, pagetest.Text(n), path)
				}
			}
		}
	}
	for _, path := range e.sent() {
		for _, other := range []*pagetest.Page{staff, reader} {
			answer := other.By.Send(t, http.MethodPost, e.url+"/console/harbour"+path, tokenOf(t, other))
			require.Equal(t, http.StatusForbidden, answer.Status, path)
		}
	}
	require.NotContains(t, pagetest.Text(staff.All(atom.Nav)[0]), "Developers")
}

// sent are the paths to which forms are sent.
func (e equipped) sent() []string {
	paths := []string{
		"/services/new", "/resources/new", "/hours", "/closures/new", "/blocks/new", "/settings",
		"/settings/logo/remove",
		"/email-preview", "/api-keys/new", "/webhooks/new",
	}
	return append(paths, e.sentToThings()...)
}

// sentToThings are those of e's own things.
func (e equipped) sentToThings() []string {
	var paths []string
	for path, below := range map[string][]string{
		"/services/" + e.service:    {"/change", "/archive", "/unarchive"},
		"/resources/" + e.resource:  {"/change", "/hours", "/archive", "/unarchive"},
		"/closures/" + e.closure:    {"", "/archive", "/unarchive"},
		"/blocks/" + e.block:        {"", "/archive", "/unarchive"},
		"/api-keys/" + e.apiKey:     {"", "/rotate", "/revoke"},
		"/webhooks/" + e.endpoint:   {"/change", "/ping", "/rotate", "/delete", "/replay"},
		"/deliveries/" + e.delivery: {"/replay"}, "/scheduled-events/" + e.event: {"/cancel", "/replay"},
	} {
		for _, b := range below {
			paths = append(paths, path+b)
		}
	}
	return paths
}

func TestAttack_FormsOfTheCatalogWithoutTheToken_AreRefused(t *testing.T) {
	t.Parallel()
	e := equip(t, "Lisbon")
	p := e.signedIn(t, "ada", user.RoleOwner)
	before := e.changes(t)
	for _, path := range e.sent() {
		form := tokenOf(t, p)
		form.Set("token", "another")
		require.Equal(t, http.StatusForbidden,
			p.By.Send(t, http.MethodPost, e.url+"/console/harbour"+path, form).Status, path)
	}
	require.Equal(t, before, e.changes(t))
}

// changes counts what forms could have changed.
func (e equipped) changes(t testing.TB) int {
	t.Helper()
	return e.count(t, `SELECT (SELECT coalesce(max(tenant_id::text), '') = '' FROM changes)::int + (SELECT count(*) FROM changes) +
		(SELECT sum(settings_version) FROM tenants) + (SELECT count(*) FROM api_keys) + (SELECT count(*) FROM webhook_endpoints) +
		(SELECT sum(version) FROM webhook_endpoints) + (SELECT sum(version) FROM scheduled_events WHERE subject_type = 'webhook_endpoint')`)
}

func TestAttack_ThingsOfTheCatalogOfAnotherTenant_AreNotThere(t *testing.T) {
	t.Parallel()
	e := equip(t, "Lisbon")
	key, id := e.addTenant(t, "island")
	eve := e.call(t, http.MethodPost, user.Path, key,
		object{"email": "eve@island.example", "name": "eve", "role": "owner"})["id"].(string)
	link, err := e.users.NewLink(t.Context(), tenantOf(id, "island"), uuid.MustParse(eve), user.LinkTime)
	require.NoError(t, err)
	foreign := pagetest.NewVisitor(t).Open(t, link).Press(t, "Sign in")
	before := e.changes(t)
	for _, path := range e.things() {
		require.Equal(t, http.StatusNotFound, foreign.By.Open(t, e.url+"/console/island"+path).Status, path)
	}
	for _, path := range e.sentToThings() {
		form := tokenOf(t, foreign)
		form.Set("version", "1")
		form.Set("overlap", "1")
		form.Set("from", "2027-01-01T10:00")
		answer := foreign.By.Send(t, http.MethodPost, e.url+"/console/island"+path, form)
		require.Equal(t, http.StatusNotFound, answer.Status, path)
	}
	for _, field := range []string{"resource_id", "resource_ids." + e.resource} {
		for _, path := range []string{"/services/new", "/closures/new", "/blocks/new"} {
			form := tokenOf(t, foreign)
			for name, value := range map[string]string{
				"kind": "date", "name": "Stolen", "price": "1", "from": "2027-01-01", "to": "2027-01-01",
				"occupies":  "units",
				"price_per": "booking",
				field:       e.resource, "resource_ids." + e.resource: "1",
			} {
				form.Set(name, value)
			}
			answer := foreign.By.Send(t, http.MethodPost, e.url+"/console/island"+path, form)
			if path == "/closures/new" && field != "resource_id" {
				require.Equal(t, http.StatusOK, answer.Status, "a closure of everything of the island's own")
				continue
			}
			require.GreaterOrEqual(t, answer.Status, http.StatusBadRequest, path)
			require.Less(t, answer.Status, http.StatusInternalServerError, path)
		}
	}
	require.Equal(t, before+1, e.changes(t))
}

// laterRow is the name of a field of a row after the first one, or of a day after Monday.
var laterRow = regexp.MustCompile(`\.[1-9][0-9]*\.|^week\.[^m]`)

// odd are values that no field is made for, or too large ones.
func odd() []string {
	return []string{
		"-1", "99999999999999999999", "1e3", `{"a":1}`, `[{"a":[[]]}]`, "null", "\u202e", "2027-02-30",
		"9999-12-31T23:59",
		strings.Repeat("ä", 3000),
	}
}

func TestAttack_OddValuesOfEachField_NeverFailTheServer(t *testing.T) {
	t.Parallel()
	e := equip(t, "Lisbon")
	p := e.signedIn(t, "ada", user.RoleOwner)
	for _, path := range []string{
		"/services/new?kind=slot", "/services/new?kind=date", "/services/new?kind=stay",
		"/services/" + e.service + "/change",
		"/services/" + e.stay + "/change", "/resources/new", "/resources/" + e.resource + "/change",
		"/resources/" + e.resource + "/hours",
		"/hours", "/closures/new", "/closures/" + e.closure, "/blocks/new", "/blocks/" + e.block, "/settings",
		"/email-preview",
		"/api-keys/new", "/api-keys/" + e.apiKey, "/webhooks/new", "/webhooks/" + e.endpoint + "/change",
		"/webhooks/" + e.endpoint + "/replay",
	} {
		page := e.at(t, p, path)
		form := page.FormOf(t, page.All(atom.Form)[1])
		require.Equal(t, http.MethodPost, form.Method, path)
		names := []string{"version"}
		for _, n := range append(append(page.All(atom.Input), page.All(atom.Select)...), page.All(atom.Textarea)...) {
			if name := pagetest.Attribute(n, "name"); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		for i, name := range names {
			if name == "" || name == "token" || laterRow.MatchString(name) {
				continue
			}
			for _, value := range testtime.Some(i, odd()...) {
				values := url.Values{}
				for n, v := range form.Values {
					values[n] = v
				}
				if name != "key" {
					values.Set("key", uuid.NewString())
				}
				values.Set(name, value)
				answer := p.By.Send(t, http.MethodPost, form.Action, values)
				require.Less(t, answer.Status, http.StatusInternalServerError, "%s: %s=%.100q: %.300s", path, name,
					value, answer.Text())
			}
		}
	}
}
