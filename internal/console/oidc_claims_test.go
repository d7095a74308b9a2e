package console_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/console"
	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
	"holdfast/internal/user"
)

// claimsProvider is an OpenID Connect provider that says what a test has it say, and signs everybody in without asking.
type claimsProvider struct {
	url string
	key *rsa.PrivateKey
	// claims are those of the next ID token besides the ones that each has, userInfo those of the next answer about the
	// user.
	claims, userInfo object
	nonce            string
}

// newClaimsProvider starts a provider until the test ends.
func newClaimsProvider(t testing.TB) *claimsProvider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	p := &claimsProvider{key: key}
	mux := http.NewServeMux()
	answer := func(path string, of func() object) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(of())
		})
	}
	answer("/.well-known/openid-configuration", func() object {
		return object{
			"issuer": p.url, "authorization_endpoint": p.url + "/authorize", "token_endpoint": p.url + "/token",
			"userinfo_endpoint": p.url + "/userinfo", "jwks_uri": p.url + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256"},
		}
	})
	answer("/keys", func() object {
		return object{"keys": []object{{
			"kty": "RSA", "alg": "RS256", "use": "sig", "n": base64.RawURLEncoding.EncodeToString(key.N.Bytes()),
			"e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(key.E)).Bytes()),
		}}}
	})
	answer("/token", func() object {
		return object{"access_token": "a", "token_type": "Bearer",
			"id_token": p.idToken(t)}
	})
	answer("/userinfo", func() object { return p.userInfo })
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		p.nonce = query.Get("nonce")
		http.Redirect(w, r, query.Get("redirect_uri")+"?code=x&state="+query.Get("state"), http.StatusFound)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// idToken returns a signed ID token (RFC 7515, RFC 7519).
func (p *claimsProvider) idToken(t testing.TB) string {
	t.Helper()
	now := testtime.Now()
	claims := object{"iss": p.url, "aud": "web", "sub": "1", "nonce": p.nonce, "iat": now.Unix(),
		"exp": now.Add(time.Hour).Unix()}
	maps.Copy(claims, p.claims)
	encoded, err := json.Marshal(claims)
	require.NoError(t, err)
	signed := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256"}`)) + "." +
		base64.RawURLEncoding.EncodeToString(encoded)
	sum := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(nil, p.key, crypto.SHA256, sum[:])
	require.NoError(t, err)
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// withClaims is newBusiness with a provider that says what the test has it say.
func withClaims(t testing.TB, trustEmail bool) (*business, *claimsProvider) {
	t.Helper()
	p := newClaimsProvider(t)
	s := newBusinessWith(t, func(string) console.OIDC {
		return console.OIDC{Issuer: p.url, ClientID: "web", ClientSecret: "secret", TrustEmail: trustEmail}
	})
	return s, p
}

func TestOIDC_EmailOfAnotherLetter_SignsNobodyIn(t *testing.T) {
	t.Parallel()
	s, p := withClaims(t, false)
	s.user(t, "kim", user.RoleOwner)
	for _, address := range []string{"\u212Aim@harbour.example", "K\u0130M@harbour.example",
		"k\u0131m@harbour.example"} {
		p.claims = object{"email": address, "email_verified": true}
		back := pagetest.NewVisitor(t).Open(t, s.url+"/console/harbour/oidc")
		require.Equal(t, http.StatusForbidden, back.Status, address)
		require.Contains(t, back.Text(), "No user of this business")
	}
	require.Equal(t, 0, s.count(t, "SELECT count(*) FROM sign_ins"))

	p.claims = object{"email": "KIM@Harbour.example", "email_verified": true}
	require.Equal(t, http.StatusOK, pagetest.NewVisitor(t).Open(t, s.url+"/console/harbour/oidc").Status)
}

func TestOIDC_TwoTabs_BothSignIn(t *testing.T) {
	t.Parallel()
	s, p := withClaims(t, false)
	s.user(t, "kim", user.RoleOwner)
	p.claims = object{"email": "kim@harbour.example", "email_verified": true}
	for name, order := range map[string][]int{"in the order of their beginning": {0, 1},
		"the later one first": {1, 0}} {
		v := pagetest.NewVisitor(t)
		var ways, nonces []string
		v.Client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
			if r.URL.Path == console.CallbackPath {
				ways, nonces = append(ways, r.URL.String()), append(nonces, p.nonce)
				return http.ErrUseLastResponse
			}
			return nil
		}
		v.Open(t, s.url+"/console/harbour/oidc")
		v.Open(t, s.url+"/console/harbour/oidc")
		require.Len(t, ways, 2)
		v.Client.CheckRedirect = nil
		for _, i := range order {
			p.nonce = nonces[i]
			back := v.Open(t, ways[i])
			require.Equal(t, http.StatusOK, back.Status, "%s: %s", name, back.Text())
			require.Equal(t, http.StatusForbidden, v.Open(t, ways[i]).Status, "a way back works once")
		}
	}
	require.Equal(t, 4, s.count(t, "SELECT count(*) FROM sign_ins"))
}

func TestOIDC_EmailVerified_IsReadAsProvidersSendIt(t *testing.T) {
	t.Parallel()
	const address = "kim@harbour.example"
	inToken := func(verified any) object { return object{"email": address, "email_verified": verified} }
	inAnswer := func(verified any) object { return object{"sub": "1", "email": address, "email_verified": verified} }
	absent := object{"email": address}
	for trust, believed := range map[bool][]object{
		false: {inToken(true), inToken("true"), inAnswer(true), inAnswer("true")},
		true:  {inToken(true), inToken("true"), inAnswer("true"), absent, inToken(nil), {"sub": "1", "email": address}},
	} {
		refused := []object{inToken(false), inToken("false"), inToken(1), inToken("yes"), inAnswer(false),
			inAnswer("false")}
		if !trust {
			refused = append(refused, absent, inToken(nil), object{"sub": "1", "email": address})
		}
		s, p := withClaims(t, trust)
		s.user(t, "kim", user.RoleOwner)
		for status, list := range map[int][]object{http.StatusOK: believed, http.StatusForbidden: refused} {
			for _, said := range list {
				p.claims, p.userInfo = said, nil
				if said["sub"] != nil { // said when it is asked about the user
					p.claims, p.userInfo = nil, said
				}
				back := pagetest.NewVisitor(t).Open(t, s.url+"/console/harbour/oidc")
				require.Equal(t, status, back.Status, "trusted: %t, said: %v: %s", trust, said, back.Text())
			}
		}
	}
}
