package move

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"holdfast/internal/db/internal/dbsqlc"
)

// rowReader reads rows of one table from a cursor, so that no statement takes long.
type rowReader struct {
	source  pgx.Tx
	cursor  string // named after its table: pgx remembers the columns of each statement's text
	columns int
}

// read opens a cursor on rows of a tenant, all or those of a condition. The first argument is the tenant.
func (t movedTable) read(
	ctx context.Context, source pgx.Tx, columns []dbsqlc.MoveColumnsRow, base int64, condition string, args ...any,
) (rowReader, error) {
	cursor := quoted("moved_" + t.Name)
	_, err := source.Exec(ctx, "DECLARE "+cursor+" NO SCROLL CURSOR FOR "+t.selectSQL(columns, base, condition),
		args...)
	return rowReader{source: source, cursor: cursor, columns: len(columns)}, err
}

// fetch reads up to so many rows and hands them on in batches. It returns how many it read: fewer are the last.
func (r rowReader) fetch(ctx context.Context, limit int, send func(*rowBatch) error) (n int64, err error) {
	rows, err := r.source.Query(ctx, fmt.Sprintf("FETCH %d FROM %s", limit, r.cursor))
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	batch := newRowBatch(r.columns)
	for rows.Next() {
		n++
		batch.add(rows.RawValues())
		if batch.rows == copiedAtOnce || batch.bytes >= copiedBytesAtOnce {
			if err := send(batch); err != nil {
				return n, err
			}
			batch = newRowBatch(r.columns)
		}
	}
	if err := rows.Err(); err != nil || batch.rows == 0 {
		return n, err
	}
	return n, send(batch)
}

func (r rowReader) close(ctx context.Context) error {
	_, err := r.source.Exec(ctx, "CLOSE "+r.cursor)
	return err
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

// args are the arguments of the statements of movedTable that take rows.
func (b *rowBatch) args() []any {
	args := make([]any, len(b.columns))
	for i, c := range b.columns {
		args[i] = c
	}
	return args
}

// key makes one text of row i, as keyText does.
func (b *rowBatch) key(i int) string {
	values := make([][]byte, len(b.columns))
	for column, c := range b.columns {
		values[column] = []byte(c[i].String)
	}
	return keyText(values)
}
