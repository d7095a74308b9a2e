package core

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/waitqueue"
)

// Config says how a DB reaches and uses its database.
type Config struct {
	// URL is the connection string of a PostgreSQL database, version 14 or later.
	URL string
	// DirectURL leads to the same database without a transaction pooler in between, for session locks. Default URL.
	DirectURL string
	// StandbyURL is the connection string of a standby of the database, which serves reads that may be stale (see
	// AllowStale); empty for none.
	StandbyURL string
	// StandbyTimeout is how long a read waits for the standby before the primary is asked. Default 2 s.
	StandbyTimeout time.Duration
	// Dial reaches the database's address; nil dials it.
	Dial pgconn.DialFunc
	// Tracer watches the statements of the pool's connections; nil watches none. Tests watch the order of locks by it.
	Tracer pgx.QueryTracer
	// MaxConns bounds the pool. Default 16.
	MaxConns int
	// LockTimeout is how long a transaction waits for its locks, in the process and in PostgreSQL together.
	// Default 5 s.
	LockTimeout time.Duration
	// CommitTimeout is how long a transaction waits for its writes and its COMMIT, for example for a synchronous
	// standby, until its outcome is reported as unknown. Default 15 s.
	CommitTimeout time.Duration
	// Answers decides how HTTP answers requests. Nil is for a process that serves no API.
	Answers Answers
	// Metrics receives the metrics of locks, transactions and the pool; nil registers none.
	Metrics prometheus.Registerer
	// Logger receives what isn't returned to a caller; nil discards it.
	Logger *slog.Logger
}

// Log is where goes what isn't returned to a caller.
func (d *DB) Log() *slog.Logger { return d.log }

// permitsPerKey is how many transactions of this process may be in the database for one key. For a lock that is one
// transaction that holds it and one that waits in PostgreSQL, so that the lock passes on without a round trip in
// between. All other transactions wait in the process and hold no connection: a busy date holds a bounded share of the
// pool, and other tenants don't notice.
const permitsPerKey = 2

// DB runs transactions on one database. It is safe for concurrent use.
type DB struct {
	pool          *pgxpool.Pool
	standby       *standby // nil without one
	prepared      *statements
	database      *pgx.ConnConfig
	direct        *pgx.ConnConfig              // database, or around the pooler in front of it
	lockQueues    *waitqueue.Queues[int64]     // by the numbers of locks
	tenantQueues  *waitqueue.Queues[uuid.UUID] // for shared transactions
	metrics       *metrics
	log           *slog.Logger
	lockTimeout   time.Duration
	commitTimeout time.Duration
	background    sync.WaitGroup
	notifier      *notifier
	answers       Answers
	planned       func(tenant uuid.UUID, events []NewEvent) // nil tells nobody
}

// Open connects to the database. It neither migrates nor checks it. planned is called with the events that a
// transaction planned or moved, once it has committed; nil isn't called. It must not block. lockKinds are kinds of
// locks whose timeouts are counted from the start, so that a rate can be taken before the first one.
func Open(ctx context.Context, cfg Config, planned func(tenant uuid.UUID, events []NewEvent), lockKinds ...string,
) (*DB, error) {
	if cfg.LockTimeout <= 0 {
		cfg.LockTimeout = 5 * time.Second
	}
	if cfg.CommitTimeout <= 0 {
		cfg.CommitTimeout = 15 * time.Second
	}
	if cfg.StandbyTimeout <= 0 {
		cfg.StandbyTimeout = 2 * time.Second
	}
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	var direct *pgx.ConnConfig
	if cfg.DirectURL != "" && cfg.DirectURL != cfg.URL {
		var err error
		if direct, err = ParseConfig(cfg.DirectURL); err != nil {
			return nil, fmt.Errorf("read the direct database URL: %w", err)
		}
		if direct.RuntimeParams["application_name"] == "" {
			direct.RuntimeParams["application_name"] = "holdfast"
		}
	}
	pool, prepared, err := openPool(ctx, cfg)
	if err != nil {
		return nil, err
	}
	database := pool.Config().ConnConfig
	d := &DB{
		pool:          pool,
		prepared:      prepared,
		database:      database,
		direct:        cmp.Or(direct, database),
		lockQueues:    waitqueue.New[int64](permitsPerKey),
		tenantQueues:  waitqueue.New[uuid.UUID](permitsPerKey),
		log:           cfg.Logger,
		lockTimeout:   cfg.LockTimeout,
		commitTimeout: cfg.CommitTimeout,
		answers:       cfg.Answers,
		planned:       planned,
	}
	d.notifier = &notifier{pool: pool, background: &d.background, log: cfg.Logger}
	d.metrics = newMetrics(cfg.Metrics, pool)
	if cfg.StandbyURL != "" {
		if d.standby, err = openStandby(ctx, d, cfg); err != nil {
			pool.Close()
			return nil, fmt.Errorf("standby: %w", err)
		}
	}
	registerStaleness(cfg.Metrics, d.standby)
	for _, kind := range append(lockKinds, lockOfTable, lockOfRow, lockOfKey) {
		d.metrics.lockTimeouts.WithLabelValues(kind)
	}
	return d, nil
}

// openPool opens a pool of connections to the database of cfg.URL, and what decides whether they prepare statements.
func openPool(ctx context.Context, cfg Config) (*pgxpool.Pool, *statements, error) {
	pc, err := pgxpool.ParseConfig(cfg.URL)
	if err != nil {
		return nil, nil, fmt.Errorf("read the database URL: %w", err)
	}
	findSchema(pc.ConnConfig)
	pc.MaxConns = 16
	if cfg.MaxConns > 0 {
		pc.MaxConns = int32(min(cfg.MaxConns, 10_000))
	}
	if pc.ConnConfig.RuntimeParams["application_name"] == "" {
		pc.ConnConfig.RuntimeParams["application_name"] = "holdfast"
	}
	if cfg.Dial != nil {
		pc.ConnConfig.DialFunc = cfg.Dial
	}
	pc.ConnConfig.Tracer = cfg.Tracer
	pc.ConnConfig.OnNotice = noteWarning
	pc.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		registerUUID(conn.TypeMap())
		if OnCitus(conn) { // the schema may have moved to a node whose transaction ids are behind
			if err := MendFeed(ctx, conn, cfg.Logger); err != nil {
				return err
			}
		}
		return limitWaits(ctx, conn, cfg.LockTimeout)
	}
	prepared := &statements{
		decided: strings.Contains(cfg.URL, "default_query_exec_mode"), mode: pc.ConnConfig.DefaultQueryExecMode,
		log: cfg.Logger,
	}
	pc.BeforeConnect = func(ctx context.Context, cfg *pgx.ConnConfig) error {
		if err := prepared.apply(ctx, cfg); err != nil {
			return err
		}
		sendNoCancelRequests(cfg)
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, nil, fmt.Errorf("open the connection pool: %w", err)
	}
	return pool, prepared, nil
}

// limitWaits bounds what a connection waits for before a transaction has made its settings: to prepare a statement
// waits for a lock of its tables. Behind a transaction pooler nothing is prepared, and a setting would stay with a
// backend that others use.
func limitWaits(ctx context.Context, conn *pgx.Conn, lockTimeout time.Duration) error {
	if conn.Config().DefaultQueryExecMode != pgx.QueryExecModeCacheStatement {
		return nil
	}
	// Unprepared, in case there is a pooler that nobody has noticed.
	sql := "SET lock_timeout = " + milliseconds(lockTimeout) + "; SET statement_timeout = " +
		milliseconds(lockTimeout+statementTimeout)
	if _, err := conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
		return fmt.Errorf("limit the waits of a connection: %w", err)
	}
	return nil
}

// WaitForBackground returns when nothing is under way in the background: no rollback, and no notification of workers.
func (d *DB) WaitForBackground() { d.background.Wait() }

// Close waits for what is under way in the background and closes the pool.
func (d *DB) Close() {
	if d.standby != nil {
		d.standby.close()
	}
	d.WaitForBackground()
	d.pool.Close()
}

// Ping reports whether the database answers: a problem.Error with problem.DatabaseUnavailable if not.
func (d *DB) Ping(ctx context.Context) error {
	if err := d.pool.Ping(ctx); err != nil {
		return Unavailable(err)
	}
	return nil
}

// CanReadURL reports whether a database URL can be read. It connects to nothing.
func CanReadURL(url string) bool {
	_, err := pgxpool.ParseConfig(url)
	return err == nil
}

// Queries runs statements by themselves, as the login and not as a tenant.
func (d *DB) Queries() *dbsqlc.Queries { return dbsqlc.New(d.pool) }

// ConnConfigs returns how connections to the database are made, and how those around a pooler in front of it are. The
// two are one if there is only one address.
func (d *DB) ConnConfigs() (database, direct *pgx.ConnConfig) { return d.database, d.direct }

// MaxConns returns how many connections the pool has at most.
func (d *DB) MaxConns() int32 { return d.pool.Config().MaxConns }

// StandbyConfig returns how connections to the standby are made; nil without one.
func (d *DB) StandbyConfig() *pgx.ConnConfig {
	if d.standby == nil {
		return nil
	}
	return d.standby.db.pool.Config().ConnConfig
}

// Wake notifies the workers of all instances that events of some kinds are due.
func (d *DB) Wake(kinds ...string) { d.notifier.wake(kinds) }
