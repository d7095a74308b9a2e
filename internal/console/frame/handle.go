package frame

import (
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/httpapi/admission"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/operation"
	"holdfast/internal/problem"
	"holdfast/internal/web"
)

// Need is what a page asks: the scope of the same request of the API, permits, and whether it waits for the payment
// provider.
type Need struct {
	Scope         operation.Scope
	Cost          int
	CallsProvider bool
	// Public says that nobody needs to be signed in.
	Public bool
	// File is the field of the request's form that is a file; empty without one.
	File string
	// page shows the page of a form, to which a refusal leads. Its path is that of the form without the last segments,
	// so many as above says; nil for what has no page.
	page  Handler
	above int
}

// NeedOf returns the need of a page that does nothing but an operation.
func NeedOf(op operation.Operation) Need {
	cost := op.Permits
	if op.List {
		cost = CostOfList
	}
	return Need{Scope: op.Scope, Cost: cost, CallsProvider: op.CallsProvider}
}

// Get adds a page at a path below the tenant's console.
func (c *Console) Get(path string, n Need, show Handler) { c.routes.GET(path, c.Handle(n, show)) }

// Post adds what a form does that is sent to a path below the tenant's console.
func (c *Console) Post(path string, n Need, do Handler) { c.routes.POST(path, c.Handle(n, do)) }

// Form adds a form for an operation. It stands on a page, whose path is that of the form without its last segments, so
// many as above says.
func (c *Console) Form(path string, op operation.Operation, page Handler, above int, do Handler) {
	c.Post(path, NeedOf(op).On(page, above), do)
}

// FormPage adds a page with a form for an operation, and the form at the same path.
func (c *Console) FormPage(path string, op operation.Operation, page, do Handler) {
	c.Get(path, Need{Scope: op.Scope}, page)
	c.Form(path, op, page, 0, do)
}

// On returns the need of a form that stands on a page.
func (n Need) On(page Handler, above int) Need {
	n.page, n.above = page, above
	return n
}

// Handler answers a visit. An error becomes a page that says what went wrong.
type Handler func(*Visit) error

// NewVisit returns the visit of a request before anything of it was read.
func (c *Console) NewVisit(g *gin.Context) *Visit { return &Visit{Visit: web.NewVisit(g, c.policy)} }

// Handle is what each request passes: it is counted by its address unless its sign-in is known, it is admitted, it is
// read, forms of other sites are refused, and whoever isn't signed in is led to the page that signs in.
func (c *Console) Handle(n Need, handle Handler) gin.HandlerFunc {
	return func(g *gin.Context) {
		v := c.NewVisit(g)
		v.Above = n.above
		fail := func(err error) {
			if n.File != "" && problem.Is(err, problem.BodyTooLarge) {
				err = problem.Wrap(err, problem.BodyTooLarge, "The file is too large.")
			}
			c.Fail(v, err)
		}
		v.secret, _ = g.Cookie(cookieName)
		client := admission.Unauthenticated
		if known, ok := c.Users.Recognize(v.secret); ok {
			client = known.Tenant.ID
			edge.SetTenant(g.Request.Context(), client)
		}
		if err := c.countByAddress(g, n, client); err != nil {
			fail(err)
			return
		}
		leave, err := c.Admission.Admit(g,
			admission.Request{Client: client, Cost: max(n.Cost, 1), CallsProvider: n.CallsProvider})
		if err != nil {
			fail(err)
			return
		}
		defer leave()
		if err = v.Read(n.File); err != nil {
			fail(err)
			return
		}
		if err := c.user(v, n); err != nil {
			if client == admission.Unauthenticated && problem.Is(err, problem.Unauthenticated) {
				c.Admission.CountMiss(g)
			}
			fail(err)
			return
		}
		if n.Scope != "" && !v.May(n.Scope) {
			fail(problem.New(problem.Forbidden, "Your role, "+string(v.Session.User.Role)+", may not do this."))
			return
		}
		// What the browser keeps is sealed with its sign-in, or with what stands in the link that signs in. Nothing
		// is kept of the page that asks for a link.
		if v.Seal = v.secret; v.Session == nil {
			v.Seal = g.Param("token")
		}
		web.Handle(v, handle, n.page, c.Fail)
	}
}

// countByAddress takes a token of the address for a page that everybody may ask for. For another page of somebody whose
// sign-in has to be looked up it only checks that there is one: it is taken if nobody is signed in. Errors:
// problem.RateLimited.
func (c *Console) countByAddress(g *gin.Context, n Need, client uuid.UUID) error {
	switch {
	case n.Public:
		return c.Admission.TakeAddressToken(g)
	case client == admission.Unauthenticated:
		return c.Admission.CheckAddress(g)
	}
	return nil
}

// user lets only those through who are signed in to the tenant of the path, but everybody to a page that is public.
// Errors: problem.Unauthenticated; problem.Forbidden for a form without the token of the sign-in.
func (c *Console) user(v *Visit, n Need) error {
	if n.Public {
		return nil
	}
	session, err := c.Users.Authenticate(v.Context(), v.secret)
	if err == nil && session.Tenant.Slug != v.C.Param("slug") {
		err = problem.New(problem.Unauthenticated, "Nobody is signed in here.")
	}
	if err != nil {
		return err
	}
	v.Session = &session
	edge.SetTenant(v.Context(), session.Tenant.ID)
	if err := v.CheckToken(v.secret); err != nil {
		return err
	}
	v.C.Request = v.C.Request.WithContext(session.Tenant.AsActor(v.Context(), v.RequestID()))
	return nil
}
