package architecture_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/cell/tables"
	"holdfast/internal/db/dbtest"
)

// acrossTenants lists the unique keys that don't lead with tenant_id, each with its reason.
var acrossTenants = map[string]string{
	"cell_directory (slug)": "a slug names one tenant among those of all cells",
	"tenants (slug)":        "a slug names one tenant among all; only administrators choose it",
}

func TestSchema_EveryUniqueAndExclusionKey_LeadsWithTheTenant(t *testing.T) {
	t.Parallel()
	rows := query[struct {
		Relation, Columns string
		Primary, Leads    bool
	}](t, `
		SELECT c.relname AS relation, i.indisprimary AS primary,
		       (SELECT string_agg(a.attname, ', ' ORDER BY k.n)
		        FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, n)
		        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
		        WHERE k.n <= i.indnkeyatts) AS columns,
		       coalesce((SELECT a.attname = 'tenant_id' FROM pg_attribute a
		                 WHERE a.attrelid = i.indrelid AND a.attnum = i.indkey[0]), false) AS leads
		FROM pg_index i
		JOIN pg_class c ON c.oid = i.indrelid
		WHERE c.relnamespace = 'public'::regnamespace AND c.relname <> 'goose_db_version'
		  AND (i.indisunique OR i.indisexclusion)`)
	primary := map[string]bool{}
	needed := map[string]string{}
	for _, r := range rows {
		primary[r.Relation] = primary[r.Relation] || r.Primary
		if r.Leads {
			continue
		}
		key := r.Relation + " (" + r.Columns + ")"
		reason, allowed := acrossTenants[key]
		require.True(t, allowed, "%s: tenant_id leads in every unique key, so that tenants can live on different nodes",
			key)
		needed[key] = reason
	}
	require.Equal(t, acrossTenants, needed, "an exception that nothing needs is taken off the list")
	for _, name := range tableNames(t) {
		require.True(t, primary[name], "%s has a primary key", name)
	}
}

func TestSchema_EveryForeignKey_LeadsWithTheTenantAndNeverNullsIt(t *testing.T) {
	t.Parallel()
	rows := query[struct {
		Relation, Definition string
		Leads, Nulls         bool
	}](t, `
		SELECT k.conrelid::regclass::text AS relation, pg_get_constraintdef(k.oid) AS definition,
		       a.attname = 'tenant_id' AND b.attname = 'tenant_id' AS leads,
		       k.confdeltype IN ('n', 'd') OR k.confupdtype IN ('n', 'd') AS nulls
		FROM pg_constraint k
		JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
		JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = k.confkey[1]
		WHERE k.contype = 'f' AND k.connamespace = 'public'::regnamespace`)
	require.NotEmpty(t, rows)
	for _, r := range rows {
		require.True(t, r.Leads, "%s: %s", r.Relation, r.Definition)
		require.False(t, r.Nulls, "%s: %s: setting columns to null would set tenant_id too", r.Relation, r.Definition)
	}
}

// acrossTenantsPolicies lists the policies that show a role of their own more than one tenant, each with its reason.
var acrossTenantsPolicies = map[string]string{
	"api_keys: worker for {holdfast_worker}": "servers record when keys of all tenants were used, and see nothing else of a key",
	"customers: worker for {holdfast_worker}": "the places of customers' events are reset after the database was restored; " +
		"nothing else of a customer is seen",
	"event_attempts: worker for {holdfast_worker}":       "workers handle the events of all tenants",
	"changes: worker for {holdfast_worker}":              "the relay reads the changes of all tenants",
	"feed_positions: feed for {holdfast_app}":            "the feed tells which changes of all tenants were deleted",
	"feed_positions: worker for {holdfast_worker}":       "the relay reads the changes of all tenants",
	"scheduled_events: worker for {holdfast_worker}":     "workers handle the events of all tenants",
	"bookings: operator for {holdfast_operator}":         "gives balance locks their names",
	"cell_directory: operator for {holdfast_operator}":   "which tenants are in which cell",
	"ended_bookings: operator for {holdfast_operator}":   "the operator looks for refunds that nobody makes",
	"idempotency_keys: cleanup for {holdfast_cleanup}":   "the cleanup sees what is expired and finished, and may only delete it",
	"payment_accounts: operator for {holdfast_operator}": "a webhook names an account of any tenant; accounts' journals are compared",
	"payments: operator for {holdfast_operator}":         "the operator compares payments with the provider's journal",
	"scheduled_events: operator for {holdfast_operator}": "the operator lists and counts the events of all tenants",
	"tenant_moves: operator for {holdfast_operator}":     "lists leave out tenants that have moved to another cell",
	"tenant_moves: worker for {holdfast_worker}":         "workers leave out the events of tenants that leave for another cell",
	"tenants: operator for {holdfast_operator}":          "lists tenants, and gives locks their names",
	"tenants: worker for {holdfast_worker}":              "the relay asks whose emails tell of payments",
	"webhook_endpoints: worker for {holdfast_worker}":    "the relay reads which endpoints of all tenants want an event, and no secrets",
}

func TestSchema_EveryTable_IsConfinedByRowLevelSecurity(t *testing.T) {
	t.Parallel()
	rows := query[struct {
		Relation                   string
		Enabled, Forced, Confining bool
	}](t, `
		SELECT c.relname AS relation, c.relrowsecurity AS enabled, c.relforcerowsecurity AS forced,
		       EXISTS (SELECT FROM pg_policy p
		               WHERE p.polrelid = c.oid AND p.polcmd = '*' AND p.polroles = '{0}'
		                 AND pg_get_expr(p.polqual, p.polrelid) LIKE '(tenant_id = %holdfast.tenant_id%') AS confining
		FROM pg_class c
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname <> 'goose_db_version'`)
	var names []string
	for _, r := range rows {
		names = append(names, r.Relation)
		require.True(t, r.Enabled, "row-level security of %s is on", r.Relation)
		require.True(t, r.Forced, "row-level security of %s holds for its owner too", r.Relation)
		require.True(t, r.Confining, "a policy of %s confines all commands to the transaction's tenant", r.Relation)
	}
	require.ElementsMatch(t, tableNames(t), names)
	others := query[string](t, `
		SELECT tablename || ': ' || policyname || ' for ' || roles::text FROM pg_policies
		WHERE permissive = 'PERMISSIVE'
		  AND (roles <> '{public}' OR cmd <> 'ALL' OR qual NOT LIKE '(tenant_id = %holdfast.tenant_id%')`)
	require.ElementsMatch(t, slices.Collect(maps.Keys(acrossTenantsPolicies)), others)
	require.Empty(t, query[string](t, `
		SELECT tablename || ': ' || policyname FROM pg_policies
		WHERE roles <> '{public}' AND position('CURRENT_USER = ''' || roles[1] IN qual) = 0`),
		"the login, a member of these roles, doesn't inherit their policies")
}

func TestSchema_TheRoleThatDeletesTenants_SeesOnlyThoseThatAreDeleting(t *testing.T) {
	t.Parallel()
	require.ElementsMatch(t, query[string](t, `
		SELECT table_name::text FROM information_schema.table_privileges
		WHERE grantee = 'holdfast_deleter' AND privilege_type = 'DELETE'`), query[string](t, `
		SELECT tablename::text FROM pg_policies
		WHERE policyname = 'deletion' AND permissive = 'RESTRICTIVE' AND roles = '{holdfast_deleter}' AND qual LIKE '%deleting%'`))
	var deleted []string
	for _, table := range tables.List {
		if !table.Stays {
			deleted = append(deleted, table.Name)
		}
	}
	require.ElementsMatch(t, deleted, query[string](t, `
		SELECT table_name::text FROM information_schema.table_privileges
		WHERE grantee = 'holdfast_deleter' AND privilege_type = 'DELETE'`), "a deletion leaves no table out")
}

func TestSchema_TheRolesThatStatementsRunAs_CannotBypassRowLevelSecurity(t *testing.T) {
	t.Parallel()
	require.Equal(t, []bool{true, true, true, true, true}, query[bool](t, `
		SELECT NOT (r.rolsuper OR r.rolbypassrls OR r.rolcanlogin OR r.rolcreaterole OR r.rolcreatedb)
		   AND NOT EXISTS (SELECT FROM pg_class c WHERE c.relowner = r.oid)
		FROM pg_roles r WHERE r.rolname IN ('holdfast_app', 'holdfast_cleanup', 'holdfast_deleter', 'holdfast_operator',
			'holdfast_worker')`))
}

func TestSchema_TheOperatorsRole_ReadsWhatItNeedsOnly(t *testing.T) {
	t.Parallel()
	require.ElementsMatch(t, []string{
		"bookings.booking_id SELECT", "bookings.cancellation_fee SELECT", "bookings.price SELECT",
		"bookings.status SELECT",
		"bookings.tenant_id SELECT",
		"tenant_moves.state SELECT", "tenant_moves.tenant_id SELECT",
		"tenants.created_at SELECT", "tenants.currency SELECT", "tenants.name SELECT",
		"tenants.settings_version SELECT", "tenants.slug SELECT", "tenants.status SELECT",
		"tenants.status_reason SELECT",
		"tenants.status_since SELECT", "tenants.tenant_id SELECT", "tenants.time_zone SELECT",
		"ended_bookings SELECT", "ended_bookings.booking_id SELECT", "ended_bookings.created_at SELECT",
		"ended_bookings.refund SELECT", "ended_bookings.tenant_id SELECT",
		// What payments are compared by, and neither methods nor secrets.
		"payment_accounts.account_id SELECT", "payment_accounts.provider SELECT", "payment_accounts.tenant_id SELECT",
		"payments.account SELECT", "payments.amount SELECT", "payments.automatic SELECT", "payments.booking_id SELECT",
		"payments.cancel_at SELECT",
		"payments.created_at SELECT", "payments.currency SELECT", "payments.kind SELECT", "payments.lowers_fee SELECT",
		"payments.lowers_owed SELECT",
		"payments.payment_id SELECT", "payments.provider SELECT", "payments.provider_id SELECT",
		"payments.refund_of SELECT",
		"payments.resolve_at SELECT", "payments.status SELECT", "payments.tenant_id SELECT",
		"payments.updated_at SELECT",
		// What scheduled events are listed and counted by, and not the data of their kinds.
		"scheduled_events.attempts SELECT", "scheduled_events.created_at SELECT", "scheduled_events.due_at SELECT",
		"scheduled_events.event_id SELECT", "scheduled_events.kind SELECT", "scheduled_events.last_error SELECT",
		"scheduled_events.status SELECT",
		"scheduled_events.subject_id SELECT", "scheduled_events.subject_type SELECT",
		"scheduled_events.tenant_id SELECT",
		"scheduled_events.time_zone SELECT", "scheduled_events.updated_at SELECT", "scheduled_events.version SELECT",
	}, query[string](t, `
		SELECT p.name
		FROM (
			SELECT table_name, grantee, table_name || '.' || column_name || ' ' || privilege_type AS name
			FROM information_schema.column_privileges
			UNION ALL
			SELECT table_name, grantee, table_name || ' ' || privilege_type
			FROM information_schema.table_privileges
		) AS p
		WHERE p.grantee = 'holdfast_operator' AND p.table_name <> 'cell_directory'`), "the directory of the cells is the operator's own")
}

func TestSchema_HasNoTriggers(t *testing.T) {
	t.Parallel()
	require.Empty(t, query[string](t, `
		SELECT tgrelid::regclass::text || ': ' || tgname FROM pg_trigger WHERE NOT tgisinternal`))
}

// query runs one query on a migrated database of its own. Rows of several columns become structs, by name.
func query[T any](t *testing.T, sql string) []T {
	t.Helper()
	rows, err := dbtest.SQL(t, dbtest.Database(t)).Query(t.Context(), sql)
	require.NoError(t, err)
	to := pgx.RowTo[T]
	if len(rows.FieldDescriptions()) > 1 {
		to = pgx.RowToStructByName[T]
	}
	found, err := pgx.CollectRows(rows, to)
	require.NoError(t, err)
	return found
}
