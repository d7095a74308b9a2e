package edge

import (
	"strings"

	"github.com/gin-gonic/gin"
)

// Finding says how the tenant of a request is found before the request is served: a server with several cells sends it to the cell of its
// tenant. Each route has one.
type Finding int

// How tenants are found.
const (
	// InNothing is that of a route that isn't a tenant's, such as documentation: the server answers it without a cell.
	InNothing Finding = iota
	// InKey is in the API key, or in the header by which the operator acts for a tenant.
	InKey
	// InAdminRequest is in what the operator's request says of a tenant or a cell, and InOperatorPage in what a page of the operator's
	// console says.
	InAdminRequest
	InOperatorPage
	// InSlug is in the segment after the path, which is the tenant's slug, and InLink in that segment, which is a booking's link.
	InSlug
	InLink
	// InState is in what came back from an OpenID Connect provider, InUnsubscribeToken in the token of a link to unsubscribe, and InWebhook
	// in a payment provider's webhook.
	InState
	InUnsubscribeToken
	InWebhook
)

// Findings say by a path how the tenants of it and of all paths below it are found, unless a longer path says otherwise.
type Findings map[string]Finding

// Of returns how the tenant of a path is found, and the segments below the path that says so.
func (f Findings) Of(path string) (finding Finding, below string) {
	for at := path; at != ""; at = at[:strings.LastIndexByte(at, '/')] {
		if finding, ok := f[at]; ok {
			return finding, strings.TrimPrefix(path[len(at):], "/")
		}
	}
	return InNothing, ""
}

// Routes returns a group of the routes of a path and below it, whose tenants are found in one way. They are refused while the server
// drains.
func (e *Edge) Routes(path string, finding Finding) *gin.RouterGroup {
	e.findings[path] = finding
	return e.routes.Group(path)
}

// Findings returns how the tenants of all routes are found.
func (e *Edge) Findings() Findings { return e.findings }
