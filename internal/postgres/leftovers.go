package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// How long leftovers may take before they are ended by harder means. A fast shutdown writes a checkpoint.
// Orphaned backends end by themselves within milliseconds, except while they compute.
const (
	fastGrace      = 10 * time.Second
	immediateGrace = 7 * time.Second // PostgreSQL itself kills its children after 5
	orphanGrace    = 2 * time.Second
	leftoverPoll   = 10 * time.Millisecond
)

// process is one line of the process list.
type process struct {
	pid     int
	uid     uint32
	command string
}

// isPostmaster reports whether p is a postmaster of this cluster (or a backend in the moment of its birth).
func (c *cluster) isPostmaster(p process) bool {
	return p.uid == c.account.uid && strings.Contains(p.command+" ", " cluster_name="+c.name+" ")
}

// isBackend reports whether p is any other process of this cluster; PostgreSQL titles them
// "postgres: <cluster_name>: <what it does>".
func (c *cluster) isBackend(p process) bool {
	return p.uid == c.account.uid && strings.HasPrefix(p.command, "postgres: "+c.name+": ")
}

// clearLeftovers makes way for a new postmaster: it ends what is left of an earlier one of this cluster
// and removes its stale postmaster.pid, which names a pid that may belong to anybody by now. The caller
// holds the directory's lock, so whatever process of this cluster is alive has lost its owner.
func (c *cluster) clearLeftovers(ctx context.Context) error {
	began, orphaned := time.Now(), time.Time{}
	sent := map[int]syscall.Signal{}
	for {
		postmasters, backends, err := c.leftovers(ctx)
		if err != nil {
			return err
		}
		if len(postmasters)+len(backends) == 0 {
			break
		}
		targets, signal := postmasters, c.shutdownSignal(time.Since(began))
		if len(postmasters) > 0 {
			orphaned = time.Time{}
		} else if orphaned.IsZero() {
			orphaned = time.Now()
		} else if time.Since(orphaned) > orphanGrace {
			// Without a postmaster they are lost, and the next start recovers from the log anyway.
			targets, signal = backends, syscall.SIGKILL
		}
		for _, target := range targets {
			if sent[target.pid] == signal {
				continue
			}
			sent[target.pid] = signal
			c.logger.WarnContext(ctx, "ending a leftover process of the database", "pid", target.pid, "signal",
				signal.String())
			c.signal(ctx, target.pid, signal)
		}
		if err := sleep(ctx, leftoverPoll); err != nil {
			return fmt.Errorf("wait for an earlier database process to end: %w", err)
		}
	}
	return c.removeStalePidfile(ctx)
}

// shutdownSignal says how hard a leftover postmaster is asked to end after a while.
func (c *cluster) shutdownSignal(after time.Duration) syscall.Signal {
	switch {
	case after > fastGrace+immediateGrace:
		return syscall.SIGKILL
	case after > fastGrace || c.ephemeral:
		return syscall.SIGQUIT
	default:
		return syscall.SIGINT
	}
}

func (c *cluster) leftovers(ctx context.Context) (postmasters, backends []process, err error) {
	all, err := listProcesses(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range all {
		switch {
		case c.isPostmaster(p):
			postmasters = append(postmasters, p)
		case c.isBackend(p):
			backends = append(backends, p)
		}
	}
	return postmasters, backends, nil
}

// signal sends a signal to a process after making sure, with a handle that can't pass to another process,
// that it still belongs to this cluster.
func (c *cluster) signal(ctx context.Context, pid int, signal syscall.Signal) {
	handle, err := os.FindProcess(pid)
	if err != nil {
		return // ended meanwhile
	}
	defer func() { _ = handle.Release() }()
	postmasters, backends, err := c.leftovers(ctx)
	if err != nil {
		return
	}
	if !slices.ContainsFunc(append(postmasters, backends...), func(p process) bool { return p.pid == pid }) {
		return
	}
	if err := handle.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		c.logger.ErrorContext(ctx, "a leftover process of the database can't be ended", "pid", pid, "error", err)
	}
}

// removeStalePidfile removes the postmaster.pid of a dead postmaster. One that was started by hand on this
// cluster is left alone and reported.
func (c *cluster) removeStalePidfile(ctx context.Context) error {
	pid, _ := readPidfile(c.dataDir)
	all, err := listProcesses(ctx)
	if err != nil {
		return err
	}
	for _, p := range all {
		if p.pid == pid && c.servesByHand(p) {
			return fmt.Errorf("%w: process %d is a PostgreSQL that was started by hand on %s: stop it first", ErrInUse,
				pid, c.dataDir)
		}
	}
	err = os.Remove(filepath.Join(c.dataDir, pidfileName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove a stale %s: %w", pidfileName, err)
	}
	return nil
}

// servesByHand reports whether p is a postmaster on this cluster that this package didn't start.
func (c *cluster) servesByHand(p process) bool {
	program, _, _ := strings.Cut(p.command, " ")
	if name := filepath.Base(program); name != "postgres" && name != "postmaster" {
		return false
	}
	return p.worksIn(c.dataDir) || strings.Contains(p.command+" ", c.dataDir+" ")
}

// sleep waits for a while or until ctx ends, whose error it then returns.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
