package store

import (
	"context"
	"math"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/problem"
)

// DirectoryEntry says in which cell a tenant is. MovingTo and MoveID are those of a move that has begun, nil without one. Frozen says that
// servers hold the tenant's requests back. ChangedIn is the id of the transaction that wrote it.
type DirectoryEntry = dbsqlc.CellDirectory

// DirectoryBegin is the position before all changes of the directory.
const DirectoryBegin int64 = math.MinInt64

// Directory lists the entries that have changed since a position, and returns the next position. Some may be listed again. It reads as the
// operator's role and takes no lock. Errors: problem.DatabaseUnavailable.
func (s *Store) Directory(ctx context.Context, since int64) (changed []DirectoryEntry, next int64, err error) {
	var end int64
	err = s.db.ReadAcross(ctx, "read the directory of the cells", func(t *core.Tx) {
		// First the end: what was written before it is seen by the statement after it.
		core.Query(t, "read the end of the directory", &end, func(q *dbsqlc.Queries) (int64, error) { return q.DirectoryEnd(t.Ctx) })
		core.Query(t, "list the directory", &changed, func(q *dbsqlc.Queries) ([]DirectoryEntry, error) {
			return q.DirectoryList(t.Ctx, since)
		})
	})
	if err != nil {
		return nil, since, err
	}
	return changed, directoryPosition(since, end, changed), nil
}

// directoryPosition returns the position after the entries that changed since an earlier one. end is the oldest transaction that runs.
//
// The position is at most right after the last entry that was seen. That entry is on the disk, and on a synchronous standby: what changes
// later has a higher id. The end may be far ahead of it. A server that crashes, or a standby that is promoted, gives ids again that no
// transaction on the disk has, and what changes then would be missed. An end before the position says that the directory is an older one.
func directoryPosition(since, end int64, changed []DirectoryEntry) int64 {
	if end < since {
		return DirectoryBegin
	}
	for _, e := range changed {
		since = max(since, e.ChangedIn+1)
	}
	return min(since, end)
}

// DirectoryName is a tenant's id and slug.
type DirectoryName struct {
	TenantID uuid.UUID
	Slug     string
}

// AddToDirectory adds tenants of a cell, up to a few thousand. A tenant whose id or slug is in the directory is left out. Errors:
// problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (s *Store) AddToDirectory(ctx context.Context, cell string, names []DirectoryName) error {
	p := dbsqlc.DirectoryInsertParams{Cell: cell}
	for _, n := range names {
		p.TenantIds, p.Slugs = append(p.TenantIds, n.TenantID), append(p.Slugs, n.Slug)
	}
	return s.db.AsOperator(ctx, "add tenants to the directory", func(t *core.Tx) {
		core.Exec(t, "add tenants to the directory", func(q *dbsqlc.Queries) error { return q.DirectoryInsert(t.Ctx, p) })
	})
}

// ReserveInDirectory adds a tenant of a cell, unless its slug is taken, and returns the entry that has the slug then. Errors:
// problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (s *Store) ReserveInDirectory(ctx context.Context, cell string, n DirectoryName) (entry DirectoryEntry, err error) {
	if err := s.AddToDirectory(ctx, cell, []DirectoryName{n}); err != nil {
		return entry, err
	}
	entries, err := s.directoryEntries(ctx, n)
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

// DirectoryEntryOf returns the entry of a tenant. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Store) DirectoryEntryOf(ctx context.Context, tenant uuid.UUID) (entry DirectoryEntry, err error) {
	entries, err := s.directoryEntries(ctx, DirectoryName{TenantID: tenant})
	switch {
	case err != nil:
		return entry, err
	case len(entries) == 0:
		return entry, problem.Missing()
	}
	return entries[0], nil
}

func (s *Store) directoryEntries(ctx context.Context, n DirectoryName) (entries []DirectoryEntry, err error) {
	err = s.db.ReadAcross(ctx, "look into the directory", func(t *core.Tx) {
		core.Query(t, "look into the directory", &entries, func(q *dbsqlc.Queries) ([]DirectoryEntry, error) {
			return q.DirectoryGet(t.Ctx, n.TenantID, n.Slug)
		})
	})
	return entries, err
}

// RenameInDirectory gives a tenant of the directory another slug. Errors: problem.AlreadyExists for a slug in use;
// problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (s *Store) RenameInDirectory(ctx context.Context, n DirectoryName) error {
	return s.db.AsOperator(ctx, "rename a tenant in the directory", func(t *core.Tx) {
		core.Exec(t, "rename the tenant", func(q *dbsqlc.Queries) error { return q.DirectoryRename(t.Ctx, n.TenantID, n.Slug) },
			core.Failure{State: core.UniqueViolation, Means: slugTaken})
	})
}

// DirectoryMove is a move of a tenant from one cell to another.
type DirectoryMove struct {
	TenantID, MoveID uuid.UUID
	From, To         string
}

// NoteMove writes into the directory that a move has begun, and whether servers hold the tenant's requests back. Errors:
// problem.InvalidState if the tenant isn't in the cell From, or another move of it has begun; problem.DatabaseUnavailable,
// problem.OutcomeUnknown.
func (s *Store) NoteMove(ctx context.Context, m DirectoryMove, frozen bool) error {
	var rows []dbsqlc.DirectoryMoveRow
	err := s.db.AsOperator(ctx, "note the move in the directory", func(t *core.Tx) {
		core.Query(t, "note the move", &rows, func(q *dbsqlc.Queries) ([]dbsqlc.DirectoryMoveRow, error) {
			return q.DirectoryMove(t.Ctx, dbsqlc.DirectoryMoveParams{
				TenantID: m.TenantID, FromCell: m.From, ToCell: m.To, MoveID: m.MoveID, Frozen: frozen,
			})
		})
	})
	if err == nil && len(rows) == 0 {
		return problem.New(problem.InvalidState, "The tenant isn't in the cell "+m.From+", or another move of it has begun.")
	}
	return err
}

// NoteEndOfMove writes into the directory that a move has ended: moved says that the tenant is where it went. A move that has ended stays
// so. Errors: problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (s *Store) NoteEndOfMove(ctx context.Context, m DirectoryMove, moved bool) error {
	return s.db.AsOperator(ctx, "note the end of the move in the directory", func(t *core.Tx) {
		core.Exec(t, "note the end of the move", func(q *dbsqlc.Queries) error {
			return q.DirectoryEndMove(t.Ctx, dbsqlc.DirectoryEndMoveParams{TenantID: m.TenantID, MoveID: m.MoveID, Moved: moved})
		})
	})
}

// MendDirectory has readers find what will change next in a directory that was restored from another cluster. Errors:
// problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (s *Store) MendDirectory(ctx context.Context) error {
	return s.db.AsOperator(ctx, "mend the directory", func(t *core.Tx) {
		core.Exec(t, "mend the directory", func(q *dbsqlc.Queries) error { return q.DirectoryLower(t.Ctx) })
	})
}

func slugTaken(cause error) error {
	return problem.Wrap(cause, problem.AlreadyExists, "A tenant with this slug exists.")
}
