package event

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/event/internal/rowsql"
)

// Claim asks for due events of one kind.
type Claim struct {
	Kind string
	// Limit is how many events are claimed at most.
	Limit int
	// LeaseTime is how long the lease lasts. Unless the worker prolongs it, the event goes to another worker then.
	LeaseTime time.Duration
	// Since leaves out events that were due before it; the zero time leaves out none.
	Since time.Time
	// Fairly takes at most PerTenant events of a tenant, in the order of the tenants' ids, from those after the tenant
	// After.
	Fairly    bool
	After     uuid.UUID
	PerTenant int
	// Deliveries is for the kind of webhook deliveries, and nil for other kinds.
	Deliveries *DeliveryClaim
}

// DeliveryClaim says how many deliveries are claimed of each endpoint. Deliveries of one endpoint about one subject are
// claimed one after the other, in the order of the subject's versions.
type DeliveryClaim struct {
	// Known are endpoints with deliveries under way or with a backlog.
	Known []KnownEndpoint
	// Everywhere claims of other endpoints, too: PerEndpoint of each, from those after the endpoint After.
	Everywhere  bool
	After       EndpointKey
	PerEndpoint int
}

// EndpointKey names an endpoint of a tenant.
type EndpointKey struct{ Tenant, Endpoint uuid.UUID }

// KnownEndpoint says how many deliveries are claimed of an endpoint. Those that were due before Since are left out.
type KnownEndpoint struct {
	EndpointKey

	Permits int
	Since   time.Time
}

// ClaimedEvent is an event that a worker holds. Version and Lease, the fencing token, are those of the claim. ClaimedAt
// is by the database's clock.
type ClaimedEvent = rowsql.EventClaimRow

const (
	// maxTenantsOfAClaim bounds how many tenants a fair claim looks at.
	maxTenantsOfAClaim = 500
	// maxEndpointsOfAClaim bounds how many endpoints a claim of deliveries looks at, besides known ones, and
	// maxLookedThrough how many deliveries of each.
	maxEndpointsOfAClaim = 500
	maxLookedThrough     = 2000
)

// Claimed is what one claim took.
type Claimed struct {
	Events []ClaimedEvent
	// LastTenant is the last tenant that a fair claim looked at, if it took fewer events than it might and tenants may be
	// left that it didn't look at; the nil uuid otherwise.
	LastTenant uuid.UUID
	// LastEndpoint is the same of a claim of deliveries.
	LastEndpoint EndpointKey
	// Took is how long the claim's query took, by the database's clock.
	Took time.Duration
}

// ClaimDue hands due events of every tenant to the caller, each event to one caller, and returns what each claim took.
// lease is the fencing token of the claims. It takes one round trip and no advisory lock. Errors:
// problem.DatabaseUnavailable; problem.OutcomeUnknown, after which the leases end by themselves.
func ClaimDue(ctx context.Context, d *db.DB, lease uuid.UUID, claims ...Claim) ([]Claimed, error) {
	claimed := make([]Claimed, len(claims))
	times := make([]time.Time, len(claims)+1) // before the claims, and after each of them
	err := d.AsWorker(ctx, "claim events", func(tx *db.Tx) {
		tx.ReadClockInto(&times[0])
		for i, c := range claims {
			db.Query(unlocked.On(tx), "claim events", &claimed[i], func(q *rowsql.Queries) (Claimed, error) {
				switch {
				case c.Deliveries != nil:
					return claimDeliveries(tx, q, lease, c)
				case c.Fairly:
					return claimFairly(tx, q, lease, c)
				}
				events, err := q.EventClaim(tx.Context(), rowsql.EventClaimParams{
					Kind: c.Kind, RowLimit: atMost(c.Limit), Since: c.Since, Lease: lease, LeaseTime: db.Interval(c.LeaseTime),
				})
				return Claimed{Events: events}, err
			})
			tx.ReadClockInto(&times[i+1])
		}
	})
	for i := range claimed {
		claimed[i].Took = times[i+1].Sub(times[i])
	}
	return claimed, err
}

// atMost returns a limit of rows as a statement takes it.
func atMost(limit int) int32 { return int32(min(limit, 10_000)) }

func claimFairly(tx *db.Tx, q *rowsql.Queries, lease uuid.UUID, c Claim) (claimed Claimed, err error) {
	rows, err := q.EventClaimFairly(tx.Context(), rowsql.EventClaimFairlyParams{
		Kind: c.Kind, RowLimit: atMost(c.Limit), Since: c.Since, After: c.After, PerTenant: atMost(c.PerTenant),
		TenantLimit: maxTenantsOfAClaim, Lease: lease, LeaseTime: db.Interval(c.LeaseTime),
	})
	if n := len(rows); n > 0 && rows[n-1].EventID == uuid.Nil {
		claimed.LastTenant, rows = rows[n-1].TenantID, rows[:n-1]
	}
	claimed.Events = db.Convert(rows, func(r rowsql.EventClaimFairlyRow) ClaimedEvent { return ClaimedEvent(r) })
	return claimed, err
}

func claimDeliveries(tx *db.Tx, q *rowsql.Queries, lease uuid.UUID, c Claim) (claimed Claimed, err error) {
	d := c.Deliveries
	p := rowsql.EventClaimDeliveriesParams{
		Everywhere: d.Everywhere, AfterTenant: d.After.Tenant, AfterSubject: d.After.Endpoint, Since: c.Since,
		SubjectLimit: maxEndpointsOfAClaim, PerSubject: atMost(d.PerEndpoint), ScanLimit: maxLookedThrough,
		RowLimit: atMost(c.Limit), Lease: lease, LeaseTime: db.Interval(c.LeaseTime),
	}
	for _, k := range d.Known {
		p.KnownTenants = append(p.KnownTenants, k.Tenant)
		p.KnownSubjects = append(p.KnownSubjects, k.Endpoint)
		p.FreePermits = append(p.FreePermits, atMost(k.Permits))
		p.Sinces = append(p.Sinces, k.Since)
	}
	rows, err := q.EventClaimDeliveries(tx.Context(), p)
	if n := len(rows); n > 0 && rows[n-1].EventID == uuid.Nil {
		claimed.LastEndpoint, rows = EndpointKey{rows[n-1].TenantID, rows[n-1].SubjectID}, rows[:n-1]
	}
	claimed.Events = db.Convert(rows, func(r rowsql.EventClaimDeliveriesRow) ClaimedEvent { return ClaimedEvent(r) })
	return claimed, err
}

// pollWork returns what there is to do for a worker, as the names under which it is woken: the kinds of which an event
// is due, db.WakeLeases and db.WakeFeed. The list isn't nil. What became due, or ended, longer ago than within is
// left out. It takes one round trip and claims nothing. Errors: problem.DatabaseUnavailable.
func pollWork(ctx context.Context, d *db.DB, within time.Duration, kinds []string) (names []string, err error) {
	var found rowsql.EventPollWorkRow
	err = d.ReadAsWorker(ctx, "poll for work", func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "poll for work", &found, func(q *rowsql.Queries) (rowsql.EventPollWorkRow, error) {
			return q.EventPollWork(tx.Context(), kinds, db.Interval(within))
		})
	})
	if err != nil {
		return nil, err
	}
	names = append([]string{}, found.Due...)
	if found.LeasesEnded {
		names = append(names, db.WakeLeases)
	}
	if found.Changed {
		names = append(names, db.WakeFeed)
	}
	return names, nil
}
