package cluster

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"github.com/Shopify/toxiproxy/v2"

	"holdfast/internal/servertest"
)

// moverName is the mover's, in reports and paths.
const moverName = "mover"

// Mover runs the commands that move tenants between cells. It has paths of its own to the databases.
type Mover struct {
	*Paths

	config servertest.Config
	busy   atomic.Bool
}

// ErrFailed says that a command of the mover ended with an error.
var ErrFailed = errors.New("the command failed")

func newMover(cfg Config, databases []*Database, proxies *toxiproxy.ApiServer, urls []string) (*Mover, error) {
	paths, err := newPaths(cfg, cfg.Servers, moverName, proxies, urls)
	if err != nil {
		return nil, err
	}
	variable, err := writeCells(cfg.Dir, moverName, databases, paths.urls)
	if err != nil {
		return nil, err
	}
	return &Mover{Paths: paths, config: servertest.Config{
		Binary: cfg.Binary, OutputDir: filepath.Join(cfg.Dir, "output", moverName),
		Env: []string{variable, "HOLDFAST_DATA_DIR=" + filepath.Join(cfg.Dir, moverName)},
	}}, nil
}

// Take reports whether nobody moves anything, and lets the caller do so until Release.
func (m *Mover) Take() bool { return m.busy.CompareAndSwap(false, true) }

// Release ends Take.
func (m *Mover) Release() { m.busy.Store(false) }

// Run runs holdfast cells with arguments until the command ends. When ctx ends the command is killed. It returns
// ErrFailed if the command says so, ctx's error if it was killed.
func (m *Mover) Run(ctx context.Context, args ...string) error {
	cfg := m.config
	cfg.Args = append([]string{"cells"}, args...)
	p, err := servertest.Start(cfg)
	if err != nil {
		return fmt.Errorf("start the mover: %w", err)
	}
	select {
	case <-p.Exited():
	case <-ctx.Done():
		p.Kill()
		return ctx.Err()
	}
	if code := p.State().ExitCode(); code != 0 {
		return fmt.Errorf("holdfast %v: exit code %d: %w", cfg.Args, code, ErrFailed)
	}
	return nil
}
