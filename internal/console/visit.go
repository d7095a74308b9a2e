package console

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/gin-gonic/gin"

	"holdfast/internal/httpapi/edge"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
	"holdfast/internal/user"
	"holdfast/internal/web/refused"
)

// visit is a request of a person for a page of the console.
type visit struct {
	c *gin.Context
	// secret is what the browser has; empty without a cookie. session is the sign-in of it, nil where nobody needs to be signed in.
	secret      string
	session     *user.Session
	query, form url.Values
	// refused is the form that the page shows as it was sent; nil if none was refused.
	refused *refused.Form
	// above is how many of the last segments of a form's path aren't of its page's.
	above int
	// file is what the form has of the file that the page asks for; empty without one.
	file []byte
}

// Names of fields that every form has.
const (
	fieldKey   = "key"
	fieldToken = "token"
	fieldBack  = "back" // path of the page that a form leads back to
	fieldDone  = "done" // what a redirect says has just happened
	fieldUndo  = "undo" // path of the page on which it can be undone
)

// maxFormKey bounds the key of a form, in bytes.
const maxFormKey = 64

// readForm reads the request's form, in which the field file is a file; empty if none is.
func (v *visit) readForm(file string) (err error) {
	if file != "" {
		v.form, v.file, err = edge.ReadUpload(v.c, file)
		return err
	}
	v.form, err = edge.ReadForm(v.c)
	return err
}

// May reports whether the person's role has a scope.
func (v *visit) May(scope tenant.Scope) bool {
	return v.session != nil && v.session.Tenant.Scopes.Has(scope)
}

// tenant is the tenant of the person who is signed in.
func (v *visit) tenant() tenant.Tenant { return v.session.Tenant }

// ctx is the request's context.
func (v *visit) ctx() context.Context { return v.c.Request.Context() }

// requestID is what support asks for.
func (v *visit) requestID() string { return edge.RequestID(v.ctx()) }

// token returns what each form of a sign-in carries.
func (v *visit) token() string { return FormToken(v.secret) }

func (v *visit) hasToken() bool { return HasToken(v.form, v.secret) }

// path is the path of the tenant's console, or below it.
func (v *visit) path(below ...string) string {
	to := "/console/" + url.PathEscape(v.c.Param("slug"))
	for _, part := range below {
		to += "/" + url.PathEscape(part)
	}
	return to
}

// request returns the request that a form asks for once.
func (v *visit) request() (idempotency.Request, error) {
	return FormRequest(v.c.Request.URL.Path, v.form)
}

// once works on a form's request when no other one of this process works on it, unless it was worked on before.
func (c *Console) once(v *visit, work func(idempotency.Request) (idempotency.Outcome, error),
) (idempotency.Outcome, error) {
	request, err := v.request()
	if err != nil {
		return idempotency.Outcome{}, err
	}
	permit, stored, err := c.Guard.Begin(v.ctx(), v.tenant().ID, request)
	if permit == nil {
		return stored, err
	}
	defer permit.End()
	response, err := work(permit.Request)
	return permit.Outcome(v.ctx(), response, err)
}

// show has the page show a form that was refused. It is the page of what the form's fields ask for.
func (v *visit) show(f *refused.Form) {
	v.refused = f
	for name, values := range f.Values {
		if !v.query.Has(name) {
			v.query[name] = values
		}
	}
}

// back returns the path that a form leads back to, if it is one of this tenant's console, and otherwise the given one.
func (v *visit) back(otherwise string) string {
	if to, ok := v.own(v.form.Get(fieldBack)); ok {
		return to
	}
	return otherwise
}

// own returns a path and query of this tenant's console, without what has just happened; false for anything else.
func (v *visit) own(asked string) (string, bool) {
	u, err := url.Parse(asked)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Fragment != "" || path.Clean(u.Path) != u.Path || strings.Contains(asked, `\`) ||
		u.Path != v.path() && !strings.HasPrefix(u.Path, v.path()+"/") {
		return "", false
	}
	u.RawQuery = withoutDone(u.Query()).Encode()
	return u.String(), true
}

// done leads the browser back with what was done.
func (v *visit) done(what, otherwise string) error { return v.doneWithUndo(what, otherwise, "") }

// doneWithUndo is done with the path of the page on which it can be undone.
func (v *visit) doneWithUndo(what, otherwise, undo string) error {
	said := url.Values{fieldDone: {what}}
	if undo != "" {
		said.Set(fieldUndo, undo)
	}
	to := v.back(otherwise)
	separator := "?"
	if strings.Contains(to, "?") {
		separator = "&"
	}
	return v.redirect(to + separator + said.Encode())
}

// redirect leads the browser to another page with GET: of a form, after its work is done.
func (v *visit) redirect(to string) error {
	EndRefused(v.c, v.seal(), v.above)
	Redirect(v.c, to)
	return nil
}

// cookieName is the name of the cookie that has a browser's secret.
const cookieName = "holdfast_console"

// setCookie gives the browser its secret for the console at a path, for some seconds; -1 ends it. Scripts can't read it, and pages of other
// sites don't send it with what they send. It goes to the console of this tenant alone, so that a person can be signed in to several.
func (c *Console) setCookie(v *visit, home, secret string, seconds int) {
	http.SetCookie(v.c.Writer, &http.Cookie{ //nolint:gosec // Secure follows the public URL
		Name: cookieName, Value: secret, Path: home, MaxAge: seconds, Secure: c.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}
