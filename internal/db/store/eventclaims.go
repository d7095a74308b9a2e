package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// ErrLeaseLost says that a worker no longer holds an event: its lease ended and the event was given to another worker, or the
// event was cancelled or moved. The worker's result was not recorded.
var ErrLeaseLost = errors.New("the event's lease is lost")

// EventClaim asks for due events of one kind.
type EventClaim struct {
	Kind string
	// Limit is how many events are claimed at most.
	Limit int
	// LeaseTime is how long the lease lasts. Unless RenewEvents prolongs it, the event goes to another worker then.
	LeaseTime time.Duration
	// Since leaves out events that were due before it; the zero time leaves out none.
	Since time.Time
	// Fairly takes at most PerTenant events of a tenant, in the order of the tenants' ids, from those after the tenant After.
	Fairly    bool
	After     uuid.UUID
	PerTenant int
	// Deliveries is for the kind of webhook deliveries, and nil for other kinds.
	Deliveries *DeliveryClaim
}

// DeliveryClaim says how many deliveries are claimed of each endpoint. Deliveries of one endpoint about one subject are claimed one after
// the other, in the order of the subject's versions.
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

// ClaimedEvent is an event that a worker holds. Version and Lease, the fencing token, are those of the claim. ClaimedAt is by the
// database's clock.
type ClaimedEvent = dbsqlc.EventClaimRow

const (
	// maxTenantsOfAClaim bounds how many tenants a fair claim looks at.
	maxTenantsOfAClaim = 500
	// maxEndpointsOfAClaim bounds how many endpoints a claim of deliveries looks at, besides known ones, and maxLookedThrough how many
	// deliveries of each.
	maxEndpointsOfAClaim = 500
	maxLookedThrough     = 2000
)

// Claimed is what one claim took.
type Claimed struct {
	Events []ClaimedEvent
	// LastTenant is the last tenant that a fair claim looked at, if it took fewer events than it might and tenants may be left that it
	// didn't look at; the nil uuid otherwise.
	LastTenant uuid.UUID
	// LastEndpoint is the same of a claim of deliveries.
	LastEndpoint EndpointKey
	// Took is how long the claim's query took, by the database's clock.
	Took time.Duration
}

// ClaimEvents hands due events of every tenant to the caller, each event to one caller, and returns what each claim took. lease is the
// fencing token of the claims. It takes one round trip and no advisory lock. Errors: problem.DatabaseUnavailable;
// problem.OutcomeUnknown, after which the leases end by themselves.
func (s *Store) ClaimEvents(ctx context.Context, lease uuid.UUID, claims ...EventClaim) ([]Claimed, error) {
	claimed := make([]Claimed, len(claims))
	times := make([]time.Time, len(claims)+1) // before the claims, and after each of them
	err := s.db.AsWorker(ctx, "claim events", func(t *core.Tx) {
		t.ReadClockInto(&times[0])
		for i, c := range claims {
			limit := int32(min(c.Limit, 10_000))
			core.Query(t, "claim events", &claimed[i], func(q *dbsqlc.Queries) (Claimed, error) {
				if c.Deliveries != nil {
					return claimDeliveries(t, q, lease, c)
				}
				if !c.Fairly {
					events, err := q.EventClaim(t.Ctx, dbsqlc.EventClaimParams{
						Kind: c.Kind, RowLimit: limit, Since: c.Since, Lease: lease, LeaseTime: interval(c.LeaseTime),
					})
					return Claimed{Events: events}, err
				}
				rows, err := q.EventClaimFairly(t.Ctx, dbsqlc.EventClaimFairlyParams{
					Kind: c.Kind, RowLimit: limit, Since: c.Since, After: c.After, PerTenant: int32(min(c.PerTenant, 10_000)),
					TenantLimit: maxTenantsOfAClaim, Lease: lease, LeaseTime: interval(c.LeaseTime),
				})
				var last uuid.UUID
				if n := len(rows); n > 0 && rows[n-1].EventID == uuid.Nil {
					last, rows = rows[n-1].TenantID, rows[:n-1]
				}
				events := convert(rows, func(r dbsqlc.EventClaimFairlyRow) ClaimedEvent { return ClaimedEvent(r) })
				return Claimed{Events: events, LastTenant: last}, err
			})
			t.ReadClockInto(&times[i+1])
		}
	})
	for i := range claimed {
		claimed[i].Took = times[i+1].Sub(times[i])
	}
	return claimed, err
}

func claimDeliveries(t *core.Tx, q *dbsqlc.Queries, lease uuid.UUID, c EventClaim) (claimed Claimed, err error) {
	d := c.Deliveries
	p := dbsqlc.EventClaimDeliveriesParams{
		Everywhere: d.Everywhere, AfterTenant: d.After.Tenant, AfterSubject: d.After.Endpoint, Since: c.Since,
		SubjectLimit: maxEndpointsOfAClaim, PerSubject: int32(min(d.PerEndpoint, 10_000)), ScanLimit: maxLookedThrough,
		RowLimit: int32(min(c.Limit, 10_000)), Lease: lease,
		LeaseTime: interval(c.LeaseTime),
	}
	for _, k := range d.Known {
		p.KnownTenants = append(p.KnownTenants, k.Tenant)
		p.KnownSubjects = append(p.KnownSubjects, k.Endpoint)
		p.FreePermits = append(p.FreePermits, int32(min(k.Permits, 10_000)))
		p.Sinces = append(p.Sinces, k.Since)
	}
	rows, err := q.EventClaimDeliveries(t.Ctx, p)
	if n := len(rows); n > 0 && rows[n-1].EventID == uuid.Nil {
		claimed.LastEndpoint, rows = EndpointKey{rows[n-1].TenantID, rows[n-1].SubjectID}, rows[:n-1]
	}
	claimed.Events = convert(rows, func(r dbsqlc.EventClaimDeliveriesRow) ClaimedEvent { return ClaimedEvent(r) })
	return claimed, err
}

// PollWork returns what there is to do for a worker, as the names under which it is woken: the kinds of which an event is due,
// WakeLeases and WakeFeed. The list isn't nil. What became due, or ended, longer ago than within is left out. It takes one round trip and
// claims nothing. Errors: problem.DatabaseUnavailable.
func (s *Store) PollWork(ctx context.Context, within time.Duration, kinds []string) (names []string, err error) {
	var found dbsqlc.EventPollWorkRow
	err = s.db.ReadAsLogin(ctx, "poll for work", func(t *core.Tx) {
		t.BecomeWorker()
		core.Query(t, "poll for work", &found, func(q *dbsqlc.Queries) (dbsqlc.EventPollWorkRow, error) {
			return q.EventPollWork(t.Ctx, kinds, interval(within))
		})
	})
	if err != nil {
		return nil, err
	}
	names = append([]string{}, found.Due...)
	if found.LeasesEnded {
		names = append(names, WakeLeases)
	}
	if found.Changed {
		names = append(names, WakeFeed)
	}
	return names, nil
}
