package tables_test

import (
	"fmt"
	"go/format"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/cell/tables"
)

// HOLDFAST_TEST_UPDATE=1 writes the files.
func TestGenerated_OfTheList_IsCurrent(t *testing.T) {
	t.Parallel()
	const written = "Generated from internal/cell/tables by make generate/tables. "
	exports := "-- " + written + "What a tenant has, for its export: a page of each table, by its key, after\n" +
		"-- the last row of the page before. A row is JSON, without secrets.\n"
	deletions := "-- " + written + "The deletion of what a tenant has, a batch of a table at a time.\n"
	var pages, batches []string
	for _, table := range tables.List {
		if !table.Secret {
			exports += exportOf(table)
			pages = append(pages, fmt.Sprintf("\t{%q, (*rowsql.Queries).TenantExport%s},\n", table.Name,
				camel(table.Name)))
		}
	}
	for _, table := range slices.Backward(tables.List) {
		if table.Stays {
			continue
		}
		if table.DeletedFirst != "" {
			deletions += deletionOf(table, camel(table.Name)+"First", " AND "+table.DeletedFirst)
			batches = append(batches, fmt.Sprintf("\t(*rowsql.Queries).TenantDelete%sFirst,\n", camel(table.Name)))
		}
		deletions += deletionOf(table, camel(table.Name), "")
		batches = append(batches, fmt.Sprintf("\t(*rowsql.Queries).TenantDelete%s,\n", camel(table.Name)))
	}
	program, err := format.Source(
		[]byte(`// Code generated from internal/cell/tables by make generate/tables. DO NOT EDIT.

package tenant

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"holdfast/internal/tenant/internal/rowsql"
)

// exportedTables are the tables of a tenant in the order of its export. Nothing writes to it.
var exportedTables = []struct {
	name string
	page func(*rowsql.Queries, context.Context, uuid.UUID, json.RawMessage) ([]json.RawMessage, error)
}{
` + strings.Join(pages, "") + `}

// deletions delete a batch of rows of a tenant, a table each, in the order of the tables' foreign keys. Nothing writes
// to it.
var deletions = []func(*rowsql.Queries, context.Context, uuid.UUID) (int64, error){
` + strings.Join(batches, "") + `}
`))
	require.NoError(t, err)
	for path, text := range map[string]string{
		"../../../sql/queries/tenant/row/export.sql":        exports,
		"../../../sql/queries/tenant/row/deletion_rows.sql": deletions,
		"../../tenant/sql_tables_gen.go":                    string(program),
	} {
		if os.Getenv("HOLDFAST_TEST_UPDATE") != "" {
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		}
		current, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(current), text, "run make generate/tables")
	}
}

// least are the smallest values of the types that keys have.
var least = map[string]string{
	"uuid": "'00000000-0000-0000-0000-000000000000'", "text": "''", "smallint": "-32768",
	"bigint": "-9223372036854775808",
}

// column is a column of a key.
type column struct{ name, kind string }

func keyOf(t tables.Table) (list []column) {
	for text := range strings.SplitSeq(t.Key, ", ") {
		if name, kind, found := strings.Cut(text, " "); found {
			list = append(list, column{name, kind})
		}
	}
	return list
}

// each joins what is said of each column.
func each(list []column, separator string, say func(column) string) string {
	var texts []string
	for _, c := range list {
		texts = append(texts, say(c))
	}
	return strings.Join(texts, separator)
}

func ofRow(c column) string { return "r." + c.name }

// exportOf is the query of a page of a table.
func exportOf(t tables.Table) string {
	row := "to_jsonb(r) - 'tenant_id'"
	for _, hidden := range t.Hidden {
		row += " - '" + hidden + "'"
	}
	if t.Row != "" {
		row += " " + t.Row
	}
	query := fmt.Sprintf("\n-- name: TenantExport%s :many\nSELECT (%s)::jsonb AS row\nFROM %s r\n", camel(t.Name), row,
		t.Name)
	key := keyOf(t)
	if len(key) == 0 {
		return query + "WHERE r.tenant_id = $1 AND sqlc.arg(after)::jsonb = '{}';\n"
	}
	columns := each(key, ", ", ofRow)
	after := each(key, ",\n        ", func(c column) string {
		return fmt.Sprintf("coalesce((sqlc.arg(after)::jsonb ->> '%s')::%s, %s)", c.name, c.kind, least[c.kind])
	})
	if len(key) > 1 {
		return query + fmt.Sprintf("WHERE r.tenant_id = $1\n  AND (%s) > (\n        %s)\nORDER BY %[1]s\nLIMIT 200;\n",
			columns, after)
	}
	return query + fmt.Sprintf("WHERE r.tenant_id = $1\n  AND %s > %s\nORDER BY %[1]s\nLIMIT 200;\n", columns, after)
}

// deletionOf is the statement that deletes a batch of rows of a table, of those of a condition.
func deletionOf(t tables.Table, name, condition string) string {
	key := keyOf(t)
	columns := each(key, ", ", ofRow)
	batch := fmt.Sprintf("SELECT %s\n        FROM %s r WHERE r.tenant_id = $1%s\n        ORDER BY %[1]s LIMIT 200",
		columns, t.Name, condition)
	if with := t.DeletedWith; with != "" {
		batch = fmt.Sprintf(
			"SELECT DISTINCT b.%[1]s FROM (\n            SELECT r.%[1]s FROM %[2]s r WHERE r.tenant_id = $1%[3]s\n"+
				"            ORDER BY r.%[1]s, %[4]s LIMIT 200) AS b", with, t.Name, condition, columns)
		key = []column{{name: with}}
	}
	same := each(key, "", func(c column) string { return fmt.Sprintf(" AND d.%s = batch.%[1]s", c.name) })
	using := fmt.Sprintf("    USING (\n        %s\n    ) AS batch\n", batch)
	if len(key) == 0 {
		using = ""
	}
	return fmt.Sprintf(
		"\n-- name: TenantDelete%s :one\nWITH deleted AS (\n    DELETE FROM %s d\n%s    WHERE d.tenant_id = $1%s\n"+
			"    RETURNING d.tenant_id\n)\nSELECT count(*) FROM deleted;\n", name, t.Name, using, same)
}

// camel returns a name as Go writes it.
func camel(name string) (joined string) {
	for word := range strings.SplitSeq(name, "_") {
		joined += strings.ToUpper(word[:1]) + word[1:]
	}
	return joined
}
