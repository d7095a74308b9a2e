package tenant

import (
	"context"
	"encoding/json"
	"io"

	"github.com/google/uuid"

	"holdfast/internal/problem"
)

// exportFormat is the version of an export's lines.
const exportFormat = 1

// exportHead is the first line of an export.
type exportHead struct {
	Format int                `json:"format"`
	Tenant OperatorTenantBody `json:"tenant"`
}

// exportRow is a line of an export in between.
type exportRow struct {
	Table string          `json:"table"`
	Row   json.RawMessage `json:"row"`
}

// exportEnd is the last line of an export.
type exportEnd struct {
	ExportID uuid.UUID `json:"export_id"`
	// Rows are how many lines each table has.
	Rows map[string]int64 `json:"rows"`
}

// Export writes all that a tenant has, without secrets, as lines of JSON: the tenant, each row of each table, and at
// last the numbers of rows and the id of the export. An export without its last line is incomplete. It reads a bounded
// part at a time, so that what changes meanwhile may be as it was before or after.
//
// Errors: those of w; problem.NotFound for a tenant that doesn't exist, or that is deleted;
// problem.DatabaseUnavailable; problem.OutcomeUnknown. After problem.NotFound nothing was written.
func (s *Service) Export(ctx context.Context, id uuid.UUID, w io.Writer) error {
	t, err := s.Get(ctx, id)
	if err != nil {
		return err
	}
	if t.Status == StatusDeleted {
		return problem.Missing()
	}
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(exportHead{Format: exportFormat, Tenant: t.Body()}); err != nil {
		return err
	}
	rows := map[string]int64{}
	began, err := readRows(ctx, s.db, id, func(table string, row json.RawMessage) error {
		rows[table]++
		return lines.Encode(exportRow{Table: table, Row: row})
	})
	if err != nil {
		return err
	}
	export := uuid.New() // random: only who has read the last line knows it
	if err := recordExport(ctx, s.db, id, export, began); err != nil {
		return err
	}
	return lines.Encode(exportEnd{ExportID: export, Rows: rows})
}
