package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/internal/problem"
)

const (
	// measuredRows is how many rows are copied for a trial: changes, which are the largest rows, and name no others.
	measuredRows = 20_000
	// fewRows are too few to measure by. assumedPace is then what two ordinary servers copied in a second.
	fewRows     = 2000
	assumedPace = 10_000
)

// MoveEstimate says how long the copy of a tenant would take, which is for how long its requests would be held back.
type MoveEstimate struct {
	// Rows are those of the tenant. Measured are those that were copied for a trial, 0 if there were too few.
	Rows, Measured int64
	// RowsPerSecond is the pace of the trial, or an assumed one.
	RowsPerSecond float64
}

// Pause returns how long the copy would take.
func (e MoveEstimate) Pause() time.Duration {
	return time.Duration(float64(e.Rows) / e.RowsPerSecond * float64(time.Second))
}

// errTrial rolls the trial of a copy back.
var errTrial = errors.New("store: the copy was for a trial")

// EstimateMove counts a tenant's rows and copies some of them to the target for a trial, which is rolled back. It reads all rows of the
// tenant, and locks nothing. Errors: problem.NotFound for a tenant that isn't in the source; problem.DatabaseUnavailable; those of
// CompareCells.
func EstimateMove(ctx context.Context, from, to *Store, tenant uuid.UUID) (e MoveEstimate, err error) {
	if err := CompareCells(ctx, from, to); err != nil {
		return e, err
	}
	err = from.db.AsOwner(ctx, "estimate a move", tenant, true, func(source pgx.Tx) error {
		for _, t := range movedTables {
			var n int64
			if err := source.QueryRow(ctx, "SELECT count(*) FROM "+quoted(t.name)+" WHERE tenant_id = $1", tenant).Scan(&n); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			e.Rows += n
		}
		if e.Rows == 0 {
			return problem.Missing()
		}
		sample := movedTable{name: "changes", computed: map[string]string{"transaction_id": "-4611686018427387904"}, limit: measuredRows}
		err := to.db.AsOwner(ctx, "try a copy", tenant, false, func(target pgx.Tx) error {
			began := time.Now()
			n, err := sample.copyRows(ctx, source, target, tenant)
			if err != nil {
				return err
			}
			e.RowsPerSecond = assumedPace
			if n >= fewRows {
				e.Measured, e.RowsPerSecond = n, float64(n)/time.Since(began).Seconds()
			}
			return errTrial
		})
		if errors.Is(err, errTrial) {
			return nil
		}
		return err
	})
	return e, err
}
