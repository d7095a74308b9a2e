package pages

import (
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/db"
	"holdfast/internal/expiring"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
	"holdfast/internal/usecase"
	"holdfast/internal/web"
)

// Config says how the pages are served.
type Config struct {
	// PublicURL is where people reach this server. Payment pages lead back there.
	PublicURL string
	// Admission decides which requests are worked on. It is that of the API: a tenant's share holds for both.
	Admission *admission.Admission
	// SendsEmail says that the server has a mail server.
	SendsEmail bool
}

// Pages are the pages of the tenants of one database. They are safe for concurrent use.
type Pages struct {
	usecase.All

	publicURL  string
	sendsEmail bool
	admission  *admission.Admission
	sites      *otter.Cache[string, *site]
	missing    *otter.Cache[string, struct{}] // names of which there is no site
	policy     web.Policy
}

// Serve adds the pages to e.
func Serve(e *edge.Edge, cfg Config, use usecase.All) *Pages {
	p := &Pages{
		All:        use,
		publicURL:  strings.TrimSuffix(cfg.PublicURL, "/"),
		admission:  cfg.Admission,
		sendsEmail: cfg.SendsEmail,
		sites:      expiring.New(maxSites, otter.ExpiryWriting[string, *site](siteCacheTime)),
		missing:    expiring.New(maxMissing, otter.ExpiryWriting[string, struct{}](missingTime)),
		policy:     web.Policy{Secure: strings.HasPrefix(cfg.PublicURL, "https://"), Embedded: true},
	}
	Assets.Serve(e)
	book := e.Routes("/book", edge.FromSlug).Group("/:slug")
	book.GET("", p.ofSlug(need{cost: 1}, p.showServices))
	book.GET("/", p.leaveOutSlash)
	book.GET("/terms", p.ofSlug(need{cost: 1}, p.showTerms))
	book.GET("/logo/:hash", p.ofSlug(need{cost: 1}, p.showLogo))
	book.GET("/:service", p.ofSlug(need{cost: costOfMonth}, p.showTimes))
	book.POST("/:service", p.ofSlug(need{cost: costOfMonth}, p.hold))
	book.POST("/release", p.ofSlug(need{cost: 1}, p.release))
	own := e.Routes("/booking", edge.FromLink).Group("/:token")
	own.GET("", p.ofLink(need{cost: 1}, p.showBooking))
	pays := need{cost: 1, callsProvider: true}.onPage(p.showBooking, 1)
	own.POST("/details", p.ofLink(pays, p.saveDetails))
	own.POST("/pay", p.ofLink(pays, p.pay))
	own.POST("/stop-payment", p.ofLink(pays, p.stopPayment))
	own.GET("/cancel", p.ofLink(need{cost: 1}, p.askToCancel))
	own.POST("/cancel", p.ofLink(need{cost: 1}.onPage(p.askToCancel, 0), p.cancel))
	own.GET("/move", p.ofLink(need{cost: costOfMonth}, p.showMove))
	own.POST("/move", p.ofLink(need{cost: costOfMonth}.onPage(p.showMove, 0), p.move))
	own.GET("/booking.ics", p.ofLink(need{cost: 1}, p.showEntry))
	own.GET("/receipts/:payment", p.ofLink(need{cost: 1}, p.showReceipt))
	return p
}

// leaveOutSlash leads people who type a slash at the end to the booking page.
func (p *Pages) leaveOutSlash(c *gin.Context) {
	v := p.newVisit(c)
	_ = v.redirect("/book/"+url.PathEscape(c.Param("slug")), v.Query)
}

// costOfMonth is the permits of a month with what is free.
var costOfMonth = booking.AvailabilityPermits(31, 1)

// need is what a page asks of admission: permits, and whether it waits for the payment provider.
type need struct {
	cost          int
	callsProvider bool
	// page shows the page of a form, to which a refusal leads. Its path is that of the form without the last segments,
	// so many as above says; nil for what has no page.
	page  handler
	above int
}

// onPage returns the need of a form that stands on a page.
func (n need) onPage(page handler, above int) need {
	n.page, n.above = page, above
	return n
}

// handler answers a visit. An error becomes a page that says what went wrong.
type handler func(*visit) error

// ofSlug is a page of the tenant that the path names.
func (p *Pages) ofSlug(n need, handle handler) gin.HandlerFunc {
	return p.handle(n, handle, func(v *visit) (string, uuid.UUID, error) { return v.C.Param("slug"), uuid.Nil, nil })
}

// ofLink is a page of the booking that the path's token names. Whether the link still leads there is found out when the
// booking is read.
func (p *Pages) ofLink(n need, handle handler) gin.HandlerFunc {
	return p.handle(n, handle, func(v *visit) (string, uuid.UUID, error) {
		link, err := p.Links.Parse(v.C.Param("token"))
		if err != nil {
			return "", uuid.Nil, problem.Wrap(err, problem.NotFound, "There is no such thing.")
		}
		v.link = &link
		return "/" + link.TenantID.String(), link.TenantID, nil // no slug has a slash
	})
}

// handle is what each request passes: it is read, its tenant is found, it is counted by its address and admitted, and
// forms of other sites are refused. What is refused before the form is looked at is answered at once: see
// docs/adr/0044-pages.md. find returns the name under which the tenant's site is kept, and the tenant as far as that is
// known without the database.
func (p *Pages) handle(n need, handle handler, find func(*visit) (name string, tenant uuid.UUID, err error),
) gin.HandlerFunc {
	return func(c *gin.Context) {
		v := p.newVisit(c)
		v.Above, v.Seal = n.above, c.Param("token")
		fail := func(err error) { p.fail(v, err) }
		err := edge.CheckURL(c.Request.URL)
		name, client := "", admission.Unauthenticated
		if err == nil {
			name, client, err = find(v)
		}
		if err != nil {
			fail(err)
			return
		}
		known, ok := p.sites.GetIfPresent(name)
		if ok {
			v.site, client = known, known.tenant.ID
			v.lang = languageOf(c, known.page.Offered())
		}
		edge.SetTenant(c.Request.Context(), client)
		if err := p.countByAddress(c, client); err != nil {
			fail(err)
			return
		}
		if _, missing := p.missing.GetIfPresent(name); missing && !ok {
			fail(problem.Missing())
			return
		}
		leave, err := p.admission.Admit(c,
			admission.Request{Client: client, Cost: n.cost, CallsProvider: n.callsProvider})
		if err != nil {
			fail(err)
			return
		}
		defer leave()
		if !ok {
			if v.site, err = p.loadSite(c.Request.Context(), name, v.link); err != nil {
				v.site = noSite
				if problem.Is(err, problem.NotFound) {
					p.missing.Set(name, struct{}{})
				}
				fail(err)
				return
			}
			v.lang = languageOf(c, v.page.Offered())
			edge.SetTenant(c.Request.Context(), v.tenant.ID)
			if client == admission.Unauthenticated {
				err = p.countByAddress(c, v.tenant.ID)
			}
			if err != nil {
				fail(err)
				return
			}
		}
		if err = v.Read(""); err != nil {
			fail(err)
			return
		}
		c.Request = c.Request.WithContext(db.WithActor(c.Request.Context(), db.Actor{RequestID: v.RequestID()}))
		web.Handle(v, func(v *visit) error {
			defer p.moveForm(v)
			if v.closed != nil {
				return v.closed
			}
			return handle(v)
		}, n.page, p.fail)
	}
}

// countByAddress takes a token of the visitor of a tenant who sends a request, or of its address as long as the tenant
// isn't known. Errors: problem.RateLimited.
func (p *Pages) countByAddress(c *gin.Context, tenant uuid.UUID) error {
	if tenant == admission.Unauthenticated {
		return p.admission.TakeAddressToken(c)
	}
	return p.admission.TakeVisitorToken(c, tenant)
}

// bookingOf returns the booking that the link leads to. Errors: problem.NotFound also for a link that was ended.
func (p *Pages) bookingOf(v *visit) (booking.Booking, error) {
	b, err := p.Bookings.Get(v.ctx(), v.tenant, v.link.BookingID)
	if err == nil && !v.link.LeadsTo(b) {
		err = problem.Missing()
	}
	return b, err
}

// serviceOf returns the service that a path names. Errors: problem.NotFound also for one that the page doesn't sell.
func (v *visit) serviceOf(text string) (*catalog.BookableService, error) {
	id, err := uuid.Parse(text)
	if err == nil {
		for i := range v.services {
			if v.services[i].ID == id && id.String() == text {
				return &v.services[i], nil
			}
		}
	}
	return nil, problem.Missing()
}
