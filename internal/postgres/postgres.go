package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// stopGrace is how long Stop waits for a fast shutdown when its context sets no earlier end.
const stopGrace = 30 * time.Second

// ErrInUse says that the directory belongs to another process that is alive: a second instance of
// Holdfast, or a PostgreSQL that somebody started by hand on the cluster. The message names its pid.
var ErrInUse = errors.New("the data directory is in use")

// ErrNoBinaries says that no usable PostgreSQL programs were found and none could be installed. The
// message lists every place that was tried and why it would not do.
var ErrNoBinaries = errors.New("no usable PostgreSQL programs")

// Config says where the cluster lives and how it runs. Only Dir is required.
type Config struct {
	// Dir is the directory that holds everything; it is made if it doesn't exist.
	Dir string
	// Ephemeral trades durability for speed (fsync off and the like). For tests only: a crash of the
	// machine destroys the cluster.
	Ephemeral bool
	// Logger receives what happens to the database's processes. Nil means slog.Default().
	Logger *slog.Logger
	// Install permits installing PostgreSQL when none is found on this machine. It is for trying Holdfast out, and for
	// tests.
	Install bool
	// Settings are further PostgreSQL settings by name. They win over this package's own, except over
	// those that say where the cluster is and who can reach it.
	Settings map[string]string

	// find replaces where programs are looked for; tests hide the installed ones with it.
	find *finder
}

// Server is a running cluster and the supervision that keeps it running. It is safe for concurrent use.
type Server struct {
	cluster *cluster
	lock    *os.File
	url     string
	stop    context.CancelFunc // begins the shutdown
	hurry   context.CancelFunc // makes it an immediate one
	done    chan struct{}      // closed when the database is gone and the directory free
}

// Start gets the cluster in cfg.Dir going and returns when it accepts connections: it takes the
// directory, finds PostgreSQL, clears what a killed predecessor left, makes the cluster if there is none,
// and starts it. From then on a postmaster that dies is started again until Stop is called; the URL stays
// the same. ctx bounds the start only.
//
// It returns an error that wraps ErrInUse if the directory belongs to another living process, and
// ErrNoBinaries if there is no PostgreSQL of the major version that the directory needs.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	server, err := start(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("start the embedded PostgreSQL: %w", err)
	}
	return server, nil
}

func start(ctx context.Context, cfg Config) (_ *Server, err error) {
	dir, err := makeDir(cfg.Dir)
	if err != nil {
		return nil, err
	}
	lock, err := lockDir(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			unlock(lock)
		}
	}()
	c, err := newCluster(ctx, dir, cfg)
	if err != nil {
		return nil, err
	}
	if err := c.clearLeftovers(ctx); err != nil {
		return nil, err
	}
	if err := c.initialize(ctx); err != nil {
		return nil, err
	}
	if err := c.chooseWALCompression(ctx); err != nil {
		return nil, err
	}
	if c.socketDir, err = makeSocketDir(dir, c.name, c.account); err != nil {
		return nil, err
	}
	stopping, stop := context.WithCancel(context.Background())
	hurrying, hurry := context.WithCancel(context.Background())
	s := &Server{cluster: c, lock: lock, url: socketURL(c.socketDir), stop: stop, hurry: hurry,
		done: make(chan struct{})}
	first := make(chan error, 1)
	go s.supervise(ctx, stopping, hurrying, first)
	if err := <-first; err != nil {
		<-s.done
		return nil, err
	}
	if err := writeLock(lock, s.url); err != nil {
		return nil, errors.Join(err, s.Stop(ctx))
	}
	return s, nil
}

// URL returns the address of the database "postgres" for its superuser, over the Unix socket. It stays
// valid for the life of the Server, restarts of the database included.
func (s *Server) URL() string { return s.url }

// Stop ends the database with a fast shutdown (open transactions are rolled back) and gives the directory
// free. It may be called more than once and by several goroutines; each call returns when the database
// is gone. If ctx ends first, or after 30 seconds, the shutdown turns into an immediate one: nothing
// committed is lost, but the next start recovers from the log, and the error says so.
func (s *Server) Stop(ctx context.Context) error {
	s.stop()
	ctx, cancel := context.WithTimeout(ctx, stopGrace)
	defer cancel()
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
	}
	s.hurry()
	<-s.done
	return fmt.Errorf("stop the embedded PostgreSQL: it had to be shut down immediately: %w", ctx.Err())
}

// Running returns the URL of the database that another process (or this one) runs in dir, so that a
// command can use the database of a server that is already up. It reports false if nobody does.
func Running(dir string) (string, bool) {
	_, url, _ := readLock(filepath.Join(dir, lockName))
	return url, url != ""
}

// Exists reports whether dir has a database, be it running or not. A directory that can't be read may have one.
func Exists(dir string) bool {
	major, err := existingMajor(dir)
	return major > 0 || err != nil && !errors.Is(err, fs.ErrNotExist)
}

// InUse reports whether a process owns dir, be its database running or not.
func InUse(dir string) bool {
	_, _, held := readLock(filepath.Join(dir, lockName))
	return held
}

// socketURL names every parameter that libpq's environment variables could otherwise change.
func socketURL(socketDir string) string {
	query := url.Values{"host": {socketDir}, "port": {socketPort}, "sslmode": {"disable"}}
	// To libpq and pgx a "+" is a plus, not a space.
	encoded := strings.ReplaceAll(query.Encode(), "+", "%20")
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/postgres", RawQuery: encoded}
	return u.String()
}

// makeDir makes dir and returns its real path, so that every way of naming it leads to the same cluster.
func makeDir(dir string) (string, error) {
	if dir == "" {
		return "", errors.New("no data directory given")
	}
	mode := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o711 // the user the database runs as has to pass through
	}
	if err := os.MkdirAll(dir, mode); err != nil {
		return "", fmt.Errorf("make the data directory: %w", err)
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", fmt.Errorf("find the data directory: %w", err)
	}
	return dir, nil
}
