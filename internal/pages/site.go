package pages

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/email"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
)

const (
	// siteCacheTime is for how long a tenant's site is kept: a change of settings or services is on all servers' pages
	// after this time.
	siteCacheTime = 10 * time.Second
	// maxSites bounds how many are kept.
	maxSites = 1000
	// missingTime is for how long it is remembered that there is no site, and maxMissing bounds of how many names.
	missingTime = 5 * time.Second
	maxMissing  = 10_000
	// maxServices bounds how many services a page sells.
	maxServices = 200
)

// site is what the pages of a tenant are made of.
type site struct {
	tenant   tenant.Tenant
	page     settings.BookingPage
	limits   settings.VisitorLimits
	services []catalog.BookableService // in the order of the page
	theme    theme
	logo     string // its URL; empty without one
	// sendsEmail says that the tenant sends emails.
	sendsEmail bool
	// sender is who the tenant's emails are from; nil if it sends none.
	sender *email.Address
	// closed is why the tenant can't be reached by the page, nil if it can. Its name and its contact are shown all the
	// same.
	closed error
}

// noSite is that of a page without a tenant.
var noSite = &site{theme: newTheme("")}

// loadSite reads a site by the name that is its slug or, if link isn't nil, by the link's tenant, and keeps it under
// the name. The site of a suspended tenant is closed, and to a link also that of a tenant who has no booking page any
// more. Errors: problem.NotFound, also for the slug of a tenant without a booking page; problem.DatabaseUnavailable.
func (p *Pages) loadSite(ctx context.Context, name string, link *booking.Link) (*site, error) {
	id := uuid.Nil
	if link != nil {
		id = link.TenantID
	}
	t, closed := p.Tenants.ForCustomers(ctx, name, id)
	if closed != nil && !problem.Is(closed, problem.TenantSuspended) {
		return nil, closed
	}
	of, err := p.Settings.Get(ctx, t.ID)
	if err != nil {
		return nil, err
	}
	if !of.Settings.BookingPage.Enabled || link == nil && closed != nil {
		closed = problem.Missing()
	}
	if link == nil && !of.Settings.BookingPage.Enabled {
		return nil, closed
	}
	services, err := p.Catalog.Services(ctx, t, catalog.ListQuery{Limit: maxServices})
	if err != nil {
		return nil, err
	}
	page := of.Settings.BookingPage
	t.Name = of.Name
	s := &site{
		tenant:     t,
		page:       page,
		limits:     of.Settings.Website.Limits,
		services:   sold(services, page.ServiceIDs),
		theme:      newTheme(page.Colour),
		logo:       of.LogoPath(),
		sendsEmail: of.Settings.SendsEmail(),
		sender:     of.Settings.From,
		closed:     closed,
	}
	p.sites.Set(name, s)
	return s, nil
}

// sold returns those of the services that are listed, in the list's order; all without a list.
func sold(services []catalog.BookableService, listed []uuid.UUID) []catalog.BookableService {
	if len(listed) == 0 {
		return services
	}
	found := slices.DeleteFunc(slices.Clone(services),
		func(svc catalog.BookableService) bool { return !slices.Contains(listed, svc.ID) })
	slices.SortFunc(found, func(a, b catalog.BookableService) int {
		return cmp.Compare(slices.Index(listed, a.ID), slices.Index(listed, b.ID))
	})
	return found
}
