package booking

import (
	"context"
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"holdfast/internal/catalog"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// rules are a service's rules, and what else a booking takes from its service and its tenant, as of one version of
// the tenant's catalog.
type rules struct {
	*timetable.Rules
	// terms are what a booking copies from the service.
	terms catalog.Terms
	// uniqueReferences says that a booking gets no reference that another one of the tenant has.
	uniqueReferences bool
	// limits say how many holds a visitor has open; those of one booking are in Rules too.
	limits settings.VisitorLimits
}

// readFor returns what has to be read for a booking at a time, on the wanted resources and, for a need of which none is
// wanted, on any.
func (r *rules) readFor(at timetable.BookingTime, wanted []uuid.UUID) reads {
	asked := reads{Occupied: r.Rules.ReadFor(at, wanted)}
	if r.Service.MaxPerDay != nil {
		asked.CountService, asked.CountDate = &r.Service.ID, at.Date
	}
	return asked
}

// readForMove is readFor for a booking that is there already: it isn't in its own way, and isn't counted.
func (r *rules) readForMove(at timetable.BookingTime, wanted []uuid.UUID, b Booking) reads {
	asked := r.readFor(at, wanted)
	asked.CountExcept = &b.ID
	if b.sessionID != nil && !slices.Contains(asked.Occupied.Resources, *b.sessionID) {
		asked.Occupied.Resources = append(slices.Clip(asked.Occupied.Resources), *b.sessionID)
	}
	return asked
}

// rulesOf returns a service's rules, from memory if they are there. A use case learns from the catalog's version, read
// in its own transaction, whether they still hold; if not, it calls forgetRules and begins again. Errors:
// problem.NotFound for a service that doesn't exist; problem.DatabaseUnavailable.
func (s *Service) rulesOf(ctx context.Context, t tenant.Tenant, service uuid.UUID) (*rules, error) {
	return s.rules.Get(ctx, rulesKey{t.ID, service},
		otter.LoaderFunc[rulesKey, *rules](func(ctx context.Context, _ rulesKey) (*rules, error) {
			// Other requests may wait for this; the request that happens to load must not take it away from them.
			return s.loadRules(context.WithoutCancel(ctx), t, service)
		}))
}

// forgetRules forgets rules that are stale, unless another request has loaded newer ones meanwhile.
func (s *Service) forgetRules(t tenant.Tenant, stale *rules) {
	key := rulesKey{t.ID, stale.Service.ID}
	if cached, ok := s.rules.GetIfPresent(key); ok && cached == stale {
		s.rules.Invalidate(key)
	}
}

// rulesKeepChanging is the error of a use case that found its rules stale maxStale times.
func rulesKeepChanging() error {
	return problem.New(problem.LockTimeout, "The tenant's services keep changing. Try again.").Retry(time.Second)
}

func (s *Service) loadRules(ctx context.Context, t tenant.Tenant, service uuid.UUID) (*rules, error) {
	// Past closures don't matter to a new booking; two days cover every time zone.
	since := civil.DateOf(time.Now().UTC()).AddDays(-2)
	of, err := catalog.ReadRules(ctx, s.db, t.ID, service, since)
	if err != nil {
		return nil, err
	}
	own, err := settings.Parse(of.Settings)
	if err != nil {
		return nil, err
	}
	r := &timetable.Rules{
		Service: of.Service.Sold(), Loc: t.Location, Longest: of.Longest, Version: of.Version,
		Limits: own.Website.Limits.Limits, Closures: of.Closures,
	}
	r.SetResources(of.Resources)
	return &rules{
		Rules: r, terms: of.Service.Terms, uniqueReferences: own.UniqueReferences, limits: own.Website.Limits,
	}, nil
}
