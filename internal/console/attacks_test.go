package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/atom"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/user"
)

// hostile is a text that would run a script on a page that showed it as it is.
const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'{{7*7}}`

// tokenOf returns what every form of the sign-in that shows a page has.
func tokenOf(t testing.TB, p *pagetest.Page) url.Values {
	t.Helper()
	for _, n := range p.All(atom.Input) {
		if pagetest.Attribute(n, "name") == "token" {
			return url.Values{"token": {pagetest.Attribute(n, "value")}, "key": {uuid.NewString()}}
		}
	}
	require.Fail(t, "no form has a token")
	return nil
}

func TestAttack_TextsOfPeople_AreShownAsText(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	service := s.tour(t, object{"name": hostile})
	s.call(t, http.MethodPatch, "/v1/tenant", s.key, object{"name": hostile})
	made := s.call(t, http.MethodPost, "/v1/bookings", s.key, object{
		"service_id": service, "starts_at": tourAt(t, 0, 10).Format(time.RFC3339), "reference": hostile,
		"customer": object{"name": hostile, "email": "grace@example.com", "phone": hostile[:40]},
	})
	s.call(t, http.MethodPost, user.Path, s.key,
		object{"email": "mallory@example.com", "name": hostile, "role": "owner"})
	p := s.signedIn(t, "ada", user.RoleOwner)
	id := "/bookings/" + made["id"].(string)
	for _, path := range []string{
		"", "/bookings?q=" + url.QueryEscape(hostile), id, id + "/move", id + "/end/cancel", "/book",
		"/book?service=" + service, "/users",
		"?done=" + url.QueryEscape(hostile), "/bookings?from=" + url.QueryEscape(hostile),
		"/bookings/" + url.PathEscape(hostile),
	} {
		shown := s.at(t, p, path)
		require.NotContains(t, shown.Raw, "<script>alert", path)
		require.NotContains(t, shown.Raw, "<img", path)
		require.Less(t, shown.Status, http.StatusInternalServerError, path)
	}
	require.Contains(t, s.at(t, p, id).Text(), hostile)
}

func TestAttack_NoInlineScript_NoFrame_AndNothingFromAnotherHost(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	made := s.book(t, s.tour(t, nil), tourAt(t, 0, 10))
	p := s.signedIn(t, "ada", user.RoleOwner)
	inline := regexp.MustCompile(`<script(?:>| [^>]*>[^<])|\son[a-z]+=|style=`)
	elsewhere := regexp.MustCompile(`(?:src|href|action)="(?:https?:)?//`)
	for _, path := range []string{"", "/bookings", "/bookings/" + made["id"].(string), "/book", "/users", "/sign-in",
		"/enter/x",
		"/nothing"} {
		shown := s.at(t, p, path)
		require.NotRegexp(t, inline, shown.Raw, path)
		if path == "/nothing" {
			continue // of the API
		}
		policy := shown.Header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'", path)
		require.Contains(t, policy, "script-src 'self';", path)
		require.Contains(t, policy, "frame-ancestors 'none';", path)
		require.NotContains(t, policy, "unsafe", path)
		require.Equal(t, "no-store", shown.Header.Get("Cache-Control"), path)
		require.Equal(t, "no-referrer", shown.Header.Get("Referrer-Policy"), path)
		require.NotRegexp(t, elsewhere, shown.Raw, path)
	}
}

func TestAttack_FormsOfOtherSitesAndOtherSignIns_ChangeNothing(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	made := s.book(t, s.tour(t, nil), tourAt(t, 0, 10))
	ada, eve := s.signedIn(t, "ada", user.RoleOwner), s.signedIn(t, "eve", user.RoleOwner)
	id := "/bookings/" + made["id"].(string)
	post := func(p *pagetest.Page, path string, form url.Values) int {
		return p.By.Send(t, http.MethodPost, s.url+"/console/harbour"+path, form).Status
	}
	paths := []string{
		"/sign-out", "/users", "/book", id + "/confirm", id + "/complete", id + "/new-link", id + "/end/cancel",
		id + "/move",
		id + "/refund/" + uuid.NewString(), "/users/" + uuid.NewString() + "/role",
		"/users/" + uuid.NewString() + "/remove",
	}
	for _, path := range paths {
		require.Equal(t, http.StatusForbidden, post(ada, path, url.Values{"version": {"1"}}), "without a token: %s",
			path)
		require.Equal(t, http.StatusForbidden, post(ada, path, tokenOf(t, eve)), "the token of another sign-in: %s",
			path)
	}
	foreign := tokenOf(t, ada)
	ada.By.Header.Set("Origin", "https://evil.example")
	ada.By.Header.Set("Sec-Fetch-Site", "cross-site")
	for _, path := range append(paths, "/sign-in", "/enter/x") {
		require.Equal(t, http.StatusForbidden, post(ada, path, foreign), "a page of another site: %s", path)
	}
	require.Equal(t, "confirmed", s.booking(t, made["id"])["status"])
	require.EqualValues(t, made["version"], s.booking(t, made["id"])["version"])
}

func TestAttack_BackElsewhere_IsNotFollowed(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	made := s.book(t, s.tour(t, nil), tourAt(t, 0, 10))
	p := s.signedIn(t, "ada", user.RoleOwner)
	id := made["id"].(string)
	for _, back := range []string{
		"https://evil.example/", "//evil.example/", `/\evil.example`, "/console/island/users",
		"/console/harbour/../island",
		"javascript:alert(1)",
		"/console/harbourx", "", "/console/harbour//evil.example\\", "\x00", "/console/harbour#x",
	} {
		form := tokenOf(t, p)
		form.Set("back", back)
		form.Set("version", "")
		client := *p.By.Client
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		other := &pagetest.Visitor{Client: &client, Header: p.By.Header}
		version := s.booking(t, id)["version"].(float64)
		form.Set("version", formatted(version))
		answer := other.Send(t, http.MethodPost, s.url+"/console/harbour/bookings/"+id+"/new-link", form)
		if back == "\x00" {
			require.Equal(t, http.StatusBadRequest, answer.Status)
			continue
		}
		require.Equal(t, http.StatusSeeOther, answer.Status, back)
		to, err := url.Parse(answer.Header.Get("Location"))
		require.NoError(t, err)
		require.Empty(t, to.Host, back)
		require.Equal(t, "/console/harbour/bookings/"+id, to.Path, back)
	}
}

func TestAttack_ThingsOfAnotherTenant_AreNotThere(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	made := s.book(t, s.tour(t, nil), tourAt(t, 0, 10))
	p := s.signedIn(t, "ada", user.RoleOwner)
	key, id := s.addTenant(t, "island")
	eve := s.call(t, http.MethodPost, user.Path, key,
		object{"email": "eve@island.example", "name": "eve", "role": "owner"})["id"].(string)
	link, err := s.users.NewLink(t.Context(), tenantOf(id, "island"), uuid.MustParse(eve), user.LinkTime)
	require.NoError(t, err)
	foreign := pagetest.NewVisitor(t).Open(t, link).Press(t, "Sign in")
	require.Equal(t, "/console/island", foreign.URL.Path)
	for _, below := range []string{"", "/move", "/end/cancel", "/refund/" + uuid.NewString()} {
		path := "/console/island/bookings/" + made["id"].(string) + below
		require.Equal(t, http.StatusNotFound, foreign.By.Open(t, s.url+path).Status, path)
	}
	form := tokenOf(t, foreign)
	form.Set("version", "1")
	for _, below := range []string{"/confirm", "/complete", "/new-link", "/end/cancel", "/move"} {
		path := "/console/island/bookings/" + made["id"].(string) + below
		require.Equal(t, http.StatusNotFound, foreign.By.Send(t, http.MethodPost, s.url+path, form).Status, path)
	}
	ada := s.text(t, "SELECT user_id::text FROM users WHERE name = 'ada'")
	require.Equal(t, http.StatusNotFound,
		foreign.By.Send(t, http.MethodPost, s.url+"/console/island/users/"+ada+"/remove", form).Status)
	require.Equal(t, http.StatusOK, s.at(t, p, "").Status)
}
