package operator

import (
	"embed"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/httpapi/admission"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
	"holdfast/internal/usecase"
	"holdfast/internal/web"
	"holdfast/internal/web/asset"
)

// Path is where the operator's console is.
const Path = "/operator"

//go:embed assets
var assetFiles embed.FS

// Assets are the style sheet and the script of the operator's console, besides those of all consoles.
var Assets = asset.New(assetFiles, "assets", "/operator-assets/", "operator.css", "operator.js")

// Config says how the console is served.
type Config struct {
	// AdminKey signs in; empty lets nobody in.
	AdminKey string
	// PublicURL is where people reach this server. Cookies are for https only if it is.
	PublicURL string
	// Admission bounds the requests of those who aren't signed in.
	Admission *admission.Admission
	// CheckBody checks a JSON document as the API checks the body of a request that shows a type, or of a patch of it.
	CheckBody web.CheckBody
	// Export sends the export of a tenant.
	Export func(g *gin.Context, tenant uuid.UUID)
	// Sampler has the figures of the last hour.
	Sampler *Sampler
	// Cells are the names of the server's cells, and Cell is the one whose tenants and locks are shown; empty with one
	// cell.
	Cells []string
	Cell  string
}

// Console has the pages of the operator for one database. It is safe for concurrent use.
type Console struct {
	usecase.All

	cfg      Config
	sessions sessions
	policy   web.Policy
}

// Serve adds the console to e.
func Serve(e *edge.Edge, cfg Config, use usecase.All) {
	c := &Console{
		All: use, cfg: cfg, sessions: newSessions(cfg.AdminKey),
		policy: web.Policy{Secure: strings.HasPrefix(cfg.PublicURL, "https://"), Secrets: []string{fieldAdminKey}},
	}
	Assets.Serve(e)
	of := e.Routes(Path, edge.FromOperatorPage)
	of.GET("/sign-in", c.handle(c.anyone, c.showSignIn))
	of.POST("/sign-in", c.handleForm(c.anyone, c.signIn, c.showSignIn, 0))
	of.POST("/sign-out", c.handle(c.operator, c.signOut))
	of.GET("", c.handle(c.operator, func(v *visit) error { return v.Finish(path("tenants")) }))
	of.GET("/locks", c.handle(c.operator, c.showLocks))
	of.GET("/metrics", c.handle(c.operator, c.showMetrics))
	of.GET("/tenants", c.handle(c.operator, c.showTenants))
	of.GET("/new-tenant", c.handle(c.operator, c.showNewTenant))
	of.POST("/new-tenant", c.form(c.showNewTenant, 0, c.createTenant))
	one := of.Group("/tenants/:id")
	one.GET("", c.handle(c.operator, c.showTenant))
	one.POST("/correct", c.form(c.showTenant, 1, c.correctTenant))
	one.POST("/suspend", c.form(c.showTenant, 1, c.suspendTenant))
	one.POST("/resume", c.form(c.showTenant, 1, c.resumeTenant))
	one.GET("/api-keys", c.handle(c.operator, c.showKeys))
	one.POST("/api-keys", c.form(c.showKeys, 0, c.issueKey))
	one.POST("/api-keys/:key/revoke", c.form(c.showKeys, 2, c.revokeKey))
	one.GET("/users", c.handle(c.operator, c.showUsers))
	one.POST("/users", c.form(c.showUsers, 0, c.invite))
	one.POST("/users/:user/link", c.form(c.showUsers, 2, c.makeLink))
	one.GET("/money", c.handle(c.operator, c.showMoney))
	one.POST("/money/account", c.form(c.showMoney, 1, c.changeAccount))
	one.GET("/end", c.handle(c.operator, c.showEnd))
	one.GET("/export", c.handle(c.operator, c.export))
	one.POST("/end", c.form(c.showEnd, 0, c.deleteTenant))
}

// handler answers a visit. An error becomes a page that says what went wrong.
type handler func(*visit) error

// handle is what each request passes: it is read, forms of other sites are refused, and whoever isn't signed in is led
// to the page that signs in. As all of the admin API, it is never shed: it is needed most when the server has too much
// to do.
func (c *Console) handle(identify func(*visit) error, handle handler) gin.HandlerFunc {
	return c.handleForm(identify, handle, nil, 0)
}

// form handles a form that stands on a page, which shows what was wrong with it. Its path is that of the form without
// its last segments, so many as above says.
func (c *Console) form(page handler, above int, handle handler) gin.HandlerFunc {
	return c.handleForm(c.operator, handle, page, above)
}

func (c *Console) handleForm(identify func(*visit) error, handle, page handler, above int) gin.HandlerFunc {
	return func(g *gin.Context) {
		v := &visit{Visit: web.NewVisit(g, c.policy)}
		v.Above = above
		v.secret, _ = g.Cookie(cookieName)
		err := v.Read("")
		if err == nil {
			err = identify(v)
		}
		if err != nil {
			c.fail(v, err)
			return
		}
		if v.Seal = v.secret; v.session == nil {
			v.Seal = c.sessions.seal
		}
		web.Handle(v, handle, page, c.fail)
	}
}

// anyone lets everybody through, within the limits of an address.
func (c *Console) anyone(v *visit) error { return c.cfg.Admission.TakeAddressToken(v.C) }

// operator lets only the operator through. Errors: problem.Unauthenticated; problem.Forbidden for a form without the
// token of the sign-in.
func (c *Console) operator(v *visit) error {
	found, ok := c.sessions.read(v.secret, time.Now())
	if !ok || c.cfg.AdminKey == "" {
		return problem.New(problem.Unauthenticated, "Nobody is signed in here.")
	}
	v.session = &found
	edge.SetOperator(v.ctx(), found.Name)
	return v.CheckToken(v.secret)
}
