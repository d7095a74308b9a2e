package operator

import (
	"embed"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/console"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
	"holdfast/internal/usecase"
	"holdfast/internal/web/asset"
	"holdfast/internal/web/refused"
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
	CheckBody func(shown reflect.Type, patch bool, document []byte) error
	// Export sends the export of a tenant.
	Export func(g *gin.Context, tenant uuid.UUID)
	// Sampler has the figures of the last hour.
	Sampler *Sampler
	// Cells are the names of the server's cells, and Cell is the one whose tenants and locks are shown; empty with one cell.
	Cells []string
	Cell  string
}

// Console has the pages of the operator for one database. It is safe for concurrent use.
type Console struct {
	usecase.All

	cfg      Config
	sessions sessions
	secure   bool
	// forms refuses forms that a page of another site sends.
	forms *http.CrossOriginProtection
}

// Serve adds the console to e.
func Serve(e *edge.Edge, cfg Config, use usecase.All) {
	c := &Console{
		All: use, cfg: cfg, sessions: newSessions(cfg.AdminKey), secure: strings.HasPrefix(cfg.PublicURL, "https://"),
		forms: http.NewCrossOriginProtection(),
	}
	Assets.Serve(e)
	of := e.Routes(Path, edge.FromOperatorPage)
	of.GET("/sign-in", c.handle(c.anyone, c.showSignIn))
	of.POST("/sign-in", c.handleForm(c.anyone, c.signIn, c.showSignIn, 0))
	of.POST("/sign-out", c.handle(c.operator, c.signOut))
	of.GET("", c.handle(c.operator, func(v *visit) error { return v.redirect(path("tenants")) }))
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

// handle is what each request passes: it is read, forms of other sites are refused, and whoever isn't signed in is led to the page that
// signs in. As all of the admin API, it is never shed: it is needed most when the server has too much to do.
func (c *Console) handle(identify func(*visit) error, handle handler) gin.HandlerFunc {
	return c.handleForm(identify, handle, nil, 0)
}

// form handles a form that stands on a page, which shows what was wrong with it. Its path is that of the form without its last segments, so
// many as above says.
func (c *Console) form(page handler, above int, handle handler) gin.HandlerFunc {
	return c.handleForm(c.operator, handle, page, above)
}

func (c *Console) handleForm(identify func(*visit) error, handle, page handler, above int) gin.HandlerFunc {
	return func(g *gin.Context) {
		v := &visit{c: g, query: g.Request.URL.Query(), above: above}
		v.secret, _ = g.Cookie(cookieName)
		var err error
		if v.form, err = edge.ReadForm(g); err == nil && c.forms.Check(g.Request) != nil {
			err = problem.New(problem.Forbidden, "The form was sent by a page of another site.")
		}
		if err == nil {
			err = identify(v)
		}
		if err != nil {
			c.fail(v, err)
			return
		}
		if v.seal = v.secret; v.session == nil {
			v.seal = c.sessions.seal
		}
		if g.Request.Method == http.MethodGet {
			v.refused = refused.Of(g.Request, v.seal)
		}
		if err := handle(v); err != nil {
			c.refuse(v, page, above, err)
		}
	}
}

// refuse answers a request that can't be done. The refusal of a form is shown by the form's page, to which the browser is led.
func (c *Console) refuse(v *visit, page handler, above int, err error) {
	err, v.refused = v.refused.Instead(err), nil
	d := problem.DocumentOf(err)
	if page == nil || v.c.Request.Method != http.MethodPost || v.c.GetHeader(console.FragmentHeader) != "" || !refused.Shows(d) {
		c.fail(v, err)
		return
	}
	edge.NoteProblem(v.ctx(), d)
	v.refused = refused.New(v.c.Request, v.form, d, v.requestID(), "token", "key", fieldAdminKey)
	if console.LeadToRefused(v.c, v.refused, v.seal, above, c.secure) {
		return
	}
	if page(v) != nil {
		v.refused = nil
		c.fail(v, err)
	}
}

// anyone lets everybody through, within the limits of an address.
func (c *Console) anyone(v *visit) error { return c.cfg.Admission.TakeAddressToken(v.c) }

// operator lets only the operator through. Errors: problem.Unauthenticated; problem.Forbidden for a form without the token of the sign-in.
func (c *Console) operator(v *visit) error {
	found, ok := c.sessions.read(v.secret, time.Now())
	if !ok || c.cfg.AdminKey == "" {
		return problem.New(problem.Unauthenticated, "Nobody is signed in here.")
	}
	v.session = &found
	edge.SetOperator(v.ctx(), found.Name)
	if v.c.Request.Method == http.MethodPost && !console.HasToken(v.form, v.secret) {
		return problem.New(problem.Forbidden, "The form is not of this sign-in. Load the page again.")
	}
	return nil
}
