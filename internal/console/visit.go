package console

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/tenant"
	"holdfast/internal/user"
	"holdfast/internal/web"
)

// visit is a request of a person for a page of the console.
type visit struct {
	web.Visit

	// secret is what the browser has; empty without a cookie. session is the sign-in of it, nil where nobody needs to be signed in.
	secret  string
	session *user.Session
	// names are those that resourceName has looked up.
	names names
}

// fieldBack is the field with the path of the page that a form leads back to.
const fieldBack = "back"

// May reports whether the person's role has a scope.
func (v *visit) May(scope operation.Scope) bool {
	return v.session != nil && v.session.Tenant.Scopes.Has(scope)
}

// tenant is the tenant of the person who is signed in.
func (v *visit) tenant() tenant.Tenant { return v.session.Tenant }

// ctx is the request's context.
func (v *visit) ctx() context.Context { return v.Context() }

// path is the path of the tenant's console, or below it.
func (v *visit) path(below ...string) string {
	to := "/console/" + url.PathEscape(v.C.Param("slug"))
	for _, part := range below {
		to += "/" + url.PathEscape(part)
	}
	return to
}

// once works on a form's request once: see web.Visit.
func (c *Console) once(v *visit, work web.Work) (idempotency.Outcome, error) {
	return v.Once(c.Guard, v.tenant().ID, work)
}

// doOnce works on a form's request once, and leads the browser back with what was done.
func (c *Console) doOnce(v *visit, done, otherwise string, work web.Work) error {
	if _, err := c.once(v, work); err != nil {
		return err
	}
	return v.done(done, otherwise)
}

// back returns the path that a form leads back to, if it is one of this tenant's console, and otherwise the given one.
func (v *visit) back(otherwise string) string {
	if to, ok := v.own(v.Form.Get(fieldBack)); ok {
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
	u.RawQuery = web.WithoutDone(u.Query()).Encode()
	return u.String(), true
}

// done leads the browser back with what was done.
func (v *visit) done(what, otherwise string) error { return v.doneWithUndo(what, otherwise, "") }

// doneWithUndo is done with the path of the page on which it can be undone.
func (v *visit) doneWithUndo(what, otherwise, undo string) error {
	said := url.Values{web.FieldDone: {what}}
	if undo != "" {
		said.Set(web.FieldUndo, undo)
	}
	to := v.back(otherwise)
	separator := "?"
	if strings.Contains(to, "?") {
		separator = "&"
	}
	return v.Finish(to + separator + said.Encode())
}

// cookieName is the name of the cookie that has a browser's secret.
const cookieName = "holdfast_console"

// setCookie gives the browser its secret for the console at a path, for some seconds; -1 ends it. Pages of other
// sites don't send it with what they send. It goes to the console of this tenant alone, so that a person can be
// signed in to several.
func (v *visit) setCookie(home, secret string, seconds int) {
	v.SetCookie(cookieName, secret, home, seconds, http.SameSiteLaxMode)
}

// fieldVersion is the version of the booking that the person saw.
const fieldVersion = "version"

// version returns the version that the form was made for: a change of what has changed meanwhile is refused.
func (v *visit) version() etag.Precondition {
	return etag.Precondition(`"` + v.Form.Get(fieldVersion) + `"`)
}

// moment returns date and time of day of t where the tenant is.
func (v *visit) moment(t time.Time) string { return moment(t.In(v.tenant().Location)) }

// doneOrOpen returns what was done: open if the provider hasn't said yet how it ends.
func doneOrOpen(r idempotency.Outcome, done, open string) string {
	if r.Open {
		return open
	}
	return done
}
