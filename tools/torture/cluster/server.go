package cluster

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/Shopify/toxiproxy/v2"

	"holdfast/internal/servertest"
	"holdfast/internal/store/storetest"
)

// AdminKey is the servers' admin key.
const AdminKey = "the-admin-key-of-the-torture"

// answerLimit bounds what is asked of processes of the run's own.
const answerLimit = 5 * time.Second

// Server is one process of the server under test.
type Server struct {
	*Process
	// Front is the path of clients to it, Back its path to the database.
	Front, Back *Link
	// Commits are those of its transactions.
	Commits *Commits

	wire *storetest.Proxy
	busy atomic.Bool
}

func newServer(cfg Config, index int, addr string, proxies *toxiproxy.ApiServer, databaseURL, directURL string) (s *Server, err error) {
	s = &Server{Commits: &Commits{random: rand.New(rand.NewPCG(cfg.Seed, uint64(index)))}} //nolint:gosec // repeatable on purpose
	if s.wire, err = storetest.StartProxy(databaseURL, func(p *storetest.Proxy) {
		p.Rewrite, p.BeforeCommit, p.AfterCommit = cfg.Rewrite, s.Commits.cutBefore, s.Commits.cutAfter
	}); err != nil {
		return nil, err
	}
	through, err := url.Parse(s.wire.URL)
	if err != nil {
		return nil, fmt.Errorf("parse the database's URL: %w", err)
	}
	name := "server " + strconv.Itoa(index)
	if s.Back, err = newLink(proxies, name+" to the database", through.Host); err != nil {
		return nil, err
	}
	through.Host = s.Back.Addr()
	if s.Front, err = newLink(proxies, "clients to "+name, addr); err != nil {
		return nil, err
	}
	env := []string{
		"HOLDFAST_DATABASE_URL=" + through.String(), "HOLDFAST_ADDR=" + addr, "HOLDFAST_ADMIN_KEY=" + AdminKey,
		"HOLDFAST_DATA_DIR=" + filepath.Join(cfg.Dir, fmt.Sprintf("server-%d", index)), "HOLDFAST_LOG_LEVEL=warn",
		"HOLDFAST_DATABASE_CONNS=8", "HOLDFAST_LOCK_TIMEOUT=2s", "HOLDFAST_CLEANUP_INTERVAL=5s", "HOLDFAST_SHUTDOWN_TIMEOUT=5s",
		// Short, so that what is unknown settles within the run. pm_slow takes 3 s, which has to be less than the second.
		"HOLDFAST_PROVIDER_TIMEOUT=1s", "HOLDFAST_PROVIDER_ABSENT_AFTER=5s", "HOLDFAST_PAYMENT_TIMEOUT=10s",
		"HOLDFAST_WEBHOOK_ALLOW=127.0.0.0/8", "HOLDFAST_SANDBOX_KEY=" + SandboxKey, "HOLDFAST_SANDBOX_WEBHOOK_SECRET=" + sandboxSecret,
	}
	if cfg.Standby { // it is away for longer
		env = append(env, "HOLDFAST_COMMIT_TIMEOUT=2s")
	}
	if directURL != "" {
		env = append(env, "HOLDFAST_DIRECT_DATABASE_URL="+directURL)
	}
	client := &http.Client{Timeout: answerLimit, Transport: &http.Transport{DisableKeepAlives: true}}
	s.Process = newProcess(name, servertest.Config{
		Binary: cfg.Binary, Args: []string{"serve"}, Env: slices.Concat(env, cfg.Env), OutputDir: filepath.Join(cfg.Dir, "output", name),
	}, func(ctx context.Context) error { return healthy(ctx, client, "http://"+addr+"/healthz") })
	return s, nil
}

// StartSkewed is Start with a clock that is ahead of the machine's by offset, behind if that is negative. The binary has
// to come from Build.
func (s *Server) StartSkewed(ctx context.Context, offset time.Duration) error {
	return s.Start(ctx, servertest.ClockAhead(offset))
}

// Take reports whether nobody has the server, and gives it to the caller until Release: a fault that stops a process and
// one that restarts it must not have the same.
func (s *Server) Take() bool { return s.busy.CompareAndSwap(false, true) }

// Release ends Take.
func (s *Server) Release() { s.busy.Store(false) }

func (s *Server) close() {
	s.Process.Close()
	s.Front.close()
	s.Back.close()
	s.wire.Close()
}

func healthy(ctx context.Context, client *http.Client, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	if err := response.Body.Close(); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", address, response.Status)
	}
	return nil
}
