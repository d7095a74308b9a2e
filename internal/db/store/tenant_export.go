package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// ExportTenant gives emit each row of what a tenant has, by table and key, as a JSON object without secrets. It reads a page at a time:
// what changes meanwhile may be as it was before or after. It returns when it began, by the database's clock. Errors: those of emit;
// problem.DatabaseUnavailable.
func (s *Store) ExportTenant(ctx context.Context, tenant uuid.UUID, emit func(table string, row json.RawMessage) error,
) (began time.Time, err error) {
	if err := s.db.ReadOnly(ctx, "read the clock", tenant, func(t *core.Tx) { t.ReadClockInto(&began) }); err != nil {
		return began, err
	}
	for _, table := range exportedTables {
		after := json.RawMessage("{}")
		for {
			rows, err := core.ReadOne(ctx, s.db, "export a tenant", tenant,
				func(ctx context.Context, q *dbsqlc.Queries) ([]json.RawMessage, error) {
					return table.page(q, ctx, tenant, after)
				})
			if err != nil {
				return began, err
			}
			for _, row := range rows {
				if err := emit(table.name, row); err != nil {
					return began, err
				}
			}
			if len(rows) == 0 {
				break
			}
			after = rows[len(rows)-1]
		}
	}
	return began, nil
}
