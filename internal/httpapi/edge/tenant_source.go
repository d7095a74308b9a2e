package edge

import (
	"strings"

	"github.com/gin-gonic/gin"
)

// TenantSource is the part of a request that tells its tenant. A server with several cells looks there before the
// request is served, and sends it to the cell of the tenant. Each route has one.
type TenantSource int

// The parts of requests that tell a tenant.
const (
	// NoTenant is of routes that aren't a tenant's, such as documentation: the server answers them without a cell.
	NoTenant TenantSource = iota
	// FromKey is the API key, or the header by which the operator acts for a tenant.
	FromKey
	// FromAdminRequest is what a request of the admin API says of a tenant or a cell; FromOperatorPage is what a
	// request for a page of the operator's console says.
	FromAdminRequest
	FromOperatorPage
	// FromSlug is the segment after the path of the routes, which is the tenant's slug; FromLink is that segment where
	// it is the token of a booking's link.
	FromSlug
	FromLink
	// FromState is the state that an OpenID Connect provider sends back.
	FromState
	// FromUnsubscribeToken is the token of a link to unsubscribe.
	FromUnsubscribeToken
	// FromWebhook is the body of a payment provider's webhook.
	FromWebhook
)

// TenantSources are the sources of routes, by a path: each is that of the routes at the path and below it, unless a
// longer path has another one.
type TenantSources map[string]TenantSource

// Lookup returns the source of a path, and the segments below the path that has it.
func (s TenantSources) Lookup(path string) (source TenantSource, below string) {
	for at := path; at != ""; at = at[:strings.LastIndexByte(at, '/')] {
		if source, ok := s[at]; ok {
			return source, strings.TrimPrefix(path[len(at):], "/")
		}
	}
	return NoTenant, ""
}

// Routes returns a group for the routes at a path and below it, which have the same source. They are refused while the
// server drains. Call it before the first request.
func (e *Edge) Routes(path string, source TenantSource) *gin.RouterGroup {
	e.sources[path] = source
	return e.routes.Group(path)
}

// TenantSources returns the sources of all routes.
func (e *Edge) TenantSources() TenantSources { return e.sources }
