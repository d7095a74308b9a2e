package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/internal/store/internal/dbsqlc"
)

// movedTable is a table whose rows go with their tenant.
type movedTable struct {
	name string
	// order is by what the rows are copied whose foreign keys name rows of the same table: those that are named come first. Empty for
	// other tables. They are deleted in the opposite order.
	order []string
	// computed are the columns that have another value in the target, each with an expression over the row of the source.
	computed map[string]string
	// limit bounds the rows that are copied; 0 is all.
	limit int
}

// movedTables lists the tables whose rows go with their tenant, each after those that its foreign keys name. A test compares it with the
// schema. Not among them are tenant_moves, tenant_arrivals and cell_directory, which are about the database, and feed_positions: see
// MoveFeedPositions.
var movedTables = []movedTable{
	{name: "tenants"},
	{name: "api_keys"},
	{name: "users"},
	{name: "sign_in_links"},
	{name: "sign_ins"},
	{name: "logos"},
	{name: "resources"},
	{name: "services"},
	{name: "service_resources"},
	{name: "closures"},
	{name: "blocks"},
	// The position of a customer's next change is above the transaction's id in the target, whatever it was in the source.
	{name: "customers", computed: map[string]string{"event_transaction_id": "0"}},
	{name: "former_customers"},
	{name: "bookings"},
	{name: "claims", order: []string{"(session_id IS NOT NULL)", "owner_id", "number"}},
	{name: "ended_bookings"},
	{name: "wallets"},
	{name: "wallet_entries"},
	{name: "wallet_postings"},
	{name: "wallet_snapshots"},
	// A card's payment comes before the wallet's part of it, and both before their refunds.
	{name: "payments", order: []string{"(refund_of IS NOT NULL)", "(card_payment_id IS NOT NULL)", "payment_id"}},
	{name: "provider_events"},
	{name: "idempotency_keys"},
	// Transaction ids of the source mean nothing in the target. The numbers keep the order, and are below all ids of the target: readers
	// of the feed see them at once, and the relay has passed them. They are below -2^61, by which ChangeDeleteOldArrived knows them.
	{name: "changes", computed: map[string]string{"transaction_id": "dense_rank() OVER (ORDER BY transaction_id) - 4611686018427387904"}},
	{name: "payment_accounts"},
	{name: "webhook_endpoints"},
	{name: "scheduled_events"},
	{name: "event_attempts"},
}

// columns returns the columns of the table that are written.
func (t movedTable) columns(ctx context.Context, tx pgx.Tx) ([]dbsqlc.MoveColumnsRow, error) {
	list, err := dbsqlc.New(tx).MoveColumns(ctx, t.name)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("there is no table %s", t.name)
	}
	return list, err
}

// selectSQL returns the query of a tenant's rows. Its argument is the tenant, each of its columns a text.
func (t movedTable) selectSQL(columns []dbsqlc.MoveColumnsRow) string {
	values := convert(columns, func(c dbsqlc.MoveColumnsRow) string {
		if computed, ok := t.computed[c.Name]; ok {
			return "(" + computed + ")::text"
		}
		return quoted(c.Name) + "::text"
	})
	query := "SELECT " + strings.Join(values, ", ") + " FROM " + quoted(t.name) + " WHERE tenant_id = $1"
	if len(t.order) > 0 {
		query += " ORDER BY " + strings.Join(t.order, ", ")
	}
	if t.limit > 0 {
		query += fmt.Sprintf(" LIMIT %d", t.limit)
	}
	return query
}

// insertSQL returns the statement that inserts rows. Its arguments are arrays of texts, one for each column.
func (t movedTable) insertSQL(columns []dbsqlc.MoveColumnsRow) string {
	var names, values, arrays, aliases []string
	for i, c := range columns {
		alias := fmt.Sprintf("c%d", i+1)
		names, aliases = append(names, quoted(c.Name)), append(aliases, alias)
		values = append(values, "r."+alias+"::"+c.Type)
		arrays = append(arrays, fmt.Sprintf("$%d::text[]", i+1))
	}
	return "INSERT INTO " + quoted(t.name) + " (" + strings.Join(names, ", ") + ") SELECT " + strings.Join(values, ", ") +
		" FROM unnest(" + strings.Join(arrays, ", ") + ") AS r (" + strings.Join(aliases, ", ") + ")"
}

// deleteSQL returns the statement that deletes a tenant's rows, those first whose foreign keys name rows of the same table. Its arguments
// are the tenant and how many rows are deleted at most.
func (t movedTable) deleteSQL() string {
	order := ""
	if len(t.order) > 0 {
		order = " ORDER BY " + strings.Join(t.order, " DESC, ") + " DESC"
	}
	name := quoted(t.name)
	return "DELETE FROM " + name + " WHERE tenant_id = $1 AND ctid = ANY (ARRAY(SELECT ctid FROM " + name +
		" WHERE tenant_id = $1" + order + " LIMIT $2))"
}

func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }

// DeleteMoved deletes up to limit rows of a tenant that has moved away from this database, and returns how many; 0 once nothing is left.
// It is called until then. It locks rows of this tenant alone. What says where the tenant is stays.
//
// Errors: problem.InvalidState for a tenant that hasn't moved away; problem.DatabaseUnavailable; problem.OutcomeUnknown.
func (s *Store) DeleteMoved(ctx context.Context, tenant uuid.UUID, limit int) (n int64, err error) {
	err = s.db.AsOwner(ctx, "delete what a tenant left", tenant, false, func(tx pgx.Tx) error {
		n, err = deleteMoved(ctx, tx, tenant, int64(limit))
		return err
	})
	return n, err
}
