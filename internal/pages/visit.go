package pages

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"holdfast/internal/booking"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/web/refused"
)

// visit is a request of a person for a page of a tenant.
type visit struct {
	*site
	*lang

	c *gin.Context
	// link is that of the booking that the page is about; nil on the booking page.
	link        *booking.Link
	query, form url.Values
	// refused is the form that the page shows as it was sent; nil if none was refused. above is how many of the last
	// segments of a form's path aren't of its page's.
	refused *refused.Form
	above   int
	// why is the refusal that the page says at its beginning; nil if there is none, or if it is said in another place.
	why *problem.Document
}

// asked returns what the page is asked for: by a form, also by one that was refused, else by its address.
func (v *visit) asked() url.Values {
	switch {
	case v.form != nil:
		return v.form
	case v.refused != nil:
		return v.refused.Values
	}
	return v.query
}

// Names of fields that every form has.
const (
	fieldKey      = "key"
	fieldLanguage = "lang"
)

// maxFormKey bounds the key of a form, in bytes.
const maxFormKey = 64

// request returns the request that a form asks for once: it has the form's key, so that a form that is sent twice does its work once. A
// form that was filled in otherwise is another request.
func (v *visit) request() (idempotency.Request, error) {
	key := v.form.Get(fieldKey)
	if key == "" || len(key) > maxFormKey {
		return idempotency.Request{}, problem.New(problem.MalformedRequest, "The form has no key. Load the page again.")
	}
	path, form := v.c.Request.URL.Path, v.form.Encode()
	sum := sha256.Sum256([]byte(path + "?" + form))
	request, err := idempotency.NewRequest([]string{base64.RawURLEncoding.EncodeToString(sum[:])}, http.MethodPost, path, []byte(form))
	if err != nil {
		return idempotency.Request{}, err
	}
	return request.In(idempotency.Page)
}

// once works on a form's request when no other one of this process works on it, unless it was worked on before.
func (p *Pages) once(v *visit, work func(idempotency.Request) (idempotency.Outcome, error),
) (idempotency.Outcome, error) {
	request, err := v.request()
	if err != nil {
		return idempotency.Outcome{}, err
	}
	ctx := v.c.Request.Context()
	permit, stored, err := p.Guard.Begin(ctx, v.tenant.ID, request)
	if permit == nil {
		return stored, err
	}
	defer permit.End()
	response, err := work(permit.Request)
	return permit.Outcome(ctx, response, err)
}

// bookPath is the path of the tenant's booking page, or below it.
func (v *visit) bookPath(below ...string) string {
	path := "/book/" + url.PathEscape(v.tenant.Slug)
	for _, part := range below {
		path += "/" + url.PathEscape(part)
	}
	return path
}

// chosenLanguage returns the language that the visitor has chosen by a link; empty if the browser's is shown.
func (v *visit) chosenLanguage() string {
	if v.c.Query(fieldLanguage) == v.tag {
		return v.tag
	}
	return ""
}

// withLanguage returns a path with the language that was chosen: links and forms keep it.
func (v *visit) withLanguage(path string, query url.Values) string {
	if v.chosenLanguage() != "" {
		if query == nil {
			query = url.Values{}
		}
		query.Set(fieldLanguage, v.tag)
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// self is the path of the page, without that of its form.
func (v *visit) self() string {
	path := v.c.Request.URL.Path
	if v.link == nil || v.c.Request.Method == http.MethodGet {
		return path
	}
	return strings.TrimSuffix(path, path[strings.LastIndex(path, "/"):])
}

// requestID is what support asks for.
func (v *visit) requestID() string { return edge.RequestID(v.c.Request.Context()) }
