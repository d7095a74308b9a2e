package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// versions are those of the programs that take part.
type versions struct{ postgres, redis string }

// machine is what the figures were measured on.
type machine struct {
	versions
	cpu, kernel, memory, commit string
	cores                       int
	at                          time.Time
}

func describeMachine(ctx context.Context, v versions) machine {
	m := machine{versions: v, cores: runtime.NumCPU(), at: time.Now().UTC(), cpu: runtime.GOARCH, kernel: runtime.GOOS, memory: "unknown"}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		m.cpu = valueOf(text, "model name", m.cpu)
	}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kib int64
		if _, err := fmt.Sscan(valueOf(text, "MemTotal", ""), &kib); err == nil {
			m.memory = fmt.Sprintf("%.0f GiB", float64(kib)/(1<<20))
		}
	}
	var name syscall.Utsname
	if syscall.Uname(&name) == nil {
		var release []byte
		for _, c := range name.Release {
			if c == 0 {
				break
			}
			release = append(release, byte(c))
		}
		m.kernel = "Linux " + string(release)
	}
	m.commit = "unknown"
	if text, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--abbrev=12").Output(); err == nil {
		m.commit = strings.TrimSpace(string(text))
	}
	return m
}

// valueOf returns the value of the first line "name: value".
func valueOf(text []byte, name, otherwise string) string {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return otherwise
}

func (m machine) String() string {
	redis := m.redis
	if redis == "" {
		redis = "none"
	}
	return fmt.Sprintf("%s, %d cores, %s of memory, %s; PostgreSQL %s, Redis %s, %s; commit %s, %s.",
		m.cpu, m.cores, m.memory, m.kernel, m.postgres, redis, runtime.Version(), m.commit, m.at.Format("2 January 2006, 15:04 UTC"))
}
