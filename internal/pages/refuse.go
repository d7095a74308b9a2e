package pages

import (
	"net/http"
	"strings"

	"holdfast/internal/booking"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
	"holdfast/internal/web/refused"
)

// A form of a booking's link that is refused travels in a cookie to its page: see the package refused. Cookies don't
// come back from every frame on another site, nor from everybody's browser. So each page of a link sets probeCookie,
// and a form without it is answered at once: else what was typed would be lost.
const probeCookie = "cookies"

// setCookie gives the browser a cookie for some seconds; 0 is until the browser is closed, -1 ends it. In a frame on
// the tenant's website it is kept for that site alone.
func (p *Pages) setCookie(v *visit, name, value, path string, seconds int) {
	c := &http.Cookie{Name: name, Value: value, Path: path, MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if strings.HasPrefix(p.publicURL, "https://") {
		c.Secure, c.Partitioned, c.SameSite = true, true, http.SameSiteNoneMode
	}
	http.SetCookie(v.c.Writer, c)
}

// probe finds out whether cookies come back.
func (p *Pages) probe(v *visit) {
	if v.link == nil || v.c.Request.Method != http.MethodGet || v.keepsCookies() {
		return
	}
	p.setCookie(v, probeCookie, "1", strings.TrimSuffix(booking.LinksPath, "/"), 0)
}

func (v *visit) keepsCookies() bool {
	_, err := v.c.Request.Cookie(probeCookie)
	return err == nil
}

// seal returns the secret of what the browser keeps of a refused form: whoever has the booking's link may read it, as
// the booking.
func (p *Pages) seal(v *visit) string { return p.Links.Token(*v.link) }

// readRefused reads the form that a page of a link is to show again.
func (p *Pages) readRefused(v *visit) {
	if v.link == nil || v.c.Request.Method != http.MethodGet {
		return
	}
	if v.refused = refused.Of(v.c.Request, p.seal(v)); v.refused != nil {
		v.why = v.refused.Problem
	}
}

// refuse answers a request that can't be done. The refusal of a form is shown by the form's page, to which the browser
// is led.
func (p *Pages) refuse(v *visit, n need, err error) {
	err = v.refused.Instead(err)
	d := problem.DocumentOf(err)
	if n.page == nil || v.c.Request.Method != http.MethodPost || !refused.Shows(d) {
		p.fail(v, err)
		return
	}
	edge.NoteProblem(v.ctx(), d)
	f := refused.New(v.c.Request, v.form, d, v.requestID(), fieldKey)
	f.Path = p.formPath(v)
	if p.leadToForm(v, f) {
		return
	}
	v.refused, v.why = f, d
	if n.page(v) != nil {
		p.fail(v, err)
	}
}

// formPath returns the path of the visit's form, with the link as it is now: details with another address end the
// former one.
func (p *Pages) formPath(v *visit) string {
	return p.ownPath(v, strings.TrimPrefix(v.c.Request.URL.Path, booking.LinksPath+v.c.Param("token")))
}

// leadToForm leads the browser to the page of a refused form. It reports false, and does nothing, if no cookie takes
// the form there.
func (p *Pages) leadToForm(v *visit, f *refused.Form) bool {
	page := refused.PageOf(f.Path, v.above)
	cookie := f.Cookie(p.seal(v), page, false)
	if cookie == nil || !v.keepsCookies() {
		return false
	}
	p.setCookie(v, cookie.Name, cookie.Value, cookie.Path, cookie.MaxAge)
	v.setHeaders()
	v.c.Redirect(http.StatusSeeOther, f.Location(page, v.c.Request.URL.Query()))
	return true
}

// endRefused has the browser forget a form that was refused before, at the request of the same form that has done its
// work.
func (p *Pages) endRefused(v *visit) {
	form := v.c.Request.URL.Path
	if cookie := refused.Ended(v.c.Request, form, v.c.Param("token"), refused.PageOf(form, v.above)); cookie != nil {
		p.setCookie(v, cookie.Name, cookie.Value, cookie.Path, cookie.MaxAge)
	}
}
