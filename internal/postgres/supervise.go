package postgres

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

const (
	// A postmaster that dies within stableAfter of its start is not started again at once.
	stableAfter = 5 * time.Second
	minBackoff  = 100 * time.Millisecond
	maxBackoff  = 5 * time.Second
	logCheck    = time.Minute
)

// supervise starts the database and keeps it running until stopping ends, then shuts it down, immediately
// once hurry has ended. It reports the first start on first. Its thread is the parent that the
// postmaster dies with: it is locked, and ends with this goroutine.
func (s *Server) supervise(ctx, stopping, hurry context.Context, first chan<- error) {
	runtime.LockOSThread()
	defer close(s.done)
	defer s.release()
	p, err := s.cluster.startPostmaster(ctx)
	first <- err
	if err != nil {
		return
	}
	check := time.NewTicker(logCheck)
	defer check.Stop()
	for started := time.Now(); ; {
		select {
		case <-check.C:
			if err := boundLog(s.cluster.dir); err != nil {
				s.cluster.logger.WarnContext(stopping, "the database's log can't be rotated", "error", err)
			}
			continue
		case <-stopping.Done():
			p.shutDown(hurry, syscall.SIGINT)
			return
		case <-p.exited:
		}
		s.cluster.logger.ErrorContext(stopping, "the database ended unexpectedly, starting it again", "exit", p.err)
		if time.Since(started) < stableAfter && sleep(stopping, minBackoff) != nil {
			return
		}
		if p = s.cluster.restart(stopping); p == nil {
			return
		}
		started = time.Now()
		s.cluster.logger.InfoContext(stopping, "the database is running again", "pid", p.cmd.Process.Pid)
	}
}

// restart starts a new postmaster, trying until it succeeds: the cause (a full disk, an orphaned backend)
// may go away. It returns nil once ctx has ended.
func (c *cluster) restart(ctx context.Context) *postmaster {
	for backoff := minBackoff; ; backoff = min(2*backoff, maxBackoff) {
		err := c.clearLeftovers(ctx)
		if err == nil {
			var p *postmaster
			if p, err = c.startPostmaster(ctx); err == nil {
				return p
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		c.logger.ErrorContext(ctx, "the database can't be started again yet", "error", err, "next_try_in", backoff)
		if sleep(ctx, backoff) != nil {
			return nil
		}
	}
}

// release gives the directory free, with no process of the cluster left.
func (s *Server) release() {
	ctx, cancel := context.WithTimeout(context.Background(), fastGrace)
	defer cancel()
	if err := s.cluster.clearLeftovers(ctx); err != nil {
		s.cluster.logger.ErrorContext(ctx, "the database left something behind", "error", err)
	}
	if filepath.Dir(s.cluster.socketDir) != s.cluster.dir {
		_ = os.Remove(s.cluster.socketDir)
	}
	unlock(s.lock)
}
