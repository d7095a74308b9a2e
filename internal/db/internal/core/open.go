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
	"github.com/jackc/pgx/v5/pgxpool"

	"holdfast/internal/waitqueue"
)

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

// openStandby connects to the standby of a database and begins to poll it. A standby that can't be reached is no error:
// the polls go on.
func openStandby(ctx context.Context, primary *DB, cfg Config) (*standby, error) {
	cfg.URL = cfg.StandbyURL
	pool, prepared, err := openPool(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s := &standby{
		primary: primary, lag: &lag{now: time.Now}, timeout: cfg.StandbyTimeout, log: cfg.Logger,
		db: &DB{
			pool: pool, prepared: prepared, metrics: newMetrics(nil, pool), log: cfg.Logger,
			lockTimeout: cfg.StandbyTimeout, commitTimeout: cfg.StandbyTimeout + statementTimeout, // see read
		},
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var polls sync.WaitGroup
	polls.Go(func() { s.poll(ctx) })
	s.stop = func() { cancel(); polls.Wait() }
	return s, nil
}

func (s *standby) close() {
	s.stop()
	s.db.Close()
}
