package console

import (
	"embed"

	"holdfast/internal/console/bookings"
	"holdfast/internal/console/catalog"
	"holdfast/internal/console/customers"
	"holdfast/internal/console/developers"
	"holdfast/internal/console/frame"
	"holdfast/internal/console/money"
	"holdfast/internal/console/settings"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/usecase"
	"holdfast/internal/web"
)

// Assets are the style sheets and scripts of the console, besides those of all pages.
var Assets = web.ConsoleAssets.With(bookings.Assets)

//go:embed templates
var templates embed.FS

var pages = frame.NewPages(templates)

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

// section has the pages of signing in and of those who sign in.
type section struct {
	*frame.Console

	sendsEmail bool
	oidc       *oidcClient // nil without a provider
}

// Serve adds the console to e.
func Serve(e *edge.Edge, cfg Config, use usecase.All) {
	c := frame.New(e, frame.Config{PublicURL: cfg.PublicURL, Admission: cfg.Admission, CheckBody: cfg.CheckBody}, use)
	s := section{Console: c.With(pages), sendsEmail: cfg.SendsEmail, oidc: newOIDCClient(cfg.OIDC, cfg.PublicURL)}
	Assets.Serve(e)
	ServeEntrance(e)
	public := frame.Need{Public: true}
	s.Get("/sign-in", public, s.showSignIn)
	s.Post("/sign-in", public.On(s.showSignIn, 0), s.requestLink)
	s.Get("/enter/:token", public, s.showLink)
	s.Post("/enter/:token", public.On(s.showLink, 0), s.signIn)
	if s.oidc != nil {
		provider := frame.Need{Public: true, CallsProvider: true}
		s.Get("/oidc", provider, s.toProvider)
		e.Routes(CallbackPath, edge.FromState).GET("", s.Handle(provider, s.fromProvider))
	}
	s.Post("/sign-out", frame.Need{}, s.signOut)
	s.routeUsers()
	bookings.Route(c)
	customers.Route(c)
	money.Route(c)
	catalog.Route(c)
	settings.Route(c)
	developers.Route(c)
}
