package main

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"strconv"
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
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	r := &redisServer{
		cmd: exec.Command(path, "--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--save", "", "--appendonly", "no", "--dir", dir),
		client: redis.NewClient(&redis.Options{
			Addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), PoolSize: conns, MinIdleConns: conns,
		}),
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

// freePort returns a port of the loopback interface that nobody listens on.
func freePort(ctx context.Context) (int, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
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
