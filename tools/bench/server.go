package main

import (
	"context"
	"path/filepath"
	"time"

	"holdfast/internal/servertest"
)

const startLimit = 2 * time.Minute

// server is a process of the real binary, on the database of the fixture.
type server struct {
	*servertest.Process

	addr string
}

// startServer starts a server on a database with further settings. Its data and output go to dir.
func startServer(ctx context.Context, dir, binary, databaseURL string, settings ...string) (_ *server, err error) {
	s := new(server)
	if s.Process, err = servertest.Start(servertest.Config{
		Binary: binary, Args: []string{"serve"}, OutputDir: filepath.Join(dir, "output"),
		Env: append([]string{
			"HOLDFAST_ADDR=127.0.0.1:0", "HOLDFAST_DATABASE_URL=" + databaseURL,
			"HOLDFAST_DATA_DIR=" + filepath.Join(dir, "data"),
			"HOLDFAST_PROVIDER=sandbox",
		}, settings...),
	}); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if s.addr, err = s.Address(ctx); err != nil {
		s.Kill()
		return nil, err
	}
	return s, nil
}
