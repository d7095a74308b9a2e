package booking

import (
	"context"
	"errors"
	"math"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"holdfast/internal/catalog"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// Service has the use cases of booking. It is safe for concurrent use.
type Service struct {
	store *store.Store
	rules *otter.Cache[rulesKey, *rules]

	newCode func() string
}

// maxRulesBytes bounds the memory that services' rules are kept in. Those of 10,000 plain services take a third of it.
const maxRulesBytes = 64 << 20

type rulesKey struct{ tenant, service uuid.UUID }

// NewService returns the use cases on s.
func NewService(s *store.Store) *Service {
	return &Service{
		store:   s,
		newCode: newCode,
		rules: otter.Must(&otter.Options[rulesKey, *rules]{
			MaximumWeight: maxRulesBytes,
			Weigher:       func(_ rulesKey, r *rules) uint32 { return uint32(min(r.size(), math.MaxUint32)) },
		}),
	}
}

// errStaleRules says that the tenant's catalog changed since the rules were read.
var errStaleRules = errors.New("booking: stale rules")

// maxStale is how often in a row a use case may find its rules stale: the catalog would have to change between
// each reading of the rules and the lock.
const maxStale = 10

// rulesOf returns a service's rules, from memory if they are there. A use case learns from the catalog's version, read in its own
// transaction, whether they still hold; if not, it calls forgetRules and begins again. Errors: problem.NotFound for a service that
// doesn't exist; problem.DatabaseUnavailable.
func (s *Service) rulesOf(ctx context.Context, t tenant.Tenant, service uuid.UUID) (*rules, error) {
	return s.rules.Get(ctx, rulesKey{t.ID, service},
		otter.LoaderFunc[rulesKey, *rules](func(ctx context.Context, _ rulesKey) (*rules, error) {
			// Other requests may wait for this; the request that happens to load must not take it away from them.
			return s.loadRules(context.WithoutCancel(ctx), t, service)
		}))
}

// forgetRules forgets rules that are stale, unless another request has loaded newer ones meanwhile.
func (s *Service) forgetRules(t tenant.Tenant, stale *rules) {
	key := rulesKey{t.ID, stale.service.ID}
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
	c, err := s.store.Catalog(ctx, t.ID, service, since)
	if err != nil {
		return nil, err
	}
	r := &rules{loc: t.Location, longest: c.Longest, version: c.Service.CatalogVersion}
	if r.service, err = catalog.ServiceFromRow(c.Service); err != nil {
		return nil, err
	}
	own, err := settings.Parse(c.Service.Settings)
	if err != nil {
		return nil, err
	}
	r.uniqueReferences, r.limits = own.UniqueReferences, own.Website.Limits
	hours, err := catalog.TenantHoursFromRow(store.TenantHours{Hours: c.TenantHours})
	if err != nil {
		return nil, err
	}
	r.tenantHours = hours.Hours
	inherited := hours.Times()
	var bookable []catalog.Resource
	for _, row := range c.Resources {
		res, err := catalog.OpenResource(row, &inherited)
		if err != nil {
			return nil, err
		}
		if r.service.ArchivedAt == nil && res.ArchivedAt == nil {
			bookable = append(bookable, res)
		}
	}
	r.setResources(bookable)
	for _, row := range c.Closures {
		r.closures = append(r.closures, catalog.ClosureFromRow(row))
	}
	return r, nil
}
