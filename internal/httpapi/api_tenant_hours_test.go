package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
)

const tenantHours = "/v1/tenant/hours"

func (c client) setTenantHours(t testingT, hours object) {
	t.Helper()
	c.put(t, tenantHours, hours).ok(t)
}

// reasons returns the reason that availability tells of a date, empty if it is available.
func (c client) reason(t testingT, service uuid.UUID, d civil.Date) string {
	t.Helper()
	days := c.get(t, servicePath(service)+"/availability?from="+d.String()+"&to="+d.String()).ok(t).field(t,
		"data").([]any)
	reason, _ := days[0].(object)["reason"].(string)
	return reason
}

// TestTenantHours_EveryWayToATime_IsJudgedByThem tries each use case that judges opening hours, on a date that the
// tenant's hours close.
func TestTenantHours_EveryWayToATime_IsJudgedByThem(t *testing.T) {
	t.Parallel()
	c := setup(t)
	boat, skipper := c.newResource(t, 5), c.newResource(t, 1)
	c.setHours(t, boat, object{"always_open": true})
	follows := c.newResource(t, 5)
	c.setTenantHours(t, object{"always_open": true,
		"overrides": []any{object{"date": future(3).String(), "closed": true}}})
	closed, open := future(3), future(2)

	trip := c.newService(t, "slot", object{"resource_ids": nil, "needs": []any{
		object{"resource_ids": []any{boat}}, object{"resource_ids": []any{skipper}}}})
	tour := c.newService(t, "slot", object{"occupies": "session"}, follows)
	slots, dates := c.newService(t, "slot", nil, follows), c.newService(t, "date", nil, follows)
	for _, service := range []uuid.UUID{trip, tour, slots} {
		c.refused(t, unprocessable, problem.OutsideOpeningHours, service, at(closed, 10, 0))
		require.Equal(t, "no_hours", c.reason(t, service, closed))
		booked := c.book(t, service, at(open, 10, 0))
		move := object{"starts_at": at(closed, 10, 0).Format(time.RFC3339)}
		path := "/v1/bookings/" + booked.text(t, "id")
		requireProblem(t, c.post(t, path+"/reschedule", move), unprocessable, problem.OutsideOpeningHours)
		requireProblem(t, c.patch(t, path, move), unprocessable, problem.OutsideOpeningHours)
		quoted := c.quote(t, without(bookingOf(service, at(closed, 10, 0)), []any{"customer"}))
		require.Equal(t, "outside_opening_hours", quoted.field(t, "reason").(object)["code"])
		quoted = c.quote(t, object{"booking_id": booked.text(t, "id"), "starts_at": move["starts_at"]})
		require.Equal(t, "outside_opening_hours", quoted.field(t, "reason").(object)["code"])
		c.post(t, path+"/cancel", nil).ok(t)
	}
	c.refused(t, unprocessable, problem.OutsideOpeningHours, dates, closed)
	require.Equal(t, "no_hours", c.reason(t, dates, closed))
	c.book(t, dates, open)

	room := c.newStayService(t, nil, follows)
	requireProblem(t, c.post(t, "/v1/bookings", bookingOf(room, nil, stay(2, 4))), unprocessable,
		problem.OutsideOpeningHours)
	require.Equal(t, http.StatusCreated, c.post(t, "/v1/bookings", bookingOf(room, nil, stay(2, 3))).status,
		"it ends on the closed date")
	require.Equal(t, "no_hours", c.reason(t, room, closed))

	// A hold that has expired is confirmed by the rules of now.
	hold := c.book(t, slots, at(future(5), 10, 0), object{"hold_minutes": 5}).text(t, "id")
	_, err := c.sql.Exec(t.Context(),
		"UPDATE bookings SET hold_expires_at = now() - interval '1 minute' WHERE booking_id = $1", hold)
	require.NoError(t, err)
	_, err = c.sql.Exec(t.Context(), dbtest.SyncClaims)
	require.NoError(t, err)
	c.setTenantHours(t, object{"weekly": []any{}})
	late := requireProblem(t, c.post(t, "/v1/bookings/"+hold+"/confirm", object{"if_still_free": true}), conflict,
		problem.SlotUnavailable)
	require.Contains(t, late.Detail, "the resource is closed at its time")
	require.Equal(t, "no_hours", c.reason(t, trip, open), "the boat is open, the skipper isn't")
}

func TestTenantHours_AreVersionedWithTheSettings(t *testing.T) {
	t.Parallel()
	c := setup(t)
	never := c.get(t, tenantHours).ok(t)
	require.JSONEq(t, `{"always_open":true,"overrides":[]}`, never.body)
	require.Equal(t, `"1"`, never.header.Get("ETag"))
	row := func() (text string) {
		require.NoError(t, c.sql.QueryRow(t.Context(),
			"SELECT xmin::text || ' ' || catalog_version FROM tenants WHERE tenant_id = $1",
			c.tenant).Scan(&text))
		return text
	}
	stored := row()
	requireSame(t, never, c.put(t, tenantHours, object{"always_open": true}))
	require.Equal(t, stored, row(), "what is already so writes nothing")

	hours := object{"weekly": []any{object{"weekday": "monday", "opens": "09:00", "closes": "12:00"}},
		"overrides": []any{}}
	changed := c.put(t, tenantHours, hours, "If-Match", `"1"`).ok(t)
	require.Equal(t, `"2"`, changed.header.Get("ETag"))
	requireSame(t, changed, c.get(t, tenantHours))
	require.Equal(t, `"2"`, c.get(t, "/v1/tenant").header.Get("ETag"))
	stored = row()
	requireSame(t, changed, c.put(t, tenantHours, hours))
	require.Equal(t, stored, row())

	stale := c.put(t, tenantHours, object{"always_open": true}, "If-Match", `"1"`)
	requireProblem(t, stale, http.StatusPreconditionFailed, problem.VersionMismatch)
	require.Equal(t, hours, stale.field(t, "current"))
	require.Equal(t, `"2"`, stale.header.Get("ETag"))
	requireProblem(t, c.patch(t, "/v1/tenant", object{"name": "Pier"}, "If-Match", `"1"`),
		http.StatusPreconditionFailed,
		problem.VersionMismatch)
	c.patch(t, "/v1/tenant", object{"name": "Pier"}, "If-Match", `"2"`).ok(t)
	requireProblem(t, c.put(t, tenantHours, object{"always_open": true}, "If-Match", `"2"`),
		http.StatusPreconditionFailed,
		problem.VersionMismatch)
	require.Equal(t, changed.body, c.get(t, tenantHours).body)
	require.Zero(t, c.count(t, "SELECT count(*) FROM changes WHERE tenant_id = $1", c.tenant),
		"settings have no records of changes")
}

func TestTenantHours_OfAnotherTenant_ChangeNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c, other := s.newTenant(t, "Europe/Berlin"), s.newTenant(t, "Europe/Berlin")
	service := c.newService(t, "slot", nil, c.newResource(t, 1))
	other.setTenantHours(t, object{"weekly": []any{}})
	require.Len(t, c.on(t, service, future(0)).Slots, 24)
	require.JSONEq(t, `{"always_open":true,"overrides":[]}`, c.get(t, tenantHours).body)
	reader, _ := c.withScopes(t, "catalog", "read", "book")
	requireProblem(t, reader.put(t, tenantHours, object{"weekly": []any{}}), http.StatusForbidden, problem.Forbidden)
	reader.get(t, tenantHours).ok(t)
}

func TestTenantHours_InvalidBodies_AreRefusedAndChangeNothing(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := resourcePath(c.newResource(t, 1)) + "/hours"
	closed := object{"date": future(0).String(), "closed": true}
	season := []any{object{"from": "06-01", "to": "08-31", "weekly": []any{}}}
	var refusals []refusal
	for _, r := range []struct {
		name, path    string
		body          any
		field, reason string
	}{
		{"nothing", tenantHours, object{}, "weekly", "required"},
		{"inherited", tenantHours, object{"inherited": true}, "inherited", "unknown_field"},
		{"not inherited", tenantHours, object{"inherited": false, "always_open": true}, "inherited", "unknown_field"},
		{"both", tenantHours, object{"always_open": true, "weekly": []any{}}, "always_open", "excluded"},
		{"inherited and weekly", resource, object{"inherited": true, "weekly": []any{}}, "inherited", "excluded"},
		{"inherited and always open", resource, object{"inherited": true, "always_open": true}, "inherited",
			"excluded"},
		{"all three", resource, object{"inherited": true, "always_open": true, "weekly": []any{}}, "inherited",
			"excluded"},
		{"inherited with seasons", resource, object{"inherited": true, "seasons": season}, "seasons", "excluded"},
		{"inherited, closed twice", resource, object{"inherited": true, "overrides": []any{closed, closed}},
			"overrides[1]", "overlap"},
		{"inherited, half of the hours", resource, object{"inherited": true, "overrides": []any{
			object{"date": future(0).String(), "opens": "09:00"}}}, "overrides[0]", "invalid"},
	} {
		refusals = append(refusals, refusal{
			name:   r.name,
			method: http.MethodPut,
			path:   r.path,
			body:   r.body,
			status: unprocessable,
			code:   problem.ValidationFailed,
			field:  r.field,
			reason: r.reason,
		})
	}
	requireRefused(t, c, refusals)
}
