package pages

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"holdfast/internal/booking"
	"holdfast/internal/email"
	"holdfast/internal/idempotency"
	"holdfast/internal/web"
)

// visit is a request of a person for a page of a tenant. Why, of the refusal that the page says at its beginning, is
// nil if it is said in another place.
type visit struct {
	*site
	*lang
	web.Visit

	// link is that of the booking that the page is about; nil on the booking page.
	link *booking.Link
}

// newVisit returns the visit of a request before its tenant is known.
func (p *Pages) newVisit(g *gin.Context) *visit {
	v := &visit{site: noSite, lang: languageOf(g, email.Languages), Visit: web.NewVisit(g, p.policy)}
	v.Headers = v.headers
	return v
}

// ctx is the request's context.
func (v *visit) ctx() context.Context { return v.Context() }

// asked returns what the page is asked for: by a form, also by one that was refused, else by its address.
func (v *visit) asked() url.Values {
	switch {
	case v.Form != nil:
		return v.Form
	case v.Refused != nil:
		return v.Refused.Values
	}
	return v.Query
}

// fieldLanguage is the parameter of the language that was chosen.
const fieldLanguage = "lang"

// once works on a form's request once: see web.Visit.
func (p *Pages) once(v *visit, work web.Work) (idempotency.Outcome, error) {
	return v.Once(p.Guard, v.tenant.ID, work)
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
	if v.C.Query(fieldLanguage) == string(v.tag) {
		return string(v.tag)
	}
	return ""
}

// withLanguage returns a path with the language that was chosen: links and forms keep it.
func (v *visit) withLanguage(path string, query url.Values) string {
	if v.chosenLanguage() != "" {
		if query == nil {
			query = url.Values{}
		}
		query.Set(fieldLanguage, string(v.tag))
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// self is the path of the page, without that of its form.
func (v *visit) self() string {
	path := v.C.Request.URL.Path
	if v.link == nil || v.C.Request.Method == http.MethodGet {
		return path
	}
	return strings.TrimSuffix(path, path[strings.LastIndex(path, "/"):])
}
