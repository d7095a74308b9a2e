package store_test

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/cell"
	"holdfast/internal/claim"
	"holdfast/internal/db/store"
	"holdfast/internal/db/store/storetest"
	"holdfast/internal/event"
	"holdfast/internal/lock"
	"holdfast/internal/tenant/tenanttest"
)

func newTenant(t testing.TB, s *store.Store) uuid.UUID {
	t.Helper()
	id := uuid.New()
	require.NoError(t, tenanttest.Insert(t.Context(), s, id))
	return id
}

func TestRowLevelSecurity_AStatementWithoutItsTenantSeesNothing(t *testing.T) {
	t.Parallel()
	url := storetest.Database(t)
	s := storetest.Open(t, store.Config{URL: url})
	mine, theirs := newTenant(t, s), newTenant(t, s)
	sql := storetest.SQL(t, url)
	for _, step := range []struct {
		setting string
		visible int
	}{{"", 0}, {mine.String(), 1}, {theirs.String(), 1}, {uuid.NewString(), 0}} {
		tx, err := sql.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), "SELECT set_config('role', 'holdfast_app', true), set_config('holdfast.tenant_id', $1, true)",
			step.setting)
		require.NoError(t, err)
		var n int
		require.NoError(t, tx.QueryRow(t.Context(), "SELECT count(*) FROM tenants").Scan(&n))
		require.Equal(t, step.visible, n, step.setting)
		_, err = tx.Exec(t.Context(), "INSERT INTO resources VALUES ($1, $2, 'x', 1, '{}', now(), now())", uuid.New(), uuid.New())
		require.ErrorContains(t, err, "row-level security")
		require.NoError(t, tx.Rollback(t.Context()))
	}
}

func TestBooking_OnADateWhoseLockIsNotHeld_IsADefectThatWritesNothing(t *testing.T) {
	t.Parallel()
	url := storetest.Database(t)
	s := storetest.Open(t, store.Config{URL: url})
	keys, err := lock.Dates(newTenant(t, s), lock.Date{Year: 2027, Month: 7, Day: 1})
	require.NoError(t, err)
	err = s.Book(t.Context(), nil, keys, store.BookRead{}, func(tx *store.BookTx, _ store.BookState) error {
		start := time.Date(2027, 7, 1, 23, 0, 0, 0, time.UTC)
		return tx.InsertBooking(store.NewBooking{
			BusyFrom: start, BusyUntil: start.Add(2 * time.Hour), Location: time.UTC, // into the second
		})
	})
	require.ErrorContains(t, err, "the lock of 2027-07-02 isn't held")
	require.Error(t, s.Book(t.Context(), nil, lock.DateKeys{}, store.BookRead{}, nil), "a lock over nothing")
	require.Error(t, s.Dates(t.Context(), nil, lock.DateKeys{}, store.DatesRead{}, nil), "a lock over nothing")
}

func TestCalendar_OppositeDatesAtOnce_NeverDeadlock(t *testing.T) {
	t.Parallel()
	url := storetest.Database(t)
	stores := []*store.Store{storetest.Open(t, store.Config{URL: url}), storetest.Open(t, store.Config{URL: url})}
	tenant := newTenant(t, stores[0])
	dates := []lock.Date{{Year: 2027, Month: 7, Day: 1}, {Year: 2027, Month: 7, Day: 2}, {Year: 2027, Month: 7, Day: 3}}
	errs := make(chan error)
	for i, s := range stores {
		order := dates
		if i == 1 {
			order = []lock.Date{dates[2], dates[1], dates[0]}
		}
		go func() {
			for range 200 {
				keys, err := lock.Dates(tenant, order...)
				if err == nil {
					err = s.Dates(context.Background(), nil, keys, store.DatesRead{},
						func(tx *store.DatesTx, _ store.DatesState) error {
							tx.SetBookingStatus(uuid.New(), 1, "cancelled")
							return nil
						})
				}
				if err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	for range stores {
		require.NoError(t, <-errs)
	}
}

// TestPlans_ClaimsAtScale_TheFewThatAreNeededAreRead runs the statements that bookings and availability read what is
// occupied with, as the role that requests have, for a tenant whose claims grew from 200 to 5,000 since the
// statements were planned. They ask for a time in the middle of these.
func TestPlans_ClaimsAtScale_TheFewThatAreNeededAreRead(t *testing.T) {
	t.Parallel()
	url := storetest.Database(t)
	s := storetest.Open(t, store.Config{URL: url})
	tenant, service, customer, resource := newTenant(t, s), uuid.New(), uuid.New(), uuid.New()
	sql := storetest.SQL(t, url)
	exec := func(query string, args ...any) {
		t.Helper()
		_, err := sql.Exec(t.Context(), query, args...)
		require.NoError(t, err)
	}
	book := func(resource uuid.UUID, hours int) {
		t.Helper()
		exec(storetest.InsertBookings(`
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
	_, err = conn.Exec(t.Context(), "PREPARE booking (uuid, uuid[], timestamptz[], timestamptz[], timestamptz[]) AS "+booking)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "PREPARE view (uuid, uuid, uuid[], timestamptz, timestamptz, timestamptz, int) AS "+view)
	require.NoError(t, err)
	const begun, from, until = "'2027-04-15 03:00Z'", "'2027-04-15 04:00Z'", "'2027-04-15 05:00Z'"
	explain := func(call string) string {
		rows, err := conn.Query(t.Context(), "EXPLAIN (ANALYZE, BUFFERS) EXECUTE "+call, pgx.QueryExecModeSimpleProtocol)
		require.NoError(t, err)
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return strings.Join(plan, "\n")
	}
	calls := []string{
		fmt.Sprintf("booking('%s', ARRAY['%s']::uuid[], ARRAY[%s::timestamptz], ARRAY[%s::timestamptz], ARRAY[%s::timestamptz])", tenant,
			resource, begun, from, until),
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

// claimSQL returns, as the store sends them, the statements that read what is occupied: for a booking and for availability.
func claimSQL(t *testing.T, url string, tenant uuid.UUID) (booking, view string) {
	t.Helper()
	proxy := storetest.NewProxy(t, url)
	statements := make(chan string, 100)
	proxy.Rewrite = func(sql string) string {
		statements <- sql
		return sql
	}
	s := storetest.Open(t, store.Config{URL: proxy.URL})
	period := claim.Query{Resources: []uuid.UUID{uuid.New()}}
	keys, err := lock.Dates(tenant, lock.Date{Year: 2028, Month: 1, Day: 1})
	require.NoError(t, err)
	require.NoError(t, s.Book(t.Context(), nil, keys, store.BookRead{Occupied: period},
		func(*store.BookTx, store.BookState) error { return nil }))
	_, err = s.Views(t.Context(), tenant, nil, 0, claim.ViewQuery{Resources: period.Resources})
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

// PostgreSQL compiles plans that seem costly, which takes seconds, unless it is told not to.
func TestTransactions_DatabaseCompilesCostlyPlans_AreNotCompiled(t *testing.T) {
	t.Parallel()
	url := storetest.Database(t) + "&jit=on"
	s, sql := storetest.Open(t, store.Config{URL: url}), storetest.SQL(t, url)
	_, err := sql.Exec(t.Context(), `CREATE TABLE seen (by text, jit text);
		CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
		BEGIN
			INSERT INTO seen VALUES (TG_TABLE_NAME, current_setting('jit'));
			RETURN NULL;
		END $$;
		CREATE TRIGGER noted AFTER INSERT ON tenants EXECUTE FUNCTION note();
		CREATE TRIGGER noted AFTER UPDATE ON feed_positions EXECUTE FUNCTION note();
		CREATE TRIGGER noted AFTER INSERT ON cell_directory EXECUTE FUNCTION note();
		INSERT INTO cell_directory (tenant_id, slug, cell) VALUES (gen_random_uuid(), 'first', 'home')`)
	require.NoError(t, err)
	id := newTenant(t, s)
	_, err = event.RelayFeed(t.Context(), s.DB(), 1)
	require.NoError(t, err)
	_, err = cell.SlugsOf(s.DB(), "home").Reserve(t.Context(), "second", id)
	require.NoError(t, err)
	rows, err := sql.Query(t.Context(), "SELECT by || ' ' || jit FROM seen")
	require.NoError(t, err)
	seen, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"cell_directory on", "tenants off", "feed_positions off", "cell_directory off"}, seen,
		"on is that of the test's own session")
}
