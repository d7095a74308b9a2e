package booking

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/claim"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/lock"
	"holdfast/internal/tenant/tenanttest"
)

// TestPlans_ClaimsAtScale_TheFewThatAreNeededAreRead runs the statements that bookings and availability read what is
// occupied with, as the role that requests have, for a tenant whose claims grew from 200 to 5,000 since the
// statements were planned. They ask for a time in the middle of these.
func TestPlans_ClaimsAtScale_TheFewThatAreNeededAreRead(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	s := dbtest.Open(t, db.Config{URL: url})
	tenant, service, customer, resource := uuid.New(), uuid.New(), uuid.New(), uuid.New()
	require.NoError(t, tenanttest.Insert(t.Context(), s, tenant))
	sql := dbtest.SQL(t, url)
	exec := func(query string, args ...any) {
		t.Helper()
		_, err := sql.Exec(t.Context(), query, args...)
		require.NoError(t, err)
	}
	book := func(resource uuid.UUID, hours int) {
		t.Helper()
		exec(dbtest.InsertBookings(`
			SELECT $1::uuid, gen_random_uuid(), $2::uuid, $3::uuid, $4::uuid, 'confirmed', at, at + interval '1 hour', 'UTC',
				int4multirange(int4range($5, $5 + 1)), at, at + interval '1 hour', NULL, 0, 0
			FROM generate_series(timestamptz '2027-01-01 00:00Z',
				'2027-01-01 00:00Z'::timestamptz + make_interval(hours => $6 - 1), interval '1 hour') at`),
			tenant, service, resource, customer, hours, hours)
	}
	exec("INSERT INTO services (tenant_id, service_id, spec, longest_minutes, created_at, updated_at) "+
		`VALUES ($1, $2, '{"name": "x", "kind": "slot"}', 60, now(), now())`, tenant, service)
	exec("INSERT INTO customers VALUES ($1, $2, 'a@example.com', 'x', NULL, NULL, NULL, now())", tenant, customer)
	for range 10 {
		resource = uuid.New()
		exec("INSERT INTO resources VALUES ($1, $2, 'x', 1, '{}', now(), now())", tenant, resource)
		exec("INSERT INTO service_resources VALUES ($1, $2, $3, 1)", tenant, service, resource)
		book(resource, 20)
	}
	exec("ANALYZE")
	conn, err := sql.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	_, err = conn.Exec(t.Context(), fmt.Sprintf(
		"SET ROLE holdfast_app; SET holdfast.tenant_id = '%s'; SET plan_cache_mode = force_generic_plan", tenant))
	require.NoError(t, err)
	booking, view := claimSQL(t, url, tenant)
	_, err = conn.Exec(t.Context(),
		"PREPARE booking (uuid, uuid[], timestamptz[], timestamptz[], timestamptz[]) AS "+booking)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(),
		"PREPARE view (uuid, uuid, uuid[], timestamptz, timestamptz, timestamptz, int) AS "+view)
	require.NoError(t, err)
	const begun, from, until = "'2027-04-15 03:00Z'", "'2027-04-15 04:00Z'", "'2027-04-15 05:00Z'"
	explain := func(call string) string {
		rows, err := conn.Query(t.Context(), "EXPLAIN (ANALYZE, BUFFERS) EXECUTE "+call,
			pgx.QueryExecModeSimpleProtocol)
		require.NoError(t, err)
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return strings.Join(plan, "\n")
	}
	calls := []string{
		fmt.Sprintf("booking('%s', ARRAY['%s']::uuid[], ARRAY[%s::timestamptz], ARRAY[%s::timestamptz], "+
			"ARRAY[%s::timestamptz])", tenant, resource, begun, from, until),
		fmt.Sprintf("view('%s', NULL, ARRAY['%s']::uuid[], %s, %s, %s, 1000)", tenant, resource, begun, until, from),
	}
	for _, call := range calls {
		explain(call) // plans it
	}
	book(resource, 4_800)
	for _, call := range calls {
		requireFewRows(t, explain(call))
	}
}

// requireFewRows checks the plan of a statement that needs a few claims of one resource.
func requireFewRows(t *testing.T, plan string) {
	t.Helper()
	require.Contains(t, plan, "claims_by_resource", plan)
	require.NotContains(t, plan, "Seq Scan on claims", plan)
	require.NotRegexp(t, `Rows Removed by (Index Recheck|Filter): \d\d`, plan)
	buffers := regexp.MustCompile(`Buffers: shared(.*)\n`).FindStringSubmatch(plan)
	require.NotNil(t, buffers, plan)
	pages := 0
	for _, read := range regexp.MustCompile(`(?:hit|read)=(\d+)`).FindAllStringSubmatch(buffers[1], -1) {
		n, err := strconv.Atoi(read[1])
		require.NoError(t, err)
		pages += n
	}
	require.Positive(t, pages, plan)
	require.Less(t, pages, 20, "all of the tenant's entries were read:\n%s", plan)
}

// claimSQL returns, as they are sent, the statements that read what is occupied: for a booking and for availability.
func claimSQL(t *testing.T, url string, tenant uuid.UUID) (booking, view string) {
	t.Helper()
	proxy := dbtest.NewProxy(t, url)
	statements := make(chan string, 100)
	proxy.Rewrite = func(sql string) string {
		statements <- sql
		return sql
	}
	s := dbtest.Open(t, db.Config{URL: proxy.URL})
	period := claim.Query{Resources: []uuid.UUID{uuid.New()}}
	keys, err := lock.Dates(tenant, lock.Date{Year: 2028, Month: 1, Day: 1})
	require.NoError(t, err)
	bookings := NewService(s)
	require.NoError(t, bookings.dates(t.Context(), nil, keys, reads{Occupied: period},
		func(*datesTx, state) error { return nil }))
	_, err = readViews(t.Context(), s, tenant, nil, 0, claim.ViewQuery{Resources: period.Resources})
	require.NoError(t, err)
	for len(statements) > 0 {
		switch sql := <-statements; {
		case strings.Contains(sql, "-- name: ClaimList :many"):
			booking = sql
		case strings.Contains(sql, "-- name: AvailabilityView"):
			view = sql
		}
	}
	require.NotEmpty(t, booking)
	require.NotEmpty(t, view)
	return booking, view
}
