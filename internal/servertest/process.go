// Package servertest builds the server and starts it as real processes, for the tests of its commands, the benchmark
// and the torture.
package servertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// poll is the pause between two polls of a process's output.
const poll = 5 * time.Millisecond

// Config describes a process.
type Config struct {
	// Binary is the program's path, as Build returns it. Args are the program's arguments.
	Binary string
	Args   []string
	// Env holds variables, each as NAME=value. The process inherits all variables but the server's own, HOLDFAST_….
	Env []string
	// OutputDir is a directory, which Start makes if needed. The process appends its output to the files stdout and
	// stderr there.
	OutputDir string
}

// Process is a process that was started. Its methods are safe for concurrent use.
type Process struct {
	// Stdout and Stderr hold the output of this process and of earlier ones with the same OutputDir.
	Stdout, Stderr Output

	cmd    *exec.Cmd
	exited chan struct{} // closed when the process has ended
}

// Start starts a process. On Linux the kernel kills it when the calling process ends, however that ends.
func Start(cfg Config) (*Process, error) {
	p := &Process{
		Stdout: Output(filepath.Join(cfg.OutputDir, "stdout")), Stderr: Output(filepath.Join(cfg.OutputDir, "stderr")),
		cmd:    exec.Command(cfg.Binary, cfg.Args...), //nolint:gosec,noctx // the caller names the program, and ends it
		exited: make(chan struct{}),
	}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "HOLDFAST_") {
			p.cmd.Env = append(p.cmd.Env, variable)
		}
	}
	p.cmd.Env = append(p.cmd.Env, cfg.Env...)
	p.cmd.SysProcAttr = attributes()
	// The process writes to files and not to pipes, so that reading its output takes nothing from the process under
	// test.
	if err := os.MkdirAll(cfg.OutputDir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory for the output: %w", err)
	}
	stdout, err := p.Stdout.open()
	if err != nil {
		return nil, fmt.Errorf("open the standard output: %w", err)
	}
	defer func() { _ = stdout.Close() }()
	stderr, err := p.Stderr.open()
	if err != nil {
		return nil, fmt.Errorf("open the standard error output: %w", err)
	}
	defer func() { _ = stderr.Close() }()
	p.cmd.Stdout, p.cmd.Stderr = stdout, stderr

	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the kernel kills the process when the thread that started it ends
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // State tells
			close(p.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cfg.Binary, err)
	}
	return p, nil
}

// PID returns the process's id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Exited returns a channel that is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// State returns how the process ended and what it used. It must have ended.
func (p *Process) State() *os.ProcessState {
	<-p.exited
	return p.cmd.ProcessState
}

// Signal sends a signal to the process. It fails if the process has ended.
func (p *Process) Signal(signal os.Signal) error { return p.cmd.Process.Signal(signal) }

// Kill ends the process at once, as kill -9 does, and returns when it has ended.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // fails only if it has ended
	<-p.exited
}

// Stop sends SIGTERM and returns when the process has ended. It kills a process that doesn't end within limit, and
// returns an error then.
func (p *Process) Stop(limit time.Duration) error {
	_ = p.Signal(syscall.SIGTERM) // fails only if it has ended
	select {
	case <-p.exited:
		return nil
	case <-time.After(limit):
		p.Kill()
		return fmt.Errorf("the process didn't end within %s of SIGTERM", limit)
	}
}

// Await waits until an output of the process matches pattern, and returns the match and its groups. It fails when the
// process or ctx ends before.
func (p *Process) Await(ctx context.Context, output Output, pattern *regexp.Regexp) ([]string, error) {
	for ended := false; ; {
		text := output.String()
		if match := pattern.FindStringSubmatch(text); match != nil {
			return match, nil
		}
		if ended {
			return nil, fmt.Errorf("the process ended early: %s: %s", p.cmd.ProcessState, p.Stderr)
		}
		select {
		case <-p.exited:
			ended = true // its last output is yet to be read
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for %q: %w: %s", pattern, ctx.Err(), text)
		case <-time.After(poll):
		}
	}
}

var servingLine = regexp.MustCompile(`msg=serving addr=(\S+)`)

// Address waits until the server serves, and returns its address, as host:port. The server's log level must be info or
// lower.
func (p *Process) Address(ctx context.Context) (string, error) {
	match, err := p.Await(ctx, p.Stderr, servingLine)
	if err != nil {
		return "", err
	}
	return match[1], nil
}
