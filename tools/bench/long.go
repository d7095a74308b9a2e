package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/postgres"
)

// longRun is bookings over many dates of many tenants, for long, on servers as they are shipped: each has its embedded database,
// whose checkpoints and autovacuum run.
type longRun struct {
	window  time.Duration // how long each measurement takes
	forced  bool          // each begins with a checkpoint
	machine machine
	servers []*longServer
}

// mostBookings bounds how many bookings a database is filled with.
const mostBookings = 20_000_000

// longServer is one server of a longRun.
type longServer struct {
	*bench
	name          string
	conn          *pgx.Conn   // to the embedded database
	today         *longServer // today's, beside which it is measured; nil for today's itself
	before, after databaseState
	windows       []longWindow
}

// longWindowLength is how long each measurement of a long run takes.
const longWindowLength = 30 * time.Second

// longWindow is one measurement of a server.
type longWindow struct {
	measurement
	at           time.Duration // since the run began
	checkpointed bool          // a checkpoint ended meanwhile
}

// databaseState is what a database has come to.
type databaseState struct {
	bytes, bookings, vacuums int64
	cache                    string // shared_buffers
}

// measureLong measures today's server for as long as given, and in turns with it the server of the commit base, if there is one. Each
// database has so many bookings at first.
func measureLong(ctx context.Context, base string, s size, whole, window time.Duration, forced bool, out io.Writer) (_ *longRun, err error) {
	r := &longRun{window: window, forced: forced}
	dir, err := os.MkdirTemp("", "hfbench")
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	defer func() {
		for _, l := range r.servers {
			l.stop()
		}
		_ = os.RemoveAll(dir)
	}()
	commits := []string{"", base}
	if base == "" {
		commits = commits[:1]
	}
	for i, commit := range commits {
		var today *longServer
		if i > 0 {
			today = r.servers[0]
		}
		l, err := startShipped(ctx, today, filepath.Join(dir, strconv.Itoa(i)), commit, s, window, out)
		if err != nil {
			return nil, err
		}
		r.servers = append(r.servers, l)
		r.machine = describeMachine(ctx, l.versions)
	}
	began := time.Now()
	turns := []int{0}
	if base != "" {
		turns = []int{1, 0, 0, 1} // each comes first once, so that none gains by its place
	}
	for range max(int(whole/window)*len(commits)/len(turns), 1) {
		for _, i := range turns {
			if err := r.servers[i].measureWindow(ctx, began, forced); err != nil {
				return nil, err
			}
		}
	}
	for _, l := range r.servers {
		if l.after, err = l.state(ctx); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// startShipped builds and starts the server of a commit with its embedded database, and fills that. Without a commit it is today's
// server, and today is nil.
func startShipped(
	ctx context.Context, today *longServer, dir, commit string, s size, window time.Duration, out io.Writer,
) (_ *longServer, err error) {
	b := &bench{size: s, duration: window, out: out}
	l := &longServer{bench: b, today: today, name: cmp.Or(commit, "today")}
	defer func() {
		if err != nil {
			l.stop()
		}
	}()
	if err := os.MkdirAll(dir, 0o711); err != nil { // the database's user has to pass through
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	if err := os.Chmod(filepath.Dir(dir), 0o711); err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	b.say("building and starting the server: " + l.name)
	if commit == "" {
		b.binary, err = buildToday(ctx, dir)
	} else {
		b.binary, err = buildCommit(ctx, dir, commit)
	}
	if err != nil {
		return nil, err
	}
	if b.server, err = startServer(ctx, dir, b.binary, ""); err != nil {
		return nil, err
	}
	url, running := postgres.Running(filepath.Join(dir, "data"))
	if !running {
		return nil, errors.New("the server's database isn't running")
	}
	if l.conn, err = pgx.Connect(ctx, url); err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	b.say(fmt.Sprintf("filling the database with %d bookings", s.bookings*s.uncontended))
	if today == nil {
		err = b.fill(ctx, url)
	} else {
		err = l.fillFrom(ctx, today, dir, url)
	}
	if err != nil {
		return nil, err
	}
	b.logEnd = func() int64 {
		end, _ := l.position(ctx, "pg_current_wal_lsn()") // the next statement tells what is wrong
		return end
	}
	l.before, err = l.state(ctx)
	return l, err
}

// fillFrom fills the database of the server of a commit, whose sources are in dir. Its sellers and their API keys are those of today's
// database.
func (l *longServer) fillFrom(ctx context.Context, today *longServer, dir, url string) error {
	l.fixture, l.apiKeys = today.fixture, today.apiKeys
	if err := l.fillAsCommit(ctx, dir, url); err != nil {
		return err
	}
	return l.askDatabase(ctx, url)
}

// stop ends everything that startShipped has started.
func (l *longServer) stop() {
	if l.conn != nil {
		_ = l.conn.Close(context.Background())
	}
	if l.today != nil {
		l.fixture = nil // it is today's
	}
	l.bench.stop()
}

// measureWindow measures the server once. With forced it makes a checkpoint before.
func (l *longServer) measureWindow(ctx context.Context, began time.Time, forced bool) error {
	if forced {
		if _, err := l.conn.Exec(ctx, "CHECKPOINT"); err != nil {
			return fmt.Errorf("make a checkpoint: %w", err)
		}
	}
	before, err := l.position(ctx, lastCheckpoint)
	if err != nil {
		return err
	}
	at := time.Since(began)
	m, err := l.throughHTTP(ctx, clients, func(ctx context.Context, c *client) error { return l.bookThrough(ctx, c, l.anyOrder()) })
	if err != nil {
		return fmt.Errorf("book for long: %w", err)
	}
	after, err := l.position(ctx, lastCheckpoint)
	if err != nil {
		return err
	}
	l.windows = append(l.windows, longWindow{m, at, after != before})
	l.say(fmt.Sprintf("%s: %.0f bookings/s", l.name, m.rate))
	return nil
}

// lastCheckpoint is where the last complete checkpoint began.
const lastCheckpoint = "(SELECT redo_lsn FROM pg_control_checkpoint())"

// position asks for a position in the database's log, in bytes from its beginning.
func (l *longServer) position(ctx context.Context, expression string) (position int64, err error) {
	if err = l.conn.QueryRow(ctx, "SELECT ("+expression+" - '0/0')::bigint").Scan(&position); err != nil {
		return 0, fmt.Errorf("ask for a position in the log: %w", err)
	}
	return position, nil
}

// state asks the database.
func (l *longServer) state(ctx context.Context) (s databaseState, err error) {
	err = l.conn.QueryRow(ctx, `SELECT pg_database_size(current_database()), (SELECT count(*) FROM bookings),
		(SELECT sum(autovacuum_count)::bigint FROM pg_stat_user_tables), current_setting('shared_buffers')`).
		Scan(&s.bytes, &s.bookings, &s.vacuums, &s.cache)
	if err != nil {
		return s, fmt.Errorf("ask the database how it is: %w", err)
	}
	return s, nil
}

// write prints a table of the measurements, and one of the ratios if there are two servers.
func (r *longRun) write(out io.Writer) error {
	var b strings.Builder
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(&b, format, args...) }
	say("%s\nThe servers have their embedded databases. Each measurement takes %s, with %d clients through HTTP", r.machine, r.window, clients)
	if r.forced {
		say(", and begins with a checkpoint")
	}
	say(".\n")
	for _, l := range r.servers {
		say("\n%s: shared_buffers %s; the database grew from %.1f to %.1f GB, from %d to %d bookings; autovacuum ran %d times.\n\n", l.name,
			l.before.cache, float64(l.before.bytes)/1e9, float64(l.after.bytes)/1e9, l.before.bookings, l.after.bookings,
			l.after.vacuums-l.before.vacuums)
		say("| from minute | bookings/s | p50 ms | p99 ms | server's CPU µs | database's CPU µs | load's CPU µs | WAL kB/booking | checkpoint |\n")
		say("|--:|--:|--:|--:|--:|--:|--:|--:|---|\n")
		for _, s := range l.windows {
			checkpoint := ""
			if s.checkpointed {
				checkpoint = "ended"
			}
			say("| %.1f | %.0f | %.1f | %.1f | %d | %d | %d | %.1f | %s |\n", s.at.Minutes(), s.rate,
				s.p50.Seconds()*1e3, s.p99.Seconds()*1e3, s.process.Microseconds(), s.database.Microseconds(), s.other.Microseconds(), s.log/1e3, checkpoint)
		}
	}
	if _, err := io.WriteString(out, b.String()+"\n"); err != nil || len(r.servers) == 1 {
		return err
	}
	return r.compare().write(out)
}

// compare pairs the measurements of both servers.
func (r *longRun) compare() *comparison {
	today, base := r.servers[0], r.servers[1]
	c := &comparison{base: "the one of " + base.name, duration: r.window, machine: r.machine}
	for i := 0; i+1 < len(base.windows); i += 2 {
		c.add(manyTenants, mean(base.windows[i].measurement, base.windows[i+1].measurement),
			mean(today.windows[i].measurement, today.windows[i+1].measurement))
		c.rounds++
	}
	return c
}
