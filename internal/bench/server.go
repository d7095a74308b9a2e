package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

const startLimit = 30 * time.Second

// server is a process of the real binary, on the database of the world.
type server struct {
	addr string
	pid  int
	cmd  *exec.Cmd
	gone chan struct{}
}

// startServer builds the binary and starts it. Its log goes to a file, as it would anywhere.
func startServer(ctx context.Context, dir, databaseURL string) (*server, error) {
	binary := filepath.Join(dir, "holdfast")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", binary, "holdfast/cmd/holdfast")
	if output, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the server: %w: %s", err, output)
	}
	log, err := os.Create(filepath.Join(dir, "server.log"))
	if err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}
	defer func() { _ = log.Close() }()
	s := &server{cmd: exec.Command(binary, "serve"), gone: make(chan struct{})}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "HOLDFAST_") {
			s.cmd.Env = append(s.cmd.Env, variable)
		}
	}
	s.cmd.Env = append(s.cmd.Env, "HOLDFAST_ADDR=127.0.0.1:0", "HOLDFAST_DATABASE_URL="+databaseURL,
		"HOLDFAST_DATA_DIR="+filepath.Join(dir, "data"))
	s.cmd.Stderr = log
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	s.pid = s.cmd.Process.Pid
	go func() {
		_ = s.cmd.Wait()
		close(s.gone)
	}()
	if s.addr, err = s.awaitServing(ctx, log.Name()); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

var servingLine = regexp.MustCompile(`msg=serving addr=(\S+)`)

func (s *server) awaitServing(ctx context.Context, log string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for {
		text, err := os.ReadFile(log)
		if err != nil {
			return "", fmt.Errorf("read the server's log: %w", err)
		}
		if found := servingLine.FindSubmatch(text); found != nil {
			return string(found[1]), nil
		}
		select {
		case <-s.gone:
			return "", fmt.Errorf("the server ended early: %s", text)
		case <-ctx.Done():
			return "", errors.Join(fmt.Errorf("the server doesn't serve: %s", text), ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.gone:
	case <-time.After(startLimit):
		_ = s.cmd.Process.Kill()
		<-s.gone
	}
}
