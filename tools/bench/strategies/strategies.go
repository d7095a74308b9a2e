package strategies

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/idempotency"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// Strategy is one way to make a booking. Book returns ErrTaken when the slot is sold, and ErrGaveUp when that took too
// long to find out.
type Strategy struct {
	Name string
	Book func(context.Context, Order) error
}

// SQLSTATEs, of which the first three ask for another try.
const (
	stateSerialization    = "40001"
	stateDeadlock         = "40P01"
	stateExclusion        = "23P01"
	stateLockTimeout      = "55P03"
	stateStatementTimeout = "57014"
)

// Holdfast is what is shipped, called in this process.
func (f *Fixture) Holdfast() Strategy {
	return Strategy{"Holdfast", func(ctx context.Context, o Order) error {
		_, err := f.Request(ctx, o, uuid.NewString())
		return err
	}}
}

// Request books under an idempotency key and returns the answer, or that of the request that had the key before.
func (f *Fixture) Request(ctx context.Context, o Order, key string) (idempotency.Outcome, error) {
	start := o.Start.Format(time.RFC3339)
	r, err := idempotency.NewRequest([]string{key}, http.MethodPost, "/v1/bookings", []byte(start))
	if err != nil {
		return idempotency.Outcome{}, err
	}
	resp, err := f.Bookings.Create(ctx, o.Tenant, r, booking.CreateRequest{
		ServiceID: o.ID(), When: timetable.When{StartsAt: &start}, PartySize: 1,
		Customer: &customer.Customer{Email: CustomerEmail, Name: "Ada Lovelace"},
	})
	switch {
	case problem.Is(err, problem.SlotUnavailable):
		return resp, ErrTaken
	case problem.Is(err, problem.LockTimeout):
		return resp, ErrGaveUp
	}
	return resp, err
}

// SixTrips takes an advisory lock and sends each statement by itself: BEGIN, lock, check, booking, key and
// event, COMMIT.
func (f *Fixture) SixTrips() Strategy {
	return Strategy{"advisory lock", func(ctx context.Context, o Order) error {
		return f.book(ctx, o, beginReadCommitted, nil, takeLock)
	}}
}

// NineTrips is SixTrips with what Holdfast also reads: the stored answer, the service's rules and the customer.
func (f *Fixture) NineTrips() Strategy {
	return Strategy{"advisory lock, all reads", func(ctx context.Context, o Order) error {
		return f.book(ctx, o, beginReadCommitted, nil, takeLock, readAnswer, readService, readCustomer)
	}}
}

// RowLock locks a row of the date, which it makes if there is none: seven trips.
func (f *Fixture) RowLock() Strategy {
	return Strategy{"row lock", func(ctx context.Context, o Order) error {
		return f.book(ctx, o, beginReadCommitted, nil, makeDay, lockDay)
	}}
}

// Serializable takes no lock, and tries again when PostgreSQL finds that transactions depend on each other.
func (f *Fixture) Serializable() Strategy {
	return Strategy{"SERIALIZABLE", func(ctx context.Context, o Order) error {
		return f.book(ctx, o, beginSerializable, []string{stateSerialization, stateDeadlock, stateExclusion})
	}}
}

// Constraint takes no lock. The exclusion constraint refuses a unit that somebody else took in the meantime, and the
// next try looks for another.
func (f *Fixture) Constraint() Strategy {
	return Strategy{"constraint alone", func(ctx context.Context, o Order) error {
		return f.book(ctx, o, beginReadCommitted, []string{stateExclusion, stateDeadlock})
	}}
}

// Baseline is one call of a server-side function that does the statements of Holdfast. It is called here over pgx;
// pgbench calls it with less effort.
func (f *Fixture) Baseline() Strategy {
	return Strategy{"baseline", func(ctx context.Context, o Order) error {
		keys, err := dateKeys(o)
		if err != nil {
			return err
		}
		var booked bool
		err = f.plain.QueryRow(ctx, "SELECT bench_book($1, $2, $3, $4, $5)", keys.Keys()[0].ID(), o.ID(), o.Start,
			o.End(), o.Capacity).
			Scan(&booked)
		if err == nil && !booked {
			return ErrTaken
		}
		return err
	}}
}

func dateKeys(o Order) (lock.DateKeys, error) {
	y, m, d := o.Start.Date()
	keys, err := lock.Dates(o.ID(), lock.Date{Year: y, Month: m, Day: d})
	if err != nil {
		return keys, fmt.Errorf("name the lock: %w", err)
	}
	return keys, nil
}

func takeLock(ctx context.Context, tx transaction) error {
	keys, err := dateKeys(tx.Order)
	if err != nil {
		return err
	}
	_, err = tx.conn.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", keys.Keys()[0].ID())
	return err
}

func makeDay(ctx context.Context, tx transaction) error {
	_, err := tx.conn.Exec(ctx, "INSERT INTO bench_days (tenant_id, day) VALUES ($1, $2) ON CONFLICT DO NOTHING",
		tx.ID(), tx.Start.Format(time.DateOnly))
	return err
}

func lockDay(ctx context.Context, tx transaction) error {
	_, err := tx.conn.Exec(ctx, "SELECT day FROM bench_days WHERE tenant_id = $1 AND day = $2 FOR UPDATE",
		tx.ID(), tx.Start.Format(time.DateOnly))
	return err
}

func readAnswer(ctx context.Context, tx transaction) error {
	_, err := tx.conn.Exec(ctx, "SELECT k.fingerprint, k.status, k.location, k.etag, k.body, c.data, k.expires_at "+
		"FROM idempotency_keys k LEFT JOIN changes c ON c.tenant_id = k.tenant_id AND c.subject_id = k.change_subject_id "+
		"AND c.version = k.change_version AND NOT c.notice WHERE k.tenant_id = $1 AND k.key = $2", tx.ID(),
		uuid.NewString())
	return err
}

func readService(ctx context.Context, tx transaction) error {
	_, err := tx.conn.Exec(ctx, "SELECT s.spec, r.capacity, r.hours FROM services s "+
		"JOIN resources r ON r.tenant_id = s.tenant_id AND r.resource_id = $2 "+
		"WHERE s.tenant_id = $1 AND s.service_id = $2", tx.ID(), tx.ID())
	return err
}

func readCustomer(ctx context.Context, tx transaction) error {
	_, err := tx.conn.Exec(ctx,
		"SELECT customer_id, name, phone, time_zone, birthday FROM customers WHERE tenant_id = $1 AND email = $2",
		tx.ID(), CustomerEmail)
	return err
}
