package event

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/event/internal/rowsql"
)

// LeaseQuery asks for due events of one kind.
type LeaseQuery struct {
	Kind string
	// Limit is how many events are leased at most.
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
	Deliveries *DeliveryLeaseQuery
}

// DeliveryLeaseQuery says how many deliveries are leased of each endpoint. Deliveries of one endpoint about one subject
// are leased one after the other, in the order of the subject's versions.
type DeliveryLeaseQuery struct {
	// Known are endpoints with deliveries under way or with a backlog.
	Known []KnownEndpoint
	// Everywhere asks for deliveries of other endpoints, too: PerEndpoint of each, from those after the endpoint After.
	Everywhere  bool
	After       EndpointKey
	PerEndpoint int
}

// EndpointKey names an endpoint of a tenant.
type EndpointKey struct{ Tenant, Endpoint uuid.UUID }

// KnownEndpoint says how many deliveries are leased of an endpoint. Those that were due before Since are left out.
type KnownEndpoint struct {
	EndpointKey

	Permits int
	Since   time.Time
}

// LeasedEvent is an event that a worker holds. Version and Lease, the fencing token, are those of the lease. LeasedAt
// is by the database's clock.
type LeasedEvent = rowsql.EventLeaseRow

const (
	// maxTenantsPerLease bounds how many tenants a fair query looks at.
	maxTenantsPerLease = 500
	// maxEndpointsPerLease bounds how many endpoints a query of deliveries looks at, besides known ones, and
	// maxLookedThrough how many deliveries of each.
	maxEndpointsPerLease = 500
	maxLookedThrough     = 2000
)

// Leased is what one query took.
type Leased struct {
	Events []LeasedEvent
	// LastTenant is the last tenant that a fair query looked at, if it took fewer events than it might and tenants may
	// be left that it didn't look at; the nil uuid otherwise.
	LastTenant uuid.UUID
	// LastEndpoint is the same of a query of deliveries.
	LastEndpoint EndpointKey
	// Took is how long the query took, by the database's clock.
	Took time.Duration
}

// LeaseDue hands due events of every tenant to the caller, each event to one caller, and returns what each query took.
// lease is the fencing token. It takes one round trip and no advisory lock. Errors:
// problem.DatabaseUnavailable; problem.OutcomeUnknown, after which the leases end by themselves.
func LeaseDue(ctx context.Context, d *db.DB, lease uuid.UUID, queries ...LeaseQuery) ([]Leased, error) {
	leased := make([]Leased, len(queries))
	times := make([]time.Time, len(queries)+1) // before the queries, and after each of them
	err := d.AsWorker(ctx, "lease events", func(tx *db.Tx) {
		tx.ReadClockInto(&times[0])
		for i, c := range queries {
			db.Query(unlocked.On(tx), "lease events", &leased[i], func(q *rowsql.Queries) (Leased, error) {
				switch {
				case c.Deliveries != nil:
					return leaseDeliveries(tx, q, lease, c)
				case c.Fairly:
					return leaseFairly(tx, q, lease, c)
				}
				events, err := q.EventLease(tx.Context(), rowsql.EventLeaseParams{
					Kind: c.Kind, RowLimit: atMost(c.Limit), Since: c.Since, Lease: lease,
					LeaseTime: db.Interval(c.LeaseTime),
				})
				return Leased{Events: events}, err
			})
			tx.ReadClockInto(&times[i+1])
		}
	})
	for i := range leased {
		leased[i].Took = times[i+1].Sub(times[i])
	}
	return leased, err
}

// atMost returns a limit of rows as a statement takes it.
func atMost(limit int) int32 { return int32(min(limit, 10_000)) }

func leaseFairly(tx *db.Tx, q *rowsql.Queries, lease uuid.UUID, c LeaseQuery) (leased Leased, err error) {
	rows, err := q.EventLeaseFairly(tx.Context(), rowsql.EventLeaseFairlyParams{
		Kind:        c.Kind,
		RowLimit:    atMost(c.Limit),
		Since:       c.Since,
		After:       c.After,
		PerTenant:   atMost(c.PerTenant),
		TenantLimit: maxTenantsPerLease,
		Lease:       lease,
		LeaseTime:   db.Interval(c.LeaseTime),
	})
	if n := len(rows); n > 0 && rows[n-1].EventID == uuid.Nil {
		leased.LastTenant, rows = rows[n-1].TenantID, rows[:n-1]
	}
	leased.Events = db.Convert(rows, func(r rowsql.EventLeaseFairlyRow) LeasedEvent { return LeasedEvent(r) })
	return leased, err
}

func leaseDeliveries(tx *db.Tx, q *rowsql.Queries, lease uuid.UUID, c LeaseQuery) (leased Leased, err error) {
	d := c.Deliveries
	p := rowsql.EventLeaseDeliveriesParams{
		Everywhere:   d.Everywhere,
		AfterTenant:  d.After.Tenant,
		AfterSubject: d.After.Endpoint,
		Since:        c.Since,
		SubjectLimit: maxEndpointsPerLease,
		PerSubject:   atMost(d.PerEndpoint),
		ScanLimit:    maxLookedThrough,
		RowLimit:     atMost(c.Limit),
		Lease:        lease,
		LeaseTime:    db.Interval(c.LeaseTime),
	}
	for _, k := range d.Known {
		p.KnownTenants = append(p.KnownTenants, k.Tenant)
		p.KnownSubjects = append(p.KnownSubjects, k.Endpoint)
		p.FreePermits = append(p.FreePermits, atMost(k.Permits))
		p.Sinces = append(p.Sinces, k.Since)
	}
	rows, err := q.EventLeaseDeliveries(tx.Context(), p)
	if n := len(rows); n > 0 && rows[n-1].EventID == uuid.Nil {
		leased.LastEndpoint, rows = EndpointKey{rows[n-1].TenantID, rows[n-1].SubjectID}, rows[:n-1]
	}
	leased.Events = db.Convert(rows, func(r rowsql.EventLeaseDeliveriesRow) LeasedEvent { return LeasedEvent(r) })
	return leased, err
}

// pollWork returns what there is to do for a worker, as the names under which it is woken: the kinds of which an event
// is due, db.WakeLeases and db.WakeFeed. The list isn't nil. What became due, or ended, longer ago than within is
// left out. It takes one round trip and leases nothing. Errors: problem.DatabaseUnavailable.
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
