package move

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/internal/db"
	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/problem"
)

// Rows are read some at a time. A batch of rows that are written has at most so many rows, and ends with the row with
// which it has so many bytes.
const (
	readAtOnce        = 10_000
	copiedAtOnce      = 1000
	copiedBytesAtOnce = 4 << 20
	// farApart is how many transactions a copy is behind the hand-over at most. Rows keep 32 bits of the id of their
	// transaction.
	farApart = 1 << 30
)

// CopyAhead copies a tenant's rows to the target while the source serves the tenant, so that HandOver has to carry over
// only what came since. It reads one snapshot of the source, and commits in the target some thousand rows at a time.
// Until HandOver the target has the tenant as one that has moved away: nobody sees its rows there, and no worker claims
// its events. It returns how many rows were copied now.
//
// After a crash it goes on: rows that are there stay, and HandOver brings them up to date. Rows that an earlier move
// left in the target are deleted first. It needs some megabytes of memory, however large the tenant is. The snapshot
// holds up vacuum in the source, and no feed.
//
// Errors: problem.NotFound for a tenant that isn't in the source; problem.InvalidState if the move was aborted, if
// another move of the tenant began, or if what was copied before is of another history of the source's database (it was
// restored or promoted): abort the move; problem.AlreadyExists if the target serves the tenant, or another tenant with
// its slug; problem.DatabaseUnavailable; problem.OutcomeUnknown: call it again.
func CopyAhead(ctx context.Context, from, to *db.DB, m Move) (rows int64, err error) {
	if err := deleteLeftByOther(ctx, to, m); err != nil {
		return 0, err
	}
	err = asOwner(ctx, from, "read a tenant", m.Tenant, true, func(source pgx.Tx) error {
		switch exists, err := dbsqlc.New(source).MoveTenantExists(ctx, m.Tenant); {
		case err != nil:
			return err
		case !exists:
			return problem.Missing()
		}
		c, err := beginCopy(ctx, to, source, m)
		if err != nil || c == nil || c.complete {
			return err
		}
		for _, t := range movedTables {
			n, err := t.copyAhead(ctx, source, to, m, *c)
			if err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
			}
			rows += n
		}
		return asOwner(ctx, to, "end a copy", m.Tenant, false, func(target pgx.Tx) error {
			n, err := dbsqlc.New(target).MoveCopyEnd(ctx, m.Tenant, m.ID)
			if err == nil && n == 0 {
				err = overtaken()
			}
			return err
		})
	})
	return rows, err
}

func overtaken() error {
	return problem.New(problem.InvalidState,
		"Another move of the tenant to the target has begun, or this one was finished.")
}

// copied is what the target knows of the snapshot from which a tenant's rows were copied.
type copied struct {
	// history tells the database of the snapshot from what it may become by a restore or a promotion: transaction ids
	// mean the same only within one. since is the oldest transaction that ran at the snapshot: what changed later was
	// written by it or a later one.
	history string
	since   int64
	// base is added to the transaction ids of the tenant's changes. See movedTables.
	base int64
	// complete says that all rows of the snapshot are in the target.
	complete bool
}

func copiedOf(row dbsqlc.TenantMove) *copied {
	if row.CopiedFrom == nil || row.CopiedSince == nil || row.CopiedBase == nil {
		return nil
	}
	return &copied{history: *row.CopiedFrom, since: *row.CopiedSince, base: *row.CopiedBase,
		complete: row.CopiedAt != nil}
}

// deleteLeftByOther deletes what another move left of the tenant in the target: one that took it away, or one that was
// aborted.
func deleteLeftByOther(ctx context.Context, d *db.DB, m Move) error {
	var n int64
	err := asOwner(ctx, d, "take over what a move left", m.Tenant, false, func(target pgx.Tx) (err error) {
		n, err = dbsqlc.New(target).MoveCopyTake(ctx, dbsqlc.MoveCopyTakeParams{
			TenantID: m.Tenant, MoveID: m.ID, FromCell: m.FromCell,
		})
		return err
	})
	for err == nil && n > 0 {
		n, err = DeleteLeft(ctx, d, m.Tenant, copiedAtOnce)
	}
	return err
}

// beginCopy records in the target from which snapshot a tenant is copied, or finds the one of a copy that was
// interrupted. It returns nil if the tenant has arrived already.
func beginCopy(ctx context.Context, d *db.DB, source pgx.Tx, m Move) (c *copied, err error) {
	snapshot, err := dbsqlc.New(source).MoveSnapshot(ctx, m.Tenant)
	if err != nil {
		return nil, err
	}
	err = asOwner(ctx, d, "begin a copy", m.Tenant, false, func(target pgx.Tx) error {
		q := dbsqlc.New(target)
		switch state, err := arrivalOf(ctx, q, m); {
		case err != nil || state == arrived:
			return err
		case state == refused:
			return problem.New(problem.InvalidState, "The move was aborted.")
		}
		current, err := moveOf(ctx, q, m.Tenant)
		if err != nil {
			return err
		}
		if current == nil {
			switch exists, err := q.MoveTenantExists(ctx, m.Tenant); {
			case err != nil:
				return err
			case exists:
				return problem.New(problem.AlreadyExists, "The target has the tenant.")
			}
		}
		row, err := q.MoveCopyBegin(ctx, dbsqlc.MoveCopyBeginParams{
			TenantID: m.Tenant, MoveID: m.ID, FromCell: m.FromCell, CopiedFrom: snapshot.History,
			CopiedSince: snapshot.Oldest,
			CopiedBase:  snapshot.LastArrived,
		})
		if errors.Is(err, pgx.ErrNoRows) {
			return overtaken()
		} else if err != nil {
			return err
		}
		c = copiedOf(row)
		return c.comparable(snapshot)
	})
	return c, err
}

// comparable returns problem.InvalidState unless the transaction ids of the copy's snapshot mean in a later snapshot
// what they meant then.
func (c *copied) comparable(now dbsqlc.MoveSnapshotRow) error {
	if now.History != c.history || now.Oldest < c.since || now.Oldest-c.since > farApart {
		return problem.New(problem.InvalidState,
			"The source isn't the database that was copied, or the copy is too old: abort the move, "+
				"and begin it again.")
	}
	return nil
}

// copyAhead copies the tenant's rows of one table that aren't in the target yet.
func (t movedTable) copyAhead(ctx context.Context, source pgx.Tx, to *db.DB, m Move, c copied) (rows int64, err error) {
	columns, err := t.columns(ctx, source)
	if err != nil {
		return 0, err
	}
	read, err := t.read(ctx, source, columns, c.base, t.Ahead, m.Tenant)
	if err != nil {
		return 0, err
	}
	insert := t.insertSQL(columns) + " ON CONFLICT DO NOTHING"
	for more := true; more; {
		// Short transactions: one that is open for minutes would hold up the feeds of the target's cluster.
		err = asOwner(ctx, to, "copy rows", m.Tenant, false, func(target pgx.Tx) error {
			// What a move that was overtaken still writes would be older than what the copy of the other takes it for.
			if _, err := dbsqlc.New(target).MoveCopyLock(ctx, m.Tenant, m.ID); errors.Is(err, pgx.ErrNoRows) {
				return overtaken()
			} else if err != nil {
				return err
			}
			n, err := read.fetch(ctx, readAtOnce, func(b *rowBatch) error {
				tag, err := target.Exec(ctx, insert, b.args()...)
				rows += tag.RowsAffected()
				return err
			})
			if err == nil && t.Name == "tenants" {
				err = requireTenant(ctx, target, m.Tenant)
			}
			more = n == readAtOnce
			return err
		})
		if err != nil {
			return rows, err
		}
	}
	return rows, read.close(ctx)
}

// requireTenant returns problem.AlreadyExists unless the tenant's row could be written.
func requireTenant(ctx context.Context, target pgx.Tx, tenant uuid.UUID) error {
	exists, err := dbsqlc.New(target).MoveTenantExists(ctx, tenant)
	if err == nil && !exists {
		err = problem.New(problem.AlreadyExists, "The target has another tenant with this slug.")
	}
	return err
}
