package operator

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/console"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/web/refused"
)

// visit is a request of a person for a page of the operator's console.
type visit struct {
	c *gin.Context
	// secret is what the browser has; empty without a cookie. session is the sign-in of it, nil where nobody needs to be signed in.
	secret      string
	session     *session
	query, form url.Values
	// refused is the form that the page shows as it was sent; nil if none was refused.
	refused *refused.Form
	// above is how many of the last segments of a form's path aren't of its page's, and seal the secret of what the
	// browser keeps of a refused form: the sign-in, and before it one of the server.
	above int
	seal  string
}

// Names of fields and parameters that several pages have.
const (
	fieldCell    = "cell"
	fieldDone    = "done" // what a redirect says has just happened
	fieldVersion = "version"
)

// pageSize is how many rows a page of a list has.
const pageSize = 50

func (v *visit) ctx() context.Context { return v.c.Request.Context() }

// requestID is what support asks for.
func (v *visit) requestID() string { return edge.RequestID(v.ctx()) }

// field returns a text of the form without the blanks around it.
func (v *visit) field(name string) string { return strings.TrimSpace(v.form.Get(name)) }

// path is the path of a page of the console.
func path(parts ...string) string {
	to := Path
	for _, part := range parts {
		to += "/" + url.PathEscape(part)
	}
	return to
}

// version returns the version that the person saw, as If-Match names it.
func (v *visit) version() string { return `"` + v.form.Get(fieldVersion) + `"` }

// done leads the browser on with what was done.
func (v *visit) done(what, to string) error {
	return v.redirect(to + "?" + url.Values{fieldDone: {what}}.Encode())
}

// redirect leads the browser to another page with GET: of a form, after its work is done.
func (v *visit) redirect(to string) error {
	console.EndRefused(v.c, v.seal, v.above)
	console.Redirect(v.c, to)
	return nil
}

// once works on a form's request when no other one of this process works on it, unless it was worked on before, and reads the response.
// scope is the tenant whose idempotency key the form's is, the nil id for the operator's own.
func (c *Console) once(v *visit, scope uuid.UUID, into any,
	work func(idempotency.Request) (idempotency.Outcome, error),
) error {
	request, err := console.FormRequest(v.c.Request.URL.Path, v.form)
	if err != nil {
		return err
	}
	permit, response, err := c.Guard.Begin(v.ctx(), scope, request)
	if permit != nil {
		defer permit.End()
		response, err = work(permit.Request)
		response, err = permit.Outcome(v.ctx(), response, err)
	}
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(response.Body, into)
}

// document is a JSON object that a form is read into.
type document = map[string]any

// readBody returns a T that a document shows, after the checks that the API makes of the body of a request. Errors:
// problem.MalformedRequest, problem.ValidationFailed.
func readBody[T any](c *Console, d document) (read T, err error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return read, err
	}
	if err := c.cfg.CheckBody(reflect.TypeFor[T](), false, raw); err != nil {
		return read, err
	}
	err = json.Unmarshal(raw, &read)
	return read, err
}

// patchOf returns a patch that sets what a document has, and removes what is nil in it.
func patchOf[T any](d document) (p mergepatch.Patch[T], err error) {
	raw, err := json.Marshal(d)
	return mergepatch.Of[T](string(raw)), err
}

// cookieName is the name of the cookie that has a browser's secret.
const cookieName = "holdfast_operator"

// setCookie gives the browser its secret for some seconds; -1 ends it. Scripts can't read it, and a request that another site leads to
// doesn't carry it.
func (c *Console) setCookie(v *visit, secret string, seconds int) {
	http.SetCookie(v.c.Writer, &http.Cookie{ //nolint:gosec // it is Secure where people reach the server by https
		Name: cookieName, Value: secret, Path: Path, MaxAge: seconds, Secure: c.secure, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}
