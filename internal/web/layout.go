package web

import (
	"bytes"
	"cmp"
	"embed"
	"html/template"
	"io/fs"
	"path"
	"strings"

	"holdfast/internal/problem"
	"holdfast/internal/web/asset"
)

//go:embed templates assets
var files embed.FS

var (
	// Assets is the style sheet of all pages. The booking pages serve it.
	Assets = asset.New(files, "assets", "/pages/", "app.css")
	// ConsoleAssets are the style sheet and the script of both consoles. The console of tenants serves them.
	ConsoleAssets = asset.New(files, "assets", "/console-assets/", "console.css", "console.js")
)

// Layout is what each page of a console has: of a tenant's and of the operator's. A page's content gets it too.
type Layout struct {
	Title    string
	Business string // the tenant's name; empty where nobody is signed in
	User     string // the person's name
	Home     string // path of the console
	Self     string // path and query of this page
	Nav      []NavLink
	Done     string // what has just happened
	Undo     string // path of the page on which it can be undone; empty if it can't
	Token    string // of each form
	Fragment bool   // the page is shown beside the one from which it was opened
	Page     any
	// Why is what was wrong with the form that the page shows as it was sent; nil if none was refused.
	Why *Failure
}

// Failure is what went wrong, in words.
type Failure struct {
	Heading, Text string
	Fields        []problem.Field
	RequestID     string
	InTheWay      []Link // bookings, or a payment
	More          int    // how many more bookings are in the way
}

// FailureOf says what went wrong. requestID is what support asks for.
func FailureOf(d *problem.Document, requestID string) *Failure {
	return &Failure{Heading: d.Title, Text: d.Detail, Fields: d.Errors, RequestID: requestID}
}

// Link leads somewhere.
type Link struct{ Name, URL string }

// NavLink leads to a section, or to one of its pages.
type NavLink struct {
	Name, URL string
	Current   bool
}

// NavLink returns a link, which is current on the page at its path and on those below.
func (v *Visit) NavLink(name, to string) NavLink {
	here := v.C.Request.URL.Path
	return NavLink{name, to, here == to || strings.HasPrefix(here, to+"/")}
}

// Key returns the key of a form that is about to be shown.
func (Layout) Key() string { return NewKey() }

// ParsePages returns the templates of pages in the layout of the consoles, by their names: templates/NAME.html of own.
// They can use the parts of own and of what is shared, which are in templates/parts.
func ParsePages(words template.FuncMap, own fs.FS, shared ...fs.FS) map[string]*template.Template {
	common := template.FuncMap{"asset": assetURL, "money": Money, "named": Named}
	layout := template.New("layout.html").Funcs(common).Funcs(words)
	layout = template.Must(layout.ParseFS(files, "templates/layout.html"))
	for _, parts := range append(shared, own) {
		if found, _ := fs.Glob(parts, "templates/parts/*.html"); len(found) > 0 {
			layout = template.Must(layout.ParseFS(parts, found...))
		}
	}
	pages, _ := fs.Glob(own, "templates/*.html")
	found := make(map[string]*template.Template, len(pages))
	for _, page := range pages {
		t := template.Must(template.Must(layout.Clone()).ParseFS(own, page))
		found[strings.TrimSuffix(path.Base(page), ".html")] = t
	}
	return found
}

// assetURL returns the URL of a file of the consoles or of all pages.
func assetURL(name string) string { return cmp.Or(ConsoleAssets.URL(name), Assets.URL(name)) }

// Write answers a visit with a page, or with its content alone if the visit asks for that.
func (l Layout) Write(v *Visit, t *template.Template, status int) error {
	var b bytes.Buffer
	if l.Fragment = v.Fragment(); l.Fragment {
		t = t.Lookup("fragment")
	}
	if err := t.Execute(&b, l); err != nil {
		return err
	}
	page := b.Bytes()
	if v.Refused != nil {
		var why bytes.Buffer
		err := t.ExecuteTemplate(&why, "refusal", l.Why)
		if err == nil {
			page, err = v.Refused.Fill(page, why.Bytes())
		}
		if err != nil {
			return err
		}
	}
	v.Write(status, page)
	return nil
}
