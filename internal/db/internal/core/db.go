package core

import (
	"context"
	"log/slog"
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

// AddGroup counts the requests of a group, which it asks for, in the metrics.
func (d *DB) AddGroup(requests func() int64) {
	d.metrics.mu.Lock()
	defer d.metrics.mu.Unlock()
	d.metrics.groups = append(d.metrics.groups, requests)
}

// GroupShared counts a transaction that some requests share.
func (d *DB) GroupShared(requests int) { d.metrics.groupSize.Observe(float64(requests)) }

// standby is a standby of the database, which serves reads that may be stale. It is safe for concurrent use.
type standby struct {
	primary *DB
	db      *DB // the standby's pool, and time limits of its own
	lag     *lag
	timeout time.Duration // of a read, the wait for a connection included, and of a poll
	log     *slog.Logger
	stop    func() // ends the polls and returns when they have ended
}
