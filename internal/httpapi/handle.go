package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/httpapi/admission"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/httpapi/eventstream"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// call is what is known of a request once it is authenticated: on whose behalf it runs, and under which idempotency
// key.
type call struct {
	tenant      tenant.Tenant
	idempotency idempotency.Request

	// authenticate returns the tenant anew, for a request that lasts.
	authenticate  func(context.Context) (tenant.Tenant, error)
	acceptsStream bool // of server-sent events
	// takeHold and takePayment take one of the holds and payments that a visitor may make: see
	// admission.Admission.TakeVisitorHold.
	takeHold    func(unitNights int) (giveBack func(), err error)
	takePayment func() (giveBack func(), err error)
	stale       *staleReads
	// stream sends what follows the request, if it asked for a stream. It runs when the request has left admission.
	stream func(*gin.Context)
}

func (c *call) streamClient() eventstream.Client {
	return eventstream.Client{Tenant: c.tenant.ID, Authenticate: c.authenticate}
}

type callKey struct{}

// callOf returns the call of a request's context.
func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// handle is what a request passes between the edge and huma: a tenant's request is admitted, then every request is
// checked.
func (a *API) handle(ctx huma.Context, r route, next func(huma.Context)) {
	c := humagin.Unwrap(ctx)
	c.Header("Cache-Control", "no-store")
	bearer, given := edge.Bearer(c.Request.Header)
	if r.key != tenantKey {
		found := &call{authenticate: func(context.Context) (tenant.Tenant, error) {
			return tenant.Tenant{Scopes: tenant.AllScopes()}, nil
		}}
		err := a.checkOperator(r, bearer, given)
		if err == nil && r.key == adminKey {
			err = refuseActing(c.Request.Header)
		}
		if err == nil {
			err = check(ctx, c, r, a.huma.OpenAPI().Components.Schemas, found)
		}
		if err != nil {
			edge.WriteProblem(c, err)
			return
		}
		next(minimalOf(ctx, r))
		if found.stream != nil {
			found.stream(c)
		}
		return
	}
	who, err := a.recognize(c, bearer, given)
	client := who.known.ID
	if err == nil {
		edge.SetTenant(c.Request.Context(), client)
		if client == admission.Unauthenticated {
			err = a.admission.CheckAddress(c)
		} else {
			err = a.takeVisitorToken(c, who.known)
		}
	}
	if err != nil {
		writeBeforeAuthentication(c, r, who.known, err)
		return
	}
	request := c.Request.Context()
	leave, err := a.admission.Admit(c, admission.Request{
		Client: client, Key: who.key, CallsProvider: r.op.CallsProvider, Cost: r.permits(c.Request.URL.Query()),
		Own: client != admission.Unauthenticated && !who.known.Scopes.Publishable(),
	})
	if err != nil {
		writeBeforeAuthentication(c, r, who.known, err)
		return
	}
	found := &call{authenticate: who.authenticate}
	func() {
		defer leave()
		a.workers.do(func() {
			defer a.Edge.Recover(c) // here the stack still shows where the panic comes from
			t, err := who.authenticate(c.Request.Context())
			if t.ID == uuid.Nil {
				if problem.Is(err, problem.Unauthenticated) {
					a.admission.CountMiss(c)
				}
				writeBeforeAuthentication(c, r, who.known, err)
				return
			}
			if originErr := checkOrigin(c, t); originErr != nil {
				err = originErr
			}
			if err == nil {
				found.tenant = t
				c.Request = c.Request.WithContext(t.AsActor(c.Request.Context(), edge.RequestID(c.Request.Context())))
				edge.SetTenant(c.Request.Context(), t.ID)
				if client == admission.Unauthenticated {
					err = a.admission.TakeToken(c, who.key)
				}
				if err == nil && !who.known.Scopes.Publishable() {
					err = a.takeVisitorToken(c, t)
				}
				found.takeHold, found.takePayment = a.visitorLimits(c, t)
			}
			if err == nil {
				err = found.tenant.Scopes.Require(r.op.Scope)
			}
			if err == nil {
				err = check(ctx, c, r, a.huma.OpenAPI().Components.Schemas, found)
			}
			if err != nil {
				edge.WriteProblem(c, err)
				return
			}
			next(minimalOf(ctx, r))
		})
	}()
	if found.stream != nil {
		c.Request = c.Request.WithContext(request) // Prefer: wait doesn't end a stream
		found.stream(c)
	}
}

// checkOperator lets requests pass with the server's admin key, and all to a route that needs no key.
func (a *API) checkOperator(r route, bearer string, given bool) error {
	if r.key == noKey {
		return nil
	}
	return a.checkAdminKey(bearer, given)
}

// checkAdminKey returns problem.Unauthenticated without a key, and problem.Forbidden for one that isn't the server's
// admin key.
func (a *API) checkAdminKey(bearer string, given bool) error {
	// Hashes are compared, so that the time taken tells neither content nor length.
	got, want := sha256.Sum256([]byte(bearer)), sha256.Sum256([]byte(a.adminKey))
	switch {
	case !given:
		return problem.New(problem.Unauthenticated, "The admin key is missing, or given more than once.")
	case a.adminKey == "" || subtle.ConstantTimeCompare(got[:], want[:]) != 1:
		return problem.New(problem.Forbidden, "This key does not open the admin API.")
	}
	return nil
}

// check reads the request strictly and prepares it for huma and the route's handler.
func check(ctx huma.Context, c *gin.Context, r route, schemas huma.Registry, found *call) error {
	err := edge.ReadRequest(c)
	if err != nil {
		return err
	}
	if r.op.Once {
		found.idempotency, err = idempotency.NewRequest(
			c.Request.Header.Values("Idempotency-Key"), c.Request.Method, c.Request.URL.Path,
			edge.RawBody(c.Request.Context()))
		if err == nil && r.forVisitors() {
			found.idempotency, err = found.idempotency.Qualify(idempotency.Website)
		}
		if err != nil {
			return err
		}
	}
	if err := schema.CheckRequest(schemas, ctx.Operation(), c); err != nil {
		return err
	}
	found.acceptsStream = eventstream.Accepts(c.Request.Header)
	c.Request.Header.Del("Accept") // there is one format: a browser that asks for HTML gets it too, rather than a 406
	found.stale = allowStale(c, r)
	c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), callKey{}, found))
	return nil
}
