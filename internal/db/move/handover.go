package move

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/internal/db"
	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/problem"
)

// HandOver brings the rows that CopyAhead copied up to date, of a tenant that is frozen, in one transaction of the
// target and from one snapshot of the source, and returns how many rows that were. Its commit hands the tenant over:
// from then on the target serves it. If a hand-over of the move was committed before, it does nothing and returns 0; it
// waits for one that is under way. It reads all rows' keys on both sides, and sends those rows that came or were
// changed since the snapshot of CopyAhead. While it runs, feeds and the relay of the target's cluster stand still, as
// with each long transaction that writes.
//
// What differs in the target: the positions of the tenant's changes in the feed, and so its cursors, which have
// expired.
//
// Errors: problem.InvalidState if the tenant isn't frozen, CopyAhead wasn't through, the target refused the move, or
// what came since doesn't fit to the copy: abort the move, and begin another; problem.DatabaseUnavailable;
// problem.OutcomeUnknown: call it again, or Abort, which find out.
func HandOver(ctx context.Context, from, to *db.DB, m Move) (rows int64, err error) {
	arrivedNow := false
	err = asOwner(ctx, to, "hand a tenant over", m.Tenant, false, func(target pgx.Tx) error {
		// First: Abort, which records the move before it lets the tenant go on in the source, waits for this
		// transaction, or this one finds that it was refused.
		c, err := claimArrival(ctx, dbsqlc.New(target), m)
		if err != nil || c == nil {
			return err
		}
		arrivedNow = true
		return asOwner(ctx, from, "read what came since", m.Tenant, true, func(source pgx.Tx) error {
			q := dbsqlc.New(source)
			if err := requireFrozen(ctx, q, m); err != nil {
				return err
			}
			now, err := q.MoveSnapshot(ctx, m.Tenant)
			if err != nil {
				return err
			}
			if err := c.comparable(now); err != nil {
				return err
			}
			if rows, err = bringUpToDate(ctx, source, target, m.Tenant, *c); err != nil {
				return err
			}
			if err := dbsqlc.New(target).MoveFeedPositions(ctx, m.Tenant, uuid.New()); err != nil {
				return err
			}
			return moveOperatorDeliveries(ctx, q, dbsqlc.New(target), m.Tenant)
		})
	})
	switch core.StateOf(err) {
	case core.UniqueViolation, core.ExclusionViolation, core.ForeignKeyViolation:
		err = problem.Wrap(err, problem.InvalidState,
			"What came since the copy doesn't fit to it: abort the move, and begin another.")
	}
	if err == nil && arrivedNow {
		to.Wake(core.WakeFeed)
	}
	return rows, err
}

// claimArrival records the arrival, and ends that the target takes the tenant to be elsewhere. It returns what was
// copied, and nil if the tenant has arrived already.
func claimArrival(ctx context.Context, q *dbsqlc.Queries, m Move) (*copied, error) {
	n, err := q.MoveArrivalInsert(ctx, dbsqlc.MoveArrivalInsertParams{TenantID: m.Tenant, MoveID: m.ID, State: arrived})
	if err != nil {
		return nil, err
	}
	if n == 0 {
		if state, err := arrivalOf(ctx, q, m); err != nil || state == arrived {
			return nil, err
		}
		return nil, problem.New(problem.InvalidState, "The move was aborted.")
	}
	row, err := q.MoveGet(ctx, m.Tenant)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, err
	}
	c := copiedOf(row)
	if row.MoveID != m.ID || c == nil || !c.complete {
		return nil, problem.New(problem.InvalidState, "The tenant's rows aren't copied yet.")
	}
	_, err = q.MoveDelete(ctx,
		dbsqlc.MoveDeleteParams{TenantID: m.Tenant, MoveID: m.ID, States: []string{string(Moved)}})
	return c, err
}

// requireFrozen returns problem.InvalidState unless the move is through Freeze and not finished.
func requireFrozen(ctx context.Context, q *dbsqlc.Queries, m Move) error {
	current, err := moveOf(ctx, q, m.Tenant)
	if err == nil && (current == nil || current.ID != m.ID || current.State != Moving || current.FrozenAt == nil) {
		err = problem.New(problem.InvalidState, "The tenant isn't frozen for this move.")
	}
	return err
}

// moveOperatorDeliveries has the operator's endpoints of the target told of the tenant's events of which those of the
// source haven't been told yet. It is the last thing that the two transactions do: from then on they see the operator's
// rows and not the tenant's.
func moveOperatorDeliveries(ctx context.Context, source, target *dbsqlc.Queries, tenant uuid.UUID) error {
	for _, q := range []*dbsqlc.Queries{source, target} {
		if err := q.SessionTenantUnfenced(ctx, uuid.Nil.String()); err != nil {
			return err
		}
	}
	open, err := source.MoveOperatorDeliveries(ctx, uuid.Nil, tenant.String())
	if err != nil || len(open) == 0 {
		return err
	}
	text := func(value func(dbsqlc.MoveOperatorDeliveriesRow) string) []string { return db.Convert(open, value) }
	return target.MovePlanOperatorDeliveries(ctx, dbsqlc.MovePlanOperatorDeliveriesParams{
		TenantID:  uuid.Nil,
		ChangeIds: text(func(r dbsqlc.MoveOperatorDeliveriesRow) string { return r.ChangeID }),
		Urls:      text(func(r dbsqlc.MoveOperatorDeliveriesRow) string { return r.Url }),
		Data:      text(func(r dbsqlc.MoveOperatorDeliveriesRow) string { return r.Data }),
	})
}
