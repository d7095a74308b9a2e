package httpapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/docs"
	"holdfast/internal/problem"
)

func TestRouter_EscapedSlash_StaysInItsSegment(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for _, path := range []string{
		"/v1", "/v1/things/", "//v1/things", "/V1/things", "/v1/%74hings", "/v1/things/../things", "/healthz/",
		"/docs/nothing.js", "/docs/../openapi.json",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			a := s.request(t, method, path, "")
			if method == http.MethodPost && a.status == http.StatusMethodNotAllowed {
				continue
			}
			require.Equal(t, http.StatusNotFound, a.status, method+" "+path)
			requireProblem(t, a, http.StatusNotFound, problem.NotFound)
		}
	}
}

func TestRouter_WrongMethod_Is405WithAllow(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for _, method := range []string{http.MethodDelete, http.MethodPut, http.MethodOptions, http.MethodTrace, "BREW"} {
		a := s.request(t, method, "/v1/things", "{")
		requireProblem(t, a, http.StatusMethodNotAllowed, problem.MethodNotAllowed)
		require.Equal(t, "GET", a.header.Get("Allow"))
	}
}

func TestRouter_OddTarget_IsAProblem(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for _, line := range []string{
		"OPTIONS * HTTP/1.1", "CONNECT example.org:443 HTTP/1.1", "GET http://example.org/v1/nothing HTTP/1.1",
		"GET /" + strings.Repeat("a/", 4000) + " HTTP/1.1", "PRI * HTTP/2.0",
	} {
		conn := dial(t, s.addr)
		send(t, conn, line+"\r\nHost: x\r\n\r\n")
		requireProblem(t, receive(t, conn), http.StatusNotFound, problem.NotFound)
	}
}

func TestHead_AnyRoute_IsGetWithoutBody(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for path, status := range map[string]int{"/healthz": 200, "/v1/things?from=2030-01-02": 200, "/v1/nothing": 404} {
		a := s.request(t, http.MethodHead, path, "")
		require.Equal(t, status, a.status)
		require.Empty(t, a.body)
		require.NotEmpty(t, a.header.Get("Content-Length"))
	}
}

func TestDescription_ReadConcurrently_IsOpenAPI31(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, path := range []string{"/openapi.json", "/openapi.yaml"} {
				rec := httptest.NewRecorder()
				s.api.Edge.Engine().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, http.NoBody))
				if rec.Code != http.StatusOK {
					t.Errorf("%s: %d", path, rec.Code)
				}
			}
		})
	}
	wg.Wait()

	var description struct {
		OpenAPI string
		Info    struct{ Title, Version string }
		Paths   map[string]map[string]struct {
			Responses map[string]struct {
				Ref string `json:"$ref"`
			}
		}
		Components struct {
			Responses       map[string]struct{ Content map[string]json.RawMessage }
			SecuritySchemes map[string]struct{ Type, Scheme string }
		}
	}
	a := s.request(t, http.MethodGet, "/openapi.json", "")
	require.Equal(t, "application/openapi+json", a.header.Get("Content-Type"))
	require.NoError(t, json.Unmarshal([]byte(a.body), &description))
	require.Equal(t, "3.1.0", description.OpenAPI)
	require.Equal(t, "Holdfast", description.Info.Title)
	require.Equal(t, "1.2.3", description.Info.Version)
	require.Equal(t, "bearer", description.Components.SecuritySchemes[schemeAPIKey].Scheme)
	require.Equal(t, "bearer", description.Components.SecuritySchemes[schemeAdminKey].Scheme)
	require.Equal(t, "#/components/responses/UnprocessableEntity",
		description.Paths["/v1/things/{id}"]["post"].Responses["422"].Ref)
	require.Contains(t, description.Components.Responses["UnprocessableEntity"].Content, "application/problem+json")
	require.NotContains(t, a.body, "$schema")
}

func TestResponse_JSON_HasNoSchemaLinkNorEscapedHTML(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	a := s.request(t, http.MethodPost, someThing, `{"name":"ab","metadata":{"a":"<&>"}}`)
	require.Equal(t, http.StatusOK, a.status)
	require.NotContains(t, a.body, "$schema")
	require.Empty(t, a.header.Get("Link"))
	require.Contains(t, a.body, "<&>")
}

func TestDocs_Reference_LoadsFromThisHostOnly(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for _, path := range []string{"/docs/reference", "/docs/reference/"} {
		page := s.request(t, http.MethodGet, path, "")
		require.Equal(t, http.StatusOK, page.status)
		require.Contains(t, page.header.Get("Content-Type"), "text/html")
		require.Contains(t, page.body, `"/openapi.json"`)
		policy := page.header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'")
		require.NotContains(t, policy, "//", "the browser fetches nothing from elsewhere, whatever the script says")
		require.NotRegexp(t, `//[a-z0-9-]+\.`, page.body)
		links := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page.body, -1)
		require.GreaterOrEqual(t, len(links), 4)
		for _, link := range links {
			require.True(t, strings.HasPrefix(link[1], "/docs/reference/"), link[1])
			require.Equal(t, http.StatusOK, s.request(t, http.MethodGet, link[1], "").status, link[1])
		}
	}
}

var (
	pageLink   = regexp.MustCompile(`href="([^"]+)"`)
	pageAnchor = regexp.MustCompile(` id="([^"]+)"`)
)

// Every page that can be reached from the index exists, and so does every place in a page that a link names.
func TestDocs_Guides_EveryLinkLeadsSomewhere(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	pages, queue := map[string]string{}, []string{"/docs"}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		if _, seen := pages[path]; seen {
			continue
		}
		a := s.request(t, http.MethodGet, path, "")
		require.Equal(t, http.StatusOK, a.status, path)
		pages[path] = a.body
		if path == "/docs/reference" || !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			continue
		}
		policy := a.header.Get("Content-Security-Policy")
		require.NotContains(t, policy, "script", path)
		require.NotContains(t, policy, "unsafe", path)
		require.NotContains(t, a.body, "<script", path)
		require.NotContains(t, a.body, "src=", "%s loads nothing", path)
		require.Contains(t, a.body, `<meta name="viewport"`)
		for _, link := range pageLink.FindAllStringSubmatch(a.body, -1) {
			target, _, _ := strings.Cut(link[1], "#")
			if strings.HasPrefix(target, "/") {
				queue = append(queue, target)
			}
		}
	}
	require.Greater(t, len(pages), 50, "guides and decisions")
	for _, path := range []string{"/docs/tour", "/docs/errors", "/docs/adr/0001-two-batches", "/docs/guides.css",
		"/docs/reference"} {
		require.Contains(t, pages, path)
	}
	for path, page := range pages {
		anchors := map[string]bool{"": true}
		for _, id := range pageAnchor.FindAllStringSubmatch(page, -1) {
			anchors[id[1]] = true
		}
		pages[path] = page
		for from, other := range pages {
			for _, link := range pageLink.FindAllStringSubmatch(other, -1) {
				target, anchor, _ := strings.Cut(link[1], "#")
				if target == path || target == "" && from == path {
					require.True(t, anchors[anchor], "%s links to %s, where nothing has this name", from, link[1])
				}
				require.False(t, strings.HasSuffix(target, ".md") && !strings.Contains(target, "://"), "%s links to %s",
					from, target)
			}
		}
	}
}

func TestDocs_GuideThatTheClientHas_IsNotSentAgain(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for _, path := range []string{"/docs", "/docs/calling", "/docs/guides.css", "/openapi.json", "/openapi.yaml"} {
		first := s.request(t, http.MethodGet, path, "")
		require.Equal(t, http.StatusOK, first.status)
		require.True(t, strings.HasPrefix(first.header.Get("ETag"), `W/"`), path)
		again := s.request(t, http.MethodGet, path, "", "If-None-Match", `"other", `+first.header.Get("ETag"))
		require.Equal(t, http.StatusNotModified, again.status, path)
		require.Empty(t, again.body)
		require.Equal(t, http.StatusOK, s.request(t, http.MethodGet, path, "", "If-None-Match", `"other"`).status)
	}
}

func TestDocs_HostilePath_IsNotFound(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for _, path := range []string{
		"/docs/README.md", "/docs/calling.md", "/docs/embed.go", "/docs/nothing", "/docs/adr", "/docs/adr/",
		"/docs/adr/..",
		"/docs/..%2fgo.mod",
		"/docs/%2e%2e/go.mod", "/docs/calling%00", "/docs//calling", "/docs/adr/../../go.mod", "/docs/referencex",
		"/docs/reference/../calling",
		"/docs/reference/index.html", "/docs/calling/calling", "/docs/%ff",
	} {
		require.Equal(t, http.StatusNotFound, s.request(t, http.MethodGet, path, "").status, path)
	}
}

func TestProblem_TypeURL_ExplainsTheCode(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	page, anchor, _ := strings.Cut(problem.DocumentOf(problem.New(problem.SlotUnavailable, "x")).Type, "#")
	a := s.request(t, http.MethodGet, page, "")
	require.Equal(t, http.StatusOK, a.status)
	require.Contains(t, a.body, `id="`+anchor+`"`)
	documented := regexp.MustCompile("(?m)^\\| (\\d+) \\| `(\\w+)` \\|").FindAllStringSubmatch(docs.Errors, -1)
	require.Greater(t, len(documented), 20)
	for _, found := range documented {
		code := found[2]
		row := regexp.MustCompile(`<tr id="` + code + `"><td><code>` + code +
			`</code></td><td>(\d+)</td><td>(.+)</td><td>(.+)</td></tr>`)
		cells := row.FindStringSubmatch(a.body)
		require.NotNil(t, cells, "%s: status, meaning, what to do", code)
		require.Equal(t, found[1], cells[1])
	}
	require.Contains(t, a.body, "Send <code>Authorization: Bearer &lt;key&gt;</code>.")
	require.Contains(t, a.body, "<code>required</code>")
	require.NotContains(t, a.body, "| ")
	require.NotRegexp(t, `(?:src|href)="(?:[^/#d]|d[^a])`, a.body, "nothing is fetched from elsewhere")
}

func TestDescription_Introduction_ExplainsTheBasics(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	var description struct{ Info struct{ Description string } }
	require.NoError(t, json.Unmarshal([]byte(s.request(t, http.MethodGet, "/openapi.json", "").body), &description))
	headings := regexp.MustCompile(`(?m)^## (.+)$`).FindAllStringSubmatch(description.Info.Description, -1)
	require.Len(t, headings, 4)
	for i, heading := range []string{"Idempotency", "Errors", "Versions", "Responses"} {
		require.Equal(t, heading, headings[i][1])
	}
	for _, word := range []string{"Idempotency-Key", "If-Match", "ETag", "(/docs/errors)"} {
		require.Contains(t, description.Info.Description, word)
	}
}

// TestFieldCodes_InSource_AreDocumented looks for the codes in the source.
func TestFieldCodes_InSource_AreDocumented(t *testing.T) {
	t.Parallel()
	explained := make(map[string]bool)
	for _, row := range docs.Table(docs.Errors, "| code | meaning |")[1:] {
		for code := range strings.SplitSeq(row[0], ", ") {
			explained[strings.Trim(code, "`")] = true
		}
	}
	used := 0
	codes := regexp.MustCompile(`Invalid\([^\n]*?, "([a-z_]+)",|Code: "([a-z_]+)"`)
	var files []string
	for _, of := range []string{"../*/*.go", "../httpapi/*/*.go", "../console/*/*.go"} {
		found, err := filepath.Glob(of)
		require.NoError(t, err)
		files = append(files, found...)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, code := range codes.FindAllStringSubmatch(string(source), -1) {
			used++
			require.True(t, explained[code[1]+code[2]], "docs/errors.md doesn't explain %s of %s", code[1]+code[2],
				file)
		}
	}
	require.Greater(t, used, 20)
}
