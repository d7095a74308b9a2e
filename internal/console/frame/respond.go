package frame

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"slices"
	"sync"

	"holdfast/internal/operation"
	"holdfast/internal/problem"
	"holdfast/internal/web"
)

//go:embed templates
var files embed.FS

// shared are the pages that all sections can show.
var shared Pages = sync.OnceValue(func() map[string]*template.Template { return web.ParsePages(words, files) })

// Pages are the templates of pages, by their names.
type Pages func() map[string]*template.Template

// NewPages returns the pages of a section, templates/NAME.html each. They can use the parts of the section and of all
// sections, templates/parts. They are parsed when the first page is asked for: a server that shows none needs no memory
// for them.
func NewPages(own fs.FS) Pages {
	return sync.OnceValue(func() map[string]*template.Template { return web.ParsePages(words, own, files) })
}

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

// Render answers with a page.
func (c *Console) Render(v *Visit, status int, name, title string, page any) error {
	data := web.Layout{Title: title, Self: v.self(), Page: page, Home: v.Path()}
	if v.Session != nil {
		data.Business, data.User, data.Token = v.Tenant().Name, v.Session.User.Name, web.FormToken(v.secret)
		data.Nav, data.Done = v.nav(), doneWords[v.Query.Get(web.FieldDone)]
		if data.Done != "" {
			data.Undo, _ = v.own(v.Query.Get(web.FieldUndo))
		}
	}
	if f := v.Refused; f != nil {
		data.Why = failureOf(v, f.Problem, f.RequestID)
	}
	t := c.pages()[name]
	if t == nil {
		t = shared()[name]
	}
	return data.Write(&v.Visit, t, status)
}

// self is the path and the query of the page, without what has just happened.
func (v *Visit) self() string {
	u := url.URL{Path: v.C.Request.URL.Path, RawQuery: web.WithoutDone(v.C.Request.URL.Query()).Encode()}
	return u.String()
}

// nav returns the sections that the person may see.
func (v *Visit) nav() (links []web.NavLink) {
	for _, s := range sections {
		if !v.May(s.scope) {
			continue
		}
		link := web.NavLink{Name: s.name, URL: v.Path(), Current: v.C.Request.URL.Path == v.Path()}
		if s.path != "" {
			link = v.NavLink(s.name, v.Path(s.path))
			link.Current = link.Current ||
				slices.ContainsFunc(v.Tabs(s.path), func(t web.NavLink) bool { return t.Current })
		}
		links = append(links, link)
	}
	return links
}

// Fail answers with a page that says what went wrong; whoever isn't signed in is led to where they can.
func (c *Console) Fail(v *Visit, err error) {
	signIn := ""
	if v.C.Param("slug") != "" {
		signIn = v.Path("sign-in")
	}
	v.Fail(err, signIn, func(d *problem.Document) error {
		page := failureOf(v, d, v.RequestID())
		return c.Render(v, d.Status, "failure", page.Heading, page)
	})
}

// failureOf says what went wrong.
func failureOf(v *Visit, d *problem.Document, requestID string) *web.Failure {
	page := web.FailureOf(d, requestID)
	if d.Code == problem.NotFound {
		page.Text = "There is nothing here, or nothing that you may see."
	}
	for i, id := range d.BookingIDs {
		name := fmt.Sprintf("Booking %d", i+1)
		page.InTheWay = append(page.InTheWay, web.Link{Name: name, URL: v.Path("bookings", id)})
	}
	if d.Code == problem.PaymentInProgress && d.PaymentID != "" {
		page.Text = "A payment of this booking has no end yet. Wait for its end, or cancel it on its page."
		page.InTheWay = []web.Link{{Name: "The payment", URL: v.Path("payments", d.PaymentID)}}
	}
	page.More = max(d.BookingCount-len(d.BookingIDs), 0)
	return page
}
