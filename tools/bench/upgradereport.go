package main

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"holdfast/migrations"
	"holdfast/tools/bench/strategies"
)

// shownFailures and shownLines bound how many kinds of failures, and lines of a server's log, a report has.
const (
	shownFailures = 20
	shownLines    = 5
)

// failures returns how many requests failed.
func (u *upgrade) failures() (n int) {
	for _, r := range u.requests {
		if r.failure != "" {
			n++
		}
	}
	return n
}

// failure is an error if a request failed, or a booking isn't as its client was told.
func (u *upgrade) failure() error {
	if failed := u.failures(); failed > 0 || u.differing > 0 {
		return fmt.Errorf("%d of %d requests failed, and %d of %d bookings aren't as their clients were told", failed, len(u.requests), u.differing, u.told)
	}
	return nil
}

// write prints what was seen of the upgrade.
func (u *upgrade) write(out io.Writer) error {
	var b strings.Builder
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(&b, format, args...) }
	say("%s\nFrom the older server, %s, to today's, with %d bookings. %d clients, a request every %s each; they repeat none. %d of %d requests failed. "+
		"%d of %d bookings aren't as the last answer said.\n\n", u.machine, u.base, u.bookings, upgradeClients, upgradePace, u.failures(), len(u.requests), u.differing, u.told)
	u.writePhases(say)
	u.writeMigrations(say)
	u.writeFailures(say)
	_, err := io.WriteString(out, b.String())
	return err
}

func (u *upgrade) writePhases(say func(string, ...any)) {
	ms := func(d time.Duration) float64 { return d.Seconds() * 1e3 }
	say("| phase | s | requests | failed | p50 ms | p99 ms | longest ms | longest wait of a request for a lock, ms |\n|---|--:|--:|--:|--:|--:|--:|---|\n")
	for phase, name := range upgradePhases {
		var latencies []time.Duration
		failed := 0
		for _, r := range u.requests {
			if r.phase == phase {
				latencies = append(latencies, r.took)
				if r.failure != "" {
					failed++
				}
			}
		}
		all := strategies.NewResult(latencies)
		var longest lockWait
		for by, w := range u.waits {
			if by.phase == phase && by.name != migrateName && w.took > longest.took {
				longest = w
			}
		}
		say("| %s | %.1f | %d | %d | %.1f | %.1f | %.1f | %s |\n", name, u.began[phase+1].Sub(u.began[phase]).Seconds(), len(latencies), failed,
			ms(all.Quantile(0.5)), ms(all.Quantile(0.99)), ms(all.Quantile(1)), longest)
	}
}

func (u *upgrade) writeMigrations(say func(string, ...any)) {
	say("\n`holdfast migrate` took %.1f s. It tried again %d times because a table was in use. Its longest wait for a lock, in ms: %s.\n\n| migration | s |\n|---|--:|\n",
		u.took.Seconds(), u.again, u.waits[waiter{phaseMigrations, migrateName}])
	before := u.began[phaseMigrations]
	for _, m := range u.migrations {
		name := fmt.Sprintf("%05d", m.version)
		if files, err := fs.Glob(migrations.FS, name+"_*.sql"); err == nil && len(files) == 1 {
			name = strings.TrimSuffix(files[0], ".sql")
		}
		say("| %s | %.2f |\n", name, m.at.Sub(before).Seconds())
		before = m.at
	}
}

// writeFailures prints how often requests failed in the same way, and what the servers logged as errors.
func (u *upgrade) writeFailures(say func(string, ...any)) {
	type failure struct{ phase, server, name, text string }
	counts := map[failure]int{}
	for _, r := range u.requests {
		if r.failure != "" {
			counts[failure{upgradePhases[r.phase], r.server, r.name, r.failure}]++
		}
	}
	kinds := slices.SortedFunc(maps.Keys(counts), func(x, y failure) int { return cmp.Compare(counts[y], counts[x]) })
	for _, f := range kinds[:min(len(kinds), shownFailures)] {
		say("\n%d × %s of %s, %s: %s", counts[f], f.name, f.server, f.phase, f.text)
	}
	for _, server := range slices.Sorted(maps.Keys(u.errorLines)) {
		lines := u.errorLines[server]
		say("\n%s logged %d errors:\n%s", server, len(lines), strings.Join(lines[:min(len(lines), shownLines)], "\n"))
	}
	say("\n")
}

// String returns how long the wait was, in ms, and for what.
func (w lockWait) String() string {
	if w.took == 0 {
		return "none seen"
	}
	return fmt.Sprintf("%.0f: %s, `%s`", w.took.Seconds()*1e3, w.what, w.statement)
}

// errorLinesOf returns the lines of a log that tell of errors.
func errorLinesOf(log string) (lines []string) {
	for line := range strings.Lines(log) {
		if strings.Contains(line, "level=ERROR") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}
