package console

import (
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/httpapi/admission"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/operation"
	"holdfast/internal/problem"
	"holdfast/internal/web"
)

// need is what a page asks: the scope of the same request of the API, permits, and whether it waits for the payment provider.
type need struct {
	scope         operation.Scope
	cost          int
	callsProvider bool
	// public says that nobody needs to be signed in.
	public bool
	// file is the field of the request's form that is a file; empty without one.
	file string
	// page shows the page of a form, to which a refusal leads. Its path is that of the form without the last segments, so many as above
	// says; nil for what has no page.
	page  handler
	above int
}

// needOf returns the need of a page that does nothing but an operation.
func needOf(op operation.Operation) need {
	cost := op.Permits
	if op.List {
		cost = costOfList
	}
	return need{scope: op.Scope, cost: cost, callsProvider: op.CallsProvider}
}

// get adds a page at a path below the tenant's console.
func (c *Console) get(path string, n need, show handler) { c.of.GET(path, c.handle(n, show)) }

// post adds what a form does that is sent to a path below the tenant's console.
func (c *Console) post(path string, n need, do handler) { c.of.POST(path, c.handle(n, do)) }

// form adds a form for an operation. It stands on a page, whose path is that of the form without its last segments, so
// many as above says.
func (c *Console) form(path string, op operation.Operation, page handler, above int, do handler) {
	c.post(path, needOf(op).on(page, above), do)
}

// on returns the need of a form that stands on a page.
func (n need) on(page handler, above int) need {
	n.page, n.above = page, above
	return n
}

// handler answers a visit. An error becomes a page that says what went wrong.
type handler func(*visit) error

// handle is what each request passes: it is counted by its address unless its sign-in is known, it is admitted, it is read, forms of other
// sites are refused, and whoever isn't signed in is led to the page that signs in.
func (c *Console) handle(n need, handle handler) gin.HandlerFunc {
	return func(g *gin.Context) {
		v := &visit{Visit: web.NewVisit(g, c.policy)}
		v.Above = n.above
		fail := func(err error) {
			if n.file != "" && problem.Is(err, problem.BodyTooLarge) {
				err = problem.Wrap(err, problem.BodyTooLarge, "The file is too large.")
			}
			c.fail(v, err)
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
		leave, err := c.admission.Admit(g, admission.Request{Client: client, Cost: max(n.cost, 1), CallsProvider: n.callsProvider})
		if err != nil {
			fail(err)
			return
		}
		defer leave()
		if err = v.Read(n.file); err != nil {
			fail(err)
			return
		}
		if err := c.user(v, n); err != nil {
			if client == admission.Unauthenticated && problem.Is(err, problem.Unauthenticated) {
				c.admission.CountMiss(g)
			}
			fail(err)
			return
		}
		if n.scope != "" && !v.May(n.scope) {
			fail(problem.New(problem.Forbidden, "Your role, "+string(v.session.User.Role)+", may not do this."))
			return
		}
		// What the browser keeps is sealed with its sign-in, or with what stands in the link that signs in. Nothing
		// is kept of the page that asks for a link.
		if v.Seal = v.secret; v.session == nil {
			v.Seal = g.Param("token")
		}
		web.Handle(v, handle, n.page, c.fail)
	}
}

// countByAddress takes a token of the address for a page that everybody may ask for. For another page of somebody whose sign-in has to be
// looked up it only checks that there is one: it is taken if nobody is signed in. Errors: problem.RateLimited.
func (c *Console) countByAddress(g *gin.Context, n need, client uuid.UUID) error {
	switch {
	case n.public:
		return c.admission.TakeAddressToken(g)
	case client == admission.Unauthenticated:
		return c.admission.CheckAddress(g)
	}
	return nil
}

// user lets only those through who are signed in to the tenant of the path, but everybody to a page that is public. Errors: problem.Unauthenticated; problem.Forbidden for a form
// without the token of the sign-in.
func (c *Console) user(v *visit, n need) error {
	if n.public {
		return nil
	}
	session, err := c.Users.Authenticate(v.ctx(), v.secret)
	if err == nil && session.Tenant.Slug != v.C.Param("slug") {
		err = problem.New(problem.Unauthenticated, "Nobody is signed in here.")
	}
	if err != nil {
		return err
	}
	v.session = &session
	edge.SetTenant(v.ctx(), session.Tenant.ID)
	if err := v.CheckToken(v.secret); err != nil {
		return err
	}
	v.C.Request = v.C.Request.WithContext(session.Tenant.AsActor(v.ctx(), v.RequestID()))
	return nil
}
