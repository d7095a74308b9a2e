package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
)

// path returns where the operator's API has the tenant.
func (c client) path() string { return "/admin/v1/tenants/" + c.tenant.String() }

func (c client) suspended(t testingT) {
	t.Helper()
	a := c.admin().post(t, c.path()+"/suspend", object{"reason": "Unpaid."})
	require.Equal(t, http.StatusOK, a.status, a.body)
	a.requireFields(t, `{"status":"suspended","status_reason":"Unpaid."}`)
}

// still makes a suspended tenant one that has been so for two minutes, and all that it has older.
func (c client) still(t testingT) {
	t.Helper()
	c.exec(t, "UPDATE tenants SET status_since = now() - interval '2 minutes' WHERE tenant_id = $1", c.tenant)
	c.exec(t, "UPDATE changes SET occurred_at = now() - interval '3 minutes' WHERE tenant_id = $1", c.tenant)
}

func (c client) exec(t testingT, sql string, args ...any) {
	t.Helper()
	_, err := c.sql.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// exportLine is a line of an export.
type exportLine struct {
	Format   int              `json:"format"`
	Table    string           `json:"table"`
	Row      json.RawMessage  `json:"row"`
	ExportID *uuid.UUID       `json:"export_id"`
	Rows     map[string]int64 `json:"rows"`
}

// exported returns the lines of the tenant's export, whose last line counts them.
func (c client) exported(t testingT) (body string, rows map[string]int64, id uuid.UUID) {
	t.Helper()
	a := c.admin().get(t, c.path()+"/export")
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, "application/x-ndjson", a.header.Get("Content-Type"))
	rows = map[string]int64{}
	lines := strings.Split(strings.TrimSuffix(a.body, "\n"), "\n")
	for i, text := range lines {
		var line exportLine
		require.NoError(t, json.Unmarshal([]byte(text), &line), text)
		switch i {
		case 0:
			require.Equal(t, 1, line.Format)
		case len(lines) - 1:
			require.Equal(t, rows, line.Rows)
			require.NotNil(t, line.ExportID)
			id = *line.ExportID
		default:
			require.NotEmpty(t, line.Row)
			rows[line.Table]++
		}
	}
	return a.body, rows, id
}

// deleteTenant asks for the deletion of the tenant.
func (c client) deleteTenant(t testingT, export uuid.UUID) answer {
	t.Helper()
	return c.admin().delete(t, c.path()+"?export_id="+export.String())
}

// rowsOf counts the rows of each table that has a tenant's.
func (s *apiServer) rowsOf(t testingT, tenant uuid.UUID) map[string]int64 {
	t.Helper()
	rows, err := s.sql.Query(t.Context(), `SELECT table_name::text FROM information_schema.columns
		WHERE table_schema = current_schema() AND column_name = 'tenant_id'`)
	require.NoError(t, err)
	var names []string
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		names = append(names, name)
	}
	require.NoError(t, rows.Err())
	counts := map[string]int64{}
	for _, name := range names {
		if n := s.count(t, fmt.Sprintf("SELECT count(*) FROM %s WHERE tenant_id = $1", name), tenant); n > 0 {
			counts[name] = int64(n)
		}
	}
	return counts
}

// finishDeletion runs the job that deletes tenants until it has nothing more to do.
func (s *apiServer) finishDeletion(t testingT) {
	t.Helper()
	deletion := s.api.Tenants.Deletion()
	for more := true; more; {
		var err error
		more, err = deletion(t.Context())
		require.NoError(t, err)
	}
}

// busy gives the tenant something in many tables: a paid and refunded booking with a wallet, a session, a block, a
// webhook.
func (c client) busy(t testingT) {
	t.Helper()
	c.put(t, logoPath, object{"data": onePixel}).ok(t)
	resource := c.newResource(t, 9)
	service := c.newService(t, "slot", object{"price": 4500}, resource)
	booking := c.book(t, service, at(future(0), 10, 0)).id(t)
	payment := c.created(t, c.payWith(t, booking, "pm_ok", 4500))
	require.Equal(t, http.StatusCreated, c.refund(t, payment, object{"amount": 1000}).status)
	require.Equal(t, http.StatusCreated, c.post(t, "/v1/wallets", object{"currency": "EUR"}).status)
	c.newBlock(t, resource, future(3), future(3))
	c.newClosure(t, nil, future(5), future(5))
	tour := c.newService(t, "slot", object{"occupies": "session"}, c.newResource(t, 9))
	for range 2 {
		c.book(t, tour, at(future(1), 10, 0))
	}
	a := c.post(t, "/v1/webhook-endpoints", object{"url": "https://receiver.example/hook", "types": []string{"*"}})
	require.Equal(t, http.StatusCreated, a.status, a.body)
}

func TestSuspend_Tenant_RefusesItsKeysAndNoOthers(t *testing.T) {
	t.Parallel()
	c := setup(t)
	other, limited := c.newTenant(t, "UTC"), c.another(t).newTenant(t, "UTC")
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	hold := c.book(t, service, future(0), object{"hold_minutes": 30}).id(t)

	c.suspended(t)
	for _, path := range []string{"/v1/services", "/v1/bookings/" + hold.String(), "/v1/events"} {
		requireProblem(t, c.get(t, path), http.StatusForbidden, problem.TenantSuspended)
	}
	c.refused(t, http.StatusForbidden, problem.TenantSuspended, service, future(1))
	requireProblem(t, c.get(t, "/v1/services"), http.StatusForbidden, problem.TenantSuspended) // remembered
	for _, neighbour := range []client{other, limited} {
		require.Equal(t, http.StatusOK, neighbour.get(t, "/v1/services").status)
	}

	c.exec(t, "UPDATE bookings SET hold_expires_at = now() - interval '1 minute' WHERE booking_id = $1", hold)
	c.exec(t, "UPDATE scheduled_events SET due_at = now() WHERE subject_id = $1", hold)
	c.exec(t, dbtest.SyncClaims)
	c.worker(t)
	require.Equal(t, 1, c.count(t, "SELECT count(*) FROM bookings WHERE booking_id = $1 AND status = 'expired'", hold),
		"holds expire")

	a := c.admin().post(t, c.path()+"/resume", nil)
	require.Equal(t, http.StatusOK, a.status, a.body)
	a.requireFields(t, `{"status":"active"}`)
	require.Equal(t, http.StatusOK, c.get(t, "/v1/services").status)
}

func TestSuspend_StreamOfEvents_Ends(t *testing.T) {
	t.Parallel()
	c := setup(t)
	s := c.stream(t, "")
	c.suspended(t)
	s.requireEnd(t)
}

func TestSuspend_TwiceWithAnotherReason_KeepsSinceWhen(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.suspended(t)
	since := c.admin().get(t, c.path()).text(t, "status_since")
	a := c.admin().post(t, c.path()+"/suspend", object{"reason": "Fraud."})
	require.Equal(t, since, a.text(t, "status_since"))
	require.Equal(t, "Fraud.", a.text(t, "status_reason"))
	require.Equal(t, []string{c.tenant.String()},
		c.admin().listAll(t, "/admin/v1/tenants", map[string][]string{"status": {"suspended"}}))
	for _, reason := range []string{"a\nb", "\u202e", strings.Repeat("x", 501)} {
		requireProblem(t, c.admin().post(t, c.path()+"/suspend", object{"reason": reason}), unprocessable,
			problem.ValidationFailed)
	}
	requireProblem(t, c.admin().post(t, "/admin/v1/tenants/"+uuid.NewString()+"/suspend", nil), http.StatusNotFound,
		problem.NotFound)
}

func TestCorrectTenant_ChangesWhatIsSafe(t *testing.T) {
	t.Parallel()
	c := setup(t)
	other := c.newTenant(t, "UTC")
	admin := c.admin()
	correct := func(body object, headers ...string) answer {
		return admin.send(t, http.MethodPatch, c.path(), body, headers...)
	}
	stale := admin.get(t, c.path()).header.Get("ETag")
	a := correct(object{"slug": "pier-" + c.tenant.String()[24:], "name": "Pier Tours"}, "If-Match", stale)
	require.Equal(t, http.StatusOK, a.status, a.body)
	a.requireFields(t, `{"name":"Pier Tours","time_zone":"Europe/Berlin"}`)
	require.Equal(t, "Pier Tours", c.get(t, "/v1/tenant").text(t, "name"))
	requireProblem(t, correct(object{"name": "Old"}, "If-Match", stale), http.StatusPreconditionFailed,
		problem.VersionMismatch)
	requireProblem(t, correct(object{"slug": admin.get(t, other.path()).text(t, "slug")}), http.StatusConflict,
		problem.AlreadyExists)
	for _, body := range []object{
		{"slug": "A"}, {"slug": nil}, {"slug": "deleted-" + uuid.NewString()}, {"name": ""}, {"time_zone": "Mars/Base"},
		{"currency": "ZZZ"}, {"status": "deleted"},
	} {
		requireProblem(t, correct(body), unprocessable, problem.ValidationFailed)
	}

	requireProblem(t, correct(object{"time_zone": "Asia/Tokyo"}), http.StatusConflict, problem.InvalidState)
	c.suspended(t)
	requireProblem(t, correct(object{"time_zone": "Asia/Tokyo"}), http.StatusConflict, problem.InvalidState)
	c.still(t)
	a = correct(object{"time_zone": "Asia/Tokyo", "currency": "JPY"})
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, http.StatusOK, admin.post(t, c.path()+"/resume", nil).status)
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	booked := c.book(t, service, future(0))
	booked.requireFields(t, `{"time_zone":"Asia/Tokyo","currency":"JPY"}`)

	c.suspended(t)
	c.still(t)
	for _, body := range []object{{"time_zone": "UTC"}, {"currency": "EUR"}} {
		d := requireProblem(t, correct(body), http.StatusConflict, problem.InvalidState)
		require.Contains(t, d.Detail, "can't change any more")
	}
}

func TestDeleteTenant_WithoutWhatItTakes_SaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	c := setup(t)
	refused := func(export uuid.UUID, because string) {
		t.Helper()
		d := requireProblem(t, c.deleteTenant(t, export), http.StatusConflict, problem.InvalidState)
		require.Contains(t, d.Detail, because)
	}
	service := c.newService(t, "slot", object{"price": 4500}, c.newResource(t, 9))
	booking := c.book(t, service, at(future(0), 10, 0)).id(t)
	payment := c.processing(t, booking).text(t, "id")
	_, _, early := c.exported(t)
	refused(early, "Only a suspended tenant")
	c.suspended(t)
	refused(early, "for a minute")
	c.still(t)
	refused(early, "1 of the tenant's payments")
	c.exec(t, "UPDATE payments SET status = 'declined', resolve_at = NULL WHERE payment_id = $1", payment)
	c.exec(t, "INSERT INTO ended_bookings VALUES ($1, $2, true, now())", c.tenant, booking)
	refused(early, "1 ended bookings")
	c.exec(t, "DELETE FROM ended_bookings")
	c.exec(t, "UPDATE tenants SET exported_at = now() - interval '1 hour' WHERE tenant_id = $1", c.tenant)
	refused(early, "before the tenant was suspended")
	refused(uuid.New(), "Export the tenant first")
	_, _, export := c.exported(t)
	refused(early, "Export the tenant first")
	c.exec(t, "UPDATE changes SET occurred_at = now() WHERE tenant_id = $1", c.tenant)
	refused(export, "Something changed")
	requireProblem(t, c.admin().delete(t, c.path()), unprocessable, problem.ValidationFailed)
	requireProblem(t, c.admin().delete(t, c.path()+"?export_id=x"), unprocessable, problem.ValidationFailed)
	require.Equal(t, "suspended", c.admin().get(t, c.path()).text(t, "status"))
}

func TestDeleteTenant_Exported_LeavesNothingOfItAndEverythingOfOthers(t *testing.T) {
	t.Parallel()
	c := setup(t)
	other := c.newTenant(t, "UTC")
	for _, tenant := range []client{c, other} {
		tenant.busy(t)
	}
	admin := c.admin()
	slug := admin.get(t, c.path()).text(t, "slug")
	c.suspended(t)
	c.still(t)
	body, rows, export := c.exported(t)
	require.Contains(t, body, onePixel, "the logo in base64")
	before, theirs := c.rowsOf(t, c.tenant), c.rowsOf(t, other.tenant)
	require.Equal(t, before, rows, "the export has every row")
	require.Greater(t, len(before), 12, "of most tables")
	for _, secret := range []string{strings.TrimPrefix(c.key, "hf_"), "whsec_", `"hash"`, `"secret"`, `"client_secret"`,
		`"code_hash"`} {
		require.NotContains(t, body, secret)
	}

	a := c.deleteTenant(t, export)
	require.Equal(t, http.StatusAccepted, a.status, a.body)
	a.requireFields(t, `{"status":"deleting"}`)
	requireProblem(t, c.deleteTenant(t, export), http.StatusConflict, problem.InvalidState)
	requireProblem(t, admin.post(t, c.path()+"/resume", nil), http.StatusConflict, problem.InvalidState)
	requireProblem(t, c.get(t, "/v1/services"), http.StatusForbidden, problem.TenantSuspended)

	crashed := c.api.Tenants.Deletion() // another server begins, and dies in the middle
	for range 9 {
		more, err := crashed(t.Context())
		require.NoError(t, err)
		require.True(t, more)
	}
	require.NotEqual(t, before, c.rowsOf(t, c.tenant), "it has begun")
	c.finishDeletion(t)
	require.Equal(t, map[string]int64{"tenants": 1}, c.rowsOf(t, c.tenant))
	require.Equal(t, theirs, c.rowsOf(t, other.tenant))
	require.Equal(t, http.StatusOK, other.get(t, "/v1/bookings").status)

	require.Equal(t, "deleted", admin.get(t, c.path()).text(t, "status"))
	require.NotContains(t, admin.listAll(t, "/admin/v1/tenants", map[string][]string{}), c.tenant.String())
	requireProblem(t, admin.get(t, c.path()+"/export"), http.StatusNotFound, problem.NotFound)
	require.Equal(t, http.StatusUnauthorized, c.another(t).withKey(c.key).get(t, "/v1/services").status)
	requireProblem(t, admin.post(t, c.path()+"/suspend", nil), http.StatusConflict, problem.InvalidState)
	again := admin.post(t, "/admin/v1/tenants",
		object{"slug": slug, "name": "New", "time_zone": "UTC", "currency": "EUR"})
	require.Equal(t, http.StatusCreated, again.status, "the slug is free again: %s", again.body)
}

func TestDeleteTenant_ManyRows_AreDeletedInBatchesOfTwoHundred(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.exec(t, `INSERT INTO customers (tenant_id, customer_id, email, name, created_at, version, event_transaction_id)
		SELECT $1, gen_random_uuid(), i || '@example.com', 'Ada', now(), 1, 0 FROM generate_series(1, 450) AS i`, c.tenant)
	c.suspended(t)
	c.still(t)
	_, rows, export := c.exported(t)
	require.EqualValues(t, 450, rows["customers"], "each page goes on after the last row of the page before")
	require.Equal(t, http.StatusAccepted, c.deleteTenant(t, export).status)
	deletion := c.api.Tenants.Deletion()
	left := []int{450}
	for more := true; more; {
		var err error
		more, err = deletion(t.Context())
		require.NoError(t, err)
		if n := c.count(t, "SELECT count(*) FROM customers"); n != left[len(left)-1] {
			left = append(left, n)
		}
	}
	require.Equal(t, []int{450, 250, 50, 0}, left)
}

func TestDeletingRole_TenantThatIsNotDeleting_SeesNothing(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.busy(t)
	before := c.tables(t)
	conn, err := dbtest.SQL(t, c.database).Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback(t.Context())) }()
	_, err = tx.Exec(t.Context(),
		"SELECT set_config('holdfast.tenant_id', $1, true), set_config('role', 'holdfast_deleter', true)",
		c.tenant.String())
	require.NoError(t, err)
	for _, table := range []string{"changes", "claims", "payments", "api_keys"} {
		deleted, err := tx.Exec(t.Context(), "DELETE FROM "+table)
		require.NoError(t, err)
		require.Zero(t, deleted.RowsAffected(), table)
	}
	require.Equal(t, before, c.tables(t))
}

// withKey returns a client of the server with a key.
func (s *apiServer) withKey(key string) client { return client{apiServer: s, key: key} }
