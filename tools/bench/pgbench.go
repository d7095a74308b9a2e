package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/tools/bench/strategies"
)

// pgbenchStart is what pgbench is given to connect and to plan before its warm-up, and pgbenchEnd to run on after the window.
const (
	pgbenchStart = time.Second
	pgbenchEnd   = 400 * time.Millisecond
	// longestPgbenchStart is the most that it is given to connect.
	longestPgbenchStart = 32 * time.Second
)

// pgbench runs a script with all clients.
func (b *bench) pgbench(ctx context.Context, script string) (measurement, error) {
	file := filepath.Join(b.dir, "script.sql")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		return measurement{}, fmt.Errorf("write pgbench's script: %w", err)
	}
	return pgbenchRun{path: b.pgbenchPath, dir: b.dir, url: b.database.URL(), postmaster: b.postmaster, duration: b.duration}.measure(ctx, "-f", file)
}

// pgbenchRun is a run of pgbench with all clients.
type pgbenchRun struct {
	path, dir  string
	url        string // of the database
	postmaster int
	duration   time.Duration // of the window
	start      time.Duration // that it is given before its warm-up; pgbenchStart if zero
}

// measure runs the script that the arguments choose and counts what ends in the window, by pgbench's own log of each transaction.
// Its backends live until it ends, which is after the window.
func (p pgbenchRun) measure(ctx context.Context, script ...string) (measurement, error) {
	dir, err := os.MkdirTemp(p.dir, "pgbench")
	if err != nil {
		return measurement{}, fmt.Errorf("make a directory for pgbench: %w", err)
	}
	start := cmp.Or(p.start, pgbenchStart)
	lasts := math.Ceil((start + pgbenchEnd + warmUp(p.duration) + p.duration).Seconds())
	args := append([]string{
		"-n", "-M", "prepared", "-c", strconv.Itoa(clients), "-j", "2", "-T", strconv.Itoa(int(lasts)), "-l", "--log-prefix=" + filepath.Join(dir, "log"),
	}, script...)
	cmd := exec.CommandContext(ctx, p.path, append(args, p.url)...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		return measurement{}, fmt.Errorf("start pgbench: %w", err)
	}
	m := meter{postmaster: p.postmaster, process: cpuOf(cmd.Process.Pid)}
	time.Sleep(start + warmUp(p.duration))
	before, from := m.read(), time.Now()
	time.Sleep(p.duration)
	until, after := time.Now(), m.read()
	if err := cmd.Wait(); err != nil {
		return measurement{}, fmt.Errorf("run pgbench: %w: %s", err, &output)
	}
	latencies, err := readPgbenchLog(dir, from, until)
	if err != nil {
		return measurement{}, err
	}
	switch {
	case len(latencies) == 0 && start >= longestPgbenchStart:
		return measurement{}, fmt.Errorf("pgbench ended no transaction between %s and %s, by its own clock", from, until)
	case len(latencies) == 0: // it was still connecting
		p.start, p.duration = 2*start, 2*p.duration
		return p.measure(ctx, script...)
	}
	r := measured(strategies.Result{Latencies: latencies, Elapsed: until.Sub(from)}, before, after)
	r.mallocs, r.bytes = 0, 0 // this process did nothing
	return r, nil
}

// readPgbenchLog returns the latencies, in ascending order, of the transactions that ended between two times. Each line
// tells client, number, latency in microseconds, script, and when the transaction ended in seconds and microseconds.
func readPgbenchLog(dir string, from, until time.Time) ([]time.Duration, error) {
	files, err := filepath.Glob(filepath.Join(dir, "log.*"))
	if err != nil {
		return nil, err
	}
	var latencies []time.Duration
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read pgbench's log: %w", err)
		}
		lines := bufio.NewScanner(bytes.NewReader(text))
		for lines.Scan() {
			fields := strings.Fields(lines.Text())
			if len(fields) < 6 {
				return nil, fmt.Errorf("read pgbench's log: %q", lines.Text())
			}
			var numbers [3]int64 // latency, seconds, microseconds
			for i, f := range []string{fields[2], fields[4], fields[5]} {
				if numbers[i], err = strconv.ParseInt(f, 10, 64); err != nil {
					return nil, fmt.Errorf("read pgbench's log: %w", err)
				}
			}
			if ended := time.Unix(numbers[1], numbers[2]*1000); ended.After(from) && !ended.After(until) {
				latencies = append(latencies, time.Duration(numbers[0])*time.Microsecond)
			}
		}
	}
	slices.Sort(latencies)
	return latencies, nil
}

// findPgbench returns the pgbench of PG_BIN, where tests put one with another clock, or beside the server's programs if that isn't set, else the
// one in the path, else "".
func findPgbench(binDir string) string {
	for _, name := range []string{filepath.Join(cmp.Or(os.Getenv("PG_BIN"), binDir), "pgbench"), "pgbench"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
