package pages

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"holdfast/internal/email"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
	"holdfast/internal/web"
)

//go:embed templates
var templateFiles embed.FS

// templates are those of all pages in one language, by the page's name.
type templates map[string]*template.Template

// pageNames are the pages. Each has a file of its own beside layout.html and the parts that several pages have.
var pageNames = []string{"services", "times", "terms", "booking", "cancel", "move", "receipt", "failure"}

// allTemplates returns the templates by language. They are parsed when the first page is asked for, as the languages
// are read.
var allTemplates = sync.OnceValue(parseTemplates)

func parseTemplates() map[email.Language]templates {
	found := make(map[email.Language]templates, len(languages()))
	for tag, l := range languages() {
		found[tag] = make(templates, len(pageNames))
		for _, name := range pageNames {
			t := template.New("layout.html").Funcs(template.FuncMap{
				"t": l.text, "asset": Assets.URL,
				"rfc3339": func(at time.Time) string { return at.Format(time.RFC3339) }, "lines": lines,
			})
			found[tag][name] = template.Must(t.ParseFS(templateFiles, "templates/layout.html", "templates/parts.html",
				"templates/"+name+".html"))
		}
	}
	return found
}

// lines returns the lines of a text that people wrote.
func lines(text string) []string {
	return strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n")
}

// layout is what each page has.
type layout struct {
	Lang      string
	Title     string
	Tenant    string // name; empty on pages without one
	Logo      string // its URL; empty without one
	Home      string // the booking page
	Contact   string
	Address   string
	Terms     string // URL; empty without terms
	Theme     template.CSS
	Languages []languageLink
	Back      string // URL of the page before
	Why       *refusal
	Page      any
}

// refusal says in words why the form that led to the page was refused.
type refusal struct{ Heading, Text string }

// languageLink leads to the page in another language.
type languageLink struct {
	Tag, Name, URL string
	Current        bool
}

// render answers with a page. One that shows a refused form has the status of the refusal.
func (p *Pages) render(v *visit, status int, name, title string, page any) error {
	data := layout{Lang: string(v.tag), Title: title, Theme: v.theme.css, Page: page}
	if v.Why != nil {
		data.Why = new(refusal)
		data.Why.Heading, data.Why.Text = v.inWords(v.Why)
	}
	p.probe(v)
	switch {
	case v.site == noSite:
	case v.closed != nil:
		data.Tenant = v.tenant.Name
	default:
		data.Tenant, data.Home = v.tenant.Name, v.withLanguage(v.bookPath(), nil)
		data.Contact, data.Address = v.page.Contact, v.page.Address
		if v.page.Terms != "" {
			data.Terms = v.withLanguage(v.bookPath("terms"), nil)
		}
		data.Logo, data.Languages = v.logo, v.languageLinks()
	}
	var b bytes.Buffer
	if err := allTemplates()[v.tag][name].Execute(&b, data); err != nil {
		return err
	}
	v.Write(status, b.Bytes())
	return nil
}

// headers are those of the page: the sites of the tenant may show it in a frame.
func (v *visit) headers() web.Headers {
	h := web.Headers{Frames: "'self'", Style: v.theme.hash, Language: string(v.tag), Indexed: v.link == nil}
	for _, origin := range v.page.EmbedOrigins {
		h.Frames += " " + string(origin)
	}
	return h
}

// languageLinks lead to the page that is shown in each language of the tenant; none if there is only one.
func (v *visit) languageLinks() (links []languageLink) {
	offered := v.page.Offered()
	if len(offered) < 2 {
		return nil
	}
	query := v.C.Request.URL.Query()
	if v.C.Request.Method != http.MethodGet { // the form's path shows nothing
		query = nil
	}
	for _, tag := range offered {
		query = maps.Clone(query)
		if query == nil {
			query = url.Values{}
		}
		query.Set(fieldLanguage, string(tag))
		query.Del(web.FieldKey)
		links = append(links, languageLink{
			Tag: string(tag), Name: languages()[tag].name, URL: v.self() + "?" + query.Encode(), Current: tag == v.tag,
		})
	}
	return links
}

// redirect leads the browser to another page with GET.
func (v *visit) redirect(path string, query url.Values) error {
	return v.Redirect(v.withLanguage(path, query))
}

// failure is what went wrong, in words.
type failure struct {
	Heading, Text string
	RequestID     string
	Home          string
	Contact       string // of a business that can't be reached here; else it stands below the page
	Retry         bool   // the same again may work
}

// fail answers with a page that says what went wrong.
func (p *Pages) fail(v *visit, err error) {
	v.Fail(err, "", func(d *problem.Document) error { return p.renderFailure(v, d) })
}

func (p *Pages) renderFailure(v *visit, document *problem.Document) error {
	page := failure{RequestID: v.RequestID(), Retry: document.Status == http.StatusServiceUnavailable}
	page.Heading, page.Text = v.inWords(document)
	switch {
	case v.site == noSite:
	case v.closed == nil:
		page.Home = v.withLanguage(v.bookPath(), nil)
	default:
		page.Contact = strings.TrimSpace(v.page.Contact + "\n" + v.page.Address)
		name := "closed_text"
		if page.Contact == "" {
			name = "closed_text_alone"
		}
		page.Heading, page.Text = v.text("closed_heading", "Tenant", v.tenant.Name),
			v.text(name, "Tenant", v.tenant.Name)
	}
	return p.render(v, document.Status, "failure", page.Heading, page)
}

// inWords says what a problem is to people: by its code, else by its status.
func (v *visit) inWords(document *problem.Document) (heading, text string) {
	for _, name := range []string{string(document.Code), strconv.Itoa(document.Status),
		strconv.Itoa(document.Status/100) + "xx"} {
		if v.hasText("problem_" + name + "_heading") {
			return v.text("problem_" + name + "_heading"), v.text("problem_" + name + "_text")
		}
	}
	return v.text("problem_5xx_heading"), v.text("problem_5xx_text")
}

// refusalOf returns the refusal of a time that can't be had, nil for other errors.
func refusalOf(err error) *problem.Error {
	var refusal *problem.Error
	if errors.As(err, &refusal) && slices.Contains(ofTheTime, refusal.Code) {
		return refusal
	}
	return nil
}

// ofTheTime are the refusals for which another time is offered.
var ofTheTime = []problem.Code{
	problem.SlotUnavailable, problem.OutsideBookingWindow, problem.OutsideOpeningHours, problem.ValidationFailed,
}

// noteRefusal notes a refusal that the page tells in its own words, and returns its status.
func (v *visit) noteRefusal(refusal *problem.Error) int {
	document := problem.DocumentOf(refusal)
	edge.NoteProblem(v.ctx(), document)
	return document.Status
}
