package hostile_test

import (
	"cmp"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// What stands in a URL, a cookie or a header may be no text that the database has. Each route refuses it before a
// statement could.
func TestTexts_ThatTheDatabaseCantHave_AreRefusedByEachRoute(t *testing.T) {
	t.Parallel()
	s := newSequence(1, 0)
	s.server = newServer(t)
	s.description, s.count, s.line = readDescription(t, s.address), newTally(), &line{address: s.address}
	defer s.line.close()
	made := s.must("/admin/v1/tenants",
		object{"slug": "harbour", "name": "Harbour", "time_zone": "UTC", "currency": "EUR"})
	s.tenant, s.key = made.text("id"), made.text("api_key")
	s.openPages("harbour")
	s.signIn()
	s.operatorPage()
	cookies := s.cookie + "; " + s.operator
	require.Greater(t, len(s.routes), 200)
	for _, route := range s.routes {
		for _, r := range withoutText(route.Method, route.Path) {
			key := cmp.Or(map[bool]string{true: adminKey}[strings.HasPrefix(route.Path, "/admin/")], s.key)
			headers := map[string]string{"Authorization": "Bearer " + key, "Cookie": cookies,
				"Idempotency-Key": uuid.NewString()}
			for name, value := range headers {
				if r.header(name) == "" {
					r.set(name, value)
				}
			}
			a := s.line.send(t, r)
			require.Less(t, a.status, http.StatusInternalServerError, "%s: %s", r.curl(), a.body)
		}
	}
}

// withoutText returns requests to a route that have no text in one place each.
func withoutText(method, route string) (all []request) {
	words := strings.Split(route, "/")
	whole := make([]string, len(words))
	for i, word := range words {
		if whole[i] = word; strings.HasPrefix(word, ":") {
			whole[i] = map[string]string{":slug": "harbour", ":provider": "sandbox", ":page": "errors"}[word]
			whole[i] = cmp.Or(whole[i], "01890a5d-ac96-774b-bcce-b302099a8057")
		}
	}
	path := strings.Join(whole, "/")
	for i, word := range words {
		if strings.HasPrefix(word, ":") || strings.HasPrefix(word, "*") {
			for _, text := range texts {
				damaged := strings.Split(path, "/")
				damaged[i] = text
				all = append(all, request{method: method, target: strings.Join(damaged, "/")})
			}
		}
	}
	for _, text := range texts {
		all = append(all, request{method: method, target: path + "?q=" + text + "&state=" + text + "&token=" + text})
	}
	for _, text := range rawTexts {
		for _, name := range cookieNames {
			r := request{method: method, target: path}
			r.set("Cookie", name+"="+text)
			all = append(all, r)
		}
		for _, name := range []string{
			"Authorization", "Holdfast-Tenant", "Holdfast-Actor", "Idempotency-Key", "If-Match", "If-None-Match",
			"Origin", "Request-Id",
			"Sandbox-Signature",
		} {
			r := request{method: method, target: path}
			r.set(name, text)
			all = append(all, r)
		}
	}
	return all
}
