package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"holdfast/internal/postgres"
)

const (
	serverEnv = "HOLDFAST_TEST_DATABASE_URL"
	// dropTimeout bounds the clean-up of one database, which runs after the test's context has ended.
	dropTimeout = 30 * time.Second
	// adminConnections make and drop databases; more would only queue on the disk.
	adminConnections = 4
	// cloneByFile has been the way of CREATE DATABASE to copy before version 15, and must be asked for since.
	cloneByFileSince = 150000
	// Databases are called holdfast_test_<process>_<database>.
	namePrefix = "holdfast_test_"
	nameLength = 12
	forever    = 24 * time.Hour
)

// Cluster returns the ephemeral cluster that this test process shares. It fails the test if
// HOLDFAST_TEST_DATABASE_URL is set, because there is none then.
func Cluster(t testing.TB) *postgres.Server {
	t.Helper()
	if os.Getenv(serverEnv) != "" {
		t.Fatalf("this test needs a cluster of its own: unset %s", serverEnv)
	}
	c, err := sharedCluster()
	if err != nil {
		t.Fatalf("start the test cluster: %v", err)
	}
	return c.server
}

// Database returns the URL of a database that belongs to t alone: a clone of a template that prepare has
// filled, once for the test process. It is dropped when t ends, connections or not. prepare must close its
// connections before it returns; nil leaves the template empty. Each function has a template of its own;
// closures that differ only in what they captured share one.
func Database(t testing.TB, prepare func(ctx context.Context, url string) error) string {
	t.Helper()
	s, err := sharedServer()
	if err != nil {
		t.Fatalf("start the test database server: %v", err)
	}
	template, err := s.template(prepare)
	if err != nil {
		t.Fatalf("prepare the template database: %v", err)
	}
	name := s.newName()
	if err := s.create(t.Context(), name, template); err != nil {
		t.Fatalf("clone the template database: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), dropTimeout)
		defer cancel()
		if err := s.drop(ctx, name); err != nil {
			t.Errorf("drop the test's database: %v", err)
		}
	})
	return s.urlOf(name)
}

// sharedServer is the process's only state: starting a server for each test would take longer than the test.
var sharedServer = sync.OnceValues(func() (*server, error) {
	ctx, address := context.Background(), os.Getenv(serverEnv)
	if address == "" {
		c, err := sharedCluster()
		if err != nil {
			return nil, err
		}
		return connect(ctx, c.server.URL())
	}
	s, err := connect(ctx, address)
	if err != nil {
		return nil, err
	}
	return s, s.sweepDatabases(ctx)
})

// server makes and drops databases on one PostgreSQL server.
type server struct {
	address   *url.URL
	admin     *pgxpool.Pool
	prefix    string // of this process's databases
	strategy  string
	templates sync.Map // of func() (string, error), by the code of prepare
}

func connect(ctx context.Context, address string) (*server, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("parse the server's URL: %w", err)
	}
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("parse the server's URL: %w", err)
	}
	prefix := namePrefix + randomName()
	config.MaxConns = adminConnections
	// One connection stays open and says by its name that this process is alive: see sweepDatabases.
	config.MinConns, config.MaxConnIdleTime, config.MaxConnLifetime = 1, forever, forever
	config.ConnConfig.RuntimeParams["application_name"] = prefix
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	admin, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect to the server: %w", err)
	}
	s := &server{address: parsed, admin: admin, prefix: prefix}
	var version int
	if err := admin.QueryRow(ctx, "SELECT current_setting('server_version_num')::int").Scan(&version); err != nil {
		return nil, fmt.Errorf("ask the server for its version: %w", err)
	}
	if version >= cloneByFileSince {
		s.strategy = " STRATEGY file_copy"
	}
	return s, nil
}

// template returns the name of the template database that prepare fills, making it on the first call.
func (s *server) template(prepare func(ctx context.Context, url string) error) (string, error) {
	key := reflect.ValueOf(prepare).Pointer()
	once, _ := s.templates.LoadOrStore(key, sync.OnceValues(func() (string, error) {
		// Not the first test's context: the others would fail with it.
		ctx, name := context.Background(), s.newName()
		if err := s.create(ctx, name, "template0"); err != nil {
			return "", err
		}
		if prepare == nil {
			return name, nil
		}
		return name, prepare(ctx, s.urlOf(name))
	}))
	return once.(func() (string, error))()
}

func (s *server) create(ctx context.Context, name, template string) error {
	_, err := s.admin.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE "+template+s.strategy)
	if err != nil {
		return fmt.Errorf("create the database %s: %w", name, err)
	}
	return nil
}

func (s *server) drop(ctx context.Context, name string) error {
	if _, err := s.admin.Exec(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
		return fmt.Errorf("drop the database %s: %w", name, err)
	}
	return nil
}

func (s *server) newName() string {
	return s.prefix + "_" + randomName()
}

func randomName() string { return strings.ToLower(rand.Text()[:nameLength]) }

func (s *server) urlOf(name string) string {
	u := *s.address
	u.Path = "/" + name
	return u.String()
}

// sweepDatabases drops what earlier test processes left on a server that outlives them: databases of a
// prefix that no connection bears as its name.
func (s *server) sweepDatabases(ctx context.Context) error {
	rows, err := s.admin.Query(ctx, `SELECT d.datname FROM pg_database d
		WHERE starts_with(d.datname, $1) AND NOT EXISTS (
			SELECT FROM pg_stat_activity a WHERE a.application_name = left(d.datname, $2))`, namePrefix, len(s.prefix))
	if err != nil {
		return fmt.Errorf("list leftover databases: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("list leftover databases: %w", err)
	}
	for _, name := range names {
		if err := s.drop(ctx, name); err != nil {
			return err
		}
	}
	return nil
}
