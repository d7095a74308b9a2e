package web

import (
	"net/http"

	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
	"holdfast/internal/web/refused"
)

// Handle does what a visit asks for. If it is refused, the page of its form shows the form with the refusal: the
// browser is led there. What has no page, which is nil then, and what isn't a refusal of the form, fails. See
// docs/adr/0044-pages.md.
func Handle[V Visitor](visit V, do, page func(V) error, fail func(V, error)) {
	v := visit.Core()
	if err := v.readIDs(); err != nil {
		fail(visit, err)
		return
	}
	if v.C.Request.Method == http.MethodGet {
		v.show(refused.Of(v.C.Request, v.Seal))
	}
	err := do(visit)
	if err == nil {
		return
	}
	err = v.Refused.Instead(err)
	v.show(nil)
	d := problem.DocumentOf(err)
	if page == nil || !v.Posts() || v.Fragment() || !refused.Shows(d) {
		fail(visit, err)
		return
	}
	edge.NoteProblem(v.Context(), d)
	f := refused.New(v.C.Request, v.Form, d, v.RequestID(), append([]string{FieldKey, FieldToken}, v.Secrets...)...)
	f.Path = v.FormPath
	if v.leadTo(f) {
		return
	}
	v.show(f)
	if page(visit) != nil {
		fail(visit, err)
	}
}

// show has the page show a form that was refused, none if f is nil.
func (v *Visit) show(f *refused.Form) {
	v.Refused, v.Why = f, nil
	if f == nil {
		return
	}
	v.Why = f.Problem
	for name, values := range f.Values {
		if v.FillsQuery && !v.Query.Has(name) {
			v.Query[name] = values
		}
	}
}

// leadTo leads the browser to the page of a form that was refused, with the form in a cookie. It reports false, and
// does nothing, for a form that no cookie can hold.
func (v *Visit) leadTo(f *refused.Form) bool {
	page := refused.PageOf(f.Path, v.Above)
	cookie := f.Cookie(v.Seal, page, v.Secure)
	if cookie == nil {
		return false
	}
	v.SetCookie(cookie.Name, cookie.Value, cookie.Path, cookie.MaxAge, cookie.SameSite)
	_ = v.Redirect(f.Location(page, v.C.Request.URL.Query()))
	return true
}

// EndRefused has the browser forget a form that was refused before, at the request of the same form that has done its
// work.
func (v *Visit) EndRefused() {
	if !v.Posts() {
		return
	}
	c := refused.Ended(v.C.Request, v.FormPath, v.Seal, refused.PageOf(v.FormPath, v.Above))
	if c != nil {
		v.SetCookie(c.Name, c.Value, c.Path, c.MaxAge, c.SameSite)
	}
}

// Fail answers with the page that render makes of what went wrong. The access log and the metrics get the problem
// that a client of the API would get. A browser in which nobody is signed in is led to the page at the path signIn,
// unless that is empty.
func (v *Visit) Fail(err error, signIn string, render func(*problem.Document) error) {
	d := problem.DocumentOf(err)
	edge.NoteProblem(v.Context(), d)
	v.show(nil)
	defer v.C.Abort()
	gets := v.C.Request.Method == http.MethodGet && !v.Fragment()
	if problem.Is(err, problem.Unauthenticated) && signIn != "" && gets {
		_ = v.Redirect(signIn)
		return
	}
	for name, values := range d.GetHeaders() {
		if name != "Content-Type" {
			v.C.Writer.Header()[name] = values
		}
	}
	if err := render(d); err != nil {
		edge.WriteProblem(v.C, err)
	}
}

// Write answers with a page. One that shows a refused form has the status of the refusal.
func (v *Visit) Write(status int, page []byte) {
	if f := v.Refused; f != nil {
		status = f.Problem.Status
		if f.RetryAfter != "" {
			v.C.Header("Retry-After", f.RetryAfter)
		}
	}
	v.SetHeaders()
	v.C.Data(status, "text/html; charset=utf-8", page)
}
