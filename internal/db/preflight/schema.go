package preflight

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3/database"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// schemaText lists what the migrations make of an empty database, a line each. `make generate/schema` writes it.
//
//go:embed schema.txt
var schemaText string

// compareLockTimeout bounds the wait for a table that somebody has locked: PostgreSQL locks tables to describe some of
// their parts.
const compareLockTimeout = 2 * time.Second

// maxNamed bounds how many differences a check names.
const maxNamed = 5

// schemaObject is a line of SchemaDifferenceList: a part of the schema.
type schemaObject struct {
	kind, table, name, definition string
}

func readSchemaObject(line string) schemaObject {
	parts := strings.SplitN(line, "\t", 4)
	for len(parts) < 4 {
		parts = append(parts, "")
	}
	return schemaObject{kind: parts[0], table: parts[1], name: parts[2], definition: parts[3]}
}

// String names the object for people.
func (o schemaObject) String() string {
	switch {
	case o.kind == "row-level security":
		return "row-level security of " + o.table
	case o.kind == "grant":
		return "grant on " + o.table + " to " + o.name
	case o.table == "":
		return o.kind + " " + o.name
	}
	return o.kind + " " + o.name + " of " + o.table
}

// guards reports whether Holdfast would be wrong without the object, or requests would fail. Without the others it is
// slower.
func (o schemaObject) guards() bool { return o.kind != "index" && o.kind != "statistics" }

// heldBy reports whether what was found in the object's place serves as well: a constraint that hasn't looked at the
// rows of before holds for new ones, and a role may be granted more than it needs.
func (o schemaObject) heldBy(found schemaObject) bool {
	switch o.kind {
	case "constraint":
		return found.definition == o.definition+notValid
	case "grant":
		for _, privilege := range o.definition {
			if !strings.ContainsRune(found.definition, privilege) {
				return false
			}
		}
		return true
	}
	return false
}

const notValid = " NOT VALID"

// admits reports whether the object is a policy that shows Holdfast's own roles, or all, more rows of one of Holdfast's
// tables.
func (o schemaObject) admits() bool {
	return o.kind == "policy" && strings.Contains(schemaText, "\npolicy\t"+o.table+"\t") &&
		strings.HasPrefix(o.definition, "permissive") &&
		(strings.Contains(o.definition, "PUBLIC") || strings.Contains(o.definition, "holdfast_"))
}

// differences lists what is missing in the schema, and what is there in another form. What is there besides is the
// operator's, but for policies that open a tenant's rows to others.
type differences struct{ guards, others []string }

// compareSchema compares the schema with that of the migrations. That of a newer version is its own.
func (p *probe) compareSchema(ctx context.Context) (d differences, err error) {
	if p.newer {
		return d, nil
	}
	var rows []dbsqlc.SchemaDifferenceListRow
	err = core.WithConns(ctx, p.url, 1, func(conns []*pgx.Conn) error {
		return pgx.BeginFunc(ctx, conns[0], func(tx pgx.Tx) error { // the setting ends with it, also behind a pooler
			q := dbsqlc.New(tx)
			if err := q.SessionLockTimeout(ctx, strconv.FormatInt(compareLockTimeout.Milliseconds(), 10)); err != nil {
				return err
			}
			rows, err = q.SchemaDifferenceList(ctx, strings.Split(strings.TrimSpace(schemaText), "\n"))
			return err
		})
	})
	switch {
	case core.StateOf(err) == core.LockNotAvailable:
		return d, &failedCheck{
			meaning: "the schema can't be compared: a table is locked", advice: "see holdfast locks, and try again",
			cause: err,
		}
	case err != nil:
		return d, fmt.Errorf("compare the schema: %w", err)
	}
	found, expected := map[schemaObject]schemaObject{}, map[string]bool{}
	for _, row := range rows {
		if o := readSchemaObject(row.Expected); row.Expected != "" {
			expected[o.kind+o.table+o.name] = true
		}
		if o := readSchemaObject(row.Found); row.Found != "" {
			key := o
			key.definition = ""
			found[key] = o
		}
	}
	for _, row := range rows {
		if row.Expected == "" {
			if o := readSchemaObject(row.Found); o.admits() && !expected[o.kind+o.table+o.name] {
				d.guards = append(d.guards, o.String()+" isn't Holdfast's")
			}
			continue
		}
		o := readSchemaObject(row.Expected)
		key := o
		key.definition = ""
		got, there := found[key]
		text := o.String()
		switch {
		case !there:
			text += " is missing"
		case o.heldBy(got) && o.kind == "grant":
			continue
		case o.heldBy(got):
			text += " hasn't looked at the rows of before: ALTER TABLE " + o.table + " VALIDATE CONSTRAINT " + o.name
		case strings.HasSuffix(got.definition, " INVALID"):
			text += " isn't valid"
		default:
			text += fmt.Sprintf(" is %q", got.definition)
		}
		if o.guards() && !(there && o.heldBy(got)) {
			d.guards = append(d.guards, text)
		} else {
			d.others = append(d.others, text)
		}
	}
	return d, nil
}

// notCompared is what guards and indexes say of the schema of a newer version.
const notCompared = "not compared: a newer version migrated the database"

func named(list []string) string {
	text := strings.Join(list[:min(len(list), maxNamed)], "; ")
	if more := len(list) - maxNamed; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

const restoreAdvice = "a database that Holdfast migrated has it all: restore it from a backup, or make again what is missing as the " +
	"files in migrations do; holdfast doctor names all of it"

// migrated compares the migrations that were applied with those of this program.
func (p *probe) migrated(ctx context.Context) (string, error) {
	versions, err := migrationVersions()
	if err != nil {
		return "", err
	}
	applied := map[int64]bool{}
	cfg := p.direct.Copy()
	cfg.DefaultQueryExecMode = pgx.QueryExecModeExec
	db := stdlib.OpenDB(*cfg)
	defer func() { _ = db.Close() }()
	history, err := database.NewStore(database.DialectPostgres, "goose_db_version")
	if err != nil {
		return "", fmt.Errorf("read the history of migrations: %w", err)
	}
	list, err := history.ListMigrations(ctx, db)
	if err != nil {
		return "", fmt.Errorf("read the history of migrations: %w", err)
	}
	newest := versions[len(versions)-1]
	var newer int64
	for _, m := range list {
		applied[m.Version] = m.IsApplied
		newer = max(newer, m.Version)
	}
	var missing []string
	for _, v := range versions {
		if !applied[v] {
			missing = append(missing, fmt.Sprintf("%05d", v))
		}
	}
	switch {
	case len(missing) > 0:
		return "", &failedCheck{
			meaning: fmt.Sprintf("%d of the %d migrations of this version are missing: %s", len(missing), len(versions),
				named(missing)),
			advice: "run holdfast migrate of this version",
		}
	case newer > newest:
		p.newer = true
		return fmt.Sprintf("a newer version migrated it, to %05d: this one knows migrations up to %05d", newer, newest),
			nil
	}
	return fmt.Sprintf("all %d migrations up to %05d", len(versions), newest), nil
}

// guards are what stands behind the locks, and between tenants.
func (p *probe) guards(ctx context.Context) (string, error) {
	d, err := p.compareSchema(ctx)
	if err != nil {
		return "", err
	}
	if len(d.guards) > 0 {
		return "", &failedCheck{meaning: named(d.guards), advice: restoreAdvice}
	}
	if p.newer {
		return notCompared, nil
	}
	return "columns, constraints, unique indexes, row-level security and grants are those of this version", nil
}

// indexes are those without which requests are slower, and constraints that hold for new rows only.
func (p *probe) indexes(ctx context.Context) (string, error) {
	d, err := p.compareSchema(ctx)
	if err != nil {
		return "", err
	}
	if len(d.others) > 0 {
		return "", &failedCheck{
			meaning: named(d.others),
			advice:  "make it again with CREATE INDEX CONCURRENTLY, as the files in migrations do; drop first what isn't valid",
		}
	}
	if p.newer {
		return notCompared, nil
	}
	return "all are there and valid", nil
}

// login says what the login is allowed that it doesn't need, and what it isn't that helps at night.
func (p *probe) login(ctx context.Context) (string, error) {
	l, err := p.readLogin(ctx)
	if err != nil {
		return "", err
	}
	switch {
	case l.Bypasses:
		return "", &failedCheck{
			meaning: l.Login + " is a superuser, or bypasses row-level security: a fault that forgets the role of a statement would " +
				"reach " +
				"all tenants",
			advice: "use a login of Holdfast's own that owns its database: docs/operations.md, PostgreSQL of your own",
		}
	case !l.ReadsSessions:
		return "", &failedCheck{
			meaning: l.Login + " doesn't see what sessions of other logins do: " +
				"holdfast locks can't show whose lock it waits for, and since when",
			advice: "as a superuser: GRANT pg_read_all_stats TO " + pgx.Identifier{l.Login}.Sanitize(),
		}
	}
	return l.Login + " has the rights that it needs", nil
}

// connections compares how many connections a server makes with how many it may make.
func (p *probe) connections(ctx context.Context) (string, error) {
	l, err := p.readLogin(ctx)
	if err != nil {
		return "", err
	}
	needs := p.conns + extraConns
	for _, limit := range []struct {
		conns  int32
		of, by string
	}{
		{l.LoginLimit, "the login " + l.Login,
			"ALTER ROLE " + pgx.Identifier{l.Login}.Sanitize() + " CONNECTION LIMIT"},
		{l.DatabaseLimit, "the database", "ALTER DATABASE … CONNECTION LIMIT"},
		{l.ServerLimit, "the server, besides those for superusers,", "raise max_connections to more than"},
	} {
		if limit.conns >= 0 && limit.conns < needs {
			return "", &failedCheck{
				meaning: fmt.Sprintf("%s allows %d connections, and one server of Holdfast takes up to %d", limit.of,
					limit.conns, needs),
				advice: fmt.Sprintf("%s %d for each server, or lower HOLDFAST_DATABASE_CONNS", limit.by, needs),
			}
		}
	}
	return fmt.Sprintf("one server takes up to %d, and that many are allowed", needs), nil
}

// extraConns is how many connections a server makes besides its pool: for its locks' view, for notifications, and two
// for the cleanup.
const extraConns = 4

func (p *probe) readLogin(ctx context.Context) (l dbsqlc.PreflightLoginRow, err error) {
	err = core.WithConns(ctx, p.url, 1, func(conns []*pgx.Conn) (err error) {
		l, err = dbsqlc.New(conns[0]).PreflightLogin(ctx)
		return err
	})
	return l, err
}
