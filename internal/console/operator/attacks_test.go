package operator_test

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
	"holdfast/internal/user"
)

// pagesOf returns the paths of all pages, with those of a tenant.
func pagesOf(tenant uuid.UUID) []string {
	below := "/tenants/" + tenant.String()
	return []string{
		"/tenants", "/new-tenant", "/locks", "/metrics", below, below + "/api-keys", below + "/users", below + "/money",
		below + "/end",
	}
}

// formsOf returns the paths of all forms, with those of a tenant.
func formsOf(tenant uuid.UUID) []string {
	below := "/tenants/" + tenant.String()
	return []string{
		"/new-tenant", "/sign-out", below + "/correct", below + "/suspend", below + "/resume", below + "/api-keys",
		below + "/api-keys/" + uuid.NewString() + "/revoke", below + "/users",
		below + "/users/" + uuid.NewString() + "/link",
		below + "/money/account", below + "/end",
	}
}

func TestAttack_TextsOfTenants_AreShownAsText(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id, key := s.addTenant(t, "harbour", hostile)
	s.call(t, http.MethodPost, user.Path, key, object{"email": "mallory@example.com", "name": hostile, "role": "owner"})
	s.call(t, http.MethodPost, "/v1/api-keys", key, object{"name": hostile, "scopes": []string{"read"}})
	s.call(t, http.MethodPost, "/admin/v1/tenants/"+id.String()+"/suspend", adminKey, object{"reason": hostile})
	s.sampler.Sample(testNow())
	p := s.signedIn(t)
	paths := append(pagesOf(id), "/tenants?slug="+url.QueryEscape(hostile), "/tenants?status="+url.QueryEscape(hostile),
		"/tenants?done="+url.QueryEscape(hostile), "/tenants/"+url.PathEscape(hostile),
		"/tenants?after="+url.QueryEscape(hostile),
		"/tenants/"+id.String()+"/money?from="+url.QueryEscape(hostile), "/locks?cell="+url.QueryEscape(hostile))
	for _, path := range paths {
		shown := s.at(t, p, path)
		require.NotContains(t, shown.Raw, "<script>alert", path)
		require.NotContains(t, shown.Raw, "<img", path)
		require.Less(t, shown.Status, http.StatusInternalServerError, path)
	}
	require.Contains(t, s.at(t, p, "/tenants/"+id.String()).Text(), hostile)
	require.Contains(t, s.at(t, p, "/tenants/"+id.String()+"/users").Text(), hostile)
	require.Contains(t, s.at(t, p, "/tenants/"+id.String()+"/api-keys").Text(), hostile)
}

func TestAttack_NoInlineScript_NoFrame_AndNothingFromAnotherHost(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id, _ := s.addTenant(t, "harbour", "Harbour Tours")
	s.sampler.Sample(testNow())
	p := s.signedIn(t)
	inline := regexp.MustCompile(`<script(?:>| [^>]*>[^<])|\son[a-z]+=|style=`)
	elsewhere := regexp.MustCompile(`(?:src|href|action)="(?:https?:)?//`)
	for _, path := range append(pagesOf(id), "/sign-in", "/tenants/nothing") {
		shown := s.at(t, p, path)
		require.NotRegexp(t, inline, shown.Raw, path)
		require.NotRegexp(t, elsewhere, shown.Raw, path)
		require.NotContains(t, shown.Raw, adminKey, path)
		policy := shown.Header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'", path)
		require.Contains(t, policy, "script-src 'self';", path)
		require.Contains(t, policy, "frame-ancestors 'none';", path)
		require.NotContains(t, policy, "unsafe", path)
		require.Equal(t, "no-store", shown.Header.Get("Cache-Control"), path)
		require.Equal(t, "no-referrer", shown.Header.Get("Referrer-Policy"), path)
	}
}

func TestAttack_WithoutASignIn_NoPageAndNoFormOpens(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id, _ := s.addTenant(t, "harbour", "Harbour Tours")
	p := pagetest.NewVisitor(t).Open(t, s.url+"/operator")
	for _, path := range append(pagesOf(id), "/tenants/"+id.String()+"/export", "") {
		shown := s.at(t, p, path)
		require.Equal(t, "/operator/sign-in", shown.URL.Path, path)
		require.NotContains(t, shown.Raw, "harbour", path)
	}
	for _, path := range formsOf(id) {
		require.Equal(t, http.StatusUnauthorized,
			s.post(t, p, path, url.Values{"key": {"k"}, "slug": {"harbour"}}).Status, path)
	}
	require.Equal(t, "active", s.status(t, id))
}

func TestAttack_FormsOfOtherSitesAndOtherSignIns_ChangeNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id, _ := s.addTenant(t, "harbour", "Harbour Tours")
	below := "/tenants/" + id.String()
	ada, eve := s.at(t, s.signedIn(t), below), s.at(t, s.signedIn(t), below)
	for _, path := range formsOf(id) {
		require.Equal(t, http.StatusForbidden, s.post(t, ada, path, url.Values{"version": {"1"}}).Status,
			"without a token: %s", path)
		require.Equal(t, http.StatusForbidden, s.post(t, ada, path, tokenOf(t, eve)).Status,
			"the token of another sign-in: %s", path)
	}
	foreign := tokenOf(t, ada)
	ada.By.Header.Set("Origin", "https://evil.example")
	ada.By.Header.Set("Sec-Fetch-Site", "cross-site")
	for _, path := range append(formsOf(id), "/sign-in") {
		require.Equal(t, http.StatusForbidden, s.post(t, ada, path, foreign).Status, "a page of another site: %s", path)
	}
	require.Equal(t, "active", s.status(t, id))
}

func TestAttack_HostileValuesInEachField_AreRefusedAndNeverAnError(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id, _ := s.addTenant(t, "harbour", "Harbour Tours")
	p := s.at(t, s.signedIn(t), "/tenants/"+id.String())
	good := url.Values{
		"slug": {"island"}, "name": {"Island"}, "time_zone": {"UTC"}, "currency": {"EUR"}, "reason": {"x"},
		"scopes": {"read"},
		"email":  {"a@example.com"}, "role": {"owner"}, "account": {"acct_1"}, "fee": {"1"},
		"export_id": {uuid.NewString()},
		"version":   {"1"},
	}
	values := []string{
		"", " ", hostile, strings.Repeat("x", 60_000), "\u202e", "a\nb", "\ufeff", "-1", "9223372036854775808", "1e9",
		"null", "[]", "{}",
		"../../etc/passwd", "'; DROP TABLE tenants; --", "deleted-" + uuid.NewString(), "%00", "١٢٣", "🦭",
	}
	for _, path := range formsOf(id) {
		if path == "/sign-out" {
			continue
		}
		for i, field := range slices.Sorted(maps.Keys(good)) {
			for _, value := range testtime.Some(i+len(path), values...) {
				form := tokenOf(t, p)
				for name, fine := range good {
					form[name] = fine
				}
				form[field] = []string{value}
				if path == "/new-tenant" && field != "slug" {
					form.Set("slug", "t"+uuid.NewString()[:8])
				}
				if path == "/tenants/"+id.String()+"/suspend" && field != "reason" {
					continue // it has no other field
				}
				shown := s.post(t, p, path, form)
				require.Less(t, shown.Status, http.StatusInternalServerError, "%s %s=%.40q: %s", path, field, value,
					shown.Text())
			}
		}
		for _, form := range []url.Values{nil, {}, {"token": tokenOf(t, p)["token"]}, {"token": {"\x00"}},
			{"\xff": {"\xff"}}} {
			status := s.post(t, p, path, form).Status
			require.True(t, status >= 400 && status < 500, "%s %v: %d", path, form, status)
		}
	}
	require.NotEqual(t, "deleting", s.status(t, id))
}
