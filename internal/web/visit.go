package web

import (
	"context"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
	"holdfast/internal/web/refused"
)

// Policy is how a package of pages answers all its visits.
type Policy struct {
	// Secure says that people reach the server by https: cookies are for https alone then.
	Secure bool
	// Embedded says that other sites may show the pages in a frame, where cookies work, too.
	Embedded bool
	// FillsQuery says that a page with a refused form is the page of what the form's fields ask for.
	FillsQuery bool
	// Secrets are the fields that no page shows again, besides the key and the token.
	Secrets []string
}

// Visit is a request of a person for a page.
type Visit struct {
	Policy

	C *gin.Context
	// Query is that of the address. Form has the fields of the form that was sent, nil without one, and File the
	// content of its file.
	Query, Form url.Values
	File        []byte
	// Refused is the form that the page shows as it was sent, and Why the refusal; nil if none was refused.
	Refused *refused.Form
	Why     *problem.Document
	// FormPath is the path of the form. Above is how many of its last segments aren't of its page's.
	FormPath string
	Above    int
	// Seal is the secret of what the browser keeps of a refused form, which is nothing if it is empty.
	Seal string
	// Headers returns what the headers of the page are; nil for those of a console.
	Headers func() Headers

	ids map[string]uuid.UUID // of the path
}

// Visitor is a visit of a package of pages: it embeds a Visit.
type Visitor interface{ Core() *Visit }

// Core returns the visit itself.
func (v *Visit) Core() *Visit { return v }

// NewVisit returns the visit of a request.
func NewVisit(g *gin.Context, p Policy) Visit {
	return Visit{Policy: p, C: g, Query: g.Request.URL.Query(), FormPath: g.Request.URL.Path}
}

// Names of fields and parameters that several pages have.
const (
	FieldKey   = "key"
	FieldToken = "token"
	FieldAfter = "after" // says where a page of a list begins
	FieldDone  = "done"  // what a redirect says has just happened
	FieldUndo  = "undo"  // path of the page on which it can be undone
)

// Context is the request's context.
func (v *Visit) Context() context.Context { return v.C.Request.Context() }

// RequestID is what support asks for.
func (v *Visit) RequestID() string { return edge.RequestID(v.Context()) }

// Posts reports whether the request sends a form.
func (v *Visit) Posts() bool { return v.C.Request.Method == http.MethodPost }

// FragmentHeader asks for a page's content without the layout around it.
const FragmentHeader = "Holdfast-Fragment"

// Fragment reports whether the page is shown beside the one from which it was opened.
func (v *Visit) Fragment() bool { return v.C.GetHeader(FragmentHeader) != "" }

// crossOrigin refuses forms that a page of another site sends.
var crossOrigin = http.NewCrossOriginProtection()

// Read reads the form, in which the field file is a file; empty if none is. Errors: those of edge.ReadForm and
// edge.ReadUpload; problem.Forbidden for a form of another site.
func (v *Visit) Read(file string) (err error) {
	if file == "" {
		v.Form, err = edge.ReadForm(v.C)
	} else {
		v.Form, v.File, err = edge.ReadUpload(v.C, file)
	}
	if err == nil && crossOrigin.Check(v.C.Request) != nil {
		err = problem.New(problem.Forbidden, "The form was sent by a page of another site.")
	}
	return err
}

// SetCookie gives the browser a cookie for some seconds, which scripts can't read; 0 is until the browser is closed,
// -1 ends it. In a frame on another site it is kept for that site alone, and sameSite means nothing.
func (v *Visit) SetCookie(name, value, path string, seconds int, sameSite http.SameSite) {
	c := &http.Cookie{ //nolint:gosec // it is Secure where people reach the server by https
		Name:     name,
		Value:    value,
		Path:     path,
		MaxAge:   seconds,
		Secure:   v.Secure,
		HttpOnly: true,
		SameSite: sameSite,
	}
	switch {
	case v.Embedded && v.Secure:
		c.Partitioned, c.SameSite = true, http.SameSiteNoneMode
	case v.Embedded:
		c.SameSite = http.SameSiteLaxMode
	}
	http.SetCookie(v.C.Writer, c)
}

// Redirect leads the browser to another page with GET.
func (v *Visit) Redirect(to string) error {
	v.SetHeaders()
	v.C.Redirect(http.StatusSeeOther, to)
	return nil
}

// Finish is Redirect for a form that has done its work: the browser forgets that it was refused before.
func (v *Visit) Finish(to string) error {
	v.EndRefused()
	return v.Redirect(to)
}
