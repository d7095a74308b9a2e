package hostile_test

import (
	"bytes"
	"cmp"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/atom"

	"holdfast/internal/booking"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/pages/pagetest"
	"holdfast/internal/tenant"
	"holdfast/internal/testtime"
	"holdfast/internal/user"
)

// empty are forms of which nothing is refused when they are sent empty, with the reason. They lead on as ever.
var empty = map[string]string{
	"/book/:slug/release":     "there is no hold to let go",
	"/booking/:token/pay":     "the page asks for the details first",
	"/console/:slug/sign-in":  "the answer is the same for every email",
	"/console/:slug/sign-out": "it asks for nothing",
	"/operator/sign-out":      "it asks for nothing",
}

// atOnce says which forms' refusals are the answer to POST, with the reason. Keep it empty.
var atOnce = map[string]string{}

// wrong is what a form is refused for that isn't refused when it is sent empty.
var wrong = map[string]url.Values{
	"/console/:slug/payments/reconciliation": {"from": {"soon"}},
}

// upload is the form that has a file.
const upload = "/console/:slug/settings/logo"

// people are a guest with a hold, an owner and an operator, who are signed in, on pages that a form can be sent from.
type people struct {
	*harbour

	visitor *pagetest.Visitor
	hold    string            // token of the hold's link
	tokens  map[string]string // of the forms, by how the paths of the console begin
}

func newPeople(t *testing.T) *people {
	t.Helper()
	h := newHarbour(t, admission.Limits{VisitorRate: 10_000, VisitorBurst: 10_000})
	id := h.made(t, "/v1/bookings", h.key, object{
		"service_id": h.service, "date": testtime.Date(3).String(), "hold_minutes": 60,
	})["id"].(string)
	p := &people{harbour: h, visitor: pagetest.NewVisitor(t), tokens: map[string]string{}}
	p.hold = h.server.tokens.Token(booking.Link{TenantID: uuid.MustParse(h.id), BookingID: uuid.MustParse(id)})
	p.visitor.Open(t, h.at("/booking/"+p.hold))
	made := h.made(t, user.Path, h.key, object{"email": "ada@harbour.example", "name": "Ada", "role": "owner"})
	link, err := h.users.NewLink(t.Context(), tenant.Tenant{ID: uuid.MustParse(h.id), Slug: "harbour"},
		uuid.MustParse(made["id"].(string)), user.LinkTime)
	require.NoError(t, err)
	console := p.visitor.Open(t, h.at(strings.TrimPrefix(link, publicURL))).Press(t, "Sign in")
	operators := p.visitor.Open(t, h.at("/operator/sign-in")).Form(t, "Sign in").With("admin_key",
		adminKey).With("name", "Ada").Submit(t)
	for begins, page := range map[string]*pagetest.Page{"/console/": console, "/operator/": operators} {
		require.Equal(t, http.StatusOK, page.Status, page.Text())
		p.tokens[begins] = page.FormOf(t, page.All(atom.Form)[0]).Values.Get("token")
		require.NotEmpty(t, p.tokens[begins])
	}
	p.visitor.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return p
}

func (h *harbour) at(path string) string { return "http://" + h.address + path }

// forms returns the routes of all forms.
func (p *people) forms(t *testing.T) (routes []string) {
	t.Helper()
	for _, route := range p.routes {
		if route.Method == http.MethodPost && section(route.Path+"/") != "" {
			routes = append(routes, route.Path)
		}
	}
	require.Greater(t, len(routes), 80)
	return routes
}

// send sends a form. What its path names is the tenant's, as far as there is one, and else nothing.
func (p *people) send(t *testing.T, route string, form url.Values) *pagetest.Page {
	t.Helper()
	words := strings.Split(route, "/")
	for i, word := range words {
		if !strings.HasPrefix(word, ":") {
			continue
		}
		words[i] = cmp.Or(map[string]string{":slug": "harbour", ":service": p.service, "/booking/:token": p.hold}[word],
			uuid.NewString())
		switch {
		case strings.HasPrefix(route, "/booking/:token"):
			words[i] = p.hold
		case strings.HasPrefix(route, "/operator/tenants/:id") && word == ":id":
			words[i] = p.id
		}
	}
	address := p.at(strings.Join(words, "/"))
	if route != upload {
		return p.visitor.Send(t, http.MethodPost, address, form)
	}
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	for name := range form {
		require.NoError(t, parts.WriteField(name, form.Get(name)))
	}
	require.NoError(t, parts.Close())
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, &body)
	require.NoError(t, err)
	r.Header = p.visitor.Header.Clone()
	r.Header.Set("Content-Type", parts.FormDataContentType())
	response, err := p.visitor.Client.Do(r)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	return p.visitor.Read(t, response)
}

// with returns a form with the token that proves where it comes from, if its page has one.
func (p *people) with(route string, form url.Values) url.Values {
	for begins, token := range p.tokens {
		if strings.HasPrefix(route, begins) {
			form.Set("token", token)
		}
	}
	return form
}

// A browser can't come back to a page that was the answer to POST. So each refused form leads to a page.
func TestForms_ThatAreRefused_LeadToAPage(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	signsOut := func(route string) bool { return strings.HasSuffix(route, "/sign-out") }
	for _, last := range []bool{false, true} {
		for _, route := range p.forms(t) {
			if signsOut(route) != last {
				continue
			}
			form := url.Values{}
			maps.Copy(form, wrong[route])
			answer := p.send(t, route, p.with(route, form))
			if reason := atOnce[route]; reason != "" {
				require.GreaterOrEqual(t, answer.Status, http.StatusBadRequest,
					"%s leads on: it needn't stand in the list", route)
				continue
			}
			require.Equal(t, http.StatusSeeOther, answer.Status, "%s is answered at once: %s", route, answer.Text())
			shown := p.visitor.Open(t, answer.Resolve(t, answer.Header.Get("Location")))
			if empty[route] != "" {
				require.Equal(t, http.StatusOK, shown.Status, "%s: %s", route, shown.Text())
				continue
			}
			require.GreaterOrEqual(t, shown.Status, http.StatusBadRequest, "%s: the page says nothing: %s", route,
				shown.Text())
			require.Less(t, shown.Status, http.StatusInternalServerError, "%s: %s", route, shown.Text())
		}
	}
}

// What is refused before the form is looked at is answered at once, and nothing of it is kept: see
// docs/adr/0044-pages.md.
func TestForms_OfAnotherSiteOrTooLarge_AreAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	requireAtOnce := func(route string, status int, answer *pagetest.Page) {
		require.Equal(t, status, answer.Status, "%s: %s", route, answer.Text())
		require.Empty(t, answer.Header.Get("Set-Cookie"), route)
		require.NotContains(t, answer.Raw, "typed by another site", route)
	}
	for _, route := range p.forms(t) {
		typed := url.Values{"name": {"typed by another site"}}
		p.visitor.Header.Set("Sec-Fetch-Site", "cross-site")
		requireAtOnce(route, http.StatusForbidden, p.send(t, route, p.with(route, typed)))
		p.visitor.Header.Del("Sec-Fetch-Site")
		typed.Set("name", strings.Repeat("typed by another site", 5000))
		requireAtOnce(route, http.StatusRequestEntityTooLarge, p.send(t, route, p.with(route, typed)))
		signsIn := strings.Contains(route, "/sign-in") || strings.Contains(route, "/enter/")
		if !signsIn && len(p.with(route, url.Values{})) > 0 {
			requireAtOnce(route, http.StatusForbidden, p.send(t, route, url.Values{"name": {"typed by another site"}}))
		}
	}
}
