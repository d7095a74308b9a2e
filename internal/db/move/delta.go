package move

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/internal/db"
	"holdfast/internal/db/internal/dbsqlc"
)

// writtenSince is the condition that a row of the source was written by transaction $2 or by one that began later. A
// row that is more than two billion transactions old may seem to be one of them: it is sent again.
const writtenSince = "age(xmin) <= age($2::text::xid)"

// delta is by what the rows of one table differ from those that were copied.
type delta struct {
	movedTable

	columns []dbsqlc.MoveColumnsRow
	// keys are the columns of the primary key.
	keys []dbsqlc.MoveColumnsRow
	// written are the keys of rows that were written since the snapshot, vanished those of rows that only the target
	// has, and missing those of rows that were copied, and that the target deleted for their age.
	written, vanished, missing *rowBatch
	// sourceRows is how many rows the source has, and copiedRows how many the target had before.
	sourceRows, copiedRows int64
}

// bringUpToDate gives a copy the rows that its source has now.
func bringUpToDate(ctx context.Context, source, target pgx.Tx, tenant uuid.UUID, c copied) (rows int64, err error) {
	deltas := make([]delta, len(movedTables))
	for i, t := range movedTables {
		if deltas[i], err = t.compare(ctx, source, target, tenant, c); err != nil {
			return 0, fmt.Errorf("compare %s: %w", t.Name, err)
		}
	}
	for _, d := range deltas {
		if err := d.makeWay(ctx, target); err != nil {
			return 0, fmt.Errorf("change %s: %w", d.Name, err)
		}
	}
	for _, d := range slices.Backward(deltas) {
		if err := d.delete(ctx, target); err != nil {
			return 0, fmt.Errorf("delete from %s: %w", d.Name, err)
		}
	}
	for _, d := range deltas {
		inserted, err := d.write(ctx, source, target, tenant, c)
		if err != nil {
			return rows, fmt.Errorf("write %s: %w", d.Name, err)
		}
		if is := d.copiedRows - int64(d.vanished.rows) + inserted; is != d.sourceRows {
			return rows, fmt.Errorf("the target has %d rows of %s, the source %d", is, d.Name, d.sourceRows)
		}
		rows += int64(d.written.rows + d.missing.rows + d.vanished.rows)
	}
	return rows, nil
}

// compare finds by what a table's rows differ from those that were copied. Rows that were not written since are the
// same on both sides if they are as many and the digests of their keys are the same; otherwise all keys are read.
func (t movedTable) compare(ctx context.Context, source, target pgx.Tx, tenant uuid.UUID, c copied,
) (d delta, err error) {
	d = delta{movedTable: t}
	if d.columns, err = t.columns(ctx, source); err != nil {
		return d, err
	}
	d.keys = keysOf(d.columns)
	d.written, d.vanished, d.missing = newRowBatch(len(d.keys)), newRowBatch(len(d.keys)), newRowBatch(len(d.keys))
	sourceKeys := t.values(d.keys, c.base)
	// Of the source those that weren't written since, of the target all, and those of them that were written since.
	var inSource, inTarget, rewritten digest
	written := db.Convert(sourceKeys, func(k string) string {
		return "coalesce(array_agg(" + k + ") FILTER (WHERE written), '{}')"
	})
	into := []any{&inSource.rows, &inSource.keys}
	for i := range d.written.columns {
		into = append(into, &d.written.columns[i])
	}
	err = source.QueryRow(ctx, "SELECT count(*) FILTER (WHERE NOT written), "+
		"coalesce(bit_xor("+d.hash(sourceKeys)+") FILTER (WHERE NOT written), 0), "+strings.Join(written, ", ")+
		" FROM (SELECT *, "+writtenSince+" AS written FROM "+quoted(t.Name)+" WHERE tenant_id = $1) x",
		tenant, c.since32()).Scan(into...)
	if err != nil {
		return d, err
	}
	d.written.rows = len(d.written.columns[0])
	digestOf := "SELECT count(*), coalesce(bit_xor(" + d.hash(d.ownKeys("x")) + "), 0) FROM "
	err = target.QueryRow(ctx, digestOf+quoted(t.Name)+" x WHERE x.tenant_id = $1", tenant).
		Scan(&inTarget.rows, &inTarget.keys)
	if err != nil {
		return d, err
	}
	if d.written.rows > 0 {
		err = target.QueryRow(ctx, digestOf+givenRows(d.keys)+" JOIN "+quoted(t.Name)+" x ON "+
			matching(d.keys), d.written.args()...).Scan(&rewritten.rows, &rewritten.keys)
		if err != nil {
			return d, err
		}
	}
	d.sourceRows, d.copiedRows = inSource.rows+int64(d.written.rows), inTarget.rows
	if inSource != (digest{rows: inTarget.rows - rewritten.rows, keys: inTarget.keys ^ rewritten.keys}) {
		err = d.readKeys(ctx, source, target, tenant, c)
	}
	return d, err
}

// keysOf returns those columns that are the primary key.
func keysOf(columns []dbsqlc.MoveColumnsRow) (keys []dbsqlc.MoveColumnsRow) {
	for _, c := range columns {
		if c.InKey {
			keys = append(keys, c)
		}
	}
	return keys
}

// digest tells two sets of keys apart.
type digest struct {
	rows, keys int64
}

// hash is an expression for the hash of a key whose columns are given as texts.
func (d *delta) hash(keys []string) string {
	values := make([]string, len(keys))
	for i, k := range keys {
		values[i] = strings.TrimSuffix(k, "::text") + "::" + d.keys[i].Type
	}
	return "hash_record_extended(ROW(" + strings.Join(values, ", ") + "), 0)"
}

// ownKeys are the key's columns in the target, as texts.
func (d *delta) ownKeys(row string) []string {
	return db.Convert(d.keys, func(c dbsqlc.MoveColumnsRow) string { return row + "." + quoted(c.Name) + "::text" })
}

// since32 is the id of the transaction as rows have it.
func (c copied) since32() string { return strconv.FormatUint(uint64(c.since)&(1<<32-1), 10) }

// readKeys reads the keys of both sides in one order, and finds the vanished and the missing.
func (d *delta) readKeys(ctx context.Context, source, target pgx.Tx, tenant uuid.UUID, c copied) error {
	written := make(map[string]bool, d.written.rows)
	for i := range d.written.rows {
		written[d.written.key(i)] = true
	}
	sorted := func(keys []string) (query string) {
		order := db.Convert(keys, func(k string) string { return k + ` COLLATE "C"` })
		return "SELECT " + strings.Join(keys, ", ") + " FROM " + quoted(d.Name) +
			" x WHERE tenant_id = $1 AND %s ORDER BY " +
			strings.Join(order, ", ")
	}
	sourceRows, err := source.Query(ctx, fmt.Sprintf(sorted(d.values(d.keys, c.base)), "NOT "+writtenSince), tenant,
		c.since32())
	if err != nil {
		return err
	}
	defer sourceRows.Close()
	targetRows, err := target.Query(ctx, fmt.Sprintf(sorted(d.ownKeys("x")), "true"), tenant)
	if err != nil {
		return err
	}
	defer targetRows.Close()
	sourceMore, targetMore := sourceRows.Next(), targetRows.Next()
	for sourceMore || targetMore {
		order := -1
		switch {
		case !sourceMore:
			order = 1
		case targetMore:
			order = slices.CompareFunc(sourceRows.RawValues(), targetRows.RawValues(), bytes.Compare)
		}
		if order < 0 {
			d.missing.add(sourceRows.RawValues())
		} else if order > 0 && !written[keyText(targetRows.RawValues())] {
			d.vanished.add(targetRows.RawValues())
		}
		if order <= 0 {
			sourceMore = sourceRows.Next()
		}
		if order >= 0 {
			targetMore = targetRows.Next()
		}
	}
	if err := sourceRows.Err(); err != nil {
		return err
	}
	return targetRows.Err()
}

// keyText makes one text of a key. No value of a key has a zero byte.
func keyText(key [][]byte) string { return string(bytes.Join(key, []byte{0})) }

// makeWay moves rows that will be written out of the way of others that exclude them.
func (d *delta) makeWay(ctx context.Context, target pgx.Tx) error {
	if d.Vacate == "" || d.written.rows == 0 {
		return nil
	}
	_, err := target.Exec(ctx, "UPDATE "+quoted(d.Name)+" AS x SET "+d.Vacate+" FROM "+givenRows(d.keys)+" WHERE "+
		matching(d.keys),
		d.written.args()...)
	return err
}

// delete deletes rows that vanished in the source.
func (d *delta) delete(ctx context.Context, target pgx.Tx) error {
	if d.vanished.rows == 0 {
		return nil
	}
	_, err := target.Exec(ctx, "DELETE FROM "+quoted(d.Name)+" AS x USING "+givenRows(d.keys)+" WHERE "+
		matching(d.keys), d.vanished.args()...)
	return err
}

// write writes the rows that were written since, and those that are missing. It returns how many of them are new.
func (d *delta) write(ctx context.Context, source, target pgx.Tx, tenant uuid.UUID, c copied,
) (inserted int64, err error) {
	if d.written.rows > 0 {
		if inserted, err = d.writeRows(ctx, source, target, c, writtenSince, tenant, c.since32()); err != nil {
			return inserted, err
		}
	}
	if d.missing.rows == 0 {
		return inserted, nil
	}
	var arrays []string
	for i := range d.keys {
		arrays = append(arrays, fmt.Sprintf("$%d::text[]", i+2))
	}
	among := "(" + strings.Join(d.values(d.keys, c.base), ", ") + ") IN (SELECT * FROM unnest(" + strings.Join(arrays,
		", ") + "))"
	n, err := d.writeRows(ctx, source, target, c, among, append([]any{tenant}, d.missing.args()...)...)
	return inserted + n, err
}

func (d *delta) writeRows(
	ctx context.Context, source, target pgx.Tx, c copied, condition string, args ...any,
) (inserted int64, err error) {
	update := d.updateSQL(d.columns)
	insert := d.insertSQL(d.columns) + " ON CONFLICT (" + strings.Join(names(d.keys), ", ") + ") DO NOTHING"
	// First what is there: a new row may need its place, as the next attempt of a payment does. Rows that made way need
	// no place, and may name new ones.
	statements := []string{update, insert}
	if d.Vacate != "" {
		statements = []string{insert, update}
	}
	read, err := d.read(ctx, source, d.columns, c.base, condition, args...)
	if err != nil {
		return 0, err
	}
	for n := int64(readAtOnce); n == readAtOnce; {
		n, err = read.fetch(ctx, readAtOnce, func(b *rowBatch) error {
			for _, sql := range statements {
				if sql == "" {
					continue
				}
				tag, err := target.Exec(ctx, sql, b.args()...)
				if err != nil {
					return err
				}
				if tag.Insert() {
					inserted += tag.RowsAffected()
				}
			}
			return nil
		})
		if err != nil {
			return inserted, err
		}
	}
	return inserted, read.close(ctx)
}
