package operator

import (
	"embed"
	"html/template"
	"strings"
	"sync"
	"time"

	"holdfast/internal/problem"
	"holdfast/internal/web"
)

//go:embed templates
var templateFiles embed.FS

// allTemplates returns the templates by the page's name. They are parsed when the first page is asked for.
var allTemplates = sync.OnceValue(func() map[string]*template.Template {
	words := template.FuncMap{"utc": utc, "lasted": lasted, "operatorAsset": Assets.URL, "anchor": strings.ToLower}
	return web.ParsePages(words, templateFiles)
})

// utc returns date and time of day in UTC, with seconds: what the operator compares with logs.
func utc(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// doneWords say what has just happened, by what a redirect carries.
var doneWords = map[string]string{
	"account":        "The account and the fee are saved.",
	"corrected":      "The tenant is corrected.",
	"deleting":       "The tenant is being deleted, in the background.",
	"invited":        "The person is invited.",
	"invited_unsent": "The person is a user. No email can be sent: make a link and give it to the person.",
	"resumed":        "The tenant’s API keys work again.",
	"revoked":        "The API key is revoked.",
	"suspended":      "The tenant is suspended.",
}

// sections are what the navigation leads to.
var sections = []struct{ name, path string }{{"Tenants", "tenants"}, {"Locks", "locks"}, {"Metrics", "metrics"}}

// render answers with a page.
func (c *Console) render(v *visit, status int, name, title string, page any) error {
	data := web.Layout{Title: title, Self: v.C.Request.URL.RequestURI(), Page: page, Home: Path}
	if v.session != nil {
		data.Business, data.User, data.Token = "Operator", v.session.Name, web.FormToken(v.secret)
		data.Done = doneWords[v.Query.Get(web.FieldDone)]
		for _, s := range sections {
			link := v.NavLink(s.name, path(s.path))
			link.Current = link.Current || s.path == "tenants" && v.C.Request.URL.Path == path("new-tenant")
			data.Nav = append(data.Nav, link)
		}
	}
	if f := v.Refused; f != nil {
		data.Why = web.FailureOf(f.Problem, f.RequestID)
	}
	return data.Write(&v.Visit, allTemplates()[name], status)
}

// fail answers with a page that says what went wrong; whoever isn't signed in is led to where they can.
func (c *Console) fail(v *visit, err error) {
	v.Fail(err, path("sign-in"), func(d *problem.Document) error {
		page := web.FailureOf(d, v.RequestID())
		return c.render(v, d.Status, "failure", page.Heading, page)
	})
}
