package operator_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/pages/pagetest"
	"holdfast/internal/user"
)

func TestSignIn_WithTheAdminKey_OpensTheConsoleByACookieThatIsNotTheKey(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	v := pagetest.NewVisitor(t)
	require.Equal(t, "/operator/sign-in", v.Open(t, s.url+"/operator/tenants").URL.Path)
	v.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	p := s.signIn(t, v, " "+adminKey+"\n")
	require.Equal(t, http.StatusSeeOther, p.Status)
	cookie := p.Header.Get("Set-Cookie")
	require.Contains(t, cookie, "Path=/operator;")
	require.Contains(t, cookie, "HttpOnly")
	require.Contains(t, cookie, "SameSite=Strict")
	require.Contains(t, cookie, "Max-Age=28800")
	require.NotContains(t, cookie, adminKey)
	require.NotContains(t, p.Raw, adminKey)
	v.Client.CheckRedirect = nil
	require.Equal(t, "Tenants", v.Open(t, s.url+"/operator").Heading())
	require.Contains(t, v.Open(t, s.url+"/operator").Text(), "Ada, support")
}

func TestSignIn_WithAnotherKeyOrWithoutAName_IsRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	_, apiKey := s.addTenant(t, "harbour", "Harbour Tours")
	for _, key := range []string{"", "x", adminKey + "x", adminKey[1:], apiKey, strings.Repeat("x", 10_000)} {
		v := pagetest.NewVisitor(t)
		p := s.signIn(t, v, key)
		require.Equal(t, http.StatusForbidden, p.Status, key)
		require.Equal(t, http.MethodGet, p.Method, "the browser can come back to it")
		require.Contains(t, p.Text(), "This isn't the server's admin key.")
		require.Equal(t, "Ada, support", p.Form(t, "Sign in").Values.Get("name"), "what was typed stays")
		require.Empty(t, p.Form(t, "Sign in").Values.Get("admin_key"))
		require.Len(t, v.Client.Jar.Cookies(p.URL), 1, "nobody is signed in")
		require.Equal(t, "/operator/sign-in", v.Open(t, s.url+"/operator/locks").URL.Path)
		signedIn := p.Form(t, "Sign in").With("admin_key", adminKey).Submit(t)
		require.Equal(t, "Tenants", signedIn.Heading())
		require.NotEmpty(t, cookieOf(t, signedIn, "holdfast_operator"))
		for _, c := range v.Client.Jar.Cookies(p.URL) {
			require.NotEqual(t, "holdfast_refused", c.Name, "what is done isn't kept")
		}
	}
	for _, name := range []string{"", "  ", "Zoë", "a\nb", strings.Repeat("x", 101)} {
		form := pagetest.NewVisitor(t).Open(t, s.url+"/operator/sign-in").Form(t, "Sign in")
		p := form.With("admin_key", adminKey).With("name", name).Submit(t)
		require.Equal(t, http.StatusUnprocessableEntity, p.Status, name)
		require.Contains(t, p.Text(), "Your name")
		require.NotContains(t, p.Raw, adminKey)
		cookies := p.By.Client.Jar.Cookies(p.URL)
		require.Len(t, cookies, 1)
		require.Equal(t, "holdfast_refused", cookies[0].Name)
	}
}

func TestSignIn_AfterTenWrongKeys_AnAddressIsToldToWait(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	v := pagetest.NewVisitor(t)
	for range 20 { // right ones don't count
		require.Equal(t, http.StatusOK, s.signIn(t, pagetest.NewVisitor(t), adminKey).Status)
	}
	for range 10 {
		require.Equal(t, http.StatusForbidden, s.signIn(t, v, "wrong").Status)
	}
	for _, key := range []string{"wrong", adminKey} {
		p := s.signIn(t, v, key)
		require.Equal(t, http.StatusTooManyRequests, p.Status)
		require.NotEmpty(t, p.Header.Get("Retry-After"))
	}
}

// cookies returns a jar in which one cookie stands.
func cookies(t testing.TB, s *server, name, value string) *cookiejar.Jar {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	at, err := url.Parse(s.url + "/operator")
	require.NoError(t, err)
	jar.SetCookies(at, []*http.Cookie{{Name: name, Value: value, Path: "/"}})
	return jar
}

// cookieOf returns the secret of the browser that shows a page.
func cookieOf(t testing.TB, p *pagetest.Page, name string) string {
	t.Helper()
	for _, c := range p.By.Client.Jar.Cookies(p.URL) {
		if c.Name == name {
			return c.Value
		}
	}
	require.Fail(t, "the browser has no secret")
	return ""
}

func TestSignIn_IsKnownToOtherServersWithTheSameKey_AndEndsWithTheKey(t *testing.T) {
	t.Parallel()
	database := dbtest.Database(t)
	first := newServerWith(t, database, adminKey)
	held := cookieOf(t, first.signedIn(t), "holdfast_operator")
	for key, want := range map[string]string{adminKey: "/operator/locks", "another-key": "/operator/sign-in",
		"": "/operator/sign-in"} {
		s := newServerWith(t, database, key)
		v := pagetest.NewVisitor(t)
		v.Client.Jar = cookies(t, s, "holdfast_operator", held)
		require.Equal(t, want, v.Open(t, s.url+"/operator/locks").URL.Path, key)
	}
	closed := newServerWith(t, database, "")
	require.Equal(t, http.StatusForbidden, closed.signIn(t, pagetest.NewVisitor(t), "").Status)
}

func TestSignIn_GuessedAndChangedSecrets_OpenNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	held := cookieOf(t, s.signedIn(t), "holdfast_operator")
	for i := range held {
		other := byte('A')
		if held[i] == other {
			other = 'B'
		}
		v := pagetest.NewVisitor(t)
		v.Client.Jar = cookies(t, s, "holdfast_operator", held[:i]+string(other)+held[i+1:])
		require.Equal(t, "/operator/sign-in", v.Open(t, s.url+"/operator/locks").URL.Path, i)
	}
	for _, value := range []string{adminKey, "x", held[:20], held + held, strings.Repeat("A", 5000),
		strings.Repeat("A", 76)} {
		v := pagetest.NewVisitor(t)
		v.Client.Jar = cookies(t, s, "holdfast_operator", value)
		require.Equal(t, "/operator/sign-in", v.Open(t, s.url+"/operator/locks").URL.Path, value)
	}
}

func TestSignOut_TakesTheSecretFromTheBrowser(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := s.signedIn(t).Press(t, "Sign out")
	require.Contains(t, p.Text(), "You are signed out.")
	require.Equal(t, "/operator/sign-in", s.at(t, p, "/locks").URL.Path)
}

func TestSignIn_OfATenantsUser_OpensNoPageOfTheOperator_NorTheReverse(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id, apiKey := s.addTenant(t, "harbour", "Harbour Tours")
	_, ada := s.call(t, http.MethodPost, user.Path, apiKey,
		object{"email": "ada@harbour.example", "name": "ada", "role": "owner"})
	operators := s.signedIn(t)
	made := s.at(t, operators, "/tenants/"+id.String()+"/users").Press(t, "Make a link for ada")
	owner := pagetest.NewVisitor(t).Open(t, secretIn(t, made)).Press(t, "Sign in")
	require.NotEmpty(t, ada["id"])
	users := owner.By.Open(t, s.url+"/console/harbour/users")
	require.Equal(t, http.StatusOK, users.Status)
	held := cookieOf(t, users, "holdfast_console")
	for _, name := range []string{"holdfast_operator", "holdfast_console"} {
		v := pagetest.NewVisitor(t)
		v.Client.Jar = cookies(t, s, name, held)
		require.Equal(t, "/operator/sign-in", v.Open(t, s.url+"/operator/tenants").URL.Path, name)
		v.Client.Jar = cookies(t, s, name, cookieOf(t, operators, "holdfast_operator"))
		want := "/operator/tenants"
		if name == "holdfast_console" {
			want = "/operator/sign-in"
		}
		require.Equal(t, want, v.Open(t, s.url+"/operator/tenants").URL.Path, name)
		require.Equal(t, "/console/harbour/sign-in", v.Open(t, s.url+"/console/harbour/users").URL.Path, name)
	}
	for _, c := range operators.By.Client.Jar.Cookies(users.URL) {
		require.NotEqual(t, "holdfast_operator", c.Name, "the operator's cookie goes to /operator alone")
	}
}
