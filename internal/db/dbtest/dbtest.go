package dbtest

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/preflight"
	"holdfast/internal/httpapi/answers"
	"holdfast/internal/postgres/pgtest"
)

// closeTimeout is how long a test waits for its connections to be given back.
const closeTimeout = 5 * time.Second

// Database returns the URL of a migrated database that is dropped when the test ends.
func Database(t testing.TB) string {
	t.Helper()
	if nodes := os.Getenv(citusEnv); nodes != "" {
		return citusCell(t, nodes, migrate)
	}
	return pgtest.Database(t, migrate)
}

func migrate(ctx context.Context, url string) error { return preflight.Migrate(ctx, url, nil) }

// Template makes databases that begin with the same rows. A test process has one at most for each T.
type Template[T any] struct {
	// Fill migrates a database and fills it, and returns what it has made. It closes its connections.
	Fill func(ctx context.Context, url string) (T, error)

	made T
}

// Database returns the URL of a database that Fill has filled and that is dropped when the test ends, and what Fill
// made in it.
func (p *Template[T]) Database(t testing.TB) (url string, made T) {
	t.Helper()
	if nodes := os.Getenv(citusEnv); nodes != "" { // which can't clone
		url = citusCell(t, nodes, func(ctx context.Context, url string) (err error) {
			made, err = p.Fill(ctx, url)
			return err
		})
		return url, made
	}
	url = pgtest.Database(t, func(ctx context.Context, url string) (err error) {
		p.made, err = p.Fill(ctx, url)
		return err
	})
	return url, p.made
}

// Open returns a DB on the database at cfg.URL that is closed when the test ends. Several DBs on one database are to
// each other what several processes are. Unless t is a benchmark, a transaction that breaks the order of locks fails
// it: see LockOrder.
func Open(t testing.TB, cfg db.Config) *db.DB {
	t.Helper()
	if _, measured := t.(*testing.B); !measured && cfg.Tracer == nil {
		cfg.Tracer = NewLockOrder(t, cfg.URL)
	}
	if cfg.Answers == nil {
		cfg.Answers = answers.Answers{}
	}
	s, err := db.Open(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// SQL returns a pool on the database at url as its owner, for looking at tables and for what no use case does.
func SQL(t testing.TB, url string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() {
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			pool.Close()
		}()
		select {
		case <-closed:
		case <-time.After(closeTimeout): // a test that failed has left a transaction open
		}
	})
	return pool
}
