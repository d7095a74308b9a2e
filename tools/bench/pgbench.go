package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"holdfast/tools/bench/strategies"
)

// pgbenchStart is what pgbench is given to connect and to plan before its warm-up, and pgbenchEnd to run on after the
// window.
const (
	pgbenchStart = time.Second
	pgbenchEnd   = 400 * time.Millisecond
	// longestPgbenchStart is the most that it is given to connect.
	longestPgbenchStart = 32 * time.Second
)

// pgbench runs pgbench on a database of the server with all clients and the script that the arguments choose.
func (d *database) pgbench(ctx context.Context, url string, duration time.Duration, script ...string,
) (measurement, error) {
	for start := pgbenchStart; ; start, duration = 2*start, 2*duration {
		m, err := d.pgbenchOnce(ctx, url, start, duration, script)
		if !errors.Is(err, errNoTransaction) || start >= longestPgbenchStart {
			return m, err
		}
	}
}

// errNoTransaction says that pgbench was still connecting.
var errNoTransaction = errors.New("pgbench ended no transaction in the window, by its own clock")

// pgbenchOnce counts what ends in the window, by pgbench's own log of each transaction. Its backends live until it
// ends, which is after the window. start is what it is given before its warm-up.
func (d *database) pgbenchOnce(ctx context.Context, url string, start, duration time.Duration, script []string,
) (measurement, error) {
	dir, err := os.MkdirTemp(d.dir, "pgbench")
	if err != nil {
		return measurement{}, fmt.Errorf("make a directory for pgbench: %w", err)
	}
	lasts := math.Ceil((start + pgbenchEnd + warmUp(duration) + duration).Seconds())
	args := append([]string{
		"-n", "-M", "prepared", "-c", strconv.Itoa(clients), "-j", "2", "-T", strconv.Itoa(int(lasts)),
		"-l", "--log-prefix=" + filepath.Join(dir, "log"),
	}, script...)
	cmd := exec.CommandContext(ctx, d.pgbenchPath, append(args, url)...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		return measurement{}, fmt.Errorf("start pgbench: %w", err)
	}
	m := meter{postmaster: d.postmaster, process: cpuOf(cmd.Process.Pid)}
	time.Sleep(start + warmUp(duration))
	before, from := m.read(), time.Now()
	time.Sleep(duration)
	until, after := time.Now(), m.read()
	if err := cmd.Wait(); err != nil {
		return measurement{}, fmt.Errorf("run pgbench: %w: %s", err, &output)
	}
	latencies, err := readPgbenchLog(dir, from, until)
	if err != nil {
		return measurement{}, err
	}
	if len(latencies) == 0 {
		return measurement{}, errNoTransaction
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
			var number, latency, seconds, microseconds int64
			if _, err := fmt.Sscan(lines.Text(), &number, &number, &latency, &number, &seconds,
				&microseconds); err != nil {
				return nil, fmt.Errorf("read pgbench's log: %w", err)
			}
			if ended := time.Unix(seconds, microseconds*1000); ended.After(from) && !ended.After(until) {
				latencies = append(latencies, time.Duration(latency)*time.Microsecond)
			}
		}
	}
	slices.Sort(latencies)
	return latencies, nil
}

// findPgbench returns the pgbench of PG_BIN, where tests put one with another clock, or beside the server's programs if
// that isn't set, else the one in the path, else "".
func findPgbench(binDir string) string {
	for _, name := range []string{filepath.Join(cmp.Or(os.Getenv("PG_BIN"), binDir), "pgbench"), "pgbench"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
