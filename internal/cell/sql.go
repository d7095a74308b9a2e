package cell

import (
	"context"
	"math"

	"github.com/google/uuid"

	"holdfast/internal/cell/internal/rowsql"
	"holdfast/internal/db"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// The statements of the home cell's directory. They run as the operator's role, and need no lock.
var unlocked = db.UnderNothing(rowsql.New)

// Entry says in which cell a tenant is. MovingTo and MoveID are those of a move that has begun, nil without one. Frozen
// says that servers hold the tenant's requests back. ChangedIn is the id of the transaction that wrote it.
type Entry = rowsql.CellDirectory

// directoryBegin is the position before all changes of the directory.
const directoryBegin int64 = math.MinInt64

// readDirectory lists the entries that have changed since a position, and returns the next position. Some may be listed
// again. It reads as the operator's role and takes no lock. Errors: problem.DatabaseUnavailable.
func readDirectory(ctx context.Context, d *db.DB, since int64) (changed []Entry, next int64, err error) {
	var end int64
	err = d.ReadAcross(ctx, "read the directory of the cells", func(tx *db.Tx) {
		// First the end: what was written before it is seen by the statement after it.
		db.Query(unlocked.On(tx), "read the end of the directory", &end, func(q *rowsql.Queries) (int64, error) {
			return q.DirectoryEnd(tx.Context())
		})
		db.Query(unlocked.On(tx), "list the directory", &changed, func(q *rowsql.Queries) ([]Entry, error) {
			return q.DirectoryList(tx.Context(), since)
		})
	})
	if err != nil {
		return nil, since, err
	}
	return changed, directoryPosition(since, end, changed), nil
}

// directoryPosition returns the position after the entries that changed since an earlier one. end is the oldest
// transaction that runs.
//
// The position is at most right after the last entry that was seen. That entry is on the disk, and on a synchronous
// standby: what changes later has a higher id. The end may be far ahead of it. A server that crashes, or a standby that
// is promoted, gives ids again that no transaction on the disk has, and what changes then would be missed. An end
// before the position says that the directory is an older one.
func directoryPosition(since, end int64, changed []Entry) int64 {
	if end < since {
		return directoryBegin
	}
	for _, e := range changed {
		since = max(since, e.ChangedIn+1)
	}
	return min(since, end)
}

// addToDirectory adds tenants of a cell, up to a few thousand. A tenant whose id or slug is in the directory is left
// out. Errors: problem.DatabaseUnavailable, problem.OutcomeUnknown.
func addToDirectory(ctx context.Context, d *db.DB, cell string, names []tenant.Name) error {
	p := rowsql.DirectoryInsertParams{Cell: cell}
	for _, n := range names {
		p.TenantIds, p.Slugs = append(p.TenantIds, n.TenantID), append(p.Slugs, n.Slug)
	}
	return d.WriteAsOperator(ctx, "add tenants to the directory", uuid.Nil, func(tx *db.Tx) {
		db.Exec(unlocked.On(tx), "add tenants to the directory", func(q *rowsql.Queries) error {
			return q.DirectoryInsert(tx.Context(), p)
		})
	})
}

// reserve adds a tenant of a cell, unless its slug is taken, and returns the entry that has the slug then. Errors:
// problem.DatabaseUnavailable, problem.OutcomeUnknown.
func reserve(ctx context.Context, d *db.DB, cell string, n tenant.Name) (entry Entry, err error) {
	if err := addToDirectory(ctx, d, cell, []tenant.Name{n}); err != nil {
		return entry, err
	}
	entries, err := entriesWith(ctx, d, n)
	if err != nil {
		return entry, err
	}
	for _, e := range entries {
		if e.Slug == n.Slug {
			return e, nil
		}
	}
	return entry, problem.New(problem.AlreadyExists, "A tenant with this id exists.")
}

// findEntry returns the entry of a tenant. Errors: problem.NotFound, problem.DatabaseUnavailable.
func findEntry(ctx context.Context, d *db.DB, id uuid.UUID) (entry Entry, err error) {
	entries, err := entriesWith(ctx, d, tenant.Name{TenantID: id})
	switch {
	case err != nil:
		return entry, err
	case len(entries) == 0:
		return entry, problem.Missing()
	}
	return entries[0], nil
}

// entriesWith returns the entries with the id or the slug of a tenant.
func entriesWith(ctx context.Context, d *db.DB, n tenant.Name) (entries []Entry, err error) {
	err = d.ReadAcross(ctx, "look into the directory", func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "look into the directory", &entries, func(q *rowsql.Queries) ([]Entry, error) {
			return q.DirectoryGet(tx.Context(), n.TenantID, n.Slug)
		})
	})
	return entries, err
}

// slugTaken is what it means that a slug isn't unique over all cells.
var slugTaken = db.Failure{State: db.UniqueViolation, Means: func(cause error) error {
	return problem.Wrap(cause, problem.AlreadyExists, "A tenant with this slug exists.")
}}

// rename gives a tenant of the directory another slug. Errors: problem.AlreadyExists for a slug in use;
// problem.DatabaseUnavailable, problem.OutcomeUnknown.
func rename(ctx context.Context, d *db.DB, n tenant.Name) error {
	return d.WriteAsOperator(ctx, "rename a tenant in the directory", n.TenantID, func(tx *db.Tx) {
		db.Exec(unlocked.On(tx), "rename the tenant", func(q *rowsql.Queries) error {
			return q.DirectoryRename(tx.Context(), tx.Tenant(), n.Slug)
		}, slugTaken)
	})
}

// notedMove is a move of a tenant from one cell to another, as the directory knows it.
type notedMove struct {
	TenantID, MoveID uuid.UUID
	From, To         string
}

// noteMove writes into the directory that a move has begun, and whether servers hold the tenant's requests back.
// Errors: problem.InvalidState if the tenant isn't in the cell From, or another move of it has begun;
// problem.DatabaseUnavailable, problem.OutcomeUnknown.
func noteMove(ctx context.Context, d *db.DB, m notedMove, frozen bool) error {
	var rows []rowsql.DirectoryMoveRow
	err := d.WriteAsOperator(ctx, "note the move in the directory", m.TenantID, func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "note the move", &rows, func(q *rowsql.Queries) ([]rowsql.DirectoryMoveRow, error) {
			return q.DirectoryMove(tx.Context(), rowsql.DirectoryMoveParams{
				TenantID: tx.Tenant(), FromCell: m.From, ToCell: m.To, MoveID: m.MoveID, Frozen: frozen,
			})
		})
	})
	if err == nil && len(rows) == 0 {
		return problem.New(problem.InvalidState,
			"The tenant isn't in the cell "+m.From+", or another move of it has begun.")
	}
	return err
}

// noteEndOfMove writes into the directory that a move has ended: moved says that the tenant is where it went. A move
// that has ended stays so. Errors: problem.DatabaseUnavailable, problem.OutcomeUnknown.
func noteEndOfMove(ctx context.Context, d *db.DB, m notedMove, moved bool) error {
	return d.WriteAsOperator(ctx, "note the end of the move in the directory", m.TenantID, func(tx *db.Tx) {
		db.Exec(unlocked.On(tx), "note the end of the move", func(q *rowsql.Queries) error {
			return q.DirectoryEndMove(tx.Context(), rowsql.DirectoryEndMoveParams{
				TenantID: tx.Tenant(), MoveID: m.MoveID, Moved: moved,
			})
		})
	})
}

// mendDirectory has readers find what will change next in a directory that was restored from another cluster. Errors:
// problem.DatabaseUnavailable, problem.OutcomeUnknown.
func mendDirectory(ctx context.Context, d *db.DB) error {
	return d.WriteAsOperator(ctx, "mend the directory", uuid.Nil, func(tx *db.Tx) {
		db.Exec(unlocked.On(tx), "mend the directory",
			func(q *rowsql.Queries) error { return q.DirectoryLower(tx.Context()) })
	})
}
