package console

import (
	"strings"

	"holdfast/internal/httpapi/admission"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/usecase"
	"holdfast/internal/web"
)

// Assets are the style sheets and scripts of the console, besides those of all pages.
var Assets = web.ConsoleAssets.With(calendarAssets)

// Config says how the console is served.
type Config struct {
	// PublicURL is where people reach this server. Cookies are for https only if it is.
	PublicURL string
	// Admission decides which requests are worked on. It is that of the API: a tenant's share holds for both.
	Admission *admission.Admission
	// SendsEmail says that the server emails links.
	SendsEmail bool
	// OIDC is a provider at which people can sign in, too.
	OIDC OIDC
	// CheckBody checks a JSON document as the API checks the body of a request that shows a type, or of a patch of it.
	CheckBody web.CheckBody
}

// Serve adds the console to e.
func Serve(e *edge.Edge, cfg Config, use usecase.All) *Console {
	c := &Console{
		All: use, admission: cfg.Admission, publicURL: cfg.PublicURL, sendsEmail: cfg.SendsEmail,
		oidc: newOIDCClient(cfg.OIDC, cfg.PublicURL), checkBody: cfg.CheckBody,
		// Codes of gift cards are money.
		policy: web.Policy{
			Secure: strings.HasPrefix(cfg.PublicURL, "https://"), FillsQuery: true, Secrets: []string{"code"},
		},
	}
	Assets.Serve(e)
	ServeEntrance(e)
	c.of = e.Routes("/console", edge.FromSlug).Group("/:slug")
	public := need{public: true}
	c.get("/sign-in", public, c.showSignIn)
	c.post("/sign-in", public.on(c.showSignIn, 0), c.requestLink)
	c.get("/enter/:token", public, c.showLink)
	c.post("/enter/:token", public.on(c.showLink, 0), c.signIn)
	if c.oidc != nil {
		provider := need{public: true, callsProvider: true}
		c.get("/oidc", provider, c.toProvider)
		e.Routes(CallbackPath, edge.FromState).GET("", c.handle(provider, c.fromProvider))
	}
	c.post("/sign-out", need{}, c.signOut)
	c.routeBookings()
	c.routeCustomers()
	c.routeMoney()
	c.routeUsers()
	c.routeServices()
	c.routeResources()
	c.routeClosures()
	c.routeBlocks()
	c.routeSettings()
	c.routeKeys()
	c.routeWebhooks()
	c.routeDeliveries()
	c.routeEvents()
	return c
}
