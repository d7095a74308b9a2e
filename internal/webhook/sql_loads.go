package webhook

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/webhook/internal/rowsql"
)

// deliveryKey names an endpoint of a tenant, and a change or notice of a subject. tenant is that of the event, for an
// endpoint of the operator.
type deliveryKey struct{ tenant, endpoint, subject, event uuid.UUID }

// toDeliver is what a delivery needs, as of now. endpoint and event are nil if they don't exist any more.
type toDeliver struct {
	now      time.Time
	endpoint *endpointRow
	event    *eventRow
}

// eventRow is a change or notice that is delivered.
type eventRow = rowsql.ChangeGetManyAcrossRow

// readToDeliver returns what deliveries of a tenant need, in their order. It waits for an erasure that is changing one
// of the events, so that what is sent, and recorded, is of the event as it is then. It locks the rows of the events as
// long as it reads. Errors: problem.LockTimeout, problem.DatabaseUnavailable.
func (l *loads) readToDeliver(ctx context.Context, tenant uuid.UUID, keys []deliveryKey) ([]toDeliver, error) {
	var now time.Time
	var endpoints []endpointRow
	var events []eventRow
	ids := idsOf(keys, func(k deliveryKey) uuid.UUID { return k.endpoint })
	// not Read, in which no row can be locked
	err := l.db.WriteOnce(ctx, "read what to deliver", true, tenant, func(tx *db.Tx) {
		tx.ReadClockInto(&now)
		db.Query(unlocked.On(tx), "read the endpoints", &endpoints, func(q *rowsql.Queries) ([]endpointRow, error) {
			return q.WebhookEndpointGetMany(tx.Context(), tx.Tenant(), ids)
		})
		queueEvents(tx, keys, &events)
	})
	if err != nil {
		return nil, err
	}
	byEndpoint, byEvent := make(map[uuid.UUID]*endpointRow, len(endpoints)), make(map[uuid.UUID]*eventRow, len(events))
	for i, e := range endpoints {
		byEndpoint[e.EndpointID] = &endpoints[i]
	}
	for i, e := range events {
		byEvent[e.ChangeID] = &events[i]
	}
	list := make([]toDeliver, len(keys))
	for i, k := range keys {
		list[i] = toDeliver{now, byEndpoint[k.endpoint], byEvent[k.event]}
	}
	return list, nil
}

// queueEvents queues the reading of the events of deliveries to endpoints of the transaction's tenant, or of the
// operator.
func queueEvents(tx *db.Tx, keys []deliveryKey, into *[]eventRow) {
	tenants := idsOf(keys, func(k deliveryKey) uuid.UUID { return k.tenant })
	subjects := idsOf(keys, func(k deliveryKey) uuid.UUID { return k.subject })
	ids := idsOf(keys, func(k deliveryKey) uuid.UUID { return k.event })
	if isOperator(tx.Tenant()) {
		tx.BecomeWorker()
		db.Query(unlocked.On(tx), "read the events", into, func(q *rowsql.Queries) ([]eventRow, error) {
			return q.ChangeGetManyAcross(tx.Context(), rowsql.ChangeGetManyAcrossParams{
				TenantIds: tenants, SubjectIds: subjects, ChangeIds: ids,
			})
		})
		return
	}
	db.Query(unlocked.On(tx), "read the events", into, func(q *rowsql.Queries) ([]eventRow, error) {
		rows, err := q.ChangeGetMany(tx.Context(),
			rowsql.ChangeGetManyParams{TenantID: tx.Tenant(), SubjectIds: subjects, ChangeIds: ids})
		list := make([]eventRow, len(rows))
		for i, r := range rows {
			list[i] = eventRow{
				TenantID:    tx.Tenant(),
				ChangeID:    r.ChangeID,
				Type:        r.Type,
				SubjectType: r.SubjectType,
				SubjectID:   r.SubjectID,
				Version:     r.Version,
				Operator:    r.Operator,
				OccurredAt:  r.OccurredAt,
				Data:        r.Data,
			}
		}
		return list, err
	})
}

func idsOf(keys []deliveryKey, of func(deliveryKey) uuid.UUID) []uuid.UUID {
	ids := make([]uuid.UUID, len(keys))
	for i, k := range keys {
		ids[i] = of(k)
	}
	return ids
}
