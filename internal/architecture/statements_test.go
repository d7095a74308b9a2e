package architecture_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// crossTenant lists the statements that may read or write a table without naming a tenant, each with its
// reason.
var crossTenant = map[string]string{
	"APIKeyRecordUse":          "records when keys of any tenant were used, as the worker's role; it is given the tenants and their keys",
	"CleanupDeleteExpired":     "keys expire whoever they belong to; a role of its own sees nothing else, and no request waits for it",
	"EventLease":               "workers lease what is due of every tenant, as a role of their own",
	"EventLeaseDeliveries":     "workers lease what is due of every tenant, as a role of their own",
	"EventLeaseFairly":         "workers lease what is due of every tenant, as a role of their own",
	"EventDeleteEnded":         "a worker deletes old events of every tenant, as a role of its own",
	"EventFinish":              "a worker records the results of events of any tenant, each named with its tenant, as a role of its own",
	"EventFollowers":           "a worker finds what may follow its results, of every tenant, as a role of its own",
	"EventListAcross":          "lists the events of all tenants, for the operator alone",
	"EventPollWork":            "a worker polls what is due of any tenant, as a role of its own",
	"EventRenew":               "a worker renews leases on events of any tenant, each named with its tenant, as a role of its own",
	"EventRescue":              "a worker takes back events of every tenant, as a role of its own",
	"EventRescueAttempts":      "a worker takes back events of every tenant, as a role of its own",
	"EventSample":              "counts the due events of all tenants for metrics, as the worker's role",
	"EventStats":               "counts the events of all tenants, for the operator alone",
	"LockBookingList":          "gives balance locks their names, for the operator alone: it is given the tenants to look at",
	"ChangeGetManyAcross":      "reads the events of deliveries to the operator, as the worker's role: each is asked for with its tenant",
	"WebhookRangeGetAcross":    "counts the events of all tenants that the operator has delivered again, as the worker's role",
	"WebhookRangeReplayAcross": "plans deliveries of the events of all tenants to the operator, as the worker's role",
	"ChangeAhead":              "compares the changes of all tenants with the cluster's transaction ids, before a server serves",
	"FeedCustomerReset":        "mends the customers of all tenants after the database was restored, before a server serves",
	"ChangeDeleteOld":          "a worker deletes old changes of every tenant, as a role of its own",
	"ChangeDeleteOldArrived":   "a worker deletes old changes of tenants that came from other cells, as a role of its own",
	"FeedEpochSet":             "ends the cursors of all tenants after the database was restored, before a server serves",
	"ChangeLower":              "mends the changes of all tenants after the database was restored, before a server serves",
	"FeedRelay":                "the relay plans what follows from the changes of all tenants, as a role of its own",
	"FeedRelayCount":           "the relay counts the changes of all tenants that it takes, as a role of its own",
	"FeedRelayLag":             "reads how far the relay of all tenants is behind, as the worker's role",
	"FeedPositionLock":         "keeps others from mending the feed of all tenants, before a server serves",
	"FeedPositionLower":        "mends the positions of all tenants' readers after the database was restored, before a server serves",
	"ReconcileList":            "compares payments with the provider's journal, for the operator alone",
	"ReconcileListByReference": "compares the provider's journal with payments, for the operator alone: each payment is asked for with " +
		"its tenant",
	"ReconcileListTenants":     "tells whose payments those are that the provider has under another tenant, for the operator alone",
	"FeedListAcross":           "reads the feed of all tenants, for the operator alone",
	"PaymentAccountListAcross": "lists the accounts whose journals are compared with payments, for the operator alone",
	"PaymentAccountTenants":    "finds the tenants of an account that a webhook is about, as the operator's role",
	"PaymentListAcross":        "lists the payments of all tenants, for the operator alone",
	"TenantDeletionNext":       "finds a tenant that is to be deleted, as the operator's role",
	"TenantFind":               "finds a tenant by its slug or id, for the operator alone",
	"DirectoryList":            "lists which tenants are in which cell, for the operator alone",
	"DirectoryLower":           "mends a directory that was restored from another cluster, for the operator alone",
	"TenantListNames":          "lists the names of all tenants, for the operator alone",
	"TenantList":               "lists all tenants, for the operator alone",
}

var (
	comment = regexp.MustCompile(`(?m)--.*$`)
	// touched finds the tables that a statement reads or writes.
	touched = regexp.MustCompile(`(?i)\b(FROM|JOIN|INTO|UPDATE|USING)\s+(?:ONLY\s+)?([a-z_]+)`)
	// byTenant finds the conditions that tie a table to a tenant; one table is tied to a parameter and the
	// others to that one.
	byTenant  = regexp.MustCompile(`\btenant_id = `)
	parameter = regexp.MustCompile(`\btenant_id = (?:\$1\b|sqlc\.arg\(tenant_id\))`)
	inserted  = regexp.MustCompile(`(?i)\bINSERT INTO [a-z_]+ \(tenant_id,`)
)

func TestStatements_NameTheTenantOfEveryTable(t *testing.T) {
	t.Parallel()
	tables := tableNames(t)
	needed := map[string]string{}
	for _, s := range statements(t) {
		var uses int
		for _, match := range touched.FindAllStringSubmatch(s.sql, -1) {
			if slices.Contains(tables, match[2]) {
				uses++
			}
		}
		inserts := len(inserted.FindAllString(s.sql, -1))
		tied := len(byTenant.FindAllString(s.sql, -1)) + inserts
		if uses == 0 || tied >= uses && (inserts > 0 || parameter.MatchString(s.sql)) {
			continue
		}
		reason, allowed := crossTenant[s.name]
		require.True(t, allowed, "%s in %s reads or writes %d tables and names the tenant of %d", s.name, s.file, uses,
			tied)
		needed[s.name] = reason
	}
	require.Equal(t, crossTenant, needed, "an exception that nothing needs is taken off the list")
}

// A query says SELECT *, so that a table's columns are listed by its migration alone. What runs is what sqlc wrote: a
// server doesn't read a column that is newer than it is.
func TestStatements_EnumerateTheirColumns(t *testing.T) {
	t.Parallel()
	star := regexp.MustCompile(`(?i)SELECT\s+([a-z_]+\.)?\*|RETURNING\s+\*`)
	found := false
	for _, name := range walk(t, ".go") {
		if strings.HasSuffix(name, ".sql.go") {
			require.NotRegexp(t, star, read(t, name), name)
			found = true
		}
	}
	require.True(t, found)
}

// A sharded PostgreSQL runs a write on each copy of a row. A function that gives another value each time would make the
// copies differ, so it refuses the write. Times are read in the first batch and passed in; a statement that is a
// transaction by itself takes its own start.
func TestStatements_WritesHaveNoVolatileFunction(t *testing.T) {
	t.Parallel()
	write := regexp.MustCompile(`(?i)\b(INSERT INTO|UPDATE [a-z_]+\s|DELETE FROM)`)
	volatile := regexp.MustCompile(`(?i)\b(clock_timestamp|gen_random_uuid|nextval|random|timeofday|txid_current)\(`)
	for _, s := range statements(t) {
		if write.MatchString(s.sql) {
			require.NotRegexp(t, volatile, s.sql, "%s in %s", s.name, s.file)
		}
	}
}

// Citus prints such a CASE of a write wrongly: see docs/adr/0042-citus.md.
func TestStatements_CaseOfAWrite_ComparesInItsWhen(t *testing.T) {
	t.Parallel()
	write := regexp.MustCompile(`(?i)\b(INSERT INTO|UPDATE [a-z_]+\s|DELETE FROM)`)
	for _, s := range statements(t) {
		if write.MatchString(s.sql) {
			require.NotRegexp(t, `(?i)\bCASE\s+(?:[a-z_]+\.)?[a-z_]+(?:\([^)]*\)(?:::[a-z]+)?)?\s+WHEN`, s.sql,
				"%s in %s", s.name, s.file)
		}
	}
}

// A sharded PostgreSQL refuses a subquery among the values of an INSERT. FROM takes one.
func TestStatements_InsertedValuesHaveNoSubquery(t *testing.T) {
	t.Parallel()
	value := regexp.MustCompile(`(?is)INSERT INTO [a-z_]+ \([^)]*\)\s+(?:VALUES|SELECT)\b(.*)`)
	from := regexp.MustCompile(`\b(FROM|WHERE)\b`)
	found := 0
	for _, s := range statements(t) {
		for _, part := range regexp.MustCompile(`(?i)\bINSERT INTO\b`).FindAllStringIndex(s.sql, -1) {
			values := value.FindStringSubmatch(s.sql[part[0]:])
			require.NotNil(t, values, s.name)
			require.NotRegexp(t, `(?i)\(\s*SELECT\b`, from.Split(values[1], 2)[0], "%s in %s", s.name, s.file)
			found++
		}
	}
	require.NotZero(t, found)
}

// A sharded PostgreSQL runs each part of a statement on the shard of its tenant.
func TestStatements_EachLateralNamesItsTenant(t *testing.T) {
	t.Parallel()
	tables := tableNames(t)
	found := 0
	for _, s := range statements(t) {
		for _, after := range strings.Split(s.sql, "LATERAL (")[1:] {
			part := after[:closing(after)]
			uses := 0
			for _, match := range touched.FindAllStringSubmatch(part, -1) {
				if slices.Contains(tables, match[2]) {
					uses++
				}
			}
			_, across := crossTenant[s.name]
			require.True(t, across || len(byTenant.FindAllString(part, -1)) >= uses, "%s in %s: %s", s.name, s.file,
				part)
			found++
		}
	}
	require.NotZero(t, found)
}

// closing returns where a parenthesis ends that was opened before the text.
func closing(text string) int {
	open := 1
	for i, c := range text {
		switch c {
		case '(':
			open++
		case ')':
			open--
		}
		if open == 0 {
			return i
		}
	}
	return len(text)
}

type statement struct {
	file, name, sql string
}

func statements(t *testing.T) []statement {
	t.Helper()
	var all []statement
	seen := map[string]bool{}
	for _, file := range walk(t, ".sql") {
		if !strings.HasPrefix(file, "sql/queries/") {
			continue
		}
		for _, part := range strings.Split(read(t, file), "-- name: ")[1:] {
			name, sql, _ := strings.Cut(part, " ")
			require.False(t, seen[name], "%s is the name of one statement", name)
			seen[name] = true
			sql = comment.ReplaceAllString(strings.SplitN(sql, "\n", 2)[1], "")
			all = append(all, statement{file: file, name: name, sql: sql})
		}
	}
	require.NotEmpty(t, all)
	return all
}

// tableNames lists the tables that the migrations create.
func tableNames(t *testing.T) []string {
	t.Helper()
	create := regexp.MustCompile(`(?i)\bCREATE TABLE (?:IF NOT EXISTS )?([a-z_]+)`)
	found := map[string]bool{}
	for _, name := range walk(t, ".sql") {
		if strings.HasPrefix(name, "migrations/") {
			for _, match := range create.FindAllStringSubmatch(read(t, name), -1) {
				found[match[1]] = true
			}
		}
	}
	require.NotEmpty(t, found)
	return slices.Sorted(maps.Keys(found))
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(text)
}
