package move

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/internal/cell/tables"
	"holdfast/internal/db"
	"holdfast/internal/problem"
)

const (
	// measuredRows is how many rows are copied for a trial.
	measuredRows = 20_000
	// fewRows are too few to measure by. assumedPace is then what two ordinary servers copied in a second.
	fewRows     = 2000
	assumedPace = 10_000
)

// Estimate says how long the move of a tenant would take.
type Estimate struct {
	// Rows are those of the tenant. Measured are those that were copied for a trial, 0 if there were too few.
	Rows, Measured int64
	// RowsPerSecond is the pace of the trial, or an assumed one.
	RowsPerSecond float64
	// Compared is how long it took to read the keys of all rows in the source.
	Compared time.Duration
}

// Copy returns how long the copy would take, while requests are served.
func (e Estimate) Copy() time.Duration {
	return time.Duration(float64(e.Rows) / e.RowsPerSecond * float64(time.Second))
}

// Pause returns for how long requests would be held back once servers know of the move and transactions have ended:
// while the keys are read in the source and in the target.
func (e Estimate) Pause() time.Duration { return 2 * e.Compared }

// errTrial rolls the trial of a copy back.
var errTrial = errors.New("move: the copy was for a trial")

// Measure counts a tenant's rows and copies some of them to the target for a trial, which is rolled back. It reads all
// rows of the tenant, and locks nothing. Errors: problem.NotFound for a tenant that isn't in the source;
// problem.DatabaseUnavailable; those of Compare.
func Measure(ctx context.Context, from, to *db.DB, tenant uuid.UUID) (e Estimate, err error) {
	if err := Compare(ctx, from, to); err != nil {
		return e, err
	}
	err = asOwner(ctx, from, "estimate a move", tenant, true, func(source pgx.Tx) error {
		began := time.Now()
		for _, t := range movedTables {
			n, err := t.countSince(ctx, source, tenant)
			if err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
			}
			e.Rows += n
		}
		e.Compared = time.Since(began)
		if e.Rows == 0 {
			return problem.Missing()
		}
		// Changes are the largest rows, and name no others.
		sample := movedTable{tables.Table{Name: "changes", Computed: map[string]string{"transaction_id": "$base"}}}
		columns, err := sample.columns(ctx, source)
		if err != nil {
			return err
		}
		err = asOwner(ctx, to, "try a copy", tenant, false, func(target pgx.Tx) error {
			began := time.Now()
			read, err := sample.read(ctx, source, columns, -1<<62, "", tenant)
			if err != nil {
				return err
			}
			insert := sample.insertSQL(columns)
			n, err := read.fetch(ctx, measuredRows, func(b *rowBatch) error {
				_, err := target.Exec(ctx, insert, b.args()...)
				return err
			})
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

// countSince counts a tenant's rows as HandOver reads them: their keys, and by which transaction they were written.
func (t movedTable) countSince(ctx context.Context, source pgx.Tx, tenant uuid.UUID) (n int64, err error) {
	columns, err := t.columns(ctx, source)
	if err != nil {
		return 0, err
	}
	d := delta{movedTable: t, keys: keysOf(columns)}
	err = source.QueryRow(ctx,
		"SELECT count(*), coalesce(max(age(x.xmin)), 0), coalesce(bit_xor("+d.hash(d.ownKeys("x"))+"), 0) FROM "+
			quoted(t.Name)+" x WHERE x.tenant_id = $1", tenant).Scan(&n, new(*int64), new(*int64))
	return n, err
}
