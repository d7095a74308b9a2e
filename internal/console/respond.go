package console

import (
	"embed"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"sync"

	"holdfast/internal/operation"
	"holdfast/internal/problem"
	"holdfast/internal/web"
)

//go:embed templates
var templateFiles embed.FS

// pageNames are the pages. Each has a file of its own beside parts.html and forms.html.
var pageNames = []string{
	"find", "sign_in", "enter", "today", "bookings", "booking", "end", "move", "refund", "new", "calendar",
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
	return web.ParsePages(templateFiles, pageNames, words, "parts", "forms")
})

// sections are what the navigation leads to, each with the scope that it needs.
var sections = []struct {
	name, path string
	scope      operation.Scope
}{
	{"Today", "", operation.ScopeRead},
	{"Calendar", "calendar", operation.ScopeRead},
	{"Bookings", "bookings", operation.ScopeRead},
	{"New booking", "book", operation.ScopeBook},
	{"Customers", "customers", operation.ScopeRead},
	{"Money", "payments", operation.ScopeMoney},
	{"Catalog", "services", operation.ScopeCatalog},
	{"Settings", "settings", operation.ScopeAdmin},
	{"Developers", "api-keys", operation.ScopeAdmin},
	{"Users", "users", operation.ScopeAdmin},
}

// render answers with a page.
func (c *Console) render(v *visit, status int, name, title string, page any) error {
	data := web.Layout{Title: title, Self: v.self(), Page: page, Home: v.path()}
	if v.session != nil {
		data.Business, data.User, data.Token = v.tenant().Name, v.session.User.Name, web.FormToken(v.secret)
		data.Nav, data.Done = v.nav(), doneWords[v.Query.Get(web.FieldDone)]
		if data.Done != "" {
			data.Undo, _ = v.own(v.Query.Get(web.FieldUndo))
		}
	}
	if f := v.Refused; f != nil {
		data.Why = failureOf(v, f.Problem, f.RequestID)
	}
	return data.Write(&v.Visit, allTemplates()[name], status)
}

// self is the path and the query of the page, without what has just happened.
func (v *visit) self() string {
	u := url.URL{Path: v.C.Request.URL.Path, RawQuery: web.WithoutDone(v.C.Request.URL.Query()).Encode()}
	return u.String()
}

// nav returns the sections that the person may see.
func (v *visit) nav() (links []web.NavLink) {
	for _, s := range sections {
		if !v.May(s.scope) {
			continue
		}
		link := web.NavLink{Name: s.name, URL: v.path(), Current: v.C.Request.URL.Path == v.path()}
		if s.path != "" {
			link = v.NavLink(s.name, v.path(s.path))
			link.Current = link.Current || slices.ContainsFunc(v.tabs(s.path), func(t tab) bool { return t.Current })
		}
		links = append(links, link)
	}
	return links
}

// fail answers with a page that says what went wrong; whoever isn't signed in is led to where they can.
func (c *Console) fail(v *visit, err error) {
	signIn := ""
	if v.C.Param("slug") != "" {
		signIn = v.path("sign-in")
	}
	v.Fail(err, signIn, func(d *problem.Document) error {
		page := failureOf(v, d, v.RequestID())
		return c.render(v, d.Status, "failure", page.Heading, page)
	})
}

// failureOf says what went wrong.
func failureOf(v *visit, d *problem.Document, requestID string) *web.Failure {
	page := web.FailureOf(d, requestID)
	if d.Code == problem.NotFound {
		page.Text = "There is nothing here, or nothing that you may see."
	}
	for i, id := range d.BookingIDs {
		name := fmt.Sprintf("Booking %d", i+1)
		page.InTheWay = append(page.InTheWay, web.Link{Name: name, URL: v.path("bookings", id)})
	}
	if d.Code == problem.PaymentInProgress && d.PaymentID != "" {
		page.Text = "A payment of this booking has no end yet. Wait for its end, or cancel it on its page."
		page.InTheWay = []web.Link{{Name: "The payment", URL: v.path("payments", d.PaymentID)}}
	}
	page.More = max(d.BookingCount-len(d.BookingIDs), 0)
	return page
}
