package core

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/problem"
)

const (
	// ownerStatementTimeout is how long a statement of AsOwner may take: it may write, or delete, many rows.
	ownerStatementTimeout = 5 * time.Minute
	// ownerIdleTimeout is how long a transaction of AsOwner may wait for its client. One that copies waits for the
	// other database.
	ownerIdleTimeout = time.Minute
)

// AsOwner runs work in a transaction of one tenant as the login itself, on a connection of its own around a pooler.
// Row-level security shows it the rows of the tenant, also those of a tenant that is moving. It takes as many round
// trips as work does. With snapshot, all statements see the database at one moment, and none writes. Without it, the
// commit waits for a synchronous standby also if work wrote nothing: the next step of a move relies on what was read,
// and a promotion must not lose that.
//
// Errors: work's own; problem.DatabaseUnavailable, after which nothing was written; problem.OutcomeUnknown; others as
// they came.
func (d *DB) AsOwner(ctx context.Context, doing string, tenant uuid.UUID, snapshot bool, work func(tx pgx.Tx) error,
) error {
	options := pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite}
	if snapshot {
		options = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	}
	purpose := "move"
	if snapshot {
		purpose = "copy" // for which other moves don't wait: see MoveTransactions
	}
	cfg := d.sessionConfig(purpose)
	cfg.OnNotice = noteWarning
	err := WithConns(ctx, cfg, 1, func(conns []*pgx.Conn) error {
		registerUUID(conns[0].TypeMap())
		tx, err := conns[0].BeginTx(ctx, options)
		if err != nil {
			return err
		}
		// The connection ends with the transaction: so does what it wrote, unless it is committed.
		if _, err := dbsqlc.New(tx).MoveSession(ctx, dbsqlc.MoveSessionParams{
			TenantID: tenant.String(), StatementTimeout: milliseconds(ownerStatementTimeout),
			IdleTimeout: milliseconds(ownerIdleTimeout),
		}); err != nil {
			return err
		}
		if err := work(tx); err != nil {
			return err
		}
		if snapshot {
			return nil
		}
		if err := dbsqlc.New(tx).SessionWriteToLog(ctx); err != nil {
			return err
		}
		if err := commitOwner(ctx, conns[0]); err != nil {
			return problem.Wrap(err, problem.OutcomeUnknown,
				"The database didn't confirm the commit.").Retry(time.Second)
		}
		return nil
	})
	var known *problem.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return fmt.Errorf("%s: %w", doing, err)
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", doing, ctx.Err())
	case StateOf(err) == "" && !errors.Is(err, pgx.ErrNoRows):
		return Unavailable(fmt.Errorf("%s: %w", doing, err))
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// commitOwner sends COMMIT in a batch, as Commit does.
func commitOwner(ctx context.Context, conn *pgx.Conn) error {
	takeWarning(conn)
	b := new(pgx.Batch)
	b.Queue("commit")
	if err := conn.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	if warning := takeWarning(conn); warning != nil {
		return &warnedError{warning}
	}
	return nil
}
