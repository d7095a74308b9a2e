package preflight

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

const (
	minServerVersion = 14_00_00 // multiranges
	// preflightConns is how many connections are compared to learn whether they reach one server. A balancer that picks
	// one of two servers at random is missed once in 256 times.
	preflightConns = 8
)

func (p *probe) connection(ctx context.Context) (string, error) {
	pooler := false
	err := core.WithPair(ctx, p.url, func(a, b *pgx.Conn) (err error) {
		if p.facts, err = dbsqlc.New(a).PreflightFacts(ctx); err != nil {
			return err
		}
		pooler, err = core.ShareBackends(ctx, a, b)
		return err
	})
	if err != nil {
		return "", &failedCheck{"the database can't be used",
			"check HOLDFAST_DATABASE_URL, and that the database runs and lets the login in", err}
	}
	found := databaseName(p.facts)
	if pooler {
		found += ", through a transaction pooler: statements aren't prepared"
	}
	return found, nil
}

func (p *probe) directConnection(ctx context.Context) (string, error) {
	if p.direct == p.url {
		p.directFacts = p.facts
		return "the same connection", nil
	}
	err := core.WithConns(ctx, p.direct, 1, func(conns []*pgx.Conn) (err error) {
		p.directFacts, err = dbsqlc.New(conns[0]).PreflightFacts(ctx)
		return err
	})
	if err != nil {
		return "", &failedCheck{"the database can't be used", "check HOLDFAST_DIRECT_DATABASE_URL", err}
	}
	if !sameDatabase(p.facts, p.directFacts) {
		return "", &failedCheck{meaning: fmt.Sprintf("the direct connection leads elsewhere: %s instead of %s",
			describe(p.directFacts),
			describe(p.facts)),
			advice: "let HOLDFAST_DIRECT_DATABASE_URL and HOLDFAST_DATABASE_URL name one database"}
	}
	return "leads to the same database", nil
}

func (p *probe) primary(context.Context) (string, error) {
	if p.facts.Standby {
		return "", &failedCheck{meaning: "it is a standby, which can't be written to",
			advice: "use the primary's address"}
	}
	return "it can be written to", nil
}

func (p *probe) version(context.Context) (string, error) {
	if p.facts.VersionNumber < minServerVersion {
		return "", &failedCheck{meaning: "it is PostgreSQL " + p.facts.Version, advice: "use PostgreSQL 14 or later"}
	}
	return "PostgreSQL " + p.facts.Version, nil
}

func (p *probe) isolation(context.Context) (string, error) {
	for _, facts := range []dbsqlc.PreflightFactsRow{p.facts, p.directFacts} {
		if facts.Isolation != "read committed" {
			return "", &failedCheck{
				meaning: "transactions are " + facts.Isolation +
					" by default: what they read is older than the locks that they waited for",
				advice: fmt.Sprintf("ALTER DATABASE %s SET default_transaction_isolation = 'read committed', unless the role, the "+
					"server or the URL sets it", facts.Database),
			}
		}
	}
	return p.facts.Isolation, nil
}

// oneServer compares several connections. Through a pooler they may share one of its own connections;
// transactionLocks compares two that can't.
func (p *probe) oneServer(ctx context.Context) (string, error) {
	configs := []*pgx.ConnConfig{p.url}
	if p.direct != p.url {
		configs = append(configs, p.direct)
	}
	for _, cfg := range configs {
		err := core.WithConns(ctx, cfg, preflightConns, func(conns []*pgx.Conn) error {
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

func (p *probe) release(context.Context) (string, error) {
	if p.facts.Unreleased {
		return "", &failedCheck{
			meaning: "its tables are those of a version before 0.1.0",
			advice:  "use a new database, or a new data directory: nothing upgrades one of before 0.1.0",
		}
	}
	return "no version before 0.1.0 made its tables", nil
}

func (p *probe) schema(context.Context) (string, error) {
	if !p.facts.Migrated {
		return "", &failedCheck{meaning: "there are no tables", advice: "run holdfast migrate"}
	}
	return "its tables are there", nil
}
