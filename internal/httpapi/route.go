package httpapi

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"holdfast/internal/operation"
	"holdfast/internal/tenant"
)

// Names of the security schemes: a tenant's key, and the key of whoever runs the server.
const (
	schemeAPIKey   = "apiKey"
	schemeAdminKey = "adminKey"
)

// metadataRoute is the name under which a huma.Operation holds the route that it was made of.
const metadataRoute = "route"

// key is whose key a route needs.
type key int

const (
	// tenantKey: a tenant's API key. Its requests pass admission.
	tenantKey key = iota
	// adminKey: the key of whoever runs the server. Its requests always pass.
	adminKey
	// noKey: none.
	noKey
)

// route declares what a route is and needs. register makes everything else of it.
type route struct {
	// op is the operation that the route is a view of. Each one of a tenant has a scope; without it no key passes.
	op operation.Operation

	method, path, summary, description, tag string

	key key
	// cost is the permits of a request whose query decides them; nil for those of op.
	cost func(url.Values) int
	// mayBeStale says that Prefer: stale lets what the response shows be read from the standby. Of its reads only those
	// by db.DB.ReadMaybeStale are.
	mayBeStale bool
	// noBody refuses a body: none has a meaning here.
	noBody bool
	// onlyHere says that the response shows what no other request shows, such as a secret, so that Prefer:
	// return=minimal is ignored.
	onlyHere bool
	// status is that of success; zero is 200.
	status int
	// errors are the statuses of refusals besides those that follow from the rest.
	errors []int
	// response describes the response where its Go type doesn't.
	response *huma.Response
	// validator says that the response has an ETag, and may be 304 to a request with If-None-Match.
	validator bool
	// maybeUnknown says that the response may be 202: the end isn't known yet.
	maybeUnknown bool
}

// forWebsites reports whether a publishable key can use the route: pages in browsers send its requests.
func (r route) forWebsites() bool {
	return r.key == tenantKey && (tenant.Scopes{r.op.Scope}).Publishable()
}

// forVisitors reports whether visitors change something by the route. Their idempotency keys are none of the tenant's.
func (r route) forVisitors() bool { return r.op.Scope == operation.ScopeHold }

// operation returns the route's description for huma. Package document describes what any request may be answered, such
// as 401 and 503, once for all operations. 503 is here only because huma adds a response "default" to an operation
// without errors.
func (r route) operation() huma.Operation {
	op := huma.Operation{
		OperationID:   r.op.Name,
		Method:        r.method,
		Path:          r.path,
		Summary:       r.summary,
		Description:   r.description,
		DefaultStatus: r.status,
		Errors:        append([]int{503}, r.errors...),
		Metadata:      map[string]any{metadataRoute: r},
	}
	if r.tag != "" {
		op.Tags = []string{r.tag}
	}
	switch r.key {
	case tenantKey:
		op.Security = []map[string][]string{{schemeAPIKey: {string(r.op.Scope)}}}
	case adminKey:
		op.Security = []map[string][]string{{schemeAdminKey: {}}}
	case noKey:
	}
	if r.method == http.MethodPost || r.method == http.MethodPut || r.method == http.MethodPatch {
		op.Errors = append(op.Errors, http.StatusUnprocessableEntity)
	}
	if r.op.Once {
		op.Errors = append(op.Errors, http.StatusConflict)
		if r.key == tenantKey {
			op.Errors = append(op.Errors, http.StatusGone) // the stored answer showed a customer who was erased since
		}
		op.Parameters = []*huma.Param{r.idempotencyKeyParameter()}
	}
	if r.response != nil {
		op.Responses = map[string]*huma.Response{strconv.Itoa(max(r.status, http.StatusOK)): r.response}
	}
	if r.canBeMinimal() && max(r.status, http.StatusOK) == http.StatusOK {
		if op.Responses == nil {
			op.Responses = make(map[string]*huma.Response)
		}
		op.Responses[strconv.Itoa(http.StatusNoContent)] = &huma.Response{Description: "Done, with Prefer: return=minimal."}
	}
	if r.validator {
		r.response.Headers = map[string]*huma.Param{"ETag": {
			Description: "A weak validator: give it as If-None-Match to get 304 while nothing has changed.",
			Schema:      &huma.Schema{Type: huma.TypeString},
		}}
		op.Responses[strconv.Itoa(http.StatusNotModified)] = &huma.Response{Description: "Nothing has changed since the ETag that " +
			"If-None-Match names."}
	}
	if r.maybeUnknown {
		accepted := *r.response
		accepted.Description = "Accepted: the end isn't known yet. Repeat the request with the same key, or read the payment."
		op.Responses[strconv.Itoa(http.StatusAccepted)] = &accepted
	}
	return op
}
