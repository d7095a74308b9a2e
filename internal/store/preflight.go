package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/store/internal/dbsqlc"
)

const (
	minServerVersion = 14_00_00 // multiranges
	preflightTimeout = 30 * time.Second
	// preflightConns is how many connections are compared to learn whether they reach one server. A balancer that picks
	// one of two servers at random is missed once in 256 times.
	preflightConns = 8
)

// Results of a check.
const (
	CheckOK      = "ok"
	CheckFailed  = "failed"
	CheckSkipped = "skipped" // because one before it failed
	CheckAdvice  = "advice"  // Holdfast works, but not as well as it could
)

// CheckResult is the result of one preflight check.
type CheckResult struct {
	Check  string `json:"check"`
	Result string `json:"result"` // CheckOK, CheckFailed, CheckSkipped or CheckAdvice
	// Meaning says what was found. Advice says what to do, if there is something.
	Meaning string `json:"meaning"`
	Advice  string `json:"advice,omitempty"`
}

// check is one thing that a database must do before Holdfast serves on it.
type check struct {
	name string
	// run returns what it found, or an error, preferably a failedCheck.
	run func(ctx context.Context) (string, error)
	// vital says that the checks after it can't be made if it fails.
	vital bool
	// early says that a database must pass before it is migrated: the check needs no tables, and what it finds would
	// spoil the migrations.
	early bool
	// advises says that a server serves all the same if it fails.
	advises bool
}

// checks lists the checks in their order.
func (p *preflight) checks() []check {
	return []check{
		{name: "connection", run: p.connection, vital: true, early: true},
		{name: "direct connection", run: p.directConnection, vital: true, early: true},
		{name: "primary", run: p.primary, vital: true, early: true},
		{name: "version", run: p.version, early: true},
		{name: "default isolation", run: p.isolation, early: true},
		{name: "one server", run: p.oneServer, vital: true, early: true},
		{name: "lock functions", run: p.lockFunctions, early: true},
		{name: "session locks", run: p.sessionLocks, early: true},
		{name: "release", run: p.release, vital: true, early: true},
		{name: "transaction locks", run: p.transactionLocks},
		{name: "schema", run: p.schema, vital: true},
		{name: "commits", run: p.commits, advises: true},
		{name: "visibility", run: p.visibility},
		{name: "durability", run: p.durability, advises: true},
		{name: "log compression", run: p.logCompression, advises: true},
		{name: "checkpoints", run: p.checkpoints, advises: true},
	}
}

// preflight makes the checks on one database.
type preflight struct {
	url, direct *pgx.ConnConfig // direct is url if there is no other way
	// facts are what connection and directConnection were told.
	facts, directFacts dbsqlc.PreflightFactsRow
}

// Preflight shows that this database keeps Holdfast's promises, and returns an error that names the failed check and the remedy.
// It checks that it is one server, a primary, of version 14 or later, at READ COMMITTED by default; that a transaction lock
// keeps a second connection out until the first commits; that the second then sees what the first wrote; that a
// session lock excludes and stays with the direct connection. Engines and poolers exist whose lock functions answer
// and do nothing. It takes up to 30 s, and locks random keys only.
func (s *Store) Preflight(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, preflightTimeout)
	defer cancel()
	if err := s.preflight().require(ctx, false); err != nil {
		return err
	}
	return s.Ping(ctx) // decides about prepared statements, which the first request would do otherwise
}

// Diagnose makes the checks of Preflight, all of those that can be made, and those that only advise. It returns the result of each, and
// takes up to 30 s.
func (s *Store) Diagnose(ctx context.Context) []CheckResult {
	ctx, cancel := context.WithTimeout(ctx, preflightTimeout)
	defer cancel()
	var results []CheckResult
	failed := ""
	for _, c := range s.preflight().checks() {
		f := CheckResult{Check: c.name, Result: CheckSkipped, Meaning: "after " + failed}
		if failed == "" {
			f = c.result(ctx)
			if f.Result == CheckFailed && c.vital {
				failed = c.name
			}
		}
		results = append(results, f)
	}
	return results
}

// result runs the check.
func (c check) result(ctx context.Context) CheckResult {
	found, err := c.run(ctx)
	if err == nil {
		return CheckResult{Check: c.name, Result: CheckOK, Meaning: found}
	}
	var failed *failedCheck
	result := CheckFailed
	switch {
	case !errors.As(err, &failed):
		failed = &failedCheck{meaning: err.Error()}
	case c.advises:
		result = CheckAdvice
	}
	return CheckResult{Check: c.name, Result: result, Meaning: failed.problem(), Advice: failed.advice}
}

func (s *Store) preflight() *preflight {
	return &preflight{url: s.database, direct: s.direct}
}

// checkBeforeMigration makes the checks that a database must pass before it is migrated.
func checkBeforeMigration(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, preflightTimeout)
	defer cancel()
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	return (&preflight{url: cfg, direct: cfg}).require(ctx, true)
}

// require returns the error of the first check that fails: of all checks, or of the early ones.
func (p *preflight) require(ctx context.Context, earlyOnly bool) error {
	for _, c := range p.checks() {
		if earlyOnly && !c.early || c.advises {
			continue
		}
		if _, err := c.run(ctx); err != nil {
			return fmt.Errorf("preflight check of the database: %s: %w", c.name, err)
		}
	}
	return nil
}

func (p *preflight) connection(ctx context.Context) (string, error) {
	pooler := false
	err := withPair(ctx, p.url, func(a, b *pgx.Conn) (err error) {
		if p.facts, err = dbsqlc.New(a).PreflightFacts(ctx); err != nil {
			return err
		}
		pooler, err = shareBackends(ctx, a, b)
		return err
	})
	if err != nil {
		return "", &failedCheck{"the database can't be used", "check HOLDFAST_DATABASE_URL, and that the database runs and lets the login in", err}
	}
	found := fmt.Sprintf("database %s", p.facts.Database)
	if pooler {
		found += ", through a transaction pooler: statements aren't prepared"
	}
	return found, nil
}

func (p *preflight) directConnection(ctx context.Context) (string, error) {
	if p.direct == p.url {
		p.directFacts = p.facts
		return "the same connection", nil
	}
	err := withConns(ctx, p.direct, 1, func(conns []*pgx.Conn) (err error) {
		p.directFacts, err = dbsqlc.New(conns[0]).PreflightFacts(ctx)
		return err
	})
	if err != nil {
		return "", &failedCheck{"the database can't be used", "check HOLDFAST_DIRECT_DATABASE_URL", err}
	}
	if !sameDatabase(p.facts, p.directFacts) {
		return "", &failedCheck{meaning: fmt.Sprintf("the direct connection leads elsewhere: %s instead of %s", describe(p.directFacts), describe(p.facts)),
			advice: "let HOLDFAST_DIRECT_DATABASE_URL and HOLDFAST_DATABASE_URL name one database"}
	}
	return "leads to the same database", nil
}

func (p *preflight) primary(context.Context) (string, error) {
	if p.facts.Standby {
		return "", &failedCheck{meaning: "it is a standby, which can't be written to", advice: "use the primary's address"}
	}
	return "it can be written to", nil
}

func (p *preflight) version(context.Context) (string, error) {
	if p.facts.VersionNumber < minServerVersion {
		return "", &failedCheck{meaning: "it is PostgreSQL " + p.facts.Version, advice: "use PostgreSQL 14 or later"}
	}
	return "PostgreSQL " + p.facts.Version, nil
}

func (p *preflight) isolation(context.Context) (string, error) {
	for _, facts := range []dbsqlc.PreflightFactsRow{p.facts, p.directFacts} {
		if facts.Isolation != "read committed" {
			return "", &failedCheck{
				meaning: "transactions are " + facts.Isolation + " by default: what they read is older than the locks that they waited for",
				advice:  fmt.Sprintf("ALTER DATABASE %s SET default_transaction_isolation = 'read committed', unless the role, the server or the URL sets it", facts.Database),
			}
		}
	}
	return p.facts.Isolation, nil
}

// oneServer compares several connections. Through a pooler they may share one of its own connections;
// transactionLocks compares two that can't.
func (p *preflight) oneServer(ctx context.Context) (string, error) {
	configs := []*pgx.ConnConfig{p.url}
	if p.direct != p.url {
		configs = append(configs, p.direct)
	}
	for _, cfg := range configs {
		err := withConns(ctx, cfg, preflightConns, func(conns []*pgx.Conn) error {
			for _, conn := range conns {
				facts, err := dbsqlc.New(conn).PreflightFacts(ctx)
				if err != nil {
					return err
				}
				if !sameDatabase(p.facts, facts) {
					return differentServers(p.facts, facts)
				}
			}
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d connections reach one server, which started at %s", preflightConns, started(p.facts)), nil
}

func (p *preflight) release(context.Context) (string, error) {
	if p.facts.Unreleased {
		return "", &failedCheck{
			meaning: "its tables are those of a version before 0.1.0",
			advice:  "use a new database, or a new data directory: nothing upgrades one of before 0.1.0",
		}
	}
	return "no version before 0.1.0 made its tables", nil
}

func (p *preflight) schema(context.Context) (string, error) {
	if !p.facts.Migrated {
		return "", &failedCheck{meaning: "there are no tables", advice: "run holdfast migrate"}
	}
	return "its tables are there", nil
}

// sameDatabase compares the moments at which the servers started: two servers can have the same system identifier, if
// one was copied from the other, and to read that may need a privilege.
func sameDatabase(a, b dbsqlc.PreflightFactsRow) bool {
	return a.ServerStarted.Equal(b.ServerStarted) && a.Database == b.Database
}

func differentServers(a, b dbsqlc.PreflightFactsRow) error {
	if b.ServerStarted.Before(a.ServerStarted) {
		a, b = b, a // the message doesn't depend on which server answered first
	}
	return &failedCheck{
		meaning: fmt.Sprintf("one address leads to different servers: %s and %s", describe(a), describe(b)),
		advice:  "use the address of one server: a lock on one means nothing on another",
	}
}

func describe(facts dbsqlc.PreflightFactsRow) string {
	return fmt.Sprintf("database %s of the server that started at %s", facts.Database, started(facts))
}

func started(facts dbsqlc.PreflightFactsRow) string {
	return facts.ServerStarted.UTC().Format(time.RFC3339Nano)
}

// failedCheck says what is wrong with a database and what to do about it.
type failedCheck struct {
	meaning, advice string
	cause           error // may be nil
}

func (u *failedCheck) Error() string {
	if u.advice == "" {
		return u.problem()
	}
	return u.problem() + "; " + u.advice
}

// problem is the error without the advice, on one line: causes may have several.
func (u *failedCheck) problem() string {
	text := u.meaning
	if u.cause != nil {
		text += ": " + u.cause.Error()
	}
	return strings.Join(strings.Fields(text), " ")
}

func (u *failedCheck) Unwrap() error { return u.cause }
