package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

type (
	// WebhookEndpoint is where a tenant wants to be told of events, with its secrets in clear. The tenant of the operator's endpoints,
	// which are told of the events of all tenants, is uuid.Nil, and so is that of their deliveries.
	WebhookEndpoint = dbsqlc.WebhookEndpoint
	// WebhookDelivery is the scheduled event that delivers an event to an endpoint, which is its subject.
	WebhookDelivery = dbsqlc.ScheduledEvent
)

// FeedRange is the changes and notices that follow After, occurred at From or later and before To, and have a type that matches one
// of Patterns, which are those of LIKE. At most Limit events are meant.
type FeedRange struct {
	After    FeedPosition
	From, To time.Time
	Patterns []string
	Limit    int
}

// EndpointRead says what to read before a change of a webhook endpoint. What is left zero is not read.
type EndpointRead struct {
	// Endpoint is the endpoint. A row lock makes other changes of it wait.
	Endpoint uuid.UUID
	// Delivery is a delivery to the endpoint. A row lock keeps workers from claiming it.
	Delivery uuid.UUID
	// Count asks how many endpoints the tenant has. Other requests that ask wait for the end of the transaction.
	Count bool
	// Open asks how many deliveries the tenant has that are to be made, up to Open. Other requests that ask wait for the end of the
	// transaction.
	Open int
}

// EndpointState is what was read before a change of a webhook endpoint.
type EndpointState struct {
	// Now is the database's clock.
	Now time.Time
	// Endpoint is nil if there is none.
	Endpoint *WebhookEndpoint
	// Delivery is nil if it wasn't asked for, or if there is none.
	Delivery *WebhookDelivery
	Count    int64
	Open     int64
}

// EndpointTx is a transaction about one webhook endpoint, whose row it has locked. Its methods queue what is written when the caller's
// function returns.
type EndpointTx struct {
	transaction
	endpoint uuid.UUID
}

// ChangeEndpoint runs decide in a transaction about a webhook endpoint, in two round trips. request is what is served, nil for a change
// without a key. When decide returns an error, or queues nothing, the transaction is rolled back. decide may be run several times and must
// not have effects of its own.
//
// Errors: decide's own; problem.DatabaseUnavailable, problem.LockTimeout and problem.RequestInProgress, after which nothing was written;
// problem.OutcomeUnknown.
func (s *Store) ChangeEndpoint(ctx context.Context, tenant uuid.UUID, request *Request, read EndpointRead,
	decide func(*EndpointTx, EndpointState) error,
) error {
	w := core.Write{Doing: "change the webhook endpoint", Request: request, Tenant: tenant}
	return s.db.Run(ctx, w, func(t *core.Tx, k *core.RequestKey) func() error {
		tx, st := &EndpointTx{transaction: newTransaction(t, k), endpoint: read.Endpoint}, new(EndpointState)
		tx.queueReads(read, st)
		return func() error {
			st.Now = t.Now
			return decide(tx, *st)
		}
	})
}

func (tx *EndpointTx) queueReads(read EndpointRead, st *EndpointState) {
	t, tenant := tx.t, tx.t.Tenant
	if read.Count || read.Open > 0 {
		core.Exec(t, "lock the tenant", func(q *dbsqlc.Queries) error { return q.WebhookTenantLock(t.Ctx, tenant) })
	}
	if read.Open > 0 {
		core.Query(t, "count the open deliveries", &st.Open, func(q *dbsqlc.Queries) (int64, error) {
			return q.WebhookOpenCount(t.Ctx, tenant, int32(read.Open))
		})
	}
	if read.Count {
		core.Query(t, "count the endpoints", &st.Count, func(q *dbsqlc.Queries) (int64, error) {
			return q.WebhookEndpointCount(t.Ctx, tenant)
		})
	}
	core.Optional(t, "read the endpoint", &st.Endpoint, func(q *dbsqlc.Queries) (WebhookEndpoint, error) {
		return q.WebhookEndpointGetLocked(t.Ctx, tenant, read.Endpoint)
	})
	if read.Delivery != uuid.Nil {
		core.Optional(t, "read the delivery", &st.Delivery, func(q *dbsqlc.Queries) (WebhookDelivery, error) {
			return q.WebhookDeliveryGetLocked(t.Ctx, tenant, read.Delivery)
		})
	}
	t.ReadClock()
}

// Insert queues a new endpoint: its URL, types, description and secret.
func (tx *EndpointTx) Insert(e WebhookEndpoint) {
	core.Exec(tx.t, "insert the endpoint", func(q *dbsqlc.Queries) error {
		return q.WebhookEndpointInsert(tx.t.Ctx, dbsqlc.WebhookEndpointInsertParams{
			TenantID: tx.t.Tenant, EndpointID: tx.endpoint, Url: e.Url, Types: e.Types, Description: e.Description, Secret: e.Secret,
			Now: tx.t.Now,
		})
	})
}

// Update queues all that can change of the endpoint.
func (tx *EndpointTx) Update(e WebhookEndpoint) {
	core.Exec(tx.t, "update the endpoint", func(q *dbsqlc.Queries) error {
		return q.WebhookEndpointUpdate(tx.t.Ctx, dbsqlc.WebhookEndpointUpdateParams{
			TenantID: tx.t.Tenant, EndpointID: tx.endpoint, Url: e.Url, Types: e.Types, Description: e.Description, Status: e.Status,
			DisabledReason: e.DisabledReason, Secret: e.Secret, FormerSecret: e.FormerSecret, FormerSecretUntil: e.FormerSecretUntil,
			Failures: e.Failures, FailingSince: e.FailingSince, OpenUntil: e.OpenUntil, Version: e.Version, UpdatedAt: e.UpdatedAt,
		})
	})
}

// Delete queues the end of the endpoint.
func (tx *EndpointTx) Delete() {
	core.Exec(tx.t, "delete the endpoint", func(q *dbsqlc.Queries) error {
		return q.WebhookEndpointDelete(tx.t.Ctx, tx.t.Tenant, tx.endpoint)
	})
}

// Replay queues another attempt, at once, of a delivery that the transaction has locked and that no worker holds. The workers of
// its kind are woken after the commit.
func (tx *EndpointTx) Replay(delivery uuid.UUID, kind string) {
	core.Exec(tx.t, "replay the delivery", func(q *dbsqlc.Queries) error {
		return q.WebhookDeliveryReplay(tx.t.Ctx, dbsqlc.WebhookDeliveryReplayParams{
			TenantID: tx.t.Tenant, EventID: delivery, Now: tx.t.Now,
		})
	})
	tx.q.Wake(kind)
}

// ReplayRange queues the delivery of the events of a range, up to a position, to the endpoint. The workers of their
// kind are woken after the commit.
func (tx *EndpointTx) ReplayRange(r FeedRange, last FeedPosition, kind string) {
	p := dbsqlc.WebhookRangeReplayParams{
		TenantID: tx.t.Tenant, EndpointID: tx.endpoint, FromTime: r.From, ToTime: r.To, AfterTransaction: r.After.TransactionID,
		AfterID:         r.After.ChangeID,
		LastTransaction: last.TransactionID, LastID: last.ChangeID, Patterns: r.Patterns, Now: tx.t.Now,
	}
	if tx.t.Tenant == uuid.Nil {
		tx.replayRangeAcross(p)
	} else {
		core.Exec(tx.t, "replay a range", func(q *dbsqlc.Queries) error { return q.WebhookRangeReplay(tx.t.Ctx, p) })
	}
	tx.q.Wake(kind)
}

// replayRangeAcross is ReplayRange to an endpoint of the operator.
func (tx *EndpointTx) replayRangeAcross(p dbsqlc.WebhookRangeReplayParams) {
	tx.t.BecomeWorker()
	core.Exec(tx.t, "replay a range", func(q *dbsqlc.Queries) error {
		return q.WebhookRangeReplayAcross(tx.t.Ctx, dbsqlc.WebhookRangeReplayAcrossParams{
			EndpointID: p.EndpointID, FromTime: p.FromTime, ToTime: p.ToTime, AfterTransaction: p.AfterTransaction, AfterID: p.AfterID,
			LastTransaction: p.LastTransaction, LastID: p.LastID, Patterns: p.Patterns, Now: p.Now,
		})
	})
	tx.t.BecomeApp()
}

// WebhookEndpoint returns an endpoint. Errors, as of all reads here: problem.NotFound; problem.DatabaseUnavailable.
func (s *Store) WebhookEndpoint(ctx context.Context, tenant, id uuid.UUID) (WebhookEndpoint, error) {
	return readByKey(ctx, s, "read a webhook endpoint", tenant, id, (*dbsqlc.Queries).WebhookEndpointGet)
}

// WebhookEndpoints lists a tenant's endpoints by id.
func (s *Store) WebhookEndpoints(ctx context.Context, tenant uuid.UUID, page Page) ([]WebhookEndpoint, error) {
	return core.ReadOne(ctx, s.db, "list webhook endpoints", tenant,
		func(ctx context.Context, q *dbsqlc.Queries) ([]WebhookEndpoint, error) {
			return q.WebhookEndpointList(ctx, dbsqlc.WebhookEndpointListParams{
				TenantID: tenant, After: page.After, RowLimit: int32(page.Limit),
			})
		})
}

// WebhookDelivery returns a delivery with its last attempts, at most limit of them, the newest first.
func (s *Store) WebhookDelivery(ctx context.Context, tenant, id uuid.UUID,
	limit int,
) (d WebhookDelivery, attempts []EventAttempt, err error) {
	err = s.db.ReadOnly(ctx, "read a delivery", tenant, func(t *core.Tx) {
		core.Query(t, "read a delivery", &d, func(q *dbsqlc.Queries) (WebhookDelivery, error) {
			return q.WebhookDeliveryGet(t.Ctx, tenant, id)
		})
		core.Query(t, "read the attempts", &attempts, func(q *dbsqlc.Queries) ([]EventAttempt, error) {
			return q.WebhookAttemptList(t.Ctx, dbsqlc.WebhookAttemptListParams{TenantID: tenant, EventID: id, RowLimit: int32(limit)})
		})
	})
	return d, attempts, err
}

// WebhookDeliveriesOf lists the deliveries of a subject's last changes, the newest change first. Errors: problem.DatabaseUnavailable.
func (s *Store) WebhookDeliveriesOf(ctx context.Context, tenant, subject uuid.UUID, changes int) (list []WebhookDelivery, err error) {
	err = s.db.ReadOnly(ctx, "list deliveries of a subject", tenant, func(t *core.Tx) {
		core.Query(t, "list deliveries of a subject", &list, func(q *dbsqlc.Queries) ([]WebhookDelivery, error) {
			return q.WebhookDeliveryListBySubject(t.Ctx, dbsqlc.WebhookDeliveryListBySubjectParams{
				TenantID: tenant, ChangedID: subject, ChangeLimit: int32(changes),
			})
		})
	})
	return list, err
}

// WebhookDeliveries lists up to limit deliveries to an endpoint whose occurrence is less than before, the greatest first. Errors:
// problem.NotFound if there is no such endpoint.
func (s *Store) WebhookDeliveries(ctx context.Context, tenant, endpoint uuid.UUID, before string,
	limit int,
) (list []WebhookDelivery, err error) {
	err = s.db.ReadOnly(ctx, "list deliveries", tenant, func(t *core.Tx) {
		core.Query(t, "read the endpoint", new(WebhookEndpoint), func(q *dbsqlc.Queries) (WebhookEndpoint, error) {
			return q.WebhookEndpointGet(t.Ctx, tenant, endpoint)
		})
		core.Query(t, "list deliveries", &list, func(q *dbsqlc.Queries) ([]WebhookDelivery, error) {
			return q.WebhookDeliveryList(t.Ctx, dbsqlc.WebhookDeliveryListParams{
				TenantID: tenant, EndpointID: endpoint, Before: before, RowLimit: int32(limit),
			})
		})
	})
	return list, err
}

// DeliveryKey names an endpoint of a tenant, and a change or notice of a subject. Tenant is that of the event, for an endpoint of the
// operator.
type DeliveryKey struct{ Tenant, Endpoint, Subject, Event uuid.UUID }

// ToDeliver is what a delivery needs, as of Now. Endpoint and Event are nil if they don't exist any more.
type ToDeliver struct {
	Now      time.Time
	Endpoint *WebhookEndpoint
	Event    *StoredChange
}

// ToDeliver returns what deliveries of a tenant need, in their order. It waits for an erasure that is changing one of the events, so that
// what is sent, and recorded, is of the event as it is then. It locks the rows of the events as long as it reads. Errors:
// problem.LockTimeout, problem.DatabaseUnavailable.
func (s *Store) ToDeliver(ctx context.Context, tenant uuid.UUID, keys []DeliveryKey) ([]ToDeliver, error) {
	var now time.Time
	var endpoints []WebhookEndpoint
	var events []dbsqlc.ChangeGetManyAcrossRow
	endpointIDs := convert(keys, func(k DeliveryKey) uuid.UUID { return k.Endpoint })
	err := s.db.AsTenant(ctx, "read what to deliver", true, tenant, func(t *core.Tx) { // not ReadOnly, in which no row can be locked
		core.Query(t, "read the clock", &now, func(q *dbsqlc.Queries) (time.Time, error) { return q.SessionClock(t.Ctx) })
		core.Query(t, "read the endpoints", &endpoints, func(q *dbsqlc.Queries) ([]WebhookEndpoint, error) {
			return q.WebhookEndpointGetMany(t.Ctx, tenant, endpointIDs)
		})
		queueEventsToDeliver(t, keys, &events)
	})
	if err != nil {
		return nil, err
	}
	byEndpoint, byEvent := make(map[uuid.UUID]*WebhookEndpoint, len(endpoints)), make(map[uuid.UUID]*StoredChange, len(events))
	for i, e := range endpoints {
		byEndpoint[e.EndpointID] = &endpoints[i]
	}
	for _, row := range events {
		byEvent[row.ChangeID] = &StoredChange{
			TenantID: row.TenantID, ChangeID: row.ChangeID, Type: row.Type, SubjectType: row.SubjectType, SubjectID: row.SubjectID,
			Version:  row.Version,
			Operator: row.Operator, OccurredAt: row.OccurredAt, Data: row.Data,
		}
	}
	return convert(keys, func(k DeliveryKey) ToDeliver { return ToDeliver{now, byEndpoint[k.Endpoint], byEvent[k.Event]} }), nil
}

// queueEventsToDeliver queues the reading of the events of deliveries to endpoints of the transaction's tenant, or of the operator.
func queueEventsToDeliver(t *core.Tx, keys []DeliveryKey, into *[]dbsqlc.ChangeGetManyAcrossRow) {
	tenant := t.Tenant
	tenants := convert(keys, func(k DeliveryKey) uuid.UUID { return k.Tenant })
	subjects := convert(keys, func(k DeliveryKey) uuid.UUID { return k.Subject })
	ids := convert(keys, func(k DeliveryKey) uuid.UUID { return k.Event })
	if tenant == uuid.Nil {
		t.BecomeWorker()
		core.Query(t, "read the events", into, func(q *dbsqlc.Queries) ([]dbsqlc.ChangeGetManyAcrossRow, error) {
			return q.ChangeGetManyAcross(t.Ctx, dbsqlc.ChangeGetManyAcrossParams{TenantIds: tenants, SubjectIds: subjects, ChangeIds: ids})
		})
		return
	}
	core.Query(t, "read the events", into, func(q *dbsqlc.Queries) ([]dbsqlc.ChangeGetManyAcrossRow, error) {
		rows, err := q.ChangeGetMany(t.Ctx, dbsqlc.ChangeGetManyParams{TenantID: tenant, SubjectIds: subjects, ChangeIds: ids})
		return convert(rows, func(r dbsqlc.ChangeGetManyRow) dbsqlc.ChangeGetManyAcrossRow {
			return dbsqlc.ChangeGetManyAcrossRow{
				TenantID: tenant, ChangeID: r.ChangeID, Type: r.Type, SubjectType: r.SubjectType, SubjectID: r.SubjectID,
				Version:  r.Version,
				Operator: r.Operator, OccurredAt: r.OccurredAt, Data: r.Data,
			}
		}), err
	})
}

// CountRange returns how many events a range has, up to its limit, and the position of the last one. Events of transactions that may be
// overtaken by others are left out.
func (s *Store) CountRange(ctx context.Context, tenant uuid.UUID, r FeedRange) (n int64, last FeedPosition, err error) {
	if tenant == uuid.Nil {
		return s.countRangeAcross(ctx, r)
	}
	row, err := core.ReadOne(ctx, s.db, "count the events of a range", tenant,
		func(ctx context.Context, q *dbsqlc.Queries) (dbsqlc.WebhookRangeGetRow, error) {
			return q.WebhookRangeGet(ctx, dbsqlc.WebhookRangeGetParams{
				TenantID: tenant, FromTime: r.From, ToTime: r.To, AfterTransaction: r.After.TransactionID, AfterID: r.After.ChangeID,
				Patterns: r.Patterns,
				RowLimit: int32(r.Limit),
			})
		})
	return row.Changes, FeedPosition{TransactionID: row.LastTransaction, ChangeID: row.LastID}, err
}

// countRangeAcross is CountRange for the events of all tenants.
func (s *Store) countRangeAcross(ctx context.Context, r FeedRange) (n int64, last FeedPosition, err error) {
	var row dbsqlc.WebhookRangeGetAcrossRow
	err = s.db.ReadAsLogin(ctx, "count the events of a range of all tenants", func(t *core.Tx) {
		t.BecomeWorker()
		core.Query(t, "count the events", &row, func(q *dbsqlc.Queries) (dbsqlc.WebhookRangeGetAcrossRow, error) {
			return q.WebhookRangeGetAcross(t.Ctx, dbsqlc.WebhookRangeGetAcrossParams{
				FromTime: r.From, ToTime: r.To, AfterTransaction: r.After.TransactionID, AfterID: r.After.ChangeID, Patterns: r.Patterns,
				RowLimit: int32(r.Limit),
			})
		})
	})
	return row.Changes, FeedPosition{TransactionID: row.LastTransaction, ChangeID: row.LastID}, err
}

// relayed are the kinds of what the relay plans.
var relayed = []string{"webhook.delivery", "message.plan"}

// RelayFeed plans what follows from the next changes and notices of every tenant, at most limit of them, and returns how many it
// relayed. It returns 0 while another instance relays. Errors: problem.DatabaseUnavailable; problem.OutcomeUnknown, after which the
// next call goes on where the relay stands.
func (s *Store) RelayFeed(ctx context.Context, limit int) (n int64, err error) {
	var changes []int64 // none while another instance relays
	var planned int64
	most := int32(min(limit, 10_000))
	err = s.db.AsWorker(ctx, "relay the feed", func(t *core.Tx) {
		core.Query(t, "count the changes", &changes, func(q *dbsqlc.Queries) ([]int64, error) { return q.FeedRelayCount(t.Ctx, most) })
		core.Query(t, "relay the feed", &planned, func(q *dbsqlc.Queries) (int64, error) { return q.FeedRelay(t.Ctx, most) })
	})
	if err != nil {
		return 0, err
	}
	if planned > 0 {
		s.db.Wake(relayed...)
	}
	if len(changes) > 0 {
		n = changes[0]
	}
	return n, nil
}
