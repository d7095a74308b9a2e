package catalog

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/catalog/internal/rowsql"
	"holdfast/internal/db"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// unlocked are the statements of the catalog that need no lock of dates. A change of a resource, of a service or of the
// tenant's hours locks its row.
var unlocked = db.UnderNothing(rowsql.New)

// Rows as they stand in the database.
type (
	resourceRow = rowsql.Resource
	// serviceRow is a service with its resources' ids and what it takes from its tenant.
	serviceRow = rowsql.ServiceGetRow
	closureRow = rowsql.Closure
	blockRow   = rowsql.Block
	// tenantHoursRow are the hours that a tenant's resources can follow, a JSON object, with the version of the
	// settings.
	tenantHoursRow = rowsql.TenantHoursGetRow
)

// changing says in errors what the transactions here do.
const changing = "change the tenant's data"

// noResource: a closure's, a block's or a service's resource doesn't exist.
var noResource = db.Failure{State: db.ForeignKeyViolation, Means: func(error) error { return problem.Missing() }}

// raiseVersion queues the next version of the tenant's services, resources, hours, closures and blocks. Hours, capacity
// and archiving concern every date, so a change of them takes no date's lock: a booking that reads the version under
// its lock before this commits was made by the old values, and one that reads it afterwards is judged by the new ones.
func raiseVersion(tx db.Transaction) {
	db.Exec(unlocked.On(tx), "raise the catalog's version", func(q *rowsql.Queries) error {
		return q.TenantRaiseCatalogVersion(tx.Context(), tx.Tenant())
	})
}

// queueLockedResource queues the lock of a resource's row, and its reading: nil if there is none of that id.
func queueLockedResource(tx db.Transaction, id uuid.UUID, row **resourceRow) {
	db.Exec(unlocked.On(tx), "lock the resource", func(q *rowsql.Queries) error {
		return q.ResourceLock(tx.Context(), tx.Tenant(), id)
	})
	db.Optional(unlocked.On(tx), "read the resource", row, func(q *rowsql.Queries) (resourceRow, error) {
		return q.ResourceGet(tx.Context(), tx.Tenant(), id)
	})
}

// queueResource queues a resource. It is new, so no date's availability changes.
func queueResource(tx *db.WriteTx, r resourceRow) {
	db.Exec(unlocked.On(tx), "insert the resource", func(q *rowsql.Queries) error {
		return q.ResourceInsert(tx.Context(), rowsql.ResourceInsertParams{
			TenantID:   tx.Tenant(),
			ResourceID: r.ResourceID,
			Name:       r.Name,
			Capacity:   r.Capacity,
			Position:   r.Position,
			Hours:      r.Hours,
			Now:        tx.Now(),
		})
	})
}

// queueResourceChange queues what changed of the resource that was locked, with its next version, and raises the
// catalog's version.
func queueResourceChange(tx *db.WriteTx, r resourceRow) {
	db.Exec(unlocked.On(tx), "update the resource", func(q *rowsql.Queries) error {
		return q.ResourceUpdate(tx.Context(), rowsql.ResourceUpdateParams{
			TenantID:   tx.Tenant(),
			ResourceID: r.ResourceID,
			Name:       r.Name,
			Capacity:   r.Capacity,
			Position:   r.Position,
			Hours:      r.Hours,
			ArchivedAt: r.ArchivedAt,
			Now:        tx.Now(),
		})
	})
	raiseVersion(tx)
}

// queueLockedHours queues the lock of the tenant's row, and the reading of its hours: nil if there is no tenant.
func queueLockedHours(tx *db.WriteTx, row **tenantHoursRow) {
	tenant.Lock(tx)
	db.Optional(unlocked.On(tx), "read the tenant's hours", row, func(q *rowsql.Queries) (tenantHoursRow, error) {
		return q.TenantHoursGet(tx.Context(), tx.Tenant())
	})
}

// queueHours queues the hours that the tenant's resources can follow, and raises the versions of the settings and of
// the catalog. The tenant's row must be locked.
func queueHours(tx *db.WriteTx, hours []byte) {
	db.Exec(unlocked.On(tx), "set the tenant's hours", func(q *rowsql.Queries) error {
		return q.TenantHoursSet(tx.Context(), tx.Tenant(), hours)
	})
}

// queueLockedService queues the lock of a service's row, and its reading: nil if there is none of that id.
func queueLockedService(tx db.Transaction, id uuid.UUID, row **serviceRow) {
	db.Exec(unlocked.On(tx), "lock the service", func(q *rowsql.Queries) error {
		return q.ServiceLock(tx.Context(), tx.Tenant(), id)
	})
	db.Optional(unlocked.On(tx), "read the service", row, func(q *rowsql.Queries) (serviceRow, error) {
		return q.ServiceGet(tx.Context(), tx.Tenant(), id)
	})
}

// queueService queues a service with the resources that can serve it, in the order in which they are tried. It raises
// the catalog's version: other services of the same resources must know how long its bookings can be.
func queueService(tx *db.WriteTx, v serviceRow) {
	db.Exec(unlocked.On(tx), "insert the service", func(q *rowsql.Queries) error {
		return q.ServiceInsert(tx.Context(), rowsql.ServiceInsertParams{
			TenantID: tx.Tenant(), ServiceID: v.ServiceID, Spec: v.Spec, LongestMinutes: v.LongestMinutes,
			Now: tx.Now(),
		})
	})
	queueLinks(tx, v)
	raiseVersion(tx)
}

// queueServiceChange queues what changed of the service that was locked, with its next version, and raises the
// catalog's version. With relink its resources and their order are replaced; a link that bookings reference stays as a
// removed one.
func queueServiceChange(tx *db.WriteTx, v serviceRow, relink bool) {
	db.Exec(unlocked.On(tx), "update the service", func(q *rowsql.Queries) error {
		return q.ServiceUpdate(tx.Context(), rowsql.ServiceUpdateParams{
			TenantID: tx.Tenant(), ServiceID: v.ServiceID, Spec: v.Spec, LongestMinutes: v.LongestMinutes,
			ArchivedAt: v.ArchivedAt, Now: tx.Now(),
		})
	})
	if relink {
		db.Exec(unlocked.On(tx), "remove the service's other links", func(q *rowsql.Queries) error {
			return q.ServiceResourcesRemove(tx.Context(), rowsql.ServiceResourcesRemoveParams{
				TenantID: tx.Tenant(), ServiceID: v.ServiceID, ResourceIds: v.ResourceIds, Now: tx.Now(),
			})
		})
		queueLinks(tx, v)
	}
	raiseVersion(tx)
}

func queueLinks(tx *db.WriteTx, v serviceRow) {
	db.Exec(unlocked.On(tx), "link the service's resources", func(q *rowsql.Queries) error {
		return q.ServiceResourcesPut(tx.Context(), rowsql.ServiceResourcesPutParams{
			TenantID: tx.Tenant(), ServiceID: v.ServiceID, ResourceIds: v.ResourceIds,
		})
	}, noResource)
}

// queueClosureOf queues the reading of a closure, nil if there is none of that id.
func queueClosureOf(tx db.Transaction, id uuid.UUID, row **closureRow) {
	db.Optional(unlocked.On(tx), "read the closure", row, func(q *rowsql.Queries) (closureRow, error) {
		return q.ClosureGet(tx.Context(), tx.Tenant(), id)
	})
}

// queueBlockOf queues the reading of a block, nil if there is none of that id.
func queueBlockOf(tx db.Transaction, id uuid.UUID, row **blockRow) {
	db.Optional(unlocked.On(tx), "read the block", row, func(q *rowsql.Queries) (blockRow, error) {
		return q.BlockGet(tx.Context(), tx.Tenant(), id)
	})
}

// CheckResource returns problem.NotFound if a tenant has no resource of an id. It costs one round trip and takes no
// lock. Errors: also problem.DatabaseUnavailable.
func CheckResource(ctx context.Context, d *db.DB, tenant, id uuid.UUID) error {
	_, err := readResource(ctx, d, tenant, id)
	return err
}

// CheckService is CheckResource for a service.
func CheckService(ctx context.Context, d *db.DB, tenant, id uuid.UUID) error {
	_, err := readService(ctx, d, tenant, id)
	return err
}
