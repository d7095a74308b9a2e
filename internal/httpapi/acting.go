package httpapi

import (
	"context"
	"crypto/sha256"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"holdfast/internal/httpapi/document"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Headers by which the operator, with the admin key, acts for a tenant: the tenant's slug or id, and who acts, for the
// tenant's history.
const (
	headerTenant = "Holdfast-Tenant"
	headerActor  = "Holdfast-Actor"
)

// Bounds of the headers, in characters: a tenant's slug has at most 63.
const (
	maxTenantName = 63
	maxActor      = 100
)

// actingHeaders describes the headers by which the operator acts for a tenant.
func actingHeaders() []document.Header {
	return []document.Header{
		{Name: headerTenant, MaxLength: maxTenantName, Example: "harbour",
			Description: "For the operator, with the admin key in place of the " +
				"tenant's: the slug or id of the tenant to act for. [Act for a tenant](/docs/operator#act-for-a-tenant)"},
		{Name: headerActor, MaxLength: maxActor, Example: "Ada, support",
			Description: "Who acts, as the tenant's history will say. " +
				"Needed with " + headerTenant + "; ASCII."},
	}
}

// caller is whose request is served, before it is authenticated.
type caller struct {
	key          tenant.KeyID  // of its rate limit
	known        tenant.Tenant // as it was when it was last looked up; without an id if that is long ago or never was
	authenticate func(context.Context) (tenant.Tenant, error)
}

// recognize returns who calls a tenant's route: the holder of an API key, who is authenticated later, or the operator
// who acts for a tenant.
//
// Errors: problem.Unauthenticated for what is no API key; those of recognizeOperator.
func (a *API) recognize(c *gin.Context, bearer string, given bool) (caller, error) {
	if isActing(c.Request.Header) {
		return a.recognizeOperator(c, bearer, given)
	}
	key, known, err := a.Tenants.Recognize(bearer)
	return caller{key: key, known: known, authenticate: func(ctx context.Context) (tenant.Tenant, error) {
		return a.Tenants.Authenticate(ctx, bearer)
	}}, err
}

// recognizeOperator returns the operator who acts for a tenant. The tenant's requests and the operator's have rate
// limits of their own.
//
// Errors: problem.Unauthenticated and problem.Forbidden without the admin key; problem.MalformedRequest for headers
// that can't be used; problem.TenantSuspended for a tenant that is deleting; problem.DatabaseUnavailable.
func (a *API) recognizeOperator(c *gin.Context, bearer string, given bool) (caller, error) {
	if err := a.checkAdminKey(bearer, given); err != nil {
		return caller{}, err
	}
	name, err := actingHeader(c.Request.Header, headerTenant, maxTenantName)
	if err != nil {
		return caller{}, err
	}
	actor, err := actingHeader(c.Request.Header, headerActor, maxActor)
	if err != nil {
		return caller{}, err
	}
	edge.SetOperator(c.Request.Context(), actor)
	authenticate := func(ctx context.Context) (tenant.Tenant, error) {
		t, err := a.Tenants.ActFor(ctx, name, actor)
		if problem.Is(err, problem.NotFound) || problem.Is(err, problem.InvalidState) {
			err = problem.Wrap(err, problem.MalformedRequest, headerTenant+" must be the slug or the id of one tenant.")
		}
		return t, err
	}
	t, err := authenticate(c.Request.Context())
	if err != nil {
		return caller{}, err
	}
	return caller{
		key: sha256.Sum256([]byte("operator of " + t.ID.String())), known: t,
		authenticate: authenticate,
	}, nil
}

func isActing(h http.Header) bool {
	return len(h.Values(headerTenant))+len(h.Values(headerActor)) > 0
}

// refuseActing returns problem.MalformedRequest for a request of the admin API that names a tenant in a header: it
// would be ignored.
func refuseActing(h http.Header) error {
	if isActing(h) {
		return problem.New(problem.MalformedRequest,
			headerTenant+" and "+headerActor+" are for the routes of a tenant, below /v1.")
	}
	return nil
}

// actingHeader returns a header that must stand in the request once, with visible ASCII characters and spaces between
// them. Errors: problem.MalformedRequest.
func actingHeader(h http.Header, name string, longest int) (string, error) {
	values := h.Values(name)
	unreadable := func(r rune) bool { return r < ' ' || r > '~' }
	if len(values) != 1 || strings.TrimSpace(values[0]) == "" || len(values[0]) > longest ||
		strings.ContainsFunc(values[0], unreadable) {
		return "", problem.New(problem.MalformedRequest, "To act for a tenant takes "+headerTenant+" and "+headerActor+
			", each once: the tenant's slug or id, and 1 to 100 ASCII characters that say who acts.")
	}
	return strings.TrimSpace(values[0]), nil
}
