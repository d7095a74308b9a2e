package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/internal/problem"
	"holdfast/internal/store/internal/dbsqlc"
)

// movedTable is a table whose rows go with their tenant.
type movedTable struct {
	name string
	// order is by what the rows are copied whose foreign keys name rows of the same table: those that are named come first. Empty for
	// other tables. They are deleted in the opposite order.
	order []string
	// computed are the columns that have another value in the target, each with an expression over the row of the source.
	// $base in it is copied.base.
	computed map[string]string
	// ahead is the condition of rows that CopyAhead copies; empty for all.
	ahead string
	// vacate takes a row out of the way of others until it is written anew, as values of some columns. Empty where no two
	// rows of a table exclude each other but by their keys.
	vacate string
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
	{name: "customers", computed: map[string]string{"event_transaction_id": "0"}, vacate: "email = x.customer_id::text"},
	{name: "former_customers"},
	{name: "bookings"},
	{
		name: "claims", order: []string{"(session_id IS NOT NULL)", "owner_id", "number"},
		vacate: "resource_id = gen_random_uuid(), session_id = NULL",
	},
	{name: "ended_bookings"},
	{name: "wallets"},
	{name: "wallet_entries"},
	{name: "wallet_postings"},
	{name: "wallet_snapshots"},
	// A card's payment comes before the wallet's part of it, and both before their refunds.
	{name: "payments", order: []string{"(refund_of IS NOT NULL)", "(card_payment_id IS NOT NULL)", "payment_id"}},
	{name: "provider_events"},
	{name: "idempotency_keys"},
	// Transaction ids of the source mean nothing in the target. The numbers keep the order, and are below all ids of
	// the target: readers of the feed see them at once, and the relay has passed them. They are below -2^61, by which
	// ChangeDeleteOldArrived knows them. Those that came from a cell before stay as they are, and below the others.
	{name: "changes", computed: map[string]string{"transaction_id": "CASE WHEN transaction_id < -2305843009213693952 THEN transaction_id " +
		"ELSE transaction_id + $base END"}},
	{name: "payment_accounts"},
	{name: "webhook_endpoints"},
	// Events that a worker of the source holds come at the hand-over, when none holds any: a worker of the target would
	// take them back.
	{name: "scheduled_events", ahead: "status <> 'processing'"},
	{name: "event_attempts", ahead: "event_id <> ALL (ARRAY(SELECT e.event_id FROM scheduled_events e " +
		"WHERE e.tenant_id = $1 AND e.status = 'processing'))"},
}

// columns returns the columns of the table that are written.
func (t movedTable) columns(ctx context.Context, tx pgx.Tx) ([]dbsqlc.MoveColumnsRow, error) {
	list, err := dbsqlc.New(tx).MoveColumns(ctx, t.name)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("there is no table %s", t.name)
	}
	return list, err
}

// values returns an expression for each column over a row of the source.
func (t movedTable) values(columns []dbsqlc.MoveColumnsRow, base int64) []string {
	return convert(columns, func(c dbsqlc.MoveColumnsRow) string {
		if computed, ok := t.computed[c.Name]; ok {
			return "(" + strings.ReplaceAll(computed, "$base", fmt.Sprintf("(%d)", base)) + ")::text"
		}
		return quoted(c.Name) + "::text"
	})
}

// selectSQL returns the query of a tenant's rows, all or those of a condition. Its first argument is the tenant, each
// of its columns a text.
func (t movedTable) selectSQL(columns []dbsqlc.MoveColumnsRow, base int64, condition string) string {
	query := "SELECT " + strings.Join(t.values(columns, base), ", ") + " FROM " + quoted(t.name) + " WHERE tenant_id = $1"
	if condition != "" {
		query += " AND " + condition
	}
	if len(t.order) > 0 {
		query += " ORDER BY " + strings.Join(t.order, ", ")
	}
	return query
}

// insertSQL returns the statement that inserts rows. Its arguments are arrays of texts, one for each column.
func (t movedTable) insertSQL(columns []dbsqlc.MoveColumnsRow) string {
	var values []string
	for i, c := range columns {
		values = append(values, given(i)+"::"+c.Type)
	}
	return "INSERT INTO " + quoted(t.name) + " (" + strings.Join(names(columns), ", ") + ") SELECT " + strings.Join(values, ", ") +
		" FROM " + givenRows(columns)
}

// updateSQL returns the statement that writes rows that are there anew, but for their keys and for what is computed,
// and "" if that is all that the table has. Its arguments are those of insertSQL.
func (t movedTable) updateSQL(columns []dbsqlc.MoveColumnsRow) string {
	var values []string
	for i, c := range columns {
		if _, computed := t.computed[c.Name]; !computed && !c.InKey {
			values = append(values, quoted(c.Name)+" = "+given(i)+"::"+c.Type)
		}
	}
	if len(values) == 0 {
		return ""
	}
	return "UPDATE " + quoted(t.name) + " AS x SET " + strings.Join(values, ", ") + " FROM " + givenRows(columns) +
		" WHERE " + matching(columns)
}

// given is a value of a row that is an argument, and givenRows are such rows, of which each column is an array of
// texts.
func given(i int) string { return fmt.Sprintf("r.c%d", i+1) }

func givenRows(columns []dbsqlc.MoveColumnsRow) string {
	var arrays, aliases []string
	for i := range columns {
		arrays, aliases = append(arrays, fmt.Sprintf("$%d::text[]", i+1)), append(aliases, fmt.Sprintf("c%d", i+1))
	}
	return "unnest(" + strings.Join(arrays, ", ") + ") AS r (" + strings.Join(aliases, ", ") + ")"
}

// matching is the condition that row x has the key of one that is given.
func matching(columns []dbsqlc.MoveColumnsRow) string {
	var same []string
	for i, c := range columns {
		if c.InKey {
			same = append(same, "x."+quoted(c.Name)+" = "+given(i)+"::"+c.Type)
		}
	}
	return strings.Join(same, " AND ")
}

func names(columns []dbsqlc.MoveColumnsRow) []string {
	return convert(columns, func(c dbsqlc.MoveColumnsRow) string { return quoted(c.Name) })
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

// deleteMoved deletes rows of a tenant that has moved away: each table before those that its foreign keys name.
func deleteMoved(ctx context.Context, tx pgx.Tx, tenant uuid.UUID, limit int64) (n int64, err error) {
	if _, err := dbsqlc.New(tx).MoveLockMoved(ctx, tenant); errors.Is(err, pgx.ErrNoRows) {
		return 0, problem.New(problem.InvalidState, "The tenant hasn't moved away.")
	} else if err != nil {
		return 0, err
	}
	tables := append([]movedTable{}, movedTables...)
	tables = append(tables, movedTable{name: "feed_positions"})
	for i := len(tables) - 1; i >= 0 && n < limit; i-- {
		tag, err := tx.Exec(ctx, tables[i].deleteSQL(), tenant, limit-n)
		if err != nil {
			return n, fmt.Errorf("%s: %w", tables[i].name, err)
		}
		n += tag.RowsAffected()
	}
	return n, nil
}
