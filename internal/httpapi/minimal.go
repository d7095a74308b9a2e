package httpapi

import (
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"holdfast/internal/httpapi/admission"
)

// canBeMinimal reports whether a response of the route may go without its body if the client prefers that.
func (r route) canBeMinimal() bool {
	switch r.method {
	case http.MethodPost, http.MethodPatch, http.MethodPut:
		return !r.onlyHere
	}
	return false
}

// minimalOf returns the context of a request in which Prefer: return=minimal (RFC 7240, section 4.2) is applied to the
// response. What is stored under an idempotency key stays whole: each replay goes by its own Prefer.
func minimalOf(ctx huma.Context, r route) huma.Context {
	if preferred, _ := admission.Preference(humagin.Unwrap(ctx).Request.Header, "return"); preferred != "minimal" ||
		!r.canBeMinimal() {
		return ctx
	}
	return &minimalContext{wholeContext: ctx}
}

// minimalContext leaves out the body of 201, and makes 204 of 200. Every other response is whole: a refusal says why,
// and 202 what the client has to do next.
type minimalContext struct {
	wholeContext
	empty bool
}

// wholeContext is the context of the whole response. It has a name of its own because one that is called Context would
// hide the method Context.
type wholeContext huma.Context

// Unwrap returns the context of the whole response.
func (c *minimalContext) Unwrap() huma.Context { return c.wholeContext }

// SetStatus sets the status. The headers of the body are set before it.
func (c *minimalContext) SetStatus(status int) {
	if status == http.StatusOK || status == http.StatusCreated {
		c.empty = true
		header := humagin.Unwrap(c).Writer.Header()
		header.Del("Content-Type")
		header.Add("Preference-Applied", "return=minimal")
	}
	if status == http.StatusOK {
		status = http.StatusNoContent
	}
	c.wholeContext.SetStatus(status)
}

// BodyWriter returns where the body goes.
func (c *minimalContext) BodyWriter() io.Writer {
	if c.empty {
		return io.Discard
	}
	return c.wholeContext.BodyWriter()
}
