package operator

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"holdfast/internal/mergepatch"
	"holdfast/internal/web"
)

// visit is a request of a person for a page of the operator's console.
type visit struct {
	web.Visit

	// secret is what the browser has; empty without a cookie. session is the sign-in of it, nil where nobody needs to
	// be signed in.
	secret  string
	session *session
}

// Names of fields and parameters that several pages have.
const (
	fieldCell    = "cell"
	fieldVersion = "version"
)

// pageSize is how many rows a page of a list has.
const pageSize = 50

func (v *visit) ctx() context.Context { return v.Context() }

// field returns a text of the form without the blanks around it.
func (v *visit) field(name string) string { return strings.TrimSpace(v.Form.Get(name)) }

// path is the path of a page of the console.
func path(parts ...string) string {
	to := Path
	for _, part := range parts {
		to += "/" + url.PathEscape(part)
	}
	return to
}

// version returns the version that the person saw, as If-Match names it.
func (v *visit) version() string { return `"` + v.Form.Get(fieldVersion) + `"` }

// done leads the browser on with what was done.
func (v *visit) done(what, to string) error {
	return v.Finish(to + "?" + url.Values{web.FieldDone: {what}}.Encode())
}

// once works on a form's request once, and reads the response: see web.Visit. scope is the tenant whose idempotency
// key the form's is, the nil id for the operator's own.
func (c *Console) once(v *visit, scope uuid.UUID, into any, work web.Work) error {
	response, err := v.Once(c.Guard, scope, work)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(response.Body, into)
}

// document is a JSON object that a form is read into.
type document = web.Document

// readBody returns a T that a document shows: see web.ReadBody.
func readBody[T any](c *Console, d document) (T, error) { return web.ReadBody[T](c.cfg.CheckBody, d) }

// patchOf returns a patch that sets what a document has, and removes what is nil in it.
func patchOf[T any](d document) (p mergepatch.Patch[T], err error) {
	raw, err := json.Marshal(d)
	return mergepatch.Of[T](string(raw)), err
}

// cookieName is the name of the cookie that has a browser's secret.
const cookieName = "holdfast_operator"

// setCookie gives the browser its secret for some seconds; -1 ends it. A request that another site leads to doesn't
// carry it.
func (v *visit) setCookie(secret string, seconds int) {
	v.SetCookie(cookieName, secret, Path, seconds, http.SameSiteStrictMode)
}
