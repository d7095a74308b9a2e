package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

func TestChanges_OfTheCatalog_AreInTheFeedAsTheAPIShowsThem(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 2)
	service := c.newService(t, "slot", nil, resource)
	path := "/v1/resources/" + resource.String()
	require.Equal(t, http.StatusOK, c.patch(t, path, object{"capacity": 3}).status)
	require.Equal(t, http.StatusOK,
		c.send(t, http.MethodPut, path+"/hours", object{"always_open": true, "overrides": []object{}}).status)
	require.Equal(t, http.StatusOK, c.patch(t, path, object{"name": "Skiff"}).status)
	require.Equal(t, http.StatusOK, c.post(t, "/v1/services/"+service.String()+"/archive", nil).status)
	day := future(3).String()
	closure := c.created(t, c.post(t, "/v1/closures", object{"from": day, "to": day, "reason": "repairs"}))
	require.Equal(t, http.StatusOK, c.post(t, "/v1/closures/"+closure.String()+"/archive", nil).status)

	events := c.eventsBut(t, c.count(t, "SELECT count(*) FROM changes"), "")
	requireInOrder(t, events)
	types, last := map[uuid.UUID][]string{}, map[uuid.UUID]fedEvent{}
	for _, e := range events {
		types[e.Subject.ID], last[e.Subject.ID] = append(types[e.Subject.ID], e.Type), e
	}
	require.Equal(t, []string{"service.created", "service.archived"}, types[service])
	require.Equal(t, []string{"closure.created", "closure.archived"}, types[closure])
	require.Equal(t, "resource.created", types[resource][0])
	require.Contains(t, types[resource], "resource.updated")
	for kind, id := range map[string]uuid.UUID{"services": service, "resources": resource, "closures": closure} {
		require.JSONEq(t, c.get(t, "/v1/"+kind+"/"+id.String()).body, string(last[id].Data))
	}
	require.Len(t, c.events(t, "types=closure.*").Data, 2)
}

func TestChanges_StoredResponsesOfChanges_PointAtThemAndAreReplayedByteForByte(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 9)
	service := c.newService(t, "date", object{"price": 4500}, resource)
	held := c.created(t, c.book(t, service, future(3), object{"hold_minutes": 30}))
	booking := "/v1/bookings/" + held.String()
	wallet := c.created(t, c.post(t, "/v1/wallets", object{"currency": "EUR"}))
	day := future(9).String()
	for _, request := range []struct {
		path string
		body any
	}{
		{"/v1/resources", object{"name": "Boat <1> & co", "capacity": 1}},
		{"/v1/services", object{"name": "Tour", "kind": "date", "resource_ids": []uuid.UUID{resource}, "price": 1}},
		{"/v1/closures", object{"from": day, "to": day, "reason": "é"}},
		{"/v1/customers", object{"name": "Grace & Ada", "email": "grace@example.com"}},
		{"/v1/bookings", bookingOf(service, future(4), object{"metadata": object{"note": "a  <b>"}})},
		{booking + "/extend", object{"hold_minutes": 60}},
		{booking + "/confirm", nil},
		{booking + "/reschedule", object{"date": future(5).String()}},
		{booking + "/cancel", nil},
		{walletPath(wallet) + "/credits", object{"amount": 500}},
	} {
		key := uuid.NewString()
		first := c.post(t, request.path, request.body, "Idempotency-Key", key)
		require.Less(t, first.status, 300, "%s: %s", request.path, first.body)
		var subject uuid.UUID
		var version int64
		require.NoError(t, c.sql.QueryRow(t.Context(),
			`SELECT change_subject_id, change_version FROM idempotency_keys WHERE key = $1 AND body IS NULL`,
			key).Scan(&subject, &version), request.path)
		require.Equal(t, first.id(t), subject, request.path)
		again := c.post(t, request.path, request.body, "Idempotency-Key", key)
		require.Equal(t, "true", again.header.Get("Idempotent-Replayed"), request.path)
		require.Equal(t, first.status, again.status, request.path)
		require.Equal(t, first.body, again.body, request.path)
		for _, name := range []string{"ETag", "Location"} {
			require.Equal(t, first.header.Get(name), again.header.Get(name), "%s: %s", request.path, name)
		}
	}
	require.Zero(t, c.count(t, `SELECT count(*) FROM idempotency_keys k WHERE change_subject_id IS NOT NULL AND NOT EXISTS (
		SELECT FROM changes c WHERE c.tenant_id = k.tenant_id AND c.subject_id = k.change_subject_id AND c.version = k.change_version)`))
}

func TestChanges_SecondOfOneVersion_IsRefusedByTheDatabase(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.newResource(t, 1)
	const again = `INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
		SELECT tenant_id, gen_random_uuid(), type, subject_type, subject_id, version, $1, occurred_at, data FROM changes LIMIT 1`
	_, err := c.sql.Exec(t.Context(), again, false)
	require.ErrorContains(t, err, "changes_by_version")
	for range 2 {
		_, err = c.sql.Exec(t.Context(), again, true)
		require.NoError(t, err, "a version can have several notices")
	}
}

func TestHistory_WhoseBeginningWasDeleted_BeginsWithAllFields(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	id := c.created(t, c.book(t, service, future(3), object{"hold_minutes": 30}))
	path := "/v1/bookings/" + id.String()
	require.Equal(t, http.StatusOK, c.post(t, path+"/confirm", nil).status)
	require.Equal(t, http.StatusOK, c.post(t, path+"/cancel", nil).status)
	_, err := c.sql.Exec(t.Context(), "DELETE FROM changes WHERE subject_id = $1 AND version = 1", id)
	require.NoError(t, err)
	var p struct{ Data []historyEntry }
	c.get(t, path+"/history").read(t, &p)
	require.Len(t, p.Data, 2)
	require.Equal(t, int64(2), p.Data[0].Version)
	require.Nil(t, p.Data[0].Before)
	require.Equal(t, "confirmed", p.Data[0].After["status"])
	require.Equal(t, service.String(), p.Data[0].After["service_id"])
	require.NotContains(t, p.Data[0].After, "customer", "a history names the customer by id")
	require.Equal(t, object{"status": "confirmed"}, p.Data[1].Before)
	cancelled := p.Data[1].After
	require.Equal(t, object{"status": "cancelled", "cancelled_at": cancelled["cancelled_at"]}, cancelled)
}

func TestHistory_NoticesOfABooking_AreNoEntries(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	id := c.created(t, c.book(t, service, future(3)))
	_, err := c.sql.Exec(t.Context(), `INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice,
		occurred_at, data)
		SELECT tenant_id, gen_random_uuid(), 'booking.reminder', subject_type, subject_id, version, true, occurred_at, data FROM changes
			WHERE subject_id = $1`, id)
	require.NoError(t, err)
	require.Len(t, c.history(t, "/v1/bookings/"+id.String()), 1)
	rows, err := c.sql.Query(t.Context(), "SELECT type FROM changes WHERE subject_id = $1 ORDER BY notice", id)
	require.NoError(t, err)
	types, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, []string{"booking.created", "booking.reminder"}, types)
	c.eventsBut(t, 2, "subject="+id.String())
}
