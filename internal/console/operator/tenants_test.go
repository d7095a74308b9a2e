package operator_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
	"holdfast/internal/user"
)

// secretIn returns the secret that a page shows once.
func secretIn(t testing.TB, p *pagetest.Page) string {
	t.Helper()
	for _, n := range p.All(atom.Input) {
		for _, a := range n.Attr {
			if a.Key == "readonly" {
				return pagetest.Attribute(n, "value")
			}
		}
	}
	require.Fail(t, "the page shows no secret", p.Text())
	return ""
}

// slugs returns the slugs that a list of tenants shows.
func slugs(p *pagetest.Page) (found []string) {
	for _, row := range p.All(atom.Td) {
		a := row.FirstChild
		if a != nil && a.DataAtom == atom.A && strings.HasPrefix(pagetest.Attribute(a, "href"), "/operator/tenants/") {
			found = append(found, pagetest.Text(row))
		}
	}
	return found
}

func TestTenants_AreListedByPages_AndFoundBySlugAndStatus(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := s.signedIn(t)
	require.Contains(t, p.Text(), "No tenant is like this.")
	var ids []uuid.UUID
	for i := range 52 {
		id, _ := s.addTenant(t, fmt.Sprintf("t%02d", i), "Tenant")
		ids = append(ids, id)
	}
	first := s.at(t, p, "/tenants")
	require.Len(t, slugs(first), 50)
	require.Equal(t, []string{"t50", "t51"}, slugs(first.Follow(t, "More")))
	require.Equal(t, []string{"t07"}, slugs(first.Form(t, "Find").With("slug", "t07").Submit(t)))
	require.Empty(t, slugs(first.Form(t, "Find").With("slug", "t7").Submit(t)))
	s.call(t, http.MethodPost, "/admin/v1/tenants/"+ids[3].String()+"/suspend", adminKey, object{})
	require.Equal(t, []string{"t03"}, slugs(first.Form(t, "Find").With("status", "suspended").Submit(t)))
}

func TestNewTenant_IsMadeOnce_AndItsKeyWorksAndIsShownOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	form := s.at(t, s.signedIn(t), "/new-tenant").Form(t, "Make the tenant").With("slug", "harbour").With("name",
		"Harbour Tours").
		With("time_zone", "Europe/Berlin").With("currency", "EUR")
	made := form.Submit(t)
	require.Equal(t, http.StatusOK, made.Status, made.Text())
	status, _ := s.call(t, http.MethodGet, "/v1/users", secretIn(t, made), nil)
	require.Equal(t, http.StatusOK, status)
	again := form.Submit(t)
	require.Equal(t, http.StatusOK, again.Status)
	require.Contains(t, again.Text(), "shown once")
	require.Equal(t, "Harbour Tours active", made.Follow(t, "I have copied it").Heading())
	taken := s.at(t, made, "/new-tenant").Form(t, "Make the tenant").With("slug", "harbour").With("name", "Other").
		With("time_zone", "UTC").With("currency", "EUR").Submit(t)
	require.Equal(t, http.StatusConflict, taken.Status)
	require.Equal(t, []string{"harbour"}, slugs(s.at(t, made, "/tenants")))
}

func TestSuspend_RefusesTheTenantsKeysUntilItIsResumed(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id, key := s.addTenant(t, "harbour", "Harbour Tours")
	p := s.at(t, s.signedIn(t), "/tenants/"+id.String())
	p = p.Form(t, "Suspend").With("reason", "Invoice 4711 is unpaid.").Submit(t)
	require.Contains(t, p.Text(), "The tenant is suspended.")
	require.Contains(t, p.Text(), "Invoice 4711 is unpaid.")
	status, answer := s.call(t, http.MethodGet, "/v1/users", key, nil)
	require.Equal(t, http.StatusForbidden, status)
	require.Equal(t, "tenant_suspended", answer["code"])
	p = p.Form(t, "Save the reason").With("reason", "Invoice 4712, too.").Submit(t)
	require.Contains(t, p.Text(), "Invoice 4712, too.")
	p = p.Press(t, "Resume")
	require.Equal(t, "active", s.status(t, id))
	require.Contains(t, p.Text(), "API keys work again")
	status, _ = s.call(t, http.MethodGet, "/v1/users", key, nil)
	require.Equal(t, http.StatusOK, status)
}

func TestCorrect_ChangesTheTenantInTheVersionThatWasSeen(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id, _ := s.addTenant(t, "harbour", "Harbour Tours")
	seen := s.at(t, s.signedIn(t), "/tenants/"+id.String())
	p := seen.Form(t, "Save").With("slug", "port").With("name", "Port Tours").Submit(t)
	require.Equal(t, "Port Tours active", p.Heading())
	require.Equal(t, http.StatusPreconditionFailed, seen.Form(t, "Save").With("name", "Another").Submit(t).Status)
	require.Equal(t, http.StatusConflict, p.Form(t, "Save").With("currency", "USD").Submit(t).Status,
		"only while it is suspended")
	require.Equal(t, []string{"port"}, slugs(s.at(t, p, "/tenants")))
}

func TestAPIKeys_AreIssuedWithScopesAndRevoked(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id, _ := s.addTenant(t, "harbour", "Harbour Tours")
	keys := "/tenants/" + id.String() + "/api-keys"
	p := s.at(t, s.signedIn(t), keys)
	form := tokenOf(t, p)
	form["scopes"], form["name"] = []string{"admin", "read"}, []string{"Till"}
	made := s.post(t, p, keys, form)
	require.Equal(t, http.StatusOK, made.Status, made.Text())
	status, _ := s.call(t, http.MethodGet, "/v1/users", secretIn(t, made), nil)
	require.Equal(t, http.StatusOK, status)
	p = s.at(t, p, keys)
	require.Contains(t, p.Text(), "Till read, admin")
	require.Equal(t, http.StatusOK, p.Press(t, "Revoke Till").Status)
	status, _ = s.call(t, http.MethodGet, "/v1/users", secretIn(t, made), nil)
	require.Equal(t, http.StatusUnauthorized, status)
	delete(form, "scopes")
	require.Equal(t, http.StatusUnprocessableEntity, s.post(t, p, keys, form).Status)
}

func TestUsers_AreInvited_AndALinkSignsThemIn(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id, key := s.addTenant(t, "harbour", "Harbour Tours")
	users := "/tenants/" + id.String() + "/users"
	p := s.at(t, s.signedIn(t), users).Form(t, "Invite").With("name", "Grace").With("email", "grace@harbour.example").
		With("role", "owner").Submit(t)
	require.Contains(t, p.Text(), "Grace owner grace@harbour.example")
	link := secretIn(t, p.Press(t, "Make a link for Grace"))
	entered := pagetest.NewVisitor(t).Open(t, link).Press(t, "Sign in")
	require.Equal(t, http.StatusOK, entered.By.Open(t, s.url+"/console/harbour/users").Status)
	require.Equal(t, http.StatusNotFound, pagetest.NewVisitor(t).Open(t, link).Status, "it works once")
	_, list := s.call(t, http.MethodGet, user.Path, key, nil)
	require.Len(t, list["data"], 1)

	s.call(t, http.MethodPost, "/admin/v1/tenants/"+id.String()+"/suspend", adminKey, object{})
	refused := s.at(t, p, users).Press(t, "Make a link for Grace")
	require.Equal(t, http.StatusConflict, refused.Status)
	require.Contains(t, refused.Text(), "suspended")
}

func TestMoney_ShowsAndSetsTheFee_AndReconcilesDates(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id, _ := s.addTenant(t, "harbour", "Harbour Tours")
	money := "/tenants/" + id.String() + "/money"
	p := s.at(t, s.signedIn(t), money)
	require.Contains(t, p.Text(), "the platform’s account")
	seen := p
	p = p.Form(t, "Save").With("fee", "150").Submit(t)
	require.Equal(t, http.StatusOK, p.Status, p.Text())
	require.Equal(t, "150", p.Form(t, "Save").Values.Get("fee"))
	require.Equal(t, http.StatusPreconditionFailed, seen.Form(t, "Save").With("fee", "200").Submit(t).Status)
	for _, fee := range []string{"", "x", "10001", "-1", "1.5"} {
		require.Equal(t, http.StatusUnprocessableEntity, p.Form(t, "Save").With("fee", fee).Submit(t).Status, fee)
	}
	require.Equal(t, http.StatusUnprocessableEntity, p.Form(t, "Save").With("account", "acct_unknown").Submit(t).Status)
	today := testtime.Date(0).String()
	p = p.Form(t, "Compare").With("from", today).With("to", today).Submit(t)
	require.Contains(t, p.Text(), "No differences. 0 payments and refunds")
	for _, days := range []url.Values{
		{"from": {today}}, {"from": {"x"}, "to": {today}}, {"from": {today}, "to": {"1999-01-01"}},
		{"from": {"2027-01-01"}, "to": {"2027-12-31"}},
	} {
		require.Equal(t, http.StatusUnprocessableEntity, s.at(t, p, money+"?"+days.Encode()).Status, days)
	}
}

func TestDelete_TakesASuspendedAndExportedTenant_AndItsSlug(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id, _ := s.addTenant(t, "harbour", "Harbour Tours")
	below := "/tenants/" + id.String()
	p := s.at(t, s.signedIn(t), below+"/end")
	exported := s.at(t, p, below+"/export")
	require.Equal(t, "application/x-ndjson", exported.Header.Get("Content-Type"))
	require.Contains(t, exported.Header.Get("Content-Disposition"), "attachment")
	refused := p.Form(t, "Delete").With("export_id", exportID(t, exported.Raw)).With("slug", "harbour").Submit(t)
	require.Equal(t, http.StatusConflict, refused.Status)
	require.Contains(t, refused.Text(), "Suspend it first.")

	s.at(t, p, below).Press(t, "Suspend")
	s.exec(t, "UPDATE tenants SET status_since = $2 WHERE tenant_id = $1", id, testtime.Now().Add(-time.Hour))
	export := exportID(t, s.at(t, p, below+"/export").Raw)
	for _, wrong := range []url.Values{
		{"export_id": {export}, "slug": {"island"}}, {"export_id": {export}}, {"slug": {"harbour"}},
		{"export_id": {"x"}, "slug": {"harbour"}},
	} {
		form := tokenOf(t, p)
		for name, value := range wrong {
			form[name] = value
		}
		require.Equal(t, http.StatusUnprocessableEntity, s.post(t, p, below+"/end", form).Status, wrong)
	}
	require.Equal(t, "suspended", s.status(t, id))
	p = p.Form(t, "Delete").With("export_id", export).With("slug", "harbour").Submit(t)
	require.Contains(t, p.Text(), "The tenant is being deleted, in the background.")
	require.Equal(t, "deleting", s.status(t, id))
	for _, page := range []string{"", "/api-keys", "/users", "/money", "/end"} {
		require.Equal(t, http.StatusOK, s.at(t, p, below+page).Status, page)
	}
}

// exportID returns the id that the last line of an export tells.
func exportID(t testing.TB, export string) string {
	t.Helper()
	var last string
	lines := bufio.NewScanner(strings.NewReader(html.UnescapeString(export)))
	for lines.Scan() {
		last = lines.Text()
	}
	var end struct {
		ExportID string `json:"export_id"`
	}
	require.NoError(t, json.Unmarshal([]byte(last), &end), last)
	require.NotEmpty(t, end.ExportID)
	return end.ExportID
}
