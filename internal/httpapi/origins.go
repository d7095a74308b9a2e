package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Headers of CORS (https://fetch.spec.whatwg.org/#http-cors-protocol).
const (
	allowOrigin   = "Access-Control-Allow-Origin"
	exposeHeaders = "Access-Control-Expose-Headers"

	allowedHeaders = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, Request-Id"
	exposedHeaders = "ETag, Idempotent-Replayed, Location, Preference-Applied, RateLimit, RateLimit-Policy, Request-Id, Retry-After"
	// preflightAge is for how many seconds a browser remembers a preflight, which is the longest time for some of them.
	preflightAge = "7200"
)

// checkOrigin lets the page that sends a request with a publishable key read the response, if it is a page of the
// tenant's website. A request without an Origin comes from no page. Responses to other keys are read by no page: such a
// key must not stand in one.
//
// Errors: problem.Forbidden for a page of another website.
func checkOrigin(c *gin.Context, t tenant.Tenant) error {
	header := c.Writer.Header()
	header.Del(allowOrigin)
	header.Del(exposeHeaders)
	origins := c.Request.Header.Values("Origin")
	if !t.Scopes.Publishable() || len(origins) == 0 {
		return nil
	}
	if len(origins) > 1 || !t.AllowsOrigin(origins[0]) {
		return problem.New(problem.Forbidden,
			"This API key is for pages of the tenant's website. The tenant's settings don't list "+
				"the origin of this page in website.origins.")
	}
	header.Set(allowOrigin, origins[0])
	header.Set(exposeHeaders, exposedHeaders)
	if !slices.Contains(header.Values("Vary"), "Origin") {
		header.Add("Vary", "Origin")
	}
	return nil
}

// writeBeforeAuthentication answers with err's problem document while nobody knows whose request it is, but for what is
// remembered of its key. The document says the same to everyone. So each page may read it that a website could have:
// else a page can't tell that it has to wait from a broken network.
func writeBeforeAuthentication(c *gin.Context, r route, known tenant.Tenant, err error) {
	switch {
	case !r.forWebsites():
	case known.Scopes.Publishable():
		_ = checkOrigin(c, known) // err stays the reason
	case len(known.Scopes) == 0 && c.GetHeader("Origin") != "":
		c.Header(allowOrigin, "*")
		c.Header(exposeHeaders, exposedHeaders)
	}
	edge.WriteProblem(c, err)
}

// takeVisitorToken takes a token of the visitor who sends a request with a publishable key of a tenant. Errors:
// problem.RateLimited.
func (a *API) takeVisitorToken(c *gin.Context, t tenant.Tenant) error {
	if !t.Scopes.Publishable() {
		return nil
	}
	return a.admission.TakeVisitorToken(c, t.ID)
}

// visitorLimits returns what takes the holds and payments of a visitor. A tenant's application, which has another key,
// has no such limits.
func (a *API) visitorLimits(c *gin.Context,
	t tenant.Tenant) (takeHold func(unitNights int) (giveBack func(), err error),
	takePayment func() (giveBack func(), err error),
) {
	if !t.Scopes.Publishable() {
		unlimited := func() (func(), error) { return func() {}, nil }
		return func(int) (func(), error) { return unlimited() }, unlimited
	}
	return func(unitNights int) (func(), error) { return a.admission.TakeVisitorHold(c, t.ID, unitNights) },
		func() (func(), error) { return a.admission.TakeVisitorPayment(c, t.ID) }
}

// routePreflights answers what browsers ask before a page sends a request to a route that publishable keys can use. The
// question has no key. So each page gets the same answer; what it may read of the response to the request itself
// depends on the key.
func (a *API) routePreflights() {
	of, toGin := a.Edge.Routes(tenantsPath, edge.FromKey), strings.NewReplacer(tenantsPath+"/", "/", "{", ":", "}", "")
	for path, methods := range a.websiteMethods {
		allowed := strings.Join(slices.Sorted(slices.Values(methods)), ", ")
		of.OPTIONS(toGin.Replace(path), edge.CheckRequest, func(c *gin.Context) {
			c.Header("Allow", allowed+", OPTIONS")
			if c.GetHeader("Origin") != "" && c.GetHeader("Access-Control-Request-Method") != "" {
				c.Header(allowOrigin, "*")
				c.Header("Access-Control-Allow-Methods", allowed)
				c.Header("Access-Control-Allow-Headers", allowedHeaders)
				c.Header("Access-Control-Max-Age", preflightAge)
			}
			c.Status(http.StatusNoContent)
		})
	}
}
