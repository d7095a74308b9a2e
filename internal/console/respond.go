package console

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/google/uuid"

	"holdfast/internal/httpapi/edge"
	"holdfast/internal/pages"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

//go:embed templates
var templateFiles embed.FS

// pageNames are the pages. Each has a file of its own beside layout.html and parts.html.
var pageNames = []string{
	"find", "sign_in", "enter", "today", "bookings", "booking", "end", "move", "refund", "new", "calendar", "new_block", "block",
	"users", "failure",
	"customers", "customer", "customer_form", "merge", "erase",
	"payments", "payment", "receipt", "wallets", "wallet", "new_wallet", "wallet_code", "wallet_rotate", "wallet_credit", "wallet_debit",
	"transfer", "record", "hand_back", "till", "account", "reconciliation",
	"catalog_list", "service", "service_kind", "edit", "archive", "resource", "settings", "preview", "keys", "key", "secret", "ask",
	"webhooks", "webhook", "delivery", "replay", "events", "event",
}

// allTemplates returns the templates by the page's name. They are parsed when the first page is asked for: a server that shows none needs
// no memory for them.
var allTemplates = sync.OnceValue(func() map[string]*template.Template {
	found := make(map[string]*template.Template, len(pageNames))
	for _, name := range pageNames {
		t := template.New("layout.html").Funcs(words).Funcs(template.FuncMap{"asset": assetURL})
		found[name] = template.Must(t.ParseFS(templateFiles, "templates/layout.html", "templates/parts.html", "templates/forms.html",
			"templates/"+name+".html"))
	}
	return found
})

// assetURL returns the URL of a file of the console or of all pages.
func assetURL(name string) string {
	if url := Assets.URL(name); url != "" {
		return url
	}
	return pages.Assets.URL(name)
}

// layout is what each page has. A page's content gets it too.
type layout struct {
	Title    string
	Business string // the tenant's name; empty where nobody is signed in
	User     string // the person's name
	Home     string // path of the tenant's console
	Self     string // path and query of this page
	Nav      []navLink
	Done     string // what has just happened
	Undo     string // path of the page on which it can be undone; empty if it can't
	Token    string // of each form
	Fragment bool   // the page is shown beside the one from which it was opened
	Page     any
}

// Key returns the key of a form that is about to be shown.
func (layout) Key() string { return uuid.Must(uuid.NewV7()).String() }

// With returns the layout with another page: for a part that is used by several pages.
func (l layout) With(page any) layout {
	l.Page = page
	return l
}

// navLink leads to a section.
type navLink struct {
	Name, URL string
	Current   bool
}

// sections are what the navigation leads to, each with the scope that it needs.
var sections = []struct {
	name, path string
	scope      tenant.Scope
}{
	{"Today", "", tenant.ScopeRead},
	{"Calendar", "calendar", tenant.ScopeRead},
	{"Bookings", "bookings", tenant.ScopeRead},
	{"New booking", "book", tenant.ScopeBook},
	{"Customers", "customers", tenant.ScopeRead},
	{"Money", "payments", tenant.ScopeMoney},
	{"Catalog", "services", tenant.ScopeCatalog},
	{"Settings", "settings", tenant.ScopeAdmin},
	{"Developers", "api-keys", tenant.ScopeAdmin},
	{"Users", "users", tenant.ScopeAdmin},
}

// fragmentHeader asks for a page's content without the layout around it.
const fragmentHeader = "Holdfast-Fragment"

// render answers with a page.
func (c *Console) render(v *visit, status int, name, title string, page any) error {
	data := layout{Title: title, Self: v.self(), Page: page, Fragment: v.c.GetHeader(fragmentHeader) != "", Home: v.path()}
	if v.session != nil {
		data.Business, data.User, data.Token = v.tenant().Name, v.session.User.Name, v.token()
		data.Nav, data.Done = v.nav(), doneWords[v.query.Get(fieldDone)]
		if data.Done != "" {
			data.Undo, _ = v.own(v.query.Get(fieldUndo))
		}
	}
	var b bytes.Buffer
	t := allTemplates()[name]
	if data.Fragment {
		t = t.Lookup("fragment")
	}
	if err := t.Execute(&b, data); err != nil {
		return err
	}
	v.setHeaders()
	v.c.Data(status, "text/html; charset=utf-8", b.Bytes())
	return nil
}

// self is the path and the query of the page, without what has just happened.
func (v *visit) self() string {
	u := url.URL{Path: v.c.Request.URL.Path, RawQuery: withoutDone(v.c.Request.URL.Query()).Encode()}
	return u.String()
}

// nav returns the sections that the person may see.
func (v *visit) nav() (links []navLink) {
	for _, s := range sections {
		if !v.May(s.scope) {
			continue
		}
		link := navLink{Name: s.name, URL: v.path()}
		if s.path != "" {
			link.URL = v.path(s.path)
		}
		here := v.c.Request.URL.Path
		link.Current = here == link.URL || s.path != "" && strings.HasPrefix(here, link.URL+"/")
		link.Current = link.Current || s.path != "" && v.sectionOf(here) == s.path
		links = append(links, link)
	}
	return links
}

// setHeaders sets the headers that keep a page to itself. Nothing is kept by browsers and proxies, no link tells where it was followed, and
// no other site shows the console in a frame.
func (v *visit) setHeaders() {
	v.c.Header("Cache-Control", "no-store")
	v.c.Header("Referrer-Policy", "no-referrer")
	v.c.Header("Cross-Origin-Opener-Policy", "same-origin")
	v.c.Header("X-Robots-Tag", "noindex")
	v.c.Header("Vary", fragmentHeader)
	v.c.Header("Content-Security-Policy", "default-src 'none'; base-uri 'none'; connect-src 'self'; form-action 'self'; "+
		"frame-ancestors 'none'; img-src 'self' data:; script-src 'self'; style-src 'self'")
}

// failure is what went wrong, in words.
type failure struct {
	Heading, Text string
	Fields        []problem.Field
	RequestID     string
	InTheWay      []link // bookings, or a payment
	More          int    // how many more bookings are in the way
}

// fail answers with a page that says what went wrong; whoever isn't signed in is led to where they can. The access log and the metrics get
// the problem that a client of the API would get.
func (c *Console) fail(v *visit, err error) {
	document := problem.DocumentOf(err)
	edge.NoteProblem(v.ctx(), document)
	defer v.c.Abort()
	if problem.Is(err, problem.Unauthenticated) && v.c.Param("slug") != "" {
		if v.c.GetHeader(fragmentHeader) == "" && v.c.Request.Method == http.MethodGet {
			_ = v.redirect(v.path("sign-in"))
			return
		}
	}
	for name, values := range document.GetHeaders() {
		if name != "Content-Type" {
			v.c.Writer.Header()[name] = values
		}
	}
	page := c.failureOf(v, document)
	if err := c.render(v, document.Status, "failure", page.Heading, page); err != nil {
		edge.WriteProblem(v.c, err)
	}
}

// failureOf says what went wrong.
func (c *Console) failureOf(v *visit, d *problem.Document) *failure {
	page := &failure{Heading: d.Title, Text: d.Detail, Fields: d.Errors, RequestID: v.requestID()}
	if d.Code == problem.NotFound {
		page.Text = "There is nothing here, or nothing that you may see."
	}
	for i, id := range d.BookingIDs {
		page.InTheWay = append(page.InTheWay, link{fmt.Sprintf("Booking %d", i+1), v.path("bookings", id)})
	}
	if d.Code == problem.PaymentInProgress && d.PaymentID != "" {
		page.Text = "A payment of this booking has no end yet. Wait for its end, or cancel it on its page."
		page.InTheWay = []link{{"The payment", v.path("payments", d.PaymentID)}}
	}
	page.More = max(d.BookingCount-len(d.BookingIDs), 0)
	return page
}
