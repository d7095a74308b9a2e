package preflight

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// oneNode refuses Citus, unless the schema is distributed, connections are made to the node that has it, and the other
// nodes can do nothing with it: locks that are taken at different nodes don't exclude each other. A schema that isn't
// distributed yet may be migrated.
func (p *probe) oneNode(ctx context.Context) (string, error) {
	if !p.facts.Citus {
		return "it has no extension that spreads it over several nodes", nil
	}
	var found string
	err := core.WithConns(ctx, p.url, 1, func(conns []*pgx.Conn) error {
		if core.OnCitus(conns[0]) {
			switch all, err := core.OwnerSeesAll(ctx, conns[0]); {
			case err != nil:
				return err
			case !all:
				return &failedCheck{
					meaning: "Citus moves the schema as the owner of its tables, from whom row-level security hides their rows",
					advice:  "at the coordinator: ALTER ROLE … BYPASSRLS for the owner",
				}
			}
			refusing, err := p.othersRefuse(ctx)
			found = fmt.Sprintf("Citus has the schema on this node; %d other nodes refuse to use it", refusing)
			return err
		}
		distributed, err := core.HasDistributedTables(ctx, conns[0])
		if err == nil && (!p.migrating || distributed) {
			err = &failedCheck{meaning: "it has Citus, on whose nodes locks don't exclude each other",
				advice: "distribute the schema with citus_schema_distribute and name all nodes in the URL, as docs/citus.md says, " +
					"or use a database without the extension citus"}
		}
		found = "it has Citus, and the schema isn't distributed yet"
		return err
	})
	return found, err
}

// othersRefuse tries to read as a tenant at each other node of the URL that can be reached, and returns how many
// refuse. A node that doesn't would also take locks of its own.
func (p *probe) othersRefuse(ctx context.Context) (refusing int, err error) {
	for _, cfg := range core.EachHost(p.url) {
		conn, err := pgx.ConnectConfig(ctx, cfg)
		if err != nil {
			continue
		}
		if facts, err := dbsqlc.New(conn).PreflightFacts(ctx); err == nil && sameDatabase(p.facts, facts) {
			_ = conn.Close(ctx)
			continue
		}
		err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			q := dbsqlc.New(tx)
			if err := q.SessionApp(ctx); err != nil {
				return err
			}
			_, err := q.IdempotencyList(ctx, uuid.Nil, nil)
			return err
		})
		_ = conn.Close(context.WithoutCancel(ctx))
		if err == nil {
			return refusing, &failedCheck{
				meaning: fmt.Sprintf("the node %s:%d uses the schema, although another node has it", cfg.Host,
					cfg.Port),
				advice: "ALTER ROLE … NOLOGIN for holdfast_app and the other roles of Holdfast: " +
					"they must not get from node to node",
			}
		}
		refusing++
	}
	return refusing, nil
}
