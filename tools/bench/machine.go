package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// machine is what the figures were measured on.
type machine struct {
	cpu, kernel, memory, commit string
	postgres, redis             string // their versions
	cores                       int
	at                          time.Time
}

func describeMachine(ctx context.Context, postgres, redis string) machine {
	m := machine{
		postgres: postgres,
		redis:    cmp.Or(redis, "none"),
		cores:    runtime.NumCPU(),
		at:       time.Now().UTC(),
		cpu:      runtime.GOARCH,
		kernel:   runtime.GOOS,
		memory:   "unknown",
		commit:   "unknown",
	}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		m.cpu = valueOf(text, "model name", m.cpu)
	}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kib int64
		if _, err := fmt.Sscan(valueOf(text, "MemTotal", ""), &kib); err == nil {
			m.memory = fmt.Sprintf("%.0f GiB", float64(kib)/(1<<20))
		}
	}
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.kernel = "Linux " + strings.TrimSpace(string(text))
	}
	if text, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty",
		"--abbrev=12").Output(); err == nil {
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
	return fmt.Sprintf("%s, %d cores, %s of memory, %s; PostgreSQL %s, Redis %s, %s; commit %s, %s.",
		m.cpu, m.cores, m.memory, m.kernel, m.postgres, m.redis, runtime.Version(), m.commit,
		m.at.Format("2 January 2006, 15:04 UTC"))
}
