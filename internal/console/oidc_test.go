package console_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/console"
	"holdfast/internal/pages/pagetest"
	"holdfast/internal/user"
)

// providerDir is where the provider's program is, for all tests; TestMain deletes it.
var providerDir string

// providerProgram builds the provider once, for all tests.
var providerProgram = sync.OnceValues(func() (string, error) {
	var err error
	if providerDir, err = os.MkdirTemp("", "holdfast-oidc-"); err != nil {
		return "", err
	}
	program := filepath.Join(providerDir, "oidc-provider")
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute) // it is compiled the first time
	defer cancel()
	build := exec.CommandContext(ctx, "go", "build", "-o", program, ".")
	build.Dir = filepath.Join("..", "..", "tools", "oidc-provider")
	build.Env = append(os.Environ(), "GOFLAGS=-trimpath")
	build.Stderr = os.Stderr
	return program, build.Run()
})

// newProvider starts an OpenID Connect provider until the test ends, whose users come back to a server, and returns its
// issuer. Everybody's password is "secret".
func newProvider(t testing.TB, callback string, people map[string]bool) (issuer string) {
	t.Helper()
	program, err := providerProgram()
	require.NoError(t, err)
	users := object{}
	for address, confirmed := range people {
		users[address] = object{
			"ID": address, "Username": address, "Password": "secret", "Email": address, "EmailVerified": confirmed,
			"FirstName": "A",
			"LastName":  "B", "PreferredLanguage": "en",
		}
	}
	encoded, err := json.Marshal(users)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "users.json")
	require.NoError(t, os.WriteFile(file, encoded, 0o600))
	run := exec.Command(program, file, callback)
	run.Stderr = os.Stderr
	input, err := run.StdinPipe()
	require.NoError(t, err)
	output, err := run.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, run.Start())
	t.Cleanup(func() {
		require.NoError(t, input.Close())
		require.NoError(t, run.Wait())
	})
	line, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(line)
}

// withProvider is newBusiness with a provider.
func withProvider(t testing.TB, people map[string]bool) *business {
	t.Helper()
	return newBusinessWith(t, func(url string) console.OIDC {
		return console.OIDC{Issuer: newProvider(t, url+console.CallbackPath, people), ClientID: "web",
			ClientSecret: "secret"}
	})
}

// signInAt goes to the provider, and signs in there.
func signInAt(t testing.TB, s *business, v *pagetest.Visitor, who string) *pagetest.Page {
	t.Helper()
	login := v.Open(t, s.url+"/console/harbour/sign-in").Follow(t, "Sign in with your organisation")
	require.Contains(t, login.URL.Path, "/login/username", "the provider's page")
	return login.Form(t, "Login").With("username", who).With("password", "secret").Submit(t)
}

func TestOIDC_UserWhoSignsInAtTheProvider_IsSignedIn(t *testing.T) {
	t.Parallel()
	s := withProvider(t, map[string]bool{"ada@harbour.example": true})
	s.user(t, "ada", user.RoleOwner)
	v := pagetest.NewVisitor(t)
	p := signInAt(t, s, v, "ada@harbour.example")
	require.Equal(t, http.StatusOK, p.Status, p.Text())
	require.Equal(t, "/console/harbour", p.URL.Path)
	require.Contains(t, p.Text(), "ada")
	require.Equal(t, http.StatusOK, s.at(t, p, "/users").Status)
}

func TestOIDC_WhoIsNoUser_OrHasNotConfirmedTheEmail_IsRefused(t *testing.T) {
	t.Parallel()
	s := withProvider(t, map[string]bool{"ada@harbour.example": false, "mallory@example.com": true})
	s.user(t, "ada", user.RoleOwner)
	for who, why := range map[string]string{"ada@harbour.example": "confirmed your email",
		"mallory@example.com": "No user of this business"} {
		p := signInAt(t, s, pagetest.NewVisitor(t), who)
		require.Equal(t, http.StatusForbidden, p.Status, who)
		require.Contains(t, p.Text(), why)
	}
	require.Equal(t, 0, s.count(t, "SELECT count(*) FROM sign_ins"))
}

func TestOIDC_WayBackOfAnotherBrowser_IsRefused(t *testing.T) {
	t.Parallel()
	s := withProvider(t, map[string]bool{"ada@harbour.example": true})
	s.user(t, "ada", user.RoleOwner)
	// The thief stops on the way back, and has the victim follow it.
	thief := pagetest.NewVisitor(t)
	var back string
	thief.Client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == console.CallbackPath {
			back = r.URL.String()
			return http.ErrUseLastResponse
		}
		return nil
	}
	signInAt(t, s, thief, "ada@harbour.example")
	require.NotEmpty(t, back)
	victim := pagetest.NewVisitor(t)
	require.Equal(t, http.StatusForbidden, victim.Open(t, back).Status)
	victim.Open(t, s.url+"/console/harbour/oidc") // has begun a way of its own
	require.Equal(t, http.StatusForbidden, victim.Open(t, back).Status)
	require.Equal(t, 0, s.count(t, "SELECT count(*) FROM sign_ins"))

	for _, query := range []string{"", "?state=harbour.x&code=y", "?state=&code=y", "?code=y",
		"?error=access_denied&state=harbour.x",
		"?state=" + url.QueryEscape(hostile)} {
		p := victim.Open(t, s.url+console.CallbackPath+query)
		require.Equal(t, http.StatusForbidden, p.Status, query)
		require.NotContains(t, p.Raw, "<script>alert", query)
	}
}

func TestOIDC_CookieThatIsNoText_IsRefused(t *testing.T) {
	t.Parallel()
	s := newBusinessWith(t, func(string) console.OIDC {
		return console.OIDC{Issuer: "http://127.0.0.1:1/", ClientID: "web", ClientSecret: "secret"}
	})
	for _, state := range []string{"\x00.x", "harbour\x00.x", "\xff.x"} {
		kept, err := json.Marshal(map[string]string{"State": state, "Nonce": "n", "Verifier": "v"})
		require.NoError(t, err)
		v := pagetest.NewVisitor(t)
		v.Header.Set("Cookie", "holdfast_oidc="+base64.RawURLEncoding.EncodeToString(kept))
		p := v.Open(t, s.url+console.CallbackPath+"?code=y&state="+url.QueryEscape(state))
		require.Equal(t, http.StatusBadRequest, p.Status, "%q: %s", state, p.Text())
	}
}

func TestOIDC_ProviderIsAway_IsSaidAndEndsNothing(t *testing.T) {
	t.Parallel()
	s := newBusinessWith(t, func(string) console.OIDC {
		return console.OIDC{Issuer: "http://127.0.0.1:1/", ClientID: "web", ClientSecret: "secret"}
	})
	p := pagetest.NewVisitor(t).Open(t, s.url+"/console/harbour/oidc")
	require.Equal(t, http.StatusServiceUnavailable, p.Status)
	require.Contains(t, p.Text(), "provider")
	require.Equal(t, http.StatusOK, pagetest.NewVisitor(t).Open(t, s.url+"/console/harbour/sign-in").Status)
}
