package console

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/pages"
	"holdfast/internal/problem"
	"holdfast/internal/web/refused"
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
	// Refused is the form that the page shows as it was sent, and Why what was wrong with it; nil if none was refused.
	Refused *refused.Form
	Why     any
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
func (Layout) Key() string { return uuid.Must(uuid.NewV7()).String() }

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

// FragmentHeader asks for a page's content without the layout around it.
const FragmentHeader = "Holdfast-Fragment"

// Write answers a request with a page, or with its content alone if the request asks for that.
func (l Layout) Write(g *gin.Context, t *template.Template, status int) error {
	l.Fragment = g.GetHeader(FragmentHeader) != ""
	var b bytes.Buffer
	if l.Fragment {
		t = t.Lookup("fragment")
	}
	if err := t.Execute(&b, l); err != nil {
		return err
	}
	page := b.Bytes()
	if l.Refused != nil {
		var why bytes.Buffer
		err := t.ExecuteTemplate(&why, "refusal", l.Why)
		if err == nil {
			page, err = l.Refused.Fill(page, why.Bytes())
		}
		if err != nil {
			return err
		}
		status = l.Refused.Problem.Status
		if l.Refused.RetryAfter != "" {
			g.Header("Retry-After", l.Refused.RetryAfter)
		}
	}
	SetHeaders(g)
	g.Data(status, "text/html; charset=utf-8", page)
	return nil
}

// SetHeaders sets the headers that keep a page to itself. Nothing is kept by browsers and proxies, no link tells where it was followed, and
// no other site shows the page in a frame.
func SetHeaders(g *gin.Context) {
	g.Header("Cache-Control", "no-store")
	g.Header("Referrer-Policy", "no-referrer")
	g.Header("Cross-Origin-Opener-Policy", "same-origin")
	g.Header("X-Robots-Tag", "noindex")
	g.Header("Vary", FragmentHeader)
	g.Header("Content-Security-Policy", "default-src 'none'; base-uri 'none'; connect-src 'self'; form-action 'self'; "+
		"frame-ancestors 'none'; img-src 'self' data:; script-src 'self'; style-src 'self'")
}

// Redirect leads a browser to another page with GET.
func Redirect(g *gin.Context, to string) {
	SetHeaders(g)
	g.Redirect(http.StatusSeeOther, to)
}

// LeadToRefused leads a browser to the page of a form that was refused, with the form in a cookie. above is how many of
// the last segments of the form's path aren't of its page's. It reports false, and does nothing, for a form that no
// cookie can hold.
func LeadToRefused(g *gin.Context, f *refused.Form, secret string, above int, secure bool) bool {
	page := refused.PageOf(f.Path, above)
	cookie := f.Cookie(secret, page, secure)
	if cookie == nil {
		return false
	}
	http.SetCookie(g.Writer, cookie)
	Redirect(g, f.Location(page, g.Request.URL.Query()))
	return true
}

// EndRefused has the browser forget a form that was refused before, at the request of the same form that has done its
// work. The parameters are those of LeadToRefused.
func EndRefused(g *gin.Context, secret string, above int) {
	if g.Request.Method != http.MethodPost {
		return
	}
	form := g.Request.URL.Path
	if cookie := refused.Ended(g.Request, form, secret, refused.PageOf(form, above)); cookie != nil {
		http.SetCookie(g.Writer, cookie)
	}
}

// FormToken returns what each form of a sign-in carries: only pages that were made for the browser with this secret know it.
func FormToken(secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// HasToken reports whether a form carries the token of the browser with this secret.
func HasToken(form url.Values, secret string) bool {
	return hmac.Equal([]byte(form.Get(fieldToken)), []byte(FormToken(secret)))
}

// FormRequest returns the request that a form asks for once: it has the form's key, so that a form that is sent twice does its work once. A
// form that was filled in otherwise is another request.
func FormRequest(path string, form url.Values) (idempotency.Request, error) {
	key := form.Get(fieldKey)
	if key == "" || len(key) > maxFormKey {
		return idempotency.Request{}, problem.New(problem.MalformedRequest, "The form has no key. Load the page again.")
	}
	text := form.Encode()
	sum := sha256.Sum256([]byte(path + "?" + text))
	request, err := idempotency.NewRequest([]string{base64.RawURLEncoding.EncodeToString(sum[:])}, http.MethodPost, path, []byte(text))
	if err != nil {
		return idempotency.Request{}, err
	}
	return request.In(idempotency.Page)
}
