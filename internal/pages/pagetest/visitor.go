package pagetest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Visitor is a person with a browser that knows no JavaScript.
type Visitor struct {
	Client *http.Client
	Header http.Header
}

// NewVisitor returns a visitor who reads English.
func NewVisitor(t testing.TB) *Visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &Visitor{Client: &http.Client{Jar: jar}, Header: http.Header{"Accept-Language": {"en"}}}
}

// Page is what a visitor sees.
type Page struct {
	Method string // by which it was asked for, after redirects
	Status int
	Header http.Header
	URL    *url.URL
	Raw    string
	Root   *html.Node
	By     *Visitor
}

// Open opens a page.
func (v *Visitor) Open(t testing.TB, address string) *Page {
	t.Helper()
	return v.Send(t, http.MethodGet, address, nil)
}

// Send sends a form, and follows where it leads.
func (v *Visitor) Send(t testing.TB, method, address string, form url.Values) *Page {
	t.Helper()
	var body io.Reader = http.NoBody
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(t.Context(), method, address, body)
	require.NoError(t, err)
	for name, values := range v.Header {
		r.Header[name] = values
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := v.Client.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	return v.Read(t, response)
}

// Read returns the page that a response is.
func (v *Visitor) Read(t testing.TB, response *http.Response) *Page {
	t.Helper()
	raw, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	root, err := html.Parse(bytes.NewReader(raw))
	require.NoError(t, err)
	return &Page{response.Request.Method, response.StatusCode, response.Header, response.Request.URL, string(raw), root,
		v}
}

// All returns the elements of a kind.
func (p *Page) All(kind atom.Atom) (found []*html.Node) {
	for n := range p.Root.Descendants() {
		if n.Type == html.ElementNode && n.DataAtom == kind {
			found = append(found, n)
		}
	}
	return found
}

// Attribute returns an attribute of an element, empty without it.
func Attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// Text returns the text of an element, or of the whole page, with single blanks.
func Text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && (d.Parent == nil || d.Parent.DataAtom != atom.Style) {
			b.WriteString(d.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Text returns the text of the page.
func (p *Page) Text() string { return Text(p.Root) }

// Heading returns the first heading of the page.
func (p *Page) Heading() string { return Text(p.All(atom.H1)[0]) }

// Follow opens the link whose text holds some words.
func (p *Page) Follow(t testing.TB, words string) *Page {
	t.Helper()
	for _, a := range p.All(atom.A) {
		if strings.Contains(Text(a), words) {
			return p.By.Open(t, p.Resolve(t, Attribute(a, "href")))
		}
	}
	require.Fail(t, "no link", "%q isn't on the page: %s", words, p.Text())
	return nil
}

// Resolve returns the URL that a link of the page leads to.
func (p *Page) Resolve(t testing.TB, reference string) string {
	t.Helper()
	u, err := p.URL.Parse(reference)
	require.NoError(t, err)
	u.Fragment = ""
	return u.String()
}

// Form is a form of a page with what stands in its fields.
type Form struct {
	page    *Page
	Action  string
	Method  string
	Values  url.Values
	Button  url.Values
	Buttons []url.Values
	// targets are where buttons lead that have a target of their own, by what they send.
	targets map[string]target
}

// target is where a form, or a button of it, leads.
type target struct{ method, action string }

// Form returns the form that has a button whose text begins with some words.
func (p *Page) Form(t testing.TB, words string) *Form {
	t.Helper()
	for _, n := range p.All(atom.Form) {
		f := p.FormOf(t, n)
		i := 0
		for d := range n.Descendants() {
			if d.DataAtom != atom.Button {
				continue
			}
			if strings.HasPrefix(Text(d), words) {
				f.Button = f.Buttons[i]
				return f
			}
			i++
		}
	}
	require.Fail(t, "no form", "no button begins with %q: %s", words, p.Text())
	return nil
}

// FormOf reads a form.
func (p *Page) FormOf(t testing.TB, n *html.Node) *Form {
	t.Helper()
	f := &Form{page: p, Action: p.Resolve(t, Attribute(n, "action")), Method: strings.ToUpper(Attribute(n, "method"))}
	f.Values, f.targets = url.Values{}, make(map[string]target)
	for d := range n.Descendants() {
		name, value := Attribute(d, "name"), Attribute(d, "value")
		selected := slices.ContainsFunc(d.Attr, func(a html.Attribute) bool { return a.Key == "selected" })
		switch {
		case d.DataAtom == atom.Input && Attribute(d, "type") != "checkbox":
			f.Values.Set(name, value)
		case d.DataAtom == atom.Input &&
			slices.ContainsFunc(d.Attr, func(a html.Attribute) bool { return a.Key == "checked" }):
			f.Values.Add(name, value)
		case d.DataAtom == atom.Textarea && d.FirstChild != nil:
			f.Values.Set(name, d.FirstChild.Data)
		case d.DataAtom == atom.Option && selected:
			f.Values.Set(Attribute(d.Parent, "name"), value)
		case d.DataAtom == atom.Button:
			var sent url.Values
			if name != "" {
				sent = url.Values{name: {value}}
			}
			f.Buttons = append(f.Buttons, sent)
			if method := Attribute(d, "formmethod"); method != "" {
				f.targets[sent.Encode()] = target{strings.ToUpper(method), p.Resolve(t, Attribute(d, "formaction"))}
			}
		}
	}
	return f
}

// Without empties a field, or unticks a box.
func (f *Form) Without(name string) *Form {
	f.Values.Del(name)
	return f
}

// With fills in a field.
func (f *Form) With(name, value string) *Form {
	f.Values.Set(name, value)
	return f
}

// Submit presses the button.
func (f *Form) Submit(t testing.TB) *Page {
	t.Helper()
	values := url.Values{}
	for _, from := range []url.Values{f.Values, f.Button} {
		for name, list := range from {
			values[name] = list
		}
	}
	to, own := f.targets[f.Button.Encode()]
	if !own {
		to = target{f.Method, f.Action}
	}
	if to.method == http.MethodPost {
		return f.page.By.Send(t, http.MethodPost, to.action, values)
	}
	return f.page.By.Open(t, to.action+"?"+values.Encode())
}

// Press submits the form of a button.
func (p *Page) Press(t testing.TB, words string) *Page {
	t.Helper()
	return p.Form(t, words).Submit(t)
}
