// Package strategies has the strategies for making a booking that the benchmark compares: Holdfast's own, those that a
// team would otherwise choose, and a baseline, which does the work in the database alone. All of them write the same
// rows to the same tables, under the same constraints, foreign keys and row-level security.
//
// The other strategies run their own SQL and take the calendar's lock themselves. They are compared with
// internal/db, so they can't go through it. No server has them.
package strategies

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	pgxuuid "github.com/vgarvardt/pgx-google-uuid/v5"

	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/db/preflight"
	"holdfast/internal/httpapi/answers"
	"holdfast/internal/tenant"
)

// Config describes a fixture.
type Config struct {
	// URL is the connection string of an empty database, for its superuser.
	URL string
	// Conns bounds each of the two pools, Holdfast's and that of the other strategies.
	Conns int
	// Uncontended and Contended are how many sellers of each kind there are.
	Uncontended, Contended int
	// Bookings is how many bookings each uncontended seller has over Days dates before anything is measured. Contended
	// ones have ten a day on the 90 days from CalendarDay on.
	Bookings int
	// Payable is how many bookings of uncontended sellers cost something and are unpaid. They have the ids ID(1) and so
	// on; the n-th is that of the uncontended seller n modulo their number.
	Payable int
}

// Days is over how many dates bookings spread where they spread.
const Days = 365

// CalendarDay is the first of the days on which contended sellers have bookings from the start.
const CalendarDay = 2000

// CustomerEmail is the address of the customer that every seller has.
const CustomerEmail = "bench@example.com"

// Fixture is a database with sellers, and the pools that the strategies reach it by.
type Fixture struct {
	// Store and Bookings are Holdfast in this process.
	Store    *db.DB
	Bookings *booking.Service
	// Tenants issues the keys for calling it through HTTP.
	Tenants *tenant.Service
	// Uncontended sell minutes of a resource with a thousand units: they are never sold out. Contended sell hours of a
	// resource that has one unit.
	Uncontended, Contended []Seller

	first time.Time
	plain *pgxpool.Pool
	cfg   Config
}

// Seller is a tenant with one service, one resource and one customer, whose ids all are the tenant's.
type Seller struct {
	Number   int // from 1; uncontended sellers come first
	Tenant   tenant.Tenant
	Minutes  int // that a slot takes
	Capacity int
}

// ID is the id of the tenant and of all that it has.
func (s *Seller) ID() uuid.UUID { return s.Tenant.ID }

// Order asks for one slot.
type Order struct {
	*Seller
	// Start is the slot's beginning, in UTC, as all times of sellers.
	Start time.Time
}

// End is when the slot ends.
func (o Order) End() time.Time { return o.Start.Add(o.length()) }

func (o Order) length() time.Duration { return time.Duration(o.Minutes) * time.Minute }

// FixtureSQL makes the function bench_fill in a database of today's schema.
//
//go:embed fixture.sql
var FixtureSQL string

//go:embed baseline.sql
var baselineSQL string

// New migrates the database, fills it and opens the pools. Close closes them.
func New(ctx context.Context, cfg Config) (*Fixture, error) {
	if err := preflight.Migrate(ctx, cfg.URL, nil); err != nil {
		return nil, err
	}
	f := &Fixture{cfg: cfg, first: time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 30)}
	for n := range cfg.Uncontended + cfg.Contended {
		s := Seller{Number: n + 1, Minutes: 1, Capacity: 1000}
		if n >= cfg.Uncontended {
			s.Minutes, s.Capacity = 60, 1
		}
		s.Tenant = tenant.Tenant{
			ID: ID(n + 1), Slug: fmt.Sprintf("seller-%d", n+1), Name: "Seller", Location: time.UTC, Currency: "EUR",
		}
		if n < cfg.Uncontended {
			f.Uncontended = append(f.Uncontended, s)
		} else {
			f.Contended = append(f.Contended, s)
		}
	}
	if err := f.Fill(ctx, cfg.URL, FixtureSQL+baselineSQL); err != nil {
		return nil, err
	}
	var err error
	if f.Store, err = db.Open(ctx, db.Config{
		URL: cfg.URL, MaxConns: cfg.Conns, Answers: answers.Answers{},
	}); err != nil {
		return nil, err
	}
	f.Bookings, f.Tenants = booking.NewService(f.Store), tenant.NewService(f.Store)
	pc, err := pgxpool.ParseConfig(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	// Connections that end would take the time that they spent with them.
	pc.MaxConns, pc.MinConns, pc.MaxConnIdleTime = int32(cfg.Conns), int32(cfg.Conns), 24*time.Hour
	pc.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		pgxuuid.Register(conn.TypeMap())
		return nil
	}
	if f.plain, err = pgxpool.NewWithConfig(ctx, pc); err != nil {
		return nil, fmt.Errorf("open the connection pool: %w", err)
	}
	return f, nil
}

// Close closes the pools.
func (f *Fixture) Close() {
	f.plain.Close()
	f.Store.Close()
}

// ID is an id made of a number, so that a pgbench script can make it too.
func ID(n int) uuid.UUID {
	id := uuid.UUID{6: 0x70, 8: 0x80}
	binary.BigEndian.PutUint32(id[12:], uint32(n))
	return id
}

// Day returns the beginning of the n-th day, from zero. All days lie in the future, and up to 3,500 can be booked.
func (f *Fixture) Day(n int) time.Time { return f.first.AddDate(0, 0, n) }

// Fill gives a migrated database the fixture's sellers and bookings. sql makes the function bench_fill; it is the
// fixture.sql of the commit whose migrations made the database.
func (f *Fixture) Fill(ctx context.Context, url, sql string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connect to fill the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, sql); err != nil {
		return fmt.Errorf("prepare the database: %w", err)
	}
	if _, err := conn.Exec(ctx, "SELECT bench_fill($1, $2, $3, $4, $5, $6)",
		f.cfg.Uncontended, f.cfg.Contended, f.cfg.Bookings, f.cfg.Payable, f.first, f.Day(CalendarDay)); err != nil {
		return fmt.Errorf("fill the database: %w", err)
	}
	for _, sql := range []string{"VACUUM ANALYZE", "CHECKPOINT"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("tidy the database: %w", err)
		}
	}
	return nil
}
