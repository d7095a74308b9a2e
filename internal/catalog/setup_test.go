package catalog_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/change"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/idempotency"
	"holdfast/internal/lock"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/tenant/tenanttest"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
	"holdfast/internal/timezone"
)

// soon is how long a test waits for another request on a busy machine.
const soon = 30 * time.Second

// object is a request, or a part of one, by the names of its JSON.
type object = map[string]any

// testBundle is a database with one tenant in Berlin, and the use cases on it.
type testBundle struct {
	url     string
	sql     *pgxpool.Pool
	store   *db.DB
	catalog *catalog.Service
	booking *booking.Service
	tenant  tenant.Tenant
}

func setup(t testing.TB) *testBundle {
	t.Helper()
	url := dbtest.Database(t)
	s := dbtest.Open(t, db.Config{URL: url, MaxConns: 8, LockTimeout: time.Minute})
	id := uuid.Must(uuid.NewV7())
	require.NoError(t, tenanttest.Insert(t.Context(), s, id))
	return &testBundle{
		url: url, sql: dbtest.SQL(t, url), store: s, catalog: catalog.NewService(s), booking: booking.NewService(s),
		tenant: tenant.Tenant{ID: id, Location: at(future(0), 0, 0).Location(), Currency: "EUR"},
	}
}

func request(t testing.TB) idempotency.Request {
	t.Helper()
	r, err := idempotency.NewRequest([]string{uuid.NewString()}, http.MethodPost, "/", nil)
	require.NoError(t, err)
	return r
}

// read reads a request of a type from an object.
func read[T any](t testing.TB, o object) (read T) {
	t.Helper()
	text, err := json.Marshal(o)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &read))
	return read
}

// patch makes a merge patch of an object.
func patch[T any](t testing.TB, o object) mergepatch.Patch[T] {
	t.Helper()
	text, err := json.Marshal(o)
	require.NoError(t, err)
	return mergepatch.Of[T](string(text))
}

// shown decodes the thing that the outcome of a use case shows. The use case must have succeeded.
func shown[T any](t testing.TB) func(idempotency.Outcome, error) T {
	t.Helper()
	return func(o idempotency.Outcome, err error) (body T) {
		t.Helper()
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(o.Body, &body))
		return body
	}
}

func (b *testBundle) newResource(t testing.TB, capacity int) uuid.UUID {
	t.Helper()
	made, err := b.catalog.CreateResource(t.Context(), b.tenant, request(t),
		catalog.Resource{Name: "Boat", Capacity: capacity})
	require.NoError(t, err)
	return made.ID
}

func (b *testBundle) changeResource(t testing.TB, id uuid.UUID, o object) (catalog.Resource, error) {
	t.Helper()
	return b.catalog.ChangeResource(t.Context(), b.tenant, id, patch[catalog.ResourceChange](t, o), "")
}

// setHours sets the hours of a resource, and returns them as they are read then.
func (b *testBundle) setHours(t testing.TB, resource uuid.UUID, hours object) timetable.ResourceHoursBody {
	t.Helper()
	h, err := read[timetable.ResourceHoursBody](t, hours).Hours()
	require.NoError(t, err)
	set, err := b.catalog.SetHours(t.Context(), b.tenant, resource, h, "")
	require.NoError(t, err)
	got, err := b.catalog.Resource(t.Context(), b.tenant, resource)
	require.NoError(t, err)
	require.Equal(t, got.Body(), set.Body())
	return got.Body().Hours
}

// setTenantHours sets the tenant's hours, and returns their version.
func (b *testBundle) setTenantHours(t testing.TB, hours object) int64 {
	t.Helper()
	h, err := read[timetable.HoursBody](t, hours).Hours()
	require.NoError(t, err)
	set, err := b.catalog.SetTenantHours(t.Context(), b.tenant, h, "")
	require.NoError(t, err)
	return set.Version
}

// weekly are hours of some periods such as "monday 09:00 12:00".
func weekly(periods ...string) object {
	list := []any{}
	for _, p := range periods {
		var day, opens, closes string
		_, _ = fmt.Sscan(p, &day, &opens, &closes)
		list = append(list, object{"weekday": day, "opens": opens, "closes": closes})
	}
	return object{"weekly": list}
}

// newService makes a service that can be booked for ten years; with changes what is said about it.
func (b *testBundle) newService(t testing.TB, kind string, with object, resources ...uuid.UUID) uuid.UUID {
	t.Helper()
	o := object{"name": "Tour", "kind": kind, "resource_ids": resources, "booking_window_days": 3650, "price": 0}
	if kind == "slot" {
		o["duration_minutes"] = 60
	}
	maps.Copy(o, with)
	made, err := b.catalog.CreateService(t.Context(), b.tenant, request(t), read[catalog.ServiceSpec](t, o))
	require.NoError(t, err)
	return made.ID
}

func (b *testBundle) changeService(t testing.TB, id uuid.UUID, o object) (catalog.ServiceBody, error) {
	t.Helper()
	changed, err := b.catalog.ChangeService(t.Context(), b.tenant, id, patch[catalog.ServiceSpec](t, o), "")
	return changed.Body(), err
}

// archive archives a resource, a service or a closure, or takes it back.
func (b *testBundle) archive(t testing.TB, kind string, id uuid.UUID, a catalog.Archiving,
) (idempotency.Outcome, error) {
	t.Helper()
	switch kind {
	case "resource":
		return b.catalog.ArchiveResource(t.Context(), b.tenant, request(t), id, a, "")
	case "service":
		return b.catalog.ArchiveService(t.Context(), b.tenant, request(t), id, a, "")
	}
	return b.catalog.ArchiveClosure(t.Context(), b.tenant, request(t), id, a.Archived, "")
}

// archived archives with force, and unarchived takes back: both must succeed.
func (b *testBundle) archived(t testing.TB, kind string, id uuid.UUID) {
	t.Helper()
	_, err := b.archive(t, kind, id, catalog.Archiving{Archived: true, Force: true})
	require.NoError(t, err)
}

func (b *testBundle) unarchived(t testing.TB, kind string, id uuid.UUID) {
	t.Helper()
	_, err := b.archive(t, kind, id, catalog.Archiving{})
	require.NoError(t, err)
}

// newClosure closes dates of a resource, or of all for nil; with changes what is said about it.
func (b *testBundle) newClosure(t testing.TB, resource *uuid.UUID, from, to civil.Date, with ...object) uuid.UUID {
	t.Helper()
	o := object{"from": from.String(), "to": to.String(), "reason": "Winter", "resource_id": resource}
	for _, more := range with {
		maps.Copy(o, more)
	}
	closure, err := read[catalog.ClosureSpec](t, o).Closure()
	require.NoError(t, err)
	made, err := b.catalog.CreateClosure(t.Context(), b.tenant, request(t), closure)
	require.NoError(t, err)
	return made.ID
}

func (b *testBundle) changeClosure(t testing.TB, id uuid.UUID, o object) (catalog.Closure, error) {
	t.Helper()
	return b.catalog.ChangeClosure(t.Context(), b.tenant, id, patch[catalog.ClosureSpec](t, o), "")
}

// tryBook asks for a booking by a customer of its own; when is a civil.Date, or a time as text or not.
func (b *testBundle) tryBook(t testing.TB, service uuid.UUID, when any, with ...object) (idempotency.Outcome, error) {
	t.Helper()
	o := object{"service_id": service,
		"customer": object{"name": "Ada", "email": uuid.NewString()[:13] + "@example.com"}}
	switch w := when.(type) {
	case civil.Date:
		o["date"] = w.String()
	case time.Time:
		o["starts_at"] = w.Format(time.RFC3339)
	default:
		o["starts_at"] = w
	}
	for _, more := range with {
		maps.Copy(o, more)
	}
	return b.booking.Create(t.Context(), b.tenant, request(t), read[booking.CreateRequest](t, o))
}

// book makes a booking that must succeed.
func (b *testBundle) book(t testing.TB, service uuid.UUID, when any, with ...object) booking.BookingBody {
	t.Helper()
	return shown[booking.BookingBody](t)(b.tryBook(t, service, when, with...))
}

// refused tries to make a booking that must be refused, and returns the code of the field that is wrong, if one is.
func (b *testBundle) refused(t testing.TB, code problem.Code, service uuid.UUID, when any, with ...object,
) (reason string) {
	t.Helper()
	_, err := b.tryBook(t, service, when, with...)
	return requireCode(t, code, err)
}

// requireCode requires an error's code, and returns the code of the field that is wrong, if one is.
func requireCode(t testing.TB, code problem.Code, err error) (reason string) {
	t.Helper()
	require.Equal(t, code, problem.CodeOf(err), "%v", err)
	for _, f := range problem.DocumentOf(err).Errors {
		return f.Code
	}
	return ""
}

func (b *testBundle) cancel(t testing.TB, id uuid.UUID) {
	t.Helper()
	_, err := b.booking.Transition(t.Context(), b.tenant, request(t), id, booking.Cancel, "")
	require.NoError(t, err)
}

// day is what availability tells of a date.
type day struct{ timetable.Day }

// clocks returns when the date's slots start, by the clock.
func (d day) clocks() (list []string) {
	for _, s := range d.Slots {
		list = append(list, s.StartsAt.Format("15:04"))
	}
	return list
}

func (b *testBundle) availability(t testing.TB, service uuid.UUID, from, to civil.Date, party int) (days []day) {
	t.Helper()
	page, err := b.booking.Availability(t.Context(), b.tenant, service,
		timetable.AvailabilityQuery{From: from, To: to, PartySize: party})
	require.NoError(t, err)
	for d := range page.Days() {
		slots := make([]timetable.Slot, len(d.Slots)) // the next day overwrites these
		for i, s := range d.Slots {
			slots[i] = s
			slots[i].ResourceIDs = append([]uuid.UUID{}, s.ResourceIDs...)
		}
		d.Slots = slots
		days = append(days, day{d})
	}
	require.Len(t, days, to.DaysSince(from)+1)
	return days
}

// on returns one date's availability for a party of one.
func (b *testBundle) on(t testing.TB, service uuid.UUID, d civil.Date) day {
	t.Helper()
	return b.availability(t, service, d, d, 1)[0]
}

// conflicts reads the conflicts that a query asks for, page by page.
func (b *testBundle) conflicts(t testing.TB, q booking.ConflictQuery, limit int) map[uuid.UUID][]booking.Conflict {
	t.Helper()
	found := make(map[uuid.UUID][]booking.Conflict)
	for q.Limit = limit; ; {
		page, next, err := b.booking.Conflicts(t.Context(), b.tenant, q)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page), limit)
		for _, c := range page {
			require.NotContains(t, found, c.ID, "listed twice")
			found[c.ID] = c.Conflicts
		}
		if next == nil {
			return found
		}
		q.AfterDate, q.AfterID = next.Date, next.ID
	}
}

func ofResource(id uuid.UUID) booking.ConflictQuery { return booking.ConflictQuery{ResourceID: &id} }

func ofService(id uuid.UUID) booking.ConflictQuery { return booking.ConflictQuery{ServiceID: &id} }

// actions returns what a history tells, in order.
func (b *testBundle) actions(t testing.TB, id uuid.UUID) (list []string) {
	t.Helper()
	for _, e := range b.history(t, id) {
		list = append(list, e.Action)
	}
	return list
}

func (b *testBundle) history(t testing.TB, id uuid.UUID) []change.HistoryEntry {
	t.Helper()
	entries, err := change.NewService(b.store, nil).History(t.Context(), b.tenant.ID, id, 0, 100)
	require.NoError(t, err)
	return entries
}

func (b *testBundle) count(t testing.TB, query string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, b.sql.QueryRow(t.Context(), query, args...).Scan(&n))
	return n
}

// requireWaits requires that a use case waits for the lock of a date, and succeeds once it is free.
func (b *testBundle) requireWaits(t testing.TB, date civil.Date, do func() error) {
	t.Helper()
	keys, err := lock.Dates(b.tenant.ID, lock.Date(date))
	require.NoError(t, err)
	tx, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1)", keys.Keys()[0].ID())
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- do() }()
	require.Eventually(t, func() bool {
		return b.count(t, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`) > 0
	}, soon, 2*time.Millisecond, "it waits for the lock of %s", date)
	require.NoError(t, tx.Rollback(t.Context()))
	require.NoError(t, <-done)
}

// future is a date to come. future(0) is a Monday.
func future(days int) civil.Date { return testtime.Date(days) }

// at returns a time by the clock in Berlin.
func at(d civil.Date, hour, minute int) time.Time {
	loc, _ := timezone.Load("Europe/Berlin")
	return time.Date(d.Year, d.Month, d.Day, hour, minute, 0, 0, loc)
}
