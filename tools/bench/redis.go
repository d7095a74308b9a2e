package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

// redisServer is a Redis without persistence. Its client is nil where no redis-server is installed.
type redisServer struct {
	client *redis.Client
	cmd    *exec.Cmd
}

func startRedis(ctx context.Context, dir string, conns int) (*redisServer, error) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return new(redisServer), nil //nolint:nilerr // without Redis, the rest is measured
	}
	socket := filepath.Join(dir, "redis.sock")
	r := &redisServer{
		cmd: exec.Command(path, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir",
			dir),
		client: redis.NewClient(&redis.Options{Network: "unix", Addr: socket, PoolSize: conns, MinIdleConns: conns}),
	}
	if err := r.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start redis-server: %w", err)
	}
	for deadline := time.Now().Add(startLimit); ; time.Sleep(10 * time.Millisecond) {
		if err = r.client.Ping(ctx).Err(); err == nil {
			return r, nil
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			r.stop()
			return nil, fmt.Errorf("reach redis-server: %w", err)
		}
	}
}

func (r *redisServer) stop() {
	if r.client == nil {
		return
	}
	_ = r.client.Close()
	_ = r.cmd.Process.Signal(syscall.SIGTERM)
	_ = r.cmd.Wait()
}

// version is what the server says it is, "" if there is none.
func (r *redisServer) version(ctx context.Context) string {
	if r.client == nil {
		return ""
	}
	info, err := r.client.InfoMap(ctx, "server").Result()
	if err != nil {
		return ""
	}
	return info["Server"]["redis_version"]
}
