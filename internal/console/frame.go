package console

import (
	"bytes"
	"html/template"
	"io/fs"

	"holdfast/internal/pages"
	"holdfast/internal/problem"
	"holdfast/internal/web"
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
	Why any
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

// NavLink leads to a section.
type NavLink struct {
	Name, URL string
	Current   bool
}

// Key returns the key of a form that is about to be shown.
func (Layout) Key() string { return web.NewKey() }

// ParsePages returns the templates of pages in the layout of the consoles, by their names. files has templates/NAME.html for each, which
// can use the parts of all pages and the named parts of files.
func ParsePages(files fs.FS, names []string, more template.FuncMap, parts ...string) map[string]*template.Template {
	found := make(map[string]*template.Template, len(names))
	for _, name := range names {
		t := template.New("layout.html").Funcs(words).Funcs(template.FuncMap{"asset": assetURL}).Funcs(more)
		t = template.Must(t.ParseFS(templateFiles, "templates/layout.html", "templates/parts.html", "templates/forms.html"))
		for _, part := range append(parts, name) {
			t = template.Must(t.ParseFS(files, "templates/"+part+".html"))
		}
		found[name] = t
	}
	return found
}

// assetURL returns the URL of a file of the console or of all pages.
func assetURL(name string) string {
	if url := Assets.URL(name); url != "" {
		return url
	}
	return pages.Assets.URL(name)
}

// Write answers a visit with a page, or with its content alone if the visit asks for that.
func (l Layout) Write(v *web.Visit, t *template.Template, status int) error {
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
