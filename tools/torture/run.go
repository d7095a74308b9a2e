// Package torture runs the whole system under load while everything around it breaks, and keeps a history outside of it
// by which its promises are judged. See docs/torture.md.
package torture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"holdfast/tools/torture/check"
	"holdfast/tools/torture/cluster"
	"holdfast/tools/torture/history"
	"holdfast/tools/torture/nemesis"
	"holdfast/tools/torture/workload"
)

const (
	startLimit = 5 * time.Minute
	// overtime is how long clients, faults and servers may take to end after the load.
	overtime   = 5 * time.Minute
	settlePoll = 250 * time.Millisecond
	// internalError is what a server answers when it doesn't know what went wrong.
	internalError = "500 internal_error"
)

// Run runs a torture and returns its report. An error says that the run itself failed and nothing is known; what the
// system did wrong stands in the report. It returns pgtest.ErrNotInstalled for a mode whose program isn't installed.
// The run's files are removed unless there is a violation or an error, and always the database.
func Run(ctx context.Context, cfg Config) (report Report, err error) {
	cfg = cfg.withDefaults()
	dir, err := makeDir(cfg.Dir)
	if err != nil {
		return report, err
	}
	r := &run{cfg: cfg, dir: dir}
	defer func() { err = errors.Join(err, r.clean(err != nil || len(report.Violations) > 0)) }()
	if cfg.Binary == "" {
		if r.cfg.Binary, err = cluster.Build(ctx, dir); err != nil {
			return report, err
		}
	}
	if err := r.start(ctx); err != nil {
		return report, err
	}
	return r.torture(ctx)
}

// run is a run in progress.
type run struct {
	cfg      Config
	dir      string
	cluster  *cluster.Cluster
	history  *history.Writer
	workload *workload.Workload
	report   Report
}

// makeDir makes the run's directory. Its path is short, because there will be a socket in it.
func makeDir(parent string) (string, error) {
	dir, err := os.MkdirTemp(parent, "torture")
	if err != nil {
		return "", fmt.Errorf("make the run's directory: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", fmt.Errorf("make the run's directory: %w", err)
	}
	if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // G302: the database's user has to pass through
		return "", fmt.Errorf("open the run's directory: %w", err)
	}
	return dir, nil
}

func (r *run) start(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if r.cluster, err = cluster.Start(ctx, cluster.Config{
		Dir:       r.dir,
		Binary:    r.cfg.Binary,
		Seed:      r.cfg.Seed,
		Servers:   r.cfg.Servers,
		Pooled:    r.cfg.Mode == PgBouncer,
		Databases: r.cfg.databases(),
		Env:       r.cfg.Env,
		Rewrite:   r.cfg.Rewrite,
	}); err != nil {
		return fmt.Errorf("start the cluster: %w", err)
	}
	for _, d := range r.databases() {
		if err := check.Watch(ctx, d); err != nil {
			return fmt.Errorf("prepare the database: %w", err)
		}
		if r.cfg.Prepare == nil {
			continue
		}
		if err := r.cfg.Prepare(ctx, d.URL); err != nil {
			return fmt.Errorf("prepare the database: %w", err)
		}
	}
	if r.history, err = history.Create(r.historyPath()); err != nil {
		return err
	}
	servers := make([]string, len(r.cluster.Servers))
	for i, s := range r.cluster.Servers {
		servers[i] = "http://" + s.Front.Addr()
	}
	cfg := workload.Config{
		Seed:       r.cfg.Seed,
		Clients:    r.cfg.Clients,
		Pace:       r.cfg.Pace,
		Servers:    servers,
		AdminKey:   cluster.AdminKey,
		History:    r.history,
		Operations: r.cfg.Operations,
		Enough:     r.cfg.Enough,
		OnlyShaped: r.cfg.OnlyShaped,
	}
	if r.cfg.Webhooks {
		cfg.Receiver = r.cluster.Receiver
	}
	if r.cfg.Mode == Cells {
		cfg.Cells = cellNames
	}
	r.workload, err = workload.New(ctx, cfg)
	return err
}

// databases returns where the databases are now.
func (r *run) databases() []check.Database {
	list := make([]check.Database, len(r.cluster.Databases))
	for i, d := range r.cluster.Databases {
		list[i] = check.Database{Cell: d.Name, URL: d.URL()}
	}
	return list
}

func (r *run) historyPath() string { return filepath.Join(r.dir, "history.jsonl") }

func (r *run) torture(ctx context.Context) (Report, error) {
	r.report = Report{Seed: r.cfg.Seed, Mode: r.cfg.Mode, Servers: r.cfg.Servers, Clients: r.cfg.Clients,
		Asked: r.cfg.Duration, Dir: r.dir}
	if err := r.load(ctx); err != nil {
		return r.report, err
	}
	if err := r.settle(ctx); err != nil {
		return r.report, err
	}
	for _, p := range r.cluster.Processes() {
		for _, crash := range p.Crashes() {
			r.violate("process", crash)
		}
	}
	for _, p := range r.cluster.Paths() {
		r.report.CommitsCut += p.Commits.Cut()
	}
	err := r.judge(ctx, true)
	if n := r.report.Answers[internalError]; n > 0 {
		r.violate("answers",
			fmt.Sprintf("%d answers were %s: whatever broke, it has a code of its own. "+
				"The servers' logs say what it was.",
				n, internalError))
	}
	return r.report, err
}

// load has clients and faults at the system for the run's duration, until each client has its last answer and each
// fault is undone.
func (r *run) load(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, r.cfg.Duration+overtime)
	defer cancel()
	load, end := context.WithTimeout(ctx, r.cfg.Duration)
	defer end()
	began := time.Now()
	var all errgroup.Group
	all.Go(func() error {
		defer end() // whatever ends the clients ends the faults
		return r.workload.Run(ctx, load)
	})
	all.Go(func() (err error) {
		r.report.Faults, err = nemesis.Run(ctx, load, r.cluster, r.cfg.Faults, r.cfg.Seed)
		return err
	})
	if r.cfg.Actor != nil {
		all.Go(func() error { return r.cfg.Actor(ctx, load, r.cluster) })
	}
	if r.cfg.CheckEvery > 0 {
		all.Go(func() error { return r.watch(load, end) })
	}
	<-load.Done()
	r.report.Lasted = time.Since(began)
	if err := all.Wait(); err != nil {
		return fmt.Errorf("under load: %w", err)
	}
	if err := r.cluster.Ready(ctx); err != nil {
		return fmt.Errorf("after the load: %w", err)
	}
	return nil
}

// watch judges the history under load, and ends the load at the first violation.
func (r *run) watch(load context.Context, end context.CancelFunc) error {
	ticker := time.NewTicker(r.cfg.CheckEvery)
	defer ticker.Stop()
	for {
		select {
		case <-load.Done():
			return nil
		case <-ticker.C:
		}
		if err := r.judge(load, false); err != nil && load.Err() == nil {
			return err
		}
		if len(r.report.Violations) > 0 {
			r.report.CaughtAfter = r.history.Now()
			end()
			return nil
		}
	}
}

// settle waits until nothing is unknown any more.
func (r *run) settle(ctx context.Context) error {
	limit, cancel := context.WithTimeout(ctx, r.cfg.Settle)
	defer cancel()
	began := time.Now()
	var clients errgroup.Group
	clients.Go(func() (err error) {
		r.report.Unknown, err = r.workload.Settle(limit)
		return err
	})
	var open cluster.Open
	for asking := true; asking || open != (cluster.Open{}); {
		if limit.Err() != nil {
			break
		}
		if asking {
			if err := clients.Wait(); err != nil {
				return err
			}
			asking = false
		}
		p, err := r.progress(ctx)
		if err != nil {
			return err
		}
		open = p.Open
		time.Sleep(settlePoll)
	}
	r.report.Settled, r.report.Open = time.Since(began), open
	if open != (cluster.Open{}) || r.report.Unknown.Still > 0 {
		r.violate("settlement",
			fmt.Sprintf("%s after the load and the faults %s have no end, and %d requests that were repeated have no answer.",
				r.cfg.Settle, open, r.report.Unknown.Still))
	}
	return nil
}

// progress has webhooks sent again, and counts what is open and what has changed.
func (r *run) progress(ctx context.Context) (p Progress, err error) {
	if err := r.cluster.HurryWebhooks(ctx); err != nil {
		return p, err
	}
	if p.Open, err = r.cluster.Open(ctx); err != nil {
		return p, err
	}
	p.Changes, err = r.cluster.Changes(ctx)
	return p, err
}

// judge reads the history and has it checked.
func (r *run) judge(ctx context.Context, final bool) error {
	if final {
		if err := r.history.Close(); err != nil {
			return err
		}
	}
	ops, err := history.Read(r.historyPath())
	if err != nil {
		return err
	}
	r.report.count(ops)
	if r.cfg.Check == nil {
		return nil
	}
	e := Evidence{Operations: ops, Final: final, Databases: r.databases(), ProviderURL: r.cluster.Provider.URL}
	e.Settled, e.Progress = r.report.Open == cluster.Open{}, r.progress
	if r.cfg.Webhooks {
		e.Webhooks = r.cluster.Receiver.Received
	}
	found, err := r.cfg.Check(ctx, e)
	if err != nil {
		return fmt.Errorf("check the history: %w", err)
	}
	r.report.Violations = append(r.report.Violations, found...)
	return nil
}

func (r *run) violate(rule, detail string) {
	r.report.Violations = append(r.report.Violations, Violation{Rule: rule, Detail: detail})
}

// clean ends all processes, and removes the run's files unless they are to be kept. Then the directory output has what
// the processes wrote.
func (r *run) clean(keep bool) error {
	var errs []error
	if r.cluster != nil {
		errs = append(errs, r.cluster.Close())
	}
	if !keep {
		return errors.Join(append(errs, os.RemoveAll(r.dir))...)
	}
	for _, name := range []string{"database", "holdfast", "time.go", "overlay.json"} {
		errs = append(errs, os.RemoveAll(filepath.Join(r.dir, name)))
	}
	return errors.Join(append(errs,
		os.WriteFile(filepath.Join(r.dir, "report.txt"), []byte(r.report.String()), 0o600))...)
}
