// Package ways has the ways to make a booking that are measured beside each other: Holdfast's own, those that a team would
// otherwise choose, and the floor that the database sets. All of them write the same rows to the same tables, under the same
// constraints, foreign keys and row-level security. It is for benchmarks only.
//
// The other ways run their own SQL and take the calendar's lock themselves: they are what internal/store is compared with, so
// they can't go through it. No server has them.
package ways

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	pgxuuid "github.com/vgarvardt/pgx-google-uuid/v5"

	"holdfast/internal/booking"
	"holdfast/internal/idempotency"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// Config says what a world consists of.
type Config struct {
	// URL is the connection string of an empty database, for its superuser.
	URL string
	// Conns bounds each of the two pools, Holdfast's and that of the other ways.
	Conns int
	// Dial reaches the database's address; nil dials it.
	Dial pgconn.DialFunc
	// Wide and Narrow are how many sellers of each kind there are.
	Wide, Narrow int
	// Bookings is how many bookings each wide seller has over Days dates before anything is measured. Narrow ones have
	// ten a day on the 90 days from CalendarDay on.
	Bookings int
	// Payable is how many bookings of wide sellers cost something and are unpaid. They have the ids ID(1) and so on; the
	// n-th is that of the wide seller n modulo their number.
	Payable int
}

// Days is over how many dates bookings spread where they spread.
const Days = 365

// CalendarDay is the first of the days on which narrow sellers have bookings from the start.
const CalendarDay = 2000

// CustomerEmail is the address of the customer that every seller has.
const CustomerEmail = "bench@example.com"

// World is a database with sellers, and the pools that the ways reach it by.
type World struct {
	// Store, Gate and Bookings are Holdfast in this process.
	Store    *store.Store
	Gate     *idempotency.Gate
	Bookings *booking.Service
	// Tenants issues the keys for calling it through HTTP.
	Tenants *tenant.Service
	// Wide sell minutes of a resource with a thousand units: they are never sold out. Narrow sell hours of a resource
	// that has one unit.
	Wide, Narrow []Seller

	first time.Time
	plain *pgxpool.Pool
	url   string
}

// Seller is a tenant with one service, one resource and one customer, whose ids all are the tenant's.
type Seller struct {
	Number   int // from 1; wide sellers come first
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

//go:embed world.sql
var worldSQL string

//go:embed floor.sql
var floorSQL string

// New migrates the database, fills it and opens the pools. Close closes them.
func New(ctx context.Context, cfg Config) (*World, error) {
	if err := store.Migrate(ctx, cfg.URL, nil); err != nil {
		return nil, err
	}
	w := &World{url: cfg.URL, first: time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 30)}
	for n := range cfg.Wide + cfg.Narrow {
		s := Seller{Number: n + 1, Minutes: 1, Capacity: 1000}
		if n >= cfg.Wide {
			s.Minutes, s.Capacity = 60, 1
		}
		s.Tenant = tenant.Tenant{
			ID: ID(n + 1), Slug: fmt.Sprintf("seller-%d", n+1), Name: "Seller", Location: time.UTC, Currency: "EUR",
		}
		if n < cfg.Wide {
			w.Wide = append(w.Wide, s)
		} else {
			w.Narrow = append(w.Narrow, s)
		}
	}
	if err := w.fill(ctx, cfg); err != nil {
		return nil, err
	}
	var err error
	if w.Store, err = store.Open(ctx, store.Config{URL: cfg.URL, MaxConns: cfg.Conns, Dial: cfg.Dial}); err != nil {
		return nil, err
	}
	w.Gate = idempotency.NewGate(w.Store)
	w.Bookings, w.Tenants = booking.NewService(w.Store, w.Gate), tenant.NewService(w.Store, w.Gate)
	pc, err := pgxpool.ParseConfig(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	// Connections that end would take the time that they spent with them.
	pc.MaxConns, pc.MinConns, pc.MaxConnIdleTime = int32(cfg.Conns), int32(cfg.Conns), 24*time.Hour
	if cfg.Dial != nil {
		pc.ConnConfig.DialFunc = cfg.Dial
	}
	pc.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		pgxuuid.Register(conn.TypeMap())
		return nil
	}
	if w.plain, err = pgxpool.NewWithConfig(ctx, pc); err != nil {
		return nil, fmt.Errorf("open the connection pool: %w", err)
	}
	return w, nil
}

// Close closes the pools.
func (w *World) Close() {
	w.plain.Close()
	w.Store.Close()
}

// ID is an id made of a number, so that a pgbench script can make it too.
func ID(n int) uuid.UUID {
	id := uuid.UUID{6: 0x70, 8: 0x80}
	binary.BigEndian.PutUint32(id[12:], uint32(n))
	return id
}

// Day returns the beginning of the n-th day, from zero. All days lie in the future, and up to 3,500 can be booked.
func (w *World) Day(n int) time.Time { return w.first.AddDate(0, 0, n) }

func (w *World) fill(ctx context.Context, cfg Config) error {
	conn, err := pgx.Connect(ctx, cfg.URL)
	if err != nil {
		return fmt.Errorf("connect to fill the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for _, sql := range []string{worldSQL, floorSQL} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("prepare the database: %w", err)
		}
	}
	if _, err := conn.Exec(ctx, "SELECT bench_fill($1, $2, $3, $4, $5, $6)",
		cfg.Wide, cfg.Narrow, cfg.Bookings, cfg.Payable, w.first, w.Day(CalendarDay)); err != nil {
		return fmt.Errorf("fill the database: %w", err)
	}
	return w.Tidy(ctx)
}

// Tidy does what autovacuum has done in a database that is in use.
func (w *World) Tidy(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, w.url)
	if err != nil {
		return fmt.Errorf("connect to tidy the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for _, sql := range []string{"VACUUM ANALYZE", "CHECKPOINT"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("tidy the database: %w", err)
		}
	}
	return nil
}
