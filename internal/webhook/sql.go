package webhook

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/change"
	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/webhook/internal/rowsql"
)

// unlocked are the statements of endpoints and deliveries: locks of rows keep their writes right.
var unlocked = db.UnderNothing(rowsql.New)

type (
	// endpointRow is an endpoint as it is stored, with its secrets in clear. The tenant of the operator's endpoints,
	// which are told of the events of all tenants, is uuid.Nil, and so is that of their deliveries.
	endpointRow = rowsql.WebhookEndpoint
	// deliveryRow is the scheduled event that delivers an event to an endpoint, which is its subject.
	deliveryRow = rowsql.ScheduledEvent
)

// queueEndpoint queues the reading of an endpoint, nil if there is none. A row lock makes other changes of it wait.
func queueEndpoint(tx *db.WriteTx, id uuid.UUID, row **endpointRow) {
	db.Optional(unlocked.On(tx), "read the endpoint", row, func(q *rowsql.Queries) (endpointRow, error) {
		return q.WebhookEndpointGetLocked(tx.Context(), tx.Tenant(), id)
	})
}

// queueDelivery queues the reading of a delivery, nil if there is none. A row lock keeps workers from claiming it.
func queueDelivery(tx *db.WriteTx, id uuid.UUID, row **deliveryRow) {
	db.Optional(unlocked.On(tx), "read the delivery", row, func(q *rowsql.Queries) (deliveryRow, error) {
		return q.WebhookDeliveryGetLocked(tx.Context(), tx.Tenant(), id)
	})
}

// queueCount queues the counting of the tenant's endpoints. Other requests that count, or ask with queueOpen, wait for
// the end of the transaction.
func queueCount(tx *db.WriteTx, count *int64) {
	lockTenant(tx)
	db.Query(unlocked.On(tx), "count the endpoints", count, func(q *rowsql.Queries) (int64, error) {
		return q.WebhookEndpointCount(tx.Context(), tx.Tenant())
	})
}

// queueOpen queues the counting of the tenant's deliveries that are to be made, up to most. Other requests that ask, or
// count with queueCount, wait for the end of the transaction.
func queueOpen(tx *db.WriteTx, most int64, open *int64) {
	lockTenant(tx)
	db.Query(unlocked.On(tx), "count the open deliveries", open, func(q *rowsql.Queries) (int64, error) {
		return q.WebhookOpenCount(tx.Context(), tx.Tenant(), int32(most))
	})
}

func lockTenant(tx *db.WriteTx) {
	db.Exec(unlocked.On(tx), "lock the tenant", func(q *rowsql.Queries) error {
		return q.WebhookTenantLock(tx.Context(), tx.Tenant())
	})
}

// queueNewEndpoint queues a new endpoint: its URL, types, description and secret.
func queueNewEndpoint(tx *db.WriteTx, e endpointRow) {
	db.Exec(unlocked.On(tx), "insert the endpoint", func(q *rowsql.Queries) error {
		return q.WebhookEndpointInsert(tx.Context(), rowsql.WebhookEndpointInsertParams{
			TenantID:    tx.Tenant(),
			EndpointID:  e.EndpointID,
			Url:         e.Url,
			Types:       e.Types,
			Description: e.Description,
			Secret:      e.Secret,
			Now:         tx.Now(),
		})
	})
}

// queueUpdate queues all that can change of an endpoint whose row is locked.
func queueUpdate(tx *db.WriteTx, e endpointRow) {
	db.Exec(unlocked.On(tx), "update the endpoint", func(q *rowsql.Queries) error {
		return q.WebhookEndpointUpdate(tx.Context(), rowsql.WebhookEndpointUpdateParams{
			TenantID:          tx.Tenant(),
			EndpointID:        e.EndpointID,
			Url:               e.Url,
			Types:             e.Types,
			Description:       e.Description,
			Status:            e.Status,
			DisabledReason:    e.DisabledReason,
			Secret:            e.Secret,
			FormerSecret:      e.FormerSecret,
			FormerSecretUntil: e.FormerSecretUntil,
			Failures:          e.Failures,
			FailingSince:      e.FailingSince,
			OpenUntil:         e.OpenUntil,
			Version:           e.Version,
			UpdatedAt:         e.UpdatedAt,
		})
	})
}

// queueDeletion queues the end of an endpoint.
func queueDeletion(tx *db.WriteTx, id uuid.UUID) {
	db.Exec(unlocked.On(tx), "delete the endpoint", func(q *rowsql.Queries) error {
		return q.WebhookEndpointDelete(tx.Context(), tx.Tenant(), id)
	})
}

// queueReplay queues another attempt, at once, of a delivery that the transaction has locked and that no worker holds.
func queueReplay(tx *db.WriteTx, delivery uuid.UUID) {
	db.Exec(unlocked.On(tx), "replay the delivery", func(q *rowsql.Queries) error {
		return q.WebhookDeliveryReplay(tx.Context(), rowsql.WebhookDeliveryReplayParams{
			TenantID: tx.Tenant(), EventID: delivery, Now: tx.Now(),
		})
	})
	tx.Wake(event.KindWebhookDelivery)
}

// queueRangeReplay queues the delivery of the events of a range, up to a position, to an endpoint.
func queueRangeReplay(tx *db.WriteTx, endpoint uuid.UUID, r feedRange, last change.Position) {
	if isOperator(tx.Tenant()) {
		queueRangeReplayAcross(tx, endpoint, r, last)
	} else {
		db.Exec(unlocked.On(tx), "replay a range", func(q *rowsql.Queries) error {
			return q.WebhookRangeReplay(tx.Context(), rowsql.WebhookRangeReplayParams{
				TenantID:         tx.Tenant(),
				EndpointID:       endpoint,
				FromTime:         r.from,
				ToTime:           r.to,
				AfterTransaction: r.after.TransactionID,
				AfterID:          r.after.ChangeID,
				LastTransaction:  last.TransactionID,
				LastID:           last.ChangeID,
				Patterns:         r.patterns,
				Now:              tx.Now(),
			})
		})
	}
	tx.Wake(event.KindWebhookDelivery)
}

// queueRangeReplayAcross is queueRangeReplay to an endpoint of the operator.
func queueRangeReplayAcross(tx *db.WriteTx, endpoint uuid.UUID, r feedRange, last change.Position) {
	tx.BecomeWorker()
	db.Exec(unlocked.On(tx), "replay a range", func(q *rowsql.Queries) error {
		return q.WebhookRangeReplayAcross(tx.Context(), rowsql.WebhookRangeReplayAcrossParams{
			EndpointID:       endpoint,
			FromTime:         r.from,
			ToTime:           r.to,
			AfterTransaction: r.after.TransactionID,
			AfterID:          r.after.ChangeID,
			LastTransaction:  last.TransactionID,
			LastID:           last.ChangeID,
			Patterns:         r.patterns,
			Now:              tx.Now(),
		})
	})
	tx.BecomeTenant()
}

// endpointRow returns an endpoint. Errors, as of all reads here: problem.NotFound; problem.DatabaseUnavailable.
func (s *Service) endpointRow(ctx context.Context, tenant, id uuid.UUID) (endpointRow, error) {
	return db.ReadOne(ctx, s.db, unlocked, "read a webhook endpoint", tenant,
		func(tx *db.Tx, q *rowsql.Queries) (endpointRow, error) {
			return q.WebhookEndpointGet(tx.Context(), tx.Tenant(), id)
		})
}

// endpointRows lists up to limit endpoints of a tenant by id, after an id.
func (s *Service) endpointRows(ctx context.Context, tenant, after uuid.UUID, limit int) ([]endpointRow, error) {
	return db.ReadOne(ctx, s.db, unlocked, "list webhook endpoints", tenant,
		func(tx *db.Tx, q *rowsql.Queries) ([]endpointRow, error) {
			return q.WebhookEndpointList(tx.Context(), rowsql.WebhookEndpointListParams{
				TenantID: tx.Tenant(), After: after, RowLimit: int32(limit),
			})
		})
}

// deliveryRow returns a delivery with its last attempts, at most limit of them, the newest first.
func (s *Service) deliveryRow(ctx context.Context, tenant, id uuid.UUID, limit int,
) (d deliveryRow, attempts []event.Attempt, err error) {
	err = s.db.Read(ctx, "read a delivery", tenant, func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "read a delivery", &d, func(q *rowsql.Queries) (deliveryRow, error) {
			return q.WebhookDeliveryGet(tx.Context(), tx.Tenant(), id)
		})
		event.QueueAttempts(tx, id, limit, &attempts)
	})
	return d, attempts, err
}

// deliveryRowsOf lists the deliveries of a subject's last changes, the newest change first. Errors:
// problem.DatabaseUnavailable.
func (s *Service) deliveryRowsOf(ctx context.Context, tenant, subject uuid.UUID, changes int) ([]deliveryRow, error) {
	return db.ReadOne(ctx, s.db, unlocked, "list deliveries of a subject", tenant,
		func(tx *db.Tx, q *rowsql.Queries) ([]deliveryRow, error) {
			return q.WebhookDeliveryListBySubject(tx.Context(), rowsql.WebhookDeliveryListBySubjectParams{
				TenantID: tx.Tenant(), ChangedID: subject, ChangeLimit: int32(changes),
			})
		})
}

// deliveryRows lists up to limit deliveries to an endpoint whose occurrence is less than before, the greatest first.
// Errors: problem.NotFound if there is no such endpoint.
func (s *Service) deliveryRows(ctx context.Context, tenant, endpoint uuid.UUID, before string,
	limit int,
) (list []deliveryRow, err error) {
	err = s.db.Read(ctx, "list deliveries", tenant, func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "read the endpoint", new(endpointRow), func(q *rowsql.Queries) (endpointRow, error) {
			return q.WebhookEndpointGet(tx.Context(), tx.Tenant(), endpoint)
		})
		db.Query(unlocked.On(tx), "list deliveries", &list, func(q *rowsql.Queries) ([]deliveryRow, error) {
			return q.WebhookDeliveryList(tx.Context(), rowsql.WebhookDeliveryListParams{
				TenantID: tx.Tenant(), EndpointID: endpoint, Before: before, RowLimit: int32(limit),
			})
		})
	})
	return list, err
}

// countRange returns how many events a range has, up to most, and the position of the last one. Events of transactions
// that may be overtaken by others are left out. Errors: problem.DatabaseUnavailable.
func (s *Service) countRange(ctx context.Context, tenant uuid.UUID, r feedRange, most int,
) (n int64, last change.Position, err error) {
	if isOperator(tenant) {
		return s.countRangeAcross(ctx, r, most)
	}
	row, err := db.ReadOne(ctx, s.db, unlocked, "count the events of a range", tenant,
		func(tx *db.Tx, q *rowsql.Queries) (rowsql.WebhookRangeGetRow, error) {
			return q.WebhookRangeGet(tx.Context(), rowsql.WebhookRangeGetParams{
				TenantID:         tx.Tenant(),
				FromTime:         r.from,
				ToTime:           r.to,
				AfterTransaction: r.after.TransactionID,
				AfterID:          r.after.ChangeID,
				Patterns:         r.patterns,
				RowLimit:         int32(most),
			})
		})
	return row.Changes, change.Position{TransactionID: row.LastTransaction, ChangeID: row.LastID}, err
}

// countRangeAcross is countRange for the events of all tenants.
func (s *Service) countRangeAcross(ctx context.Context, r feedRange,
	most int,
) (n int64, last change.Position, err error) {
	var row rowsql.WebhookRangeGetAcrossRow
	err = s.db.ReadAsWorker(ctx, "count the events of a range of all tenants", func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "count the events", &row, func(q *rowsql.Queries) (rowsql.WebhookRangeGetAcrossRow,
			error) {
			return q.WebhookRangeGetAcross(tx.Context(), rowsql.WebhookRangeGetAcrossParams{
				FromTime: r.from, ToTime: r.to, AfterTransaction: r.after.TransactionID, AfterID: r.after.ChangeID,
				Patterns: r.patterns,
				RowLimit: int32(most),
			})
		})
	})
	return row.Changes, change.Position{TransactionID: row.LastTransaction, ChangeID: row.LastID}, err
}
