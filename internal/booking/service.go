package booking

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// Service has the use cases of booking. It is safe for concurrent use.
type Service struct {
	store *store.Store
	guard *idempotency.Guard
	rules *otter.Cache[rulesKey, *rules]
}

// maxRulesBytes bounds the memory that services' rules are kept in. Those of 10,000 plain services take a third of it.
const maxRulesBytes = 64 << 20

type rulesKey struct{ tenant, service uuid.UUID }

// NewService returns the use cases on s.
func NewService(s *store.Store, guard *idempotency.Guard) *Service {
	return &Service{
		store: s,
		guard: guard,
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

// withRules runs use with a service's rules, again with newer ones for as long as it returns errStaleRules.
// The rules are kept in memory; a use case learns from the catalog's version, read in its own transaction,
// whether they still hold. It returns problem.NotFound for a service that doesn't exist.
func (s *Service) withRules(ctx context.Context, t tenant.Tenant, service uuid.UUID, use func(*rules) error) error {
	key := rulesKey{t.ID, service}
	for range maxStale {
		r, err := s.rules.Get(ctx, key, otter.LoaderFunc[rulesKey, *rules](func(ctx context.Context, _ rulesKey) (*rules, error) {
			// Others may wait for this; the request that happens to load must not take it away from them.
			return s.loadRules(context.WithoutCancel(ctx), t, service)
		}))
		if err != nil {
			return idempotency.BeforeLookup(err)
		}
		if err := use(r); !errors.Is(err, errStaleRules) {
			return err
		}
		// Another request may have loaded newer rules meanwhile: those stay.
		if cached, ok := s.rules.GetIfPresent(key); ok && cached == r {
			s.rules.Invalidate(key)
		}
	}
	return problem.New(problem.LockTimeout, "The tenant's services keep changing. Nothing was written.").Retry(time.Second)
}

func (s *Service) loadRules(ctx context.Context, t tenant.Tenant, service uuid.UUID) (*rules, error) {
	// Closures that are over can't concern a new booking; two days cover every time zone.
	since := civil.DateOf(time.Now().UTC()).AddDays(-2)
	c, err := s.store.Catalog(ctx, t.ID, service, since)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, problem.Missing()
	}
	r := &rules{service: serviceFromRow(c.Service), loc: t.Location, longest: c.Longest, version: c.Service.CatalogVersion}
	for _, row := range c.Resources {
		res, err := resourceFromRow(row)
		if err != nil {
			return nil, err
		}
		r.resources = append(r.resources, res)
	}
	for _, row := range c.Closures {
		r.closures = append(r.closures, closureFromRow(row))
	}
	return r, nil
}

func serviceFromRow(row store.Service) BookableService {
	o := BookableService{
		ID: row.ServiceID, Name: row.Name, Kind: Kind(row.Kind), ResourceIDs: row.ResourceIds,
		DurationMinutes: int(row.DurationMinutes), SlotIntervalMinutes: int(row.SlotIntervalMinutes),
		BufferBeforeMinutes: int(row.BufferBeforeMinutes), BufferAfterMinutes: int(row.BufferAfterMinutes),
		MinLeadMinutes: int(row.MinLeadMinutes), BookingWindowDays: int(row.BookingWindowDays),
		Price: row.Price, Deposit: row.Deposit, Metadata: row.Metadata, CreatedAt: row.CreatedAt,
		UpdatedAt: row.UpdatedAt, Currency: row.Currency,
	}
	if row.MaxPerDay != nil {
		n := int(*row.MaxPerDay)
		o.MaxPerDay = &n
	}
	return o
}

func resourceFromRow(row store.Resource) (Resource, error) {
	res := Resource{
		ID: row.ResourceID, Name: row.Name, Capacity: int(row.Capacity), CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
	if err := json.Unmarshal(row.Hours, &res.Hours); err != nil {
		return res, fmt.Errorf("read the hours of resource %s: %w", row.ResourceID, err)
	}
	res.times = res.Hours.timetable()
	return res, nil
}

func closureFromRow(row store.Closure) Closure {
	return Closure{
		ID: row.ClosureID, ResourceID: row.ResourceID, From: row.FromDate, To: row.ToDate, Reason: row.Reason,
		CreatedAt: row.CreatedAt,
	}
}
