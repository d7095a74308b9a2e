package hostile_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"holdfast/internal/booking"
	"holdfast/internal/console/operator"
	"holdfast/internal/tenant"
	"holdfast/internal/user"
)

// browsed is what a sequence knows of the pages: where they lead, and the forms that they have.
type browsed struct {
	slug   string
	cookie string // of somebody who is signed in to the console; empty for nobody
	// operator is the cookie of an operator who is signed in; empty for nobody.
	operator string
	others   map[string]string // what pages keep besides, by the cookie's name
	links    []string
	forms    []form
}

// form is a form of a page, with what stands in it.
type form struct {
	method, action string
	values         url.Values
}

// mostKnown bounds how many links, and how many forms, a sequence draws from.
const mostKnown = 200

// openPages gives the tenant a booking page.
func (s *sequence) openPages(slug string) {
	s.browsed = browsed{slug: slug, others: map[string]string{}}
	op := s.named("change-tenant")
	r := drawn{op: op, request: request{method: op.method, target: op.path,
		body: `{"booking_page": {"enabled": true}}`}}
	r.set("Authorization", "Bearer "+s.key)
	r.set("Content-Type", "application/json")
	require.Equal(s, http.StatusOK, s.exchange(r).status)
	s.forget()
}

// forget leaves the addresses at which people begin.
func (s *sequence) forget() {
	s.links = []string{"/start", "/console", "/book/" + s.slug, "/console/" + s.slug,
		"/console/" + s.slug + "/calendar"}
	s.forms = nil
}

// signIn signs an owner in to the console. The tenant may have removed, or changed, whoever was signed in before.
func (s *sequence) signIn() {
	id := uuid.MustParse(
		s.must(user.Path, object{"email": s.uuid().String() + "@example.com", "name": "Ada",
			"role": "owner"}).text("id"))
	link, err := s.users.NewLink(background, tenant.Tenant{ID: uuid.MustParse(s.tenant), Slug: s.slug}, id,
		user.LinkTime)
	require.NoError(s, err)
	s.forget()
	s.visit(request{method: http.MethodPost, target: strings.TrimPrefix(link, publicURL)}, url.Values{})
	require.NotEmpty(s, s.cookie)
}

// page draws a request for a page: a link or a form of an earlier one, or an address that people know, mostly damaged.
func (s *sequence) page() {
	if s.oneIn(10) {
		s.operatorPage()
		return
	}
	if s.cookie == "" && s.oneIn(4) {
		s.signIn()
	}
	if s.oneIn(3) && len(s.forms) > 0 {
		f := pick(s.draw, s.forms)
		values := maps.Clone(f.values)
		for range s.between(0, 2) {
			s.damageForm(values)
		}
		s.visit(s.damagedPage(request{method: f.method, target: f.action}), values)
		return
	}
	target := pick(s.draw, s.links)
	switch s.IntN(6) {
	case 0:
		id, err := uuid.Parse(s.id("bookings"))
		require.NoError(s, err)
		target = booking.LinksPath + s.tokens.Token(booking.Link{TenantID: uuid.MustParse(s.tenant), BookingID: id}) +
			pick(s.draw, []string{"", "/move", "/cancel", "/booking.ics", "/receipts/" + s.id("payments")})
	case 1:
		kind := pick(s.draw,
			[]string{"bookings", "customers", "payments", "resources", "services", "webhook-endpoints", "api-keys",
				"scheduled-events"})
		target = "/console/" + s.slug + "/" + strings.Replace(kind, "webhook-endpoints", "webhooks", 1) + "/" +
			s.id(kind)
	}
	s.visit(s.damagedPage(request{method: http.MethodGet, target: target}), nil)
}

// damageForm changes a field, leaves it out, or sends it twice.
func (s *sequence) damageForm(values url.Values) {
	name := "x"
	if len(values) > 0 {
		name = pick(s.draw, slices.Sorted(maps.Keys(values)))
	}
	odd := fmt.Sprint(pick(s.draw, oddities))
	switch s.IntN(4) {
	case 0:
		values.Del(name)
	case 1:
		values[name] = append(slices.Clone(values[name]), odd)
	default:
		values[name] = []string{odd}
	}
}

// operatorPage draws a request for a page of the operator's console, mostly damaged. It sends no form of it: the
// operator may delete tenants.
func (s *sequence) operatorPage() {
	if s.operator == "" {
		form := url.Values{"admin_key": {adminKey}, "name": {"Ada"}}
		r := request{method: http.MethodPost, target: operator.Path + "/sign-in", body: form.Encode()}
		r.set("Content-Type", "application/x-www-form-urlencoded")
		set := (&http.Response{Header: s.line.send(s, r).header}).Cookies()
		require.Len(s, set, 1)
		s.operator = set[0].Name + "=" + set[0].Value
	}
	ofTenant := "/tenants/" + s.tenant
	r := s.damagedPage(request{method: http.MethodGet, target: operator.Path + pick(s.draw, []string{
		"", "/tenants", "/new-tenant", "/locks", "/metrics", ofTenant, ofTenant + "/api-keys", ofTenant + "/users",
		ofTenant + "/money",
		ofTenant + "/end",
	})})
	if r.header("Cookie") == "" {
		r.set("Cookie", s.operator)
	}
	s.look(r)
}

// texts are no texts that a database has, as they stand in a URL.
var texts = []string{"%ff", "%00", "a%00b", "%c0%af", "%ed%a0%80"}

// rawTexts are the same in headers, where net/http refuses U+0000.
var rawTexts = []string{"\xff", "a\xffb", "\xc0\xaf", "\xed\xa0\x80"}

// cookieNames are the cookies that a server reads.
var cookieNames = []string{"holdfast_console", "holdfast_oidc", "holdfast_operator", "holdfast_refused", "hold",
	"cookies"}

// noText puts what is no text into a request for a page.
func (s *sequence) noText(d *drawn) {
	path, query, asked := strings.Cut(d.target, "?")
	switch s.IntN(4) {
	case 0:
		words := strings.Split(path, "/")
		i := 1 + s.IntN(len(words)-1)
		words[i] = pick(s.draw, []string{"", words[i]}) + pick(s.draw, texts)
		path = strings.Join(words, "/")
	case 1:
		name := pick(s.draw, []string{"date", "q", "after", "state", "business", "lang", "x"})
		query, asked = query+"&"+name+"="+pick(s.draw, texts), true
	case 2:
		d.set("Cookie", pick(s.draw, cookieNames)+"="+pick(s.draw, rawTexts))
	default:
		d.set(pick(s.draw, []string{
			"Origin", "Accept-Language", "Accept", "Content-Type", "Request-Id", "If-None-Match", "User-Agent",
			"Prefer", "X-Forwarded-For",
			"Traceparent", "Holdfast-Fragment",
		}), pick(s.draw, rawTexts))
	}
	if d.target = path; asked {
		d.target += "?" + query
	}
}

// damagedPage changes a request for a page in one place, one time in two.
func (s *sequence) damagedPage(r request) request {
	d := drawn{request: r}
	switch s.IntN(11) {
	case 0:
		damages[0](s, &d) // a word of its path
	case 1:
		name := pick(s.draw, []string{
			"date", "month", "party", "nights", "length", "starts_at", "lang", "done", "payment_id", "q", "from", "to",
			"after", "back",
			"service", "view", "start", "end", "business", "version", "quote", "time", "refused", "taken",
		})
		joint := "?"
		if strings.Contains(d.target, "?") {
			joint = "&"
		}
		d.target += joint + name + "=" + url.QueryEscape(fmt.Sprint(pick(s.draw, oddities)))
	case 2:
		d.set("Cookie", pick(s.draw, []string{
			"", "=", "holdfast_console=x", "holdfast_console=" + strings.Repeat("a", 5000), "\xff", s.cookie + "x",
		}))
	case 3:
		d.set(pick(s.draw, []string{"Origin", "Sec-Fetch-Site", "Accept-Language", "Accept-Encoding", "Accept",
			"Content-Type"}),
			pick(s.draw, []string{
				"https://evil.example", "cross-site", "null", "xx;q=9", "gzip", "multipart/form-data; boundary=x",
				"\xff", "*/*",
			}))
	case 4:
		d.method = pick(s.draw,
			[]string{http.MethodHead, http.MethodPut, http.MethodDelete, http.MethodPost, http.MethodGet, "X"})
	case 5:
		s.noText(&d)
	}
	return d.request
}

// visit asks for a page, sends a form unless values is nil, and keeps the links, the forms and the cookie of the
// answer.
func (s *sequence) visit(r request, values url.Values) {
	if cookies := s.cookies(); r.header("Cookie") == "" && cookies != "" {
		r.set("Cookie", cookies)
	}
	switch {
	case values == nil:
	case r.method == http.MethodGet:
		path, _, _ := strings.Cut(r.target, "?")
		r.target = path + "?" + values.Encode()
	default:
		if r.header("Content-Type") == "" {
			r.set("Content-Type", "application/x-www-form-urlencoded")
		}
		r.body = values.Encode()
	}
	a := s.look(r)
	if strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
		s.read(r.target, a.body)
	}
	if to := a.header.Get("Location"); strings.HasPrefix(to, "/") && s.oneIn(2) {
		s.know(to)
	}
	for _, set := range (&http.Response{Header: a.header}).Cookies() {
		given := set.Name + "=" + set.Value
		if set.Value == "" {
			given = ""
		}
		if set.Name == "holdfast_console" {
			s.cookie = given
		} else {
			s.others[set.Name] = given
		}
	}
	if strings.Contains(a.header.Get("Location"), "/sign-in") {
		s.cookie = "" // it has ended
	}
}

// cookies returns what the browser sends.
func (s *sequence) cookies() string {
	all := []string{s.cookie}
	for _, name := range slices.Sorted(maps.Keys(s.others)) {
		all = append(all, s.others[name])
	}
	return strings.Join(slices.DeleteFunc(all, func(cookie string) bool { return cookie == "" }), "; ")
}

// look sends a request for a page and requires what is true of each page.
func (s *sequence) look(r request) answer {
	if s.history = append(s.history, r); len(s.history) > shownRequests {
		s.history = s.history[1:]
	}
	a := s.line.send(s, r)
	s.count.add(drawn{request: r, op: operation{id: "page of " + cmp.Or(section(r.target), "another kind")}}, a)
	require.Less(s, a.status, http.StatusInternalServerError, a.body)
	if strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
		s.requireKeptToItself(a)
	}
	return a
}

// requireKeptToItself requires the headers that keep a page to itself, and that it shows no text as markup.
func (s *sequence) requireKeptToItself(a answer) {
	policy := a.header.Get("Content-Security-Policy")
	require.Contains(s, policy, "default-src 'none'")
	require.NotContains(s, policy, "unsafe")
	require.Contains(s, policy, "frame-ancestors")
	require.Equal(s, "nosniff", a.header.Get("X-Content-Type-Options"))
	require.NotContains(s, a.body, "<script>")
}

// section names the kind of page that an address leads to; empty for another kind.
func section(target string) string {
	for _, prefix := range []string{"/book/", "/booking/", "/console", "/start", operator.Path} {
		if strings.HasPrefix(target, prefix) {
			return prefix
		}
	}
	return ""
}

// read keeps the links and the forms of a page.
func (s *sequence) read(target, body string) {
	base, err := url.Parse("http://holdfast" + target)
	if err != nil {
		return // the request was damaged
	}
	root, err := html.Parse(strings.NewReader(body))
	require.NoError(s, err)
	for n := range root.Descendants() {
		switch {
		case n.DataAtom == atom.A:
			if to, err := base.Parse(attribute(n, "href")); err == nil && to.Host == base.Host {
				s.know(to.RequestURI())
			}
		case n.DataAtom == atom.Button && attribute(n, "formaction") != "": // it shows another date or month
			if to, err := base.Parse(attribute(n, "formaction")); err == nil {
				to.RawQuery = url.Values{attribute(n, "name"): {attribute(n, "value")}}.Encode()
				s.know(to.RequestURI())
			}
		case n.DataAtom == atom.Form:
			if to, err := base.Parse(attribute(n, "action")); err == nil {
				s.forms = kept(s.draw, s.forms, form{
					method: cmp.Or(strings.ToUpper(attribute(n, "method")), http.MethodGet), action: to.RequestURI(),
					values: fields(n),
				})
			}
		}
	}
}

// know keeps a link to a page.
func (s *sequence) know(to string) {
	if section(to) != "" {
		s.links = kept(s.draw, s.links, to)
	}
}

// kept adds one to a list, in place of another one once there are many.
func kept[T any](d draw, list []T, one T) []T {
	if len(list) < mostKnown {
		return append(list, one)
	}
	list[d.IntN(len(list))] = one
	return list
}

// fields returns what stands in a form. Of several buttons the last one is pressed that sends the form to its own
// address.
func fields(n *html.Node) url.Values {
	values := url.Values{}
	for d := range n.Descendants() {
		name := attribute(d, "name")
		switch {
		case d.DataAtom == atom.Option && d.Parent != nil:
			values.Set(attribute(d.Parent, "name"), attribute(d, "value"))
		case name == "", attribute(d, "formaction") != "":
		case d.DataAtom == atom.Textarea && d.FirstChild != nil:
			values.Set(name, d.FirstChild.Data)
		case d.DataAtom == atom.Input && attribute(d, "value") == "" && attribute(d, "type") != "hidden":
			values.Set(name, map[string]string{
				"email": "ada@example.com", "number": "1", "date": "2027-07-01", "time": "10:00",
			}[attribute(d, "type")])
		case d.DataAtom == atom.Input || d.DataAtom == atom.Button:
			values.Set(name, attribute(d, "value"))
		}
	}
	return values
}

// attribute returns an attribute of an element, empty without it.
func attribute(n *html.Node, name string) string {
	i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
	if i < 0 {
		return ""
	}
	return n.Attr[i].Val
}
