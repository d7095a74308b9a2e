package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"holdfast/internal/payment/sandbox"
	"holdfast/internal/servertest"
)

const (
	upgradeClients = 16
	// upgradePace is the time from one request of a client to its next one. A client whose answer takes longer sends its next request at
	// once.
	upgradePace  = 50 * time.Millisecond
	upgradePhase = 10 * time.Second
	// announceDelay is for how long a server that was told to stop still serves, while /readyz fails.
	announceDelay = time.Second
)

// What connects to the database, by application_name.
const (
	olderServer  = "older-server"
	todaysServer = "todays-server"
	migrateName  = "migrate"
)

// upgradePhases are the parts of an upgrade, as docs/operations.md describes it.
var upgradePhases = []string{
	"older server, older tables", "migrations", "older server, new tables", "both servers", "older server stops, today's serves",
}

// Indexes of upgradePhases.
const (
	phaseBefore = iota
	phaseMigrations
	phaseMigrated
	phaseBoth
	phaseAfter
)

// upgradeConfig says what is upgraded.
type upgradeConfig struct {
	base                   string // what the older server is, as in "the one of 9c88500"
	buildOlder, buildToday func(ctx context.Context, dir string) (string, error)
	bookings               int           // that the database has before the upgrade
	phase                  time.Duration // how long each phase takes, except for the migrations
}

// upgradeFrom is the upgrade from the server of a commit to today's.
func upgradeFrom(commit string, bookings int) upgradeConfig {
	return upgradeConfig{
		base: "the one of " + commit, bookings: bookings, phase: upgradePhase,
		buildOlder: func(ctx context.Context, dir string) (string, error) {
			return servertest.BuildCommit(ctx, dir, commit)
		},
		buildToday: buildToday,
	}
}

// upgrade is an upgrade under load, and what was seen of it.
type upgrade struct {
	upgradeConfig
	*eventDatabase

	machine  machine
	sandbox  *sandbox.Server
	catalog  []upgradeService
	balancer balancer
	phaseNow atomic.Int32
	began    []time.Time // of each phase, and last the end
	logs     map[string]servertest.Output

	requests   []upgradeRequest
	migrations []migrationSeen
	took       time.Duration // by the command that migrates
	again      int           // how often that command found a table in use and tried again
	waits      map[waiter]lockWait
	errorLines map[string][]string // of the logs of servers that have some
	differing  int                 // bookings that aren't in the database as a client was told
	told       int                 // bookings that clients were told of
}

// The sandbox's credentials, and the key of the admin API.
const (
	upgradeSandboxKey    = "sk_bench"
	upgradeSandboxSecret = "whsec_bench"
	upgradeAdminKey      = "6f1c9a04b7d25e83f0a9c3d4e5b61728"
)

// measureUpgrade fills a database of the older server, and upgrades it while clients send requests.
func measureUpgrade(ctx context.Context, cfg upgradeConfig, out io.Writer) (_ *upgrade, err error) {
	u := &upgrade{upgradeConfig: cfg, logs: map[string]servertest.Output{}, errorLines: map[string][]string{}}
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }
	if u.eventDatabase, err = startEmptyDatabase(ctx); err != nil {
		return nil, err
	}
	defer u.stop()
	u.machine = describeMachine(ctx, u.versions)
	say("building the older server, %s, and today's", cfg.base)
	binaries := map[string]string{}
	for name, build := range map[string]func(context.Context, string) (string, error){olderServer: cfg.buildOlder, todaysServer: cfg.buildToday} {
		dir := filepath.Join(u.dir, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make a directory: %w", err)
		}
		if binaries[name], err = build(ctx, dir); err != nil {
			return nil, err
		}
	}
	// Both servers use one provider, as they do in an upgrade.
	if u.sandbox, err = sandbox.Start(sandbox.Config{
		File: filepath.Join(u.dir, "sandbox"), Key: upgradeSandboxKey, WebhookSecret: upgradeSandboxSecret,
	}); err != nil {
		return nil, err
	}
	defer func() { _ = u.sandbox.Close() }()
	older, err := u.start(ctx, olderServer, binaries[olderServer])
	if err != nil {
		return nil, err
	}
	defer older.Kill()
	say("filling the database with %d bookings", cfg.bookings)
	if err := u.fill(ctx, older); err != nil {
		return nil, err
	}
	err = u.run(ctx, older, binaries[todaysServer], say)
	return u, err
}

// start starts a server on the database. Its connections have its name.
func (u *upgrade) start(ctx context.Context, name, binary string) (*server, error) {
	dir := filepath.Join(u.dir, name)
	s, err := startServer(ctx, dir, binary, u.urlOf(name), "HOLDFAST_ADMIN_KEY="+upgradeAdminKey, "HOLDFAST_SANDBOX_URL="+u.sandbox.URL(),
		"HOLDFAST_SANDBOX_KEY="+upgradeSandboxKey, "HOLDFAST_SANDBOX_WEBHOOK_SECRET="+upgradeSandboxSecret,
		"HOLDFAST_ANNOUNCE_DELAY="+announceDelay.String())
	if err != nil {
		return nil, err
	}
	s.name = name
	u.logs[name] = s.Stderr
	return s, nil
}

// urlOf returns the database's URL for connections with a name.
func (u *upgrade) urlOf(name string) string { return u.server.URL() + "&application_name=" + name }

// run upgrades as docs/operations.md says: today's program migrates, today's server starts beside the older one, and the older one stops.
func (u *upgrade) run(ctx context.Context, older *server, binary string, say func(string, ...any)) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	u.balancer.add(older)
	watching, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	var watchers, clients sync.WaitGroup
	watch := func(run func(context.Context) error) {
		watchers.Go(func() {
			if err := run(watching); err != nil && watching.Err() == nil {
				cancel(err)
			}
		})
	}
	u.enter(phaseBefore, say)
	watch(u.balancer.run)
	watch(u.watchDatabase)
	over := make(chan struct{})
	all := make([]*upgradeClient, upgradeClients)
	for i := range all {
		all[i] = newUpgradeClient(u, i)
		clients.Go(func() { all[i].run(ctx, over) })
	}
	var today *server
	err = func() error {
		if err := pause(ctx, u.phase); err != nil {
			return err
		}
		u.enter(phaseMigrations, say)
		if err := u.migrate(ctx, binary); err != nil {
			return err
		}
		u.enter(phaseMigrated, say)
		if err := pause(ctx, u.phase); err != nil {
			return err
		}
		u.enter(phaseBoth, say)
		if today, err = u.start(ctx, todaysServer, binary); err != nil {
			return err
		}
		u.balancer.add(today)
		if err := pause(ctx, u.phase); err != nil {
			return err
		}
		u.enter(phaseAfter, say)
		if err := older.Stop(startLimit); err != nil {
			return err
		}
		return pause(ctx, u.phase)
	}()
	close(over)
	clients.Wait()
	u.began = append(u.began, time.Now())
	stopWatching()
	watchers.Wait()
	if today != nil {
		err = errors.Join(err, today.Stop(startLimit))
	}
	if err != nil {
		return err
	}
	for _, c := range all {
		u.requests = append(u.requests, c.requests...)
	}
	for name, log := range u.logs {
		if lines := errorLinesOf(log.String()); len(lines) > 0 {
			u.errorLines[name] = lines
		}
	}
	return u.compareWithTold(ctx, all)
}

// enter begins a phase.
func (u *upgrade) enter(phase int, say func(string, ...any)) {
	say("%s", upgradePhases[phase])
	u.began = append(u.began, time.Now())
	u.phaseNow.Store(int32(phase))
}

// migrate runs the command that migrates, of today's program.
func (u *upgrade) migrate(ctx context.Context, binary string) error {
	start := time.Now()
	p, err := servertest.Start(servertest.Config{
		Binary: binary, Args: []string{"migrate"}, OutputDir: filepath.Join(u.dir, migrateName),
		Env: []string{"HOLDFAST_DATABASE_URL=" + u.urlOf(migrateName), "HOLDFAST_DATA_DIR=" + filepath.Join(u.dir, migrateName)},
	})
	if err != nil {
		return err
	}
	select {
	case <-p.Exited():
	case <-ctx.Done():
		p.Kill()
		return fmt.Errorf("migrate: %w", context.Cause(ctx))
	}
	u.took = time.Since(start)
	log := p.Stderr.String()
	u.again = strings.Count(log, "a table to be migrated is in use")
	if !p.State().Success() {
		return fmt.Errorf("migrate: %s: %s", p.State(), log)
	}
	return nil
}

// pause returns after d, or with an error when ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("upgrade under load: %w", context.Cause(ctx))
	}
}

// compareWithTold counts the bookings that aren't in the database as the last answer said.
func (u *upgrade) compareWithTold(ctx context.Context, all []*upgradeClient) error {
	var ids, states []string
	for _, c := range all {
		for id, status := range c.told {
			ids, states = append(ids, id), append(states, status)
		}
	}
	u.told = len(ids)
	if err := u.conn.QueryRow(ctx, `SELECT count(*) FROM unnest($1::uuid[], $2::text[]) AS told (booking_id, status)
		LEFT JOIN bookings b USING (booking_id) WHERE b.status IS DISTINCT FROM told.status`, ids, states).Scan(&u.differing); err != nil {
		return fmt.Errorf("compare the bookings with what clients were told: %w", err)
	}
	return nil
}
