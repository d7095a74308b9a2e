package tenant

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/problem"
	"holdfast/internal/tenant/internal/rowsql"
)

// The statements of tenants need no advisory lock. A change that depends on what the tenant is, or on which keys it
// has, locks its row.
var unlocked = db.UnderNothing(rowsql.New)

// changing says in errors what the transactions here do.
const changing = "change the tenant's data"

// Rows of the tables.
type (
	tenantRow = rowsql.TenantGetRow
	foundRow  = rowsql.TenantFindRow // by its name
	// Name is a tenant's id and slug.
	Name = rowsql.TenantListNamesRow
	// contents tells which things a tenant has that were made by its time zone or currency.
	contents = rowsql.TenantContentsRow
	// openMoney is what of a tenant's money has no end yet: numbers of payments and of refunds that are to be made.
	// LastChange is when the tenant's last change was written, in 1970 if there is none.
	openMoney = rowsql.TenantOpenMoneyRow
)

// Lock queues the lock of the tenant's row. Other transactions that change the tenant, its settings, its API keys or
// its users wait until this one ends.
func Lock(tx db.Transaction) {
	db.Exec(unlocked.On(tx), "lock the tenant", func(q *rowsql.Queries) error {
		return q.TenantLock(tx.Context(), tx.Tenant())
	})
}

// queueTenant queues the reading of the tenant, nil if there is none.
func queueTenant(tx db.Transaction, row **tenantRow) {
	db.Optional(unlocked.On(tx), "read the tenant", row, func(q *rowsql.Queries) (tenantRow, error) {
		return q.TenantGet(tx.Context(), tx.Tenant())
	})
}

// lockedTenant is what changes of a tenant by the operator depend on.
type lockedTenant struct {
	row   *tenantRow // nil if there is none
	has   contents
	money openMoney
}

// queueLocked queues the lock of the tenant's row, and the reading of what its changes depend on.
func queueLocked(tx *db.WriteTx, t *lockedTenant) {
	Lock(tx)
	queueTenant(tx, &t.row)
	db.Query(unlocked.On(tx), "read what the tenant has", &t.has, func(q *rowsql.Queries) (contents, error) {
		return q.TenantContents(tx.Context(), tx.Tenant())
	})
	db.Query(unlocked.On(tx), "read the tenant's open money", &t.money, func(q *rowsql.Queries) (openMoney, error) {
		return q.TenantOpenMoney(tx.Context(), tx.Tenant())
	})
}

// slugTaken is what it means that a slug isn't unique over all tenants.
var slugTaken = db.Failure{State: db.UniqueViolation, Means: func(cause error) error {
	return problem.Wrap(cause, problem.AlreadyExists, "A tenant with this slug exists.")
}}

// queueNew queues the tenant that the transaction is about.
func queueNew(tx *db.WriteTx, n CreateRequest) {
	db.Exec(unlocked.On(tx), "insert the tenant", func(q *rowsql.Queries) error {
		return q.TenantInsert(tx.Context(), rowsql.TenantInsertParams{
			TenantID: tx.Tenant(), Slug: n.Slug, Name: n.Name, TimeZone: n.TimeZone, Currency: n.Currency,
			CreatedAt: tx.Now(),
		})
	}, slugTaken)
}

// queueIdentity queues another slug, name, time zone and currency of the tenant that was locked, and raises the
// versions of its settings and of its catalog.
func queueIdentity(tx *db.WriteTx, to Identity) {
	db.Exec(unlocked.On(tx), "correct the tenant", func(q *rowsql.Queries) error {
		return q.TenantCorrect(tx.Context(), rowsql.TenantCorrectParams{
			TenantID: tx.Tenant(), Slug: to.Slug, Name: to.Name, TimeZone: to.TimeZone, Currency: to.Currency,
		})
	}, slugTaken)
}

// queueStatus queues the status of the tenant that was locked, the reason for it and since when it has it, and raises
// the version of its settings.
func queueStatus(tx *db.WriteTx, status Status, reason string, since time.Time) {
	db.Exec(unlocked.On(tx), "set the tenant's status", func(q *rowsql.Queries) error {
		return q.TenantSetStatus(tx.Context(), rowsql.TenantSetStatusParams{
			TenantID: tx.Tenant(), Status: string(status), StatusReason: &reason, StatusSince: since,
		})
	})
}

// readTenant returns a tenant, read as itself. Errors: problem.NotFound, problem.DatabaseUnavailable.
func readTenant(ctx context.Context, d *db.DB, id uuid.UUID) (tenantRow, error) {
	return db.ReadOne(ctx, d, unlocked, "read a tenant", id, func(tx *db.Tx, q *rowsql.Queries) (tenantRow, error) {
		return q.TenantGet(tx.Context(), tx.Tenant())
	})
}

// listTenants lists all tenants by id, or finds the one with a slug. It is for the operator, and reads as the
// operator's role. Errors: problem.DatabaseUnavailable.
func listTenants(ctx context.Context, d *db.DB, f Filter, after uuid.UUID,
	limit int,
) (list []rowsql.TenantListRow, err error) {
	err = d.ReadAcross(ctx, "list the tenants", func(tx *db.Tx) {
		if f.Slug == nil {
			tx.PlanForPages() // else the planner sorts all tenants, because it believes that few pass the policy
		} else {
			tx.PlanForValues()
		}
		db.Query(unlocked.On(tx), "list the tenants", &list, func(q *rowsql.Queries) ([]rowsql.TenantListRow, error) {
			return q.TenantList(tx.Context(), rowsql.TenantListParams{
				After: after, Slug: f.Slug, Status: (*string)(f.Status), RowLimit: int32(limit),
			})
		})
	})
	return list, err
}

// ListNames lists up to limit tenants of all there are, in the order of their ids, that follow the id after. It is for
// the operator: no request of a tenant may see what it returns. Errors: problem.DatabaseUnavailable.
func ListNames(ctx context.Context, d *db.DB, after uuid.UUID, limit int) (names []Name, err error) {
	err = d.ReadAcross(ctx, "list tenants", func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "list tenants", &names, func(q *rowsql.Queries) ([]Name, error) {
			return q.TenantListNames(tx.Context(), after, int32(limit))
		})
	})
	return names, err
}

// findTenant returns the tenant that has a text as its slug or as its id. It is for the operator. Errors:
// problem.NotFound if there is no such tenant; problem.InvalidState if the text is the slug of one and the id of
// another; problem.DatabaseUnavailable.
func findTenant(ctx context.Context, d *db.DB, slugOrID string) (foundRow, error) {
	var id *uuid.UUID
	if u, err := uuid.Parse(slugOrID); err == nil {
		id = &u
	}
	var found []foundRow
	err := d.ReadAcross(ctx, "find the tenant", func(tx *db.Tx) {
		tx.PlanForValues()
		db.Query(unlocked.On(tx), "find the tenant", &found, func(q *rowsql.Queries) ([]foundRow, error) {
			return q.TenantFind(tx.Context(), slugOrID, id)
		})
	})
	switch {
	case err != nil:
		return foundRow{}, err
	case len(found) == 0:
		return foundRow{}, problem.Missing()
	case len(found) > 1:
		return foundRow{}, problem.New(problem.InvalidState,
			"This is the slug of one tenant and the id of another one.")
	}
	return found[0], nil
}
