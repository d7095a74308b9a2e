package core

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"holdfast/internal/db/internal/dbsqlc"
)

// A cell may be a distributed schema of Citus, whose tables are on one node. There, Citus runs statements in the
// session that sends them, so that settings, locks, plans and transaction ids are those of one PostgreSQL. So a
// connection is made to the node that has the schema. A session at another node can do nothing: Citus would go on as
// the role of the statement, which can't log in. See docs/adr/0042-citus.md.

// onCitus is where a connection keeps that it is one to a distributed schema.
const onCitus = "holdfast.citus"

// The tables are those of Citus, and only there. Citus copies what it moves as the tables' owner.
const (
	ownerSeesAll = `SELECT bool_and(r.rolsuper OR r.rolbypassrls)
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_roles r ON r.oid = c.relowner
WHERE c.relkind = 'r' AND c.relnamespace = to_regnamespace(quote_ident(current_schema()))`
	hasCitus     = "SELECT to_regclass('pg_catalog.pg_dist_schema') IS NOT NULL"
	schemaIsHere = `SELECT bool_and(p.groupid = (SELECT l.groupid FROM pg_catalog.pg_dist_local_group l))
FROM pg_catalog.pg_dist_schema s
JOIN pg_catalog.pg_dist_partition t ON t.colocationid = s.colocationid
JOIN pg_catalog.pg_dist_shard h ON h.logicalrelid = t.logicalrelid
JOIN pg_catalog.pg_dist_placement p ON p.shardid = h.shardid
WHERE s.schemaid = to_regnamespace(quote_ident(current_schema()))`
	hasDistributed = `SELECT EXISTS (
    SELECT FROM pg_catalog.pg_dist_partition t
    JOIN pg_catalog.pg_class c ON c.oid = t.logicalrelid
    WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())))`
)

// errSchemaElsewhere is why a connection isn't made to a node.
var errSchemaElsewhere = errors.New("the schema isn't distributed by Citus, or is on another node")

// ParseConfig reads a database URL. If the URL names several nodes of Citus, connections are made to the one that has
// the schema.
func ParseConfig(url string) (*pgx.ConnConfig, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	findSchema(cfg)
	return cfg, nil
}

// findSchema does for cfg what ParseConfig says. target_session_attrs chooses among the hosts otherwise.
func findSchema(cfg *pgx.ConnConfig) {
	several := false
	for _, f := range cfg.Fallbacks {
		several = several || f.Host != cfg.Host || f.Port != cfg.Port
	}
	if !several || cfg.ValidateConnect != nil {
		return
	}
	cfg.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		citus, err := isTrue(ctx, conn, hasCitus)
		if err != nil || !citus {
			return err
		}
		switch here, err := isTrue(ctx, conn, schemaIsHere); {
		case err != nil:
			return err
		case !here:
			return errSchemaElsewhere
		}
		conn.CustomData()[onCitus] = true
		return nil
	}
}

// OnCitus reports whether a connection was made to the node of Citus that has the schema, as ParseConfig says.
func OnCitus(conn *pgx.Conn) bool { return conn.PgConn().CustomData()[onCitus] != nil }

// isTrue runs a query of one boolean. Null is false.
func isTrue(ctx context.Context, conn *pgconn.PgConn, sql string) (bool, error) {
	results, err := conn.Exec(ctx, sql).ReadAll()
	if err != nil {
		return false, fmt.Errorf("look where the schema is: %w", err)
	}
	return len(results) == 1 && len(results[0].Rows) == 1 && string(results[0].Rows[0][0]) == "t", nil
}

// leftNode reports whether a statement failed because Citus, which has moved the schema, sent it to another node.
// Nothing was written.
func (t *Tx) leftNode(err error) bool {
	return OnCitus(t.conn.Conn()) && strings.HasPrefix(StateOf(err), connectionClass)
}

// becomeAppFirst queues, on Citus, that no statement runs at another node: that node doesn't let the role in.
func (t *Tx) becomeAppFirst(b *batch) {
	if OnCitus(t.conn.Conn()) {
		exec(b, own, "become the role first", func(q *dbsqlc.Queries) error { return q.SessionApp(t.Ctx) })
	}
}

// planForCitus queues that statements are planned for their values: Citus has no generic plans of statements that write
// twice.
func (t *Tx) planForCitus(b *batch) {
	if OnCitus(t.conn.Conn()) {
		exec(b, own, "plan for values", func(q *dbsqlc.Queries) error { return q.SessionPlanForValues(t.Ctx) })
	}
}

// HasDistributedTables reports whether Citus has distributed a table of the connection's schema, in whatever way.
func HasDistributedTables(ctx context.Context, conn *pgx.Conn) (bool, error) {
	if citus, err := isTrue(ctx, conn.PgConn(), hasCitus); err != nil || !citus {
		return false, err
	}
	return isTrue(ctx, conn.PgConn(), hasDistributed)
}

// OwnerSeesAll reports whether row-level security hides no row from the owner of the tables of the connection's schema.
func OwnerSeesAll(ctx context.Context, conn *pgx.Conn) (bool, error) {
	return isTrue(ctx, conn.PgConn(), ownerSeesAll)
}

// EachHost returns how a connection to each host of a URL is made.
func EachHost(cfg *pgx.ConnConfig) (list []*pgx.ConnConfig) {
	add := func(host string, port uint16, tls *tls.Config) {
		for _, c := range list {
			if c.Host == host && c.Port == port {
				return // once with TLS and once without it
			}
		}
		one := cfg.Copy()
		one.Host, one.Port, one.TLSConfig, one.Fallbacks, one.ValidateConnect = host, port, tls, nil, nil
		list = append(list, one)
	}
	add(cfg.Host, cfg.Port, cfg.TLSConfig)
	for _, f := range cfg.Fallbacks {
		add(f.Host, f.Port, f.TLSConfig)
	}
	return list
}
