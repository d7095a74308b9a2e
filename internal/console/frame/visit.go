package frame

import (
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

// Visit is a request of a person for a page of the console.
type Visit struct {
	web.Visit

	// secret is what the browser has; empty without a cookie. session is the sign-in of it, nil where nobody needs to
	// be signed in.
	secret  string
	Session *user.Session
	// names are those that resourceName has looked up.
	names Names
}

// fieldBack is the field with the path of the page that a form leads back to.
const fieldBack = "back"

// May reports whether the person's role has a scope.
func (v *Visit) May(scope operation.Scope) bool {
	return v.Session != nil && v.Session.Tenant.Scopes.Has(scope)
}

// Tenant is the tenant of the person who is signed in.
func (v *Visit) Tenant() tenant.Tenant { return v.Session.Tenant }

// Path is the path of the tenant's console, or below it.
func (v *Visit) Path(below ...string) string {
	to := "/console/" + url.PathEscape(v.C.Param("slug"))
	for _, part := range below {
		to += "/" + url.PathEscape(part)
	}
	return to
}

// Once works on a form's request once: see web.Visit.
func (c *Console) Once(v *Visit, work web.Work) (idempotency.Outcome, error) {
	return v.Once(c.Guard, v.Tenant().ID, work)
}

// DoOnce works on a form's request once, and leads the browser back with what was done.
func (c *Console) DoOnce(v *Visit, done, otherwise string, work web.Work) error {
	if _, err := c.Once(v, work); err != nil {
		return err
	}
	return v.Done(done, otherwise)
}

// back returns the path that a form leads back to, if it is one of this tenant's console, and otherwise the given one.
func (v *Visit) back(otherwise string) string {
	if to, ok := v.own(v.Form.Get(fieldBack)); ok {
		return to
	}
	return otherwise
}

// own returns a path and query of this tenant's console, without what has just happened; false for anything else.
func (v *Visit) own(asked string) (string, bool) {
	u, err := url.Parse(asked)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Fragment != "" || path.Clean(u.Path) != u.Path ||
		strings.Contains(asked, `\`) ||
		u.Path != v.Path() && !strings.HasPrefix(u.Path, v.Path()+"/") {
		return "", false
	}
	u.RawQuery = web.WithoutDone(u.Query()).Encode()
	return u.String(), true
}

// Done leads the browser back with what was done.
func (v *Visit) Done(what, otherwise string) error { return v.DoneWithUndo(what, otherwise, "") }

// DoneWithUndo is done with the path of the page on which it can be undone.
func (v *Visit) DoneWithUndo(what, otherwise, undo string) error {
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

// SetSecret gives the browser its secret for the console at a path, for some seconds; -1 ends it. Pages of other
// sites don't send it with what they send. It goes to the console of this tenant alone, so that a person can be
// signed in to several.
func (v *Visit) SetSecret(home, secret string, seconds int) {
	v.SetCookie(cookieName, secret, home, seconds, http.SameSiteLaxMode)
}

// fieldVersion is the version of the booking that the person saw.
const fieldVersion = "version"

// Version returns the version that the form was made for: a change of what has changed meanwhile is refused.
func (v *Visit) Version() etag.Precondition {
	return etag.Precondition(`"` + v.Form.Get(fieldVersion) + `"`)
}

// Moment returns date and time of day of t where the tenant is.
func (v *Visit) Moment(t time.Time) string { return Moment(t.In(v.Tenant().Location)) }

// DoneOrOpen returns what was done: open if the provider hasn't said yet how it ends.
func DoneOrOpen(r idempotency.Outcome, done, open string) string {
	if r.Open {
		return open
	}
	return done
}
