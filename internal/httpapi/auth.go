package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"strings"

	"github.com/gin-gonic/gin"

	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

type tenantKey struct{}

// tenantOf returns the tenant on whose behalf the request runs.
func tenantOf(ctx context.Context) tenant.Tenant {
	t, _ := ctx.Value(tenantKey{}).(tenant.Tenant)
	return t
}

// bearerOf returns the key of a request. With several Authorization headers it returns none, because proxies differ in which
// one they use.
func bearerOf(c *gin.Context) (key string, ok bool) {
	headers := c.Request.Header.Values("Authorization")
	if len(headers) != 1 {
		return "", false
	}
	scheme, key, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") { // RFC 9110, section 11.1: whatever its case
		return "", false
	}
	return key, true
}

// authenticate lets requests under /v1 pass with a tenant's API key and those under /admin with the server's
// admin key.
func (a *API) authenticate(c *gin.Context) {
	bearer, isBearer := bearerOf(c)
	switch path := c.FullPath(); {
	case strings.HasPrefix(path, "/v1/"):
		t, err := a.Tenants.Authenticate(c.Request.Context(), bearer)
		if err != nil {
			writeProblem(c, err)
			return
		}
		setTenant(c.Request.Context(), t.ID)
		c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), tenantKey{}, t))
	case strings.HasPrefix(path, "/admin/"):
		// Hashes are compared, so that the time taken tells neither content nor length.
		given, want := sha256.Sum256([]byte(bearer)), sha256.Sum256([]byte(a.adminKey))
		switch {
		case !isBearer:
			writeProblem(c, problem.New(problem.Unauthenticated, "The admin key is missing, or given more than once."))
		case a.adminKey == "" || subtle.ConstantTimeCompare(given[:], want[:]) != 1:
			writeProblem(c, problem.New(problem.Forbidden, "This key does not open the admin API."))
		}
	}
}
