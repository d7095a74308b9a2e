package strategies

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrTaken says that the slot is sold. It is a right answer and no failure.
var ErrTaken = errors.New("strategies: the slot is taken")

// Statements of the plain strategies. They are sent one by one, each a round trip.
const (
	beginReadCommitted = "BEGIN ISOLATION LEVEL READ COMMITTED"
	beginSerializable  = "BEGIN ISOLATION LEVEL SERIALIZABLE"

	checkSQL = `SELECT coalesce(max(upper(units)), 1) FROM claims WHERE tenant_id = $1 AND resource_id = $2
		AND busy_from >= $3 AND busy_from < $4 AND busy_until > $5`
	bookingSQL = `WITH claim AS (
			INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until) VALUES ($1, $2, 1, $4, $9, $7, $8)
		)
		INSERT INTO bookings (tenant_id, booking_id, service_id, resource_id, customer_id, status, date, starts_at,
		ends_at, time_zone, party_size, busy_from, busy_until, price, deposit, currency, details, code, version, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, 'confirmed', $6, $7, $8, 'UTC', 1, $7, $8, 0, 0, 'EUR', '{}', left(md5($2::text), 12), 1, now(), now())`
	// The record of the change and the stored response that points at it, in one round trip.
	keySQL = `WITH recorded AS (
			INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
			VALUES ($1, $5, 'booking.created', 'booking', $6, 1, false, now(), $7)
		)
		INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, change_subject_id, change_version, created_at,
			expires_at)
		VALUES ($1, $2, $3, 201, $4, '"1"', $6, 1, now(), now() + interval '30 days')`
)

// body is as long as a booking is that Holdfast returns and tells of.
var body = []byte(`"` + strings.Repeat(" ", 598) + `"`)

// transaction is one try of a plain strategy.
type transaction struct {
	conn *pgxpool.Conn
	Order
}

// step is what a strategy does between BEGIN and the check.
type step func(ctx context.Context, tx transaction) error

// book runs BEGIN, the strategy's own steps, the check, the two inserts and COMMIT, again if it fails with one of the
// given SQLSTATEs.
func (f *Fixture) book(ctx context.Context, o Order, begin string, again []string, steps ...step) error {
	return retry(ctx, func() error { return f.bookOnce(ctx, o, begin, steps) }, again...)
}

func (f *Fixture) bookOnce(ctx context.Context, o Order, begin string, steps []step) error {
	conn, err := f.plain.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	milliseconds := strconv.FormatInt(giveUp.Milliseconds(), 10)
	err = conn.Conn().PgConn().Exec(ctx,
		begin+"; SET LOCAL ROLE holdfast_app; SET LOCAL statement_timeout = "+milliseconds+"; "+
			"SET LOCAL holdfast.tenant_id = '"+o.ID().String()+"'").Close()
	if err != nil {
		return err
	}
	if err := writeBooking(ctx, transaction{conn, o}, steps); err != nil {
		_, _ = conn.Exec(ctx, "ROLLBACK")
		return err
	}
	_, err = conn.Exec(ctx, "COMMIT")
	return err
}

func writeBooking(ctx context.Context, tx transaction, steps []step) error {
	for _, s := range steps {
		if err := s(ctx, tx); err != nil {
			return err
		}
	}
	var unit int
	if err := tx.conn.QueryRow(ctx, checkSQL, tx.ID(), tx.ID(), tx.Start.Add(-tx.length()), tx.End(),
		tx.Start).Scan(&unit); err != nil {
		return err
	}
	if unit > tx.Capacity {
		return ErrTaken
	}
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	units := pgtype.Multirange[pgtype.Range[pgtype.Int4]]{{
		Lower: pgtype.Int4{Int32: int32(unit), Valid: true}, Upper: pgtype.Int4{Int32: int32(unit + 1), Valid: true},
		LowerType: pgtype.Inclusive, UpperType: pgtype.Exclusive, Valid: true,
	}}
	if _, err := tx.conn.Exec(ctx, bookingSQL, tx.ID(), id, tx.ID(), tx.ID(), tx.ID(),
		tx.Start.Format(time.DateOnly), tx.Start, tx.End(), units); err != nil {
		return err
	}
	change, err := uuid.NewV7()
	if err != nil {
		return err
	}
	_, err = tx.conn.Exec(ctx, keySQL, tx.ID(), uuid.NewString(), make([]byte, 32), "/v1/bookings/"+id.String(), change,
		id,
		json.RawMessage(body))
	return err
}

// giveUp is when a plain strategy gives an order up. Without an end, rivals that wait for each other's rows go on for
// minutes: PostgreSQL finds one deadlock a second, and whom it ends tries again.
const giveUp = 2 * time.Second

// ErrGaveUp says that an order was neither filled nor refused in time. Who ordered would be told to come back later.
var ErrGaveUp = errors.New("strategies: the order took too long")

// retry runs book again for as long as it fails with one of the given SQLSTATEs, after a pause that grows to some
// milliseconds.
func retry(ctx context.Context, book func() error, states ...string) error {
	began := time.Now()
	for n := 1; ; n++ {
		err := book()
		var refused *pgconn.PgError
		switch {
		case !errors.As(err, &refused):
			return err
		case refused.Code == stateLockTimeout, refused.Code == stateStatementTimeout:
			return ErrGaveUp
		case !slices.Contains(states, refused.Code):
			return err
		case time.Since(began) > giveUp:
			return ErrGaveUp
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(time.Duration(min(n, 10)) * time.Millisecond)):
		}
	}
}
