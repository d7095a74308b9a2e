package postgres

import (
	"context"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

const readyPoll = 5 * time.Millisecond

// postmaster is PostgreSQL's first process. err may be read once exited is closed.
type postmaster struct {
	cmd    *exec.Cmd
	exited chan struct{}
	err    error
}

// startPostmaster starts the database and returns when it accepts connections. The calling goroutine must
// be locked to a thread that outlives the database: see dieWithParent.
func (c *cluster) startPostmaster(ctx context.Context) (*postmaster, error) {
	log, err := openLog(c.dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.file.Close() }()
	p, err := c.launch(log)
	if err != nil {
		return nil, err
	}
	ticker := time.NewTicker(readyPoll)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if pid, status := readPidfile(c.dataDir); pid == p.cmd.Process.Pid && status == pidfileReady {
				return p, nil
			}
		case <-p.exited:
			return nil, fmt.Errorf("postgres ended before it was ready: %w: %s", p.err, log.tail())
		case <-ctx.Done():
			p.shutDown(ctx, syscall.SIGQUIT)
			return nil, fmt.Errorf("wait until postgres is ready: %w", context.Cause(ctx))
		}
	}
}

func (c *cluster) launch(log *logFile) (*postmaster, error) {
	cmd := exec.Command(c.programs.path("postgres"))
	dataDir, closeData, err := c.account.passDir(cmd, c.dataDir)
	if err != nil {
		return nil, err
	}
	defer closeData()
	socketDir, closeSocket, err := c.account.passDir(cmd, c.socketDir)
	if err != nil {
		return nil, err
	}
	defer closeSocket()
	cmd.Args = append(cmd.Args, "-D", dataDir)
	cmd.Args = append(cmd.Args, c.arguments(socketDir)...)
	cmd.Stdout, cmd.Stderr = log.file, log.file
	// A fast shutdown takes a checkpoint, which spares the next start the recovery.
	deathSignal := syscall.SIGINT
	if c.ephemeral {
		deathSignal = syscall.SIGQUIT
	}
	c.account.command(cmd, deathSignal)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("run postgres as uid %d: %w", c.account.uid, err)
	}
	p := &postmaster{cmd: cmd, exited: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// shutDown asks the database to end, immediately once hurry has ended, and by force if even that takes
// more than a few seconds. It returns when the postmaster is gone.
func (p *postmaster) shutDown(hurry context.Context, signal syscall.Signal) {
	// A signal can only fail because the process has ended.
	_ = p.cmd.Process.Signal(signal)
	select {
	case <-p.exited:
		return
	case <-hurry.Done():
	}
	_ = p.cmd.Process.Signal(syscall.SIGQUIT)
	select {
	case <-p.exited:
		return
	case <-time.After(immediateGrace):
	}
	_ = p.cmd.Process.Kill()
	<-p.exited
}
