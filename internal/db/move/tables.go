package move

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/internal/cell/tables"
	"holdfast/internal/db"
	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/problem"
)

// movedTable is a table whose rows go with their tenant.
type movedTable struct{ tables.Table }

// movedTables are the tables whose rows go with their tenant.
var movedTables = db.Convert(tables.List, func(t tables.Table) movedTable { return movedTable{t} })

// columns returns the columns of the table that are written.
func (t movedTable) columns(ctx context.Context, tx pgx.Tx) ([]dbsqlc.MoveColumnsRow, error) {
	list, err := dbsqlc.New(tx).MoveColumns(ctx, t.Name)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("there is no table %s", t.Name)
	}
	return list, err
}

// values returns an expression for each column over a row of the source.
func (t movedTable) values(columns []dbsqlc.MoveColumnsRow, base int64) []string {
	return db.Convert(columns, func(c dbsqlc.MoveColumnsRow) string {
		if computed, ok := t.Computed[c.Name]; ok {
			return "(" + strings.ReplaceAll(computed, "$base", fmt.Sprintf("(%d)", base)) + ")::text"
		}
		return quoted(c.Name) + "::text"
	})
}

// selectSQL returns the query of a tenant's rows, all or those of a condition. Its first argument is the tenant, each
// of its columns a text.
func (t movedTable) selectSQL(columns []dbsqlc.MoveColumnsRow, base int64, condition string) string {
	query := "SELECT " + strings.Join(t.values(columns, base), ", ") + " FROM " + quoted(t.Name) +
		" WHERE tenant_id = $1"
	if condition != "" {
		query += " AND " + condition
	}
	if len(t.Order) > 0 {
		query += " ORDER BY " + strings.Join(t.Order, ", ")
	}
	return query
}

// insertSQL returns the statement that inserts rows. Its arguments are arrays of texts, one for each column.
func (t movedTable) insertSQL(columns []dbsqlc.MoveColumnsRow) string {
	var values []string
	for i, c := range columns {
		values = append(values, given(i)+"::"+c.Type)
	}
	return "INSERT INTO " + quoted(t.Name) + " (" + strings.Join(names(columns), ", ") + ") SELECT " +
		strings.Join(values, ", ") +
		" FROM " + givenRows(columns)
}

// updateSQL returns the statement that writes rows that are there anew, but for their keys and for what is computed,
// and "" if that is all that the table has. Its arguments are those of insertSQL.
func (t movedTable) updateSQL(columns []dbsqlc.MoveColumnsRow) string {
	var values []string
	for i, c := range columns {
		if _, computed := t.Computed[c.Name]; !computed && !c.InKey {
			values = append(values, quoted(c.Name)+" = "+given(i)+"::"+c.Type)
		}
	}
	if len(values) == 0 {
		return ""
	}
	return "UPDATE " + quoted(t.Name) + " AS x SET " + strings.Join(values, ", ") + " FROM " + givenRows(columns) +
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
	return db.Convert(columns, func(c dbsqlc.MoveColumnsRow) string { return quoted(c.Name) })
}

// deleteSQL returns the statement that deletes a tenant's rows, those first whose foreign keys name rows of the same
// table. Its arguments are the tenant and how many rows are deleted at most.
func (t movedTable) deleteSQL() string {
	order := ""
	if len(t.Order) > 0 {
		order = " ORDER BY " + strings.Join(t.Order, " DESC, ") + " DESC"
	}
	name := quoted(t.Name)
	return "DELETE FROM " + name + " WHERE tenant_id = $1 AND ctid = ANY (ARRAY(SELECT ctid FROM " + name +
		" WHERE tenant_id = $1" + order + " LIMIT $2))"
}

func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }

// DeleteLeft deletes up to limit rows of a tenant that has moved away from the database d, and returns how many; 0 once
// nothing is left. It is called until then. It locks rows of this tenant alone. What says where the tenant is stays.
//
// Errors: problem.InvalidState for a tenant that hasn't moved away; problem.DatabaseUnavailable;
// problem.OutcomeUnknown.
func DeleteLeft(ctx context.Context, d *db.DB, tenant uuid.UUID, limit int) (n int64, err error) {
	err = asOwner(ctx, d, "delete what a tenant left", tenant, false, func(tx pgx.Tx) error {
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
	left := append(slices.Clone(movedTables), movedTable{tables.Table{Name: "feed_positions"}})
	for _, t := range slices.Backward(left) {
		if n >= limit {
			break
		}
		tag, err := tx.Exec(ctx, t.deleteSQL(), tenant, limit-n)
		if err != nil {
			return n, fmt.Errorf("%s: %w", t.Name, err)
		}
		n += tag.RowsAffected()
	}
	return n, nil
}
