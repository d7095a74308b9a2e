package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/postgres"
)

// Database is a durable PostgreSQL of the run's own. It is started again when it ends.
type Database struct {
	// Name is that of its cell, empty without cells.
	Name string

	server     *postgres.Server // nil with a standby
	dir        string
	replicated *replicated // nil without a standby
}

func startDatabase(ctx context.Context, dir string, cfg DatabaseConfig) (*Database, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o711); err != nil {
		return nil, fmt.Errorf("make the databases' directory: %w", err)
	}
	if cfg.Standby {
		return startReplicated(ctx, dir, cfg.Cell)
	}
	server, err := postgres.Start(ctx, postgres.Config{
		Dir: dir, Logger: slog.New(slog.DiscardHandler),
		Settings: map[string]string{"max_connections": "120", "shared_buffers": "32MB", "max_wal_size": "256MB"},
	})
	if err != nil {
		return nil, err
	}
	return &Database{Name: cfg.Cell, server: server, dir: dir}, nil
}

// URL reaches the database as its superuser, past all proxies and poolers.
func (d *Database) URL() string {
	if d.replicated != nil {
		return d.replicated.url()
	}
	return d.server.URL()
}

// Crash shuts PostgreSQL down immediately, as if its machine had lost power but for the operating system's cache. It
// recovers when its supervisor starts it again, at once.
func (d *Database) Crash() error {
	pid, err := d.postmaster()
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("crash the database: %w", err)
	}
	return nil
}

func (d *Database) postmaster() (int, error) {
	files, err := filepath.Glob(filepath.Join(d.dir, "data-*", "postmaster.pid"))
	if err != nil || len(files) != 1 {
		return 0, fmt.Errorf("look for the database's process: %d files: %w", len(files), err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		return 0, fmt.Errorf("look for the database's process: %w", err)
	}
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		return 0, fmt.Errorf("look for the database's process: %w", err)
	}
	return pid, nil
}

// Terminate ends a share of the database's sessions, those of the torture run aside, and returns how many there were.
// Which ones is the database's choice.
func (d *Database) Terminate(ctx context.Context, share float64) (int, error) {
	return query[int](ctx, d, `SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND random() < $1`, share)
}

// Open is what has no end yet.
type Open struct {
	// Payments are those, refunds included, that were begun and of which nobody knows what came of them.
	Payments int
	// Keys are idempotency keys whose request has no stored answer.
	Keys int
	// Holds are past their expiry and not marked as expired.
	Holds int
	// Ended are bookings that ended and whose payments need work.
	Ended int
	// Events are scheduled events that are due or with a worker.
	Events int
	// Deliveries are webhooks that weren't accepted yet, and changes for which none is planned yet.
	Deliveries int
	// Moves are tenants that are moving to another cell.
	Moves int
}

// add adds what has no end in another database.
func (o Open) add(other Open) Open {
	return Open{
		Payments:   o.Payments + other.Payments,
		Keys:       o.Keys + other.Keys,
		Holds:      o.Holds + other.Holds,
		Ended:      o.Ended + other.Ended,
		Events:     o.Events + other.Events,
		Deliveries: o.Deliveries + other.Deliveries,
		Moves:      o.Moves + other.Moves,
	}
}

// String lists the counts.
func (o Open) String() string {
	return fmt.Sprintf("%d payments, %d idempotency keys, %d holds, %d ended bookings, %d scheduled events, %d deliveries, %d moves",
		o.Payments, o.Keys, o.Holds, o.Ended, o.Events, o.Deliveries, o.Moves)
}

// Open counts what has no end yet in all databases.
func (c *Cluster) Open(ctx context.Context) (sum Open, err error) {
	for _, d := range c.Databases {
		o, err := d.open(ctx)
		if err != nil {
			return sum, err
		}
		sum = sum.add(o)
	}
	return sum, nil
}

func (d *Database) open(ctx context.Context) (Open, error) {
	var o Open
	err := d.with(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT (SELECT count(*) FROM payments WHERE resolve_at IS NOT NULL),
			(SELECT count(*) FROM idempotency_keys WHERE status IS NULL),
			(SELECT count(*) FROM bookings WHERE status = 'held' AND hold_expires_at <= now()),
			(SELECT count(*) FROM ended_bookings),
			(SELECT count(*) FROM scheduled_events WHERE status = 'processing' OR status IN ('pending', 'failed') AND due_at <= now()),
			(SELECT count(*) FROM scheduled_events WHERE kind = 'webhook.delivery' AND status IN ('pending', 'processing', 'failed')) +
			(SELECT count(*) FROM changes o JOIN feed_positions p ON p.reader = 'relay'
				WHERE (o.transaction_id, o.change_id) > (p.transaction_id, p.change_id) AND EXISTS (SELECT FROM webhook_endpoints)),
			(SELECT count(*) FROM cell_directory WHERE move_id IS NOT NULL)`).
			Scan(&o.Payments, &o.Keys, &o.Holds, &o.Ended, &o.Events, &o.Deliveries, &o.Moves)
	})
	return o, err
}

// Changes counts the changes in all databases.
func (c *Cluster) Changes(ctx context.Context) (sum int64, err error) {
	for _, d := range c.Databases {
		n, err := query[int64](ctx, d, "SELECT count(*) FROM changes")
		if err != nil {
			return sum, err
		}
		sum += n
	}
	return sum, nil
}

// HurryWebhooks has webhooks that failed be sent again at once. The pause after a second attempt is longer than a run.
func (c *Cluster) HurryWebhooks(ctx context.Context) error {
	for _, d := range c.Databases {
		if err := d.with(ctx, func(conn *pgx.Conn) error {
			_, err := conn.Exec(ctx,
				`UPDATE scheduled_events SET due_at = now() WHERE kind = 'webhook.delivery' AND status = 'failed' AND due_at > now()`)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// Place is where the directory says that a tenant is.
type Place struct{ Tenant, Cell string }

// Places reads the directory of the cells, in the order of the tenants' slugs.
func (c *Cluster) Places(ctx context.Context) (places []Place, err error) {
	err = c.Databases[0].with(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "SELECT tenant_id::text AS tenant, cell FROM cell_directory ORDER BY slug")
		if err != nil {
			return err
		}
		places, err = pgx.CollectRows(rows, pgx.RowToStructByName[Place])
		return err
	})
	return places, err
}

// Reachable reports whether the database answers.
func (d *Database) Reachable(ctx context.Context) bool {
	_, err := query[int](ctx, d, "SELECT 1")
	return err == nil
}

func query[T any](ctx context.Context, d *Database, sql string, args ...any) (value T, err error) {
	err = d.with(ctx, func(conn *pgx.Conn) error { return conn.QueryRow(ctx, sql, args...).Scan(&value) })
	return value, err
}

func (d *Database) with(ctx context.Context, use func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, d.URL())
	if err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if err := use(conn); err != nil {
		return fmt.Errorf("ask the database: %w", err)
	}
	return nil
}

func (d *Database) stop() error {
	if d.replicated != nil {
		d.replicated.replicas.Close()
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return d.server.Stop(ctx)
}
