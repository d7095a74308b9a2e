package strategies

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

const calendarSQL = `SELECT resource_id, units, busy_from, busy_until FROM claims WHERE tenant_id = $1 AND resource_id = $2
	AND busy_from >= $3 AND busy_from < $4 ORDER BY busy_from`

// Calendar reads what is booked of a seller's resource on some days, and nothing else: the rows that availability is computed from, by
// plain SQL under row-level security, in one round trip. It returns how many there are.
func (f *Fixture) Calendar(ctx context.Context, s *Seller, from time.Time, days int) (bookings int, err error) {
	var b pgx.Batch
	b.Queue("BEGIN READ ONLY")
	b.Queue("SELECT set_config('role', 'holdfast_app', true), set_config('holdfast.tenant_id', $1, true)", s.ID().String())
	b.Queue(calendarSQL, s.ID(), s.ID(), from, from.AddDate(0, 0, days)).Query(func(rows pgx.Rows) error {
		var resource uuid.UUID
		var units pgtype.Multirange[pgtype.Range[pgtype.Int4]]
		var busyFrom, busyUntil time.Time
		_, err := pgx.ForEachRow(rows, []any{&resource, &units, &busyFrom, &busyUntil}, func() error {
			bookings++
			return nil
		})
		return err
	})
	b.Queue("COMMIT")
	err = f.plain.SendBatch(ctx, &b).Close() // counts
	return bookings, err
}
