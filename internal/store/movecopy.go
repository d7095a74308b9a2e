package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"holdfast/internal/problem"
	"holdfast/internal/store/internal/core"
	"holdfast/internal/store/internal/dbsqlc"
	"holdfast/migrations"
)

// A batch of rows that are copied has at most so many rows, and ends with the row with which it has so many bytes.
const (
	copiedAtOnce      = 1000
	copiedBytesAtOnce = 4 << 20
)

// CopyTenant copies all rows of a tenant that is frozen to the target, in one transaction there and from one snapshot of the source, and
// returns how many. Its commit hands the tenant over: from then on the target serves it. If a copy of the move was committed before, it
// does nothing and returns 0; it waits for one that is under way. It needs some megabytes of memory, however large the tenant is. While it
// runs, feeds and the relay of the target's cluster stand still, as with each long transaction that writes.
//
// What differs in the target: the positions of the tenant's changes in the feed, and so its cursors, which have expired.
//
// Errors: problem.InvalidState if the tenant isn't frozen or the target refused the move; problem.AlreadyExists if the target has the
// tenant, rows that it left, or another tenant with its slug;
// problem.DatabaseUnavailable; problem.OutcomeUnknown: call it again, or AbortMove, which find out.
func CopyTenant(ctx context.Context, from, to *Store, m Move) (rows int64, err error) {
	err = to.db.AsOwner(ctx, "copy a tenant", m.Tenant, false, func(target pgx.Tx) error {
		rows = 0
		// First: AbortMove, which records the move before it lets the tenant go on in the source, waits for this transaction, or this one
		// finds that it was refused.
		switch before, err := claimArrival(ctx, dbsqlc.New(target), m); {
		case err != nil:
			return err
		case before:
			return nil
		}
		return from.db.AsOwner(ctx, "read a tenant", m.Tenant, true, func(source pgx.Tx) error {
			if err := requireFrozen(ctx, dbsqlc.New(source), m); err != nil {
				return err
			}
			for _, t := range movedTables {
				n, err := t.copyRows(ctx, source, target, m.Tenant)
				if err != nil {
					return fmt.Errorf("%s: %w", t.name, err)
				}
				rows += n
			}
			if err := dbsqlc.New(target).MoveFeedPositions(ctx, m.Tenant, uuid.New()); err != nil {
				return err
			}
			return moveOperatorDeliveries(ctx, dbsqlc.New(source), dbsqlc.New(target), m.Tenant)
		})
	})
	if core.StateOf(err) == core.UniqueViolation {
		err = problem.Wrap(err, problem.AlreadyExists, "The target has rows of the tenant, or another tenant with its slug.")
	}
	if err == nil && rows > 0 {
		to.db.Wake(WakeFeed)
	}
	return rows, err
}

// moveOperatorDeliveries has the operator's endpoints of the target told of the tenant's events of which those of the source haven't been
// told yet. It is the last thing that the two transactions do: from then on they see the operator's rows and not the tenant's.
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
	text := func(value func(dbsqlc.MoveOperatorDeliveriesRow) string) []string { return convert(open, value) }
	return target.MovePlanOperatorDeliveries(ctx, dbsqlc.MovePlanOperatorDeliveriesParams{
		TenantID:  uuid.Nil,
		ChangeIds: text(func(r dbsqlc.MoveOperatorDeliveriesRow) string { return r.ChangeID }),
		Urls:      text(func(r dbsqlc.MoveOperatorDeliveriesRow) string { return r.Url }),
		Data:      text(func(r dbsqlc.MoveOperatorDeliveriesRow) string { return r.Data }),
	})
}

// claimArrival records the arrival, and forgets that the tenant had left the target before. before says that it has arrived already.
func claimArrival(ctx context.Context, q *dbsqlc.Queries, m Move) (before bool, err error) {
	n, err := q.MoveArrivalInsert(ctx, dbsqlc.MoveArrivalInsertParams{TenantID: m.Tenant, MoveID: m.ID, State: arrived})
	if err != nil {
		return false, err
	}
	if n == 0 {
		if state, err := arrivalOf(ctx, q, m); err != nil || state == arrived {
			return true, err
		}
		return false, problem.New(problem.InvalidState, "The move was aborted.")
	}
	if err := q.MoveDeleteFormer(ctx, m.Tenant); err != nil {
		return false, err
	}
	switch current, err := moveOf(ctx, q, m.Tenant); {
	case err != nil:
		return false, err
	case current != nil:
		return false, problem.New(problem.InvalidState, "The tenant is moving away from the target.")
	}
	switch exists, err := q.MoveTenantExists(ctx, m.Tenant); {
	case err != nil:
		return false, err
	case exists:
		return false, problem.New(problem.AlreadyExists, "The target has the tenant, or rows that it left.")
	}
	return false, nil
}

// requireFrozen returns problem.InvalidState unless the move is through FreezeTenant and not finished.
func requireFrozen(ctx context.Context, q *dbsqlc.Queries, m Move) error {
	current, err := moveOf(ctx, q, m.Tenant)
	if err == nil && (current == nil || current.ID != m.ID || current.State != MoveMoving || current.FrozenAt == nil) {
		err = problem.New(problem.InvalidState, "The tenant isn't frozen for this move.")
	}
	return err
}

// Place tells a database and schema from all others, however they are reached. It changes when the database's server is restarted. Errors:
// problem.DatabaseUnavailable.
func (s *Store) Place(ctx context.Context) (string, error) {
	f, err := s.db.Queries().MoveFacts(ctx)
	if err != nil {
		return "", core.Unavailable(fmt.Errorf("look where the database is: %w", err))
	}
	return fmt.Sprintf("%d %q %q", f.ServerStarted.UnixMicro(), f.Database, f.Schema), nil
}

// CompareCells finds out whether tenants can move between two databases. Errors: problem.InvalidState if they have different schema
// versions, or are one database and schema; problem.DatabaseUnavailable.
func CompareCells(ctx context.Context, from, to *Store) error {
	source, err := from.Place(ctx)
	if err != nil {
		return fmt.Errorf("the source: %w", err)
	}
	target, err := to.Place(ctx)
	if err != nil {
		return fmt.Errorf("the target: %w", err)
	}
	if source == target {
		return problem.New(problem.InvalidState, "The source and the target are one database and schema.")
	}
	before, err := from.schemaVersion(ctx)
	if err != nil {
		return err
	}
	after, err := to.schemaVersion(ctx)
	if err == nil && before != after {
		err = problem.New(problem.InvalidState, fmt.Sprintf("The source has schema version %d, the target %d: migrate both.", before,
			after))
	}
	return err
}

// schemaVersion returns the version of the last migration.
func (s *Store) schemaVersion(ctx context.Context) (version int64, err error) {
	_, direct := s.db.ConnConfigs()
	db := stdlib.OpenDB(*direct)
	defer func() { _ = db.Close() }()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS)
	if err == nil {
		version, err = provider.GetDBVersion(ctx)
	}
	if err != nil {
		return 0, core.Unavailable(fmt.Errorf("read the schema version: %w", err))
	}
	return version, nil
}

// copyRows copies a tenant's rows of one table.
func (t movedTable) copyRows(ctx context.Context, source, target pgx.Tx, tenant uuid.UUID) (n int64, err error) {
	columns, err := t.columns(ctx, source)
	if err != nil {
		return 0, err
	}
	rows, err := source.Query(ctx, t.selectSQL(columns), tenant)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	insert := t.insertSQL(columns)
	batch := newRowBatch(len(columns))
	for rows.Next() {
		batch.add(rows.RawValues())
		if batch.rows == copiedAtOnce || batch.bytes >= copiedBytesAtOnce {
			if err := batch.send(ctx, target, insert); err != nil {
				return n, err
			}
			n, batch = n+int64(batch.rows), newRowBatch(len(columns))
		}
	}
	if err := rows.Err(); err != nil {
		return n, err
	}
	if batch.rows == 0 {
		return n, nil
	}
	return n + int64(batch.rows), batch.send(ctx, target, insert)
}

// rowBatch is a number of rows, column by column, each value as a text.
type rowBatch struct {
	columns [][]pgtype.Text
	rows    int
	bytes   int
}

func newRowBatch(columns int) *rowBatch { return &rowBatch{columns: make([][]pgtype.Text, columns)} }

func (b *rowBatch) add(row [][]byte) {
	for i, value := range row {
		b.columns[i] = append(b.columns[i], pgtype.Text{String: string(value), Valid: value != nil})
		b.bytes += len(value)
	}
	b.rows++
}

func (b *rowBatch) send(ctx context.Context, target pgx.Tx, insert string) error {
	args := make([]any, len(b.columns))
	for i, c := range b.columns {
		args[i] = c
	}
	tag, err := target.Exec(ctx, insert, args...)
	if err == nil && tag.RowsAffected() != int64(b.rows) {
		err = fmt.Errorf("%d of %d rows were written", tag.RowsAffected(), b.rows)
	}
	return err
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
