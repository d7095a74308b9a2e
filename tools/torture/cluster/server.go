package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/Shopify/toxiproxy/v2"

	"holdfast/internal/servertest"
)

// AdminKey is the servers' admin key.
const AdminKey = "the-admin-key-of-the-torture"

// answerLimit bounds what is asked of processes of the run's own.
const answerLimit = 5 * time.Second

// Server is one process of the server under test.
type Server struct {
	*Process
	*Paths
	// Front is the path of clients to it.
	Front *Link

	address string
	client  *http.Client
	busy    atomic.Bool
}

// newServer makes a server that isn't started yet. urls reach the databases.
func (c *Cluster) newServer(cfg Config, index int, addr string, proxies *toxiproxy.ApiServer, urls []string,
	directURL string) (
	s *Server, err error,
) {
	s = &Server{address: addr,
		client: &http.Client{Timeout: answerLimit, Transport: &http.Transport{DisableKeepAlives: true}}}
	name := "server " + strconv.Itoa(index)
	if s.Paths, err = newPaths(cfg, index, name, proxies, urls); err != nil {
		return nil, err
	}
	database := "HOLDFAST_DATABASE_URL=" + s.urls[0]
	if cfg.cells() {
		if database, err = writeCells(cfg.Dir, strconv.Itoa(index), c.Databases, s.urls); err != nil {
			return nil, err
		}
	}
	if s.Front, err = newLink(proxies, "clients to "+name, addr); err != nil {
		return nil, err
	}
	env := []string{
		database, "HOLDFAST_ADDR=" + addr, "HOLDFAST_ADMIN_KEY=" + AdminKey,
		"HOLDFAST_DATA_DIR=" + filepath.Join(cfg.Dir, fmt.Sprintf("server-%d", index)), "HOLDFAST_LOG_LEVEL=warn",
		"HOLDFAST_DATABASE_CONNS=8", "HOLDFAST_LOCK_TIMEOUT=2s", "HOLDFAST_CLEANUP_INTERVAL=5s",
		"HOLDFAST_SHUTDOWN_TIMEOUT=5s",
		// Short, so that what is unknown settles within the run. pm_slow takes 3 s, which has to be less than the
		// second.
		"HOLDFAST_PROVIDER_TIMEOUT=1s", "HOLDFAST_PROVIDER_ABSENT_AFTER=5s", "HOLDFAST_PAYMENT_TIMEOUT=10s",
		"HOLDFAST_VISITOR_RATE=0", "HOLDFAST_VISITOR_HOLDS=0", // all visitors have one address
		"HOLDFAST_WEBHOOK_ALLOW=127.0.0.0/8", "HOLDFAST_SANDBOX_KEY=" + SandboxKey,
		"HOLDFAST_SANDBOX_WEBHOOK_SECRET=" + sandboxSecret,
	}
	if slices.ContainsFunc(cfg.Databases, func(d DatabaseConfig) bool { return d.Standby }) { // it is away for longer
		env = append(env, "HOLDFAST_COMMIT_TIMEOUT=2s")
	}
	if directURL != "" {
		env = append(env, "HOLDFAST_DIRECT_DATABASE_URL="+directURL)
	}
	s.Process = newProcess(name, servertest.Config{
		Binary: cfg.Binary, Args: []string{"serve"}, Env: slices.Concat(env, cfg.Env),
		OutputDir: filepath.Join(cfg.Dir, "output", name),
	}, func(ctx context.Context) error {
		_, err := s.get(ctx, "/healthz")
		return err
	})
	return s, nil
}

// awaitCells waits until the server serves all cells.
func (s *Server) awaitCells(ctx context.Context) error {
	for {
		answer, err := s.get(ctx, "/readyz")
		var state struct{ Warning string }
		if err == nil {
			err = json.Unmarshal(answer, &state)
		}
		if err == nil && state.Warning == "" {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until %s serves all cells: %w: %q %w", s.Name, ctx.Err(), state.Warning, err)
		case <-time.After(readyPoll):
		}
	}
}

// StartSkewed is Start with a clock that is ahead of the machine's by offset, behind if that is negative. The binary
// has to come from Build.
func (s *Server) StartSkewed(ctx context.Context, offset time.Duration) error {
	return s.Start(ctx, servertest.ClockAhead(offset))
}

// Take reports whether nobody has the server, and gives it to the caller until Release: a fault that stops a process
// and one that restarts it must not have the same.
func (s *Server) Take() bool { return s.busy.CompareAndSwap(false, true) }

// Release ends Take.
func (s *Server) Release() { s.busy.Store(false) }

func (s *Server) close() {
	s.Process.Close()
	s.Front.close()
	s.Paths.close()
}

// get returns what the server answers at a path, and an error unless it answers 200.
func (s *Server) get(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", s.address, response.Status)
	}
	return io.ReadAll(response.Body)
}
